// Tournaments by the ledger alone: whether each entry of one moved the amounts of its events (spec/ledger.md, "A
// tournament's postings, by the ledger alone"). This part knows no rule for prizes, ranks or refunds.

const OWN_ACCOUNTS = ['pool', 'fees', 'bounties', 'stakes'];
const LEDGER_STRUCTURE = startsWith({
  name: isText,
  rules: isAny,
  seats: isCount,
  entry: startsWith({ buy_in: isCount, fee: isCount, bounty: isCount }, true),
  guarantee: isCount,
  late_levels: isCount,
  'unregister_ms?': isCount,
  'rebuy?': startsWith({ price: isCount, fee: isCount }, true),
  'add_on?': startsWith({ price: isCount, fee: isCount }, true),
  levels: isAny,
  breaks: isAny,
  payouts: value =>
    fieldsOf({ rows: isAny })(value) ||
    fieldsOf({ satellite: startsWith({ target: isText, buy_in: isCount, fee: isCount }, true) })(value),
}, true);
const ofOneEntry = fieldsOf({ entry_no: isCount }), boughtChips = fieldsOf({ entry_no: isCount, chips: isCount });
/** The events of tournaments that are read. */
const LEDGER_TOURNAMENT_EVENTS = {
  created: startsWith({ structure: LEDGER_STRUCTURE }, true),
  registered: startsWith({
    entry_no: isCount,
    player: isText,
    commitment: isText,
    paid_by: fieldsOf({ cash: isCount, t_dollars: isCount, ticket: isCount }),
    bounty: isCount,
  }, true),
  unregistered: ofOneEntry,
  rebought: boughtChips,
  added_on: boughtChips,
  stake_sold: fieldsOf({ seller: isText, buyer: isText, basis_points: isCount, price: isCount }),
  stakes_divided: ofOneEntry,
  ticket_returned: fieldsOf({ player: isText, value: isCount }),
  pool_final: fieldsOf({ pool: isCount, overlay: isCount }),
  player_disqualified: startsWith({ entry_no: isCount }, true),
  prize_paid: fieldsOf({
    entry_no: isCount,
    rank: tupleOf(isCount, isCount),
    prize: fieldsOf({ 'cash?': isCount, 'ticket?': isCount, 't_dollars?': isCount, 'substitute?': isCount }),
  }),
  bounty_paid: fieldsOf({ entry_no: isCount, amount: isCount }),
  deal_made: fieldsOf({ amounts: listOf(tupleOf(isCount, isCount)) }),
  refunded: fieldsOf({
    entry_no: isCount, fee: isCount, bounty: isCount, pool: isCount, 'due?': isCount, 'bought?': isCount,
    'taken?': isCount,
  }),
  ended: fieldsOf({ residual: isCount }),
};

/** The amounts that an entry of a tournament must move, by its events. */
const newDue = () => ({
  moves: new Map(),
  refunds: new Map(), // player -> what they get in all forms together, less what is taken back
  refunded: 0n,
  cancelled: false,
  divided: null,
  pool: null,
  ended: false,
});
const addMove = (moves, account, amount) => moves.set(account, (moves.get(account) || 0n) + BigInt(amount));

/** A tournament's money. Its own accounts are named only by their first word. */
class LedgerTournament {
  constructor({ structure: { entry, rebuy, add_on: addOn, payouts: { satellite } } }) {
    const none = { price: 0, fee: 0 };
    Object.assign(this, { terms: entry, rebought: rebuy || none, added_on: addOn || none, entries: new Map() });
    this.seat = satellite || { buy_in: 0, fee: 0 };
  }

  entry(no) {
    if (!this.entries.has(no)) unsound('state', `the tournament has no entry ${no}`);
    return this.entries.get(no);
  }

  /** Adds the movements of an event to the amounts due; `stands` gives a balance of the tournament's own. */
  read(word, fields, due, stands) {
    const { entry_no: no } = fields, move = (account, amount) => addMove(due.moves, account, amount);
    if (word === 'registered') this.register(fields, due);
    if (word === 'unregistered') {
      const sold = this.entry(no);
      this.entries.delete(no);
      this.sell(sold, 1n, due);
      for (const { buyer, price } of sold.stakes) {
        move('stakes', -price);
        move(`player:${buyer}`, price);
      }
    }
    if (word === 'rebought' || word === 'added_on') {
      const { price, fee } = this[word];
      [[`player:${this.entry(no).player}`, -price - fee], ['pool', price], ['fees', fee]]
        .forEach(([account, amount]) => move(account, amount));
    }
    if (word === 'stake_sold') this.sellStake(fields, due);
    if (word === 'stakes_divided') due.divided = this.entry(no);
    if (word === 'ticket_returned') this.returnTicket(fields, due);
    if (word === 'pool_final') {
      move('house', -fields.overlay);
      move('pool', fields.overlay);
      due.pool = BigInt(fields.pool);
    }
    if (word === 'player_disqualified') this.entry(no).disqualified = true;
    if (word === 'prize_paid') this.payPrize(fields, due);
    if (word === 'bounty_paid') {
      move('bounties', -fields.amount);
      this.pay(no, fields.amount, due);
    }
    for (const [of, amount] of word === 'deal_made' ? fields.amounts : []) {
      move('pool', -amount);
      this.pay(of, amount, due);
    }
    if (word === 'cancelled') due.cancelled = true;
    if (word === 'refunded') this.refund(fields, due);
    if (word === 'ended') {
      const fees = stands('fees'), { residual } = fields;
      [['pool', -residual], ['rounding_residual', residual], ['fees', -fees], ['house', fees]]
        .forEach(([account, amount]) => move(account, amount));
      due.ended = true;
    }
  }

  register({ entry_no: no, player, paid_by: paidBy, bounty }, due) {
    const sold = { player, paidBy, bounty, stakes: [], held: 0n, disqualified: false };
    this.sell(sold, -1n, due);
    if (this.entries.has(no)) unsound('state', `the tournament has an entry ${no}`);
    this.entries.set(no, sold);
  }

  /** The payment for an entry, times −1, or the amount given back for it. */
  sell({ player, paidBy: { cash, t_dollars: dollars, ticket }, bounty }, sign, { moves }) {
    for (const [account, amount] of [[`player:${player}`, cash], [`tdollars:${player}`, dollars], ['tickets', ticket]])
      addMove(moves, account, sign * BigInt(amount));
    for (const [account, amount] of [['pool', this.terms.buy_in], ['fees', this.terms.fee], ['bounties', bounty]])
      addMove(moves, account, -sign * BigInt(amount));
  }

  /** An unused ticket has the value of an entry's price. */
  returnTicket({ player, value }, { moves }) {
    const { buy_in: buyIn, fee, bounty } = this.terms, worth = buyIn + fee + bounty;
    if (value !== worth) unsound('payout', `a ticket worth ${worth} comes back as T$ ${value}`);
    addMove(moves, 'tickets', -value);
    addMove(moves, `tdollars:${player}`, value);
  }

  sellStake({ seller, buyer, price }, { moves }) {
    addMove(moves, `player:${buyer}`, -price);
    addMove(moves, 'stakes', price);
    // Before the start no player has two entries.
    const sold = [...this.entries.values()].find(({ player }) => player === seller);
    if (!sold) unsound('state', `the tournament has no entry of ${seller}`);
    sold.stakes.push({ buyer, price });
    sold.held += BigInt(price);
  }

  /** A payment to an entry's player: if stakes of it were sold, it goes to escrow. */
  pay(no, amount, { moves }) {
    const sold = this.entry(no), { player, stakes } = sold;
    if (stakes.length) sold.held += BigInt(amount);
    addMove(moves, stakes.length ? 'stakes' : `player:${player}`, amount);
  }

  payPrize({ entry_no: no, prize }, due) {
    const { cash = 0, ticket = 0, t_dollars: dollars = 0, substitute = 0 } = prize;
    const { buy_in: buyIn, fee } = this.seat, worth = BigInt(buyIn) + BigInt(fee), move = addMove.bind(null, due.moves);
    // Instead of a ticket T$ are paid for the entry; its fee goes to the house or, if the target is closed, also as T$.
    const fits = (!ticket || BigInt(ticket) === worth) && (!dollars || BigInt(dollars) === worth || dollars === buyIn);
    if (!fits) unsound('payout', `a seat is worth ${buyIn} and ${fee}, another sum is paid for one`);
    const seat = dollars ? worth : BigInt(ticket);
    move('pool', -BigInt(cash) - BigInt(substitute) - seat);
    move('tickets', ticket);
    move('house', BigInt(substitute) + seat - BigInt(ticket) - BigInt(dollars));
    const sold = this.entry(no);
    move(`tdollars:${sold.player}`, dollars);
    // A disqualified player's goes to all remaining players, by way of their bounties.
    if (sold.disqualified) move('bounties', cash);
    else this.pay(no, cash, due);
  }

  refund({ entry_no: no, fee, bounty, pool, due: prize = 0, bought = 0, taken = 0 }, due) {
    const whole = sumBig([fee, bounty, pool, prize, bought], amount => amount), { player } = this.entry(no);
    due.refunds.set(player, (due.refunds.get(player) || 0n) + whole - BigInt(taken));
    due.refunded += whole;
    addMove(due.moves, 'house', taken);
  }

  /** Checks that an entry moved the amounts of its events. */
  settle(due, moved, stands) {
    const of = account => moved.get(account) || 0n, { moves } = due;
    if (due.cancelled) {
      // The house covers or gets the difference between the accounts and the refunds.
      const [pool, bounties] = [of('pool'), of('bounties')];
      addMove(moves, 'pool', pool);
      addMove(moves, 'bounties', bounties);
      addMove(moves, 'house', -pool - bounties);
    }
    if (due.refunds.size) this.settleRefunds(due, of);
    if (due.divided) this.settleDivision(due, of);
    const says = account => moves.get(account) || 0n, differs = account => says(account) !== of(account);
    const wrong = account => `${account} is due ${says(account)} here, postings give it ${of(account)}`;
    if (differs('house')) unsound('ledger_house', wrong('house'));
    const other = [...moves.keys(), ...moved.keys()].find(differs);
    if (other !== undefined) unsound('posting', wrong(other));
    if (due.pool !== null && due.pool !== stands('pool'))
      unsound('settlement', `the pool holds ${stands('pool')}, ${due.pool} is said to be final`);
    if (!due.ended) return;
    if (OWN_ACCOUNTS.some(stands)) unsound('settlement', 'the tournament is over and its accounts are not empty');
    this.entries.clear();
  }

  /**
   * Refunds come from any of the three accounts and in any form; a seller's part that is neither cash nor T$ went to
   * their escrow.
   */
  settleRefunds({ moves, refunds, refunded }, of) {
    const sources = ['pool', 'fees', 'bounties'], out = sumBig(sources, of);
    if (out !== -refunded) unsound('posting', `refunds of ${refunded} are said, ${-out} were taken for them`);
    sources.forEach(account => addMove(moves, account, of(account)));
    for (const [player, refund] of refunds) {
      const forms = [`player:${player}`, `tdollars:${player}`], escrow = refund - sumBig(forms, of);
      const seller = [...this.entries.values()].find(sold => sold.player === player && sold.stakes.length);
      if (seller) seller.held += escrow;
      else if (escrow) unsound('posting', `${player} is refunded ${refund}, postings give them ${refund - escrow}`);
      addMove(moves, 'stakes', escrow);
      forms.forEach(account => addMove(moves, account, of(account)));
    }
  }

  /**
   * Checks that the whole escrow of an entry goes to its player and to the buyers of its stakes, and that no one pays.
   */
  settleDivision({ divided, moves }, of) {
    const { player, stakes, held } = divided;
    const accounts = [...new Set([player, ...stakes.map(({ buyer }) => buyer)])].map(one => `player:${one}`);
    const shared = sumBig(accounts, of);
    if (shared !== held || accounts.some(account => of(account) < 0n))
      unsound('posting', `${held} lie in escrow for an entry of ${player}, ${shared} were divided`);
    divided.held = 0n;
    addMove(moves, 'stakes', -held);
    accounts.forEach(account => addMove(moves, account, of(account)));
  }
}
