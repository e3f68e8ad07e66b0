// A tournament in the state's lines, written and read: spec/state.md, "Tournaments".

const isU8 = whole(0, 255), isU16 = isSlot;
const numbered = (key, form) => value =>
  isObject(value) && Object.entries(value).every(([number, one]) => key(Number(number)) && form(one));
const keyUpTo = most => number => Number.isInteger(number) && number >= 0 && number <= most;
const orNull = form => value => value === null || form(value);
const someOf = (name, value) => (value === null || value === undefined ? {} : { [name]: value });
const entryNos = listOf(isEntryNo), tableNos = listOf(isU16);
const stoodSince = tupleOf(isCount, isStand);
const isBounty = fieldsOf({ head: isCount, won: isCount });
const isFall = fieldsOf({ hand: isCount, table: isU16, stack: isCount, distance: isU8, winners: entryNos });
const isOut = fieldsOf({ entry_no: isEntryNo, hand: isCount, table: isU16, stack: isCount, distance: isU8 });
const isBought = fieldsOf({ pool: isCount, fees: isCount, bounty: isCount });
const isThen = fieldsOf({
  in_play: isBool, chips: isCount, bounty: isBounty, to_pool: isCount, fees: isCount, rebuys: isU8, is_rebuying: isBool,
  'falls?': isFall,
  from_pool: isCount,
  received: isCount,
});
const isNote = value =>
  value === 'rebuy' || value === 'add_on' || fieldsOf({ disqualification: isLabel })(value);
const isOpenDraw = fieldsOf({
  kind: isDrawKind, 'table?': isU16, entrants: entryNos, seeds: numbered(keyUpTo(MAX_AMOUNT), isHash),
  reveal_by: isCount,
  awaited: entryNos,
  committed_at: isCount,
});

Object.assign(STATE_PARTS, {
  event: fieldsOf({
    context: fieldsOf({ origin: isOrigin, table: isName, epoch: isHash }),
    terms: fieldsOf({ structure: isStructure, digest: isWords, rules: isObject, table_rules: isObject }),
    level_rules: isObject,
    next_seq: isCount,
    last_used: isCount,
    stage: oneOf('registering', 'running', 'cancelled', 'ended'),
    starts_at: isCount,
    'earlier_starts?': listOf(isCount),
    registration_from: isCount,
    late_levels: isU16,
    least_late_levels: isU16,
    'unregister_ms?': isCount,
    next_entry: isCount,
    sold: fieldsOf({ entries: isCount, with_bounty: isCount, rebuys: isCount, add_ons: isCount }),
    players: isCount,
    remaining: isCount,
    waiting: entryNos,
    clock: fieldsOf({
      started: isCount, stops: listOf(tupleOf(isCount, isCount)), 'stands?': stoodSince, level: isU16, in_break: isBool,
      'next_change?': isCount,
    }),
    'itm?': isBool,
    'itm_at?': isCount,
    'registration_ended?': oneOf('schedule', 'full', 'itm'),
    'pool?': isCount,
    draws: fieldsOf({
      next: isU16, link: isHash, running: isHash, 'open?': isOpenDraw, had_final: isBool,
      'frozen?': tupleOf(isDrawKind, orNull(isU16), isHash, entryNos),
    }),
    field: tupleOf(isU8, isU16, numbered(
      keyUpTo(65535),
      tupleOf(numbered(keyUpTo(255), isEntryNo), isU8, orNull(isU8)),
    )),
    tables: fieldsOf({
      open: tableNos, idle: listOf(tupleOf(isCount, isU16)), dirty: tableNos, unrecovered: tableNos,
      calls: numbered(keyUpTo(65535), fieldsOf({
        'idle_since?': isCount, last: isCount, opened: isCount, 'unseeded?': isNotZero,
        'before?': tupleOf(isU8, orNull(isU8)),
      })),
      called: isCount,
    }),
    hands: isCount,
    to_settle: numbered(keyUpTo(65535), entryNos),
    rebuying: listOf(tupleOf(isCount, isEntryNo)),
    noted: numbered(keyUpTo(MAX_AMOUNT), isNote),
    'hand_for_hand?': fieldsOf({ round: isCount, hand: isCount, played: tableNos }),
    unranked: listOf(isOut),
    unpaid: listOf(tupleOf(isCount, isEntryNo)),
    won: entryNos,
    deal: fieldsOf({
      wanted: entryNos,
      'proposal?': fieldsOf({
        digest: isWords, amounts: listOf(tupleOf(isEntryNo, isCount)), accepted: entryNos, answer_by: isCount,
      }),
      'since?': isCount,
    }),
    money: fieldsOf({ pool: isSigned, fees: isSigned, bounties: isSigned, stakes: isSigned }),
    sellers: entryNos,
    deal_made: isBool,
    residual: isCount,
    substitutes: numbered(keyUpTo(MAX_AMOUNT), fieldsOf({ what: isLabel, value: isCount, accepted: entryNos })),
    refunds: numbered(keyUpTo(MAX_AMOUNT), fieldsOf({
      fee: isCount, bounty: isCount, pool: isCount, prize: isCount, total: isCount, bought: isBought,
      in_t_dollars: isCount,
      owed: isCount,
    })),
    'refund_case?': whole(1, 4),
    journal: fieldsOf({ changes: listOf(tupleOf(isCount, isEntryNo, orNull(isThen))) }),
    dues: fieldsOf({ 'duty?': tupleOf(isObject, isCount), 'deadline?': tupleOf(isCount, isCount) }),
  }),
  entry: fieldsOf({
    player: isName,
    at: value =>
      ['waiting', 'out', 'disqualified'].includes(value) || fieldsOf({ seated: tupleOf(isU16, isU8) })(value),
    chips: isCount,
    bounty: isBounty,
    paid_by: fieldsOf({ cash: isCount, t_dollars: isCount, ticket: isCount }),
    to_pool: isCount, fees: isCount, re_entry: isBool, non_unregisterable: isBool, rebuys: isU8, added_on: isBool,
    'rebuy_until?': isCount,
    'falls?': isFall,
    bank_ms: isCount,
    'cut_off?': isCutOff,
    'commitment?': tupleOf(isHash, isU16, isCount),
    offered: isCount,
    stakes: listOf(fieldsOf({ buyer: isName, stake: fieldsOf({ basis_points: isCount, price: isCount }) })),
    won: isCount, t_dollars_won: isCount, received: isCount, from_pool: isCount,
    'out?': isOut,
    'rank?': tupleOf(isCount, isCount),
    is_paid: isBool,
  }),
  entrant: fieldsOf({
    entries: entryNos, registered: isU16, uses: isU16, 'has_bounty?': isBool, is_barred: isBool,
  }),
  tickets: listOf(tupleOf(isName, isBool), 1),
});

// --- Written ----------------------------------------------------------------------------------------

/** An entry's holdings, as far as a refund needs them. */
const thenPart = entry => ({
  in_play: inPlay(entry),
  chips: entry.chips,
  bounty: { head: entry.head, won: entry.total },
  to_pool: entry.toPool,
  fees: entry.fees,
  rebuys: entry.rebuys,
  is_rebuying: entry.rebuyUntil !== null,
  ...someOf('falls', entry.falls),
  from_pool: entry.fromPool,
  received: entry.received,
});

const entryPart = entry => ({
  player: entry.player,
  at: isList(entry.at) ? { seated: entry.at } : entry.at,
  chips: entry.chips,
  bounty: { head: entry.head, won: entry.total },
  paid_by: entry.paidBy,
  to_pool: entry.toPool,
  fees: entry.fees,
  re_entry: entry.again,
  non_unregisterable: entry.bound,
  rebuys: entry.rebuys,
  added_on: entry.addedOn,
  ...someOf('rebuy_until', entry.rebuyUntil),
  ...someOf('falls', entry.falls),
  bank_ms: entry.bank,
  ...someOf('cut_off', entry.cutOff),
  ...(entry.commitment
    ? { commitment: [entry.commitment.commitment, entry.commitment.use, entry.commitment.called] }
    : {}),
  offered: entry.offered,
  stakes: entry.stakes.map(({ buyer, basis_points, price }) => ({ buyer, stake: { basis_points, price } })),
  won: entry.earned,
  t_dollars_won: entry.dollarsEarned,
  received: entry.received,
  from_pool: entry.fromPool,
  ...someOf('out', entry.out),
  ...someOf('rank', entry.rank),
  is_paid: entry.isPaid,
});

const entrantPart = ({ entries, registered, uses, hasBounty, barred }) => ({
  entries, registered, uses, ...someOf('has_bounty', hasBounty), is_barred: barred,
});

/** A map with numbers as keys, ascending. */
const byNumber = (pairs, part) => Object.fromEntries([...pairs].sort(([a], [b]) => a - b).map(([key, one]) => [
  key, part(one),
]));
const same = value => value;

function openDrawPart({ kind, table, entrants, seeds, by, awaited, committedAt }) {
  return {
    kind, ...someOf('table', table), entrants: ascending(entrants), seeds: byNumber(seeds, same), reveal_by: by,
    awaited: ascending(awaited),
    committed_at: committedAt,
  };
}

function drawsPart({ next, link, running, open, hadFinal, frozen }) {
  return {
    next, link, running: hex(running), ...(open ? { open: openDrawPart(open) } : {}), had_final: hadFinal,
    ...(frozen ? { frozen: [frozen.kind, frozen.table, hex(frozen.running), ascending(frozen.entrants)] } : {}),
  };
}

function eventTablesPart({ open, dirty, unrecovered, calls, called }) {
  const idle = [...calls].filter(([, { idleSince }]) => idleSince !== null).map(([number, one]) => [
    one.idleSince, number,
  ]);
  return {
    open: ascending(open),
    idle: idle.sort(([since, a], [other, b]) => since - other || a - b),
    dirty: ascending(dirty),
    unrecovered: ascending(unrecovered),
    calls: byNumber(calls, ({ idleSince, last, opened, unseeded, before }) => ({
      ...someOf('idle_since', idleSince), last, opened, ...(unseeded ? { unseeded } : {}),
      ...(before ? { before: [before.last_big, before.first_button ?? null] } : {}),
    })),
    called,
  };
}

const refundPart = ({ fee, bounty, pool, prize, total, bought, dollars, owed }) =>
  ({ fee, bounty, pool, prize, total, bought, in_t_dollars: dollars, owed });

function dealPart({ wanted, proposal, since }) {
  const part = ({ digest, amounts, accepted, answerBy }) =>
    ({ digest, amounts, accepted: ascending(accepted), answer_by: answerBy });
  return {
    wanted: ascending(wanted), ...(proposal ? { proposal: part(proposal) } : {}), ...someOf('since', since),
  };
}

extendHouse({
  eventPart(ev) {
    const { structure, rules, clock, handForHand } = ev, balance = own => this.accounts.get(`${own}:${ev.name}`);
    const { duty, deadline } = ev.due;
    return {
      context: { origin: this.start.origin, table: ev.name, epoch: ev.epoch },
      terms: { structure, digest: structureDigest(structure), rules, table_rules: ev.tableRules },
      level_rules: eventTableRules(structure, rules, clock.level),
      next_seq: ev.seq,
      last_used: ev.lastUsed,
      stage: ev.stage,
      starts_at: ev.startsAt,
      ...(ev.earlierStarts.length ? { earlier_starts: ev.earlierStarts } : {}),
      registration_from: ev.registrationFrom,
      late_levels: ev.lateLevels,
      least_late_levels: ev.leastLateLevels,
      ...someOf('unregister_ms', ev.unregisterMs),
      next_entry: ev.nextEntry,
      sold: ev.sold,
      players: ev.players,
      remaining: ev.remaining,
      waiting: ascending(ev.waiting),
      clock: {
        started: clock.started, stops: clock.stops, ...someOf('stands', clock.stands), level: clock.level,
        in_break: clock.inBreak,
        ...someOf('next_change', clock.nextChange),
      },
      ...someOf('itm', ev.itm),
      ...someOf('itm_at', ev.itmAt),
      ...someOf('registration_ended', ev.registrationEnded),
      ...someOf('pool', ev.pool),
      draws: drawsPart(ev.draws),
      field: [
        ev.field.seats,
        ev.field.last_table,
        byNumber(ev.field.tables.map(one => [one.table, one]), ({ players, last_big, first_button }) =>
          [players, last_big, first_button ?? null]),
      ],
      tables: eventTablesPart(ev.tables),
      hands: ev.hands,
      to_settle: byNumber(ev.toSettle, same),
      rebuying: [...ev.rebuying].map(no => [ev.entries.get(no).rebuyUntil, no])
        .sort(([until, a], [other, b]) => until - other || a - b),
      noted: byNumber(ev.noted, ({ what, reason }) => (reason === undefined ? what : { disqualification: reason })),
      ...(handForHand
        ? { hand_for_hand: { round: handForHand.round, hand: handForHand.hand, played: ascending(handForHand.played) } }
        : {}),
      unranked: ev.unranked,
      unpaid: [...ev.unpaid].map(([no, place]) => [place, no]).sort(([a, one], [b, other]) => b - a || one - other),
      won: ascending(ev.won),
      deal: dealPart(ev.deal),
      money: { pool: balance('pool'), fees: balance('fees'), bounties: balance('bounties'), stakes: balance('stakes') },
      sellers: ascending(ev.sellers),
      deal_made: ev.dealMade,
      residual: ev.residual,
      substitutes: byNumber(ev.substitutes, ({ what, value, accepted }) =>
        ({ what, value, accepted: ascending(accepted) })),
      refunds: byNumber(ev.refunds, refundPart),
      ...someOf('refund_case', ev.refundCase),
      journal: { changes: ev.journal.changes.map(([at, no, before]) => [at, no, before && thenPart(before)]) },
      dues: {
        ...(duty ? { duty: [duty.command, duty.since] } : {}),
        ...(deadline ? { deadline: [deadline.at, deadline.since] } : {}),
      },
    };
  },

  /** The lines of tournaments, by key. */
  eventLines(lines) {
    for (const ev of this.events.values()) {
      lines.set(`event:${ev.name}`, this.eventPart(ev));
      for (const entry of ev.entries.values()) lines.set(`entry:${ev.name}/${entry.no}`, entryPart(entry));
      for (const [player, entrant] of ev.entrants) lines.set(`entrant:${ev.name}/${player}`, entrantPart(entrant));
    }
    for (const [event, holders] of this.tickets) {
      const held = [...holders].sort(([a], [b]) => compareText(a, b));
      if (held.length) lines.set(`tickets:${event}`, held);
    }
  },
});

// --- Read -------------------------------------------------------------------------------------------

const numberedPairs = (part, form) => Object.entries(part).map(([number, one]) => [Number(number), form(one)]);

function readEventEntry(no, part) {
  const { commitment } = part;
  return {
    no,
    player: part.player,
    bound: part.non_unregisterable,
    again: part.re_entry,
    at: isObject(part.at) ? part.at.seated : part.at,
    chips: part.chips,
    head: part.bounty.head,
    total: part.bounty.won,
    paidBy: part.paid_by,
    toPool: part.to_pool,
    fees: part.fees,
    rebuys: part.rebuys,
    addedOn: part.added_on,
    rebuyUntil: part.rebuy_until ?? null,
    falls: part.falls ?? null,
    bank: part.bank_ms,
    cutOff: part.cut_off ?? null,
    commitment: commitment ? { commitment: commitment[0], use: commitment[1], called: commitment[2] } : null,
    offered: part.offered,
    stakes: part.stakes.map(({ buyer, stake }) => ({ buyer, ...stake })),
    earned: part.won,
    dollarsEarned: part.t_dollars_won,
    received: part.received,
    fromPool: part.from_pool,
    out: part.out ?? null,
    rank: part.rank ?? null,
    isPaid: part.is_paid,
  };
}

/** An entry's earlier holdings, on top of its present ones. */
const readThen = (entry, then) => then && {
  ...entry,
  at: then.in_play ? 'waiting' : 'out',
  chips: then.chips,
  head: then.bounty.head,
  total: then.bounty.won,
  toPool: then.to_pool,
  fees: then.fees,
  rebuys: then.rebuys,
  rebuyUntil: then.is_rebuying ? 0 : null,
  falls: then.falls ?? null,
  fromPool: then.from_pool,
  received: then.received,
};

const readOpenDraw = ({ kind, table, entrants, seeds, reveal_by: by, awaited, committed_at: committedAt }) => ({
  kind, table: table ?? null, entrants: new Set(entrants), seeds: new Map(numberedPairs(seeds, same)), by,
  awaited: new Set(awaited),
  committedAt,
});

const readCalls = ({ idle_since: idleSince = null, last, opened, unseeded = 0, before }) => ({
  idleSince, last, opened, unseeded, before: before ? { last_big: before[0], first_button: before[1] } : null,
});

const readEventNote = note =>
  (isObject(note) ? { what: 'disqualification', reason: note.disqualification } : { what: note, reason: undefined });

const readFixed = ([kind, table, running, entrants]) =>
  ({ kind, table, running: unhex(running, 32), entrants: new Set(entrants) });

/** A tournament from its line, without its entries and players. */
function readEventPart(part) {
  const { context: { origin, table: name, epoch }, terms, clock, draws, field: [seats, last, tables], deal } = part;
  const { structure, rules } = terms, { open, dirty, unrecovered, calls, called } = part.tables, { proposal } = deal;
  const ev = newEvent(name, tableContext(origin, name, epoch), {
    structure, rules, starts_at: part.starts_at, registration_from: part.registration_from, epoch, tip: draws.link,
  });
  const { frozen } = draws;
  return Object.assign(ev, {
    seq: part.next_seq,
    lastUsed: part.last_used,
    stage: part.stage,
    earlierStarts: part.earlier_starts || [],
    lateLevels: part.late_levels,
    leastLateLevels: part.least_late_levels,
    unregisterMs: part.unregister_ms,
    nextEntry: part.next_entry,
    sold: part.sold,
    players: part.players,
    remaining: part.remaining,
    waiting: new Set(part.waiting),
    clock: {
      started: clock.started, stops: clock.stops, stands: clock.stands ?? null, level: clock.level,
      inBreak: clock.in_break,
      nextChange: clock.next_change ?? null,
    },
    itm: part.itm ?? null,
    itmAt: part.itm_at ?? null,
    registrationEnded: part.registration_ended ?? null,
    pool: part.pool ?? null,
    draws: {
      next: draws.next, link: draws.link, running: unhex(draws.running, 32), hadFinal: draws.had_final,
      open: draws.open ? readOpenDraw(draws.open) : null,
      frozen: frozen ? readFixed(frozen) : null,
    },
    field: {
      seats,
      last_table: last,
      tables: numberedPairs(tables, same).map(([table, [players, last_big, first_button]]) =>
        ({ table, last_big, players, first_button })),
    },
    tables: {
      open: new Set(open),
      dirty: new Set(dirty),
      unrecovered: new Set(unrecovered),
      calls: new Map(numberedPairs(calls, readCalls)),
      called,
    },
    hands: part.hands,
    toSettle: new Map(numberedPairs(part.to_settle, same)),
    rebuying: new Set(part.rebuying.map(([, no]) => no)),
    noted: new Map(numberedPairs(part.noted, readEventNote)),
    handForHand: part.hand_for_hand
      ? { ...part.hand_for_hand, played: new Set(part.hand_for_hand.played) }
      : null,
    unranked: part.unranked,
    unpaid: new Map(part.unpaid.map(([place, no]) => [no, place])),
    won: new Set(part.won),
    deal: {
      wanted: new Set(deal.wanted),
      proposal: proposal
        ? {
            digest: proposal.digest, amounts: proposal.amounts, answerBy: proposal.answer_by,
            accepted: new Set(proposal.accepted),
          }
        : null,
      since: deal.since ?? null,
    },
    dealMade: part.deal_made,
    sellers: new Set(part.sellers),
    residual: part.residual,
    substitutes: new Map(numberedPairs(part.substitutes, one => ({ ...one, accepted: new Set(one.accepted) }))),
    refunds: numberedPairs(part.refunds, ({ in_t_dollars: dollars, ...refund }) => ({ ...refund, dollars })),
    refundCase: part.refund_case ?? null,
  });
}

/** Whether the fixed values of a draw belong to the open one, or to one that can be due. */
function checkFixed(ev) {
  const { open, frozen } = ev.draws;
  if (!frozen) return;
  const { kind, table, entrants } = frozen, ofTable = kind === 'break' || kind === 'final';
  // Entrants fixed for a draw wait until the draw is called.
  if (![...entrants].every(no => ev.waiting.has(no))) fault('an entry is to be seated and does not wait');
  if (['cancelled', 'ended'].includes(ev.stage)) return;
  const fits = open
    ? open.kind === kind && open.table === table && !entrants.size
    : isStillDue(ev, frozen) && (table === null || !entrants.size);
  if (!fits || ofTable !== (table !== null)) fault('what is fixed is no draw that is due or open');
}

/** Whether a request can be noted for an entry. */
function canBeNoted({ stage, structure: { rebuy, add_on: addOn } }, { at, rebuys, addedOn }, what) {
  if (stage !== 'running') return false;
  if (what === 'disqualification') return at !== 'disqualified';
  return isList(at) && (what === 'rebuy' ? !!rebuy && rebuys < rebuy.most : !!addOn && !addedOn);
}

/** Whether the entries named by a tournament exist. */
function checkNamed(ev, { journal }) {
  const { open } = ev.draws, { proposal } = ev.deal;
  const named = [
    ...ev.waiting, ...ev.won, ...ev.sellers, ...ev.deal.wanted, ...ev.rebuying, ...ev.unpaid.keys(),
    ...[...ev.toSettle.values()].flat(), ...ev.unranked.map(out => out.entry_no), ...ev.refunds.map(([no]) => no),
    ...journal.changes.map(([, no]) => no),
    ...(open ? [...open.entrants, ...open.awaited, ...open.seeds.keys()] : []),
    ...(proposal ? [...proposal.amounts.map(([no]) => no), ...proposal.accepted] : []),
  ];
  const rebuying = [...ev.entries.values()].filter(({ rebuyUntil }) => rebuyUntil !== null).map(({ no }) => no);
  const isOff = ['cancelled', 'ended'].includes(ev.stage);
  if (quote(ascending(ev.rebuying)) !== quote(isOff ? [] : ascending(rebuying)))
    fault('who may rebuy is not who the entries say');
  for (const [no, { what }] of ev.noted)
    if (!ev.entries.has(no) || !canBeNoted(ev, ev.entries.get(no), what))
      fault(`what is noted of entry ${no} cannot be`);
  const missing = named.find(no => !ev.entries.has(no));
  if (missing !== undefined) fault(`tournament ${ev.name} has no entry ${missing}`);
  for (const [no, place] of ev.unpaid) {
    const { isPaid, rank } = ev.entries.get(no);
    if (isPaid || !rank || rank[0] !== place) fault('a place that is not paid is not its entry\'s');
  }
}

/** Whether values that a tournament states twice are equal. */
function checkEvent(ev, part) {
  const wrong = why => fault(`tournament ${ev.name}: ${why}`), { structure, rules } = ev;
  if (rulesDigest(rules) !== structure.rules.digest) wrong('its rule set is another than its structure names');
  const left = entriesLeft(ev), entrants = [...ev.entrants];
  const players = entrants.filter(([, { entries }]) => entries.length).length;
  if (ev.remaining !== left.length || ev.players !== players) wrong('it has not as many players as it says');
  const seated = ev.field.tables.flatMap(({ table, players: here }) =>
    Object.entries(here).map(([seat, no]) => [ev.entries.get(no), table, Number(seat)]));
  if (seated.some(([entry, table, seat]) => !entry || quote(entry.at) !== quote([table, seat])))
    wrong('an entry sits elsewhere');
  if (seated.length !== left.filter(({ at }) => isList(at)).length) wrong('somebody sits at no seat');
  const own = ([player, { entries }]) => entries.every((no, i) =>
    (!i || entries[i - 1] < no) && ev.entries.has(no) && ev.entries.get(no).player === player);
  if (!entrants.every(own) || sum(entrants.map(([, { entries }]) => entries.length)) !== ev.entries.size)
    wrong('its entries are not those of its players');
  if (Object.values(part.money).some(balance => balance < 0)) wrong('an account of it is below zero');
  const unseeded = [...ev.tables.calls.values()].some(call => call.unseeded);
  if (unseeded && ev.clock.level < structure.levels.length) wrong('hands without a seed are counted at the last level');
  if (ev.field.seats !== structure.seats) wrong('its tables have other seats than its structure says');
  const { started, stops, stands } = ev.clock;
  const times = [started, ...stops.flat(), ...(stands ? [stands[0]] : []), ev.lastUsed];
  if (times.some((time, i) => i && time < times[i - 1]))
    wrong('its clock began, stopped or went on in another order, or after its last entry');
}

extendHouse({
  /** Takes a tournament in, with its entries and players, of each `[number or player, part]`. */
  takeEvent(name, part, entries, entrants) {
    const { terms: { structure, rules }, clock: { level } } = part, wrong = why => fault(`tournament ${name}: ${why}`);
    if (part.context.table !== name || part.context.origin !== this.start.origin) wrong('it is another');
    const why = whyNoStructure(structure) || whyNoRuleSet(rules);
    if (why) wrong(why);
    if (level < 1 || level > structure.levels.length || !rules.game.poker) wrong('it has no such level');
    const ev = readEventPart(part);
    for (const [no, entry] of entries) ev.entries.set(no, readEventEntry(no, entry));
    for (const [player, { has_bounty: hasBounty = null, is_barred: barred, ...entrant }] of entrants)
      ev.entrants.set(player, { ...entrant, hasBounty, barred });
    checkNamed(ev, part);
    checkFixed(ev);
    checkEvent(ev, part);
    ev.journal.changes = part.journal.changes.map(([at, no, then]) => [at, no, readThen(ev.entries.get(no), then)]);
    this.events.set(name, ev);
    for (const own of ['pool', 'fees', 'bounties', 'stakes']) this.accounts.set(`${own}:${name}`, part.money[own]);
    this.takeEventDues(ev, part.dues);
  },

  /** The due times follow from the state; each lies between its cause and the last entry. */
  takeEventDues(ev, { duty, deadline }) {
    const due = this.dutyOfEvent(ev), [first] = eventDeadlines(ev).sort((a, b) => a.at - b.at);
    const sameDuty = duty ? due && quote(due) === quote(duty[0]) && duty[1] <= ev.lastUsed : !due;
    const sameDeadline = deadline
      ? first && first.at === deadline[0] && deadline[1] >= first.at && deadline[1] <= Math.max(first.at, ev.lastUsed)
      : !first;
    if (!sameDuty || !sameDeadline)
      fault(`what is due in tournament ${ev.name}, or since when, is not what follows from how it stands`);
    ev.due = {
      duty: duty ? { command: due, since: duty[1] } : null,
      deadline: deadline && { ...first, since: deadline[1] },
    };
  },

  /** Whether tournaments and tables agree on each other. */
  checkEventTables() {
    for (const ev of this.events.values()) {
      if (!this.usedTables.has(ev.name) || this.tables.has(ev.name))
        fault(`the name of tournament ${ev.name} is not its own`);
      const said = [...this.tables.values()].filter(({ event }) => event === ev.name);
      const names = new Set([...ev.tables.open].map(number => tableName(ev, number)));
      if (said.length !== names.size || !said.every(({ name }) => names.has(name)))
        fault(`the open tables of tournament ${ev.name} are others than it says`);
    }
    const lost = [...this.tables.values()].find(({ event }) => event && !this.events.has(event));
    if (lost) fault(`there is no tournament ${lost.event}`);
  },
});
