// Rounds and tables as everyone may see them, computed from the rules' state: openapi.yaml, `RoundView` and
// `TableView`. A hidden card is a slot.

/** The total of the face-up cards. */
const pointsOf = cards => {
  const faces = cards.filter(({ card }) => card).map(({ card }) => card), total = handTotal(faces);
  return { total, soft: total !== sum(faces.map(cardValue)) };
};
const cardsOf = cards => cards.map(({ slot, card }) => ({ slot, card: card || null }));
const byName = names => [...names].sort(compareText);

/** The open decisions of a round, with options as far as each player's balance goes. */
function decisionsOf(house, table, live, game) {
  if (!live.opened || live.end) return [];
  const { name, openDecisions, options } = gameOf(table.rules), solo = table.rules.table.mode === 'solo';
  return openDecisions(game).map(({ decision, player, place }) => {
    const { deadline, bankFrom } = live.decisions.get(decision), from = Math.max(bankFrom ?? 0, live.turnBy);
    const [spot, hand] = place.split('/').map(Number);
    const banked = bankFrom !== undefined, latest = Math.max(deadline, solo ? live.settleBy : live.turnBy);
    return {
      decision, player, place, spot, hand,
      options: options(game, decision, name === 'poker' ? 0 : house.balance(player)),
      ...(banked ? { bank_from: from } : {}),
      deadline: banked ? from + deadline - bankFrom : latest,
    };
  });
}

const pileView = ({ no, shoe, players, by, closed, commitments, seeds }) => ({
  round_no: no,
  shoe_no: shoe.no,
  awaits: closed ? 'seeds' : 'commitments',
  deadline: by,
  players: players.map(player => ({
    player,
    commitment: commitments.get(player) ?? null,
    seed: seeds.get(player) ?? null,
  })),
});

/** A round with a number and a shoe, but without binding bets. */
function roundToCome(table) {
  const { name, window, shoe } = table, placed = byName(window.bets.keys()).map(player => window.bets.get(player));
  const contributors = placed.map(({ player, bets, commitment }) => ({
    player, bets, commitment, seed: null, staked: sum(bets.map(bet => bet.stake)), returned: 0,
  }));
  return {
    id: `${name}:${window.no}`, table: name, round_no: window.no, shoe_no: shoe.no,
    phase: isCash(table) ? 'called' : 'betting',
    closes_at: window.closesAt,
    reveal_by: null, settle_by: null, contributors, entropy: null, pick: 0, decisions: [], void: null,
    staked: sum(contributors.map(({ staked }) => staked)),
    returned: 0, game: null,
  };
}

/** The round in play at a table of this house, or the one that ended last, as everyone may see it; or null. */
function viewOf(house, table) {
  const live = table && (table.live || table.ended);
  if (!live) return null;
  const rules = gameOf(table.rules), game = live.game || rules.start(table.rules, live.contributors);
  const { end = null } = live, of = player => end && end.players.find(one => one.player === player);
  const contributors = live.contributors.map(({ player, bets = [], commitment }) => ({
    player, bets, commitment,
    seed: live.seeds.get(player) ?? null,
    staked: end ? of(player).staked : live.staked.get(player) || 0,
    returned: end ? of(player).returned : live.returned.get(player) || 0,
  }));
  return {
    id: `${table.name}:${live.no}`, table: table.name, round_no: live.no, shoe_no: live.shoe.no,
    ...(live.piles.length > 1 ? { shoes: live.piles.map(({ no }) => no) } : {}),
    phase: end ? end.phase : live.opened ? 'open' : 'awaiting_reveals',
    reveal_by: end || live.opened ? null : live.revealBy,
    settle_by: end || !live.opened ? null : live.settleBy,
    contributors,
    entropy: live.opened ? hex(live.entropy) : null,
    pick: live.pick,
    decisions: decisionsOf(house, table, live, game),
    ...(live.pile ? { pile: pileView(live.pile) } : {}),
    void: end ? end.void : null,
    staked: sum(contributors.map(({ staked }) => staked)),
    returned: sum(contributors.map(({ returned }) => returned)),
    game: { kind: rules.name, ...rules.view(game) },
  };
}

const blindsText = ({ small, big, third }) => [small, big, ...(third === undefined ? [] : [third])].join('/');

/** A cash table's own state, apart from its seats' players. */
function cashOf(house, table) {
  const { window, carried } = table;
  return {
    call: window && {
      awaited: byName(window.expected),
      closes_at: window.closesAt,
      round_no: window.no,
      shoe_no: table.shoe.no,
    },
    committed: byName((window ? window.bets : carried).keys()),
    level: blindsText(table.rules.game.poker.blinds),
    positions: table.positions,
    seats: house.cashSeats(table).map(seat => ({
      away: seat.away, bank_ms: seat.bank, entry: seat.entry, hands: seat.hands, leaving: seat.leaving,
      owes: { ...seat.owes },
      player: seat.player, seat: seat.seat, sitting_out: seat.out, stack: seat.stack, straddle: seat.straddle,
      top_up: seat.topUp,
    })),
  };
}

/** Seats, window and shoe of a table of this house, with the fields that `TableView` has for them. */
function tableOf(house, table) {
  const { shoe, window, live } = table, cash = isCash(table), wheel = gameOf(table.rules).wheel;
  const mayBet = player => wheel || !shoe || shoe.bettors === null || shoe.bettors.has(player);
  const seats = cash
    ? house.cashSeats(table).map(({ seat, player }) => ({
        seat, player, misses: 0, asks: false, waits_for_shoe: false,
      }))
    : [...table.seats]
        .sort(([a], [b]) => a - b)
        .map(([seat, player]) => ({
          seat, player,
          misses: table.misses.get(player) || 0,
          asks: table.asked.has(player),
          waits_for_shoe: !mayBet(player),
        }));
  return {
    table: table.name,
    next_round: table.nextRound,
    round: live ? `${table.name}:${live.no}` : null,
    shoe: shoe && {
      shoe_no: shoe.no,
      composition: shoe.composition.text,
      candidates: shoe.candidates,
      undrawn: live && live.shoe === shoe && live.order ? live.order.length : shoe.undrawn.size,
      entry: shoe.entry,
      seq: shoe.seq,
    },
    seats,
    window: window && !cash
      ? {
          round_no: window.no,
          shoe_no: shoe.no,
          closes_at: window.closesAt,
          bets: byName(window.bets.keys()).map(player => window.bets.get(player)),
          expected: byName(window.expected),
        }
      : null,
    cash: cash ? cashOf(house, table) : null,
    waiting: byName([...table.wishes].filter(([, since]) => house.time < since + WISH_MS).map(([player]) => player)),
    last_hand: !cash && (table.shuffleAsked || (!!shoe && shoe.lastHand)),
  };
}
