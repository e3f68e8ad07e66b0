// A round told step by step in plain English.

const clock = ms => { const date = new Date(ms); return isNaN(date) ? `${ms} ms` : date.toISOString(); };
const names = list => (list.length ? list.join(', ') : 'nobody');

function placeWords(place, cash) {
  if (cash)
    return place === 'burn' ? 'the burnt cards' : place === 'board' ? 'the board' : `seat ${place.split('/')[0]}`;
  const hand = /^(\d+)\/(\d+)$/.exec(place);
  return hand
    ? `hand ${hand[2]} of box ${hand[1]}`
    : place === 'shown'
      ? 'the open (not yet taken)'
      : place === 'discard'
        ? 'the discards'
        : `the ${place}`;
}

function actionWords(action) {
  if (typeof action === 'string')
    return (
      {
        face_down: 'goes face-down', surrender: 'gives up', hit: 'hits', stand: 'stands', split: 'splits',
        accept: 'accepts', reject: 'rejects', pass: 'passes', fold: 'folds', check: 'checks', call: 'calls',
        show: 'shows', muck: 'gives the hand up unshown',
      }[action] || action
    );
  const [[word, fields]] = Object.entries(action);
  if (word === 'insurance') return fields.take ? 'takes insurance' : 'declines insurance';
  if (word === 'even_money') return fields.take ? 'takes even money' : 'waits for more than even money';
  if (word === 'double') return `doubles${fields.amount === undefined ? '' : ` for ${fields.amount}`}`;
  if (word === 'bet' || word === 'raise') return `${word}s to ${fields.to}`;
  if (word === 'change') return `changes ${fields.card}`;
  return `${word}s ${fields.hand ? `hand ${fields.hand}` : 'the oldest hand'}`;
}

const forWhom = (who, player) => (who === player ? who : `the operator, for ${player},`);
const betWords = bets => bets.map(({ spot, stake }) => `${stake} on ${spot}`).join(', ');

function commandWords(by, command) {
  const [[name, c]] = Object.entries(command), who = by.replace('player:', '');
  const words = {
    start_dealer: () => `the dealer of the log ${c.origin} is started (${c.software})`,
    open_table: () => `${who} opens table ${c.table} with the rules ${c.rules.name}`,
    open_event_table: () => `the tournament's table ${c.table} is opened with the rules ${c.rules.name}`,
    set_seats: () => 'seats, chips and blinds are set as the tournament has them',
    close_table: () => `${who} closes the table`,
    commit_shoe: () => 'the next shoe is committed',
    end_log: () => `${who} ends this log`,
    create_player: () => `${who} creates the player ${c.player}${c.key ? ` with the key ${c.key}` : ''}`,
    admit_guest: () => 'a guest is admitted',
    dismiss_guest: () => `the guest ${c.player}, who is idle, is dismissed`,
    set_key: () =>
      `${who} ${c.key ? `sets the key ${c.key}` : 'clears the key'} of ${c.player}${c.reason ? ` (${c.reason})` : ''}`,
    set_limit: () => `${forWhom(who, c.player)} ${limitWords(c)}`,
    exclude: () => `${forWhom(who, c.player)} wants to be shut out until ${clock(c.until)}`,
    know_log: () => `${who === 'operator' ? 'the operator' : who} ${knownWords(c)}`,
    transfer_out: () => `${forWhom(who, c.player)} asks to have ${c.amount} sent to ${c.to}`,
    wallet_deposit: () => `${forWhom(who, c.player)} asks for ${c.amount} from the wallet`,
    wallet_withdraw: () => `${forWhom(who, c.player)} asks to have ${c.amount} paid into the wallet`,
    wallet_cancel: () => `${who} calls off operation ${c.no} of the wallet`,
    wallet_answer: () => `the wallet answers to ${c.call} of operation ${c.no}`,
    transfer_in: () => `${who} hands in a claim on chips that ${c.from} sent`,
    take_seat: () => `${who} takes seat ${c.seat}`,
    sit_down: () => `${who} takes seat ${c.seat} with ${c.buy_in}`,
    sit_in: () => `${who} wants to be dealt in`,
    sit_out: () => `${who} sits out`,
    add_chips: () => (c.amount ? `${who} wants ${c.amount} more chips` : `${who} wants no more chips`),
    tidy_seats: () => 'the seats are put in order between hands',
    disclose_shoe: () => `${by} asks for the seeds of shoe ${c.shoe_no} of ${c.table} (${c.reason})`,
    ask_to_play: () => `${who} asks to play`,
    leave_seat: () => `${who} leaves the seat`,
    open_bets: () => 'bets are opened',
    call_hand: () => 'the next hand is called',
    commit_hand_seed: () => `${who} commits to a seed for hand ${c.round_no}`,
    withdraw_hand_seed: () => `${who} takes the commitment back`,
    close_call: () => `${who === 'house' ? '' : 'the operator announces that '}the call is over`,
    cancel_bet: () => `${who} takes the bets back`,
    close_bets: () => `${who === 'house' ? '' : 'the operator announces that '}bets are closed`,
    retire_shoe: () => `${who} has the shoe changed${c.reason ? ` (${c.reason})` : ''}`,
    commit_seed: () => `${who} commits to a seed for the new pile`,
    bet: () => `round ${c.round_no}: ${who} bets ${betWords(c.bets)}`,
    reveal: () => `round ${c.round_no}: the seed of ${c.player} is handed in`,
    act: () => `round ${c.round_no}: ${who} ${actionWords(c.action)}`,
    lapse: () =>
      `round ${c.round_no}: the time for ` +
      `${{ reveal: 'the seeds', round: 'the round', turn: 'a decision', pile: 'the new pile' }[c.lapsed]} is over`,
    void_round: () => `the operator voids round ${c.round_no} (${c.reason})`,
    tournament: () => `${who} ${askedWords(c)}`,
    recover: () => 'the table is put in order after the start',
  };
  return words[name] ? words[name]() : `${who}: ${name}`;
}

/** The operator's statements about another log: spec/transfers.md. */
function knownWords({ log, policy }) {
  if (policy === undefined) return `names the log ${log} no more: nothing is sent there or claimed from there`;
  let least = 0;
  try {
    least = leastWitnesses(policyOfLog(policy, log).quorum);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    return `names the log ${log}, by what is no policy`;
  }
  const needs = least ? `need ${least} ${least === 1 ? 'witness' : 'witnesses'}` : 'need no witness';
  return `names the log ${log}, whose receipts ${needs}`;
}

/** The requests to the wallet: spec/wallet.md, "Operations and calls". */
const WALLET_CALL_WORDS = {
  reserve: ({ player, amount }) => `to hold ${amount} of ${player} for the house`,
  commit: ({ player, amount }) => `to hand over the ${amount} of ${player} that it holds`,
  cancel: ({ player, amount }) => `to let go of the ${amount} of ${player}, if it holds them`,
  pay: ({ player, amount }) => `to take ${amount} for ${player}`,
};

const LIMIT_WORDS = { deposit: 'what is paid in', loss: 'what is lost', play_time: 'the time of play' };
const limitWords = ({ of, per, most }) =>
  `wants ${most === undefined ? 'no limit of' : `at most ${most}${of === 'play_time' ? ' ms' : ''} of`} ` +
  `${LIMIT_WORDS[of]} a ${per}`;

const EVENT_WORDS = {
  dealer_started: e => `epoch ${e.epoch}, ${e.down_ms} ms after the entry before`,
  log_ended: e => `this log ends here; it goes on as the log ${e.origin}, under the key ${e.key}`,
  table_opened: e => `rules digest ${e.digest}`,
  transferred_out: e => `${e.player} sends ${e.amount} to ${e.to} (no. ${e.no})`,
  transferred_in: e => `${e.amount} sent by ${e.from} (no. ${e.no}, entry ${e.index}) are claimed for ${e.player}`,
  wallet_asked: e => `operation ${e.no}: the wallet is asked ${WALLET_CALL_WORDS[e.call](e)}`,
  wallet_answered: e =>
    `operation ${e.no}: the wallet ${e.answer === 'refused' ? 'refused' : 'did it'}${e.reason ? ` (${e.reason})` : ''}`,
  limit_set: e =>
    `of ${LIMIT_WORDS[e.of]} a ${e.per} ${e.player} has ` +
    `${e.most === undefined ? 'no limit' : `the limit ${e.most}${e.of === 'play_time' ? ' ms' : ''}`}` +
    `${e.from === undefined ? '' : `, but not before ${clock(e.from)}`}`,
  excluded: e => `${e.player} is shut out until ${clock(e.until)}`,
  guest_admitted: e => `${e.player} comes with play chips`,
  guest_dismissed: e => `${e.player} is gone`,
  shoe_committed: e =>
    `shoe ${e.shoe_no} of ${e.composition.length > 40 ? `${e.composition.slice(0, 40)}…` : e.composition} is fixed ` +
    `by ${e.candidates.length > 1 ? 'two candidates, roots' : 'root'} ` +
    `${e.candidates.map(({ root }) => root).join(' and ')}`,
  table_noted: e => {
    const { seats } = e.betting || e.cash || { seats: [] };
    const sits = ({ seat, player, stack }) =>
      `, ${player} sits at ${seat}${stack === undefined ? '' : ` with ${stack}`}`;
    return `round ${e.next_round} comes next${seats.map(sits).join('')}`;
  },
  shoe_revealed: e =>
    `shoe ${e.shoe_no} is retired${e.cause ? ` (${e.cause.replace(/_/g, ' ')})` : ''}, its ` +
    `${e.seeds.length > 1 ? 'seeds are' : 'seed is'} ${e.seeds.join(', ')}`,
  shoe_sealed: e => `shoe ${e.shoe_no} is sealed with ${e.openings.length} openings, of the cards that were shown`,
  chips_added: e => `${e.player} has ${e.amount} more at seat ${e.seat}: ${e.stack}`,
  chips_asked: e => (e.amount ? `${e.player} gets ${e.amount} more between hands` : `no chips come to ${e.player}`),
  sat_in: e => `${e.player} wants to play${e.straddle ? ', with a straddle' : ''}`,
  sat_out: e => `${e.player} sits out (${e.cause.replace(/_/g, ' ')})`,
  leave_asked: e => `${e.player} leaves when the hand is over`,
  left_early: e => `${e.player} left early, ${e.refusals} in 12 hours: no seat at ${e.level} before ${clock(e.until)}`,
  next_committed: e => `${e.player} commits to a seed for the next hand`,
  bank_used: e => `${e.player} uses ${e.used_ms} ms of the time bank, ${e.left_ms} ms are left`,
  seat_left: e => `${e.player} leaves seat ${e.seat}`,
  cooldown: e =>
    `${e.player}, offence ${e.offences} in 12 hours (${e.offence.replace(/_/g, ' ')}): no bets before ` +
    `${clock(e.until)}`,
  bets_lapsed: e => `the window lapses: ${e.cause.replace(/_/g, ' ')}`,
  call_lapsed: e => `the call lapses: ${e.cause.replace(/_/g, ' ')}`,
  hand_begun: e => {
    const owing = ({ ante, dead, live }) => (ante + dead + live ? `, owing ${ante + dead + live}` : '');
    const seats = e.hand.seats.map(({ due, player, stack }) => `${player} with ${stack}${owing(due)}`).join('; ');
    const { button } = e.hand.positions;
    return `hand ${e.round_no}, button on seat ${button}: ${seats}; seeds are due by ${clock(e.reveal_by)}`;
  },
  bets_closed: e =>
    `bets of round ${e.round_no} bind: ${e.contributors.map(c => `${c.player} ${betWords(c.bets)}`).join('; ')}; ` +
    `seeds are due by ${clock(e.reveal_by)}`,
  round_opened: e => {
    const other = e.others.length ? `; candidate ${e.pick} is dealt, the other's seed is ${e.others.join(', ')}` : '';
    return `all seeds are out, the shuffle is fixed by entropy ${e.entropy}${other}`;
  },
  dealt: (e, cash) =>
    e.card
      ? `${e.card} to ${placeWords(e.to, cash)}, from slot ${e.slot}`
      : `a card face-down to ${placeWords(e.to, cash)}, from slot ${e.slot}`,
  turned: e => `${e.card} is turned up in slot ${e.slot}${e.pile === undefined ? '' : ` of pile ${e.pile}`}`,
  peeked: e => `the dealer looks: ${e.blackjack ? 'blackjack' : 'no blackjack'}`,
  offered: (e, cash) => {
    const price = ({ to, cost }) => (to ? ` to ${to.join('–')}` : cost ? ` for ${cost}` : '');
    const options = e.options.map(o => o.action.replace(/_/g, ' ') + price(o)).join(', ');
    const extra = e.extra_ms ? ` (${e.extra_ms} ms more for having been cut off)` : '';
    return `${e.player} may choose at ${placeWords(e.place, cash)}: ${options}${extra}`;
  },
  acted: e =>
    `${e.player} ${actionWords(e.action)}${e.cost ? ` for ${e.cost}` : ''}${e.default ? ' (time was over)' : ''}`,
  paid: e => {
    const placeOf = ({ place, wager }) =>
      `${/^\d+\/\d+$/.test(place) ? placeWords(place) : place}${wager === 'insurance' ? ' (insurance)' : ''}`;
    const paid = line =>
      `${line.player}, ${placeOf(line)}: ${line.outcome.replace(/_/g, ' ')}, ${line.stake} staked, ${line.returned} ` +
      'returned';
    return e.lines.map(paid).join('; ');
  },
  spun: e => `the wheel's slot ${e.slot} holds ${e.value}, the players' seeds move it to ${e.pocket}`,
  last_hand: () => 'the cut card has appeared: the last hand of this shoe',
  round_settled: e => `round ${e.round_no} is settled: ${e.staked} staked, ${e.returned} returned`,
  round_voided: e =>
    `round ${e.round_no} is void (${e.cause.replace(/_/g, ' ')}${e.missing.length ? `: ${names(e.missing)}` : ''}); ` +
    `ahead: ${e.ahead}`,
  round_resumed: e => `round ${e.round_no} goes on`,
  pile_opened: e => `a new pile is to be shuffled by ${names(e.players)}`,
  pile_failed: e => `the shuffle failed, missing: ${names(e.missing)}`,
  pile_shuffled: e => `the new pile is shuffled by entropy ${e.entropy}`,
  absent: e => `${e.player} took no part and is out`,
  poker: ({ settled }) =>
    [
      ...settled.pots.map(pot => `a pot of ${potWords(pot)}`),
      ...(settled.uncalled
        ? [`${settled.uncalled.amount} that nobody called go back to seat ${settled.uncalled.seat}`]
        : []),
    ].join('; '),
  safe: e => {
    const [[word, f]] = Object.entries(e);
    return {
      opening: () => `${f.player}'s hand ${f.place} is opened (${f.why.replace(/_/g, ' ')})`,
      discarded: () => `${f.player}'s hand ${f.place} goes to the discards: ${f.cards.join(' ')}`,
      out: () => `${f.player} is out (${f.cause.replace(/_/g, ' ')})`,
      pile_empty: () => 'the pile is empty',
      collected: () => `${f.cards.length} cards are collected for pile ${f.pile}`,
      advanced: () => `round ${f.round} of the game begins with ${names(f.players)}`,
      won: () => `${f.player} wins (${f.by.replace(/_/g, ' ')})`,
    }[word]();
  },
};

const potWords = ({ amount, rake, won }) =>
  `${amount}${rake ? `, rake ${rake}` : ''}: ` +
  `${won.map(({ seat, amount: share, low }) => `${share} to seat ${seat}${low ? ' for the low' : ''}`).join(', ')}`;

/** The end of a hand of poker: the board, the shown cards, the pots. */
function handWords({ board, seats, family, settled }) {
  const shown = seats
    .filter(({ cards }) => cards.length && cards.every(({ card }) => card))
    .map(({ seat, player, cards }) => {
      const faces = cards.map(({ card }) => card);
      return `Seat ${seat}, ${player}, showed ` +
        `${faces.join(' ')}${board.length >= 3 ? `: ${pokerRanks.best(family, faces, board).name}` : ''}.`;
    });
  return [
    `The board: ${board.join(' ') || 'none'}.`,
    ...shown,
    ...settled.pots.map((pot, i) => `${i ? `Side pot ${i}` : 'Main pot'} of ${potWords(pot)}.`),
  ];
}

/** The lines of a story about one judged entry; `cash` at a cash table of poker. */
function storyOf(index, entry, cash = false) {
  const lines = [
    `[${index}] ${clock(entry.time)} ${commandWords(entry.by, entry.command)}${entry.signed ? ' (signed)' : ''}`,
  ];
  for (const event of entry.events) {
    const words = EVENT_WORDS[eventName(event)];
    if (words) lines.push(`  ${words(eventFields(event), cash)}`);
  }
  return lines;
}
