// Poker, one hand: spec/games/poker.md, and the course of spec/games/poker-table.md. cash.js has the parts around a
// hand.

// --- Ranking ------------------------------------------------------------------------------------

const pokerRanks = (() => {
  const high = card => { const rank = 'A23456789TJQK'.indexOf(card[0]) + 1; return rank === 1 ? 14 : rank; };
  /** Every choice of `n` of a list, in its order. */
  const choose = (list, n) =>
    n === 0 ? [[]] : list.flatMap((item, i) => choose(list.slice(i + 1), n - 1).map(rest => [item, ...rest]));
  const asNumber = digits => digits.reduce((number, digit) => number * 16 + digit, 0);
  // Categories from the high card up; in short deck a flush beats a full house.
  const ORDER = [
    'high card', 'pair', 'two pair', 'three of a kind', 'straight', 'flush', 'full house', 'four of a kind',
    'straight flush',
  ];
  const SHORT = [
    'high card', 'pair', 'two pair', 'three of a kind', 'straight', 'full house', 'flush', 'four of a kind',
    'straight flush',
  ];

  /**
   * The highest rank of a straight of five descending ranks, or 0. An ace may be low; in short deck it ranks under the
   * six.
   */
  function straightTo(ranks, short) {
    if (new Set(ranks).size < 5) return 0;
    if (ranks[0] - ranks[4] === 4) return ranks[0];
    const low = short ? [14, 9, 8, 7, 6] : [14, 5, 4, 3, 2];
    return ranks.every((rank, i) => rank === low[i]) ? low[1] : 0;
  }

  /** The category of five cards: `{name, worth}`; more is better. */
  function five(cards, short) {
    const ranks = cards.map(high).sort((a, b) => b - a), count = rank => ranks.filter(other => other === rank).length;
    const grouped = ranks.slice().sort((a, b) => count(b) - count(a) || b - a),
      shape = [...new Set(grouped)].map(count).join('');
    const flush = cards.every(card => card[1] === cards[0][1]), straight = straightTo(ranks, short);
    const name = flush && straight ? 'straight flush' : flush ? 'flush' : straight ? 'straight'
            : {
                41: 'four of a kind', 32: 'full house', 311: 'three of a kind', 221: 'two pair', 2111: 'pair',
                11111: 'high card',
              }[shape];
    return {
      name,
      worth: asNumber([(short ? SHORT : ORDER).indexOf(name), ...(straight ? [straight, 0, 0, 0, 0] : grouped)]),
    };
  }

  /** The possible hands of five: any of all cards, in Omaha two of the hole cards with three of the board. */
  const hands = (family, hole, board) =>
    family === 'omaha'
      ? choose(hole, 2).flatMap(two => choose(board, 3).map(three => [...two, ...three]))
      : choose([...hole, ...board], 5);

  /** The best hand: `{name, worth}`. Fewer than five cards make none. */
  const best = (family, hole, board) =>
    hands(family, hole, board)
      .map(cards => five(cards, family === 'short_deck'))
      .reduce((a, b) => (b.worth > a.worth ? b : a), { name: 'no hand', worth: -1 });

  /** The best low of eight or better, as a number; less is better; Infinity if there is none. */
  function low(family, hole, board) {
    const ranked = hands(family, hole, board).map(cards =>
      cards.map(card => 'A23456789TJQK'.indexOf(card[0]) + 1).sort((a, b) => b - a),
    );
    return Math.min(...ranked.filter(ranks => ranks[0] <= 8 && new Set(ranks).size === 5).map(asNumber), Infinity);
  }
  return { best, low, five };
})();

// --- Pots ---------------------------------------------------------------------------------------

/** The winners' amounts: for a list of `seats` (from the left of the button), odd units by the option. */
function potShares(amount, seats, oddChips) {
  const each = Math.floor(amount / seats.length), odd = amount - each * seats.length;
  return seats.map((seat, i) => each + (oddChips === 'one_each' ? (i < odd ? 1 : 0) : i === 0 ? odd : 0));
}

const pokerPots = (() => {
  const alive = seat => !seat.folded;

  /**
   * Pots `{amount, seats}` from the main pot up, and uncalled chips. Of a seat's chips `layered` makes layers, `flat`
   * does not.
   */
  function layers(seats) {
    const paid = new Map(seats.map(seat => [seat, seat.layered])), sorted = [...paid.values()].sort((a, b) => b - a);
    const uncalled = seats
      .filter(seat => seat.layered === sorted[0] && sorted[0] > sorted[1])
      .map(seat => ({ seat: seat.seat, amount: sorted[0] - sorted[1] }))[0];
    if (uncalled) paid.set(seats.find(seat => seat.seat === uncalled.seat), sorted[1]);
    // Chips without layers lie at the bottom, and every hand contests them.
    const pots = [{ amount: sum(seats.map(seat => seat.flat)), seats: seats.filter(alive) }];
    let below = 0;
    for (const height of [...new Set(paid.values())].filter(amount => amount > 0).sort((a, b) => a - b)) {
      const amount = sum([...paid.values()].map(put => Math.max(0, Math.min(put, height) - below)));
      const contest = seats.filter(seat => alive(seat) && paid.get(seat) >= height), top = pots[pots.length - 1];
      if (!contest.length || contest.length === top.seats.length) top.amount += amount;
      else if (!top.amount) pots[pots.length - 1] = { amount, seats: contest };
      else pots.push({ amount, seats: contest });
      below = height;
    }
    return { pots: pots.filter(pot => pot.amount > 0), uncalled };
  }

  /** The settlement of a hand: `{pots, uncalled?, seats}`, spec/games/poker-table.md, "Settled". */
  function settle(options, seats, board) {
    const { pots, uncalled } = layers(seats), rake = options.rake, got = new Map(seats.map(({ seat }) => [seat, 0]));
    let left = rake && !(rake.no_flop_no_drop && !board.length) ? rake.cap : 0;
    const lines = pots.map(({ amount, seats: contest }) => {
      const taken = rake ? Math.min(left, Number((BigInt(amount) * BigInt(rake.basis_points)) / 10000n)) : 0,
        rest = amount - taken,
        won = [];
      left -= taken;
      const give = (winners, share, low) => potShares(share, winners, options.odd_chips).forEach((part, i) => {
        if (!part) return;
        won.push({ seat: winners[i].seat, amount: part, ...(low ? { low: true } : {}) });
        got.set(winners[i].seat, got.get(winners[i].seat) + part);
      });
      if (contest.length === 1) give(contest, rest, false);
      else {
        const faces = seat => seat.cards.map(({ card }) => card);
        const highs = contest.map(seat => pokerRanks.best(options.family, faces(seat), board).worth),
          lows = options.hi_lo ? contest.map(seat => pokerRanks.low(options.family, faces(seat), board)) : [Infinity];
        const best = Math.max(...highs),
          lowest = Math.min(...lows),
          half = lowest < Infinity ? Math.floor(rest / 2) : 0;
        give(contest.filter((_, i) => highs[i] === best), rest - half, false);
        if (lowest < Infinity) give(contest.filter((_, i) => lows[i] === lowest), half, true);
      }
      return { amount, rake: taken, seats: contest.map(({ seat }) => seat), won };
    });
    if (uncalled) got.set(uncalled.seat, got.get(uncalled.seat) + uncalled.amount);
    return {
      pots: lines, ...(uncalled ? { uncalled } : {}),
      seats: seats.map(seat => ({
        seat: seat.seat,
        player: seat.player,
        put_in: seat.put,
        got: got.get(seat.seat),
        stack: seat.stack + got.get(seat.seat),
      })),
    };
  }
  return { layers, settle };
})();

// --- The game -----------------------------------------------------------------------------------

const poker = (() => {
  const HOLE = { holdem: 2, omaha: 4, short_deck: 2 };
  const BOARD = [0, 3, 4, 5];
  /** The options, within their bounds; or, `loose`, what an entry can hold of them at all. */
  const optionsOf = loose => {
    const within = (low, high, holds) => (loose ? holds : whole(low, high));
    const clock = within(0, 3600000, isCount), most = within(1, 255, isByte), share = within(0, 10000, isSmall);
    const blind = within(1, 1e12, isAmount);
    const isHand = fieldsOf({
      family: oneOf('holdem', 'omaha', 'short_deck'), hi_lo: isBool,
      betting: value =>
        fieldsOf({ no_limit: fieldsOf({ min_bet: isAmount }) })(value) ||
        fieldsOf({ pot_limit: fieldsOf({ min_bet: isAmount }) })(value) ||
        fieldsOf({
          fixed_limit: fieldsOf({ small_bet: isAmount, big_bet: isAmount, cap: cap => cap === null || most(cap) }),
        })(value),
      full_blind: isBool,
      ante_layers: isBool,
      reopening: oneOf('full', 'any'),
      odd_chips: oneOf('one_each', 'all_to_first'),
      'rake?': fieldsOf({ basis_points: share, cap: isAmount, no_flop_no_drop: isBool }),
    });
    return fieldsOf({
      hand: isHand,
      rake_by_players: listOf(
        fieldsOf({ players: within(2, 255, isByte), basis_points: share, cap: isAmount }), 0, loose ? Infinity : 10,
      ),
      blinds: fieldsOf({
        small: blind, big: blind, 'third?': blind, ante: isAmount, straddle: isBool, entry_post: oneOf('small', 'big'),
      }),
      clocks: fieldsOf({ street_extra_ms: listOf(clock, 4, 4), bank_ms: clock, bank_refill_ms: clock }),
      cash_timeout: oneOf('fold', 'check_if_free'),
      most_seats: fieldsOf({ desktop: most, mobile: most, browser: most }),
      leave_table: fieldsOf({ exempt: isBool, removal_counts: isBool, sit_out_hands: within(1, 65535, isSmall) }),
    });
  };
  const isOptions = optionsOf(false);
  const composition = ({
    game: {
      poker: { hand },
    },
  }) =>
    hand.family === 'short_deck'
      ? `cards:${Array.from({ length: 52 }, (_, code) => cardOf(code))
          .filter(card => !'2345'.includes(card[0]))
          .join('')}`
      : '52x1';

  function refuseRules(rules) {
    const options = rules.game.poker, { table } = rules;
    if (!isOptions(options)) return 'a field of poker is unknown, missing, malformed or out of order';
    const { hand, blinds } = options,
      [[kind, sizes]] = Object.entries(hand.betting),
      largest = blinds.third === undefined ? blinds.big : blinds.third;
    if (table.mode !== 'shared' || table.seats > 10) return 'a cash table is shared and has 2 to 10 seats';
    if (table.dealing !== 'sequential' || table.reshuffle !== 'every_round')
      return 'a hand has one lane and a shoe of its own';
    if (table.bets_per_player !== 1 || table.chips.length || !table.close_early) return 'a cash table has no bets';
    if (table.house_shuffle) return 'every hand has a deck of its own';
    if (table.seats * HOLE[hand.family] + 8 > readComposition(composition(rules)).slots)
      return 'the deck does not suffice for so many seats';
    if (blinds.small > blinds.big || blinds.big > largest || blinds.ante > blinds.big)
      return 'the blinds are out of order';
    const least = kind === 'fixed_limit' ? sizes.small_bet : sizes.min_bet;
    if (least < largest || least > 1e12 || (kind === 'fixed_limit' && sizes.big_bet < least))
      return 'the sizes of bets are out of order';
    if (table.stake_min < largest) return 'the least buy-in is below the largest blind';
    if (
      options.rake_by_players.some(({ players }, i, steps) => i && steps[i - 1].players >= players) ||
      (options.rake_by_players.length && !hand.rake)
    )
      return 'the steps of the rake are out of order';
    if (hand.family === 'short_deck' && hand.hi_lo) return 'short deck has no low hand';
    return null;
  }

  // --- The state ----------------------------------------------------------------------------------

  /** A hand with its posts made. `hand` is that of hand_begun. */
  function start(rules, contributors, hand) {
    const given = rules.game.poker, step = given.rake_by_players.find(({ players }) => hand.seats.length <= players);
    const options = step
        ? {
            ...given,
            hand: { ...given.hand, rake: { ...given.hand.rake, basis_points: step.basis_points, cap: step.cap } },
          }
        : given,
      o = options.hand;
    const seats = hand.seats.map(({ due, player, stack, bank_ms }) => {
      const seat = {
        seat: due.seat, player, start: stack, stack, bank: bank_ms, put: 0, layered: 0, flat: 0, live: 0, folded: false,
        chosenAt: null,
        cards: [],
        showing: false,
        asked: false,
      };
      const ante = take(seat, due.ante), dead = take(seat, due.dead), live = take(seat, due.live);
      seat.live = live;
      seat.layered = live + (o.ante_layers ? ante : 0);
      seat.flat = dead + (o.ante_layers ? 0 : ante);
      return seat;
    });
    const state = {
      options,
      seats,
      street: 0,
      positions: hand.positions,
      board: [],
      burnt: 0,
      slots: { board: [], burnt: [] },
      level: 0,
      full: betSize(o, 0),
      raises: 1, turn: 0, open: null, lastBet: null, showdown: null, settled: false, result: null,
    };
    const dues = hand.seats.map(({ due }) => due),
      opening = Math.max(...dues.map((due, i) => (due.opens ? (o.full_blind ? due.live : seats[i].live) : 0)));
    state.level = Math.max(...dues.map((due, i) => (o.full_blind ? due.live : seats[i].live)));
    dues.forEach((due, i) => {
      if (due.opens && (o.full_blind ? due.live : seats[i].live) === opening) state.turn = (i + 1) % seats.length;
    });
    return state;
  }

  function take(seat, amount) {
    const taken = Math.min(amount, seat.stack);
    seat.stack -= taken;
    seat.put += taken;
    return taken;
  }

  const betSize = ({ betting }, street) =>
    betting.fixed_limit ? betting.fixed_limit[street < 2 ? 'small_bet' : 'big_bet'] : Object.values(betting)[0].min_bet;
  const inHand = state => state.seats.filter(seat => !seat.folded);
  const canBet = state => inHand(state).filter(seat => seat.stack > 0);

  /** Whether a seat still has to choose on this street. */
  function toChoose(state, seat) {
    if (seat.folded || !seat.stack || seat.chosenAt === state.level) return false;
    const others = inHand(state).filter(other => other !== seat);
    return others.some(other => other.stack > 0) || others.some(other => other.live > seat.live);
  }

  /** The seat whose turn it is on this street, or null: the street is over. */
  function toAct(state) {
    if (inHand(state).length < 2) return null;
    for (let i = 0; i < state.seats.length; i++) {
      const seat = state.seats[(state.turn + i) % state.seats.length];
      if (toChoose(state, seat)) return seat;
    }
    return null;
  }

  /** The range of a seat's raise, `[least, most]` in live chips of the street, or null. */
  function raiseRange(state, seat) {
    const o = state.options.hand, { level } = state, all = seat.live + seat.stack, limit = o.betting.fixed_limit;
    const others = inHand(state).filter(other => other !== seat);
    const callable = Math.max(...others.map(other => other.live + other.stack));
    if (all <= level || callable <= level) return null;
    if (limit && limit.cap !== null && state.raises >= limit.cap) return null;
    if (seat.chosenAt !== null) {
      const risen = level - seat.chosenAt;
      const opened =
        o.reopening === 'any' ? risen > 0 : limit ? 2 * risen >= betSize(o, state.street) : risen >= state.full;
      if (!opened) return null;
    }
    const least = level + state.full, pot = sum(state.seats.map(({ put }) => put));
    const top = limit ? least : o.betting.pot_limit ? level + pot + Math.min(seat.stack, level - seat.live) : all;
    return [Math.min(least, all), Math.min(Math.max(top, least), Math.max(callable, least), all)];
  }

  function betOptions(state, seat) {
    const options = [{ action: 'fold', cost: 0 }], call = Math.min(seat.stack, Math.max(0, state.level - seat.live));
    options.push(call ? { action: 'call', cost: call } : { action: 'check', cost: 0 });
    const to = raiseRange(state, seat);
    if (to) options.push({ action: state.level ? 'raise' : 'bet', cost: to[1] - seat.live, to });
    return options;
  }

  // --- The course -----------------------------------------------------------------------------------

  const offer = (state, seat, options, extra, banked) => (state.open ? { wait: 'decision' }
    : {
        offered: {
          player: seat.player, place: `${seat.seat}/1`, options, extra, banked, bank: banked ? seat.bank : 0,
        },
      });

  function next(state) {
    const { seats, options } = state, hole = HOLE[options.hand.family];
    if (state.settled) return { done: true };
    const short = seats.reduce((least, seat) => (seat.cards.length < least.cards.length ? seat : least), seats[0]);
    if (short.cards.length < hole) return { dealt: { lane: 0, to: `${short.seat}/1`, hidden: true } };
    const remaining = inHand(state);
    if (remaining.length === 1) return { poker: { settled: pokerPots.settle(options.hand, seats, state.board) } };
    const hidden = seats.filter(seat => seat.showing).flatMap(seat => seat.cards).find(({ card }) => !card);
    if (hidden) return { turned: { slot: hidden.slot } };
    const acting = state.showdown ? null : toAct(state);
    if (acting)
      return offer(state, acting, betOptions(state, acting), options.clocks.street_extra_ms[state.street], true);
    const over = canBet(state).length < 2, river = state.street === 3;
    if ((over || river) && remaining.some(seat => !seat.stack) && remaining.some(seat => !seat.showing)) {
      remaining.forEach(seat => { seat.showing = true; });
      return next(state);
    }
    if (!river) {
      if (state.burnt <= state.street) return { dealt: { lane: 0, to: 'burn', hidden: true } };
      return { dealt: { lane: 0, to: 'board', hidden: false } };
    }
    if (!state.showdown) beginShowdown(state);
    const asked = state.showdown.find(seat => !seat.folded && !seat.showing);
    if (!asked || inHand(state).length === 1)
      return { poker: { settled: pokerPots.settle(options.hand, seats, state.board) } };
    if (asked === state.showdown[0]) { asked.showing = true; return next(state); }
    return offer(state, asked, [{ action: 'show', cost: 0 }, { action: 'muck', cost: 0 }], 0, false);
  }

  /** The order of showing: the last to bet or raise on the river, else the first seat; then clockwise. */
  function beginShowdown(state) {
    const at = Math.max(0, state.lastBet ? state.seats.indexOf(state.lastBet) : 0);
    state.showdown = [...state.seats.slice(at), ...state.seats.slice(0, at)].filter(seat => !seat.folded);
  }

  function nextStreet(state) {
    state.street++;
    Object.assign(state, {
      level: 0,
      full: betSize(state.options.hand, state.street),
      raises: 0,
      turn: 0,
      lastBet: null,
    });
    for (const seat of state.seats) Object.assign(seat, { live: 0, chosenAt: null });
  }

  function apply(state, { dealt, turned, offered, acted, poker: event }) {
    if (dealt && dealt.to === 'burn') {
      state.burnt++;
      state.slots.burnt.push(dealt.slot);
    } else if (dealt && dealt.to === 'board') {
      state.board.push(dealt.card);
      state.slots.board.push(dealt.slot);
      if (state.board.length === BOARD[state.street + 1]) nextStreet(state);
    } else if (dealt)
      state.seats.find(({ seat }) => `${seat}/1` === dealt.to).cards.push({ slot: dealt.slot, card: null });
    else if (turned)
      state.seats.flatMap(({ cards }) => cards).find(({ slot }) => slot === turned.slot).card = turned.card;
    else if (offered) state.open = { decision: offered.decision, player: offered.player, options: offered.options };
    else if (acted) choose(state, acted);
    else if (event) Object.assign(state, { settled: true, result: event });
  }

  const wordOf = action => (typeof action === 'string' ? action : Object.keys(action)[0]);
  const seatOf = (state, player) => state.seats.find(seat => seat.player === player);

  function choose(state, { player, action, cost }) {
    const seat = seatOf(state, player), word = wordOf(action);
    state.open = null;
    if (word === 'show') { seat.showing = true; return; }
    if (word === 'fold' || word === 'muck') {
      seat.folded = true;
      if (word === 'fold') state.turn = (state.seats.indexOf(seat) + 1) % state.seats.length;
      return;
    }
    const put = take(seat, cost);
    seat.live += put;
    seat.layered += put;
    if (word === 'bet' || word === 'raise') {
      const size = seat.live - state.level;
      state.raises++;
      if (size >= state.full && !state.options.hand.betting.fixed_limit) state.full = size;
      state.level = seat.live;
      state.lastBet = seat;
    }
    seat.chosenAt = state.level;
    state.turn = (state.seats.indexOf(seat) + 1) % state.seats.length;
  }

  /** An action that the rules allow at this decision, with its cost. */
  function act(state, player, decision, action) {
    const { open } = state, word = wordOf(action);
    if (open.player !== player) refuse('not_your_decision');
    const option = open.options.find(offered => offered.action === word);
    if (!option) refuse('action_not_offered');
    if (!option.to) return { player, action, cost: option.cost };
    const { to } = action[word];
    if (to < option.to[0] || to > option.to[1]) refuse('raise_out_of_range');
    return { player, action, cost: to - seatOf(state, player).live };
  }

  function defaultAction(state) {
    if (state.open.options.some(({ action }) => action === 'show')) return 'show';
    return state.options.cash_timeout === 'check_if_free' && state.open.options.some(({ action }) => action === 'check')
      ? 'check'
      : 'fold';
  }

  /** The part of round_voided about a hand: each seat's chips, and whose open hand was best. */
  function standing(state) {
    const open = inHand(state).filter(seat => seat.cards.length && seat.cards.every(({ card }) => card));
    const worths = open.map(
      seat =>
        pokerRanks.best(
          state.options.hand.family,
          seat.cards.map(({ card }) => card),
          state.board,
        ).worth,
    );
    const judged = open.length > 1 && state.board.length >= 3;
    return {
      put_in: state.seats.map(({ seat, put }) => ({ seat, amount: put })),
      leading: judged ? open.filter((_, i) => worths[i] === Math.max(...worths)).map(({ seat }) => seat) : [],
    };
  }

  /** Whether the remaining players turn up their cards now, or say that they will not. */
  const isShowdown = state => state.street === 3 && inHand(state).length > 1 && !toAct(state);
  const openDecisions = state =>
    state.open
      ? [
          {
            decision: state.open.decision,
            player: state.open.player,
            place: `${seatOf(state, state.open.player).seat}/1`,
          },
        ]
      : [];

  const STREETS = ['preflop', 'flop', 'turn', 'river'];

  /** Its table: `GameView`. */
  function view(state) {
    const seat = ({ seat: number, player, start, stack, live, put, folded, cards }) => ({
      seat: number, player, started_with: start, stack, bet: live, put_in: put, folded,
      all_in: !folded && stack === 0,
      hole: cardsOf(cards),
    });
    const [asked] = openDecisions(state);
    return {
      positions: state.positions,
      street: STREETS[state.street],
      pot: sum(state.seats.map(({ put }) => put)),
      level: state.level,
      board: state.board.map((card, i) => ({ slot: state.slots.board[i], card })),
      burnt: state.slots.burnt.slice(),
      turn: asked ? Number(asked.place.split('/')[0]) : null,
      showdown: isShowdown(state),
      seats: state.seats.map(seat),
      result: state.result,
    };
  }

  const told = {
    table({ result, seats, board }, say, over, called, hand) {
      if (!result) return [];
      const { pots, uncalled } = result.settled, bySeat = new Map(seats.map(one => [one.seat, one]));
      const nameOf = seat => called(bySeat.get(seat).player);
      const share = ({ seat, amount, low }) => {
        const best = bestShown(bySeat.get(seat), board, hand, say);
        const values = { amount: grouped(amount), who: nameOf(seat), hand: best };
        return say(low ? 'pot_low' : best ? 'pot_with' : 'pot_won', values);
      };
      const lines = pots.flatMap(({ amount, rake, won }, n) => [
        say(n ? 'pot_side' : 'pot_main', { n, amount: grouped(amount), won: won.map(share).join(say('and')) }),
        ...(rake ? [say('pot_rake', { rake: grouped(rake) })] : []),
      ]);
      if (uncalled) lines.push(say('uncalled', { amount: grouped(uncalled.amount), who: nameOf(uncalled.seat) }));
      return lines;
    },
    player({ seats, board, result }, player, who, say, hand, mucked) {
      const own = seats.find(one => one.player === player);
      if (!own) return [];
      if (own.folded) return [say(mucked.has(player) ? 'mucks' : 'folds', { who })];
      const faces = own.hole.map(({ card }) => card);
      if (!faces.length || faces.some(card => !card)) return result ? [say('not_shown', { who })] : [];
      const best = bestShown(own, board, hand, say), cards = faces.map(cardSign).join(' ');
      return [say(best ? 'shows_hand' : 'shows', { who, cards, hand: best })];
    },
  };

  /** Its cards, hand by hand (told.js). */
  const hands = ({ board, seats }, { say, called, me, hand, mucked }) => [
    ...(board.length ? [{ name: say('board'), worth: '', cards: board, wide: true }] : []),
    ...seats.map(one => ({
      name: `${called(one.player)}, ${say('seat', { n: one.seat })}`, cards: one.hole, mine: one.player === me,
      worth: one.folded ? say(mucked.has(one.player) ? 'mucked' : 'folded') : bestShown(one, board, hand, say) || '',
    })),
  ];

  return {
    name: 'poker', fields: ['hand', 'rake_by_players', 'blinds', 'clocks', 'cash_timeout', 'most_seats', 'leave_table'],
    form: optionsOf(true), spotIsSeat: false, leastPlayers: 2, cash: true, candidates: 2,
    refuseRules,
    composition,
    refuseSpot: () => 'unknown_spot',
    lanes: () => 1,
    start, next, apply, act, defaultAction, standing,
    options: state => state.open.options,
    ahead: state => (state.board.length ? 'level' : 'nobody'),
    isShowdown, openDecisions,
    settled: state => state.settled,
    view, told, hands,
  };
})();
