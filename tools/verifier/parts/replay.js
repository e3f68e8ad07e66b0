// A round replayed, one step for each event that a person sees: spec/page.md, 4.

const STEPS = new Set([
  'bets_opened', 'hand_called', 'bet_placed', 'bet_cancelled', 'hand_seed_committed', 'hand_seed_withdrawn',
  'bets_closed', 'hand_begun', 'seed_revealed', 'round_opened', 'dealt', 'turned', 'peeked', 'spun', 'offered', 'acted',
  'bank_used', 'paid', 'poker', 'safe', 'absent', 'pile_opened', 'seed_committed', 'pile_closed', 'pile_shuffled',
  'pile_failed', 'last_hand', 'round_resumed', 'round_settled', 'round_voided', 'shoe_revealed', 'shoe_sealed',
]);
const BEGINS = ['bets_opened', 'hand_called', 'bets_closed', 'hand_begun'],
  ENDS = ['round_settled', 'round_voided', 'bets_lapsed', 'call_lapsed'];

/** Watches while a bundle is judged, and keeps the steps of one round. */
class Replay {
  constructor(round) {
    Object.assign(this, { asked: round, steps: [], openings: new Openings(), isOn: false, shoes: new Set() });
  }

  read(bundle) {
    if (this.asked !== null) {
      const [, table, no] = /^(.*):(0|[1-9][0-9]{0,15})$/.exec(this.asked) || [];
      if (table !== bundle.table) throw new Unusable(`${quote(this.asked)} is no round of this bundle's table`);
      Object.assign(bundle, { round: this.asked, roundNo: Number(no) });
    }
    this.bundle = bundle;
  }

  begins(house) {
    Object.assign(this, { house, views: [] });
    // The view after an event is complete when the next one is decided.
    house.beforeEvent = at => { if (at && house.entered) this.keepView(at - 1, house.logged[at - 1]); };
  }

  /** The round's present state, or its placed bets; null before and after. */
  view() {
    const { house, bundle } = this, table = house.tables.get(bundle.table) || house.table, no = bundle.roundNo;
    if (!table) return null;
    const live = table.live || table.ended;
    if (live && live.no === no) return viewOf(house, table);
    return table.window && table.window.no === no ? roundToCome(table) : null;
  }

  keepView(at, event) {
    if (isObject(event) && STEPS.has(eventName(event)))
      this.views[at] = { view: this.view(), faces: this.facesOf(event) };
  }

  /** The places of the faces that an event shows: `[{shoe, slot}]`. */
  facesOf(event) {
    const name = eventName(event), { card, slot, pile } = eventFields(event), { table } = this.house;
    const live = table && (table.live || table.ended);
    if (!live || !(name === 'spun' || (['dealt', 'turned'].includes(name) && card))) return [];
    return [{ shoe: live.piles[pile === undefined ? live.piles.length - 1 : pile], slot }];
  }

  decided({ index, entry }) {
    const { house, bundle: { roundNo } } = this, { events } = entry, { views } = this;
    if (events.length) this.keepView(events.length - 1, events[events.length - 1]);
    this.views = [];
    this.openings.takeEvents(entry, house.shown);
    let isFirst = true;
    events.forEach((event, at) => {
      const name = eventName(event), e = eventFields(event);
      if (BEGINS.includes(name)) this.isOn = e.round_no === roundNo;
      if (this.isOn && e.shoe_no !== undefined) this.shoes.add(e.shoe_no);
      const isOwn = ['shoe_revealed', 'shoe_sealed'].includes(name) ? this.shoes.has(e.shoe_no) : this.isOn;
      if (isOwn && STEPS.has(name)) {
        const { view, faces } = views[at], words = EVENT_WORDS[name];
        const isPoker = isCash(house.table);
        this.steps.push({
          index,
          event: name,
          entry,
          words: [
            ...(isFirst ? [commandWords(entry.by, entry.command)] : []),
            ...(words ? [words(e, isPoker)] : []),
          ],
          view,
          faces,
        });
        isFirst = false;
      }
      if (ENDS.includes(name) && e.round_no === roundNo) this.isOn = false;
    });
  }

  /** The steps, their faces with openings, each entry with its proof. */
  finished(isSound) {
    const { bundle, house, openings } = this, proofs = new Map();
    if (!bundle) return [];
    for (const item of bundle.entries) proofs.set(item.index, item.proof);
    for (const opening of isSound ? bundle.openings : []) openings.take(opening, house.shoes);
    return this.steps.map(({ faces, ...step }) => ({
      ...step,
      faces: faces.map(({ shoe, slot }) => faceOf(shoe, slot, openings, () => isSound)),
      proof: proofs.get(step.index),
    }));
  }
}

/** A round of a bundle, judged and step by step; `round` null: the bundle's own. */
function replayOf(text, round = null, trusted = null) {
  const replay = new Replay(round), report = watchBundle(text, trusted, replay);
  const { verdict, findings, story, key, key_trusted, round: outcome } = report;
  const steps = replay.finished(verdict !== 'not_sound');
  return { verdict, findings, story, key, key_trusted, round: outcome, steps };
}
