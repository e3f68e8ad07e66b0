//! Button, blinds and posts of a cash table (spec/games/poker-table.md, "Button, blinds and posts"). From the last
//! hand's positions and the candidates it decides who is dealt in, and what each owes before the cards.

use crate::Chips;
use serde::{Deserialize, Serialize};

/// The largest blind or ante, in minor units.
const MAX_SIZE: u64 = 1_000_000_000_000;

/// The cost of a table's hands before the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blinds {
    /// The small blind.
    pub small: Chips,
    /// The big blind.
    pub big: Chips,
    /// The third blind, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub third: Option<Chips>,
    /// The ante that every dealt-in player pays.
    pub ante: Chips,
    /// Whether the seat left of the last blind may straddle.
    pub straddle: bool,
    /// A newcomer's post.
    pub entry_post: EntryPost,
}

/// A newcomer's post (ruling A001.c).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryPost {
    /// The small blind.
    Small,
    /// The big blind.
    Big,
}

/// The posts a seat has missed: it pays or waits before it is dealt in again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owes {
    /// It owes a newcomer's post; then the other fields are false.
    pub entry: bool,
    /// The small blind passed it.
    pub small: bool,
    /// The big blind passed it.
    pub big: bool,
    /// The third blind passed it.
    pub third: bool,
}

impl Owes {
    /// Whether the seat owes no post.
    pub fn is_nothing(&self) -> bool {
        *self == Owes::default()
    }
}

/// How a player who owes comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryChoice {
    /// They post, in the next hand in which that is possible.
    Post,
    /// They wait for the last blind, and then pay only that blind.
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
    /// Its debts.
    pub owes: Owes,
    /// How it comes in, if it owes a post.
    pub entry: EntryChoice,
    /// Whether it would straddle.
    pub straddle: bool,
}

impl Candidate {
    fn settled(&self) -> bool {
        self.owes.is_nothing()
    }
}

/// The seat numbers of button and blinds in a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Positions {
    /// The seat with the button.
    pub button: u8,
    /// The small blind; with two players the button.
    pub small: u8,
    /// The big blind.
    pub big: u8,
    /// The third blind, if there is one and at least three players; with three players it is the button.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub third: Option<u8>,
}

/// A seat that is dealt in, and what it owes before the cards. The betting limits this to its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Due {
    /// Its number.
    pub seat: u8,
    /// The ante of every seat, in minor units; it does not count towards a call.
    pub ante: Chips,
    /// Chips that go into the pot and do not count towards a call (rule R001.5).
    pub dead: Chips,
    /// Chips that count towards a call.
    pub live: Chips,
    /// Whether the first turn comes after the live post, as with blinds and straddles.
    pub opens: bool,
}

/// The players of a hand, and their posts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextHand {
    /// The seats of button and blinds.
    pub positions: Positions,
    /// The seats from the left of the button, the button last; with two players the big blind, then the button.
    pub seats: Vec<Due>,
}

impl Blinds {
    /// The blind level as the list of tables left early spells it (ruling A001.e): `100/200`, `100/200/400`.
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
    /// The fault, in words.
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

    /// The posts of a seat that owes: dead and live. The small blind is dead. Of the other missed blinds the largest is
    /// live and the rest is dead (rules R001.1 to R001.4, rulings A001.c and A001.d).
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

/// The sum, or the maximum if it overflows (only with blinds that were never validated); no stack reaches that far.
fn together(one: Chips, other: Chips) -> Chips {
    one.plus(other).unwrap_or(Chips::MAX)
}

/// The number of seats between two, clockwise; the maximum if both are the same.
pub(super) fn between(from: u8, to: u8) -> u8 {
    to.wrapping_sub(from).wrapping_sub(1)
}

/// Button, blinds and posts of the next hand. `candidates` come in any order, no seat twice. `None` for fewer than two.
pub fn next_hand(blinds: &Blinds, before: Option<&Positions>, candidates: &[Candidate]) -> Option<NextHand> {
    let mut order = candidates.to_vec();
    if order.iter().filter(|candidate| candidate.settled()).count() < 2 {
        // The game starts again: no earlier player can have an advantage.
        order.iter_mut().for_each(|candidate| candidate.owes = Owes::default());
    }
    if order.len() < 2 {
        return None;
    }
    // In the first hand, as if seat 0 came next.
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
            // A seat that owes may only take the last blind, unless no other seat can take the big one.
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
/// blind, and no debts are paid. `button` is drawn for a table without a hand. `None` if fewer than two have chips.
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
    // A player who has just come does not get the button's round for free.
    let waits = |one: &TournamentSeat| {
        let inside = between(button, one.seat) < between(button, big) && one.seat != button;
        before.is_some() && !heads_up && one.is_new && (inside || one.seat == small)
    };
    let play = seats.iter().filter(|one| !waits(one)).count();
    let takes_part = |one: &&TournamentSeat| play < 2 || !waits(one);
    let mut order: Vec<u8> = seats.iter().filter(takes_part).map(|one| one.seat).collect();
    // If two play, one has the big blind, and the other the button and the small blind, even if more wait.
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

/// The blinds that passed a seat that was not dealt in, to add to its debt: they were before it and are now behind it.
/// The first hand passes no seat.
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
