//! The betting of one hand: whose turn it is, their options, when a street is over. It knows seats and chips but no
//! cards (spec/games/poker.md).

use crate::Chips;
use crate::poker::pots::Contribution;
use crate::poker::rules::{BettingRule, HandRules, MAX_SEATS, Reopening};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A street: one stretch of betting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Street {
    /// After the hole cards.
    Preflop,
    /// After three cards of the board.
    Flop,
    /// After four.
    Turn,
    /// After five.
    River,
}

impl Street {
    /// The street after this one; `None` after the last.
    pub const fn next(self) -> Option<Street> {
        match self {
            Street::Preflop => Some(Street::Flop),
            Street::Flop => Some(Street::Turn),
            Street::Turn => Some(Street::River),
            Street::River => None,
        }
    }

    /// The number of open board cards on it.
    pub const fn board_cards(self) -> usize {
        match self {
            Street::Preflop => 0,
            Street::Flop => 3,
            Street::Turn => 4,
            Street::River => 5,
        }
    }
}

/// A seat's chips and posts. Seats come in order from the left of the button; with two players the big blind's comes
/// first and the button's last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// The chips before anything is posted.
    pub stack: Chips,
    /// The ante that is due.
    pub ante: Chips,
    /// Blind, straddle or other live post that is due: it counts towards a call.
    pub live: Chips,
    /// Dead blind that is due: straight into the pot (rule R001.5).
    pub dead: Chips,
    /// Whether the first turn comes after the live post. That is so for blinds and straddles, but not for a returning
    /// player's post.
    pub opens: bool,
}

/// A seat's chips in the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BettingSeat {
    /// Chips left to bet.
    pub stack: Chips,
    /// Live chips of this street.
    pub bet: Chips,
    /// Live chips of the streets before.
    pub before: Chips,
    /// Its ante, which no call has to match.
    pub ante: Chips,
    /// Dead chips.
    pub dead: Chips,
    /// Whether the hand was given up.
    pub folded: bool,
    /// The bet that the seat last answered on this street; absent before its first turn.
    answered: Option<Chips>,
}

impl BettingSeat {
    /// Everything put in so far.
    pub fn put_in(&self) -> Chips {
        // This cannot fail: all chips together are within range.
        Chips::sum([self.bet, self.before, self.ante, self.dead]).unwrap_or_default()
    }

    fn can_act(&self) -> bool {
        !self.folded && self.stack > Chips::ZERO
    }

    /// Moves chips from the stack to the bet, as far as the stack reaches.
    fn pay(&mut self, due: Chips) -> Option<Chips> {
        let paid = due.min(self.stack);
        self.stack = self.stack.minus(paid)?;
        Some(paid)
    }
}

/// A player's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Gives the hand up.
    Fold,
    /// Adds no chips; legal if there is nothing to call.
    Check,
    /// Matches the bet, or goes all-in below it.
    Call,
    /// Bets or raises up to so many live chips of the seat on this street.
    RaiseTo(Chips),
}

/// A seat's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The seat whose turn it is.
    pub seat: usize,
    /// The cost of a call (all-in if the stack is smaller); absent if a check is free.
    pub call: Chips,
    /// The range of a bet or raise, in live chips of this street; absent if the seat may not raise.
    pub raise: Option<(Chips, Chips)>,
}

/// The next step of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A seat chooses.
    Choose(Options),
    /// The next street is due; [`Betting::deal`] confirms it.
    Deal(Street),
    /// The hands are shown, from this seat on.
    Showdown {
        /// The seat that shows first: the last to bet or raise on the river, else the first from the left of the
        /// button.
        first: usize,
    },
    /// All but one have folded.
    Won {
        /// The seat left.
        seat: usize,
    },
}

/// Why a choice is refused. The state is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalChoice {
    /// No player's turn is open.
    #[error("it is nobody's turn")]
    NobodysTurn,
    /// It is another seat's turn.
    #[error("it is the turn of seat {turn}")]
    NotYourTurn {
        /// The seat whose turn it is.
        turn: usize,
    },
    /// There is something to call.
    #[error("there is {0} to call")]
    SomethingToCall(Chips),
    /// There is nothing to call.
    #[error("there is nothing to call")]
    NothingToCall,
    /// No bet or raise is allowed here.
    #[error("no bet or raise is allowed here")]
    NoRaise,
    /// The amount is not allowed.
    #[error("a bet or raise goes to at least {min} and at most {max}")]
    Amount {
        /// The least amount.
        min: Chips,
        /// The greatest amount.
        max: Chips,
    },
}

/// Why a hand cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadPosts {
    /// A hand needs two to ten seats.
    #[error("a hand has 2 to {MAX_SEATS} seats")]
    Seats,
    /// A seat has no chips.
    #[error("seat {0} has no chips")]
    NoChips(usize),
    /// The sum of all chips is too large.
    #[error("the chips of all seats are too many")]
    TooMany,
    /// A bet size of the rules is zero.
    #[error("a bet size must be above 0")]
    BetSize,
}

/// The betting of one hand: a fold of posts and choices. It holds no cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Betting {
    rules: HandRules,
    seats: Vec<BettingSeat>,
    street: Street,
    /// The bet to match on this street.
    level: Chips,
    /// The largest full bet or raise on this street.
    full: Chips,
    /// The number of bets and raises on this street, the blind included.
    raises: u8,
    turn: Option<usize>,
    last_raiser: Option<usize>,
}

impl Betting {
    /// Antes first, then dead, then live posts, each as far as the stack reaches; then the first turn.
    ///
    /// # Errors
    /// [`BadPosts`].
    pub fn begin(rules: HandRules, posts: &[Post]) -> Result<Betting, BadPosts> {
        if !(2..=MAX_SEATS).contains(&posts.len()) {
            return Err(BadPosts::Seats);
        }
        if let Some(seat) = posts.iter().position(|post| post.stack == Chips::ZERO) {
            return Err(BadPosts::NoChips(seat));
        }
        // All chips together stay below half the maximum, so no sum below can fail.
        let all = Chips::sum(posts.iter().map(|post| post.stack)).and_then(|all| all.plus(all));
        all.ok_or(BadPosts::TooMany)?;
        let seats: Option<Vec<BettingSeat>> = posts.iter().map(posted).collect();
        let seats = seats.ok_or(BadPosts::TooMany)?;
        let mut betting = Betting {
            rules,
            seats,
            street: Street::Preflop,
            level: Chips::ZERO,
            full: Chips::ZERO,
            raises: 0,
            turn: None,
            last_raiser: None,
        };
        betting.full = betting.bet_size();
        if betting.full == Chips::ZERO {
            return Err(BadPosts::BetSize);
        }
        betting.level = match rules.full_blind {
            true => posts.iter().map(|post| post.live).max().unwrap_or_default(),
            false => betting.seats.iter().map(|seat| seat.bet).max().unwrap_or_default(),
        };
        betting.raises = u8::from(betting.level > Chips::ZERO);
        // The turn starts left of the last of the largest opening posts: the straddle, else the big blind.
        let opener = (0..posts.len())
            .rev()
            .filter(|&seat| posts[seat].opens)
            .max_by_key(|&seat| (betting.seats[seat].bet, seat));
        let first = opener.filter(|&seat| betting.seats[seat].bet > Chips::ZERO).map_or(0, |seat| seat + 1);
        betting.turn = betting.next_turn(first);
        Ok(betting)
    }

    /// The seats' chips.
    pub fn seats(&self) -> &[BettingSeat] {
        &self.seats
    }

    /// Whether at most one player in the hand has chips left. Then there are no more choices once the bets are matched.
    pub fn is_all_in(&self) -> bool {
        self.seats.iter().filter(|seat| seat.can_act()).count() <= 1
    }

    /// The bet to match on this street.
    pub fn level(&self) -> Chips {
        self.level
    }

    /// The current street.
    pub fn street(&self) -> Street {
        self.street
    }

    /// Each seat's chips in the pot.
    pub fn contributions(&self) -> Option<Vec<Contribution>> {
        let ante_layers = self.rules.ante_layers;
        let contribution = |seat: &BettingSeat| {
            let live = seat.before.plus(seat.bet)?;
            let (layered, dead) =
                if ante_layers { (live.plus(seat.ante)?, seat.dead) } else { (live, seat.dead.plus(seat.ante)?) };
            Some(Contribution { layered, dead, in_hand: !seat.folded })
        };
        self.seats.iter().map(contribution).collect()
    }

    /// The next step.
    pub fn step(&self) -> Step {
        let mut left = (0..self.seats.len()).filter(|&seat| !self.seats[seat].folded);
        if let (Some(seat), None) = (left.next(), left.next()) {
            return Step::Won { seat };
        }
        if let Some(seat) = self.turn {
            return Step::Choose(self.options(seat));
        }
        match self.street.next() {
            Some(street) => Step::Deal(street),
            None => {
                let first = self.last_raiser.unwrap_or(0);
                let order = (first..self.seats.len()).chain(0..first);
                Step::Showdown { first: order.into_iter().find(|&seat| !self.seats[seat].folded).unwrap_or(0) }
            }
        }
    }

    /// Begins the next street; returns whether one was due.
    pub fn deal(&mut self) -> bool {
        let Step::Deal(street) = self.step() else { return false };
        for seat in &mut self.seats {
            // This cannot fail: all chips together are within range.
            seat.before = seat.before.plus(seat.bet).unwrap_or(seat.before);
            seat.bet = Chips::ZERO;
            seat.answered = None;
        }
        self.street = street;
        self.level = Chips::ZERO;
        self.full = self.bet_size();
        self.raises = 0;
        self.last_raiser = None;
        self.turn = self.next_turn(0);
        true
    }

    /// A seat chooses.
    ///
    /// # Errors
    /// [`IllegalChoice`]; nothing has changed then.
    pub fn choose(&mut self, seat: usize, choice: Choice) -> Result<(), IllegalChoice> {
        let Step::Choose(options) = self.step() else { return Err(IllegalChoice::NobodysTurn) };
        if options.seat != seat {
            return Err(IllegalChoice::NotYourTurn { turn: options.seat });
        }
        let target = match choice {
            Choice::Fold => {
                self.seats[seat].folded = true;
                self.turn = self.next_turn(seat + 1);
                return Ok(());
            }
            Choice::Check if options.call > Chips::ZERO => return Err(IllegalChoice::SomethingToCall(options.call)),
            Choice::Call if options.call == Chips::ZERO => return Err(IllegalChoice::NothingToCall),
            Choice::Check | Choice::Call => self.seats[seat].bet.plus(options.call),
            Choice::RaiseTo(to) => {
                let (min, max) = options.raise.ok_or(IllegalChoice::NoRaise)?;
                if !(min..=max).contains(&to) {
                    return Err(IllegalChoice::Amount { min, max });
                }
                Some(to)
            }
        };
        let chips = self.seats[seat];
        let paid = target.and_then(|target| target.minus(chips.bet)).filter(|&due| due <= chips.stack);
        // This cannot fail: the options were within the stack.
        let (Some(target), Some(paid)) = (target, paid) else { return Err(IllegalChoice::NoRaise) };
        self.seats[seat].stack = chips.stack.minus(paid).unwrap_or_default();
        self.seats[seat].bet = target;
        if let Some(raise) = target.minus(self.level).filter(|&raise| raise > Chips::ZERO) {
            self.full = self.full.max(raise);
            self.level = target;
            self.raises = self.raises.saturating_add(1);
            self.last_raiser = Some(seat);
        }
        self.seats[seat].answered = Some(self.level);
        self.turn = self.next_turn(seat + 1);
        Ok(())
    }

    /// A seat gives its hand up without showing it, once all choices are made. Returns whether it could; the last hand
    /// cannot be given up.
    pub fn muck(&mut self, seat: usize) -> bool {
        let open = matches!(self.step(), Step::Deal(_) | Step::Showdown { .. })
            && self.seats.get(seat).is_some_and(|seat| !seat.folded);
        if open {
            self.seats[seat].folded = true;
        }
        open
    }

    /// The bet size on this street, which is also the least raise before any raise.
    fn bet_size(&self) -> Chips {
        match self.rules.betting {
            BettingRule::NoLimit { min_bet } | BettingRule::PotLimit { min_bet } => min_bet,
            BettingRule::FixedLimit { small_bet, big_bet, .. } => {
                if self.street >= Street::Turn {
                    big_bet
                } else {
                    small_bet
                }
            }
        }
    }

    /// The first seat from `from` that still has to choose.
    fn next_turn(&self, from: usize) -> Option<usize> {
        let count = self.seats.len();
        let from = from % count;
        let mut order = (from..count).chain(0..from);
        let others_bet = |seat: usize| {
            (0..count)
                .filter(|&other| other != seat && !self.seats[other].folded)
                .map(|other| self.seats[other].bet)
                .max()
        };
        let alone = self.seats.iter().filter(|seat| seat.can_act()).count() == 1;
        order.find(|&seat| {
            let chips = &self.seats[seat];
            let due = chips.answered.is_none() || chips.bet < self.level;
            // Once the bets of all-in players are matched, there is nothing more to choose against them.
            let settled = alone && others_bet(seat).is_none_or(|bet| bet <= chips.bet);
            chips.can_act() && due && !settled
        })
    }

    fn options(&self, seat: usize) -> Options {
        let chips = &self.seats[seat];
        let call = self.level.minus(chips.bet).unwrap_or_default().min(chips.stack);
        Options { seat, call, raise: self.raise_range(seat) }
    }

    fn raise_range(&self, seat: usize) -> Option<(Chips, Chips)> {
        let chips = &self.seats[seat];
        let all_in = chips.bet.plus(chips.stack)?;
        let callable = self.callable(seat);
        if all_in <= self.level || callable <= self.level {
            return None;
        }
        let size = self.bet_size();
        let least_raise = if matches!(self.rules.betting, BettingRule::FixedLimit { .. }) { size } else { self.full };
        let reopens_at = match (self.rules.reopening, self.rules.betting) {
            (Reopening::Any, _) => Chips::new(1)?,
            (Reopening::Full, BettingRule::FixedLimit { .. }) => size.fraction_up(1, 2)?,
            (Reopening::Full, _) => self.full,
        };
        // Short all-ins reopen the betting once they add up to a full raise since the seat last chose.
        if chips.answered.is_some_and(|answered| self.level.minus(answered).is_none_or(|since| since < reopens_at)) {
            return None;
        }
        // A cap holds to the street's end, even if players fold.
        if let BettingRule::FixedLimit { cap: Some(cap), .. } = self.rules.betting
            && self.raises >= cap
        {
            return None;
        }
        let min = self.level.plus(least_raise)?;
        let max = match self.rules.betting {
            BettingRule::NoLimit { .. } => all_in,
            BettingRule::FixedLimit { .. } => min,
            BettingRule::PotLimit { .. } => {
                let pot = Chips::sum(self.seats.iter().flat_map(|seat| [seat.before, seat.bet, seat.ante, seat.dead]))?;
                let call = self.level.minus(chips.bet)?;
                self.level.plus(pot)?.plus(call)?.max(min)
            }
        };
        // A bet is limited to chips that another seat could call, but is at least the least raise.
        let max = max.min(callable.max(min));
        Some((min.min(all_in), max.min(all_in)))
    }

    /// The most live chips that another seat in the hand could match on this street.
    pub fn callable(&self, seat: usize) -> Chips {
        let others = self.seats.iter().enumerate().filter(|(other, chips)| *other != seat && !chips.folded);
        // This cannot fail: all chips together are within range.
        others.filter_map(|(_, chips)| chips.bet.plus(chips.stack)).max().unwrap_or_default()
    }
}

fn posted(post: &Post) -> Option<BettingSeat> {
    let mut seat = BettingSeat {
        stack: post.stack,
        bet: Chips::ZERO,
        before: Chips::ZERO,
        ante: Chips::ZERO,
        dead: Chips::ZERO,
        folded: false,
        answered: None,
    };
    seat.ante = seat.pay(post.ante)?;
    seat.dead = seat.pay(post.dead)?;
    seat.bet = seat.pay(post.live)?;
    Some(seat)
}
