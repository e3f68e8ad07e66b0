//! Button, blinds and posts of a cash table (spec/games/poker-table.md, "Button, blinds and posts"): from where they
//! were in the hand before and who could be dealt in, who is, and what each owes before the cards.

use crate::Chips;
use serde::{Deserialize, Serialize};

/// The largest blind or ante, in minor units.
const MAX_SIZE: u64 = 1_000_000_000_000;

/// What a table's hands cost before the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blinds {
    /// The small blind.
    pub small: Chips,
    /// The big blind.
    pub big: Chips,
    /// The third blind, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub third: Option<Chips>,
    /// What everybody dealt in puts into the pot.
    pub ante: Chips,
    /// Whether the seat left of the last blind may straddle.
    pub straddle: bool,
    /// What a newcomer posts.
    pub entry_post: EntryPost,
}

/// What a newcomer posts (ruling A001.c).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryPost {
    /// The small blind.
    Small,
    /// The big blind.
    Big,
}

/// What a seat has to post, or wait for, before it is dealt in again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owes {
    /// A newcomer's post; then the rest is nothing.
    pub entry: bool,
    /// The small blind passed it.
    pub small: bool,
    /// The big blind passed it.
    pub big: bool,
    /// The third blind passed it.
    pub third: bool,
}

impl Owes {
    /// Whether it is nothing.
    pub fn is_nothing(&self) -> bool {
        *self == Owes::default()
    }
}

/// How a player who owes comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryChoice {
    /// By posting, in the next hand in which that is possible.
    Post,
    /// When the last blind reaches them, which costs no more than the blind.
    Wait,
}

/// A seat that could be dealt in: committed to the hand, with chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// Its number; the next seat clockwise has the next number.
    pub seat: u8,
    /// Its chips.
    pub stack: Chips,
    /// What it owes.
    pub owes: Owes,
    /// How it comes in if it owes anything.
    pub entry: EntryChoice,
    /// Whether it would straddle.
    pub straddle: bool,
}

impl Candidate {
    fn settled(&self) -> bool {
        self.owes.is_nothing()
    }
}

/// Where button and blinds are in a hand; seat numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Positions {
    /// The seat with the button.
    pub button: u8,
    /// The small blind; the button with two players.
    pub small: u8,
    /// The big blind.
    pub big: u8,
    /// The third blind, where there is one and three players at least; the button with three.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub third: Option<u8>,
}

/// A seat that is dealt in and what it owes before the cards. How far its stack reaches is the betting's matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Due {
    /// Its number.
    pub seat: u8,
    /// What every seat pays before the cards, minor units; it does not count towards a call.
    pub ante: Chips,
    /// What goes into the pot and does not count towards a call (rule R001.5).
    pub dead: Chips,
    /// What counts towards a call.
    pub live: Chips,
    /// Whether the first turn is behind the live post, as with blinds and straddles.
    pub opens: bool,
}

/// Who plays a hand, and for what posts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextHand {
    /// Where button and blinds are.
    pub positions: Positions,
    /// From the left of the button, the button last; with two players the big blind, then the button.
    pub seats: Vec<Due>,
}

impl Blinds {
    /// The blind level as the list of tables left early keys it (ruling A001.e): `100/200`, `100/200/400`.
    pub fn level(&self) -> String {
        let third = self.third.map(|third| format!("/{third}")).unwrap_or_default();
        format!("{}/{}{third}", self.small, self.big)
    }

    /// The largest blind.
    pub fn largest(&self) -> Chips {
        self.third.unwrap_or(self.big)
    }

    /// Whether a table can be played for these.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn validate(&self) -> Result<(), String> {
        if self.small == Chips::ZERO {
            return Err("the small blind must be at least 1".to_owned());
        }
        if self.big < self.small {
            return Err(format!("the big blind, {}, must be at least the small one, {}", self.big, self.small));
        }
        if let Some(third) = self.third.filter(|&third| third < self.big) {
            return Err(format!("the third blind, {third}, must be at least the big one, {}", self.big));
        }
        if self.largest().units() > MAX_SIZE {
            return Err(format!("no blind may be above {MAX_SIZE}"));
        }
        if self.ante > self.big {
            return Err(format!("the ante, {}, may be at most the big blind, {}", self.ante, self.big));
        }
        Ok(())
    }

    /// What a seat that owes comes in for: dead and live. The small blind is dead, of the other missed ones the
    /// largest is live and the rest dead (rules R001.1 to R001.4, rulings A001.c and A001.d).
    fn posts(&self, owes: &Owes) -> (Chips, Chips) {
        if owes.entry {
            let live = match self.entry_post {
                EntryPost::Small => self.small,
                EntryPost::Big => self.big,
            };
            return (Chips::ZERO, live);
        }
        let owed = |missed: bool, blind: Chips| if missed { blind } else { Chips::ZERO };
        let (small, big) = (owed(owes.small, self.small), owed(owes.big, self.big));
        match self.third.filter(|_| owes.third) {
            Some(third) => (together(small, big), third),
            None => (small, big),
        }
    }
}

/// A sum that stays at the maximum where the blinds were never validated; no stack reaches that far.
fn together(one: Chips, other: Chips) -> Chips {
    one.plus(other).unwrap_or(Chips::MAX)
}

/// How many seats lie between, clockwise; the most where both are the same.
pub(super) fn between(from: u8, to: u8) -> u8 {
    to.wrapping_sub(from).wrapping_sub(1)
}

/// Button, blinds and posts of the next hand. `candidates` come in any order, no seat twice. `None` where there are
/// fewer than two.
pub fn next_hand(blinds: &Blinds, before: Option<&Positions>, candidates: &[Candidate]) -> Option<NextHand> {
    let mut order = candidates.to_vec();
    if order.iter().filter(|candidate| candidate.settled()).count() < 2 {
        // The game begins anew, with nobody before whom the others would have an advantage.
        order.iter_mut().for_each(|candidate| candidate.owes = Owes::default());
    }
    if order.len() < 2 {
        return None;
    }
    // As if seat 0 were the next in the first hand.
    let last = before.map_or(u8::MAX, |before| before.button);
    let button = order.iter().filter(|candidate| candidate.settled()).map(|candidate| candidate.seat);
    let button = button.min_by_key(|&seat| between(last, seat))?;
    order.sort_by_key(|candidate| between(button, candidate.seat));
    // The small blind first, the button last; a player who owes and sits between them waits.
    order.drain(..order.iter().position(Candidate::settled)?);
    let due: Vec<Chips> = if order.len() == 2 {
        if before.is_some_and(|before| before.big == order[0].seat) {
            order.swap(0, 1);
        }
        vec![blinds.big, blinds.small]
    } else {
        if blinds.third.is_some() {
            // Only the last blind is for one who owes, unless there is nobody else for the big one.
            let inner = &order[1..order.len() - 1];
            let waiting = inner.iter().position(Candidate::settled).unwrap_or(0);
            order.drain(1..1 + waiting);
        }
        [Some(blinds.small), Some(blinds.big), blinds.third].into_iter().flatten().collect()
    };
    let mut place = 0;
    order.retain(|candidate| {
        place += 1;
        place <= due.len() || candidate.settled() || candidate.entry == EntryChoice::Post
    });
    let seat = |place: usize| order.get(place).map(|candidate| candidate.seat);
    let button = order.last()?.seat;
    let positions = match order.len() {
        2 => Positions { button, small: button, big: seat(0)?, third: None },
        _ => Positions { button, small: seat(0)?, big: seat(1)?, third: blinds.third.and(seat(2)) },
    };
    let straddle = together(blinds.largest(), blinds.largest());
    let seats = order.iter().enumerate().map(|(place, candidate)| {
        let straddles = blinds.straddle && candidate.straddle && place == due.len() && candidate.settled();
        let straddle = Some(straddle).filter(|&size| straddles && candidate.stack >= together(size, blinds.ante));
        let (dead, live, opens) = match due.get(place).copied().or(straddle) {
            Some(blind) => (Chips::ZERO, blind, true),
            None => {
                let (dead, live) = blinds.posts(&candidate.owes);
                (dead, live, false)
            }
        };
        Due { seat: candidate.seat, ante: blinds.ante, dead, live, opens }
    });
    Some(NextHand { positions, seats: seats.collect() })
}

/// A seat of a tournament's table that has chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TournamentSeat {
    /// Its number.
    pub seat: u8,
    /// Whether it was taken after the table's last hand had begun.
    pub is_new: bool,
}

/// Button, blinds and posts of a tournament's next hand (spec/games/tournaments.md, 6.6 and 6.7): they follow the big
/// blind, and no debts are paid. `button` is the drawn one of a table without a hand. `None` where fewer than two have
/// chips.
pub fn tournament_hand(
    blinds: &Blinds,
    before: Option<&Positions>,
    button: u8,
    seats: &[TournamentSeat],
) -> Option<NextHand> {
    let sits = |seat: u8| seats.iter().any(|one| one.seat == seat);
    let after = |from: u8| seats.iter().map(|one| one.seat).min_by_key(|seat| between(from, *seat));
    let heads_up = seats.len() == 2;
    let (button, small, big) = match before {
        _ if seats.len() < 2 => return None,
        None if heads_up => {
            let small = if sits(button) { button } else { after(button)? };
            (small, small, after(small)?)
        }
        None => {
            let small = after(button)?;
            (button, small, after(small)?)
        }
        Some(before) if heads_up => {
            let big = after(before.big)?;
            let other = after(big)?;
            (other, other, big)
        }
        Some(before) => (before.small, before.big, after(before.big)?),
    };
    // A player who has just come does not take the button's round for nothing.
    let waits = |one: &TournamentSeat| {
        let inside = between(button, one.seat) < between(button, big) && one.seat != button;
        before.is_some() && !heads_up && one.is_new && (inside || one.seat == small)
    };
    let play = seats.iter().filter(|one| !waits(one)).count();
    let takes_part = |one: &&TournamentSeat| play < 2 || !waits(one);
    let mut order: Vec<u8> = seats.iter().filter(takes_part).map(|one| one.seat).collect();
    // Of two who play one has the big blind and the other button and small blind, whoever else waits.
    let (button, small) = match order.iter().find(|seat| **seat != big) {
        Some(other) if order.len() == 2 => (*other, *other),
        _ => (button, small),
    };
    order.sort_by_key(|seat| between(button, *seat));
    let third = blinds.third.filter(|_| !heads_up).and_then(|size| {
        let seat = order.iter().copied().min_by_key(|seat| between(big, *seat))?;
        Some((seat, size)).filter(|(seat, _)| *seat != small && *seat != big)
    });
    let live = |seat: u8| match seat {
        _ if seat == big => blinds.big,
        _ if seat == small => blinds.small,
        _ => third.filter(|(of, _)| *of == seat).map_or(Chips::ZERO, |(_, size)| size),
    };
    let due = |seat: &u8| {
        let live = live(*seat);
        Due { seat: *seat, ante: blinds.ante, dead: Chips::ZERO, live, opens: live > Chips::ZERO }
    };
    let positions = Positions { button, small, big, third: third.map(|(seat, _)| seat) };
    Some(NextHand { positions, seats: order.iter().map(due).collect() })
}

/// Which blinds passed a seat that was not dealt in, to be added to what it owes: those that were before it and are now
/// behind it. Nothing in the first hand.
pub fn missed(before: Option<&Positions>, now: &Positions, seat: u8) -> Owes {
    let passed = |from: u8, to: u8| from != to && between(from, seat) < between(from, to);
    let Some(before) = before else { return Owes::default() };
    Owes {
        entry: false,
        small: passed(before.small, now.small),
        big: passed(before.big, now.big),
        third: before.third.zip(now.third).is_some_and(|(from, to)| passed(from, to)),
    }
}
