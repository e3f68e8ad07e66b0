// A house's possible lies about its operator's wallet (spec/wallet.md): each lie is one entry in place of the honest
// one, on top of the entries before it, and must be found there; by the ledger alone if money or an operation moves.
'use strict';
const assert = require('assert');
const { verify } = require('./dealer.js');
const { MOST } = require('./wallet_house.js');

const verdictOn = log => verify.verifyLog(log.join('\n')).findings[0];
const moneyOn = log => verify.verifyLedger(log.join('\n')).findings[0];
const CALLS = ['reserve', 'commit', 'cancel', 'pay'];
const clone = value => JSON.parse(JSON.stringify(value));
const within = amount => Math.max(-MOST, Math.min(MOST, amount));

/** The houses after so many entries of a log. */
function housesOf(log) {
  const judge = new verify.House(false), houses = [verify.copyOf(judge)];
  log.forEach((line, index) => {
    judge.judge(verify.readEntry(line), index);
    houses.push(verify.copyOf(judge));
  });
  return houses;
}

class Lies {
  constructor({ log, refused }, counts) {
    Object.assign(this, { log, refused, counts, cases: [], houses: housesOf(log), names: new Set() });
  }

  /** This text in place of entry `at` is found there, by that check; for money by `money`, if given. */
  tell(about, at, text, check, money) {
    assert(!this.names.has(about), `${about}: told twice`);
    assert(text !== this.log[at], `${about}: no lie`);
    this.names.add(about);
    let found = null;
    try { verify.copyOf(this.houses[at]).judge(verify.readEntry(text), at); } catch (error) {
      if (!(error instanceof verify.Unsound)) throw error;
      found = error;
    }
    assert(found && found.check === check, `${about}: ${found && `${found.message} [${found.check}]`}, not ${check}`);
    if (money) {
      const first = moneyOn([...this.log.slice(0, at), text]);
      assert(first && first.check === money && first.entry === at, `${about}, of money: ${JSON.stringify(first)}`);
      this.counts.ledger++;
    }
    this.cases.push({ about, at, text, check, ...(money ? { money } : {}) });
    return found;
  }

  /** The first entry with that property, changed. */
  change(about, holds, check, edit, money) {
    const at = this.log.findIndex(line => holds(JSON.parse(line)));
    assert(at >= 0, `${about}: no such entry`);
    const entry = JSON.parse(this.log[at]), done = edit(entry, this.houses[at]);
    this.tell(about, at, typeof done === 'string' ? done : JSON.stringify(entry), check, money);
    this.counts.found++;
  }
}

// --- Commands that must be refused --------------------------------------------------------------------

const line = (house, account, amount) => [account, amount, within((house.accounts.get(account) || 0) + amount)];

/** The events that a house would write after such a command if it accepted it. */
function asIfTaken(house, command) {
  const [[name, fields]] = Object.entries(command), { no = house.wallet.count } = fields;
  const { player, amount } = fields.player ? fields : house.wallet.open.get(no) || { player: 'ann', amount: 5 };
  const asked = call => ({ wallet_asked: { no, call, player, amount } });
  const posted = sign => ({
    posted: {
      lines: sign < 0
        ? [line(house, `player:${player}`, -amount), line(house, 'wallet', amount)]
        : [line(house, 'wallet', -amount), line(house, `player:${player}`, amount)],
    },
  });
  const events = {
    wallet_deposit: () => [asked('reserve')],
    wallet_withdraw: () => [posted(-1), asked('pay')],
    wallet_cancel: () => [asked('cancel')],
    wallet_answer: () => {
      const { call, answer, reason } = fields, answered = { wallet_answered: { no, call, answer } };
      if (reason !== undefined) answered.wallet_answered.reason = reason;
      const comes = (call === 'reserve' && answer === 'accepted') || (call === 'pay' && answer === 'refused');
      return [
        ...(comes ? [posted(1)] : []), answered, ...(comes && call === 'reserve' ? [asked('commit')] : []),
      ];
    },
  };
  return { player, events: events[name]() };
}

/** The check by which the ledger alone finds such an entry, if it must. */
function moneyOfRefused(code, [[name, { call, answer }]]) {
  if (code === 'unknown_operation' || code === 'nothing_to_do') return 'state';
  if (code === 'malformed' && answer === 'refused' && call !== 'reserve' && call !== 'pay') return 'state';
  const posts = name === 'wallet_withdraw' || name === 'wallet_answer';
  const ofMoney = ['insufficient_balance', 'unknown_player', 'other_chips'];
  if (posts && (ofMoney.includes(code) || (code === 'amount_out_of_range' && name === 'wallet_answer')))
    return 'posting';
  return undefined;
}

/** A house that accepted forbidden commands. */
function refusedOnTheLog(lies) {
  for (const [i, { about, after_entries: at, by, code, command, now }] of lies.refused.entries()) {
    const house = lies.houses[at], { player, events } = asIfTaken(house, command);
    const stands = house.accounts.get(`player:${player}`);
    const entry = {
      v: 1, time: Math.max(now, house.time), by, ...(stands === undefined ? {} : { before: [[player, stands]] }),
      command, events,
    };
    const check = code === 'signature_missing' ? 'signature' : 'refused';
    const money = moneyOfRefused(code, Object.entries(command));
    const found = lies.tell(`taken (${i}): ${about}`, at, JSON.stringify(entry), check, money);
    assert(found.message.includes(code), `${about}: ${found.message}`);
    lies.counts.refused++;
  }
}

// --- Events that differ from the command's --------------------------------------------------------------

const nameOf = value => Object.keys(value)[0];
const has = (entry, call) => entry.events.some(({ wallet_asked: asked }) => asked && asked.call === call);
const gave = (call, answer, holds = () => true) => entry => {
  const { wallet_answer: said } = entry.command;
  return !!said && said.call === call && said.answer === answer && holds(entry);
};
const is = name => ({ command }) => name in command;
/** The existing entries, each by its story. */
const KINDS = {
  deposit: is('wallet_deposit'),
  withdrawal: is('wallet_withdraw'),
  cancel: is('wallet_cancel'),
  'reserve accepted': gave('reserve', 'accepted', entry => has(entry, 'commit')),
  'reserve accepted, no room': gave('reserve', 'accepted', entry => has(entry, 'cancel')),
  'reserve refused': gave('reserve', 'refused'),
  'commit accepted': gave('commit', 'accepted'),
  'cancel accepted': gave('cancel', 'accepted'),
  'pay accepted': gave('pay', 'accepted'),
  'pay refused': gave('pay', 'refused'),
};
const otherPlayer = player => (player === 'ben' ? 'eve' : 'ben');

/** Possible changes of an operation's event that keep its form. */
const FIELDS = {
  'number': event => { event.no++; },
  'call': event => { event.call = CALLS[(CALLS.indexOf(event.call) + 1) % 4]; },
  'player': event => { event.player = otherPlayer(event.player); },
  'amount, more': event => { event.amount++; },
  'amount, less': event => { event.amount--; },
  'answer': event => { event.answer = event.answer === 'refused' ? 'accepted' : 'refused'; },
  'reason': event => {
    if (event.reason === undefined) event.reason = 'out of order'; else delete event.reason;
  },
};
const FIELDS_OF = {
  wallet_asked: ['number', 'call', 'player', 'amount, more', 'amount, less'],
  wallet_answered: ['number', 'call', 'answer', 'reason'],
};

/** Each event left out, repeated, in another order, and with each of its fields changed. */
function otherEvents(lies) {
  for (const [kind, holds] of Object.entries(KINDS)) {
    const { events } = JSON.parse(lies.log.find(text => holds(JSON.parse(text)))), last = events.length - 1;
    events.forEach((event, i) => {
      const name = nameOf(event), ofMoney = name === 'posted' ? 'posting' : 'state';
      const lie = (about, check, edit, money) => lies.change(`${kind}: ${name} ${about}`, holds, check, edit, money);
      lie('left out', i === last ? 'event_missing' : 'event_order', entry => { entry.events.splice(i, 1); }, ofMoney);
      lie('twice', i === last ? 'event_extra' : 'event_order', entry => {
        entry.events.splice(i, 0, event);
      }, ofMoney);
      if (i < last)
        lie('behind the next one', 'event_order', entry => {
          entry.events.splice(i, 2, events[i + 1], event);
        }, 'state');
      for (const field of FIELDS_OF[name] || []) {
        lie(`with another ${field}`, 'posting', entry => { FIELDS[field](entry.events[i][name]); }, 'state');
      }
      if (name === 'posted') otherPostings(lie, i);
    });
  }
}

/** A posting with another amount, other accounts, or another form. */
function otherPostings(lie, i) {
  const posting = (about, edit, money = 'posting') =>
    lie(about, 'posting', (entry, house) => { edit(entry.events[i].posted.lines, house, entry.events); }, money);
  const moved = by => lines => {
    for (const one of lines) {
      const more = by * Math.sign(one[1]);
      one[1] += more;
      one[2] += more;
    }
  };
  const instead = (account, money = null) => posting(`of ${account} for the wallet`, (lines, house) => {
    const at = lines.findIndex(([name]) => name === 'wallet');
    lines[at] = line(house, account, lines[at][1]);
  }, money);
  posting('of one more', moved(1));
  posting('of one less', moved(-1));
  posting("of another's chips", (lines, house) => {
    const at = lines.findIndex(([name]) => name !== 'wallet'), [account, amount] = lines[at];
    lines[at] = line(house, `player:${otherPlayer(account.slice(7))}`, amount);
  });
  instead('cage', 'ledger_cage');
  instead('house'); // found by the ledger too: the posting is wrong, and the house's due
  instead('play', 'posting');
  instead('player:eve', 'posting');
  posting('the other way', (lines, house) => {
    lines.forEach(([account, amount], n) => { lines[n] = line(house, account, -amount); });
  });
  posting('with lines in another order', lines => { lines.reverse(); }, null);
  posting('in two parts', (lines, house, events) => {
    const [[first, amount], [second]] = clone(lines), sign = Math.sign(amount);
    const one = [[first, sign], [second, -sign]].map(([account, part]) => line(house, account, part));
    const rest = lines.map(([account, all, after]) => [account, all - (account === first ? sign : -sign), after]);
    events.splice(i, 1, { posted: { lines: one } }, { posted: { lines: rest } });
  }, 'state');
  posting('with another balance after it', lines => { lines[1][2]++; });
  posting('that does not sum to zero', lines => {
    const at = lines.findIndex(([name]) => name === 'wallet');
    lines[at][1]++;
    lines[at][2]++;
  }, 'ledger_total');
}

/** An answer, or a question, with the effect of another one. */
function otherBranches(lies) {
  const lie = (about, kind, check, edit, money) => lies.change(about, KINDS[kind], check, edit, money);
  const chips = (entry, house, sign) => {
    const { no, player: asking, amount: much } = Object.values(entry.command)[0];
    const { player, amount } = house.wallet.open.get(no) || { player: asking, amount: much };
    return {
      posted: { lines: [line(house, 'wallet', -sign * amount), line(house, `player:${player}`, sign * amount)] },
    };
  };
  lie('cancel where commit was due', 'reserve accepted', 'event_order', entry => {
    entry.events.shift();
    entry.events[1].wallet_asked.call = 'cancel';
  }, 'state');
  lie('commit where cancel was due', 'reserve accepted, no room', 'event_order', (entry, house) => {
    entry.events.unshift(chips(entry, house, 1));
    entry.events[2].wallet_asked.call = 'commit';
  }, 'state');
  lie('cancel where commit was due, and the chips all the same', 'reserve accepted', 'posting', entry => {
    entry.events[2].wallet_asked.call = 'cancel';
  }, 'state');
  lie('commit where cancel was due, without the chips', 'reserve accepted, no room', 'posting', entry => {
    entry.events[1].wallet_asked.call = 'commit';
  }, 'state');
  lie('pay where commit was due', 'reserve accepted', 'posting', entry => {
    entry.events[2].wallet_asked.call = 'pay';
  }, 'state');
  lie('reserve is accepted, and that was all', 'reserve accepted', 'event_missing', entry => {
    entry.events.pop();
  }, 'state');
  for (const kind of ['deposit', 'cancel', 'reserve refused', 'commit accepted', 'cancel accepted', 'pay accepted'])
    lie(`chips come, ${kind}`, kind, 'event_order', (entry, house) => {
      entry.events.unshift(chips(entry, house, 1));
    }, 'posting');
  for (const kind of ['commit accepted', 'pay accepted'])
    lie(`chips go once more, ${kind}`, kind, 'event_order', (entry, house) => {
      entry.events.unshift(chips(entry, house, -1));
    }, 'posting');
  for (const kind of ['commit accepted', 'cancel accepted', 'reserve refused', 'pay refused'])
    lie(`asked once more, ${kind}`, kind, 'event_extra', (entry, house) => {
      const { no } = entry.command.wallet_answer, { player, amount } = house.wallet.open.get(no);
      entry.events.push({ wallet_asked: { no, call: 'commit', player, amount } });
    }, 'state');
  lie('a player comes with a deposit', 'deposit', 'event_extra', entry => {
    entry.events.push({ player_created: { player: 'new' } });
  }, 'state');
  lie('chips go from one to another beside a deposit', 'deposit', 'event_extra', (entry, house) => {
    entry.events.push({ posted: { lines: [line(house, 'player:ann', -5), line(house, 'player:cat', 5)] } });
  }, 'posting');
}

/** Another command before the same events, given by others, or with other stated balances. */
function otherCommands(lies) {
  for (const [kind, holds] of Object.entries(KINDS)) {
    const lie = (about, check, edit, money) => lies.change(`${kind}: ${about}`, holds, check, edit, money);
    const fields = entry => Object.values(entry.command)[0];
    const isAnswer = !['deposit', 'withdrawal', 'cancel'].includes(kind);
    lie('a balance before of one more', 'balance_before', entry => { entry.before[0][1]++; }, 'balance_before');
    lie('no balance before', 'balance_before', entry => { delete entry.before; });
    lie("another's balance before", 'balance_before', (entry, house) => {
      const player = otherPlayer(entry.before[0][0]);
      entry.before = [[player, house.accounts.get(`player:${player}`)]];
    });
    lie('given by another', 'refused', entry => { entry.by = isAnswer ? 'operator' : 'house'; });
    if (kind === 'deposit' || kind === 'withdrawal') {
      lie('one more in the command', 'posting', entry => { fields(entry).amount++; }, 'state');
      lie('another player in the command', 'posting', (entry, house) => {
        fields(entry).player = 'cat';
        entry.before = [['cat', house.accounts.get('player:cat')]];
      }, 'state');
      continue;
    }
    lie('another number in the command', 'refused', entry => { fields(entry).no = 60; }, 'state');
    if (!isAnswer) continue;
    lie('another call in the command', 'refused', entry => {
      fields(entry).call = fields(entry).call === 'pay' ? 'commit' : 'pay';
    }, 'state');
    lie('another answer in the command', OTHER_ANSWER[kind], entry => {
      fields(entry).answer = fields(entry).answer === 'refused' ? 'accepted' : 'refused';
    }, 'state');
    lie('another reason in the command', kind.endsWith('refused') ? 'posting' : 'refused', entry => {
      fields(entry).reason = 'another';
    }, 'state');
  }
}

/** The check that finds an answer with the events of the other one. */
const OTHER_ANSWER = {
  'reserve accepted': 'event_order', 'reserve accepted, no room': 'posting', 'reserve refused': 'refused',
  'commit accepted': 'refused', 'cancel accepted': 'refused',
  'pay accepted': 'event_order', 'pay refused': 'event_order',
};

/** The account or an operation moves with a command that is not the wallet's. */
function byOtherCommands(lies) {
  const ofMax = name => ({ command }) => !!command[name] && command[name].player === 'max';
  const lie = (about, holds, check, edit, money) => lies.change(about, holds, check, edit, money);
  const fromWallet = (entry, house) => {
    const { lines } = entry.events[0].posted, at = lines.findIndex(([account]) => account === 'cage');
    lines[at] = line(house, 'wallet', lines[at][1]);
  };
  lie('credited out of the wallet', ofMax('credit'), 'posting', fromWallet, 'ledger_cage');
  lie('withdrawn into the wallet', ofMax('withdraw'), 'posting', fromWallet, 'ledger_cage');
  const also = (about, holds, money, ...events) =>
    lie(about, holds, 'event_extra', (entry, house) => {
      entry.events.push(...events.map(event => (typeof event === 'function' ? event(house) : event)));
    }, money);
  const chips = (player, amount) => house => ({
    posted: { lines: [line(house, 'wallet', -amount), line(house, `player:${player}`, amount)] },
  });
  // After the first operation, which is open then, and before its second call.
  const open = { no: 8, call: 'reserve' }, answered = { wallet_answered: { ...open, answer: 'accepted' } };
  const asked = call => house => {
    const fresh = call === 'reserve' || call === 'pay';
    return { wallet_asked: { no: fresh ? house.wallet.count : 8, call, player: 'cat', amount: 5 } };
  };
  const COMMANDS = {
    'a credit': ofMax('credit'), 'a new player': ofMax('create_player'),
    'a start of the dealer': ({ command, time }) => !!command.start_dealer && time > lies.houses[1].time,
    'a named state': is('note_state'), 'a guest who goes': is('dismiss_guest'), 'a withdrawal': ofMax('withdraw'),
  };
  for (const [command, holds] of Object.entries(COMMANDS)) {
    also(`${command}: an answer beside it`, holds, 'state', answered);
    also(`${command}: a commit beside it`, holds, 'state', asked('commit'));
    also(`${command}: a deposit beside it`, holds, 'state', asked('reserve'));
    also(`${command}: chips of the wallet beside it`, holds, 'posting', chips('cat', 5));
    also(`${command}: chips into the wallet beside it`, holds, 'posting', chips('cat', -5));
    also(`${command}: chips with what is said of a payment`, holds, 'state', chips('cat', -5), asked('pay'));
  }
}

/** Signatures of players with a key. */
function signatures(lies) {
  const signed = name => ({ command, signed: by }) => !!by && name in command;
  for (const name of ['wallet_deposit', 'wallet_withdraw', 'wallet_cancel']) {
    const lie = (about, edit) => lies.change(`signed ${name}: ${about}`, signed(name), 'signature', edit);
    lie('without the signature', entry => { delete entry.signed; });
    lie('another nonce', entry => { entry.signed.nonce++; });
    lie('a nonce of before', entry => { entry.signed.nonce = 1; });
    lie('another signature', ({ signed: by }) => {
      by.signature = by.signature.replace(/^./, digit => (digit === '0' ? '1' : '0'));
    });
    if (name === 'wallet_cancel') continue;
    lie('another amount', ({ command, events }) => {
      command[name].amount--;
      events[events.length - 1].wallet_asked.amount--;
      for (const { posted } of events)
        if (posted) posted.lines.forEach(one => { one[2] -= Math.sign(one[1]); one[1] -= Math.sign(one[1]); });
    });
  }
}

/** Misspelt commands, events and accounts. */
function spelling(lies) {
  const lie = (about, kind, change, money) =>
    lies.change(`spelling, ${kind}: ${about}`, KINDS[kind], 'entry_form', entry => {
      const text = JSON.stringify(entry), done = change(text);
      assert(done !== text, about);
      return done;
    }, money);
  const last = (text, from, to) => {
    const at = text.lastIndexOf(from);
    assert(at >= 0, from);
    return text.slice(0, at) + to + text.slice(at + from.length);
  };
  lie('no call that there is, in the command', 'pay accepted', text => text.replace('"call":"pay"', '"call":"pray"'));
  lie('no call that there is', 'pay accepted', text => last(text, '"call":"pay"', '"call":"pray"'), 'entry_form');
  lie('no answer that there is, in the command', 'pay accepted', text => text.replace('"accepted"', '"perhaps"'));
  lie('no answer that there is', 'pay accepted', text => last(text, '"accepted"', '"perhaps"'), 'entry_form');
  lie('an answer in capitals', 'pay accepted', text => last(text, '"accepted"', '"Accepted"'), 'entry_form');
  lie('a number below zero, in the command', 'pay accepted', text => text.replace('"no":', '"no":-'));
  lie('a number below zero', 'pay accepted', text => last(text, '"no":', '"no":-'), 'entry_form');
  lie('a number with a leading zero', 'pay accepted', text => last(text, '"no":', '"no":0'), 'entry_form');
  lie('a number as text', 'pay accepted', text => last(text, '"no":3', '"no":"3"'), 'entry_form');
  lie('no number', 'pay accepted', text => last(text, '"no":3,', ''), 'entry_form');
  lie('an amount below zero', 'deposit', text => last(text, '"amount":', '"amount":-'), 'entry_form');
  lie('an amount that is no whole number', 'deposit', text =>
    last(text, '"amount":500', '"amount":500.5'), 'entry_form');
  lie('an amount above 2^53 - 1', 'deposit', text =>
    last(text, '"amount":500', '"amount":9007199254740992'), 'entry_form');
  lie('an amount below zero, in the command', 'deposit', text => text.replace('"amount":', '"amount":-'));
  lie('no name of a player', 'deposit', text => last(text, '"ann"', '"Ann"'), 'entry_form');
  lie('a reference', 'deposit', text => text.replace('"amount":500}', '"amount":500,"reference":"r"}'));
  lie('a field more in the event', 'deposit', text => last(text, '"amount":500}', '"amount":500,"reason":"r"}'),
    'entry_form');
  lie('an event\'s fields in another order', 'deposit', text =>
    last(text, '"player":"ann","amount":500', '"amount":500,"player":"ann"'), 'entry_form');
  lie('a reason of nothing', 'reserve refused', text => last(text, 'no such account', ''), 'entry_form');
  lie('a reason of 201 characters', 'reserve refused', text =>
    last(text, 'no such account', 'r'.repeat(201)), 'entry_form');
  lie('a reason of 201 characters that are written with 402', 'reserve refused', text =>
    last(text, 'no such account', '\\\\'.repeat(201)), 'entry_form');
  lie('a reason of 201 characters, in the command', 'reserve refused', text =>
    text.replace('no such account', 'r'.repeat(201)));
  lie('another account', 'withdrawal', text => last(text, '["wallet",', '["wallets",'));
  lie('an account of one wallet among several', 'withdrawal', text => last(text, '["wallet",', '["wallet:a",'));
}

/** All lies, as cases for another verifier: `{about, at, text, check, money?}`. */
function lies(made, counts) {
  const told = new Lies(made, counts);
  for (const tell of [
    refusedOnTheLog, otherEvents, otherBranches, otherCommands, byOtherCommands, signatures, spelling,
  ]) tell(told);
  return told.cases;
}

module.exports = { lies, verdictOn, moneyOn };
