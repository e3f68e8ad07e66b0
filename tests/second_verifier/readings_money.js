// The misreadings for readings.js of limits.md, wallet.md, recovery.md, games/tournaments.md, and of audit.md's parts
// about bundles and duties. `vectors` is the file that refutes each.
'use strict';

module.exports = [
  {
    page: 'limits.md, Commands',
    reading: 'an exclusion may end 1 ms later than 3650 days from now',
    vectors: 'entries-limits.json',
    from: 'need(until > this.time && until <= this.time + MOST_EXCLUSION_MS, ',
    to: 'need(until > this.time && until <= this.time + MOST_EXCLUSION_MS + 1, ',
  },
  {
    page: 'limits.md, Commands',
    reading: 'an exclusion that ends when the one that runs ends is another one',
    vectors: 'entries-limits.json',
    from: 'until > this.shutOut.get(player), ',
    to: 'until >= this.shutOut.get(player), ',
  },
  {
    page: 'limits.md, Commands',
    reading: 'the operator loosens where a key waits and none is in force',
    vectors: 'entries-more.json',
    from: 'const hasKey = this.keys.has(player) || this.waitingKeys.has(player);',
    to: 'const hasKey = this.keys.has(player);',
  },
  {
    page: 'limits.md, Commands',
    reading: 'the operator cannot tighten either where the player has a key',
    vectors: 'entries-limits.json',
    from: 'need(!loosens || who || !hasKey, ',
    to: 'need(who || !hasKey, ',
  },
  {
    page: 'limits.md, What is in force',
    reading: 'what is in force cannot be named again while a change waits',
    vectors: 'entries-limits.json',
    from: "need(most !== stands, 'nothing_to_do');\n    const loosens",
    to: "need(most !== stands && !(limit && most === limit.most), 'nothing_to_do');\n    const loosens",
  },
  {
    page: 'limits.md, What is in force',
    reading: 'a limit of as much as the one in force loosens, where a change waits',
    vectors: 'entries-limits.json',
    from: 'const loosens = !!limit && (most === undefined || most > limit.most), from',
    to: 'const loosens = !!limit && (most === undefined || most >= limit.most), from',
  },
  {
    page: 'limits.md, What is in force',
    reading: 'a change that loosens keeps the day of the one that waits',
    vectors: 'entries-limits.json',
    from: 'if (loosens) limit.waiting = { most, from };',
    to: 'if (loosens) limit.waiting = { most, from: limit.waiting ? limit.waiting.from : from };',
  },
  {
    page: 'limits.md, What is in force',
    reading: 'what tightens leaves a change that waits',
    vectors: 'entries-limits.json',
    from: 'Object.assign(limit, { most, waiting: null });\n    else own',
    to: 'limit.most = most;\n    else own',
  },
  {
    page: 'limits.md, What is in force',
    reading: 'what waits is in force from the entry after that day on only',
    vectors: 'entries-limits.json',
    from: 'if (waiting && this.time >= waiting.from) {',
    to: 'if (waiting && this.time > waiting.from) {',
  },
  {
    page: 'limits.md, Exclusions',
    reading: 'an exclusion holds at its end, too',
    vectors: 'entries-limits.json',
    from: 'isShutOut(player) { return this.time < (',
    to: 'isShutOut(player) { return this.time <= (',
  },
  {
    page: 'limits.md, Counting',
    reading: 'a period holds its end',
    vectors: 'entries-limits.json',
    from: 'if (this.time < until) continue;',
    to: 'if (this.time <= until) continue;',
  },
  {
    page: 'limits.md, Counting',
    reading: 'a period that was passed begins with the first entry after it',
    vectors: 'entries-limits.json',
    from: 'until: until + length * (1 + Math.floor((this.time - until) / length)) });',
    to: 'until: this.time + length });',
  },
  {
    page: 'limits.md, Counting',
    reading: 'a change of the amount begins a period',
    vectors: 'entries-limits.json',
    from: 'else if (limit) Object.assign(limit, { most, waiting: null });',
    to:
      'else if (limit) Object.assign(limit, { most, waiting: null, count: 0, until: this.time + ' +
      'LIMIT_MS[per] });',
  },
  {
    page: 'limits.md, Counting',
    reading: 'a change that comes into force begins a period',
    vectors: 'entries-limits.json',
    from: 'Object.assign(limit, { most: waiting.most, waiting: null });\n      }',
    to:
      'Object.assign(limit, { most: waiting.most, waiting: null, count: 0, until: this.time + ' +
      'length });\n      }',
  },
  {
    page: 'limits.md, Counting',
    reading: 'chips from the wallet are deposits',
    vectors: 'entries-more.json',
    from: "if (credit) this.countFor(credit.player, 'deposit', credit.amount);",
    to:
      "if (credit) this.countFor(credit.player, 'deposit', credit.amount);\n    for (const { " +
      "posted } of this.out)\n      if (posted && posted.lines[0][0] === 'wallet') " +
      "this.countFor(posted.lines[1][0].slice(7), 'deposit', posted.lines[1][1]);",
  },
  {
    page: 'limits.md, Counting',
    reading: 'what a player withdraws is lost',
    vectors: 'entries-limits.json',
    from: 'if (!hasPlace) return;\n    const moved',
    to: 'const moved',
  },
  {
    page: 'limits.md, Counting',
    reading: 'a loss never counts below 0',
    vectors: 'entries-limits.json',
    from: "if (this.limits.has(player)) this.countFor(player, 'loss', this.takenBy(player));",
    to:
      "if (this.limits.has(player)) this.countFor(player, 'loss', this.takenBy(player));\n      " +
      "for (const limit of this.limitsOf(player)) if (limit.of === 'loss') limit.count = " +
      'Math.max(0, limit.count);',
  },
  {
    page: 'limits.md, Counting',
    reading: 'a pause of exactly 10 minutes is none',
    vectors: 'entries-limits.json',
    from: 'if (since <= PLAY_GAP_MS) this.countFor',
    to: 'if (since < PLAY_GAP_MS) this.countFor',
  },
  {
    page: 'limits.md, Counting',
    reading: 'of a longer pause 10 minutes count',
    vectors: 'entries-limits.json',
    from: "if (since <= PLAY_GAP_MS) this.countFor(who, 'play_time', since);",
    to: "if (since < Infinity) this.countFor(who, 'play_time', Math.min(since, PLAY_GAP_MS));",
  },
  {
    page: 'limits.md, Counting',
    reading: 'every entry by the player is play, with a place or without',
    vectors: 'entries-limits.json',
    from:
      "if (credit) this.countFor(credit.player, 'deposit', credit.amount);\n    if (!hasPlace) " +
      'return;',
    to:
      "if (credit) this.countFor(credit.player, 'deposit', credit.amount);\n    if (!hasPlace) { " +
      'if (who) this.countPlay(who); return; }',
  },
  {
    page: 'limits.md, Counting',
    reading: 'play counts from before the limit of play time was set',
    vectors: 'entries-limits.json',
    from: 'if (!limits.some(isOfPlayTime)) this.played.delete(player);',
    to: '',
    also: [
      [
        'if (!this.limitsOf(who).some(isOfPlayTime)) return;\n',
        '',
      ],
    ],
  },
  {
    page: 'limits.md, What is refused',
    reading: 'a play time is reached only beyond its amount',
    vectors: 'entries-more.json',
    from: "of === 'play_time' && count >= most);",
    to: "of === 'play_time' && count > most);",
  },
  {
    page: 'limits.md, What is refused',
    reading: 'a deposit that comes to the limit is refused',
    vectors: 'entries-limits.json',
    from: "of === 'deposit' && count + amount > most)",
    to: "of === 'deposit' && count + amount >= most)",
  },
  {
    page: 'limits.md, What is refused',
    reading: 'a loss that comes to the limit is refused',
    vectors: 'entries-limits.json',
    from: 'count + taken > most), ',
    to: 'count + taken >= most), ',
  },
  {
    page: 'limits.md, What is refused',
    reading: 'a loss that is over its limit refuses also what takes nothing',
    vectors: 'entries-more.json',
    from: 'need(taken <= 0 || !limits.some(',
    to: 'need(!limits.some(',
  },
  {
    page: 'limits.md, What is refused',
    reading: 'an exclusion does not refuse money from the wallet',
    vectors: 'entries-limits.json',
    from: "const isPaidIn = name === 'credit' || name === 'wallet_deposit';",
    to: "const isPaidIn = name === 'credit';",
  },
  {
    page: 'limits.md, What is refused',
    reading: 'a limit of deposits counts for the wallet, too',
    vectors: 'entries-more.json',
    from: "if (name === 'credit')\n      need(",
    to: 'if (isPaidIn)\n      need(',
  },
  {
    page: 'limits.md, What is refused',
    reading: 'chips asked back at a cash table are refused as well',
    vectors: 'entries-limits.json',
    from: "if (name === 'add_chips') return fields.amount > 0;",
    to: "if (name === 'add_chips') return true;",
  },
  {
    page: 'limits.md, What is refused',
    reading: 'a seed for a hand of a tournament is refused',
    vectors: 'entries-more.json',
    from: "return name === 'commit_hand_seed' ? !(table && table.event) : LIMITED.includes(name);",
    to: "return name === 'commit_hand_seed' || LIMITED.includes(name);",
  },
  {
    page: 'limits.md, What is refused',
    reading: 'chips asked for in a hand are lost only when they are posted',
    vectors: 'entries-more.json',
    from: "if (name === 'add_chips') return fields.amount;\n",
    to: '',
  },
  {
    page: 'limits.md, What is refused',
    reading: 'a rebuy that is noted costs nothing yet',
    vectors: 'entries-more.json',
    from: 'return price + fee;\n  },\n\n  // --- Counted',
    to: 'return 0 * (price + fee);\n  },\n\n  // --- Counted',
  },
  {
    page: 'limits.md, What is refused',
    reading: 'of a rebuy that is noted the price counts, without the fee',
    vectors: 'entries-more.json',
    from: 'return price + fee;\n  },\n\n  // --- Counted',
    to: 'return price + 0 * fee;\n  },\n\n  // --- Counted',
  },
  {
    page: 'limits.md, What is refused',
    reading: "of stakes the seller's limits are asked",
    vectors: 'entries-more.json',
    from: "const LIMITED_AT_EVENT = ['register', 'rebuy', 'add_on', 'buy_stake'];",
    to: "const LIMITED_AT_EVENT = ['register', 'rebuy', 'add_on', 'offer_stake'];",
  },
  {
    page: 'limits.md, Carried commitments',
    reading: 'a carried commitment counts whatever the player allows themselves',
    vectors: 'entries-limits.json',
    from: 'window.expected.has(player) && (table.event || this.mayPlayOn(player)) &&',
    to: 'window.expected.has(player) &&',
  },
  {
    page: 'limits.md, The state',
    reading: 'a play time of exactly 10 minutes ago is not told',
    vectors: 'entries-more.json',
    from: '...(this.time - played <= PLAY_GAP_MS ? { played } : {}),',
    to: '...(this.time - played < PLAY_GAP_MS ? { played } : {}),',
  },
  {
    page: 'limits.md, The state',
    reading: 'limits stand in the order in which they were set',
    vectors: 'entries-more.json',
    from:
      '.sort((a, b) => LIMIT_NAMES.indexOf(nameOfLimit(a.of, a.per)) - ' +
      'LIMIT_NAMES.indexOf(nameOfLimit(b.of, b.per)))\n',
    to: '\n',
  },
  {
    page: 'wallet.md, Commands',
    reading: 'what open deposits ask for does not count against the most that a player may have',
    vectors: 'entries-wallet.json',
    from: 'this.balance(player) + asked + amount <= HALF',
    to: 'this.balance(player) + amount <= HALF',
  },
  {
    page: 'wallet.md, Commands',
    reading: 'open withdrawals count, too, against the most that a player may have',
    vectors: 'entries-more.json',
    from: 'const asked = sum(this.operationsOf(player).filter(isDeposit).map(',
    to: 'const asked = sum(this.operationsOf(player).map(',
  },
  {
    page: 'wallet.md, Commands',
    reading: 'a player has up to nine open operations of a kind',
    vectors: 'entries-wallet.json',
    from: 'return own < MOST_OPERATIONS_OF_ONE &&',
    to: 'return own <= MOST_OPERATIONS_OF_ONE &&',
  },
  {
    page: 'wallet.md, Commands',
    reading: 'deposits and withdrawals have eight together',
    vectors: 'entries-wallet.json',
    from: 'this.operationsOf(player).filter(operation => isDeposit(operation) === isOne).length;',
    to: 'this.operationsOf(player).length;',
  },
  {
    page: 'wallet.md, Commands',
    reading: 'the operator withdraws for a player whose first key waits',
    vectors: 'entries-wallet.json',
    from:
      "need(this.keys.has(player) ? who : !this.waitingKeys.has(player), 'signature_missing');\n " +
      '   this.takeFrom(player, amount);\n    need(this.walletStands()',
    to:
      "need(this.keys.has(player) ? who : true, 'signature_missing');\n    this.takeFrom(player, " +
      'amount);\n    need(this.walletStands()',
  },
  {
    page: 'wallet.md, Commands',
    reading: 'the operator withdraws for a player who has a key',
    vectors: 'entries-wallet.json',
    from:
      "need(this.keys.has(player) ? who : !this.waitingKeys.has(player), 'signature_missing');\n " +
      '   this.takeFrom(player, amount);\n    need(this.walletStands()',
    to:
      "need(who || !this.waitingKeys.has(player), 'signature_missing');\n    " +
      'this.takeFrom(player, amount);\n    need(this.walletStands()',
  },
  {
    page: 'wallet.md, Commands',
    reading: 'a deposit is cancelled while it waits for commit, too',
    vectors: 'entries-wallet.json',
    from: "need(operation.call === 'reserve', 'nothing_to_do');",
    to: "need(isDeposit(operation), 'nothing_to_do');",
  },
  {
    page: 'wallet.md, Commands',
    reading: 'only the operator cancels',
    vectors: 'entries-wallet.json',
    from: "need(this.by === 'operator' || who === player, 'not_allowed');\n    need(operation.call",
    to: "need(this.by === 'operator', 'not_allowed');\n    need(operation.call",
  },
  {
    page: 'wallet.md, Commands',
    reading: 'an operation that is not open is nothing to do',
    vectors: 'entries-wallet.json',
    from: "need(operation, 'unknown_operation');",
    to: "need(operation, 'nothing_to_do');",
  },
  {
    page: 'wallet.md, Commands',
    reading: 'a commit may be refused',
    vectors: 'entries-wallet.json',
    from: "need(!isRefused || call === 'reserve' || call === 'pay', 'malformed',",
    to: "need(!isRefused || call !== 'cancel', 'malformed',",
  },
  {
    page: 'wallet.md, Commands',
    reading: 'a reason may stand with an acceptance',
    vectors: 'entries-wallet.json',
    from:
      "need(isRefused || reason === undefined, 'malformed', 'a reason stands with a refusal " +
      "alone');",
    to: '',
  },
  {
    page: 'wallet.md, wallet_answer',
    reading: 'chips come although the player would have more than 2⁵² − 1',
    vectors: 'entries-wallet.json',
    from: 'comes = isHeld && this.balance(player) + amount <= HALF;',
    to: 'comes = isHeld;',
  },
  {
    page: 'wallet.md, wallet_answer',
    reading: 'exactly 2⁵² − 1 is too many',
    vectors: 'entries-wallet.json',
    from: 'comes = isHeld && this.balance(player) + amount <= HALF;',
    to: 'comes = isHeld && this.balance(player) + amount < HALF;',
  },
  {
    page: 'wallet.md, wallet_answer',
    reading: 'chips come when the wallet has handed over, not when it holds them',
    vectors: 'entries-wallet.json',
    from: "const isHeld = call === 'reserve' && !isRefused, comes = isHeld && ",
    to: "const isHeld = call === 'reserve' && !isRefused, comes = call === 'commit' && ",
  },
  {
    page: 'wallet.md, wallet_answer',
    reading: 'a deposit for which there is no room any more is over',
    vectors: 'entries-wallet.json',
    from: 'if (isHeld) this.askWallet(no, comes ?',
    to: 'if (isHeld && comes) this.askWallet(no, comes ?',
  },
  {
    page: 'wallet.md, wallet_answer',
    reading: 'a withdrawal that is refused is asked for again',
    vectors: 'entries-wallet.json',
    from: 'else this.endOperation(no, player);',
    to: "else if (!(call === 'pay' && isRefused)) this.endOperation(no, player);",
  },
  {
    page: 'wallet.md, Postings',
    reading: "a withdrawal's chips go when the wallet has answered",
    vectors: 'entries-wallet.json',
    from:
      '    this.post([`player:${player}`, -amount], [WALLET, amount]);\n    ' +
      "this.askWallet(this.wallet.count, 'pay'",
    to: "    this.askWallet(this.wallet.count, 'pay'",
  },
  {
    page: 'wallet.md, Postings',
    reading: 'the line of the wallet stands first in a withdrawal',
    vectors: 'entries-wallet.json',
    from:
      'this.post([`player:${player}`, -amount], [WALLET, amount]);\n    ' +
      "this.askWallet(this.wallet.count, 'pay'",
    to:
      'this.post([WALLET, amount], [`player:${player}`, -amount]);\n    ' +
      "this.askWallet(this.wallet.count, 'pay'",
  },
  {
    page: 'wallet.md, In the state',
    reading: 'operations are counted when they are over',
    vectors: 'entries-wallet.json',
    from: 'if (no === this.wallet.count) this.wallet.count++;',
    to: 'if (no === this.wallet.open.size) this.wallet.count++;',
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'a deposit that waits for reserve may not have been committed',
    vectors: 'wallet.json',
    from: "'waits for reserve': [UNKNOWN, 'reserved', 'committed', 'refused', 'cancelled'],",
    to: "'waits for reserve': [UNKNOWN, 'reserved', 'refused', 'cancelled'],",
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'what waits for commit may be unknown to the wallet',
    vectors: 'wallet.json',
    from: "'waits for commit': ['reserved', 'committed'],",
    to: "'waits for commit': [UNKNOWN, 'reserved', 'committed'],",
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'what waits for cancel may have been committed',
    vectors: 'wallet.json',
    from: "'waits for cancel': [UNKNOWN, 'reserved', 'cancelled', 'refused'],",
    to: "'waits for cancel': [UNKNOWN, 'reserved', 'cancelled', 'refused', 'committed'],",
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'a refused withdrawal that the wallet does not know differs',
    vectors: 'wallet.json',
    from: "'pay refused': [UNKNOWN, 'refused'],",
    to: "'pay refused': ['refused'],",
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'a cancelled deposit that was refused differs',
    vectors: 'wallet.json',
    from: "'cancel accepted': [UNKNOWN, 'cancelled', 'refused'],",
    to: "'cancel accepted': [UNKNOWN, 'cancelled'],",
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'what is under way for exactly three days is overdue',
    vectors: 'wallet.json',
    from: 'if (underWay.some(({ since }) => now - since > OPERATION_LATE_MS))',
    to: 'if (underWay.some(({ since }) => now - since >= OPERATION_LATE_MS))',
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'what is later makes no verdict',
    vectors: 'wallet.json',
    from: 'if (underWay.length || later.length) report.verdict',
    to: 'if (underWay.length) report.verdict',
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'what the house asked to have cancelled is no deposit, nor what waits for commit',
    vectors: 'wallet.json',
    from: "deposits: sums(operations, 'stands', ['waits for commit', 'commit accepted']),",
    to: "deposits: sums(operations, 'stands', ['commit accepted']),",
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'a withdrawal that waits for the wallet is none yet',
    vectors: 'wallet.json',
    from: "withdrawals: sums(operations, 'stands', ['waits for pay', 'pay accepted']),",
    to: "withdrawals: sums(operations, 'stands', ['pay accepted']),",
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'what is overdue goes before what differs',
    vectors: 'wallet.json',
    from: "if (differs.length) report.verdict = 'differs';",
    to: "if (differs.length && report.verdict !== 'overdue') report.verdict = 'differs';",
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'an empty line at the end is passed over',
    vectors: 'wallet.json',
    from: "const operations = new Map(), lines = text.split('\\n');\n  if (lines",
    to: "const operations = new Map(), lines = text.split('\\n');\n  while (lines",
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'a number twice is read',
    vectors: 'wallet.json',
    from: 'if (no <= last) wrong(',
    to: 'if (no < last) wrong(',
  },
  {
    page: 'wallet.md, Reconciliation',
    reading: 'an amount of 0 is read',
    vectors: 'wallet.json',
    from: '!isPositive(amount) || !isWalletState(state))',
    to: '!isCount(amount) || !isWalletState(state))',
  },
  {
    page: 'recovery.md, A start',
    reading: 'another master key may start the log',
    vectors: 'entries-more.json',
    from: "need(origin === this.start.origin && master_id === this.start.master_id, 'wrong_start'",
    to: "need(origin === this.start.origin, 'wrong_start'",
  },
  {
    page: 'recovery.md, A start',
    reading: 'the epoch in force may be used again',
    vectors: 'entries-more.json',
    from: "need(epoch !== this.start.epoch, 'wrong_start', 'the epoch is in force already');",
    to: '',
  },
  {
    page: 'recovery.md, Recovery of a table',
    reading: 'a shoe in use stays after a restart',
    vectors: 'entries-readings.json',
    from: "if (table.shoe) this.revealShoe('restart');\n    } else if",
    to: '} else if',
  },
  {
    page: 'recovery.md, Recovery of a table',
    reading: 'a round at a solo table gets its full time again',
    vectors: 'entries-joy.json',
    from: 'live.settleBy += this.time - table.downSince;',
    to: 'live.settleBy = this.time + rules.table.round_time_ms;',
  },
  {
    page: 'recovery.md, Time again, once',
    reading: 'seeds get their full time again at each start',
    vectors: 'entries-readings.json',
    from: 'return again ? stood + this.time - downSince : this.time + full;',
    to: 'return this.time + full;',
  },
  {
    page: 'recovery.md, Time again, once',
    reading: 'after the first time nothing is added',
    vectors: 'entries-readings.json',
    from: 'return again ? stood + this.time - downSince : this.time + full;',
    to: 'return again ? stood : this.time + full;',
  },
  {
    page: 'recovery.md, Time again, once',
    reading: 'commitments and seeds of one pile are one wait',
    vectors: 'entries-more.json',
    from: '`pile ${pile.no} ${pile.closed}`',
    to: '`pile ${pile.no}`',
  },
  {
    page: 'recovery.md, Time again, once',
    reading: 'the turn_by that stands does not count',
    vectors: 'entries-readings.json',
    from: 'Math.max(bankFrom === undefined ? deadline : bankFrom, live.turnBy),',
    to: 'bankFrom === undefined ? deadline : bankFrom,',
  },
  {
    page: 'recovery.md, Downtime',
    reading: 'a second start before the recovery begins the downtime anew',
    vectors: 'entries-more.json',
    from: 'downSince: table.recovering ? table.downSince : Math.max(0, this.time - down),',
    to: 'downSince: Math.max(0, this.time - down),',
  },
  {
    page: 'recovery.md, Downtime',
    reading: 'the downtime ends with the start',
    vectors: 'entries-more.json',
    from: 'live.settleBy += this.time - table.downSince;',
    to: 'live.settleBy += this.startedAt - table.downSince;',
  },
  {
    page: 'recovery.md, Recovery of a table',
    reading: 'carried commitments stay after a start',
    vectors: 'entries-poker.json',
    from: "need(table.recovering, 'nothing_to_do');\n    table.carried.clear();",
    to: "need(table.recovering, 'nothing_to_do');",
  },
  {
    page: 'recovery.md, Recovery of a table',
    reading: 'seats are not used by a start',
    vectors: 'entries-seats.json',
    from: '    [...table.used.keys()].forEach(player => this.useSeat(player));\n  },\n});',
    to: '  },\n});',
  },
  {
    page: 'recovery.md, The end of a log',
    reading: 'a log ends while seeds may still come late',
    vectors: 'entries-ended-in-play.json',
    from: 'if (table.voids.some(voided => this.comesLate(voided))) return `seeds',
    to: 'if (false) return `seeds',
  },
  {
    page: 'recovery.md, The end of a log',
    reading: 'a log ends with a shoe in use from which nobody played a round',
    vectors: 'entries-ended-in-play.json',
    from: 'if (table.shoe && table.shoe.rounds) return',
    to: 'if (table.shoe) return',
  },
  {
    page: 'recovery.md, Under a new name',
    reading: 'a log may go on from one of its own name',
    vectors: 'log-continued.json',
    from: "need(origin !== this.start.origin && size > 0, 'malformed');",
    to: "need(size > 0, 'malformed');",
  },
  {
    page: 'recovery.md, Under a new name',
    reading: 'T$ do not come over',
    vectors: 'log-continued.json',
    from: 'player => [player, this.balance(player) + dollars(player)]',
    to: 'player => [player, this.balance(player)]',
  },
  {
    page: 'recovery.md, Under a new name',
    reading: 'a player without chips gets a credit of 0',
    vectors: 'log-continued.json',
    from: '...(amount ? [{ credit: {',
    to: '...(amount >= 0 ? [{ credit: {',
  },
  {
    page: 'recovery.md, Under a new name',
    reading: 'an exclusion comes over however soon it ends',
    vectors: 'log-continued.json',
    from: 'excluded > at + LET_GO_MS',
    to: 'excluded > at',
  },
  {
    page: 'recovery.md, Under a new name',
    reading: 'an exclusion that ends exactly an hour later comes over',
    vectors: 'log-continued.json',
    from: 'excluded > at + LET_GO_MS',
    to: 'excluded >= at + LET_GO_MS',
  },
  {
    page: 'recovery.md, Under a new name',
    reading: 'guests come over',
    vectors: 'log-continued.json',
    from: 'const players = [...this.players].filter(player => !isGuest(player));\n    const dollars',
    to: 'const players = [...this.players];\n    const dollars',
  },
  {
    page: 'recovery.md, Under a new name',
    reading: 'tables for play chips are not opened again',
    vectors: 'log-continued.json',
    from: '...tables.filter(({ owner }) => !owner).map(',
    to: "...tables.filter(({ owner, name }) => !owner && !name.startsWith('play.')).map(",
  },
  {
    page: 'recovery.md, Under a new name',
    reading: "players' own tables are opened again",
    vectors: 'log-continued.json',
    from: '...tables.filter(({ owner }) => !owner).map(',
    to: '...tables.map(',
  },
  {
    page: 'recovery.md, Under a new name',
    reading: 'events are wound up at the moment of the end',
    vectors: 'log-continued.json',
    from: 'const ended = this.time, now = ended + LONGEST_STOP_MS;',
    to: 'const ended = this.time, now = ended;',
  },
  {
    page: 'games/tournaments.md, 6.9',
    reading: 'the first hand of a table has no pause before it',
    vectors: 'entries-tournament.json',
    from: '!isClockBehind(ev, this.time) && this.time >= pausesUntil(ev, number);',
    to: '!isClockBehind(ev, this.time);',
  },
  {
    page: 'games/tournaments.md, 4.4',
    reading: 'a rebuy that is noted is paid at once',
    vectors: 'entries-tournament.json',
    from: "this.sayEvent('noted', { entry_no: entry.no, what });\n  },\n\n  buyChips",
    to:
      "this.sayEvent('noted', { entry_no: entry.no, what });\n    " +
      'this.postSummed(...this.purchase(entry, what));\n  },\n\n  buyChips',
  },
  {
    page: 'audit.md, What a bundle takes as stated',
    reading: "a player's balance is stated once, and follows from there",
    vectors: 'bundles.json',
    from: '        this.accounts.set(`player:${player}`, amount);\n      } else if',
    to:
      '        if (!this.accounts.has(`player:${player}`)) ' +
      'this.accounts.set(`player:${player}`, amount);\n        else if ' +
      '(this.accounts.get(`player:${player}`) !== amount) this.balanceFault = new ' +
      "Unsound('balance_before', 'it does not follow');\n      } else if",
  },
  {
    page: 'audit.md, What a bundle takes as stated',
    reading: 'late seeds are of rounds of the bundle alone',
    vectors: 'bundles.json',
    from:
      'if (round || !this.stated || (table.firstRound !== undefined && round_no >= ' +
      'table.firstRound)) {',
    to: 'if (true) {',
  },
  {
    page: 'audit.md, What a bundle takes as stated',
    reading: "a player's first nonce in the bundle is 1",
    vectors: 'bundles.json',
    from: "need(signed.nonce > (this.nonces.get(who) || 0), 'nonce_used');",
    to:
      'need(this.stated && !this.nonces.has(who) ? signed.nonce === 1 : signed.nonce > ' +
      "(this.nonces.get(who) || 0), 'nonce_used');",
  },
  {
    page: 'audit.md, What a bundle takes as stated',
    reading: 'a table that replaces another is shown with it',
    vectors: 'bundles.json',
    from: 'need(replaces === undefined || this.stated || this.closedTables',
    to: 'need(replaces === undefined || this.closedTables',
  },
  {
    page: 'audit.md, The bundle, 5',
    reading: 'starts of the context count as downtime',
    vectors: 'bundles.json',
    from: 'recovering: false,\n    downSince: null,\n    firstRound: 0,',
    to: 'firstRound: 0,',
  },
  {
    page: 'audit.md, Overdue',
    reading: 'the minute is over at its end',
    vectors: 'entries-readings.json',
    from: 'time > Math.max(kept.since, ready) + OVERDUE_GRACE_MS)',
    to: 'time >= Math.max(kept.since, ready) + OVERDUE_GRACE_MS)',
  },
];
