//! The rule set of a cash table: how a hand is played, its cost before the cards, clocks, and who may sit.

use crate::game::{Game, Lying};
use crate::poker::words::open_hand;
use crate::poker::{BettingRule, Blinds, Family, HandRules, HandStart, MAX_SEATS, PokerRound, Rake};
use crate::script::Form;
use crate::{
    Bet, BetRefusal, Chips, DealingRule, Edge, GameRules, Mode, Place, Placed, Reshuffle, Round, RoundEvent, RuleSet,
    TableRules,
};
use fairshoe_fairness::{Card, Composition};
use serde::{Deserialize, Serialize};

/// The action for a turn that lapses at a cash table (R001.8, A001.b).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CashTimeout {
    /// A fold, even if a check is free: the document's words.
    Fold,
    /// A check if it is free, else a fold.
    CheckIfFree,
}

/// Clocks of a betting turn; the base is the table's `turn_time_ms` (R001.83, R001.84).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clocks {
    /// Milliseconds on top of the base: before the flop, on the flop, the turn, the river.
    pub street_extra_ms: [u64; 4],
    /// Milliseconds of a full time bank; 0 means no time bank.
    pub bank_ms: u64,
    /// Milliseconds that return to it with each hand dealt to the player.
    pub bank_refill_ms: u64,
}

/// The player's kind of client, which limits the seats they may hold at once (R001.80).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    /// A computer with room for several tables.
    #[default]
    Desktop,
    /// A telephone.
    Mobile,
    /// A web browser.
    Browser,
}

/// The most seats that a player may hold at once when they take one here, by kind of client (R001.80).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MostSeats {
    /// At a computer.
    pub desktop: u8,
    /// On a telephone.
    pub mobile: u8,
    /// In a web browser.
    pub browser: u8,
}

impl MostSeats {
    /// The bound for a kind of client.
    pub fn of(self, client: ClientKind) -> u8 {
        match client {
            ClientKind::Desktop => self.desktop,
            ClientKind::Mobile => self.mobile,
            ClientKind::Browser => self.browser,
        }
    }
}

/// The leave-table policy (R001.13 to R001.15, A001.e).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeavePolicy {
    /// Whether the table is exempt: leaving it is never refused, and it bars no player.
    pub exempt: bool,
    /// Whether being removed after too long a sit-out counts as leaving.
    pub removal_counts: bool,
    /// A player is removed after sitting out so many hands in a row.
    pub sit_out_hands: u16,
}

/// A step of the rake's schedule (R001.81, A001.pp).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RakeStep {
    /// The most dealt-in players for which it applies.
    pub players: u8,
    /// In hundredths of a percent of each pot.
    pub basis_points: u16,
    /// The maximum for a whole hand.
    pub cap: Chips,
}

/// The rules of a cash table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PokerRules {
    /// How a hand is bet and paid.
    pub hand: HandRules,
    /// The rake of hands with few players, ascending by their number; for more players than the last step names,
    /// `hand.rake` applies.
    pub rake_by_players: Vec<RakeStep>,
    /// The cost of being dealt in.
    pub blinds: Blinds,
    /// The clocks of a turn.
    pub clocks: Clocks,
    /// The action for a turn that lapses.
    pub cash_timeout: CashTimeout,
    /// The most seats one player may hold at once.
    pub most_seats: MostSeats,
    /// Leaving early, and sitting out too long.
    pub leave_table: LeavePolicy,
}

/// The longest clock: an hour.
const MOST_CLOCK_MS: u64 = 3_600_000;

impl PokerRules {
    /// Cards that a hand with so many players can need, the burnt ones included.
    fn cards_needed(&self, seats: usize) -> usize {
        seats.saturating_mul(self.hand.family.hole_cards()).saturating_add(8)
    }

    /// The rules for a hand with so many players dealt in: with the schedule's rake for them (A001.pp).
    pub fn hand_of(&self, players: usize) -> HandRules {
        let step = self.rake_by_players.iter().find(|step| players <= usize::from(step.players));
        let rake = self.hand.rake.map(|rake| match step {
            Some(step) => Rake { basis_points: step.basis_points, cap: step.cap, ..rake },
            None => rake,
        });
        HandRules { rake, ..self.hand }
    }

    /// A hand before its first card.
    ///
    /// # Errors
    /// In words, if the posts do not make a hand.
    pub fn open_hand(&self, start: HandStart) -> Result<Box<dyn Round>, String> {
        Ok(Box::new(PokerRound::new(self.clone(), start)?))
    }
}

impl Game for PokerRules {
    fn validate(&self, table: &TableRules) -> Result<(), String> {
        let refuse = |why: &str| Err(why.to_owned());
        let seats = usize::from(table.seats);
        if table.mode != Mode::Shared || !(2..=MAX_SEATS).contains(&seats) {
            return refuse("poker is for a shared table of 2 to 10 seats");
        }
        if table.dealing != DealingRule::Sequential {
            return refuse("nobody's choice draws a card in poker: its dealing is `sequential` (C9)");
        }
        if table.reshuffle != Reshuffle::EveryRound {
            return refuse("every hand has a deck of its own: reshuffle must be `every_round`");
        }
        if table.bets_per_player != 1 || !table.chips.is_empty() || !table.close_early {
            return refuse("a hand has no bets before it: bets_per_player is 1, chips is empty, close_early is on");
        }
        if table.house_shuffle {
            return refuse("every hand has a deck of its own: house_shuffle is off");
        }
        self.blinds.validate()?;
        if self.cards_needed(seats) > usize::from(self.composition().len()) {
            return refuse("so many seats need more cards than the deck has");
        }
        if self.hand.family == Family::ShortDeck && self.hand.hi_lo {
            return refuse("short deck has no low hand");
        }
        let bet = match self.hand.betting {
            BettingRule::NoLimit { min_bet } | BettingRule::PotLimit { min_bet } => min_bet,
            BettingRule::FixedLimit { small_bet, big_bet, cap } => {
                if small_bet > big_bet || cap == Some(0) {
                    return refuse("small_bet is at most big_bet, and a cap at least 1");
                }
                small_bet
            }
        };
        if bet < self.blinds.largest() || bet.units() > 1_000_000_000_000 {
            return refuse("the least bet is at least the largest blind, and at most 1000000000000");
        }
        if let Some(rake) = self.hand.rake
            && rake.basis_points > 10_000
        {
            return refuse("rake is at most 10000 basis points of a pot");
        }
        let steps = &self.rake_by_players;
        if self.hand.rake.is_none() && !steps.is_empty() {
            return refuse("rake_by_players needs hand.rake, which says what more players pay");
        }
        if steps.len() > MAX_SEATS || steps.iter().any(|step| step.players < 2 || step.basis_points > 10_000) {
            return refuse("each step of rake_by_players has 2 players at least and at most 10000 basis points");
        }
        if steps.windows(2).any(|pair| pair[0].players >= pair[1].players) {
            return refuse("the players of rake_by_players ascend");
        }
        // The table's stake range is the range of the buy-in.
        if table.stake_min < self.blinds.largest() {
            return refuse("stake_min is the least buy-in: at least the largest blind");
        }
        let clocks = self.clocks;
        if clocks.street_extra_ms.iter().chain([&clocks.bank_ms, &clocks.bank_refill_ms]).any(|ms| *ms > MOST_CLOCK_MS)
        {
            return refuse("a clock is at most 3600000 (an hour)");
        }
        if [ClientKind::Desktop, ClientKind::Mobile, ClientKind::Browser]
            .iter()
            .any(|client| self.most_seats.of(*client) == 0)
            || self.leave_table.sit_out_hands == 0
        {
            return refuse("most_seats and sit_out_hands are at least 1");
        }
        Ok(())
    }

    fn composition(&self) -> Composition {
        match self.hand.family {
            // Aces count as high cards here; the codes ascend.
            Family::ShortDeck => Composition::Cards(
                (0..Card::COUNT)
                    .filter_map(Card::from_code)
                    .filter(|card| card.rank() == 1 || card.rank() >= 6)
                    .collect(),
            ),
            _ => Composition::Decks(1),
        }
    }

    fn check_bets(&self, _table: &TableRules, bets: &[Bet], _balance: Chips) -> Result<(), BetRefusal> {
        if bets.is_empty() { Ok(()) } else { Err(BetRefusal::Count { given: bets.len(), most: 0 }) }
    }

    /// A hand begins with stacks and posts, which bets do not hold: see [`PokerRules::open_hand`].
    fn open_round(&self, table: &TableRules, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal> {
        Err(BetRefusal::Players { given: placed.len(), least: 2, most: usize::from(table.seats) })
    }

    fn least_players(&self) -> usize {
        2
    }

    fn candidates(&self) -> u8 {
        2
    }

    fn spots(&self, _table: &TableRules) -> Vec<String> {
        Vec::new()
    }

    fn sign(&self) -> Vec<String> {
        self.sign_lines()
    }

    fn most_won(&self, _bet: &Bet, _players: usize) -> i64 {
        1
    }

    fn edge(&self) -> Edge<'_> {
        Edge::Share
    }

    fn script(&self, _table: &TableRules) -> Form {
        Form::None("a hand of poker is played from its history: `fairshoe-audit replay FILE.phh`")
    }

    fn total_words(&self, place: Place, lying: &Lying) -> Option<String> {
        open_hand(&self.hand, place, lying)?.called.map(|called| called.words())
    }

    fn event_words(&self, event: &RoundEvent, lying: &Lying, sum: &dyn Fn(Chips) -> String) -> Option<String> {
        if let RoundEvent::Poker(event) = event { Some(event.told(Some((&self.hand, lying)), sum)) } else { None }
    }
}

impl RuleSet {
    /// The rules of a cash table, if this is one.
    pub fn cash(&self) -> Option<&PokerRules> {
        if let GameRules::Poker(rules) = &self.game { Some(rules) } else { None }
    }
}
