// The games, in the lobby's order: a line each. A game draws its own felt and says its own rules in game-NAME.js, which
// a room loads by the game's name.

/** `pip`: its sign; `slots`: what its committed slots are of (words.js); `hasTurns`: whether choices follow bets. */
export const GAMES = {
  blackjack: { pip: '♠', slots: 'shoe', hasTurns: true },
  baccarat: { pip: '♦', slots: 'shoe', hasTurns: false },
  dragon_tiger: { pip: '✦', slots: 'shoe', hasTurns: false },
  sic_bo: { pip: '⚄', slots: 'dice', hasTurns: false },
  roulette: { pip: '◉', slots: 'wheel', hasTurns: false },
  safe: { pip: '♣', slots: 'pile', hasTurns: true },
  poker: { pip: '♥', slots: 'deck', hasTurns: true },
};

/** The module of a game. */
export const gameModule = game => import(`./game-${game.replaceAll('_', '-')}.js`);
