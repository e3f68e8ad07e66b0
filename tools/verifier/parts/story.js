// A round told step by step in plain English.

const clock = ms => { const date = new Date(ms); return isNaN(date) ? `${ms} ms` : date.toISOString(); };
const names = list => (list.length ? list.join(', ') : 'nobody');

function placeWords(place) {
  const hand = /^(\d+)\/(\d+)$/.exec(place);
  return hand ? `hand ${hand[2]} of box ${hand[1]}` : place === 'shown' ? 'the open (not yet taken)' : place === 'discard' ? 'the discards' : `the ${place}`;
}

function actionWords(action) {
  if (typeof action === 'string') return { face_down: 'goes face-down', surrender: 'gives up', hit: 'hits', stand: 'stands', split: 'splits', accept: 'accepts', reject: 'rejects', pass: 'passes' }[action] || action;
  const [[word, fields]] = Object.entries(action);
  if (word === 'insurance') return fields.take ? 'takes insurance' : 'declines insurance';
  if (word === 'even_money') return fields.take ? 'takes even money' : 'waits for more than even money';
  if (word === 'double') return `doubles${fields.amount === undefined ? '' : ` for ${fields.amount}`}`;
  if (word === 'change') return `changes ${fields.card}`;
  return `${word}s ${fields.hand ? `hand ${fields.hand}` : 'the oldest hand'}`;
}

const betWords = bets => bets.map(({ spot, stake }) => `${stake} on ${spot}`).join(', ');

function commandWords(by, command) {
  const [[name, c]] = Object.entries(command), who = by.replace('player:', '');
  const words = {
    start_dealer: () => `the dealer of the log ${c.origin} is started (${c.software})`,
    open_table: () => `${who} opens table ${c.table} with the rules ${c.rules.name}`,
    close_table: () => `${who} closes the table`,
    commit_shoe: () => 'the next shoe is committed',
    create_player: () => `${who} creates the player ${c.player}${c.key ? ` with the key ${c.key}` : ''}`,
    set_key: () => `${who} ${c.key ? `sets the key ${c.key}` : 'clears the key'} of ${c.player}${c.reason ? ` (${c.reason})` : ''}`,
    take_seat: () => `${who} takes seat ${c.seat}`,
    ask_to_play: () => `${who} asks to play`,
    leave_seat: () => `${who} leaves the seat`,
    open_bets: () => 'bets are opened',
    cancel_bet: () => `${who} takes the bets back`,
    close_bets: () => `${who === 'house' ? 'bets are closed' : 'the operator announces that bets are closed'}`,
    retire_shoe: () => `${who} has the shoe changed${c.reason ? ` (${c.reason})` : ''}`,
    commit_seed: () => `${who} commits to a seed for the new pile`,
    bet: () => `round ${c.round_no}: ${who} bets ${betWords(c.bets)}`,
    reveal: () => `round ${c.round_no}: the seed of ${c.player} is handed in`,
    act: () => `round ${c.round_no}: ${who} ${actionWords(c.action)}`,
    lapse: () => `round ${c.round_no}: the time for ${{ reveal: 'the seeds', round: 'the round', turn: 'a decision', pile: 'the new pile' }[c.lapsed]} is over`,
    void_round: () => `the operator voids round ${c.round_no} (${c.reason})`,
    recover: () => 'the table is put in order after the start',
  };
  return words[name] ? words[name]() : `${who}: ${name}`;
}

const EVENT_WORDS = {
  dealer_started: e => `epoch ${e.epoch}, ${e.down_ms} ms after the entry before`,
  table_opened: e => `rules digest ${e.digest}`,
  shoe_committed: e => `shoe ${e.shoe_no} of ${e.composition.length > 40 ? `${e.composition.slice(0, 40)}…` : e.composition} is fixed by root ${e.candidates[0].root}`,
  shoe_revealed: e => `shoe ${e.shoe_no} is retired${e.cause ? ` (${e.cause.replace(/_/g, ' ')})` : ''}, its seed is ${e.seeds.join(', ')}`,
  seat_left: e => `${e.player} leaves seat ${e.seat}`,
  cooldown: e => `${e.player}, offence ${e.offences} in 12 hours (${e.offence.replace(/_/g, ' ')}): no bets before ${clock(e.until)}`,
  bets_lapsed: e => `the window lapses: ${e.cause.replace(/_/g, ' ')}`,
  bets_closed: e => `bets of round ${e.round_no} bind: ${e.contributors.map(c => `${c.player} ${betWords(c.bets)}`).join('; ')}; seeds are due by ${clock(e.reveal_by)}`,
  round_opened: e => `all seeds are out, the shuffle is fixed by entropy ${e.entropy}`,
  dealt: e => (e.card ? `${e.card} to ${placeWords(e.to)}, from slot ${e.slot}` : `a card face-down to ${placeWords(e.to)}, from slot ${e.slot}`),
  turned: e => `${e.card} is turned up in slot ${e.slot}${e.pile === undefined ? '' : ` of pile ${e.pile}`}`,
  peeked: e => `the dealer looks: ${e.blackjack ? 'blackjack' : 'no blackjack'}`,
  offered: e => `${e.player} may choose at ${placeWords(e.place)}: ${e.options.map(o => o.action.replace(/_/g, ' ') + (o.cost ? ` for ${o.cost}` : '')).join(', ')}`,
  acted: e => `${e.player} ${actionWords(e.action)}${e.cost ? ` for ${e.cost}` : ''}${e.default ? ' (time was over)' : ''}`,
  paid: e => e.lines.map(l => `${l.player}, ${/^\d+\/\d+$/.test(l.place) ? placeWords(l.place) : l.place}${l.wager === 'insurance' ? ' (insurance)' : ''}: ${l.outcome.replace(/_/g, ' ')}, ${l.stake} staked, ${l.ret} returned`).join('; '),
  spun: e => `the wheel's slot ${e.slot} holds ${e.value}, the players' seeds move it to ${e.pocket}`,
  last_hand: () => 'the cut card has appeared: the last hand of this shoe',
  round_settled: e => `round ${e.round_no} is settled: ${e.staked} staked, ${e.ret} returned`,
  round_voided: e => `round ${e.round_no} is void (${e.cause.replace(/_/g, ' ')}${e.missing.length ? `: ${names(e.missing)}` : ''}); ahead: ${e.ahead}`,
  round_resumed: e => `round ${e.round_no} goes on`,
  pile_opened: e => `a new pile is to be shuffled by ${names(e.players)}`,
  pile_failed: e => `the shuffle failed, missing: ${names(e.missing)}`,
  pile_shuffled: e => `the new pile is shuffled by entropy ${e.entropy}`,
  absent: e => `${e.player} took no part and is out`,
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

/** The lines of a story about one judged entry. */
function storyOf(index, entry) {
  const lines = [`[${index}] ${clock(entry.time)} ${commandWords(entry.by, entry.command)}${entry.signed ? ' (signed)' : ''}`];
  for (const event of entry.events) {
    const words = EVENT_WORDS[eventName(event)];
    if (words) lines.push(`  ${words(eventFields(event))}`);
  }
  return lines;
}
