// Pots as they stand while a hand is played, for people: contributions in layers (spec/games/poker.md, "Pots"). What is
// paid is in the hand's result.

/**
 * Main pot and side pots of `seats` (`{seat, put_in, folded, bet}`): `[{amount, seats}]`. Chips of this street lie
 * before the players still and are left out, unless `collected`.
 */
export function potsOf(seats, total, collected = false) {
  const inPot = seat => (collected ? seat.put_in : seat.put_in - seat.bet);
  const heights = [...new Set(seats.filter(seat => !seat.folded).map(inPot))].filter(height => height > 0)
    .sort((one, other) => one - other);
  const pots = [];
  let below = 0;
  for (const height of heights) {
    const amount = seats.reduce((all, seat) => all + Math.max(0, Math.min(inPot(seat), height) - below), 0);
    const contested = seats.filter(seat => !seat.folded && inPot(seat) >= height).map(seat => seat.seat);
    if (amount > 0) pots.push({ amount, seats: contested });
    below = height;
  }
  // What folded players put in above all who are left, and whatever else is not in these layers, is the first pot's.
  const lying = collected ? total : total - seats.reduce((all, seat) => all + seat.bet, 0);
  const rest = lying - pots.reduce((all, pot) => all + pot.amount, 0);
  if (rest > 0 && pots.length) pots[0].amount += rest;
  else if (rest > 0) pots.push({ amount: rest, seats: seats.filter(seat => !seat.folded).map(seat => seat.seat) });
  return pots;
}

/**
 * Stakes that a pot of `pot` with `toCall` before the player suggests: a third, a half, two thirds, the whole, as `to`.
 */
export function potRaise(part, pot, bet, toCall) {
  return bet + toCall + Math.round((pot + toCall) * part);
}
