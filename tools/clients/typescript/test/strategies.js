// How the tests play: to the end of a round, by the first of these words that is offered.
const WORDS = ['stand', 'check', 'call', 'pass', 'accept', 'show', 'muck', 'reject', 'fold', 'hit'];

export const decide = ({ decision }) => {
  const offered = decision.options.map(({ action }) => action);
  const word = WORDS.find(one => offered.includes(one));
  if (word) return word;
  for (const side of ['insurance', 'even_money']) if (offered.includes(side)) return { [side]: { take: false } };
  throw new Error(`nothing is known of ${offered.join(', ')}`);
};

/** The least bet on these spots; at a table with seats that are boxes, on the box of the own seat. */
export const betting = (...spots) => ({
  decide,
  bets: ({ info, state, client }) => {
    const seat = state.seats.find(({ player }) => player === client.player)?.seat;
    const stake = info.rules.table.stake_min;
    return (spots.length ? spots : [String(seat ?? 1)]).map(spot => ({ spot, stake }));
  },
});

/** Plays so many rounds; what was played. */
export async function playing(table, strategy, rounds) {
  const played = [];
  for await (const round of table.play(strategy, { rounds })) played.push(round);
  return played;
}
