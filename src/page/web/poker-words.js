// Names of poker hands: "a pair of kings", "aces and eights", "a flush, queen high".

/** The name of a hand from `poker-hand.js`. */
export function ranksWords({ name, ranks }, say) {
  const rank = at => say(`poker.rank_${ranks[at]}`);
  const many = at => say(`poker.ranks_${ranks[at]}`);
  return say(`poker.hand_${name}`, { first: rank(0), second: ranks[1] ? rank(1) : '', firsts: many(0),
    seconds: ranks[1] ? many(1) : '' });
}

/** The name of a hand; beside another one of that name, with the first card that tells them apart. */
export function wordsBeside(hand, others, say) {
  const words = ranksWords(hand, say),
    alike = others.filter(one => ranksWords(one, say) === words),
    at = hand.ranks.findIndex((rank, place) => alike.some(one => one.ranks[place] !== rank));
  return at < 0 ? words : say('poker.with_kicker', { hand: words, kicker: say(`poker.rank_${hand.ranks[at]}`) });
}
