// Blackjack, in all its forms: spec/games/blackjack.md. The rows of "What comes next" are the rows here, under their
// numbers.

const blackjack = (() => {
  const flag = (value) => typeof value === 'boolean';
  const word = (...words) => (value) => words.includes(value);
  const whole = (least, most) => (value) => Number.isSafeInteger(value) && value >= least && value <= most;

  /** The options in the order of the page, each with its bounds. */
  const OPTIONS = {
    decks: whole(1, 8),
    boxes: whole(1, 7),
    deal_order: word('interleaved', 'pp_dd'),
    up_card: word('dealt_up', 'turned_after_deal'),
    peek: word('none', 'ace', 'ten_ace'),
    blackjack_pays: pays =>
      Array.isArray(pays) && pays.length === 2 && whole(1, 100)(pays[1]) && whole(1.5 * pays[1], 10 * pays[1])(pays[0]),
    blackjack_rounding: word('up', 'down'),
    hit_blackjack: flag,
    auto_stand_21: flag,
    card_limit: limit => limit === 0 || whole(3, 21)(limit),
    double_amount: word('exact', 'up_to'),
    double_after_split: flag,
    double_any_cards: flag,
    split_by_value: flag,
    max_hands: hands => hands === 'unlimited' || whole(2, 128)(hands),
    second_cards: word('when_played', 'at_once'),
    split_aces: word('free', 'one_card'),
    split_cancels_dealer_blackjack: flag,
    surrender: word('none', 'early', 'late'),
    surrender_any_time: flag,
    insurance: word('none', 'stake_back', 'half'),
    insurance_odds: word('none', '2:1', '3:1'),
    insure_blackjack: flag,
    even_money_upcards: word('none', 'ten', 'ace'),
    draw_against_blackjack: flag,
    dealer_always_draws: flag,
    settle_at_once: flag,
    pay_blackjack_at_once: flag,
    settlement_order: word('left_to_right', 'right_to_left'),
  };

  /** What an entry can hold of them at all. */
  const form = fieldsOf({
    ...OPTIONS,
    decks: isByte, boxes: isByte, card_limit: isByte,
    blackjack_pays: listOf(isLong, 2, 2),
    max_hands: hands => hands === 'unlimited' || isLong(hands),
  });

  /** Each contradiction of the page, and its condition. */
  const CONTRADICTIONS = [
    [
      'a solo table has 1 seat, a shared one as many as boxes, 2 or more',
      (o, t) => t.seats !== (t.mode === 'solo' ? 1 : o.boxes) || (t.mode === 'shared' && t.seats < 2),
    ],
    [
      'a solo table deals sequentially, a shared one in lanes',
      (o, t) => t.dealing !== (t.mode === 'solo' ? 'sequential' : 'lanes'),
    ],
    ['bets_per_player is from 1 to the boxes', (o, t) => !whole(1, o.boxes)(t.bets_per_player)],
    [
      'the shoe does not suffice for a round',
      (o, t) => leastLeft(t.reshuffle, 52 * o.decks) < reserve(o, leastLeft(t.reshuffle, 52 * o.decks)),
    ],
    ['a refund is for solo tables', (o, t) => t.abandon === 'refund' && t.mode !== 'solo'],
    ['double_any_cards with a card_limit of 3', o => o.double_any_cards && o.card_limit === 3],
    [
      'split_cancels_dealer_blackjack with a look under tens and aces',
      o => o.split_cancels_dealer_blackjack && o.peek === 'ten_ace',
    ],
    [
      'an early surrender where the dealer looks',
      o => o.surrender === 'early' && (o.peek !== 'none' || o.insurance === 'stake_back'),
    ],
    ['surrender_any_time without a surrender', o => o.surrender_any_time && o.surrender === 'none'],
    [
      'insurance_odds go with insurance half, and with no other',
      o => (o.insurance === 'half') === (o.insurance_odds === 'none'),
    ],
    [
      'insure_blackjack with even money under an ace',
      o => o.insure_blackjack && o.even_money_upcards === 'ace' && o.insurance !== 'none',
    ],
    [
      'pay_blackjack_at_once where the dealer does not look under tens and aces',
      o => o.pay_blackjack_at_once && o.peek !== 'ten_ace',
    ],
    [
      'pay_blackjack_at_once where a blackjack is still played',
      o => o.pay_blackjack_at_once && (o.hit_blackjack || o.draw_against_blackjack),
    ],
  ];

  /** The most cards that a round takes from `left` in the mix of a whole pack: spec/games/blackjack.md, "Reserve". */
  function reserve({ boxes, auto_stand_21, card_limit }, left) {
    const hands = 2 * boxes, each = Math.ceil(left / 13);
    let budget = hands * (auto_stand_21 ? 20 : 21) + 16, taken = 0;
    for (let value = 1; value <= 9; value++) {
      const drawn = Math.min(each, Math.floor(budget / value));
      taken += drawn;
      budget -= drawn * value;
    }
    const most = taken + Math.floor(budget / 10) + hands + 1;
    return card_limit ? Math.min(most, card_limit * (hands + 1)) : most;
  }

  /** The least number of cards with which a round begins; -1 if the shoe could never have enough. */
  function leastLeft(reshuffle, slots) {
    if (reshuffle === 'every_round') return slots;
    const [[rule, n]] = Object.entries(reshuffle);
    if (!whole(0, slots - 1)(n)) return -1;
    return rule === 'left_at_most' ? n + 1 : n;
  }

  function refuseRules(rules) {
    const options = rules.game.blackjack;
    const outside = Object.keys(OPTIONS).find((name) => !OPTIONS[name](options[name]));
    if (outside) return outside + ' is outside its bounds';
    const against = CONTRADICTIONS.find(([, holds]) => holds(options, rules.table));
    return against ? against[0] : null;
  }

  // --- The state -------------------------------------------------------------------------------

  const newHand = (stake) => ({ cards: [], stake, choice: null, due: false, paid: false });

  function start(rules, contributors) {
    const boxes = contributors.flatMap(({ player, bets }) =>
      bets.map(({ spot, stake }) => ({ spot: Number(spot), player, stake, premium: null, hands: [newHand(stake)] })));
    boxes.sort((a, b) => a.spot - b.spot);
    return {
      options: rules.game.blackjack,
      lanes: rules.table.dealing === 'lanes',
      boxes,
      dealer: [],
      peeked: null,
      window: { open: true, next: 0 },
      decisions: 0,
      asked: [],
    };
  }

  const faces = (cards) => cards.filter(({ card }) => card).map(({ card }) => card);
  const total = (hand) => handTotal(faces(hand.cards));
  const eachHand = (g) => g.boxes.flatMap((box) => box.hands.map((hand, index) => ({ box, hand, index })));
  const place = (box, index) => box.spot + '/' + (index + 1);
  const upCard = (g) => g.dealer.length > 0 ? g.dealer[0].card : null;
  const holeHidden = (g) => g.dealer.length < 2 || !g.dealer[1].card;
  const isBlackjack = (box, hand) => box.hands.length === 1 && hand.cards.length === 2 && total(hand) === 21;
  const isBust = (hand) => total(hand) > 21;
  const dealerTotal = (g) => handTotal(faces(g.dealer));
  const dealerHas21 = (g) => !holeHidden(g) && handTotal([g.dealer[0].card, g.dealer[1].card]) === 21;
  const isTen = (card) => cardValue(card) === 10;
  const isAce = (card) => cardValue(card) === 1;
  const isDecided = (g) => g.options.surrender === 'early' || g.options.peek === 'ten_ace';
  const isExcluded = (g) => g.peeked === false || (!isTen(upCard(g)) && !isAce(upCard(g)));
  const stillPlays = ({ box, hand }, g) =>
    !hand.paid &&
    !isBust(hand) &&
    hand.choice !== 'surrender' &&
    hand.choice !== 'even_money' &&
    (!isBlackjack(box, hand) || g.options.draw_against_blackjack);

  /** The places of the opening cards, in order. */
  function dealOrder(g) {
    const all = g.boxes.map((box) => place(box, 0));
    return g.options.deal_order === 'interleaved'
      ? [...all, 'dealer', ...all, 'dealer']
      : [...all.flatMap((to) => [to, to]), 'dealer', 'dealer'];
  }

  const dealt = (g) => g.boxes.reduce((sum, box) => sum + box.hands[0].cards.length, g.dealer.length);
  const isDealt = g =>
    g.dealer.length >= 2 && g.boxes.every(box => box.hands.length > 1 || box.hands[0].cards.length >= 2);

  function isFinished(g, box, hand) {
    const { options } = g;
    if (hand.paid || ['stand', 'surrender', 'even_money'].includes(hand.choice)) return true;
    if (hand.due) return false;
    if (hand.choice === 'double' || isBust(hand)) return true;
    if (options.card_limit !== 0 && hand.cards.length >= options.card_limit) return true;
    if (hand.cards.length < 2) return false;
    return (options.auto_stand_21 && total(hand) === 21)
      || (options.split_aces === 'one_card' && box.hands.length > 1 && isAce(hand.cards[0].card))
      || (isBlackjack(box, hand) && !options.hit_blackjack);
  }

  // --- What comes next -------------------------------------------------------------------------

  const premiumOf = (g, box) =>
    g.options.insurance === 'stake_back' ? (box.stake + (box.stake % 2)) / 2 : (box.stake - (box.stake % 2)) / 2;

  /** The window's question to a box, or null. */
  function question(g, box, balance) {
    const up = upCard(g);
    const natural = isBlackjack(box, box.hands[0]);
    const named = { none: () => false, ten: isTen, ace: isAce }[g.options.even_money_upcards];
    if (natural && named(up)) return { action: 'even_money', cost: 0 };
    if (g.options.insurance === 'none' || !isAce(up) || (natural && !g.options.insure_blackjack)) return null;
    const cost = premiumOf(g, box);
    return cost > 0 && cost <= balance ? { action: 'insurance', cost } : null;
  }

  const windowAsks = (g, env) =>
    g.boxes.findIndex((box, at) => at >= g.window.next && question(g, box, env.balance(box.player)) !== null);

  /** The possible choices at a hand's turn, in the order of the page; the funds are checked elsewhere. */
  function possible(g, box, hand, balance) {
    const { options } = g;
    const two = hand.cards.length === 2;
    const natural = isBlackjack(box, hand);
    const split = box.hands.length > 1;
    const list = [{ action: 'hit', cost: 0 }, { action: 'stand', cost: 0 }];
    if (!natural && (two || options.double_any_cards) && (!split || options.double_after_split)) {
      list.push({
        action: 'double',
        cost: options.double_amount === 'exact' ? box.stake : Math.max(1, Math.min(box.stake, balance)),
      });
    }
    if (two && isPair(options, hand) && (options.max_hands === 'unlimited' || box.hands.length < options.max_hands)) {
      list.push({ action: 'split', cost: box.stake });
    }
    if (options.surrender !== 'none' && !natural && (options.surrender_any_time || (two && !split))) {
      list.push({ action: 'surrender', cost: 0 });
    }
    return list;
  }

  function isPair(options, hand) {
    const [first, second] = faces(hand.cards);
    return options.split_by_value ? cardValue(first) === cardValue(second) : rankOf(first) === rankOf(second);
  }

  const dealTo = (g, to, hidden) => {
    const lane = !g.lanes
      ? 0
      : to === 'dealer'
        ? g.boxes.length
        : g.boxes.findIndex(({ spot }) => spot === Number(to.split('/')[0]));
    return { dealt: { lane, to, hidden } };
  };
  const dealToFirst = (g, test) => {
    const found = eachHand(g).find(test);
    return found && dealTo(g, place(found.box, found.index), false);
  };
  const ask = (box, index, options) => ({ offered: { player: box.player, place: place(box, index), options } });
  const firstUnfinished = (g) => eachHand(g).find(({ box, hand }) => !isFinished(g, box, hand));
  const isPremiumOpen = ({ premium }) => premium !== null && !premium.paid;
  const isAllPaid = (g) => g.boxes.every((box) => !isPremiumOpen(box) && box.hands.every(({ paid }) => paid));
  const looksUnder = { none: () => false, ace: isAce, ten_ace: (card) => isTen(card) || isAce(card) };

  const isLookDue = (g) => g.peeked === null && holeHidden(g) && (looksUnder[g.options.peek](upCard(g))
    || (g.options.insurance === 'stake_back' && g.boxes.some(({ premium }) => premium !== null)));

  function dealerDraws(g) {
    const { card_limit: limit, dealer_always_draws: always } = g.options;
    return isDealt(g) && !holeHidden(g) && dealerTotal(g) <= 16 && (limit === 0 || g.dealer.length < limit)
      && (always || eachHand(g).some((each) => stillPlays(each, g)));
  }

  const isSettledAtOnce = (g, hand) =>
    isBust(hand) || hand.choice === 'even_money' || (hand.choice === 'surrender' && isDecided(g));

  const ROWS = [
    /* 1 */ g => isDealt(g) && isAllPaid(g) && !holeHidden(g) && !dealerDraws(g) && { done: true },
    /* 2 */ g => {
      if (isDealt(g)) return null;
      const to = dealOrder(g)[dealt(g)];
      return dealTo(g, to, to === 'dealer' && (g.dealer.length === 1 || g.options.up_card === 'turned_after_deal'));
    },
    /* 3 */ g => upCard(g) === null && { turned: { slot: g.dealer[0].slot } },
    /* 4 */ g => g.options.settle_at_once && pay(g, false, ({ hand }) => isSettledAtOnce(g, hand)),
    /* 5 */ (g, env) => {
      if (!g.window.open) return null;
      const box = g.boxes[windowAsks(g, env)];
      return box && ask(box, 0, [question(g, box, env.balance(box.player))]);
    },
    /* 6 */ g => g.asked.length > 0 && { wait: 'decision' },
    /* 7 */ g => isLookDue(g) && { peeked: { slot: g.dealer[1].slot } },
    /* 8 */ g => g.peeked === false && pay(g, true, () => false),
    /* 9 */ g => g.peeked === true && holeHidden(g) && { turned: { slot: g.dealer[1].slot } },
    /* 10 */ g => g.peeked === true && pay(g, true, () => true),
    /* 11 */ g =>
      g.options.pay_blackjack_at_once && isExcluded(g) && pay(g, false, ({ box, hand }) => isBlackjack(box, hand)),
    /* 12 */ g => dealToFirst(g, ({ hand }) => hand.due),
    /* 13 */ g => g.options.second_cards === 'at_once' && dealToFirst(g, ({ hand }) => hand.cards.length === 1),
    /* 14 */ g => {
      const first = firstUnfinished(g);
      return first && first.hand.cards.length === 1 && dealTo(g, place(first.box, first.index), false);
    },
    /* 15 */ (g, env) => {
      const first = firstUnfinished(g);
      if (!first) return null;
      const balance = env.balance(first.box.player);
      return ask(
        first.box,
        first.index,
        possible(g, first.box, first.hand, balance).filter(({ cost }) => cost <= balance),
      );
    },
    /* 16 */ g => holeHidden(g) && { turned: { slot: g.dealer[1].slot } },
    /* 17 */ g => dealerDraws(g) && dealTo(g, 'dealer', false),
    /* 18 */ g => pay(g, true, () => true),
  ];

  function next(g, env) {
    for (const row of ROWS) {
      const step = row(g, env);
      if (step) return step;
    }
    return broken('nothing comes next');
  }

  // --- Settlement ------------------------------------------------------------------------------

  /** The `paid` of the unpaid premiums, if asked for, and of the unpaid hands chosen; null if there is none. */
  function pay(g, premiums, chosen) {
    const ordered = (list) => g.options.settlement_order === 'right_to_left' ? [...list].reverse() : list;
    const lines = ordered(g.boxes).flatMap((box) => {
      const hands = ordered(box.hands.map((hand, index) => ({ box, hand, index })));
      return [
        ...(premiums && isPremiumOpen(box)
          ? [line(box, 0, 'insurance', box.premium.amount, premiumResult(g, box))]
          : []),
        ...hands
          .filter(each => !each.hand.paid && chosen(each))
          .map(({ hand, index }) => line(box, index, 'hand', hand.stake, result(g, box, hand))),
      ];
    });
    return lines.length > 0 ? { paid: { lines } } : null;
  }

  const line = (box, index, wager, stake, [outcome, returned]) => ({
    player: box.player,
    place: place(box, index),
    wager,
    outcome,
    stake,
    returned,
  });

  function premiumResult(g, box) {
    if (!dealerHas21(g)) return ['loss', 0];
    const { amount } = box.premium;
    return [
      'win',
      g.options.insurance === 'stake_back' ? amount + box.stake : amount * (g.options.insurance_odds === '2:1' ? 3 : 4),
    ];
  }

  const blackjackStrength = (g, box) => box.hands.length > 1 && g.options.split_cancels_dealer_blackjack ? 21 : 22;

  function dealerStrength(g, box) {
    if (dealerHas21(g)) return blackjackStrength(g, box);
    return dealerTotal(g) > 21 ? 0 : dealerTotal(g);
  }

  function blackjackWin(g, stake) {
    const [n, d] = g.options.blackjack_pays;
    const rest = (stake * n) % d; // at most 10^12 * 1000, so exact
    return (stake * n - rest) / d + (rest > 0 && g.options.blackjack_rounding === 'up' ? 1 : 0);
  }

  function result(g, box, hand) {
    const against = dealerStrength(g, box);
    const { stake } = hand;
    if (hand.choice === 'even_money') return ['even_money', 2 * stake];
    if (hand.choice === 'surrender') {
      return g.options.surrender === 'late' && against === 22 ? ['loss', 0] : ['surrender', (stake - stake % 2) / 2];
    }
    if (isBust(hand)) return ['bust', 0];
    const own = isBlackjack(box, hand) ? 22 : total(hand);
    if (own < against) return ['loss', 0];
    if (own === against) return ['draw', stake];
    return own === 22 ? ['blackjack', stake + blackjackWin(g, stake)] : ['win', 2 * stake];
  }

  // --- Choices ---------------------------------------------------------------------------------

  const boxOf = (g, at) => {
    const [spot, number] = at.split('/').map(Number);
    const box = g.boxes.find((each) => each.spot === spot);
    return { box, index: number - 1, hand: box && box.hands[number - 1] };
  };
  const nameOf = (action) => typeof action === 'string' ? action : Object.keys(action)[0];

  function act(g, player, decision, action, balance) {
    const asked = g.asked.find((each) => each.decision === decision);
    if (!asked) refuse('decision_not_open', 'decision ' + decision + ' is not open');
    if (asked.player !== player) refuse('not_your_decision', 'decision ' + decision + ' belongs to ' + asked.player);
    const { box, hand } = boxOf(g, asked.place);
    const name = nameOf(action);
    const offers = asked.window ? [asked.window] : possible(g, box, hand, balance);
    const offer = offers.find((each) => each.action === name);
    if (!offer) refuse('action_not_offered', name + ' is not possible here');
    let { cost } = offer;
    if (name === 'insurance' || name === 'even_money') cost = action[name].take ? cost : 0;
    if (name === 'double') {
      const { amount = box.stake } = action.double;
      const least = g.options.double_amount === 'exact' ? box.stake : 1;
      if (amount < least || amount > box.stake)
        refuse('extra_stake_refused', 'the extra stake is from ' + least + ' to ' + box.stake);
      cost = amount;
    }
    if (cost > balance) refuse('insufficient_balance', name + ' costs ' + cost + ', the balance is ' + balance);
    return { player, action, cost };
  }

  /** The choices now for a player with this balance. */
  function options(g, decision, balance) {
    const { window, place: at } = g.asked.find((each) => each.decision === decision), { box, hand } = boxOf(g, at);
    return (window ? [window] : possible(g, box, hand, balance)).filter(({ cost }) => cost <= balance);
  }

  function defaultAction(g, decision) {
    const { window } = g.asked.find((each) => each.decision === decision);
    return window ? { [window.action]: { take: false } } : 'stand';
  }

  /** The effect of a judged action on the hand asked. */
  const EFFECTS = {
    hit: ({ hand }) => { hand.due = true; },
    stand: ({ hand }) => { hand.choice = 'stand'; },
    surrender: ({ hand }) => { hand.choice = 'surrender'; },
    double: ({ hand }, cost) => { Object.assign(hand, { choice: 'double', due: true, stake: hand.stake + cost }); },
    split: ({ box, hand, index }, cost) => {
      const moved = newHand(cost);
      moved.cards.push(hand.cards.pop());
      box.hands.splice(index + 1, 0, moved);
    },
    insurance: ({ box }, cost, { take }) => { if (take) box.premium = { amount: cost, paid: false }; },
    even_money: ({ hand }, cost, { take }) => { if (take) hand.choice = 'even_money'; },
  };

  // --- Events ----------------------------------------------------------------------------------

  const APPLY = {
    dealt(g, { slot, to, card = null }) {
      if (to === 'dealer') return g.dealer.push({ slot, card });
      const { hand } = boxOf(g, to);
      hand.due = false;
      return hand.cards.push({ slot, card });
    },
    turned(g, { slot, card }) {
      g.dealer.find((each) => each.slot === slot).card = card;
      if (g.peeked !== null && !holeHidden(g) && dealerHas21(g) !== g.peeked)
        broken('the hole card is not what the peek said');
    },
    peeked(g, { blackjack: has }) {
      g.peeked = has;
    },
    offered(g, { player, place: at, options }) {
      const inWindow = ['insurance', 'even_money'].includes(options[0].action);
      if (inWindow) g.window.next = g.boxes.indexOf(boxOf(g, at).box) + 1;
      g.asked.push({ decision: g.decisions, player, place: at, window: inWindow ? options[0] : null });
      g.decisions += 1;
    },
    acted(g, { decision, action, cost }) {
      const { place: at } = g.asked.find((each) => each.decision === decision);
      g.asked = g.asked.filter((each) => each.decision !== decision);
      EFFECTS[nameOf(action)](boxOf(g, at), cost, action[nameOf(action)]);
    },
    paid(g, { lines }) {
      for (const { place: at, wager, outcome, returned } of lines) {
        const { box, hand } = boxOf(g, at);
        (wager === 'insurance' ? box.premium : hand).paid = { outcome, returned };
      }
    },
  };

  function apply(g, event) {
    const [[name, fields]] = Object.entries(event);
    const closes = name !== 'offered' && isDealt(g) && upCard(g) !== null;
    APPLY[name](g, fields);
    if (closes) g.window.open = false;
  }

  // --- Who is ahead ----------------------------------------------------------------------------

  function ahead(g) {
    const up = upCard(g);
    if (up === null) return 'nobody';
    const sum = eachHand(g)
      .filter(({ hand }) => hand.cards.length > 0)
      .reduce((all, each) => all + standing(g, up, each), 0);
    return sum > 0 ? 'players' : sum < 0 ? 'house' : 'level';
  }

  /** The hidden card counts as a ten, so a shown ace makes a blackjack until a peek denies it. */
  function shownStrength(g, box, up) {
    if (!isAce(up)) return cardValue(up) + 10;
    return g.peeked === false ? 20 : blackjackStrength(g, box);
  }

  function standing(g, up, { box, hand }) {
    if (hand.choice === 'even_money') return hand.stake;
    const against = holeHidden(g) ? shownStrength(g, box, up) : dealerStrength(g, box);
    const own = isBlackjack(box, hand) ? 22 : total(hand);
    if (hand.choice === 'surrender')
      return (against === 22 && g.options.surrender === 'late' ? 0 : (hand.stake - (hand.stake % 2)) / 2) - hand.stake;
    if (isBust(hand) || own < against) return -hand.stake;
    return own > against ? hand.stake : 0;
  }

  /** Its table: `GameView`. */
  function view({ boxes, dealer }) {
    const handView = (box, hand) => ({
      cards: cardsOf(hand.cards),
      ...pointsOf(hand.cards),
      stake: hand.stake,
      stood: hand.choice === 'stand',
      doubled: hand.choice === 'double',
      ...(hand.choice === 'surrender' ? { surrendered: true } : {}),
      ...(hand.choice === 'even_money' ? { even_money: true } : {}),
      blackjack: box.hands.length === 1 && hand.cards.length === 2 && pointsOf(hand.cards).total === 21,
      outcome: hand.paid ? hand.paid.outcome : null,
      returned: hand.paid ? hand.paid.returned : null,
    });
    const boxView = box => ({
      spot: box.spot,
      player: box.player,
      stake: box.stake,
      insurance: box.premium && {
        premium: box.premium.amount,
        returned: box.premium.paid ? box.premium.paid.returned : null,
      },
      hands: box.hands.map(hand => handView(box, hand)),
    });
    return { boxes: boxes.map(boxView), dealer: { cards: cardsOf(dealer), ...pointsOf(dealer) } };
  }

  const told = {
    table({ dealer }, say, over) {
      if (!dealer.cards.length) return [];
      if (!over || dealer.cards.some(({ card }) => !card))
        return dealer.total ? [say('dealer_shows', { total: dealer.total })] : [];
      const how = natural(dealer.cards) ? 'blackjack' : dealer.total > 21 ? 'bust' : 'had';
      return [say(`dealer_${how}`, { total: dealer.total })];
    },
    player({ boxes, dealer }, player, who, say) {
      const own = boxes.filter(box => box.player === player), lines = [];
      const dealerHas21 = natural(dealer.cards);
      for (const box of own) {
        box.hands.forEach((hand, at) => {
          const name = own.length > 1 ? (box.hands.length > 1 ? 'box_hand' : 'box') : box.hands.length > 1 && 'hand';
          const values = { n: own.length > 1 ? box.spot : at + 1, m: at + 1 };
          const key = {
            blackjack: 'bj_blackjack', surrender: 'bj_surrender', even_money: 'bj_even_money', bust: 'bj_bust',
            win: dealer.total > 21 ? 'bj_win_bust' : 'bj_win',
            draw: hand.blackjack && dealerHas21 ? 'bj_draw_blackjack' : 'bj_draw',
            loss: dealerHas21 ? 'bj_loss_blackjack' : 'bj_loss',
          }[hand.outcome] || 'bj_open';
          const told = say(key, {
            who, total: hand.total, dealer: dealer.total, stake: grouped(hand.stake),
            net: grouped(hand.returned - hand.stake), returned: grouped(hand.returned || 0),
          });
          lines.push((name ? say(name, values) : '') + told);
        });
        if (box.insurance && box.insurance.returned !== null) {
          const { premium: stake, returned } = box.insurance;
          const key = returned > stake ? 'insurance_won' : returned === stake ? 'insurance_back' : 'insurance_lost';
          lines.push(say(key, { stake: grouped(stake), returned: grouped(returned) }));
        }
      }
      return lines;
    },
  };

  /** Its cards, hand by hand (told.js). */
  const hands = ({ boxes, dealer }, { say, called, me, worthOf }) => [
    { name: say('dealer'), worth: worthOf(dealer), cards: dealer.cards, wide: true },
    ...boxes.flatMap(({ spot, player, hands }) => hands.map((one, at) => {
      const box = boxes.length > 1 ? `, ${say('box_name', { n: spot })}` : '';
      const split = hands.length > 1 ? `, ${say('hand_name', { n: at + 1 })}` : '';
      return { name: `${called(player)}${box}${split}`, worth: worthOf(one), cards: one.cards, mine: player === me };
    })),
  ];

  return {
    name: 'blackjack',
    fields: Object.keys(OPTIONS),
    form,
    refuseRules,
    composition: rules => '52x' + rules.game.blackjack.decks,
    spotIsSeat: true,
    refuseSpot: (rules, { spot }) =>
      /^[1-9]$/.test(spot) && Number(spot) <= rules.game.blackjack.boxes ? null : 'unknown_spot',
    leastPlayers: 1,
    lanes: (rules, contributors) =>
      rules.table.dealing === 'lanes' ? contributors.reduce((sum, { bets }) => sum + bets.length, 1) : 1,
    start,
    next,
    apply,
    act,
    openDecisions: g => g.asked.map(({ decision, player, place: at }) => ({ decision, player, place: at })),
    defaultAction,
    options,
    ahead,
    settled: g => Boolean(ROWS[0](g)),
    view, told, hands,
  };
})();
