// Counting that blackjack and Safe share: R000.6, R001.50, R003.1, R004.1, R002.2 with A002.a.

/** The value of a card, an ace as 1. */
function cardValue(card) {
  const rank = rankOf(card);
  return rank === 'A' ? 1 : 'TJQK'.includes(rank) ? 10 : Number(rank);
}

/** The total of a list of faces: the largest sum that is at most 21; otherwise the least sum. */
function handTotal(cards) {
  const least = cards.reduce((sum, card) => sum + cardValue(card), 0);
  return least <= 11 && cards.some((card) => rankOf(card) === 'A') ? least + 10 : least;
}
