//! A hand history played through the engine and compared stack by stack (spec/games/poker.md, "Replaying histories").
//! Reads no file; `phh.rs` does.

use super::amount::{Amount, written};
use super::phh::{Act, History, Limit};
use fairshoe_fairness::Card;
use fairshoe_games::Chips;
use fairshoe_games::poker::{
    Betting, BettingRule, Choice, Contribution, HandRules, IllegalChoice, Layers, OddChips, Paid, Post, Reopening,
    SettleError, Shown, Step, layer, settle,
};

/// What came of a hand.
#[derive(Debug)]
pub struct Replayed {
    /// Each player's chips at the end, as the history writes amounts.
    pub stacks: Vec<String>,
    /// Whether the history says what they should be.
    pub compared: bool,
    /// The first difference, in words.
    pub difference: Option<String>,
}

/// Why a hand stops short.
enum Stop {
    /// It is played as the rules do not allow: a difference.
    Against(String),
    /// It cannot be judged.
    Unknown(String),
}

impl From<String> for Stop {
    fn from(why: String) -> Stop {
        Stop::Unknown(why)
    }
}

/// Plays a history through the engine and compares the stacks.
///
/// # Errors
/// Why it cannot be judged, in words.
pub fn replay(history: &History) -> Result<Replayed, String> {
    let first = played_by(history, CUSTOMS[0])?;
    // A history that names its rules is played by them alone.
    if first.difference.is_none() || history.own.is_some() {
        return Ok(first);
    }
    // Elsewhere odd units may go other ways, and a short blind be called in full: the stacks decide.
    for custom in &CUSTOMS[1..] {
        let other = played_by(history, *custom)?;
        if other.difference.is_none() {
            return Ok(other);
        }
    }
    Ok(first)
}

/// What rooms do otherwise than each other, and their histories do not say.
#[derive(Clone, Copy)]
struct Customs {
    /// Whether a blind that its payer could not post in full is called in full.
    full_blind: bool,
    /// To whom odd units go.
    odd_chips: OddChips,
    /// Whether hands that win nothing are given up before the pots are split, which joins pots.
    losers_give_up: bool,
}

const CUSTOMS: [Customs; 8] = {
    const fn customs(full_blind: bool, odd_chips: OddChips, losers_give_up: bool) -> Customs {
        Customs { full_blind, odd_chips, losers_give_up }
    }
    [
        customs(false, OddChips::OneEach, false),
        customs(false, OddChips::AllToFirst, false),
        customs(false, OddChips::OneEach, true),
        customs(false, OddChips::AllToFirst, true),
        customs(true, OddChips::OneEach, false),
        customs(true, OddChips::AllToFirst, false),
        customs(true, OddChips::OneEach, true),
        customs(true, OddChips::AllToFirst, true),
    ]
};

fn played_by(history: &History, customs: Customs) -> Result<Replayed, String> {
    let mut table = Table::set_up(history, customs)?;
    let compared = history.finishing.is_some();
    let stopped = |difference: String| Replayed { stacks: Vec::new(), compared, difference: Some(difference) };
    for (index, (text, act)) in history.actions.iter().enumerate() {
        match table.act(act) {
            Ok(()) => {}
            Err(Stop::Against(why)) => {
                return Ok(stopped(format!("action {} `{text}`: {why}", index.saturating_add(1))));
            }
            Err(Stop::Unknown(why)) => return Err(format!("action {} `{text}`: {why}", index.saturating_add(1))),
        }
    }
    let (stacks, rake) = match table.finish() {
        Ok(end) => end,
        Err(Stop::Against(why)) if compared => return Ok(stopped(why)),
        Err(Stop::Against(why) | Stop::Unknown(why)) => return Err(why),
    };
    let difference = history.finishing.as_ref().and_then(|recorded| table.first_difference(&stacks, recorded));
    let rake_differs = || {
        let said = history.own.as_ref().map(|own| own.rake).filter(|said| *said != rake)?;
        Some(format!("the rake comes to {}, the history says {}", rake.units(), said.units()))
    };
    let difference = difference.or_else(rake_differs);
    Ok(Replayed {
        stacks: stacks.iter().map(|stack| written(stack.units(), table.places)).collect(),
        compared,
        difference,
    })
}

struct Table {
    rules: HandRules,
    betting: Betting,
    hole: Vec<Vec<Option<Card>>>,
    board: Vec<Card>,
    /// Places behind the point in the history's amounts: our unit is the last.
    places: u32,
    losers_give_up: bool,
    /// Whether another house wrote the history: it may have chips bet that nobody could call.
    is_foreign: bool,
}

impl Table {
    fn set_up(history: &History, customs: Customs) -> Result<Table, String> {
        let Customs { full_blind, odd_chips, losers_give_up } = customs;
        let raises =
            history.actions.iter().filter_map(|(_, act)| if let Act::RaiseTo(_, to) = act { Some(*to) } else { None });
        let all = [&history.antes, &history.blinds, &history.stacks].into_iter().flatten().copied();
        let all = all.chain(history.own.iter().flat_map(|own| own.dead.iter().copied()));
        let all = all
            .chain(history.finishing.iter().flatten().copied())
            .chain([history.bets.0, history.bets.1])
            .chain(raises);
        let places = all.map(Amount::places).max().unwrap_or(0);
        let (small_bet, big_bet) = (chips(history.bets.0, places)?, chips(history.bets.1, places)?);
        let betting = match history.variant.limit {
            Limit::No => BettingRule::NoLimit { min_bet: small_bet },
            Limit::Pot => BettingRule::PotLimit { min_bet: small_bet },
            // The history is played as it was: a room's cap on raises is not in it.
            Limit::Fixed => BettingRule::FixedLimit { small_bet, big_bet, cap: None },
        };
        let foreign = HandRules {
            family: history.variant.family,
            hi_lo: history.variant.hi_lo,
            betting,
            full_blind,
            ante_layers: history.ante_layers,
            reopening: Reopening::Any,
            odd_chips,
            rake: None,
        };
        let rules = match &history.own {
            Some(own) if places == 0 => own.rules,
            Some(_) => return Err("`_hand_rules` are in whole units, some amounts are not".into()),
            None => foreign,
        };
        let players = history.stacks.len();
        let post = |seat: usize| -> Result<Post, String> {
            // With two players the format writes the button's posts first, though the other's seat is the first.
            let posting = if players == 2 { 1 - seat } else { seat };
            let blind = history.blinds[posting];
            let live = blind
                .scaled(places)
                .and_then(i64::checked_abs)
                .and_then(|units| u64::try_from(units).ok())
                .and_then(Chips::new);
            let ante = chips(history.antes[posting], places)?;
            let dead = history.own.as_ref().map_or(Ok(Chips::ZERO), |own| chips(own.dead[posting], places))?;
            Ok(Post {
                stack: chips(history.stacks[seat], places)?,
                ante: ante.minus(dead).ok_or("a dead post is more than the ante that holds it")?,
                live: live.ok_or("a blind is too large")?,
                dead,
                // A negative amount is the post of a player who comes in.
                opens: !blind.is_negative(),
            })
        };
        let posts = (0..players).map(post).collect::<Result<Vec<_>, _>>()?;
        let betting = Betting::begin(rules, &posts).map_err(|e| e.to_string())?;
        let is_foreign = history.own.is_none();
        let hole = vec![Vec::new(); players];
        Ok(Table { rules, betting, hole, board: Vec::new(), places, losers_give_up, is_foreign })
    }

    fn act(&mut self, act: &Act) -> Result<(), Stop> {
        match act {
            Act::Hole(seat, cards) => {
                // Some programs deal a card at a time.
                let (whole, hole) = (self.rules.family.hole_cards(), &mut self.hole[*seat]);
                hole.extend(cards);
                if hole.len() > whole {
                    let dealt = hole.len();
                    return Err(Stop::Unknown(format!("player {} gets {whole} hole cards, not {dealt}", seat + 1)));
                }
                self.all_different()
            }
            Act::Board(cards) => self.board(cards),
            Act::Fold(seat) => self.choose(*seat, Choice::Fold),
            // Some histories have a player check though all others are all-in: it changes nothing.
            Act::CheckCall(seat) if self.is_idle_check(*seat) => Ok(()),
            Act::CheckCall(seat) => {
                let free = matches!(self.betting.step(), Step::Choose(options) if options.call == Chips::ZERO);
                self.choose(*seat, if free { Choice::Check } else { Choice::Call })
            }
            Act::RaiseTo(seat, to) => {
                let to = chips(*to, self.places)?;
                self.choose(*seat, self.as_called(*seat, to))
            }
            Act::Show(seat, cards) => {
                if matches!(self.betting.step(), Step::Choose(_)) {
                    return Err(Stop::Against("hands are shown when nobody has still to choose".into()));
                }
                if let Some(cards) = cards {
                    self.hole[*seat].clone_from(cards);
                }
                self.all_different()
            }
            Act::Muck(seat) => self.muck(*seat),
        }
    }

    /// A raise without the chips that nobody could call, which other houses have bet and given back: the stacks at the
    /// end are the same. A raise of such chips alone is a call.
    fn as_called(&self, seat: usize, to: Chips) -> Choice {
        let Step::Choose(options) = self.betting.step() else { return Choice::RaiseTo(to) };
        let callable = self.betting.callable(seat);
        match options.raise {
            _ if !self.is_foreign || to <= callable => Choice::RaiseTo(to),
            Some((least, _)) => Choice::RaiseTo(to.min(least.max(callable))),
            None if callable <= self.betting.level() && options.call > Chips::ZERO => Choice::Call,
            None => Choice::RaiseTo(to),
        }
    }

    fn is_idle_check(&self, seat: usize) -> bool {
        let seats = self.betting.seats();
        let idle = matches!(self.betting.step(), Step::Deal(_) | Step::Showdown { .. });
        idle && !seats[seat].folded
            && seats[seat].stack > Chips::ZERO
            && seats.iter().any(|other| other.stack == Chips::ZERO && !other.folded)
    }

    fn choose(&mut self, seat: usize, choice: Choice) -> Result<(), Stop> {
        if let (Step::Deal(street), dealt @ 1..3) = (self.betting.step(), self.board.len()) {
            return Err(Stop::Unknown(format!("the board has {} cards then, not {dealt}", street.board_cards())));
        }
        self.betting.choose(seat, choice).map_err(|e| Stop::Against(self.in_their_amounts(seat, e)))
    }

    fn in_their_amounts(&self, seat: usize, why: IllegalChoice) -> String {
        let amount = |chips: Chips| written(chips.units(), self.places);
        match why {
            IllegalChoice::NotYourTurn { turn } => {
                format!("it is the turn of player {}, not of player {}", turn + 1, seat + 1)
            }
            IllegalChoice::SomethingToCall(due) => format!("there is {} to call", amount(due)),
            IllegalChoice::Amount { min, max } => {
                format!("a bet or raise goes to at least {} and at most {}", amount(min), amount(max))
            }
            other => other.to_string(),
        }
    }

    fn muck(&mut self, seat: usize) -> Result<(), Stop> {
        self.betting.muck(seat).then_some(()).ok_or_else(|| Stop::Against("no hand can be given up here".into()))
    }

    fn board(&mut self, cards: &[Card]) -> Result<(), Stop> {
        let Step::Deal(street) = self.betting.step() else {
            return Err(match self.betting.step() {
                Step::Choose(options) => Stop::Against(format!("it is still the turn of player {}", options.seat + 1)),
                _ if self.board.len() == 5 => {
                    Stop::Unknown("a second board: hands that are run more than once are not played here".into())
                }
                _ => Stop::Against("the hand is over".into()),
            });
        };
        self.board.extend(cards);
        let (whole, dealt) = (street.board_cards(), self.board.len());
        if dealt > whole {
            return Err(Stop::Unknown(format!("the board has {whole} cards then, not {dealt}")));
        }
        // Some programs deal a card at a time.
        if dealt == whole {
            self.betting.deal();
        }
        self.all_different()
    }

    fn all_different(&self) -> Result<(), Stop> {
        let mut seen = [false; 52];
        for card in self.hole.iter().flatten().flatten().chain(&self.board) {
            if std::mem::replace(&mut seen[usize::from(card.code())], true) {
                return Err(Stop::Unknown(format!("{card} is there twice")));
            }
        }
        Ok(())
    }

    /// Settles; the stacks at the end, and the rake.
    fn finish(&self) -> Result<(Vec<Chips>, Chips), Stop> {
        match self.betting.step() {
            Step::Choose(options) => {
                return Err(Stop::Against(format!(
                    "the history ends while it is the turn of player {}",
                    options.seat + 1
                )));
            }
            Step::Deal(_) => return Err(Stop::Against("the history ends before the board is dealt".into())),
            Step::Showdown { .. } | Step::Won { .. } => {}
        }
        let too_large = || Stop::Unknown("the amounts are too large".into());
        let shown: Vec<Option<Shown>> = self.hole.iter().map(|hole| self.rank(hole)).collect();
        let mut put_in = self.betting.contributions().ok_or_else(too_large)?;
        let (mut layers, mut paid) = self.pay(&put_in, &shown)?;
        if self.losers_give_up {
            for (seat, contribution) in put_in.iter_mut().enumerate() {
                contribution.in_hand &= paid.awards.iter().any(|award| award.seat == seat);
            }
            (layers, paid) = self.pay(&put_in, &shown)?;
        }
        let mut stacks: Vec<Chips> = self.betting.seats().iter().map(|seat| seat.stack).collect();
        let back = layers.uncalled.into_iter().chain(paid.awards.iter().map(|award| (award.seat, award.amount)));
        for (seat, amount) in back {
            stacks[seat] = stacks[seat].plus(amount).ok_or_else(too_large)?;
        }
        Ok((stacks, Chips::sum(paid.rake).ok_or_else(too_large)?))
    }

    fn pay(&self, put_in: &[Contribution], shown: &[Option<Shown>]) -> Result<(Layers, Paid), Stop> {
        let too_large = || Stop::Unknown("the amounts are too large".into());
        let layers = layer(put_in).ok_or_else(too_large)?;
        let paid = settle(&self.rules, &layers, shown, self.board.len() >= 3).map_err(|e| match e {
            SettleError::NotShown { seat, .. } => Stop::Unknown(format!(
                "player {} goes to the showdown with cards that the history does not name",
                seat + 1
            )),
            SettleError::TooMuch => too_large(),
        })?;
        Ok((layers, paid))
    }

    fn rank(&self, hole: &[Option<Card>]) -> Option<Shown> {
        if hole.len() != self.rules.family.hole_cards() {
            return None;
        }
        let known: Vec<Card> = hole.iter().copied().collect::<Option<_>>()?;
        Shown::rank(&self.rules, &known, &self.board)
    }

    fn first_difference(&self, stacks: &[Chips], recorded: &[Amount]) -> Option<String> {
        stacks.iter().zip(recorded).enumerate().find_map(|(seat, (computed, recorded))| {
            let recorded = chips(*recorded, self.places).ok();
            let shown = recorded
                .map_or_else(|| "no amount of chips".to_owned(), |recorded| written(recorded.units(), self.places));
            let differ = recorded != Some(*computed);
            differ.then(|| {
                format!(
                    "player {} ends with {}, the history says {shown}",
                    seat + 1,
                    written(computed.units(), self.places)
                )
            })
        })
    }
}

fn chips(amount: Amount, places: u32) -> Result<Chips, String> {
    let units = amount.scaled(places).and_then(|units| u64::try_from(units).ok());
    units.and_then(Chips::new).ok_or_else(|| "an amount is negative or too large".to_owned())
}
