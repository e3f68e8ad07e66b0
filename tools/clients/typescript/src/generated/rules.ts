// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// Rule sets.
import type { Chips, Hex32, Name, Unlimited } from './words.js';
import type {
  BaccaratGame, BlackjackGame, DragonTigerGame, PokerBetting, PokerGame, RouletteGame, SafeGame, SicBoGame,
} from './games.js';
import type { AbandonRefunds, Reshuffle } from './views.js';

/** A game's rules as data. */
export type RuleSet = { name: Name; table: TableRules; game: GameRules };

export type TableRules = {
  mode: 'solo' | 'shared';
  seats: number;
  dealing: 'sequential' | 'lanes';
  stake_min: Chips;
  stake_max: number;
  stake_step: Chips;
  /** Denominations, ascending; empty: any amount. */
  chips: Chips[];
  bets_per_player: number;
  reshuffle: Reshuffle;
  /** Whether the operator may change the shoe between rounds. */
  house_shuffle: boolean;
  crash: 'resume' | 'rollback';
  abandon: 'finish' | 'refund';
  abandon_refunds: AbandonRefunds;
  /** 0 at a solo table. */
  bet_time_ms: number;
  /** Whether bets close as soon as everyone expected has bet. */
  close_early: boolean;
  reveal_time_ms: number;
  /** 0 at a solo table. */
  turn_time_ms: number;
  /** 0 at a shared table. */
  round_time_ms: number;
  /** At a shared table, milliseconds from a round's end in which no next hand is called and no bets are … */
  between_hands_ms?: number;
  /** At a shared table, milliseconds after its last use at which the seat of a player who is away is free … */
  away_ms?: number;
};

/** The game and its options: one property. */
export type GameRules =
  | BlackjackGame
  | BaccaratGame
  | RouletteGame
  | SafeGame
  | PokerGame
  | DragonTigerGame
  | SicBoGame;

export type BlackjackRules = {
  decks: number;
  boxes: number;
  deal_order: 'interleaved' | 'pp_dd';
  up_card: 'dealt_up' | 'turned_after_deal';
  peek: 'none' | 'ace' | 'ten_ace';
  blackjack_pays: [number, number];
  blackjack_rounding: 'up' | 'down';
  hit_blackjack: boolean;
  auto_stand_21: boolean;
  card_limit: number;
  double_amount: 'exact' | 'up_to';
  double_after_split: boolean;
  double_any_cards: boolean;
  split_by_value: boolean;
  max_hands: number | Unlimited;
  second_cards: 'when_played' | 'at_once';
  split_aces: 'free' | 'one_card';
  split_cancels_dealer_blackjack: boolean;
  surrender: 'none' | 'early' | 'late';
  surrender_any_time: boolean;
  insurance: 'none' | 'stake_back' | 'half';
  insurance_odds: 'none' | '2:1' | '3:1';
  insure_blackjack: boolean;
  even_money_upcards: 'none' | 'ten' | 'ace';
  draw_against_blackjack: boolean;
  dealer_always_draws: boolean;
  settle_at_once: boolean;
  pay_blackjack_at_once: boolean;
  settlement_order: 'left_to_right' | 'right_to_left';
};

export type BaccaratRules = {
  decks: number;
  commission: [number, number];
  banker_min: Chips;
  tie_pays: number;
};

export type DragonTigerRules = { decks: number; tie_pays: number; suited_tie_pays: number };

export type RouletteRules = {
  spins: number;
  pays: {
    straight: number;
    split: number;
    street: number;
    corner: number;
    line: number;
    column: number;
    dozen: number;
    even_chance: number;
  };
};

export type SicBoRules = {
  spins: number;
  pays: {
    even_chance: number;
    triple: number;
    any_triple: number;
    double: number;
    /** For 4 or 17, 5 or 16, and so on to 10 or 11. */
    totals: number[];
    pair: number;
    /** For one, two and three dice. */
    single: number[];
  };
};

export type SafeRules = {
  pass: 'after_operation' | 'never';
  hit_change: 'seen' | 'declared';
  last_round: number;
};

/** A cash table's rules. */
export type PokerRules = {
  hand: {
    family: 'holdem' | 'short_deck' | 'omaha';
    /** Whether the best low of eight or better takes half. */
    hi_lo: boolean;
    betting: PokerBetting;
    /** Whether a blind that its payer could not post in full is called in full. */
    full_blind: boolean;
    /** Whether antes make side pots as bets do. */
    ante_layers: boolean;
    /** Which all-in lets those raise again who have chosen already. */
    reopening: 'full' | 'any';
    odd_chips: 'one_each' | 'all_to_first';
    rake?: {
      /** Hundredths of a percent of each pot. */
      basis_points: number;
      /** The most of a hand. */
      cap: Chips;
      no_flop_no_drop: boolean;
    };
  };
  /** The rake of hands with few players dealt in, ascending by their number; with more than the last names, … */
  rake_by_players: { players: number; basis_points: number; cap: Chips }[];
  blinds: {
    small: Chips;
    big: Chips;
    third?: Chips;
    ante: Chips;
    straddle: boolean;
    /** What a newcomer posts. */
    entry_post: 'small' | 'big';
  };
  clocks: {
    /** More than `turn_time_ms`: before the flop, on the flop, the turn, the river. */
    street_extra_ms: number[];
    /** A full time bank; 0: none. */
    bank_ms: number;
    /** What comes back into it with each hand. */
    bank_refill_ms: number;
  };
  /** What a turn that lapses becomes. */
  cash_timeout: 'fold' | 'check_if_free';
  /** The most seats of cash tables that one player holds at once, by kind of client. */
  most_seats: { desktop: number; mobile: number; browser: number };
  leave_table: {
    /** Whether nobody is kept from the table for having left early. */
    exempt: boolean;
    /** Whether being removed counts as leaving. */
    removal_counts: boolean;
    /** Hands in a row without them after which a player is removed. */
    sit_out_hands: number;
  };
};

export type PokerMinBet = { min_bet: Chips };

export type RuleSetView = {
  name: Name;
  /** SHA-256 over `fairshoe/v1/rule-set`, a zero byte and the canonical JSON. */
  digest: Hex32;
  rules: RuleSet;
};

export type RuleSetList = { rulesets: RuleSetView[] };
