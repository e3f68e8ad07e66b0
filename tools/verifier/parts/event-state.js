// A tournament's state, and what follows from it at a time (spec/games/tournaments.md). An event is a plain object;
// event-decide.js decides its commands, event-fold.js folds its entries, event-duty.js has the house's duties. Amounts
// are numbers below 2^53.

const UNDOUBLED = 16, MOST_DOUBLED = 53, MOST_EXTRA_MS = 3600000;
const LATE_DRAWS = 32768, MOST_ENTRIES = 65534, MOST_OF_PLAYER = 1000;

/** An event that was just announced. */
function newEvent(name, dctx, { structure, rules, starts_at, registration_from, epoch, tip }) {
  return {
    name, dctx, epoch, structure, rules,
    tableRules: eventTableRules(structure, rules, 1),
    seq: 0, lastUsed: 0, stage: 'registering', startsAt: starts_at, registrationFrom: registration_from,
    earlierStarts: [], // where it was postponed, the announced one first
    lateLevels: structure.late_levels,
    leastLateLevels: structure.late_levels,
    unregisterMs: structure.unregister_ms,
    entries: new Map(), // number -> entry
    nextEntry: 0,
    entrants: new Map(), // player -> {entries, registered, uses, hasBounty, barred}
    sold: { entries: 0, with_bounty: 0, rebuys: 0, add_ons: 0 },
    players: 0,
    remaining: 0,
    waiting: new Set(), // for a seat, and for no draw that was called
    clock: { started: 0, stops: [], stands: null, level: 1, inBreak: false, nextChange: null },
    itm: null, // whether the paid places, once reached, cut registration short
    itmAt: null,
    registrationEnded: null,
    pool: null,
    draws: { next: 0, link: tip, running: new Uint8Array(32), open: null, hadFinal: false, frozen: null },
    field: { seats: structure.seats, last_table: 0, tables: [] },
    tables: { open: new Set(), dirty: new Set(), unrecovered: new Set(), calls: new Map(), called: 0 },
    hands: 0,
    toSettle: new Map(), // table -> entries that its last hand left without chips
    rebuying: new Set(),
    noted: new Map(), // entry -> what was asked for and is yet to be carried out, {what, reason}
    handForHand: null, // {round, hand, played}
    unranked: [],
    unpaid: new Map(), // entry -> place
    won: new Set(),
    deal: { wanted: new Set(), proposal: null, since: null },
    dealMade: false,
    sellers: new Set(),
    residual: 0, // what was cut off, once it is over
    substitutes: new Map(), // place -> {what, value, accepted}
    refunds: [], // [entry, what it gets], ascending
    refundCase: null,
    journal: newJournal(),
    due: {},
  };
}

const newJournal = () => ({ touched: new Map(), changes: [] });
const newEntrant = () => ({ entries: [], registered: 0, uses: 0, hasBounty: null, barred: false });
const inPlay = ({ at }) => at === 'waiting' || isList(at);
const tableOfEntry = ({ at }) => (isList(at) ? at[0] : null);
const ascending = numbers => [...numbers].sort((a, b) => a - b);
const tableName = (ev, number) => `${ev.name}.${number}`;

/** The number in the name of an event's table, or null. */
function tableNumber(ev, table) {
  const [, event, number] = /^(.*)\.([0-9]+)$/.exec(table) || [];
  return event === ev.name && Number(number) <= 65535 ? Number(number) : null;
}
const isOfEvent = name => /\.[0-9]+$/.test(name);

const fieldTable = (ev, number) => ev.field.tables.find(({ table }) => table === number);
const entriesLeft = ev => [...ev.entries.values()].filter(inPlay);

/** A player's entry that is in play, or undefined. */
function entryInPlay(ev, player) {
  const own = ev.entrants.get(player), last = own && ev.entries.get(own.entries[own.entries.length - 1]);
  return last && inPlay(last) ? last : undefined;
}

// --- The clock --------------------------------------------------------------------------------------

/** Running time at a time; null while the event is not played. */
function eventRunning(ev, now) {
  if (ev.stage !== 'running') return null;
  const { started, stops, stands } = ev.clock;
  if (now < started) return null;
  return runningTime(ev.structure, started, stands ? [...stops, [stands[0], Math.max(now, stands[0])]] : stops, now);
}

function eventPosition(ev, now) {
  const running = eventRunning(ev, now);
  return running === null ? null : clockAt(ev.structure, running, now);
}

/** Whether the break after a level is over. */
const breakOver = (structure, after, running) => {
  const pause = clockParts(structure).find(part => part.level === after && part.pause);
  return !pause || pause.until <= running;
};

/** After a postponement every entry that is not `non_unregisterable` can be given back until the start. */
const unregisterInForce = ev => (ev.earlierStarts.length ? 0 : ev.unregisterMs);

// --- Entry and pool ---------------------------------------------------------------------------------

const scheduled = (ev, late_levels) => ({ ...ev.structure, late_levels });
const eventCollected = ev => collectedOf(ev.structure, ev.sold);

const askedOf = (ev, now) => ({
  entries: ev.sold.entries,
  players: ev.players,
  remaining: ev.remaining,
  running: eventRunning(ev, now),
  collected: eventCollected(ev).pool,
});

function reachedMoney(structure, asked) { return asked.running !== null && inTheMoney(structure, asked); }

/** Why registration is closed by schedule, field and paid places, or null (4.7). */
function closedByRules(ev, now) {
  const structure = scheduled(ev, ev.lateLevels), asked = askedOf(ev, now);
  if (asked.running !== null && !withinLevels(structure, structure.late_levels, asked.running)) return 'schedule';
  if (ev.players >= structure.entry.players_max) return 'full';
  return ev.itm !== null || reachedMoney(structure, asked) ? 'itm' : null;
}

function entryClosed(ev, now) {
  if (ev.registrationEnded !== null) return ev.registrationEnded;
  if (ev.sold.entries >= MOST_ENTRIES || ev.draws.next >= LATE_DRAWS) return 'full';
  return closedByRules(ev, now);
}

/** Whether registration, rebuys and add-ons have all ended. */
function allIsBought(ev, now) {
  if (ev.registrationEnded === null || ev.rebuying.size) return false;
  // A request made in time may still add something.
  if ([...ev.noted.values()].some(({ what }) => what !== 'disqualification')) return false;
  if (ev.remaining <= 1) return true;
  const { rebuy, add_on: addOn } = ev.structure, running = eventRunning(ev, now);
  return running !== null && closedByRules(ev, now) !== null &&
    !(rebuy && withinLevels(ev.structure, rebuy.levels, running)) &&
    !(addOn && !breakOver(ev.structure, addOn.after_level, running));
}

/** The prize pool now, with the house's addition (4.9). */
function poolNow(ev) {
  const collected = eventCollected(ev).pool;
  const pool = ev.itm === true ? collected : Math.max(collected, ev.structure.guarantee);
  return { pool, overlay: pool - collected };
}
const prizePool = ev => (ev.pool === null ? poolNow(ev).pool : ev.pool);
const eventPrizes = ev => prizeTable(ev.structure, ev.sold.entries, ev.players, prizePool(ev));
const eventPlaces = ev => placesPaid(ev.structure, ev.sold.entries, ev.players, prizePool(ev));

/** A place's prize in cash. */
const prizeInCash = ({ prizes }, place, value) => {
  const { seat, cash } = prizes[place - 1] || { seat: false, cash: 0 };
  return cash + (seat ? value : 0);
};

/** Whether a player can still register and pay for it. */
const takesEntries = (ev, now) => !['cancelled', 'ended'].includes(ev.stage) && entryClosed(ev, now) === null;

/** Whether play is over. */
function isEventOver(ev) {
  if (ev.stage !== 'running') return false;
  const few = ev.remaining <= endsWith(ev.structure, ev.players, prizePool(ev));
  // A player who may rebuy is not out, and a registered player may still wait for a seat.
  const settled = !ev.rebuying.size && !ev.toSettle.size && !disqualifiesNext(ev);
  return (few && settled && ev.registrationEnded !== null) || ev.dealMade;
}

// --- Tables -----------------------------------------------------------------------------------------

/** Whether a table has no hand in progress or called, or is not open yet. */
const restsAt = (ev, number) => !ev.tables.calls.has(number) || ev.tables.calls.get(number).idleSince !== null;

/** Whether an open table has none, and no pending work from its last one. */
const isIdleAt = (ev, number) => ev.tables.calls.has(number) && restsAt(ev, number) && !ev.toSettle.has(number) &&
  ![...ev.noted.keys()].some(no => tableOfEntry(ev.entries.get(no)) === number);

/**
 * Whether a player can be disqualified now: they are in no hand and in no draw, and their table's last hand is
 * processed.
 */
function canDisqualify(ev, { no, at }) {
  const { open, frozen } = ev.draws;
  // If none of those who may rebuy does, the last one with chips has won.
  if (at !== 'out' && !entriesLeft(ev).some(other => other.no !== no && other.chips > 0)) return false;
  if (isList(at)) return restsAt(ev, at[0]) && !ev.toSettle.has(at[0]) && fixedTable(ev) !== at[0];
  if (at === 'waiting') return !(open && open.entrants.has(no)) && !(frozen && frozen.entrants.has(no));
  return at === 'out';
}

/** The entries with a noted disqualification, ascending. */
const notedOut = ev => ascending(ev.noted.keys()).map(no => ev.entries.get(no))
  .filter(({ no }) => ev.noted.get(no).what === 'disqualification');

/** The entries whose disqualification can be carried out. */
const toDisqualify = ev => notedOut(ev).filter(entry => canDisqualify(ev, entry));

/** Whether a player whose place is not fixed must be disqualified before the event can be declared over. */
const disqualifiesNext = ev => toDisqualify(ev).some(entry => inPlay(entry) && !entry.rank);

/** How many times the posts of a table's next hand are doubled if no player commits to it (6.8). */
const doubledAt = (ev, number) => {
  const { unseeded } = ev.tables.calls.get(number) || { unseeded: 0 };
  return Math.min(Math.max(0, unseeded - UNDOUBLED + 1), MOST_DOUBLED);
};

/** The extra milliseconds of a player who was cut off, as of now (R001.104). */
const lateExtraOf = ({ remaining, structure: { clocks } }) =>
  (remaining <= clocks.late_players ? clocks.late_extra_ms : 0);

const couldPlay = (ev, number) => { const here = fieldTable(ev, number); return !!here && sizeOf(here) >= 2; };
const allHavePlayed = (ev, played) =>
  ev.field.tables.every(({ table }) => !couldPlay(ev, table) || played.has(table));

/** The break or the move that is due, or null: no break is due while seats are drawn. */
function eventSeatingDue(ev) {
  const due = ev.field.tables.length ? seatingDue(ev.field) : null;
  return due && due.break !== undefined && ev.draws.open ? null : due;
}

/** The table that plays no hand before its seats have changed, or null. */
const heldTable = due => (!due ? null : due.move ? due.move.from[0] : due.break);

const wantsHandForHand = ev => {
  const places = eventPlaces(ev), near = ev.structure.hand_for_hand;
  return ev.itm === null && ev.pool !== null && near > 0 && ev.field.tables.length > 1 &&
    places < ev.remaining && ev.remaining <= places + near;
};
const isHandForHandAhead = ev => !ev.handForHand && wantsHandForHand(ev);

/** The draw that is due, `[kind, table]`, or null. One with a fixed X comes before any other. */
function dueDraw(ev) {
  const { open, frozen } = ev.draws;
  if (!frozen || open) return dueBesideFixed(ev);
  return ev.stage === 'running' && !ev.clock.stands && !isEventOver(ev) ? [frozen.kind, frozen.table] : null;
}

/** Whether a fixed draw that is not called yet has entrants to seat. */
const isStillDue = (ev, { table, entrants }) => (table === null ? entrants.size > 0 : !!fieldTable(ev, table));

/** The table that a fixed draw is about to empty, or null. */
const fixedTable = ({ draws: { open, frozen } }) => (frozen && !open ? frozen.table : null);

/** The draw that is due by the present state. */
function dueBesideFixed(ev) {
  if (ev.stage !== 'running' || ev.draws.open || ev.clock.stands || isEventOver(ev)) return null;
  const { field } = ev, late = ev.waiting.size ? ['late', null] : null;
  if (!field.last_table) return ev.waiting.size ? ['first', null] : null;
  const due = field.tables.length ? seatingDue(field) : null;
  if (due && due.break !== undefined) return isIdleAt(ev, due.break) ? ['break', due.break] : null;
  const [{ table: last }] = field.tables.length === 1 ? field.tables : [{ table: 0 }];
  const redrawn = ev.structure.final_redraw && !ev.draws.hadFinal && ev.registrationEnded !== null &&
    field.last_table > 1 && ev.remaining > 1 && isIdleAt(ev, last);
  return redrawn ? ['final', last] : late;
}

/** The number of hands that the event had called before the newest commitment of these entries. */
function newestCommitment(ev, entrants) {
  const kept = entrants.map(no => ev.entries.get(no).commitment).filter(one => one);
  return Math.max(0, ...kept.map(({ called }) => called));
}

/** Whether the open or due draw has its hands (3.7). */
function hasHands(ev) {
  const { open } = ev.draws, [kind, without] = open ? [open.kind, null] : dueBesideFixed(ev) || [null, null];
  if (kind === null) return false;
  if (kind === 'first' || kind === 'final') return true;
  const breaking = without === null ? null : fieldTable(ev, without);
  const entrants = breaking ? Object.values(breaking.players) : [...ev.waiting];
  const newest = open ? open.committedAt : newestCommitment(ev, entrants);
  const play = ev.field.tables.filter(({ table }) => table !== without && couldPlay(ev, table)).length;
  const opened = [...ev.tables.calls.values()].filter(call => call.opened > newest).length;
  return opened >= Math.min(play, ev.structure.draw_hands);
}

/** Whether the clock has reached another level or break, and the house has not said so. */
const isClockBehind = ({ stage, clock }, now) =>
  stage === 'running' && clock.nextChange !== null && clock.nextChange <= now;

/** Whether the clock has stood for a crash so long that the event is cancelled. */
const isCrashOver = (ev, now) => {
  const { stands } = ev.clock;
  return !!stands && stands[1] === 'crash' && !isEventOver(ev) && now >= stands[0] + ev.structure.cancel_after_ms;
};

/** When the talks about a deal end, or null. */
function dealEnds({ deal, structure }) {
  if (deal.proposal) return deal.proposal.answerBy;
  return deal.since === null ? null : deal.since + structure.clocks.commit_ms * 6;
}
