// The page in Japanese. Keys begin with the name of the module that says them.

export const words = {
  // main.js
  'main.lobby': 'ロビー',
  'main.log': 'ログ',
  'main.verify': '検証',
  'main.docs': 'ドキュメント',
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
