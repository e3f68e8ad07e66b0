// The money of a log and the form of its entries, without the rules of the games: spec/audit.md, "The ledger alone".

const LEDGER_CHECKED = [
  'the checkpoint\'s signature, and its root over every entry, where a key and a checkpoint are given',
  'every tile, where the log is a mirror\'s folder',
  'each entry\'s one spelling, its time, its place in its table\'s sequence',
  'each posting: it sums to zero, accounts exist, no player or table owes, balances after and before are the book\'s',
  'chips enter and leave by the operator\'s commands alone',
  'play chips are guests\' alone, each posting is of one kind of chips, guests are numbered without a gap',
  'each round gives the house what its paid wagers or its void say, and leaves nothing on the table',
  'each entry of a tournament moves what it says was bought, paid or refunded, and its end leaves it nothing',
  'what goes to other logs and comes from them moves as its entries say, is numbered without a gap, and never twice',
  'what comes from the operator\'s wallet and goes back moves as its operations say, each answer is of the last call',
];
const LEDGER_NOT_CHECKED = [
  'that commands were allowed, and their events the ones that the rules give',
  'that wagers were paid what the cards and rules say, and to whom',
  'that a tournament\'s prizes, bounties and refunds are those of its rules, and what its cancellation costs the house',
  'shoes, seeds, openings, slots, faces',
  'deadlines, seats, cooldowns, recovery',
  'that what came from another log was sent by it: receipts, and the policies that they meet',
  'the checkpoints that players say they saw',
];

const isAny = () => true;

/**
 * An object that begins with these fields in this order, those with a `?` optional; more may follow, and must if
 * `goesOn`.
 */
const startsWith = (forms, goesOn = false) => value => {
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  let at = 0;
  const fits = Object.entries(forms).every(([name, form]) => {
    const key = name.replace('?', ''), there = keys[at] === key;
    if (there) at++;
    return there ? form(value[key]) : key !== name;
  });
  return fits && (!goesOn || at < keys.length);
};

/** The fields of an entry that are read. For all other parts only the JSON form is checked. */
const isLedgerEntry = fieldsOf({
  v: isCount,
  time: isCount,
  by: isText,
  'at?': fieldsOf({ table: isText, seq: isCount }),
  'before?': listOf(tupleOf(isText, isSigned), 1),
  command: oneField,
  'signed?': isAny,
  events: listOf(oneField),
});
const isTransfer = startsWith({ player: isText, amount: isSigned });
const LEDGER_COMMANDS = {
  start_dealer: startsWith({ origin: isText }, true),
  credit: isTransfer,
  withdraw: isTransfer,
  correct: isTransfer,
  admit_guest: fieldsOf({}),
  dismiss_guest: fieldsOf({ player: isText }),
  ...LEDGER_WALLET_COMMANDS,
};
const isLedgerResults = listOf(fieldsOf({ player: isText, staked: isCount, returned: isCount }));
const LEDGER_EVENTS = {
  posted: fieldsOf({ lines: listOf(tupleOf(isText, isSigned, isSigned), 1) }),
  player_created: fieldsOf({ player: isText }),
  guest_admitted: fieldsOf({ player: isText }),
  guest_dismissed: fieldsOf({ player: isText }),
  ...LEDGER_TRANSFER_EVENTS,
  ...LEDGER_WALLET_EVENTS,
  table_closed: fieldsOf({}),
  round_settled: fieldsOf({ round_no: isCount, staked: isCount, returned: isCount, players: isLedgerResults }),
  round_voided: fieldsOf({
    round_no: isCount,
    cause: isText,
    missing: isAny,
    ahead: isAny,
    players: isLedgerResults,
    'refunds?': isCount,
    'kept?': listOf(fieldsOf({ player: isText, amount: isSigned }), 1),
    'standing?': isAny,
  }),
};
const isPaid = fieldsOf({
  lines: listOf(fieldsOf({
    player: isText, place: isText, wager: isText, outcome: isText, stake: isCount, returned: isCount,
  })),
});
const isHandPaid = fieldsOf({
  settled: fieldsOf({
    pots: listOf(fieldsOf({
      amount: isCount,
      rake: isCount,
      seats: isAny,
      won: listOf(fieldsOf({ seat: isCount, amount: isCount, 'low?': value => value === true })),
    })),
    'uncalled?': fieldsOf({ seat: isCount, amount: isCount }),
    seats: listOf(fieldsOf({ seat: isCount, player: isText, put_in: isCount, got: isCount, stack: isCount })),
  }),
});

/** The parts of an event that are read: `[kind, fields, whether they have their form]`, or null. */
function ledgerEvent(event) {
  const [[name, fields]] = Object.entries(event);
  if (name === 'tournament') {
    const [word, inner] = oneField(fields) ? Object.entries(fields)[0] : [];
    const form = Object.hasOwn(LEDGER_TOURNAMENT_EVENTS, word) ? LEDGER_TOURNAMENT_EVENTS[word] : isAny;
    return [name, { word, inner }, word !== undefined && form(inner)];
  }
  if (name !== 'play') return [name, fields, !Object.hasOwn(LEDGER_EVENTS, name) || LEDGER_EVENTS[name](fields)];
  const [word, inner] = isObject(fields) ? Object.entries(fields)[0] || [] : [],
    first = isObject(inner) ? Object.keys(inner)[0] : null;
  if (word === 'paid' && first === 'lines' && isList(inner.lines))
    return ['paid', inner, oneField(fields) && isPaid(inner)];
  const pots =
    word === 'poker' && first === 'settled' && isObject(inner.settled) && Object.keys(inner.settled)[0] === 'pots';
  return pots && isList(inner.settled.pots) ? ['hand', inner.settled, oneField(fields) && isHandPaid(inner)] : null;
}

/** Whether a JSON value holds only whole numbers within the range of amounts. */
function hasWholeNumbers(value) {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return value === null || typeof value !== 'object' || Object.values(value).every(hasWholeNumbers);
}

/** An entry whose bytes follow spec/entries.md, "Encoding", as far as the ledger reads them. */
function readLedgerEntry(text) {
  const form = why => unsound('entry_form', why);
  if (text.length > 65535) form('an entry has at most 65,535 bytes');
  if (!/^[ -~]*$/.test(text) || text.replace(/\\["\\]/g, '').includes('\\'))
    form('a string holds what is written otherwise');
  if (!nestedWithin(text, 34)) form('an entry is not nested that deeply');
  let entry;
  try { entry = JSON.parse(text); } catch (error) { form(`the entry is not JSON: ${error.message}`); }
  if (JSON.stringify(entry) !== text || !hasWholeNumbers(entry)) form('the entry is not in its one encoding');
  if (isObject(entry) && entry.v !== 1) form(`the entry's version is ${quote(entry.v)}, not 1`);
  if (!isLedgerEntry(entry)) form('a field of the entry is unknown, missing, malformed or out of order');
  if (entry.time > HALF) form(`the entry's time ${entry.time} is past what an entry can say`);
  const [[name, fields]] = Object.entries(entry.command);
  if (Object.hasOwn(LEDGER_COMMANDS, name) && !LEDGER_COMMANDS[name](fields)) form(`the command ${name} is malformed`);
  const wrong = entry.events.map(ledgerEvent).findIndex(event => event && !event[2]);
  if (wrong >= 0) form(`event ${wrong} is malformed`);
  return entry;
}

const sumBig = (list, of) => list.reduce((all, one) => all + BigInt(of(one)), 0n);

/** The accounts that belong to no player and no table. */
const HOUSE_ACCOUNTS = ['cage', 'house', 'rake', 'play'];

/** Adds up a log's money, entry after entry. */
class LedgerBook {
  constructor(origin) {
    Object.assign(this, { origin, time: 0, accounts: new Map(HOUSE_ACCOUNTS.map(name => [name, 0n])) });
    this.admitted = 0;
    this.known = new Map(); // other logs, by name
    this.accounts.set(WALLET, 0n);
    this.operations = 0; // of the wallet, that there ever were
    this.openOperations = new Map();
    Object.assign(this, { tables: new Map(), postings: 0, settled: 0, voided: 0, staked: 0n, returned: 0n });
    Object.assign(this, { credited: 0n, withdrawn: 0n, corrected: 0n });
    // Further accounts of tournaments; T$ from the first one on.
    for (const account of ['tickets', 'rounding_residual']) this.accounts.set(account, 0n);
  }

  get(account) { return this.accounts.get(account); }

  /** The table in whose entry an event stands, if it is open. */
  openTable(name) {
    const table = this.tables.get(name);
    return table && !table.closed ? table : undefined;
  }

  feed(text, index) {
    const { time, at, before = [], command, events } = readLedgerEntry(text);
    if (time < this.time)
      unsound('time', `the entry's time ${time} is before ${this.time}, the time of the entry before it`);
    for (const [player, stated] of before) {
      const stands = this.get(`player:${player}`);
      if (stands !== BigInt(stated)) unsound('balance_before', `${player} had ${stands}, the entry states ${stated}`);
    }
    const entry = { at, fromCage: 0n, toHouse: 0n, raked: 0n, ends: false, opens: false, closes: false, command };
    Object.assign(entry, { issued: 0n, isPlay: !!at && isForPlay(at.table) });
    Object.assign(entry, { transfer: null, wallet: null, events });
    Object.assign(entry, { ofEvent: !!command.open_event_table, due: newDue(), moved: new Map() });
    entry.table = at && this.openTable(at.table);
    entry.before = Object.fromEntries(HOUSE_ACCOUNTS.map(name => [name, this.get(name)]));
    this.readCommand(command, index, entry);
    events.forEach(event => this.readEvent(event, entry));
    this.close(entry);
    this.time = time;
  }

  readCommand(command, index, entry) {
    const [[name, fields]] = Object.entries(command), { origin, amount } = isObject(fields) ? fields : {};
    if (index === 0 && name !== 'start_dealer')
      unsound('first_entry', "a log begins with the dealer's start; this one does not");
    if (name === 'start_dealer') {
      this.origin = this.origin || origin;
      if (this.origin !== origin)
        unsound('origin', `the dealer starts on the log ${quote(origin)}, this log is ${quote(this.origin)}`);
    }
    if (Object.hasOwn(LEDGER_WALLET_COMMANDS, name)) entry.wallet = this.walletDue(name, fields);
    if (name === 'admit_guest') entry.issued = BigInt(GUEST_CHIPS);
    if (name === 'dismiss_guest') entry.issued = -(this.get(`player:${fields.player}`) || 0n);
    if (!['credit', 'withdraw', 'correct'].includes(name)) return;
    const moved = BigInt(amount), sums = { credit: 'credited', withdraw: 'withdrawn', correct: 'corrected' };
    this[sums[name]] += moved;
    if (name === 'correct') entry.toHouse = moved;
    else entry.fromCage = name === 'credit' ? moved : -moved;
  }

  readEvent(event, entry) {
    const [name, fields] = ledgerEvent(event) || [], { at } = entry;
    if (name === 'posted') this.post(fields.lines, entry);
    if (name === 'paid') this.paid(fields.lines, entry);
    if (name === 'hand') this.handPaid(fields, entry);
    if (name === 'round_settled') this.roundSettled(fields, entry);
    if (name === 'round_voided') this.roundVoided(fields, entry);
    if (name === 'table_closed' || name === 'bets_lapsed') entry.ends = true;
    if (name === 'table_closed') entry.closes = true;
    if (name === 'player_created') {
      if (isGuest(fields.player)) unsound('state', `${fields.player} is the name of a guest`);
      if (this.accounts.has(`player:${fields.player}`)) unsound('state', `the player ${fields.player} exists`);
      this.accounts.set(`player:${fields.player}`, 0n);
    }
    if (name === 'table_opened') {
      this.open(entry);
      this.accounts.set(`table:${at.table}`, 0n);
    }
    if (name === 'tournament') this.ofTournament(fields, entry);
    if (Object.hasOwn(LEDGER_TRANSFER_EVENTS, name)) this.ofTransfer(name, fields, entry);
    if (name === 'guest_admitted') this.admitGuest(fields, entry);
    if (name === 'guest_dismissed') this.dismissGuest(fields, entry);
  }

  /** A guest has the next number, and no name comes twice. */
  admitGuest({ player }, { command }) {
    if (!command.admit_guest || player !== `guest.${this.admitted}`)
      unsound('state', `${player} is not the next guest, guest.${this.admitted}`);
    this.admitted++;
    this.accounts.set(`player:${player}`, 0n);
  }

  dismissGuest({ player }, { command }) {
    const goes = command.dismiss_guest && command.dismiss_guest.player === player && isGuest(player);
    if (!goes || this.get(`player:${player}`) !== 0n) unsound('state', `${player} is no guest who goes here`);
    this.accounts.delete(`player:${player}`);
  }

  /** A table, or a tournament: its name is used once. */
  open(entry) {
    const { at } = entry;
    if (!at) unsound('table_seq', 'a table is opened in an entry that is filed under none');
    if (entry.opens || this.tables.has(at.table)) unsound('state', `the table name ${at.table} was used before`);
    entry.opens = true;
    entry.table = {
      name: at.table, seq: 0, closed: false, house: 0n, paid: 0n, staked: 0n, returned: 0n, seats: new Set(),
      ofEvent: entry.ofEvent,
      event: null,
    };
    this.tables.set(at.table, entry.table);
  }

  ofTournament({ word, inner }, entry) {
    if (word === 'created') {
      this.open(entry);
      entry.table.event = new LedgerTournament(inner);
      for (const own of OWN_ACCOUNTS) this.accounts.set(`${own}:${entry.table.name}`, 0n);
      return;
    }
    const { event, name } = entry.table || {};
    if (!event) unsound('state', `${word} is said in no tournament's entry`);
    event.read(word, inner, entry.due, own => this.get(`${own}:${name}`));
  }

  /**
   * Whether an account can move in an entry: no money moves at a tournament's table, and accounts of tournaments move
   * only in a tournament's own entries. Returns its name among that entry's movements.
   */
  movedAs(account, { table }) {
    const [, kind, name] = /^([a-z]+):(.*)$/.exec(account) || [null, account, ''], isOwn = OWN_ACCOUNTS.includes(kind);
    const event = table && table.event, ofTournaments = ['tickets', 'rounding_residual', 'tdollars'].includes(kind);
    if (table && table.ofEvent)
      unsound('posting', `${account} moves at a tournament's table, where chips are no money`);
    if ((ofTournaments && !event) || (isOwn && !(event && name === table.name)))
      unsound('posting', `${account} moves in an entry that is not the tournament's`);
    if (kind === 'tdollars' && this.accounts.has(`player:${name}`) && !this.accounts.has(account))
      this.accounts.set(account, 0n);
    return isOwn ? kind : account;
  }

  /** Lines of `[account, amount, balance after]` that sum to zero. */
  post(lines, entry) {
    const most = BigInt(MAX_AMOUNT), { table } = entry;
    for (const [account, amount, stated] of lines) {
      addMove(entry.moved, this.movedAs(account, entry), amount);
      if (isOfPlay(account) !== isOfPlay(lines[0][0]))
        unsound('posting', `${account} holds chips of another kind than ${lines[0][0]}`);
      const seat = /^seat:(.*)\/([1-9][0-9]{0,2})$/.exec(account),
        own = table && !table.event && (account === `table:${table.name}` || (seat && seat[1] === table.name));
      if (account.startsWith('seat:') && (!seat || Number(seat[2]) > 255))
        unsound('posting', `${account} is no account`);
      if (/^(table|seat):/.test(account) && !own)
        unsound('posting', `chips of ${account} move in an entry that is not the table's`);
      if (seat && !this.accounts.has(account)) this.accounts.set(account, 0n);
      if (seat) table.seats.add(account);
      if (!this.accounts.has(account)) unsound('posting', `there is no account ${account}`);
      const after = this.get(account) + BigInt(amount), least = mayOwe(account) ? -most : 0n;
      if (after < least || after > most)
        unsound('posting', `${account} would leave the range it may stand in, at ${after}`);
      if (after !== BigInt(stated))
        unsound('posting', `the log says ${account} stands at ${stated}, the book says ${after}`);
      this.accounts.set(account, after);
    }
    if (sumBig(lines, ([, amount]) => amount) !== 0n) unsound('ledger_total', 'a posting does not sum to zero');
    this.postings++;
  }

  /** The payments of wagers: the house's gain in the round. */
  paid(lines, { table }) {
    if (!table) unsound('state', 'wagers are paid at no table');
    table.staked += sumBig(lines, ({ stake }) => stake);
    table.returned += sumBig(lines, ({ returned }) => returned);
    table.paid = table.staked - table.returned;
  }

  /**
   * The result of a hand of poker: each pot is its shares and its rake, and all chips put in lie in pots or went back.
   */
  handPaid({ pots, uncalled, seats }, entry) {
    const { table } = entry,
      back = uncalled ? BigInt(uncalled.amount) : 0n,
      shares = ({ won }) => sumBig(won, ({ amount }) => amount);
    for (const pot of pots) {
      if (shares(pot) + BigInt(pot.rake) !== BigInt(pot.amount))
        unsound('payout', `a pot of ${pot.amount} pays ${shares(pot)} and a rake of ${pot.rake}`);
    }
    const putIn = sumBig(seats, seat => seat.put_in), got = sumBig(seats, seat => seat.got);
    const amount = sumBig(pots, pot => pot.amount), won = pots.reduce((all, pot) => all + shares(pot), 0n);
    if (putIn !== amount + back || got !== won + back) {
      unsound(
        'payout',
        `${putIn} were put in and ${got} got, the pots are ${amount}, their shares ${won}, and ${back} went back`,
      );
    }
    entry.raked += sumBig(pots, ({ rake }) => rake);
    if (!table) unsound('state', 'a hand is paid at no table');
    table.staked += putIn;
    table.returned += got;
  }

  roundSettled({ staked, returned, players }, entry) {
    const { table } = entry;
    const sums = [sumBig(players, one => one.staked), sumBig(players, one => one.returned)].join(' and ');
    const settles = `${staked} and ${returned}`;
    if (sums !== settles) unsound('settlement', `its players staked and got back ${sums}, the log settles ${settles}`);
    if (!table) unsound('state', 'a round is settled at no table');
    const wagers = `${table.staked} and ${table.returned}`;
    // In a tournament's hand there may be players without a seed, whom the round does not name; it moves no money.
    if (wagers !== settles && !table.ofEvent)
      unsound('settlement', `the round's wagers and returns were ${wagers}, the log settles ${settles}`);
    this.settled++;
    // Play chips are no money, and neither are a tournament's.
    this.staked += table.ofEvent || entry.isPlay ? 0n : BigInt(staked);
    this.returned += table.ofEvent || entry.isPlay ? 0n : BigInt(returned);
    this.endRound(entry, table.paid);
  }

  roundVoided({ cause, kept = [] }, entry) {
    if (!entry.table) unsound('state', 'a round ends at no table');
    this.voided++;
    // A void takes back the round's payments, except spent ones; an abandoned round does not.
    this.endRound(entry, cause === 'abandoned' ? entry.table.paid : -sumBig(kept, ({ amount }) => amount));
  }

  /** Checks that the round's postings gave the house the gain of its wagers, or the amount of its void. */
  endRound(entry, due) {
    const { table } = entry, posted = table.house + this.moved(entry);
    Object.assign(table, { house: 0n, paid: 0n, staked: 0n, returned: 0n });
    // For a rake in play chips that account is due nothing more.
    if (entry.isPlay) entry.before.play = this.get('play') - entry.raked;
    else entry.before.house = this.get('house');
    entry.ends = true;
    this.sameResult(due, posted);
  }

  /** The sum from the table's rounds in the account that they settle against; for play chips beside the rake. */
  moved({ before, isPlay, raked }) {
    return isPlay ? this.get('play') - before.play - raked : this.get('house') - before.house;
  }

  sameResult(due, posted) {
    if (due !== posted) unsound('ledger_house', `the house is due ${due} here, postings give it ${posted}`);
  }

  /**
   * Checks a whole entry: chips come and go only by the operator's commands, a round's money is the house's by its
   * wagers' payments, and a table without a round or a window holds no money.
   */
  close(entry) {
    const { at, table, before, fromCage, toHouse, raked, ends, closes, due, moved: moves, issued, isPlay } = entry;
    const out = before.cage - this.get('cage'),
      rake = this.get('rake') - before.rake,
      moved = this.moved(entry);
    if (out !== fromCage)
      unsound('ledger_cage', `the command lets the cage give ${fromCage}, its postings take ${out} from it`);
    const given = before.play - this.get('play'), rakes = isPlay ? 0n : raked;
    if (!isPlay && given !== issued)
      unsound('ledger_cage', `the command lets ${issued} play chips out, its postings take ${given}`);
    if (rake !== rakes) unsound('settlement', `the pots give a rake of ${rakes} here, postings give ${rake}`);
    if (isPlay) this.sameResult(0n, this.get('house') - before.house);
    this.settleTransfer(entry);
    this.settleWallet(entry);
    if (!at) {
      this.sameResult(toHouse, moved);
      return;
    }
    if (!table) unsound('table_seq', `there is no open table ${at.table}`);
    if (at.seq !== table.seq)
      unsound('table_seq', `the entry is number ${at.seq} of table ${at.table}, number ${table.seq} comes next`);
    table.seq++;
    if (table.event) {
      table.event.settle(due, moves, own => this.get(`${own}:${table.name}`));
      return;
    }
    table.house += moved;
    const left = this.get(`table:${table.name}`);
    if (ends && left)
      unsound('state', `no round and no bets are open, and ${left} chips are left on table ${table.name}`);
    if (closes && [...table.seats].some(seat => this.get(seat)))
      unsound('state', `table ${table.name} is closed, and chips lie before its seats`);
    table.closed = table.closed || closes;
    this.sameResult(table.paid + toHouse, table.house);
  }

  /** Both follow from the checks of each entry; they are still added up, in another way. */
  finish() {
    const all = [...this.accounts.values()].reduce((one, other) => one + other, 0n),
      paidIn = this.credited - this.withdrawn;
    if (all) unsound('ledger_total', `all accounts together stand at ${all}, not at zero`);
    if (playTotal(this.accounts) !== 0n) unsound('ledger_total', 'the accounts of play chips do not sum to zero');
    if (this.get('cage') !== -paidIn)
      unsound('ledger_cage', `${paidIn} were paid in and not out again, the cage stands at ${this.get('cage')}`);
  }

  report() {
    const of = kind =>
      [...this.accounts]
        .filter(([name]) => name.startsWith(`${kind}:`) && !isOfPlay(name))
        .reduce((all, [, balance]) => all + balance, 0n);
    const ledger = {
      players: of('player'), tables: of('table'), seats: of('seat'), house: this.get('house'), rake: this.get('rake'),
      cage: this.get('cage'), credited: this.credited, withdrawn: this.withdrawn, corrected: this.corrected,
    };
    const ofTournaments = [...OWN_ACCOUNTS, 'tdollars'].reduce((all, kind) => all + of(kind), 0n) +
      this.get('tickets') + this.get('rounding_residual');
    if (ofTournaments) ledger.tournaments = ofTournaments;
    if (of('transfers')) ledger.transfers = of('transfers');
    if (this.get(WALLET)) ledger.wallet = this.get(WALLET);
    if (this.get('play')) ledger.play = -this.get('play');
    const { postings, settled, voided, staked, returned } = this;
    const counts = { postings, settled, voided, staked, returned };
    const numbers = values =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sumInJson(BigInt(value))]));
    return { ...numbers(counts), ledger: numbers(ledger) };
  }
}

for (const methods of [TRANSFERS_OF_LEDGER, WALLET_OF_LEDGER])
  Object.defineProperties(LedgerBook.prototype, Object.getOwnPropertyDescriptors(methods));

/** The verdict on a whole log's tree and money alone; `log` and `against` are those of verifyLog. */
function verifyLedger(logOrText, against = {}) {
  const log = typeof logOrText === 'string' ? logOfText(logOrText) : logOrText, given = readGiven(against);
  const vouched = vouchedWords(Object.assign(given, { checkpoint: given.checkpoint || log.note }));
  const book = new LedgerBook(given.key && given.key.name), findings = [];
  requireSigned(given, log);
  let entries = 0;
  const held = action => {
    try {
      action();
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      const { check, entry, message } = error;
      findings.push({ check, ...(entry === undefined ? {} : { entry }), message });
    }
  };
  held(() => {
    log.lines.forEach((line, index) => { located(index, undefined, () => book.feed(line, index)); entries++; });
    book.finish();
  });
  const report = {
    verdict: findings.length ? 'not_sound' : 'sound_ledger_only',
    checked: LEDGER_CHECKED,
    not_checked: LEDGER_NOT_CHECKED,
    findings,
    story: [],
    key: given.key && given.key.text,
    signature_checked: !!given.key && !!given.checkpoint,
    entries,
    book: book.report(),
  };
  if (findings.length) {
    report.story.push(vouched, ...findings.map(({ check, entry, message }) =>
      `NOT SOUND. ${entry === undefined ? '' : `entry ${entry}: `}${message} [${check}]`));
  } else {
    report.story.push(...LEDGER_NOT_CHECKED.map(what => `Not checked: ${what}.`),
      `SOUND (LEDGER ONLY). ${entries} entries were added up. The same command without --ledger-only checks the ` +
        `rest. ${vouched}`,
    );
  }
  return report;
}
