// What readings.js tries of audit.md: what a bundle takes as stated, and what is overdue.
'use strict';

const STATED = 'audit.md, What a bundle takes as stated', OVERDUE = 'audit.md, Overdue';
const NEW_NAME = 'audit.md, A log that goes on under a new name', RECEIVED = 'audit.md, Received and refused';
const inBundles = { page: STATED, vectors: 'bundles.json' };

module.exports = [
  {
    ...inBundles,
    reading: "what the rake's account had before may be below 0",
    from: "if (!isSigned(before) || (account === 'rake' && before < 0))",
    to: 'if (!isSigned(before))',
  },
  {
    ...inBundles,
    reading: 'what an account had before may be any number',
    from: "if (!isSigned(before) || (account === 'rake' && before < 0))",
    to: "if (account === 'rake' && before < 0)",
  },
  {
    ...inBundles,
    reading: "every line of the house's account is taken as stated, the later ones of an entry too",
    from: '        this.stated_accounts.add(account);\n',
    to: '',
  },
  {
    ...inBundles,
    reading: "the house's account is stated once a bundle, by its first line",
    from: '      stated_accounts: new Set(),\n',
    to: '      stated_accounts: this.stated_accounts || new Set(),\n',
  },
  {
    ...inBundles,
    reading: 'an event may count fewer offences than the bundle shows',
    from: 'claimed && isCount(claimed.offences) && claimed.offences >= times.length ?',
    to: 'claimed && isCount(claimed.offences) && claimed.offences >= 1 ?',
  },
  {
    ...inBundles,
    reading: 'offences are those that the bundle shows',
    from: 'claimed && isCount(claimed.offences) && claimed.offences >= times.length ?',
    to: 'false ?',
  },
  {
    ...inBundles,
    reading: 'a first offence may have a cooldown from elsewhere, too',
    from: 'claimed && count > 1 && isCount(claimed.until)',
    to: 'claimed && isCount(claimed.until)',
  },
  {
    ...inBundles,
    reading: 'a cooldown from elsewhere may last for any time',
    from: 'claimed && count > 1 && isCount(claimed.until) && claimed.until > least && claimed.until <= longest',
    to: 'claimed && count > 1 && isCount(claimed.until) && claimed.until > least',
  },
  {
    ...inBundles,
    reading: 'a cooldown from elsewhere is shorter than the longest',
    from: 'claimed && count > 1 && isCount(claimed.until) && claimed.until > least && claimed.until <= longest',
    to: 'claimed && count > 1 && isCount(claimed.until) && claimed.until > least && claimed.until < longest',
  },
  {
    ...inBundles,
    reading: 'an event may count fewer refunds than the bundle shows',
    from: 'claimed && isCount(claimed.refunds) && claimed.refunds >= times.length ?',
    to: 'claimed && isCount(claimed.refunds) ?',
  },
  {
    ...inBundles,
    reading: "a refund beyond the cap is the log's word",
    from: 'return !!told && Math.max(told.round_voided.refunds || 0, shown + 1) <= cap;',
    to: 'return !!told;',
  },
  {
    ...inBundles,
    reading: 'of a cooldown from elsewhere only that entry knows',
    from: '    this.until.set(player, Math.max(this.until.get(player) || 0, this.time + 1));\n',
    to: '',
  },
  {
    ...inBundles,
    reading: 'a newcomer without a bet has a cooldown that the log tells',
    from: 'if (!this.stated || this.logged.some(told)) return false;',
    to: 'if (true) return false;',
  },
  {
    ...inBundles,
    reading: 'the late seed of an earlier round may come twice',
    from: "      need(!table.statedLate.has(`${round_no} ${player}`), 'already_revealed');\n",
    to: '',
  },
  {
    ...inBundles,
    reading: 'that a balance suffices for chips at a table follows from the bundle',
    from: "need(this.stated || this.balance(who) >= amount, 'insufficient_balance');",
    to: "need(this.balance(who) >= amount, 'insufficient_balance');",
  },
  {
    ...inBundles,
    reading: 'a hand that is live when the house closes the table is not stated to be off',
    from: "const isOff = this.stated || (ev && ev.stage === 'cancelled');",
    to: "const isOff = ev && ev.stage === 'cancelled';",
  },
  {
    ...inBundles,
    reading: 'whom the bundle does not show does not exist',
    from: '    if (this.stated && who) this.players.add(who);\n',
    to: '',
    also: [['need(who && (this.stated || this.players.has(who)),', 'need(who && this.players.has(who),']],
  },
  {
    page: OVERDUE,
    reading: 'in a bundle the entry after a recovery is judged, too',
    vectors: 'bundles.json',
    from: 'Object.assign(table, { justRecovered: false, ready: time }); return; }',
    to: 'Object.assign(table, { justRecovered: false, ready: table.lastTime }); }',
  },
  {
    page: OVERDUE,
    reading: 'in a bundle a start gives no time',
    vectors: 'bundles.json',
    from: 'Object.assign(table, { justRecovered: false, ready: time }); return; }',
    to: 'Object.assign(table, { justRecovered: false }); return; }',
  },
  {
    page: OVERDUE,
    reading: 'what is due is counted from before the start on',
    vectors: 'entries-readings.json',
    from: 'time > Math.max(kept.since, ready) + OVERDUE_GRACE_MS)',
    to: 'time > kept.since + OVERDUE_GRACE_MS)',
  },
  {
    page: OVERDUE,
    reading: 'a start is judged, too',
    vectors: 'entries-readings.json',
    from: 'if (command.start_dealer || (this.stated &&',
    to: 'if ((this.stated &&',
  },
  {
    page: OVERDUE,
    reading: 'recoveries are due since the entry before the start',
    vectors: 'entries-readings.json',
    from: '    this.startedAt = this.time;\n    for (const table of this.tables.values())\n',
    to: '    this.startedAt = before;\n    for (const table of this.tables.values())\n',
  },
  {
    page: OVERDUE,
    reading: 'a duty is due since the last entry of its table',
    vectors: 'entries-readings.json',
    from: 'table.due = {\n      duty: duty && { command: duty, since: stays ? before.duty.since : now },',
    to: 'table.due = {\n      duty: duty && { command: duty, since: now },',
  },
  {
    page: OVERDUE,
    reading: 'a deadline that has passed is due since the last entry of its table',
    vectors: 'bundles.json',
    from:
      'table.due = {\n      duty: duty && { command: duty, since: stays ? before.duty.since : now },\n      ' +
      'deadline: deadline && { ...deadline, since: same ? before.deadline.since : Math.max(deadline.at, now) },',
    to:
      'table.due = {\n      duty: duty && { command: duty, since: stays ? before.duty.since : now },\n      ' +
      'deadline: deadline && { ...deadline, since: Math.max(deadline.at, now) },',
  },
  {
    page: OVERDUE,
    reading: 'a deadline is due since it was set to what it is',
    vectors: 'entries-readings.json',
    from:
      'table.due = {\n      duty: duty && { command: duty, since: stays ? before.duty.since : now },\n      ' +
      'deadline: deadline && { ...deadline, since: same ? before.deadline.since : Math.max(deadline.at, now) },',
    to:
      'table.due = {\n      duty: duty && { command: duty, since: stays ? before.duty.since : now },\n      ' +
      'deadline: deadline && { ...deadline, since: same ? before.deadline.since : now },',
  },
  {
    page: OVERDUE,
    reading: 'behind the end of a log things are due',
    vectors: 'log-continued.json',
    from: '    if (this.ended) return;\n    if (command.start_dealer',
    to: '    if (command.start_dealer',
    also: [['    if (this.ended) return [];\n', '']],
  },
  {
    page: 'audit.md, Which code',
    reading: "an option's number that its field cannot hold is no fault of the form",
    vectors: 'bundles.json',
    from: '    form: fieldsOf({ decks: isByte, commission',
    to: '    form: fieldsOf({ decks: isAmount, commission',
  },
  {
    page: 'audit.md, Which code',
    reading: "an option's number that no game has is a fault of the form",
    vectors: 'bundles.json',
    from: '    form: fieldsOf({ decks: isByte, commission',
    to: '    form: fieldsOf({ decks: whole(1, 8), commission',
  },
  {
    page: 'recovery.md, Time again, once',
    reading: 'a turn is the highest number among the open decisions',
    vectors: 'entries-readings.json',
    from: '`turn ${Math.min(...live.decisions.keys())}`',
    to: '`turn ${Math.max(...live.decisions.keys())}`',
  },
  {
    page: 'recovery.md, Time again, once',
    reading: 'where a time bank runs the turn stands until the bank is used up',
    vectors: 'entries-readings.json',
    from: 'Math.max(bankFrom === undefined ? deadline : bankFrom, live.turnBy),',
    to: 'Math.max(deadline, live.turnBy),',
  },
  {
    page: 'recovery.md, Under a new name',
    reading: 'chips of a table are floored at 0 at the end alone',
    vectors: 'log-continued.json',
    from: 'isGuest(player) || chips.set(player, Math.max(0, chips.get(player) + amount));',
    to: 'isGuest(player) || chips.set(player, chips.get(player) + amount);',
    also: [['...(amount ? [{ credit: { player, amount, ref', '...(amount > 0 ? [{ credit: { player, amount, ref']],
  },
  {
    page: 'games/tournaments.md, 9.5',
    reading: 'of a seller of stakes an earlier entry does not count',
    vectors: 'entries-events.json',
    from: "need(!ev.entrants.get(who).entries.some(own => ev.sellers.has(own)), 'not_allowed');",
    to: "need(!ev.sellers.has(no), 'not_allowed');",
  },
  {
    page: 'games/tournaments.md, 2.4',
    reading: 'registration may begin after the start',
    vectors: 'entries-events.json',
    from: 'need(starts_at > this.time && registration_from <= starts_at && ',
    to: 'need(starts_at > this.time && ',
  },
  {
    page: 'audit.md, Overdue',
    reading: 'a duty that is given and due again is due since before',
    vectors: 'entries-events.json',
    from: 'quote(duty);\n    const same = deadline && before.deadline'
      + ' && before.deadline.at === deadline.at;\n    ev.due = {',
    to: 'quote({});\n    const same = deadline && before.deadline'
      + ' && before.deadline.at === deadline.at;\n    ev.due = {',
  },
  {
    ...inBundles,
    reading: 'a player whose commitment is passed over may commit at that very time',
    from: '!this.elsewhereInCooldown(player);\n    for (const player of [...carried',
    to: '(!this.stated || this.logged.some(({ hand_seed_committed: one }) => one && one.player === player));\n    ' +
      'for (const player of [...carried',
  },
  {
    ...inBundles,
    page: OVERDUE,
    reading: 'in a bundle the deadline of a window is not kept',
    from: 'if (window) add(window.closesAt',
    to: 'if (window && (!this.stated || isCash(table))) add(window.closesAt',
  },
  {
    ...inBundles,
    page: OVERDUE,
    reading: 'in a bundle the deadline of a call is not kept',
    from: 'if (window) add(window.closesAt',
    to: 'if (window && !(this.stated && isCash(table))) add(window.closesAt',
  },
  {
    page: NEW_NAME,
    reading: 'a new log that is read alone is sound by itself',
    vectors: 'log-continued.json',
    from: "isOldOpen = !!house.continues && (!old || old.verdict !== 'sound')",
    to: "isOldOpen = !!old && old.verdict !== 'sound'",
  },
  {
    page: NEW_NAME,
    reading: 'what the old log goes on from does not concern its verdict',
    vectors: 'log-continued.json',
    from: 'open.length || late || !isShown ?',
    to: 'open.length || late ?',
  },
  {
    page: NEW_NAME,
    reading: 'of a log before the old one it is enough that it was read',
    vectors: 'log-continued.json',
    from: "(!!before.old && before.old.verdict === 'sound')",
    to: '!!before.old',
  },
  {
    page: 'recovery.md, The end of a log',
    reading: 'a log ends while an operation of the wallet is open',
    vectors: 'log-continued.json',
    from: "return this.wallet.open.size ? 'an operation of the wallet is open' : null;",
    to: 'return null;',
  },
  {
    page: 'recovery.md, The end of a log',
    reading: 'a log ends while a shoe is in use that was played from, if no round is live',
    vectors: 'log-continued.json',
    from: 'if (table.shoe && table.shoe.rounds) return `shoe ${table.shoe.no} of table ${table.name} was played from`;',
    to: '',
  },
  {
    page: RECEIVED,
    reading: "a tournament's command is done once anybody gave the same",
    vectors: 'log-notes.json',
    from: 'this.done.has(quote([by, command])))',
    to: '[...this.done].some(done => done.endsWith(`,${quote(command)}]`)))',
  },
  {
    page: RECEIVED,
    reading: 'a received command is owed though the rules refuse it by now',
    vectors: 'log-notes.json',
    from: 'this.awaited = this.awaited.filter(word => this.isOwed(house, word, time));',
    to: '',
  },
  {
    page: RECEIVED,
    reading: 'the same command by somebody else counts as another one a minute later',
    vectors: 'log-notes.json',
    from: 'quote(word.command) !== quote(command) && `',
    to: '(word.by !== by || quote(word.command) !== quote(command)) && `',
  },
  {
    page: RECEIVED,
    reading: 'what the house itself gives afterwards, so that the command can be taken no more, is no finding',
    vectors: 'log-notes.json',
    from: 'miss(word => isHere(word) && !this.accepts(house, word) &&',
    to: 'miss(word => false &&',
  },
  {
    page: 'recovery.md, Under a new name',
    reading: 'tournaments are wound up in descending order of names',
    vectors: 'log-continued.json',
    from: 'of [...this.events.values()].sort((a, b) => compareText(a.name, b.name))) {\n      // Hands',
    to: 'of [...this.events.values()].sort((a, b) => compareText(b.name, a.name))) {\n      // Hands',
  },
  {
    page: 'entries.md, A round',
    reading: 'a choice that comes at its deadline is in time',
    vectors: 'entries-cash.json',
    from: "need(this.time < this.deadline(decision), 'deadline_passed');",
    to: "need(this.time <= this.deadline(decision), 'deadline_passed');",
  },
  {
    page: 'games/shared-tables.md, Seats',
    reading: 'seats are put in order while bets are open',
    vectors: 'entries-guests.json',
    from: "need(!window && !live, 'nothing_to_do');\n    const idle",
    to: "need(!live, 'nothing_to_do');\n    const idle",
  },
  {
    page: 'entries.md, Commands',
    reading: 'of a late cancel_bet without a bet the deadline is said',
    vectors: 'entries-wheel.json',
    from: "'no_bet');\n    need(this.time < window.closesAt, 'deadline_passed');\n    this.takeBack(who);",
    to: "'no_bet');\n    this.takeBack(who);",
    also: [[
      "need(window.bets.has(who), 'no_bet');\n    this.takeBack",
      "need(this.time < window.closesAt, 'deadline_passed');\n    need(window.bets.has(who), 'no_bet');\n" +
        '    this.takeBack',
    ]],
  },
  {
    page: 'games/poker-table.md, Commands',
    reading: 'of a late withdraw_hand_seed without a commitment the deadline is said',
    vectors: 'entries-cash.json',
    from: "'no_bet');\n    need(this.time < window.closesAt, 'deadline_passed');\n    this.withdrawCommitment(who);",
    to: "'no_bet');\n    this.withdrawCommitment(who);",
    also: [[
      "need(window.bets.has(who), 'no_bet');\n    this.withdraw",
      "need(this.time < window.closesAt, 'deadline_passed');\n    need(window.bets.has(who), 'no_bet');\n" +
        '    this.withdraw',
    ]],
  },
  {
    page: 'entries.md, Commands',
    reading: 'a retire_shoe with a false reason is refused for it before a shoe is looked for',
    vectors: 'entries-readings.json',
    from: "need(table.shoe, 'no_shoe');\n    if (this.by === 'house') {",
    to: "need(this.by !== 'house' || reason === undefined, 'malformed');\n    need(table.shoe, 'no_shoe');\n" +
      "    if (this.by === 'house') {",
  },
  {
    page: 'recovery.md, Deadlines',
    reading: 'a shoe is idle in a round, too',
    vectors: 'entries-readings.json',
    from: 'return !live && !window && lastEnd !== null',
    to: 'return lastEnd !== null',
  },
  {
    page: 'entries.md, Commands',
    reading: 'of a reveal with next by a stranger, at a wheel, the table is said',
    vectors: 'entries-wheel.json',
    from: "need(next === undefined || this.by === `player:${player}`, 'not_allowed');",
    to: "need(next === undefined || isCash(this.table), 'not_a_cash_table');",
  },
  {
    page: 'audit.md, The bundle',
    reading: 'a bundle without an entry of its table is out of order',
    vectors: 'bundles.json',
    from: "unsound('bundle_context', 'the bundle holds no entry",
    to: "unsound('bundle_order', 'the bundle holds no entry",
  },
];
