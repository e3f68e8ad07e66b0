// The form of entries, commands and rule sets: spec/entries.md, "Encoding", "Commands", "Rule sets".

const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;          // 2^53 − 1
const HALF = 2 ** 52 - 1;
const WEEK_MS = 604800000;

// Integers above 2^53 − 1 are refused here: JavaScript has no exact number for them, and no honest entry holds one.
const whole = (low, high) => value => Number.isInteger(value) && !Object.is(value, -0) && value >= low && value <= high;
const isAmount = whole(0, MAX_AMOUNT), isCount = isAmount, isSlot = whole(0, 65535);
/** Numbers of one, two and four bytes. */
const isByte = whole(0, 255), isSmall = whole(0, 65535), isLong = whole(0, 2 ** 32 - 1);
const isSigned = whole(-MAX_AMOUNT, MAX_AMOUNT);
const isBool = value => typeof value === 'boolean';
const isLabel = text => typeof text === 'string' && /^[ -~]{1,200}$/.test(text);
/** Any text that a string of an entry may hold: JSON has an escape for a newline, but an entry has none. */
const isPlainText = text => typeof text === 'string' && /^[ -~]*$/.test(text);
const isHolder = text =>
  typeof text === 'string' && /^(player|auditor):/.test(text) && isName(text.slice(text.indexOf(':') + 1));
const isPlayerActor = text => typeof text === 'string' && text.startsWith('player:') && isName(text.slice(7));
const isActor = text => ['operator', 'house', 'anyone'].includes(text) || isHolder(text);
const oneOf = (...words) => value => words.includes(value);
const listOf =
  (form, least = 0, most = Infinity) =>
  value =>
    isList(value) && value.length >= least && value.length <= most && value.every(form);

const pairOf = (first, second) => value => isList(value) && value.length === 2 && first(value[0]) && second(value[1]);

/** An object of exactly these fields in this order; a name that ends in `?` may be left out. */
function fieldsOf(forms) {
  const names = Object.keys(forms).map(name => name.replace('?', ''));
  for (const [name, form] of Object.entries(forms)) if (typeof form !== 'function') throw new Error(`no form: ${name}`);
  return value => {
    if (!isObject(value)) return false;
    const keys = Object.keys(value), expected = names.filter(name => keys.includes(name));
    return (
      keys.length === expected.length &&
      keys.every((key, i) => key === expected[i]) &&
      Object.entries(forms).every(([name, form]) =>
        name.endsWith('?')
          ? !keys.includes(name.slice(0, -1)) || form(value[name.slice(0, -1)])
          : keys.includes(name) && form(value[name]),
      )
    );
  };
}

const isBet = fieldsOf({
  spot: text => typeof text === 'string' && !/\p{Cs}/u.test(text),
  stake: isAmount,
  'chips?': listOf(isAmount, 0, 1000),
});
const isPlace = text =>
  typeof text === 'string' &&
  (/^[a-z][a-z0-9:-]{0,31}$/.test(text) ||
    (/^[1-9][0-9]{0,2}\/[1-9][0-9]{0,2}$/.test(text) && text.split('/').every(n => n <= 255)));
const isCommitment = fieldsOf({ commitment: isHash, root: isHash });

const ACTION_FIELDS = {
  double: fieldsOf({ 'amount?': isAmount }),
  insurance: fieldsOf({ take: isBool }),
  even_money: fieldsOf({ take: isBool }),
  bet: fieldsOf({ to: isAmount }), raise: fieldsOf({ to: isAmount }),
  change: fieldsOf({ card: isCard }),
  open: fieldsOf({ 'hand?': isPlace }),
  discard: fieldsOf({ 'hand?': isPlace }),
};

function isAction(action) {
  if (typeof action === 'string')
    return [
      'hit', 'stand', 'split', 'surrender', 'face_down', 'accept', 'reject', 'pass', 'fold', 'check', 'call', 'show',
      'muck',
    ].includes(action);
  if (!isObject(action) || Object.keys(action).length !== 1) return false;
  const [word] = Object.keys(action);
  return Object.hasOwn(ACTION_FIELDS, word) && ACTION_FIELDS[word](action[word]);
}

const isRoot = text => hash64(text) !== null;
const isComingIn = oneOf('post', 'wait');
const isLimitOf = oneOf('deposit', 'loss', 'play_time'), isLimitPer = oneOf('day', 'week', 'month');
const isCall = oneOf('reserve', 'commit', 'cancel', 'pay'), isAnswer = oneOf('accepted', 'refused');

/** A field that is present if true and left out otherwise: `false` would be a second encoding. */
function isSet(value) {
  if (value === false) unsound('canonical_form', 'a field that is false is left out');
  return value === true;
}

/** The policy of another log, left out if there is none: `null` would be a second encoding. */
function isPolicy(value) {
  if (value === null) unsound('canonical_form', 'a policy that is none is left out');
  return isPlainText(value);
}

// --- Events -------------------------------------------------------------------------------------

const TRANSFERS = 'transfers:'; // before the name of the other log
const isAccount = text =>
  ['cage', 'house', 'rake', 'play', 'wallet', 'tickets', 'rounding_residual'].includes(text) ||
  (typeof text === 'string' && text.startsWith(TRANSFERS) && isOrigin(text.slice(TRANSFERS.length))) ||
  (typeof text === 'string' &&
    (/^(player|table|tdollars|pool|fees|bounties|stakes):/.test(text)
      ? isName(text.slice(text.indexOf(':') + 1))
      : /^seat:[a-z0-9_-][a-z0-9._-]{0,63}\/[1-9][0-9]{0,2}$/.test(text) && Number(text.split('/')[1]) <= 255));
const isPlacedBet = fieldsOf({ player: isName, bets: listOf(isBet), commitment: isHash });
const isActionWord = oneOf(
  'hit', 'stand', 'double', 'split', 'insurance', 'even_money', 'surrender', 'face_down', 'change', 'accept', 'reject',
  'open', 'discard', 'pass', 'fold', 'check', 'call', 'bet', 'raise', 'show', 'muck',
);
const isSeat = isByte;
// The events that poker adds: spec/games/poker-table.md, "Events".
const seatAmount = fieldsOf({ seat: isSeat, amount: isAmount });
const isPlaces = fieldsOf({ button: isSeat, small: isSeat, big: isSeat, 'third?': isSeat });
const isHandStart = fieldsOf({
  positions: isPlaces,
  seats: listOf(fieldsOf({
      due: fieldsOf({ seat: isSeat, ante: isAmount, dead: isAmount, live: isAmount, opens: isBool }),
      player: isName,
      stack: isAmount,
      bank_ms: isCount,
    }),
    2,
    10,
  ),
});
const isBlinds = fieldsOf({
  small: isAmount,
  big: isAmount,
  'third?': isAmount,
  ante: isAmount,
  straddle: isBool,
  entry_post: oneOf('small', 'big'),
});
const isPokerEvent = fieldsOf({ settled: fieldsOf({
  pots: listOf(
    fieldsOf({
      amount: isAmount,
      rake: isAmount,
      seats: listOf(isSeat),
      won: listOf(fieldsOf({ seat: isSeat, amount: isAmount, 'low?': isSet })),
    }),
  ),
  'uncalled?': seatAmount,
  seats: listOf(fieldsOf({ seat: isSeat, player: isName, put_in: isAmount, got: isAmount, stack: isAmount })),
}) });
const isLoggedOpening = fieldsOf({
  slot: isSlot,
  value: whole(0, 255),
  salt: text => unhex(text, 16) !== null,
  path: listOf(isHash, 0, 12),
});

const isLapseCause = oneOf('no_bets', 'too_few_players', 'restart', 'malfunction', 'closed', 'no_seeds');
const isResults = listOf(fieldsOf({ player: isName, staked: isAmount, returned: isAmount }));
const isCutOff = oneOf('due', 'had');
// A table between rounds: "The table as it stands".
const waitingList = listOf(pair => isList(pair) && pair.length === 2 && isName(pair[0]) && isCount(pair[1]));
const isNotedBetting = fieldsOf({
  seats: listOf(fieldsOf({ seat: isSeat, player: isName, used: isCount, misses: isSeat })),
  asked: listOf(isName),
  newcomers: listOf(isName),
  last: listOf(isName),
  goes_on: isBool,
  waiting: waitingList,
});
const isNotedCash = fieldsOf({
  seats: listOf(fieldsOf({
      seat: isSeat, player: isName, used: isCount, stack: isAmount, sitting_out: isBool,
      owes: fieldsOf({ entry: isBool, small: isBool, big: isBool, third: isBool }),
      entry: isComingIn, straddle: isBool, hands: whole(0, 2 ** 32 - 1), away: whole(0, 65535), bank_ms: isCount,
      'cut_off?': isCutOff,
    }),
  ),
  'positions?': isPlaces,
  'event?': fieldsOf({
    level: isSlot, blinds: isBlinds, 'button?': isSeat, 'doubled?': isNotZero, 'late_extra_ms?': isNotZero,
  }),
  carried: listOf(pair => isList(pair) && pair.length === 2 && isName(pair[0]) && isHash(pair[1])),
  waiting: waitingList,
});

// What each named form of spec/words.md takes in an entry: what fits its bytes. Bounds beyond that are the rules'.
const NAMED = {
  Name: isName, Origin: isOrigin, LogName: isOrigin, LongOrigin: isOrigin, Hex32: isHash, TreeRoot: isRoot,
  Number: isCount, Time: isCount, Chips: isAmount, NotZero: value => isNotZero(value), Reference: isLabel,
  Text: isPlainText, Policy: isPolicy, Holder: isHolder, Signature: text => unhex(text, 64) !== null,
  Announced: isSet, ExtraMs: value => isNotZero(value),
  Blinds: text => typeof text === 'string',
  RuleSet: value => isRuleForm(value), Composition: text => readComposition(text) !== null, Committed: isCommitment,
  LimitOf: isLimitOf, LimitPer: isLimitPer, WalletCall: isCall, WalletAnswer: isAnswer,
  Bet: isBet, Bets: listOf(isBet, 0, 200), PlacedBet: isPlacedBet, Action: isAction,
  SeenCheckpoint: fieldsOf({ size: isCount, root: isRoot }),
  ClientKind: oneOf('desktop', 'mobile', 'browser'), ComeIn: isComingIn, SeatNumber: isSeat, SeatChips: seatAmount,
  Positions: isPlaces, HandStart: isHandStart, EventBlinds: isBlinds, CutOff: isCutOff,
  Doubled: value => isNotZero(value), LateExtra: value => isNotZero(value),
  NotedBetting: isNotedBetting, NotedCash: isNotedCash,
  PostedLine: line => isList(line) && line.length === 3 && isAccount(line[0]) && isSigned(line[1]) && isSigned(line[2]),
  RoundResults: isResults, LapseCause: isLapseCause, CallLapse: isLapseCause,
  Kept: listOf(fieldsOf({ player: isName, amount: isAmount }), 1),
  VoidCause: oneOf('reveal_missing', 'crash', 'malfunction', 'shoe_exhausted', 'abandoned'),
  Ahead: oneOf('nobody', 'level', 'players', 'house'),
  RetireCause: oneOf(
    'threshold', 'newcomer', 'full', 'idle', 'restart', 'exhausted', 'house_shuffle', 'closed', 'pile_used',
    'pile_unused',
  ),
  Opening: isLoggedOpening, Openings: listOf(isLoggedOpening, 0, 52), Slot: isSlot, Place: isPlace, Card: isCard,
  Offer: fieldsOf({ action: isActionWord, cost: isAmount, 'to?': listOf(isAmount, 2, 2) }),
  Outcome: oneOf('blackjack', 'win', 'draw', 'loss', 'bust', 'surrender', 'even_money'),
  SafeOutCause: oneOf('bust', 'face_down', 'absent'),
  SafeWonBy: oneOf('last_alive', 'survived', 'last_free_player', 'last_opened', 'last_round'),
};

const isSignature = fieldsOf({ nonce: whole(1, MAX_AMOUNT), signature: text => unhex(text, 64) !== null });
const isEntry = fieldsOf({
  v: value => value === 1, time: whole(0, HALF), by: isActor, 'at?': fieldsOf({ table: isName, seq: isCount }),
  'before?': listOf(pair => isList(pair) && pair.length === 2 && isName(pair[0]) && isAmount(pair[1]), 1),
  command: isObject, 'signed?': isSignature, events: isList,
});

/** An entry from its exact text; refuses every other encoding. */
function readEntry(text) {
  if (text.length > 65535) unsound('entry_form', 'an entry has at most 65,535 bytes');
  if (!/^[ -~]*$/.test(text)) unsound('entry_form', 'an entry is ASCII text without control characters');
  if (!nestedWithin(text, 32)) unsound('entry_form', 'an entry is not nested that deeply');
  let entry;
  try {
    entry = JSON.parse(text);
  } catch (error) {
    unsound('entry_form', `the entry is not JSON: ${error.message}`);
  }
  if (isObject(entry) && entry.v !== 1) unsound('entry_form', `the entry's version is ${quote(entry.v)}, not 1`);
  if (JSON.stringify(entry) !== text) unsound('canonical_form', 'the entry is not in its one encoding');
  if (isObject(entry) && isList(entry.before) && !entry.before.length)
    unsound('canonical_form', 'an empty list of balances is left out');
  if (!isEntry(entry))
    unsound('entry_form', 'the entry has unknown, missing or malformed fields, or another order of fields');
  const names = Object.keys(entry.command), [name] = names;
  if (names.length !== 1 || !Object.hasOwn(commandForm, name)) unsound('entry_form', `${quote(names)} is no command`);
  if (!commandForm[name](entry.command[name]))
    unsound('entry_form', `the command ${name} has unknown, missing or malformed fields`);
  const malformed = entry.events.findIndex(event => !isEvent(event));
  if (malformed >= 0)
    unsound('entry_form', `event ${malformed} is unknown, or has unknown, missing or malformed fields`);
  return entry;
}

// --- Rule sets ----------------------------------------------------------------------------------

const isReshuffle = value => value === 'every_round' ||
  ['cut_back', 'left_at_most', 'left_below'].some(word => fieldsOf({ [word]: whole(0, 65535) })(value));

const TABLE_RULES = {
  mode: oneOf('solo', 'shared'),
  seats: whole(0, 255),
  dealing: oneOf('sequential', 'lanes'),
  stake_min: isAmount,
  stake_max: isAmount,
  stake_step: isAmount,
  chips: listOf(isAmount),
  bets_per_player: whole(0, 65535),
  reshuffle: isReshuffle,
  house_shuffle: isBool,
  crash: oneOf('resume', 'rollback'),
  abandon: oneOf('finish', 'refund'),
  abandon_refunds: value => value === 'unlimited' || whole(0, 2 ** 32 - 1)(value),
  bet_time_ms: isCount,
  close_early: isBool,
  reveal_time_ms: isCount, turn_time_ms: isCount, round_time_ms: isCount,
  'between_hands_ms?': isCount, 'away_ms?': isCount,
};
const TABLE_FIELDS = Object.keys(TABLE_RULES).map(name => name.replace('?', '')), isTableRules = fieldsOf(TABLE_RULES);

const gameOf = rules => GAMES[Object.keys(rules.game)[0]];

/**
 * The least number of undrawn slots that a rule leaves before a round, and the number below which a new shoe is due.
 */
function leftByReshuffle(rule) {
  const [[word, n]] = Object.entries(rule);
  return word === 'left_at_most' ? n + 1 : n;
}

/** Whether a shoe with `left` undrawn slots is to be changed. */
function reshuffleDue(rule, left) {
  if (rule === 'every_round') return true;
  const [[word, n]] = Object.entries(rule);
  return word === 'left_at_most' ? left <= n : left < n;
}

/** Whether a rule set has the fields that an entry can hold; their values are checked elsewhere. */
const isRuleForm = rules =>
  fieldsOf({ name: text => typeof text === 'string', table: isTableRules, game: isObject })(rules) &&
  Object.keys(rules.game).length === 1 && Object.hasOwn(GAMES, Object.keys(rules.game)[0]) &&
  gameOf(rules).form(Object.values(rules.game)[0]);

/** Null, or why this is no valid rule set. */
function whyNoRuleSet(rules) {
  if (!isObject(rules) || Object.keys(rules).join() !== 'name,table,game') return 'a rule set has name, table and game';
  if (!isName(rules.name)) return 'its name is malformed';
  if (!isTableRules(rules.table)) return 'a field of table is unknown, missing, malformed or out of order';
  if (
    !isObject(rules.game) ||
    Object.keys(rules.game).length !== 1 ||
    !Object.hasOwn(GAMES, Object.keys(rules.game)[0])
  )
    return 'the game is unknown';
  const table = rules.table, game = gameOf(rules), options = rules.game[game.name];
  if (!isObject(options) || Object.keys(options).join() !== game.fields.join())
    return `a field of ${game.name} is unknown, missing or out of order`;
  const solo = table.mode === 'solo', clock = whole(1000, WEEK_MS);
  const firstStake = Math.ceil(table.stake_min / table.stake_step) * table.stake_step;
  const checks = [
    [
      solo ? table.seats === 1 && table.dealing === 'sequential' : table.seats >= 2 && table.seats <= 20,
      'seats and dealing do not fit the mode',
    ],
    [
      table.stake_min >= 1 && table.stake_min <= table.stake_max && table.stake_max <= 1e12,
      'the limits are out of range',
    ],
    [
      table.stake_step >= 1 && table.stake_step <= table.stake_max && firstStake <= table.stake_max,
      'no multiple of the step lies within the limits',
    ],
    [table.chips.length <= 32, 'there are at most 32 denominations'],
    [table.chips.every((chip, i) => chip > (i ? table.chips[i - 1] : 0)), 'denominations ascend and are above 0'],
    [!table.chips.length || table.stake_step % table.chips[0] === 0, 'some stakes cannot be placed with the chips'],
    [table.bets_per_player >= 1 && table.bets_per_player * table.seats <= 200, 'bets_per_player is out of range'],
    [table.abandon === 'finish' || solo, 'abandoned rounds cannot be refunded so'],
    [
      solo ? table.bet_time_ms === 0 && !table.close_early : clock(table.bet_time_ms),
      'the betting window is out of range',
    ],
    [clock(table.reveal_time_ms), 'reveal_time_ms is out of range'],
    [
      solo
        ? table.turn_time_ms === 0 && clock(table.round_time_ms)
        : clock(table.turn_time_ms) && table.round_time_ms === 0,
      'the clocks do not fit the mode',
    ],
    [
      table.between_hands_ms === undefined || (!solo && table.between_hands_ms <= 30000),
      'between_hands_ms is out of range',
    ],
    [
      table.away_ms === undefined || (!solo && whole(30000, 300000)(table.away_ms)),
      'away_ms is out of range',
    ],
  ];
  const failed = checks.find(([holds]) => !holds);
  if (failed) return failed[1];
  const why = game.refuseRules(rules);
  if (why) return why;
  const slots = readComposition(game.composition(rules)).slots;
  if (table.reshuffle !== 'every_round' && Object.values(table.reshuffle)[0] >= slots)
    return 'the shoe would never be used';
  return null;
}

/** JSON without white space, the keys of every object in ascending byte order. */
function sortedText(value) {
  if (isList(value)) return `[${value.map(sortedText).join()}]`;
  if (isObject(value))
    return `{${Object.keys(value)
      .sort()
      .map(key => `${quote(key)}:${sortedText(value[key])}`)
      .join()}}`;
  return JSON.stringify(value);
}

const rulesDigest = rules => hex(sha256(concat(label('rule-set'), utf8(sortedText(rules)))));
