// The page in English. Keys begin with the name of the module that says them.

export const words = {
  // main.js
  'main.lobby': 'Lobby',
  'main.log': 'Log',
  'main.verify': 'Verify',
  'main.docs': 'Docs',
  // lobby.js
  // play.js
  // game-blackjack.js
  // game-baccarat.js
  // game-roulette.js
  // game-safe.js
  // game-poker.js
  // tournament.js
  // round.js
  // log.js
  // docs.js
};
