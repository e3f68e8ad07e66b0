// One step of a replayed round in the reader's language, from the event's own fields.

import { cardSign } from './card.js';
import { GAMES } from './games.js';
import { listed, money, say } from './words.js';


/** The place of a card. */
function placeName(place, game) {
  const [, box, hand] = /^(\d+)\/(\d+)$/.exec(place) || [];
  if (box && (game === 'poker' || game === 'safe')) return say('step.at_seat', { seat: box });
  if (box) return say(hand === '1' ? 'step.at_box' : 'step.at_hand', { box, hand });
  const known = ['dealer', 'player', 'banker', 'board', 'burn', 'shown', 'discard', 'dragon', 'tiger'];
  return known.includes(place) ? say(`step.at_${place}`) : place;
}

/** A player's choice. */
function choice(action) {
  if (typeof action === 'string') return say(`step.do_${action}`);
  const [[word, fields]] = Object.entries(action);
  if (word === 'insurance' || word === 'even_money') return say(`step.do_${word}_${fields.take ? 'yes' : 'no'}`);
  if (word === 'bet' || word === 'raise') return say(`step.do_${word}`, { to: money(fields.to) });
  if (word === 'change') return say('step.do_change', { card: cardSign(fields.card) });
  return say(`step.do_${word}`);
}

/** The dice of one of the 216 throws (spec/games/sic-bo.md, A006.a). */
const diceOf = pocket => [36, 6, 1].map(part => 1 + (Math.floor(pocket / part) % 6));

const amount = cost => (cost ? say('step.for', { cost: money(cost) }) : '');

const STEPS = {
  bets_opened: () => say('step.bets_opened'),
  hand_called: () => say('step.hand_called'),
  bets_lapsed: ({ cause }) => say(cause === 'no_bets' ? 'step.no_bets' : 'step.bets_lapsed'),
  bet_placed: ({ bet: { player, bets } }, game) => {
    const stake = money(bets.reduce((all, one) => all + one.stake, 0));
    return say(game === 'safe' ? 'step.entry_paid' : 'step.bet_placed', { player, stake });
  },
  bet_cancelled: ({ player }) => say('step.bet_cancelled', { player }),
  hand_seed_committed: ({ player }) => say('step.seed_committed', { player }),
  hand_seed_withdrawn: ({ player }) => say('step.seed_withdrawn', { player }),
  seed_committed: ({ player }) => say('step.seed_committed', { player }),
  bets_closed: ({ contributors }) => say('step.bets_closed', { players: listed(contributors.map(one => one.player)) }),
  hand_begun: ({ hand }) => say('step.hand_begun', { n: hand.seats.length, button: hand.positions.button }),
  seed_revealed: ({ player }) => say('step.seed_revealed', { player }),
  round_opened: (fields, game) =>
    say(['wheel', 'dice'].includes(GAMES[game]?.slots) ? 'step.result_fixed' : 'step.round_opened'),
  dealt: ({ card, to }, game) =>
    say(card ? 'step.dealt' : 'step.dealt_down', { card: card && cardSign(card), to: placeName(to, game) }),
  turned: ({ card }) => say('step.turned', { card: cardSign(card) }),
  peeked: ({ blackjack }) => say(blackjack ? 'step.peeked_yes' : 'step.peeked_no'),
  spun: ({ pocket }, game) =>
    game === 'sic_bo' ? say('step.thrown', { dice: listed(diceOf(pocket)) }) : say('step.spun', { pocket }),
  offered: ({ player }) => say('step.offered', { player }),
  acted: ({ player, action, cost, default: isDefault }) =>
    say('step.acted', { player, choice: choice(action) + amount(cost) }) + (isDefault ? say('step.by_default') : ''),
  bank_used: ({ player }) => say('step.bank_used', { player }),
  paid: ({ lines }) => {
    const sums = new Map();
    for (const { player, returned } of lines) sums.set(player, (sums.get(player) || 0) + returned);
    return listed([...sums].map(([player, returned]) => say('step.paid', { player, returned: money(returned) })));
  },
  poker: ({ settled: { pots, seats } }) => {
    const name = seat => seats.find(one => one.seat === seat)?.player ?? String(seat);
    return listed(
      pots.flatMap(pot =>
        pot.won.map(({ seat, amount: won }) => say('step.pot', { player: name(seat), amount: money(won) })),
      ),
    );
  },
  safe: event => {
    const [[word, fields]] = Object.entries(event);
    return say(`step.safe_${word}`, {
      player: fields.player ?? '',
      round: fields.round ?? '',
      pile: fields.pile ?? '',
    });
  },
  absent: ({ player }) => say('step.absent', { player }),
  pile_opened: ({ players }) => say('step.pile_opened', { players: listed(players) }),
  pile_closed: () => say('step.pile_closed'),
  pile_shuffled: () => say('step.pile_shuffled'),
  pile_failed: ({ missing }) => say('step.pile_failed', { players: listed(missing) }),
  last_hand: () => say('step.last_hand'),
  round_resumed: () => say('step.round_resumed'),
  round_settled: ({ staked, returned }) =>
    say('step.round_settled', { staked: money(staked), returned: money(returned) }),
  round_voided: ({ cause }) => say('step.round_voided', { cause: say(`step.cause_${cause}`) }),
  shoe_revealed: () => say('step.shoe_revealed'),
  shoe_sealed: () => say('step.shoe_sealed'),
};

/** Whether an event has words: bookkeeping events outside a round's steps have none. */
export const isTold = event => Object.hasOwn(STEPS, event);

/** A step in words; see the module. `rules` are the table's, or null. */
export function stepInWords({ event, fields }, rules) {
  const words = STEPS[event];
  return words ? words(fields, Object.keys(rules?.game ?? {})[0]) : event;
}
