// Safe: spec/games/safe.md. The rows of "What comes next" are the rows here, under their numbers; "FD" means face-down,
// as there.

const safe = (() => {
  const OPTIONS = {
    pass: (value) => value === 'after_operation' || value === 'never',
    hit_change: (value) => value === 'seen' || value === 'declared',
    last_round: (value) => Number.isSafeInteger(value) && value >= 1 && value <= 255,
  };

  const TABLE = [
    ['the table is shared, with 2 to 6 seats', (t) => t.mode === 'shared' && t.seats >= 2 && t.seats <= 6],
    ['a pile is dealt sequentially', (t) => t.dealing === 'sequential'],
    ['everyone pays the same entry', (t) => t.stake_min === t.stake_max],
    ['everyone pays one entry', (t) => t.bets_per_player === 1],
    ['every game has a pack of its own', (t) => t.reshuffle === 'every_round'],
  ];

  function refuseRules(rules) {
    const outside = Object.keys(OPTIONS).find((name) => !OPTIONS[name](rules.game.safe[name]));
    if (outside) return outside + ' is outside its bounds';
    const against = TABLE.find(([, holds]) => !holds(rules.table));
    return against ? against[0] : null;
  }

  // --- The state -------------------------------------------------------------------------------
  // A hand is { place, round, pile, cards: [{ slot, card }] }; `hand` is a player's of this round, `down` their FD
  // hands. All FD hands lie in the order of `order`. `pile` and `left` are about the pile in use; `stage` is the state
  // of the next one: null, 'empty', 'collected', 'shuffled'.

  function start(rules, contributors) {
    const players = contributors.map(({ player, bets }) => ({
      seat: Number(bets[0].spot),
      player,
      entry: bets[0].stake,
      alive: true,
      out: null,          // why they are out
      finished: false,
      wasFinished: false, // of who is out: as they were
      changed: false,
      hand: null,
      down: [],
    }));
    players.sort((a, b) => a.seat - b.seat);
    return {
      options: rules.game.safe,
      players,
      round: 1,
      dealt: 0,
      order: [],
      discard: [],
      shown: null,
      drawing: null,      // where an operation's missing card goes: 'hand', 'down', 'shown', 'discard'
      handled: null,      // the FD hand that is being opened or given up: { place, why: 'rule', 'owner', 'chosen' }
      busted: null,       // the player whose opened hand is bust
      twentyOne: null,    // a hand that became 21 and was not asked about yet
      turn: null,         // { seat, operation: null, 'change' or another, down: whether they went face-down in it }
      lastTurn: 0,
      asked: null,        // the open decision
      decisions: 0,
      fired: false,       // R002.15
      lastPlayer: false,  // whether row 11 was used
      outs: [],
      absent: null,
      pile: 0,
      left: 52,
      stage: null,
      collected: [],
      winner: null,
      wonBy: null,
      paid: false,
    };
  }

  const faces = (cards) => cards.filter(({ card }) => card).map(({ card }) => card);
  const total = (hand) => handTotal(faces(hand.cards));
  const isSafe = (hand) => total(hand) >= 17 && total(hand) <= 21;
  const hidden = (hand) => hand.cards.find(({ card }) => !card);
  const alive = (g) => g.players.filter((p) => p.alive);
  const holders = (g) => alive(g).filter(({ down }) => down.length > 0);
  const isAnyFree = (g) => alive(g).some(({ down }) => down.length === 0);
  const named = (g, player) => g.players.find((p) => p.player === player);
  const seated = (g, seat) => g.players.find((p) => p.seat === seat);
  const ownerOf = (g, place) => seated(g, Number(place.split('/')[0]));
  const downAt = (g, place) => ownerOf(g, place).down.find((hand) => hand.place === place);
  const handPlace = (g, p) => p.seat + '/' + g.round;

  /** FD hands of one player, or of all, oldest first. */
  const byAge = (g, hands) => [...hands].sort((a, b) => g.order.indexOf(a.place) - g.order.indexOf(b.place));
  const oldest = (g) => byAge(g, g.players.flatMap(({ down }) => down))[0];

  // --- What comes next -------------------------------------------------------------------------

  const event = (name, fields) => ({ safe: { [name]: fields } });

  function turnUp(g, hand) {
    const { slot } = hidden(hand);
    return { turned: hand.pile === g.pile ? { slot } : { pile: hand.pile, slot } };
  }

  const open = (g, why) => {
    const hand = oldest(g);
    return event('opening', { player: ownerOf(g, hand.place).player, place: hand.place, why });
  };
  const discarded = (p, hand, why) =>
    event('discarded', { player: p.player, place: hand.place, cards: faces(hand.cards), why });
  const out = (p, cause) => event('out', { player: p.player, cause, holder: p.down.length > 0 });
  const won = (p, by) => event('won', { player: p.player, by });
  const ask = (p, place, actions) => ({
    offered: { player: p.player, place, options: actions.map(action => ({ action, cost: 0 })) },
  });

  /** Row 27. */
  function roundOver(g) {
    const p = alive(g).find(({ hand }) => hand);
    if (p) return discarded(p, p.hand, 'advanced');
    if (g.round < g.options.last_round) return advance(g);
    return oldest(g) ? open(g, 'last_round') : won(alive(g)[0], 'last_round');
  }

  const advance = (g) => event('advanced', { round: g.round + 1, players: alive(g).map(({ player }) => player) });

  /** Row 7: for the first player who is out and still has cards on the table. */
  function clearOut(g) {
    const p = g.players.find((each) => !each.alive && (each.hand || each.down.length > 0));
    if (!p) return null;
    if (p.hand) return discarded(p, p.hand, 'out');
    const [hand] = byAge(g, p.down);
    return hidden(hand) ? turnUp(g, hand) : discarded(p, hand, 'out');
  }

  /** The player whose turn goes on or comes next, or undefined. */
  function toAct(g) {
    if (g.turn) return seated(g, g.turn.seat);
    const waiting = alive(g).filter(({ finished }) => !finished);
    return waiting.find(({ seat }) => seat > g.lastTurn) || waiting[0];
  }

  function deal(g) {
    const living = alive(g);
    if (g.dealt >= 2 * living.length) return null;
    return { dealt: { lane: 0, to: handPlace(g, living[g.dealt % living.length]), hidden: false } };
  }

  function draw(g) {
    if (!g.drawing) return null;
    const to = g.drawing === 'hand' || g.drawing === 'down' ? g.turn.seat + '/' + g.round : g.drawing;
    return { dealt: { lane: 0, to, hidden: g.drawing === 'down' } };
  }

  function payPot(g) {
    const pot = g.players.reduce((sum, { entry }) => sum + entry, 0);
    return { paid: { lines: g.players.map(({ seat, player, entry }) => {
      const wins = player === g.winner;
      return {
        player,
        place: seat + '/1',
        wager: 'entry',
        outcome: wins ? 'win' : 'loss',
        stake: entry,
        returned: wins ? pot : 0,
      };
    }) } };
  }

  const ROWS = [
    /* 1 */ g => (g.paid ? { done: true } : g.asked && { wait: 'decision' }),
    /* 2 */ g => g.winner && payPot(g),
    /* 3 */ g => g.handled && hidden(downAt(g, g.handled.place)) && turnUp(g, downAt(g, g.handled.place)),
    /* 4 */ g =>
      g.handled &&
      g.handled.why === 'chosen' &&
      discarded(ownerOf(g, g.handled.place), downAt(g, g.handled.place), 'chosen'),
    /* 5 */ g => g.handled && total(downAt(g, g.handled.place)) > 21 && out(ownerOf(g, g.handled.place), 'face_down'),
    /* 6 */ g => g.handled && discarded(ownerOf(g, g.handled.place), downAt(g, g.handled.place), 'opened'),
    /* 7 */ clearOut,
    /* 8 */ g => g.twentyOne && ask(ownerOf(g, g.twentyOne), g.twentyOne, ['discard', 'pass']),
    /* 9 */ g => {
      const p = alive(g).find(({ hand }) => hand && total(hand) > 21);
      return p && out(p, 'bust');
    },
    /* 10 */ g => g.absent && out(named(g, g.absent), 'absent'),
    /* 11 */ g => alive(g).length === 1 && holders(g).length === 1 && open(g, 'last_player'),
    /* 12 */ g => alive(g).length === 1 && won(alive(g)[0], g.lastPlayer ? 'survived' : 'last_alive'),
    /* 13 */ g => {
      if (alive(g).length > 0) return null;
      const free = g.outs.filter(({ holder }) => !holder);
      const last = (free.length > 0 ? free : g.outs).slice(-1)[0];
      return won(named(g, last.player), free.length > 0 ? 'last_free_player' : 'last_opened');
    },
    /* 14 */ g => g.fired && !isAnyFree(g) && open(g, 'no_free_player'),
    /* 15 */ g => g.stage === 'empty' && g.round >= g.options.last_round && roundOver(g),
    /* 16 */ g => g.stage === 'empty' && g.discard.length <= 2 * alive(g).length && open(g, 'pile_short'),
    /* 17 */ g =>
      g.stage === 'empty' &&
      event('collected', { pile: g.pile + 1, cards: [...g.discard].sort((a, b) => codeOf(a) - codeOf(b)) }),
    /* 18 */ g =>
      g.stage === 'collected' && {
        wait: 'pile',
        cards: g.collected,
        players: alive(g)
          .map(({ player }) => player)
          .sort(compareText),
      },
    /* 19 */ g => g.stage === 'shuffled' && advance(g),
    /* 20 */ g => g.shown && ask(seated(g, g.turn.seat), g.turn.seat + '/' + g.round, ['accept', 'reject']),
    /* 21 */ draw,
    /* 22 */ g => g.left === 0 && event('pile_empty', { pile: g.pile }),
    /* 23 */ deal,
    /* 24 */ g => g.fired && roundOver(g),
    /* 25 */ g => {
      const p = toAct(g);
      return p && ask(p, handPlace(g, p), possible(g, p));
    },
    /* 26 */ g => !isAnyFree(g) && open(g, 'no_free_player'),
    /* 27 */ roundOver,
  ];

  /** The last row always has something. */
  function next(g) {
    let step = null;
    ROWS.find(row => { step = row(g); return step; });
    return step;
  }

  // --- Choices ---------------------------------------------------------------------------------

  /** The options of a turn, in the order of the page. */
  function possible(g, p) {
    const turn = g.turn || { operation: null, down: false };
    const holder = p.down.length > 0;
    if (turn.down) return ['open', 'pass'];
    const right = !p.changed;
    const { pass, hit_change: hitChange } = g.options;
    return [
      ['hit', true],
      ['stand', isSafe(p.hand)],
      ['change', right],
      ['face_down', true],
      ['reject', right && hitChange === 'declared'],
      ['open', holder && turn.operation === null],
      ['pass', pass === 'after_operation' && !isSafe(p.hand) && turn.operation !== null && turn.operation !== 'change'],
    ].filter(([, offered]) => offered).map(([action]) => action);
  }

  const nameOf = (action) => typeof action === 'string' ? action : Object.keys(action)[0];

  function act(g, player, decision, action) {
    if (!g.asked || g.asked.decision !== decision) refuse('decision_not_open', 'decision ' + decision + ' is not open');
    if (g.asked.player !== player)
      refuse('not_your_decision', 'decision ' + decision + ' belongs to ' + g.asked.player);
    const name = nameOf(action);
    const p = named(g, player);
    const { card, hand } = action[name] || {};
    const known =
      (name !== 'change' || p.hand?.cards.some(each => each.card === card)) &&
      (hand === undefined || p.down.some(({ place }) => place === hand));
    if (!g.asked.options.includes(name) || !known) refuse('action_not_offered', name + ' is not possible here');
    return { player, action, cost: 0 };
  }

  function defaultAction(g) {
    const { options } = g.asked;
    if (options.includes('accept')) return 'accept';
    const isTurn = options.includes('hit');
    return !isTurn ? 'pass' : options.includes('stand') ? 'stand' : options.includes('pass') ? 'pass' : 'hit';
  }

  function operation(g, kind, drawing) {
    g.turn.operation = kind;
    g.drawing = drawing;
  }

  const endTurn = (g) => { g.turn = null; };

  /** The effect of a judged action; `p` is its player. */
  const EFFECTS = {
    hit: (g, p) => operation(g, 'hit', g.options.hit_change === 'seen' && !p.changed ? 'shown' : 'hand'),
    stand: (g, p) => { p.finished = true; endTurn(g); },
    change: (g, p, { card }) => {
      p.hand.cards = p.hand.cards.filter((each) => each.card !== card);
      g.discard.push(card);
      p.changed = true;
      operation(g, 'change', 'hand');
    },
    face_down: (g, p) => { p.finished = true; operation(g, 'face_down', 'down'); },
    accept: (g, p) => {
      const card = g.shown;
      g.shown = null;
      toHand(g, p, card);
    },
    reject: (g, p) => {
      p.changed = true;
      if (!g.shown) return operation(g, 'change', 'discard');
      g.discard.push(g.shown.card);
      g.shown = null;
      return operation(g, 'change', g.left > 0 ? 'hand' : null);
    },
    open: (g, p, { hand = byAge(g, p.down)[0].place }) => { g.handled = { place: hand, why: 'owner' }; },
    discard: (g, p, { hand = byAge(g, p.down)[0].place }) => { g.handled = { place: hand, why: 'chosen' }; },
    pass: (g, p, fields, asked) => { if (!asked.options.includes('discard')) endTurn(g); },
  };

  // --- Events ----------------------------------------------------------------------------------

  /** A face-up card joins this round's hand. */
  function toHand(g, p, card) {
    if (!p.hand) p.hand = { place: handPlace(g, p), round: g.round, pile: g.pile, cards: [] };
    p.hand.cards.push(card);
    if (total(p.hand) === 21) becameSafe(g, p, p.hand);
  }

  /**
   * A hand is 21, or was opened in its own round and is safe: it is finished, and at 21 its owner may be asked
   * (R002.18).
   */
  function becameSafe(g, p, hand) {
    p.finished = true;
    if (total(hand) === 21 && p.down.length > 0) g.twentyOne = hand.place;
    settleTurn(g);
  }

  /** A turn goes on while its hand does, or, after a Face-down, while its player holds FD hands. */
  function settleTurn(g) {
    if (!g.turn) return;
    const p = seated(g, g.turn.seat);
    if (g.turn.down ? p.down.length === 0 : p.finished) endTurn(g);
  }

  function removeDown(g, hand) {
    const p = ownerOf(g, hand.place);
    p.down = p.down.filter(({ place }) => place !== hand.place);
    g.order = g.order.filter((place) => place !== hand.place);
  }

  const APPLY_SAFE = {
    opening(g, { place, why }) {
      g.handled = { place, why: 'rule' };
      if (why === 'last_player') g.lastPlayer = true;
    },
    discarded(g, { place, cards, why }) {
      const p = ownerOf(g, place);
      const hand = downAt(g, place);
      g.discard.push(...cards);
      if (!hand) {
        p.hand = null;
        return;
      }
      removeDown(g, hand);
      if (why === 'out') return;
      g.handled = null;
      if (why === 'opened' && total(hand) === 21 && p.down.length > 0) g.twentyOne = place;
      settleTurn(g);
    },
    out(g, { player, cause, holder }) {
      const p = named(g, player);
      Object.assign(p, { alive: false, out: cause, wasFinished: p.finished, finished: true });
      g.outs.push({ player, holder });
      Object.assign(g, { handled: null, drawing: null, shown: null });
      if (g.turn && g.turn.seat === p.seat) endTurn(g);
      if (g.absent === player) Object.assign(g, { absent: null, stage: 'empty' });
      if (!holder && alive(g).length >= 2 && !isAnyFree(g)) {
        g.fired = true;
        endTurn(g);
      }
    },
    pile_empty(g) {
      for (const p of g.players.filter(({ hand }) => hand)) {
        g.discard.push(...faces(p.hand.cards));
        p.hand = null;
      }
      endTurn(g);
      g.stage = 'empty';
    },
    collected(g, { cards }) {
      Object.assign(g, { stage: 'collected', collected: cards });
    },
    advanced(g, { round }) {
      Object.assign(g, { round, dealt: 0, turn: null, lastTurn: 0, fired: false, stage: null });
      for (const p of g.players) Object.assign(p, { finished: !p.alive, wasFinished: false, changed: false });
    },
    won(g, { player, by }) {
      Object.assign(g, { winner: player, wonBy: by });
    },
  };

  const APPLY = {
    dealt(g, { slot, to, card = null }) {
      g.left -= 1;
      const { drawing } = g;
      if (!drawing) {
        g.dealt += 1;
        return toHand(g, ownerOf(g, to), { slot, card });
      }
      g.drawing = null;
      const p = seated(g, g.turn.seat);
      if (drawing === 'hand') return toHand(g, p, { slot, card });
      if (drawing === 'down') return goDown(g, p, slot);
      if (drawing === 'shown') g.shown = { slot, card };
      if (drawing === 'discard') {
        g.discard.push(card);
        g.drawing = g.left > 0 ? 'hand' : null;
      }
      return undefined;
    },
    turned(g, { slot, card, pile = g.pile }) {
      const hand = g.players
        .flatMap(({ down }) => down)
        .find(each => each.pile === pile && hidden(each) && hidden(each).slot === slot);
      hidden(hand).card = card;
      if (!g.handled || g.handled.why !== 'owner' || hand.round !== g.round || !isSafe(hand)) return;
      const p = ownerOf(g, hand.place);
      removeDown(g, hand);
      p.hand = hand;
      g.handled = null;
      becameSafe(g, p, hand);
    },
    offered(g, { player, place, options }) {
      g.asked = { decision: g.decisions, player, place, options: options.map(({ action }) => action) };
      g.decisions += 1;
      const { seat } = named(g, player);
      if (g.twentyOne) g.twentyOne = null;
      else if (!g.turn) Object.assign(g, { turn: { seat, operation: null, down: false }, lastTurn: seat });
    },
    acted(g, { player, action }) {
      const { asked } = g;
      g.asked = null;
      EFFECTS[nameOf(action)](g, named(g, player), action[nameOf(action)], asked);
    },
    paid(g) {
      g.paid = true;
    },
    shuffled(g, { pile }) {
      Object.assign(g, { pile, left: g.collected.length, discard: [], collected: [], stage: 'shuffled' });
    },
    absent(g, { player }) {
      g.absent = player;
    },
    safe(g, fields) {
      const [[name, values]] = Object.entries(fields);
      APPLY_SAFE[name](g, values);
    },
  };

  function goDown(g, p, slot) {
    const { hand } = p;
    hand.cards.push({ slot, card: null });
    p.hand = null;
    p.down.push(hand);
    g.order.push(hand.place);
    g.turn.down = true;
  }

  function apply(g, played) {
    const [[name, fields]] = Object.entries(played);
    APPLY[name](g, fields);
  }

  const isCardDealt = (g) => g.dealt > 0 || g.round > 1;

  /** Its table: `GameView`. */
  function view(g) {
    const cardOfPile = (pile, { slot, card }) => ({ pile, slot, card: card || null });
    const hand = ({ place, pile, cards }) => ({
      place,
      cards: cards.map(card => cardOfPile(pile, card)),
      ...pointsOf(cards),
    });
    const player = p => ({
      seat: p.seat,
      player: p.player,
      alive: p.alive,
      out: p.out,
      hand: p.hand && hand(p.hand),
      finished: p.alive ? p.finished : p.wasFinished,
      change_used: p.changed,
      face_down: p.down.map(hand),
    });
    return {
      round: g.round,
      pile: g.pile,
      pile_left: g.left,
      shuffling: g.stage === 'empty' || g.stage === 'collected',
      turn: g.asked ? Number(g.asked.place.split('/')[0]) : null,
      players: g.players.map(player),
      face_down_order: g.order.slice(),
      shown: g.shown && cardOfPile(g.pile, g.shown),
      discard: g.discard.slice(),
      winner: g.winner && { player: g.winner, by: g.wonBy },
    };
  }

  const told = {
    table({ winner }, say, over, called) {
      if (!winner) return [];
      if (!winner.player) return [say('safe_nobody')];
      return [say('safe_won', { who: called(winner.player), by: say(`by_${winner.by}`) })];
    },
    player({ players }, player, who, say) {
      const { out } = players.find(one => one.player === player) || {};
      return out ? [say(`out_${out}`, { who })] : [];
    },
  };

  /** Its cards, hand by hand (told.js). */
  const hands = ({ players, shown }, { say, called, me, sum21 }) => [
    ...players.flatMap(({ player, hand: open, face_down: down, out }) => {
      const one = (cards, worth) => ({ name: called(player), worth, cards, mine: player === me });
      const rows = [...(open && open.cards.length ? [one(open.cards, sum21(open))] : []),
        ...down.map(({ cards }) => one(cards, say('face_down')))];
      return rows.length || !out ? rows : [one([], say('out'))];
    }),
    ...(shown ? [{ name: say('shown'), worth: '', cards: [shown] }] : []),
  ];

  return {
    name: 'safe',
    fields: Object.keys(OPTIONS),
    form: fieldsOf({ ...OPTIONS, last_round: isByte }),
    refuseRules,
    composition: () => '52x1',
    spotIsSeat: true,
    refuseSpot: (rules, { spot }) => /^[1-9]$/.test(spot) && Number(spot) <= rules.table.seats ? null : 'unknown_spot',
    leastPlayers: 2,
    lanes: () => 1,
    start,
    next,
    apply,
    act,
    openDecisions: (g) => g.asked ? [{ decision: g.asked.decision, player: g.asked.player, place: g.asked.place }] : [],
    defaultAction,
    options: (g) => g.asked.options.map(action => ({ action, cost: 0 })),
    ahead: (g) => isCardDealt(g) ? 'level' : 'nobody',
    settled: (g) => g.paid,
    view, told, hands,
  };
})();
