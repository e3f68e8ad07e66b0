// Names of poker hands: "a pair of kings", "aces and eights", "a flush, queen high".

/** The name of a hand from `poker-hand.js`. */
export function ranksWords({ name, ranks }, say) {
  const rank = at => say(`poker.rank_${ranks[at]}`);
  const many = at => say(`poker.ranks_${ranks[at]}`);
  return say(`poker.hand_${name}`, { first: rank(0), second: ranks[1] ? rank(1) : '', firsts: many(0),
    seconds: ranks[1] ? many(1) : '' });
}
