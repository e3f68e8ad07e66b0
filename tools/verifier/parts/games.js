const GAMES = { blackjack, baccarat, roulette, safe, poker };
