//! The betting of one hand: whose turn it is, what they may do, when a street is over. Knows seats and chips, and no
//! card (spec/games/poker.md).

use crate::Chips;
use crate::poker::pots::Contribution;
use crate::poker::rules::{BettingRule, HandRules, MAX_SEATS, Reopening};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A stretch of betting.
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

    /// Cards of the board that lie open on it.
    pub const fn board_cards(self) -> usize {
        match self {
            Street::Preflop => 0,
            Street::Flop => 3,
            Street::Turn => 4,
            Street::River => 5,
        }
    }
}

/// What a seat brings and posts. Seats come in the order from the left of the button; with two players the big blind's
/// comes first and the button's last.
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
    /// Whether the live post moves the first turn behind it, as blinds and straddles do and a returning player's post
    /// does not.
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
    /// What it paid as ante, which no call has to match.
    pub ante: Chips,
    /// Dead chips.
    pub dead: Chips,
    /// Whether the hand was given up.
    pub folded: bool,
    /// To which bet the seat last answered on this street; none before its first turn.
    answered: Option<Chips>,
}

impl BettingSeat {
    /// Everything put in so far.
    pub fn put_in(&self) -> Chips {
        // Cannot fail: all chips together fit.
        Chips::sum([self.bet, self.before, self.ante, self.dead]).unwrap_or_default()
    }

    fn can_act(&self) -> bool {
        !self.folded && self.stack > Chips::ZERO
    }

    /// Moves chips from the stack to the bet, as many as there are.
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
    /// Adds nothing; where there is nothing to call.
    Check,
    /// Matches the bet, or goes all-in below it.
    Call,
    /// Bets or raises so that the seat's live chips on this street are so many.
    RaiseTo(Chips),
}

/// What a seat may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whose turn it is.
    pub seat: usize,
    /// What a call costs, all-in where that is less; nothing where a check is free.
    pub call: Chips,
    /// From and up to where the seat may bet or raise, in live chips of this street; none where it may not.
    pub raise: Option<(Chips, Chips)>,
}

/// What comes next in a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A seat chooses.
    Choose(Options),
    /// The next street is dealt; tell by [`Betting::deal`].
    Deal(Street),
    /// The hands are shown, from this seat on.
    Showdown {
        /// Who shows first: the last to bet or raise on the river, else the first from the left of the button.
        first: usize,
    },
    /// All but one have folded.
    Won {
        /// The one.
        seat: usize,
    },
}

/// Why a choice is refused. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalChoice {
    /// It is nobody's turn.
    #[error("it is nobody's turn")]
    NobodysTurn,
    /// It is another seat's turn.
    #[error("it is the turn of seat {turn}")]
    NotYourTurn {
        /// Whose turn it is.
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
        /// The least.
        min: Chips,
        /// The most.
        max: Chips,
    },
}

/// Why a hand cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadPosts {
    /// Two to ten seats play a hand.
    #[error("a hand has 2 to {MAX_SEATS} seats")]
    Seats,
    /// A seat has no chips.
    #[error("seat {0} has no chips")]
    NoChips(usize),
    /// All the chips together are too many.
    #[error("the chips of all seats are too many")]
    TooMany,
    /// The rules' bet sizes are nothing.
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
    /// What must be matched on this street.
    level: Chips,
    /// The largest full bet or raise on this street.
    full: Chips,
    /// Bets and raises on this street, the blind included.
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
        // With all chips together below the maximum, half of it even, no sum below can fail.
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
        // The last of the largest opening posts: a straddle's left, the big blind's left.
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

    /// Whether at most one of those in the hand has chips left: nobody will choose any more once the bets are matched.
    pub fn is_all_in(&self) -> bool {
        self.seats.iter().filter(|seat| seat.can_act()).count() <= 1
    }

    /// What must be matched on this street.
    pub fn level(&self) -> Chips {
        self.level
    }

    /// The street that is played.
    pub fn street(&self) -> Street {
        self.street
    }

    /// What each seat has put in.
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

    /// What comes next.
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

    /// The next street begins; whether one was due.
    pub fn deal(&mut self) -> bool {
        let Step::Deal(street) = self.step() else { return false };
        for seat in &mut self.seats {
            // Cannot fail: all chips together fit.
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
        // Cannot fail: the options were within the stack.
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

    /// A seat gives its hand up without showing it, when nobody has still to choose; whether it could. The last hand
    /// cannot.
    pub fn muck(&mut self, seat: usize) -> bool {
        let open = matches!(self.step(), Step::Deal(_) | Step::Showdown { .. })
            && self.seats.get(seat).is_some_and(|seat| !seat.folded);
        if open {
            self.seats[seat].folded = true;
        }
        open
    }

    /// The size of a bet on this street, and of the least raise before any.
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

    /// The first seat from `from` on that has still to choose.
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
            // Against players who are all-in there is nothing to choose once their bets are matched.
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
        // Short all-ins open it again when together they make up a full raise since the seat last chose.
        if chips.answered.is_some_and(|answered| self.level.minus(answered).is_none_or(|since| since < reopens_at)) {
            return None;
        }
        // A cap stands to the street's end, whoever folds.
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
        // Chips that nobody could call are not bet, beyond the least raise.
        let max = max.min(callable.max(min));
        Some((min.min(all_in), max.min(all_in)))
    }

    /// The most live chips on this street that another seat in the hand could match.
    pub fn callable(&self, seat: usize) -> Chips {
        let others = self.seats.iter().enumerate().filter(|(other, chips)| *other != seat && !chips.folded);
        // Cannot fail: all chips together fit.
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
