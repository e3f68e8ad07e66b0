// A round judged from a dispute bundle: spec/audit.md, "The bundle".

const BUNDLE_FIELDS = ['fairshoe_bundle', 'round', 'vkey', 'checkpoint', 'context', 'entries', 'openings'];
const HALF_PAIR = /[\ud800-\udfff]/u;
const hasExactly = (value, fields) =>
  isObject(value) && Object.keys(value).length === fields.length && fields.every(field => Object.hasOwn(value, field));

const ROUND = /^([a-z0-9_-][a-z0-9._-]{0,63}):(0|[1-9][0-9]{0,19})$/;
const MOST_OPENINGS = 4096;

/** Half of a surrogate pair is no character and cannot occur in UTF-8 text. */
function jsonOf(text) {
  return JSON.parse(text, (name, value) => {
    if (HALF_PAIR.test(name) || (typeof value === 'string' && HALF_PAIR.test(value)))
      throw new SyntaxError('half of a surrogate pair');
    return value;
  });
}

/** `TABLE:NUMBER`: `{table, roundNo}`, or null. */
function readRound(round) {
  const [, table, no] = (typeof round === 'string' && ROUND.exec(round)) || [];
  return table !== undefined && isCount(Number(no)) ? { table, roundNo: Number(no) } : null;
}

/** Why these cannot be the lists of a bundle, or of a follower's file; or null. `isProof` checks an entry's proof. */
function listsFault({ context, entries, openings }, most, isProof) {
  if (!isList(context) || !isList(entries) || !isList(openings)) return 'context, entries and openings are lists';
  if (context.length + entries.length > most) return `there are at most ${grouped(most)} entries`;
  if (openings.length > MOST_OPENINGS) return `there are at most ${grouped(MOST_OPENINGS)} openings`;
  for (const item of [...context, ...entries]) {
    if (!hasExactly(item, ['index', 'entry', 'proof']) || !isCount(item.index) || typeof item.entry !== 'string')
      return 'an entry has the fields index, entry and proof';
    if (!isProof(item.proof)) return 'the proof of an entry is malformed';
  }
  return openings.every(isOpening) ? null : 'an opening is malformed';
}

function readBundle(text) {
  if (utf8(text).length > 32 * 1024 * 1024) unsound('bundle_form', 'a bundle has at most 32 MiB');
  let bundle;
  try {
    bundle = jsonOf(text);
  } catch (error) {
    throw new Unusable(`this is no bundle: not JSON (${error.message})`);
  }
  if (!isObject(bundle) || bundle.fairshoe_bundle === undefined)
    throw new Unusable('this is no bundle: it has no field fairshoe_bundle');
  const wrong = message => unsound('bundle_form', message), twofold = ambiguity(text);
  if (twofold) wrong(twofold);
  if (bundle.fairshoe_bundle !== 1) wrong(`the bundle's version is ${quote(bundle.fairshoe_bundle)}, not 1`);
  if (!hasExactly(bundle, BUNDLE_FIELDS)) wrong('the bundle has unknown or missing fields');
  const round = readRound(bundle.round);
  if (!round) wrong('round is not TABLE:NUMBER');
  if (typeof bundle.vkey !== 'string' || typeof bundle.checkpoint !== 'string') wrong('vkey and checkpoint are texts');
  const malformed = listsFault(bundle, 10000, proof => isList(proof) && proof.length <= 64);
  if (malformed) wrong(malformed);
  return { ...bundle, ...round };
}

/** Steps 1 to 3: which log it is, and that each entry is on it. */
function checkSignedEntries(bundle, trusted) {
  const key = under('key', () => readLogKey(bundle.vkey));
  if (trusted && trusted !== bundle.vkey)
    unsound('key', `the bundle is of the log with the key ${bundle.vkey}, not of ${trusted}`);
  const checkpoint = under('checkpoint', () => openCheckpoint(utf8(bundle.checkpoint), key));
  for (const item of [...bundle.context, ...bundle.entries]) {
    const path = item.proof.map(text => hash64(text) || unsound('bundle_form', 'a hash of a proof is malformed'));
    try {
      checkInclusion(leafHash(utf8(item.entry)), BigInt(item.index), checkpoint.size, path, checkpoint.root);
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      throw Object.assign(new Unsound('inclusion', `the entry is not under the checkpoint: ${error.message}`), {
        entry: item.index,
      });
    }
  }
  return checkpoint;
}

/** The opening of a table, `{table, rules}`, or undefined. */
const openingOf = command => command.open_table || command.open_event_table;

/** Step 4: the order of the indices, and the content of the context. */
function checkContext(bundle, context, entries, origin) {
  for (const list of [context, entries]) {
    const fallen = list.find(({ index }, i) => i && list[i - 1].index >= index);
    if (fallen) unsoundAt(fallen.index, 'bundle_order', 'indices do not ascend');
  }
  if (!entries.length) unsound('bundle_context', 'the bundle holds no entry of the table');
  const twice = context.find(({ index }) => entries.some(other => other.index === index));
  if (twice) unsoundAt(twice.index, 'bundle_order', 'the entry is held twice');
  const alien = entries.find(
    ({ entry: { command } }) => command.disclose_shoe || Object.values(command)[0].table !== bundle.table,
  );
  const first = entries[0].index, last = entries[entries.length - 1].index;
  const openings = context.filter(({ entry }) => openingOf(entry.command));
  const starts = context.filter(({ entry }) => entry.command.start_dealer);
  const keys = context.filter(({ entry }) => entry.command.create_player || entry.command.set_key);
  const faultOf = item => {
    const { index, entry: { command } } = item;
    if (![openings, starts, keys].some(list => list.includes(item)))
      return [
        'bundle_context',
        "the context holds something else than the table's opening, starts of the dealer and keys of players",
      ];
    if (command.create_player && command.create_player.key === undefined)
      return ['bundle_context', 'the context holds a player without a key'];
    if (openings.includes(item) && (openingOf(command).table !== bundle.table || index > first))
      return ['bundle_context', 'the context holds the opening of another table, or one after the first entry'];
    if (!openings.includes(item) && index > last)
      return ['bundle_context', 'the context holds a start or a key after the last entry'];
    if (command.start_dealer && command.start_dealer.origin !== origin)
      return ['origin', 'a start names another log than the key'];
    return null;
  };
  const faulty = context.find(faultOf);
  if (alien && !(faulty && faulty.index < alien.index))
    unsoundAt(alien.index, 'bundle_order', 'an entry is not of this table');
  if (faulty) unsoundAt(faulty.index, ...faultOf(faulty));
  if (openings.length !== 1) unsound('bundle_context', 'the context does not hold the opening of the table, once');
  if (starts.filter(({ index }) => index < first).length !== 1)
    unsound('bundle_context', 'the context does not hold exactly one start before the shoe');
}

/** Step 8: shown faces of shoes without a published seed need openings; `mayMiss` if some may still come. */
function checkOpenings(openings, shoes, mayMiss = false) {
  const opened = new Set();
  for (const opening of openings) {
    const holding = shoes.filter(shoe => openingHolds(opening, shoe.composition, shoe.root));
    const about = shoes.find(({ faces }) => faces.has(opening.slot));
    if (!about) unsound('opening_extra', `slot ${opening.slot} is opened and was never shown`);
    if (!holding.length)
      unsoundAt(
        about.faces.get(opening.slot).entry,
        'opening',
        `the opening of slot ${opening.slot} does not lead to the committed root`,
      );
    const shoe = holding.find(candidate => candidate.faces.has(opening.slot));
    if (!shoe) unsound('opening_extra', `slot ${opening.slot} is opened and was never shown`);
    const name = `${shoe.no}/${opening.slot}`, { face, entry } = shoe.faces.get(opening.slot);
    const value = shoe.composition.wheel ? opening.value : cardOf(opening.value);
    if (value !== face)
      unsoundAt(
        entry,
        'opening',
        `slot ${opening.slot} of shoe ${shoe.no} is opened as ${value}, the log shows ${face}`,
      );
    if (opened.has(name)) unsound('opening_extra', `slot ${opening.slot} of shoe ${shoe.no} is opened twice`);
    opened.add(name);
  }
  const hidden = shoes
    .filter(candidate => !candidate.revealed && !candidate.sealed)
    .flatMap(({ no, faces }) => [...faces].map(([slot, { face, entry }]) => ({ no, slot, face, entry })));
  const [missing] = hidden
    .filter(({ no, slot }) => !opened.has(`${no}/${slot}`))
    .sort((a, b) => a.entry - b.entry || a.no - b.no);
  if (missing && !mayMiss)
    unsoundAt(
      missing.entry,
      'opening_missing',
      `${missing.face} is shown in slot ${missing.slot} of shoe ${missing.no}, without an opening`,
    );
}

/**
 * The result of a round: its phase, and each player's stakes and returns. `table` is the state after the entries: chips
 * of a hand of poker leave a seat when the hand ends, and until then all chips put in are in its pot.
 */
function roundOutcome(entries, bundle, table) {
  const outcome = { id: bundle.round, shoe_no: null, rules: null, phase: null, players: [] };
  const soFar = new Map(), of = player => soFar.get(player);
  for (const { entry } of entries) {
    for (const event of entry.events) {
      const name = eventName(event), e = eventFields(event);
      if (['bets_closed', 'hand_begun'].includes(name) && e.round_no === bundle.roundNo) {
        Object.assign(outcome, { phase: 'awaiting_reveals', shoe_no: e.shoe_no });
        e.contributors.forEach(({ player, bets = [] }) =>
          soFar.set(player, { player, staked: sum(bets.map(bet => bet.stake)), returned: 0 }),
        );
      }
      if (!['awaiting_reveals', 'open'].includes(outcome.phase)) continue;
      if (name === 'round_opened') outcome.phase = 'open';
      else if (name === 'acted' && of(e.player) && !isCash(table)) of(e.player).staked += e.cost;
      else if (name === 'paid') {
        e.lines.forEach(line => { if (of(line.player)) of(line.player).returned += line.returned; });
      } else if (['round_settled', 'round_voided'].includes(name) && e.round_no === bundle.roundNo)
        Object.assign(outcome, { phase: name.slice(6), players: e.players });
    }
  }
  if (!outcome.players.length) outcome.players = [...soFar.values()];
  const live = table && table.live;
  if (isCash(table) && live && live.no === bundle.roundNo)
    for (const { player, put } of live.game.seats) if (of(player)) of(player).staked = put;
  return outcome;
}

// A reader of the last line alone has to know whose log it is, too.
const ON_TRUST = ' The log\'s own key was taken on trust: you named none.';
const NOBODY_VOUCHED = 'Nobody vouched for this key here: compare it with the one you know the log by.';

/**
 * Decides all of a bundle's entries again. Fills `report` on the way. `watcher` gets calls: `begins(house, context)`
 * before the first entry, `decided(item, lines)` after each of the table's; `withoutRound` if the round need not be
 * among them; `goesOn` if entries may follow the shoe's end, and openings may come later.
 */
function judgeBundle(bundle, report, trusted, watcher) {
  return judgeHistory(bundle, checkSignedEntries(bundle, trusted), report, trusted, watcher);
}

/** The same for entries that are known to be on the log of this checkpoint. */
function judgeHistory(bundle, checkpoint, report, trusted, watcher = {}) {
  report.story.push(
    `The log ${checkpoint.origin} vouches for ${checkpoint.size} entries under root ${base64(checkpoint.root)}.`,
    `It is signed with the key ${bundle.vkey}. ${trusted ? 'That is the key you trust.' : NOBODY_VOUCHED}`);
  const parse = item => located(item.index, bundle.table, () => ({ index: item.index, entry: readEntry(item.entry) }));
  const context = bundle.context.map(parse), entries = bundle.entries.map(parse);
  checkContext(bundle, context, entries, checkpoint.origin);
  const first = entries[0];
  if (
    !(first.entry.command.commit_shoe || first.entry.command.call_hand) ||
    !first.entry.events.some(event => event.shoe_committed)
  )
    throw Object.assign(new Unsound('bundle_order', 'the first entry does not commit the shoe'), {
      entry: first.index,
      table: bundle.table,
    });
  const house = Object.assign(new House(true), { origin: checkpoint.origin }),
    { shoes } = house,
    inEntries = new Set(entries.map(({ entry }) => entry));
  const all = [...context, ...entries].sort((a, b) => a.index - b.index);
  if (watcher.begins) watcher.begins(house, context);
  let over = false;
  for (const { index, entry } of all) {
    located(index, bundle.table, () => {
      if (over && !watcher.goesOn && inEntries.has(entry))
        unsound('bundle_order', 'an entry comes after the reveal of the shoe');
      if (entry === first.entry) enterBundle(house, bundle.table, first, context);
      house.judge(entry, index);
      const lines = storyOf(index, entry, isCash(house.tables.get(bundle.table) || house.table));
      report.entries.push({ index, entry });
      report.story.push(...lines);
      if (watcher.decided && inEntries.has(entry)) watcher.decided({ index, entry }, lines);
      over = house.shoes.length > 0 && (house.shoes[0].revealed === true || house.shoes[0].sealed === true);
    });
  }
  report.round = roundOutcome(entries, bundle, house.tables.get(bundle.table) || house.table);
  if (report.round.phase === null && !watcher.withoutRound)
    unsound('bundle_round', `round ${bundle.roundNo} is not among the entries`);
  report.round.rules = context.map(({ entry }) => openingOf(entry.command)).find(opens => opens).rules.name;
  (watcher.opens || checkOpenings)(bundle.openings, shoes, watcher.goesOn);
  report.hand = house.hands.find(({ round }) => round === bundle.roundNo) || null;
  if (report.hand) report.story.push(...handWords(report.hand));
  report.deck = shoes.length ? { composition: shoes[0].composition, root: shoes[0].root } : null;
  for (const shown of house.shown)
    report.story.push(
      `The seed of shoe ${shown.shoe}, out in entry ${shown.entry}, opens its commitment; the proper shoe it orders ` +
        `has the committed root; all ${shown.faces} faces shown are the ones in their slots.`,
    );
  report.shoes = house.shown;
  const sealed = shoes.filter(shoe => shoe.sealed),
    hidden = shoes.filter(shoe => !shoe.revealed && !shoe.sealed),
    inPlay = ['awaiting_reveals', 'open'].includes(report.round.phase);
  for (const shoe of sealed)
    report.story.push(
      `Shoe ${shoe.no} is sealed: each of the ${shoe.faces.size} faces shown is opened against the root of the deck ` +
        `that the players' seeds picked, and the other deck was shown whole. What nobody turned up stays hidden.`,
    );
  if (hidden.length)
    report.story.push(
      `The seed of shoe ${names(hidden.map(shoe => shoe.no))} is not out: that it is a proper one is still to be ` +
        'shown.',
    );
  report.story.push(
    "Every slot follows from the players' seeds, every event and payment from the rules.",
    'How the table stood before is stated by the entry that commits the shoe; who checks the whole log finds out ' +
      'whether it stood so.',
    "Taken on the log's word, being in entries that a bundle does not hold: balances before the round, earlier " +
      "offences and refunds, how long the dealer was down.",
  );
  for (const { player, staked, returned } of report.round.players)
    report.story.push(
      report.round.phase === 'voided'
        ? `${player} staked ${staked} and got ${returned} back; the round is void.`
        : `${player} staked ${staked} and got back ${returned}${inPlay ? ' so far' : ''}.`,
    );
  return hidden.length || inPlay ? 'sound_so_far' : 'sound';
}

/**
 * A player's own cards: openings of hidden slots, checked against the deck of a judged bundle's round. Returns
 * `{verdict, story, openings: [{slot, card, state}]}`; `json` is any JSON that holds openings.
 */
function verifyOwnCards(report, json) {
  const openings = [], find = (value, depth) => {
    if (isOpening(value)) openings.push(value);
    else if (value !== null && typeof value === 'object' && depth < 16)
      Object.values(value).forEach(inner => find(inner, depth + 1));
  };
  find(json, 0);
  if (!openings.length) throw new Unusable('no opening is in this JSON: it has the fields slot, value, salt and path');
  const round = Number(report.round.id.split(':')[1]), places = new Map();
  let on = false;
  for (const { entry } of report.entries) {
    for (const event of entry.events) {
      const name = eventName(event), e = eventFields(event);
      if (['bets_closed', 'hand_begun'].includes(name)) on = e.round_no === round;
      if (on && name === 'dealt') places.set(e.slot, e.to);
    }
  }
  if (!report.deck || !places.size) throw new Unusable('no card of that round is dealt');
  const own = { verdict: 'sound', story: [], openings: [] };
  for (const opening of openings) {
    const to = places.get(opening.slot),
      holds =
        to !== undefined &&
        report.deck.composition.codes.includes(opening.value) &&
        openingHolds(opening, report.deck.composition, report.deck.root);
    if (!holds) own.verdict = 'not_sound';
    own.openings.push({
      slot: opening.slot, card: opening.value < 52 ? cardOf(opening.value) : null,
      state: to === undefined ? 'not_dealt' : holds ? 'held' : 'not_held',
    });
    own.story.push(to === undefined ? `NOT SOUND. Slot ${opening.slot} was not dealt in this round.`
        : `${holds ? 'SOUND' : 'NOT SOUND'}. ${opening.value < 52 ? cardOf(opening.value) : 'That'} ` +
          `${holds ? 'is' : 'is not'} the committed card in slot ${opening.slot}, dealt to ` +
          `${placeWords(to, !!report.hand || to.endsWith('/1'))}.`,
    );
  }
  return own;
}

/** Step 5: from here on the table is known, as its first entry states it. `context` holds the entries judged before. */
function enterBundle(house, name, { index, entry }, context) {
  const table = house.tables.get(name), { seq } = entry.at || { seq: 0 };
  const event = kind => (entry.events.find(one => one[kind]) || {})[kind];
  house.entered = true;
  const noted = event('table_noted');
  Object.assign(table, {
    seq,
    nextShoe: event('shoe_committed').shoe_no,
    recovering: false,
    downSince: null,
    firstRound: 0,
  });
  // The opening, or the start after it, at which the table was put in order before all else.
  const before = context.filter(item => item.index < index);
  const earliest = Math.max(
    ...before
      .filter(({ entry: { command } }) => openingOf(command) || command.start_dealer)
      .map(item => item.entry.time),
  );
  const why =
    noted &&
    (house.cannotFollow(noted, seq, event('shoe_committed').shoe_no, earliest) ||
      house.takeNoted(table, noted, entry.time));
  if (why) unsound('table_noted', `no table of these rules stands as the entry states it: ${why}`);
}

/** Runs `action`; a failure in it belongs to this entry. */
function located(index, table, action) {
  try {
    return action();
  } catch (error) {
    if (error instanceof Unsound && error.entry === undefined) Object.assign(error, { entry: index, table });
    throw error;
  }
}

/**
 * The verdict on a bundle: `{verdict, findings, story, key, key_trusted, round}`, with `entries` and `shoes` for
 * display. Throws Unusable if there is nothing to judge.
 */
const verifyBundle = (text, trusted = null) => watchBundle(text, trusted, {});

/** The same with a watcher; `round` if another round than the bundle's is asked about. */
function watchBundle(text, trusted, watcher) {
  const report = {
    verdict: 'not_sound',
    findings: [],
    story: [],
    key: null,
    key_trusted: !!trusted,
    round: null,
    entries: [],
    shoes: [],
  };
  try {
    const bundle = readBundle(text);
    if (watcher.read) watcher.read(bundle);
    report.key = bundle.vkey;
    report.round = { id: bundle.round };
    report.verdict = judgeBundle(bundle, report, trusted, watcher);
    const isVoid = report.round.phase === 'voided';
    const end =
      report.verdict === 'sound' && isVoid
        ? `SOUND. Round ${bundle.round} is void, as its cause demands; what was dealt is as committed.`
        : report.verdict === 'sound' ? `SOUND. Round ${bundle.round} was dealt and paid as committed.`
        : `SOUND SO FAR. Everything shown of round ${bundle.round} holds; ask for a newer bundle when the shoe's ` +
          'seed is out.';
    report.story.push(trusted ? end : end + ON_TRUST);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    const { check, entry, table, message } = error;
    report.findings.push({
      check,
      ...(entry === undefined ? {} : { entry }),
      ...(table === undefined ? {} : { table }),
      message,
    });
    report.story.push(`NOT SOUND. ${entry === undefined ? '' : `entry ${entry}: `}${message} [${check}]`);
  }
  return report;
}

/** The same for a file's bytes: text that is not UTF-8 is no bundle. */
function verifyBundleBytes(bytes, trusted = null) {
  let text;
  try {
    text = strictText(bytes, 'the file');
  } catch (error) {
    throw new Unusable(`this is no bundle: ${error.message}`);
  }
  return verifyBundle(text, trusted);
}
