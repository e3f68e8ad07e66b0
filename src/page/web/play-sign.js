// The lines of a table's sign in the reader's language. The service writes them in English, in the words of the trade
// (`TableView.notices`); an unknown line is shown unchanged.

import { money, say } from './words.js';

/** The service's lines; each `{…}` is a value filled in by it. */
const LINES = {
  draws: 'draw to 16, stand on 17',
  blackjack: 'blackjack pays {pays} to {to}',
  no_insurance: 'no insurance',
  insurance_back: 'insurance returns the premium and the stake',
  insurance_pays: 'insurance pays {pays} to 1',
  insurance_costs: 'insurance costs half the stake',
  even_ten: 'even money for a blackjack against a ten-card',
  even_ace: 'even money for a blackjack against an ace',
  surrender_early: 'a hand may be given up for half its stake before the dealer\'s hand is known',
  surrender_late: 'a hand may be given up for half its stake once the dealer has no blackjack',
  card_limit: 'a hand of {cards} cards stands',
  player: 'player pays 1 to 1',
  banker: 'banker pays 1 to 1 less a commission of {part} in {whole}',
  tie: 'tie pays {pays} to 1; player and banker push on a tie',
  banker_least: 'the least bet on banker is {amount}',
  zero: 'single zero',
  inside: 'straight pays {straight}, split {split}, street {street}, corner {corner}, line {line} to 1',
  outside: 'column pays {column}, dozen {dozen}, even chances {even} to 1',
  higher: 'the higher card wins; an ace is lowest',
  sides: 'dragon and tiger pay 1 to 1; half comes back on a tie',
  ties: 'tie pays {tie}, suited tie {suited} to 1',
  small_big: 'small and big pay {even} to 1, and lose on a triple',
  triples: 'a triple pays {triple}, any triple {any}, a double {double}, a pair {pair} to 1',
  totals: 'totals 4 to 10, and 17 to 11, pay {totals} to 1',
  single: 'a single number pays {one}, {two} or {three} to 1, by the dice that show it',
  winner: 'the winner takes all entries',
  last_round: 'the game ends with its round {round} at the latest',
  no_limit: 'no limit hold\'em, blinds {blinds}',
  pot_limit: 'pot limit Omaha, blinds {blinds}',
  pot_limit_low: 'pot limit Omaha high-low, eight or better, blinds {blinds}',
  limit: 'limit {bets}, {cap} hold\'em, blinds {blinds}',
  no_rake: 'no rake',
  rake_flop: 'rake {part} in 10000 of each pot, at most {most} a hand, none without a flop',
  rake: 'rake {part} in 10000 of each pot, at most {most} a hand',
  no_bank: 'no time bank',
  bank: 'time bank {seconds} s',
  lapse_fold: 'a turn that lapses is a fold',
  lapse_check: 'a turn that lapses is a check where it is free, else a fold',
  folded: 'folded hands stay private; each hand has two committed decks, of which the players\' seeds choose one',
  buy_in: 'buy-in from {least} to {most}',
  stake: 'the stake is {amount}',
  stakes: 'stakes from {least} to {most}, in steps of {step}',
};

const literal = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const shapes = Object.entries(LINES).map(([key, line]) => {
  const parts = line.split(/\{([a-z]+)\}/).map((part, at) => (at % 2 ? `(?<${part}>.+?)` : literal(part)));
  return [key, new RegExp(`^${parts.join('')}$`)];
});

/** Whole numbers as figures of the reader. */
const figured = values => Object.fromEntries(
  Object.entries(values ?? {}).map(([name, value]) => [name, /^[0-9]+$/.test(value) ? money(value) : value]));

/** Parts of ten thousand, or of another whole, as percent. */
const percent = ({ part, whole = 10_000 }) => money((100 * Number(part)) / Number(whole));

/** The sign's lines, translated; see the module. */
export function signInWords(line) {
  for (const [key, shape] of shapes) {
    const found = shape.exec(line);
    if (!found) continue;
    const { groups } = found;
    return say(`sign.${key}`, { ...figured(groups), percent: groups?.part && percent(groups) });
  }
  return line;
}
