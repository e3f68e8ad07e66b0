// Faces that were shown, each with the opening that proves it: spec/fairness.md, "Openings"; spec/page.md, 3 and 4.

const faceName = (shoe, slot) => `${shoe}/${slot}`;

/** An opening as the service sends it, without its optional shoe number. */
const bareOpening = opening => {
  if (!isObject(opening)) return opening;
  const { shoe_no, ...bare } = opening;
  return bare;
};

/** The opening of any slot of a shoe with this seed; its tree is made at the first request. */
function openingsOfShoe({ faces, salts }) {
  let levels = null;
  const makeTree = () => {
    levels = [faces.map((face, i) => leafHash(concat(salts[i], u16(i), Uint8Array.of(face))))];
    for (let [below] = levels; below.length > 1; levels.push(below))
      below = Array.from({ length: Math.ceil(below.length / 2) }, (_, i) =>
        2 * i + 1 < below.length ? nodeHash(below[2 * i], below[2 * i + 1]) : below[2 * i],
      );
  };
  return slot => {
    if (!levels) makeTree();
    const siblings = levels.slice(0, -1).map((level, h) => level[(slot >> h) ^ 1]).filter(hash => hash);
    return { slot, value: faces[slot], salt: hex(salts[slot]), path: siblings.map(hex) };
  };
}

/** The known openings of one table's shoes, by `faceName`. */
class Openings {
  constructor() {
    this.known = new Map();
    this.seeds = new Map(); // shoe -> the opening of any slot, once its seed is out
  }

  of(shoe, slot) {
    const opening = this.known.get(faceName(shoe.no, slot));
    return opening || (this.seeds.has(shoe.no) ? this.seeds.get(shoe.no)(slot) : null);
  }

  /** Takes a single opening: finds its shoe, and checks that it shows the log's face. */
  take(given, shoes) {
    const opening = bareOpening(given), named = isObject(given) ? given.shoe_no : undefined;
    if (!isOpening(opening)) unsound('opening', 'an opening is malformed');
    const { slot } = opening, asked = named === undefined ? shoes : shoes.filter(({ no }) => no === named);
    const about = asked.find(({ faces }) => faces.has(slot));
    const holding = asked.filter(shoe => openingHolds(opening, shoe.composition, shoe.root));
    if (!holding.length) {
      const what = `the opening of slot ${slot} does not lead to the committed root`;
      if (about) unsoundAt(about.faces.get(slot).entry, 'opening', what);
      unsound('opening', what);
    }
    const shoe = holding.find(({ faces }) => faces.has(slot));
    if (!shoe) unsound('opening_extra', `slot ${slot} is opened and was never shown`);
    const { face, entry } = shoe.faces.get(slot);
    const value = shoe.composition.wheel ? opening.value : cardOf(opening.value);
    if (value !== face)
      unsoundAt(entry, 'opening', `slot ${slot} of shoe ${shoe.no} is opened as ${value}, the log shows ${face}`);
    this.known.set(faceName(shoe.no, slot), opening);
  }

  /** The faces that an entry itself opens: those of a sealed shoe, or all of one with a published seed. */
  takeEvents(entry, shown) {
    for (const event of entry.events) {
      if (!event.shoe_sealed) continue;
      const { shoe_no: no, openings } = event.shoe_sealed;
      openings.forEach(opening => this.known.set(faceName(no, opening.slot), opening));
    }
    for (const { shoe, derived } of shown) if (!this.seeds.has(shoe)) this.seeds.set(shoe, openingsOfShoe(derived));
  }

  /** Forgets shoes before this one. */
  forget(first) {
    for (const name of this.known.keys()) if (Number(name.split('/')[0]) < first) this.known.delete(name);
    for (const no of this.seeds.keys()) if (no < first) this.seeds.delete(no);
  }
}

/** Takes a face that the log shows in a shoe; `isProven` tells whether its entry is. */
function faceOf(shoe, slot, openings, isProven) {
  const { face, entry } = shoe.faces.get(slot), opening = openings.of(shoe, slot), { wheel } = shoe.composition;
  return {
    shoe: shoe.no, slot,
    card: wheel ? null : face,
    value: wheel ? face : null,
    state: opening && isProven(entry) ? 'proven' : 'pending',
    opening,
    root: shoe.root,
    entry,
  };
}

/** The faces of a round, `live` as the rules have it, in the order in which they were shown. */
function facesOfRound(live, openings, isProven) {
  const shoes = live.pile ? [...live.piles, live.pile.shoe] : live.piles;
  return shoes
    .flatMap(shoe =>
      [...shoe.faces.keys()]
        .filter(slot => shoe.faces.get(slot).entry >= live.entry)
        .map(slot => faceOf(shoe, slot, openings, isProven)),
    )
    .sort((a, b) => a.entry - b.entry);
}
