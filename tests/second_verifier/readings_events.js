// What readings.js tries of games/tournaments.md. `vectors` is the file that refutes it.
'use strict';

const vectors = 'entries-events.json';

module.exports = [
  {
    page: 'games/tournaments.md, 1.1',
    reading: 'an event has the name of a table that is closed',
    from: 'need(!this.usedTables.has(name) && !this.events.has(name)',
    to: 'need(!this.tables.has(name) && !this.events.has(name)',
  },
  {
    page: 'games/tournaments.md, 1.2',
    reading: 'a player enters an event again while they are in play there',
    from: "need(!entryInPlay(ev, who), 'nothing_to_do');",
    to: '',
  },
  {
    page: 'games/tournaments.md, 4.1',
    reading: 'T$ pay all of an entry or nothing',
    from: 'Math.min(price, this.accounts.get(`tdollars:${player}`) ?? 0);',
    to: '(this.accounts.get(`tdollars:${player}`) ?? 0) >= price ? price : 0;',
  },
  {
    page: 'games/tournaments.md, 4.2',
    reading: 'unregistering ends at the time, and not before it',
    from: 'this.time < startsAt - ms',
    to: 'this.time <= startsAt - ms',
  },
  {
    page: 'games/tournaments.md, 4.2',
    reading: 'an entry that was won in a satellite can be given back',
    from: 'need(!entry.bound && ms !== undefined',
    to: 'need(ms !== undefined',
  },
  {
    page: 'games/tournaments.md, 4.2',
    reading: 'an event is postponed four times',
    from: 'ev.earlierStarts.length < MOST_POSTPONED',
    to: 'ev.earlierStarts.length <= MOST_POSTPONED',
  },
  {
    page: 'games/tournaments.md, 4.2',
    reading: 'each start may be a week after the one before',
    from: 'starts_at <= announced + POSTPONED_MS',
    to: 'starts_at <= ev.startsAt + POSTPONED_MS',
  },
  {
    page: 'games/tournaments.md, 4.2',
    reading: 'a start may be postponed to itself',
    from: 'need(starts_at > ev.startsAt && ',
    to: 'need(starts_at >= ev.startsAt && ',
  },
  {
    page: 'games/tournaments.md, 4.4',
    reading: 'a rebuy in a hand is refused with more than the most of a stack',
    from: "if (this.isInHand(entry)) { this.notePurchase(entry, 'rebuy'); return; }\n    need(entry.chips",
    to: "need(entry.chips <= terms.stack_at_most, 'not_allowed');\n    " +
      "if (this.isInHand(entry)) { this.notePurchase(entry, 'rebuy'); return; }\n    need(entry.chips",
  },
  {
    page: 'games/tournaments.md, 4.4',
    reading: 'a rebuy with a stack of exactly the most is refused',
    from: "need(entry.chips <= terms.stack_at_most, 'not_allowed');",
    to: "need(entry.chips < terms.stack_at_most, 'not_allowed');",
  },
  {
    page: 'games/tournaments.md, 4.4',
    reading: 'a rebuy is awaited of somebody who has not the money',
    from: 'rebuys < terms.most && this.balance(player) >= terms.price + terms.fee;',
    to: 'rebuys < terms.most;',
  },
  {
    page: 'games/tournaments.md, 4.5',
    reading: 'registration is changed while it is over',
    from: "need(ev.registrationEnded === null && ['registering'",
    to: "need(['registering'",
  },
  {
    page: 'games/tournaments.md, 7.6',
    reading: 'the last player who is left is disqualified',
    from: "need(ev.stage === 'running' && !isEventOver(ev) && ev.remaining > 1, ",
    to: "need(ev.stage === 'running', ",
  },
  {
    page: 'games/tournaments.md, 7.6',
    reading: "a disqualified player's prize is the house's",
    from: 'return [[this.ofPool(), -all], [this.ofBounties(), all]];',
    to: "return [[this.ofPool(), -all], ['house', all]];",
  },
  {
    page: 'games/tournaments.md, 9.5',
    reading: 'a substitute may be worth less than the prize',
    from: '!ev.substitutes.has(place) && value >= prize',
    to: '!ev.substitutes.has(place)',
  },
  {
    page: 'games/tournaments.md, 9.5',
    reading: 'another substitute may be offered for a place',
    from: '!isPaid && !ev.substitutes.has(place) && ',
    to: '!isPaid && ',
  },
  {
    page: 'games/tournaments.md, 9.5',
    reading: 'a player accepts a substitute by its place and its value alone',
    from: 'need(offered && offered.what === what && ',
    to: 'need(offered && ',
  },
  {
    page: 'games/tournaments.md, 9.5',
    reading: 'a player accepts a substitute by its place and what it is alone',
    from: 'offered.what === what && offered.value === value, ',
    to: 'offered.what === what, ',
  },
  {
    page: 'games/tournaments.md, 9.5',
    reading: 'a substitute is given to whoever takes the place, accepted or not',
    from: 'ev.substitutes.has(first) && ev.substitutes.get(first).accepted.has(no);',
    to: 'ev.substitutes.has(first);',
  },
  {
    page: 'games/tournaments.md, 9.7',
    reading: 'a winner who holds a ticket already gets a second one',
    from: 'barred || this.hasTicket(name, player) ||',
    to: 'barred ||',
  },
  {
    page: 'games/tournaments.md, 10.2',
    reading: 'of a head with half onto the winner the odd cent is cashed',
    from: 'half: Math.floor(heads[i] / 2), all: 0 }[ontoHead]',
    to: 'half: Math.ceil(heads[i] / 2), all: 0 }[ontoHead]',
  },
  {
    page: 'games/tournaments.md, 10.3',
    reading: 'what a player had won falls with them, in a paid place too',
    from: 'splitEqually(paidPlace ? 0 : total, ',
    to: 'splitEqually(total, ',
  },
  {
    page: 'games/tournaments.md, 10.6',
    reading: 'at the end the winner does not get their own head',
    from: 'entry.total + (over && inPlay(entry) ? entry.head : 0)',
    to: 'entry.total',
  },
  {
    page: 'games/tournaments.md, 2.1',
    reading: 'whose bounty is set may have entered and left',
    from: "need(!entrant.registered, 'not_allowed');\n    need(entrant.hasBounty",
    to: "need(!entryInPlay(ev, player), 'not_allowed');\n    need(entrant.hasBounty",
  },
  {
    page: 'games/tournaments.md, 11.1',
    reading: 'a deal is made while the pool is not final',
    from: 'need(deal && ev.pool !== null && ',
    to: 'need(deal && ',
  },
  {
    page: 'games/tournaments.md, 11.1',
    reading: 'the last wish for a deal may come while seats are drawn',
    from: '(!drawing && !ev.handForHand)',
    to: '!ev.handForHand',
  },
  {
    page: 'games/tournaments.md, 11.2',
    reading: 'a second proposal takes the place of the first',
    from: "need(!ev.deal.proposal, 'nothing_to_do');",
    to: '',
  },
  {
    page: 'games/tournaments.md, 11.2',
    reading: 'an answer counts at its last moment, too',
    from: "need(this.time < proposal.answerBy, 'deadline_passed');",
    to: "need(this.time <= proposal.answerBy, 'deadline_passed');",
  },
  {
    page: 'games/tournaments.md, 12.1',
    reading: 'what was offered may be lowered below what was sold',
    from: 'need(points <= 10000 && points >= sold, ',
    to: 'need(points <= 10000, ',
  },
].map(reading => ({ ...reading, vectors }));
