// In English: the rules of a table, for people.

export const words = {
  'rules.seconds': '{seconds} s',
  'rules.stakes': 'Stakes',
  'rules.step': 'In steps of',
  'rules.seats': 'Seats',
  'rules.bet_time': 'Time to bet',
  'rules.turn_time': 'Time for a choice',
  'rules.bank': 'Time bank, after it',
  'rules.bank_is': '{seconds} s; of what was used {more} s come back with each hand',
  'rules.pause': 'Pause after a round',
  'rules.away': 'The seat of a player who is away',
  'rules.away_is': 'free after {seconds} s if somebody waits for a seat, else after 30 minutes',
  'rules.crash': 'If the service stops',
  'rules.crash_rollback': 'the round is void, and every stake comes back',
  'rules.crash_resume': 'the round goes on, and nothing in it changes',
  'rules.edge': 'With the best play the house keeps {percent} % of the stake on average.',
  'rules.edge_player': 'With the best play the player wins {percent} % of the stake on average.',
  'rules.safe_goal': 'Everybody pays {amount}. The last player in the game takes all of it.',
  'rules.safe_deal':
    'Each round all who are in the game get two open cards. J, Q and K count 10, an ace 1 or 11. A hand of 17 to 21 ' +
    'is safe. Above 21 it is bust, and its player is out of the game.',
  'rules.safe_hit': 'Hit draws a card. Stand ends your round; it takes a safe hand. A hand of 21 stands by itself.',
  'rules.safe_change':
    'Change gives one of your cards away for a new one. Or you refuse the card that a hit shows you. Either is done ' +
    'once a round.',
  'rules.safe_change_declared':
    'Change gives one of your cards away for a new one, or you refuse the next card before you hit. Either is done ' +
    'once a round.',
  'rules.safe_must': 'With 16 or less you go on: Hit, Change or Face-down.',
  'rules.safe_must_pass': 'With 16 or less you do one of these: Hit, Change or Face-down. After a hit you may pass.',
  'rules.safe_down':
    'Face-down draws a card that no player sees. The hand is closed, and waits. In the next round you get another one.',
  'rules.safe_on':
    'When a player without face-down hands stands on a safe hand, all go on to the next round, and face-down hands ' +
    'stay closed.',
  'rules.safe_open':
    'When all players without face-down hands are out, face-down hands are opened, the oldest first, until somebody ' +
    'has none left. Whoever has a bust one is out.',
  'rules.safe_own':
    'On your turn you may open your own. When a hand of yours becomes exactly 21, you may give one up unopened.',
  'rules.safe_pile':
    'When the pile is empty, all that lies open is shuffled anew with seeds of all who are in the game.',
  'rules.safe_last':
    'Whoever is left with face-down hands wins if all of them survive. If not, the last player who went out without ' +
    'one wins.',
  'rules.safe_clock': 'When your time runs out, a safe hand stands. Else you pass where you may, or hit.',
  'rules.blackjack_goal':
    'Come closer to 21 than the dealer, and not above it. J, Q and K count 10, an ace 1 or 11. A total in which an ' +
    'ace counts 11 is called soft.',
  'rules.blackjack_box': 'The box that you bet on has the number of your seat.',
  'rules.blackjack_boxes':
    'Your box has the number of your seat. Beside it you may bet on boxes of free seats: on {boxes} in all.',
  'rules.blackjack_decks': 'Decks in the shoe: {decks}.',
  'rules.blackjack_split': 'A pair can be split, into {hands} hands at most.',
  'rules.baccarat_goal':
    'Bet on the hand that comes closer to 9. Tens, J, Q and K count 0; of a sum the last digit counts.',
  'rules.baccarat_third': 'Whether a third card is drawn follows from the cards. Nobody decides it.',
  'rules.baccarat_decks': 'Decks in the shoe: {decks}.',
  'rules.baccarat_edge': 'Of a bet the house keeps on average: Player {player} %, Banker {banker} %, Tie {tie} %.',
  'rules.dragon_tiger_goal':
    'Dragon and Tiger get a card each. The higher one wins, 1 to 1; an ace is lowest, a king highest.',
  'rules.dragon_tiger_tie':
    'Equal ranks: Tie pays {tie} to 1, with equal suits Suited Tie {suited} to 1; half of a bet on a side is lost.',
  'rules.dragon_tiger_decks': 'Decks in the shoe: {decks}.',
  'rules.dragon_tiger_edge':
    'Of a bet the house keeps on average: Dragon or Tiger {side} %, Tie {tie} %, Suited Tie {suited} %.',
  'rules.sic_bo_goal': 'Small is a total of 4 to 10, Big of 11 to 17: {even} to 1. Both lose if all dice are equal.',
  'rules.sic_bo_edge': 'Of a bet on Small or Big the house keeps {percent} % on average, of most others more.',
  'rules.roulette_goal': 'A number pays {straight} to 1, red or black {even} to 1. Red and black lose with zero.',
  'rules.roulette_edge': 'The house keeps {percent} % of a bet on a number on average.',
  'rules.poker_holdem': 'Two cards of your own and five on the board: the best five of the seven win.',
  'rules.poker_omaha': 'Four cards of your own and five on the board: the best five win, of which two are your own.',
  'rules.poker_blinds': 'Blinds {small} and {big}.',
  'rules.poker_buy_in': 'You sit down with {least} to {most}.',
};
