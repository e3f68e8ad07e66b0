// Tournaments in plain English: the requests to an event, and its happenings.

const percent = points => {
  const rest = points % 100;
  return `${Math.floor(points / 100)}${rest ? `.${String(rest).padStart(2, '0')}` : ''} %`;
};
const METHOD_WORDS = {
  chips: 'by chips', icm: 'by the chances of the chips (ICM)', amounts: 'with numbers of their own',
};
const STAND_WORDS = { crash: 'the service crashed', deal: 'a deal is talked of' };
const CANCEL_WORDS = {
  crash: 'it stood too long after a crash', too_few_players: 'too few players came',
  operator: 'the operator\'s decision',
};
const NOTED_WORDS = { rebuy: 'a rebuy', add_on: 'the add-on', disqualification: 'the disqualification' };
const DROP_WORDS = {
  stack: 'they have too many chips', balance: 'the balance does not cover it', room: 'the event may hold no more',
  over: 'the event is over',
};
const amountsWords = amounts => amounts.map(([no, amount]) => `${amount} to entry ${no}`).join(', ');
const wonWords = winners => winners.map(({ entry_no: no, to_total: total, onto_head: head }) =>
  `${total} to entry ${no}${head ? ` and ${head} onto its head` : ''}`).join(', ');
const bountyWords = has => (has ? 'a bounty' : 'no bounty');

/** A request to an event, without its sender. */
const ASKED_WORDS = {
  create: c => `announces a tournament with the structure ${c.structure.name}, to start at ${clock(c.starts_at)}`,
  register: ({ pay }) => `registers${{ cash: '', t_dollars: ' with T$', ticket: ' with a ticket' }[pay]}`,
  set_bounty: c => `says that ${c.player} has ${bountyWords(c.has)}`,
  unregister: () => 'gives the entry back',
  rebuy: () => 'rebuys',
  decline_rebuy: c => `ends the time for a rebuy of entry ${c.entry_no}`,
  add_on: () => 'takes the add-on',
  carry_out: c => `does what was noted of entry ${c.entry_no}`,
  offer_stake: c => `offers ${percent(c.basis_points)} of the entry`,
  buy_stake: c => `buys ${percent(c.basis_points)} of the entry of ${c.seller}`,
  start: () => 'starts the tournament',
  call_draw: () => 'calls a draw of seats',
  reveal_seat_seed: c => `reveals the seed of entry ${c.entry_no} for draw ${c.draw_no}`,
  draw_seats: c => `draws the seats of draw ${c.draw_no}`,
  move_player: () => 'moves a player, to balance the tables',
  next_level: () => 'moves the clock',
  settle_hand: c => `deals with those whom the last hand of table ${c.table} left without chips`,
  next_round: () => 'goes on with hand-for-hand',
  end_registration: () => 'ends registration, or makes the pool final',
  pay_places: () => 'pays places',
  pay_bounties: () => 'pays bounties',
  start_clock: () => 'starts the clock',
  end: () => 'ends the tournament',
  want_deal: c => `${c.want ? 'wants' : 'does not want'} a deal`,
  propose_deal: c => `proposes a deal ${METHOD_WORDS[c.method]}`,
  answer_deal: c => `says ${c.accept ? 'yes' : 'no'} to the deal`,
  disqualify: c => `disqualifies ${c.player} (${c.reason})`,
  substitute_prize: c => `would have ${c.what}, worth ${c.value}, for the prize of place ${c.place}`,
  change_registration: c => `changes the times of registration (${c.reason})`,
  postpone: c => `postpones the start to ${clock(c.starts_at)} (${c.reason})`,
  cancel: c =>
    `cancels the tournament as of ${clock(c.instant)}: ${CANCEL_WORDS[c.cause]}${c.reason ? ` (${c.reason})` : ''}`,
  pay_refunds: () => 'pays refunds',
};

function askedWords(command) {
  const [[word, fields]] = Object.entries(command);
  return `${ASKED_WORDS[word](fields)}, tournament ${fields.event}`;
}

const DRAW_WORDS = {
  first: () => 'first seats',
  late: () => 'seats of those who came later',
  break: table =>
    (table === undefined
      ? 'seats of the players of a broken table'
      : `seats of the players of table ${table}, which breaks`),
  final: () => 'seats of the last table',
};
const CLOSED_WORDS = {
  schedule: 'by the schedule', full: 'the field being full', itm: 'the paid places being reached',
};

Object.assign(EVENT_WORDS, {
  created: e =>
    `the structure ${e.structure.name} with digest ${e.digest} is in force, the start is at ${clock(e.starts_at)}, ` +
    `the house's numbers for draws end in ${e.tip}`,
  registered: e =>
    `entry ${e.entry_no} is ${e.player}'s, with ${e.bounty} on its head and the seed commitment ${e.commitment}`,
  bounty_set: e => `${e.player} has ${bountyWords(e.has)}`,
  unregistered: e => `entry ${e.entry_no} is given back`,
  rebought: e => `entry ${e.entry_no} rebuys and has ${e.chips} chips`,
  added_on: e => `entry ${e.entry_no} takes the add-on and has ${e.chips} chips`,
  noted: ({ entry_no: no, what, reason }) => {
    const why = reason === undefined ? '' : ` (${reason})`;
    return `${NOTED_WORDS[what]} of entry ${no} is noted${why}, to be done when it is in no hand and no draw`;
  },
  note_dropped: ({ entry_no: no, what, why }) => `${NOTED_WORDS[what]} of entry ${no} is not done: ${DROP_WORDS[why]}`,
  stake_offered: e => `${percent(e.basis_points)} of ${e.player}'s entry is on offer`,
  stake_sold: e => `${e.buyer} has ${percent(e.basis_points)} of ${e.seller}'s entry, for ${e.price}`,
  stakes_divided: e => `what entry ${e.entry_no} won is divided with the buyers of its stakes`,
  ticket_returned: e => `${e.player}'s ticket, which was not used, comes back as T$ ${e.value}`,
  started: e => `the tournament starts with ${e.players} players`,
  draw_called: e => `draw ${e.draw_no}: ${DRAW_WORDS[e.kind](e.table)}; seeds are due until ${clock(e.reveal_by)}`,
  seat_seed_revealed: e => `the seed of entry ${e.entry_no} is ${e.seed}`,
  seats_drawn: e =>
    `draw ${e.draw_no}: the house's number is ${e.link}, the entropy ${e.entropy}, ${e.withheld} seed(s) were withheld`,
  player_moved: ({ entry_no: no, from, to }) =>
    `entry ${no} moves from table ${from[0]}, seat ${from[1]}, to table ${to[0]}, seat ${to[1]}`,
  level_begun: e => `level ${e.level} begins`,
  break_begun: e => `a break begins, until ${clock(e.until)}`,
  break_ended: () => 'the break is over',
  player_eliminated: e =>
    `entry ${e.entry_no} is eliminated at table ${e.table}, having begun the hand with ${e.stack} chips`,
  rebuy_awaited: e => `entry ${e.entry_no} has no chips and may rebuy until ${clock(e.until)}`,
  bounty_won: e => `the head of entry ${e.entry_no} falls: ${wonWords(e.winners)}`,
  hand_for_hand: ({ round }) => (round ? `hand-for-hand, round ${round}` : 'hand-for-hand ends'),
  registration_ended: e =>
    `registration has ended, ${CLOSED_WORDS[e.cause]}: ${e.entries} entries, ${e.places} places are paid`,
  pool_final: e => `the pool is ${e.pool}, of which the house gives ${e.overlay}`,
  prize_paid: ({ entry_no: no, rank: [first, last], prize: { cash, ticket, t_dollars: dollars, substitute } }) => {
    const all = [['', cash], ['a ticket worth ', ticket], ['T$ ', dollars], ['the substitute for ', substitute]];
    const parts = all.filter(([, amount]) => amount);
    const place = first === last ? `place ${first}` : `the places ${first} to ${last}, shared`;
    return `entry ${no} is paid ${parts.map(([what, amount]) => what + amount).join(' and ')} for ${place}`;
  },
  bounty_paid: e => `entry ${e.entry_no} is paid ${e.amount} in bounties`,
  deal_wanted: e => `entry ${e.entry_no} ${e.want ? 'wants' : 'does not want'} a deal`,
  deal_proposed: e => `a deal ${METHOD_WORDS[e.method]}: ${amountsWords(e.amounts)}; until ${clock(e.answer_by)}`,
  deal_answered: e => `entry ${e.entry_no} says ${e.accept ? 'yes' : 'no'}`,
  deal_made: e => `the deal is made: ${amountsWords(e.amounts)}`,
  deal_off: () => 'there is no deal',
  player_disqualified: e => `entry ${e.entry_no} is disqualified (${e.reason})`,
  prize_substituted: e => `whoever accepts it has ${e.what}, worth ${e.value}, for the prize of place ${e.place}`,
  substitute_accepted: e => `entry ${e.entry_no} accepts what is offered for the prize of place ${e.place}`,
  registration_changed: ({ late_levels: levels, unregister_ms: ms }) => {
    const until = ms === undefined
      ? 'entries cannot be given back' : `entries can be given back until ${ms} ms before the start`;
    return `late registration lasts ${levels} levels; ${until}`;
  },
  postponed: e => `the start is at ${clock(e.starts_at)}`,
  clock_stopped: e => `the clock stands: ${STAND_WORDS[e.cause]}`,
  clock_started: e => `the clock goes on (${STAND_WORDS[e.cause]})`,
  cancelled: e =>
    `the tournament is off as of ${clock(e.instant)}: ${CANCEL_WORDS[e.cause]}; case ${e.case}: ${e.pool} is divided ` +
    `among ${e.remaining} players with ${e.chips} chips, ${e.residual} is cut off`,
  refunded: e => {
    const parts = [
      [e.due, 'that were theirs before the instant'], [e.bought, 'for what was bought after it'],
      [e.taken, 'taken back of what was paid after it'],
    ];
    // If an event did not begin, all is one sum.
    const back = e.bounty || e.pool
      ? `${e.fee} in fees, ${e.bounty} in bounties and ${e.pool} of the pool`
      : `${e.fee} of what was paid`;
    return `entry ${e.entry_no} gets back ${back}` +
      parts.filter(([amount]) => amount).map(([amount, what]) => `, ${amount} ${what}`).join('');
  },
  ended: e => `the tournament is over; ${e.residual} was cut off`,
  posts_taken: ({ seats }) => {
    const won = seats.find(({ put_in: put, got }) => got > put);
    return `nobody committed a seed: ${won ? won.player : 'the big blind'} takes what is posted`;
  },
  set_seats: e =>
    `level ${e.level}: ${e.seats.map(({ player, seat, stack }) => `${player} at ${seat} with ${stack}`).join(', ')}`,
});
