// Pots during a hand, for people: contributions in layers (spec/games/poker.md, "Pots"). The hand's result has the
// payments.

/**
 * Main pot and side pots of `seats` (`{seat, put_in, folded, bet}`): `[{amount, seats}]`. Chips of this street still
 * lie before the players and are left out, unless `collected`.
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
  // Folded players' chips above those of all remaining players, and all other chips outside these layers, go to the
  // first pot.
  const lying = collected ? total : total - seats.reduce((all, seat) => all + seat.bet, 0);
  const rest = lying - pots.reduce((all, pot) => all + pot.amount, 0);
  if (rest > 0 && pots.length) pots[0].amount += rest;
  else if (rest > 0) pots.push({ amount: rest, seats: seats.filter(seat => !seat.folded).map(seat => seat.seat) });
  return pots;
}

/**
 * Suggested stakes for a pot of `pot` with `toCall` before the player: a third, a half, two thirds, the whole, as `to`.
 */
export function potRaise(part, pot, bet, toCall) {
  return bet + toCall + Math.round((pot + toCall) * part);
}
