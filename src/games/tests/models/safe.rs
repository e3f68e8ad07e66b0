//! Safe, document 002, straight down the page: one function for each sentence, the game a loop, the players behind
//! [`Players`].

use super::cards::{Face, points};

/// The two options, and the last round of a game that finds no winner before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The last round: it opens all face-down hands, and the first player left in turn order wins.
    pub last_round: u8,
    /// `pass: never` (A002.b).
    pub never_pass: bool,
    /// `hit_change: declared` (A002.t).
    pub declared: bool,
}

/// The place of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lies {
    /// The hand that a player got in a round.
    Hand(usize, u8),
    /// Shown to all, until it is accepted or refused.
    Shown,
    /// On the discards at once.
    Discards,
}

/// A fact that everyone sees; facts come in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A later round begins, with these players.
    Round { number: u8, alive: Vec<usize> },
    /// A card of the pile; face-down without a face.
    Drawn { to: Lies, slot: u16, face: Option<Face> },
    /// A face-down card is turned up: its pile and its slot.
    Turned { pile: u16, slot: u16, face: Face },
    /// A player is out, and whether they held face-down hands.
    Out { player: usize, cause: &'static str, holder: bool },
    /// The pile is used up.
    PileEmpty,
    /// The cards of the next pile.
    Collected(Vec<Face>),
    /// A player took no part in its shuffle.
    Absent(usize),
    /// The new pile is in place.
    Shuffled(u16),
    /// The winner is found.
    Won(usize),
}

/// A word that the page allows. `Open` and `Discard` name the player's face-down hands by the round of their deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    Hit,
    /// `hit_change: declared`: the next card is refused before it is seen.
    HitChange,
    Accept,
    Reject,
    Stand,
    Change(Face),
    FaceDown,
    Pass,
    Open(u8),
    Discard(u8),
}

/// The kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// The player's own turn.
    Turn,
    /// A card was drawn and is shown.
    Shown,
    /// The hand was just closed; the player may open one of their own.
    Closed,
    /// A 21 was made; a face-down hand may go.
    HighScore,
}

/// A question to a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub player: usize,
    pub moment: Moment,
    pub choices: Vec<Choice>,
    /// The choice on time-out (A002.x).
    pub timeout: Choice,
}

/// The players who answer and shuffle.
pub trait Players {
    /// Answers a question.
    fn ask(&mut self, facts: &[Fact], question: &Question) -> Choice;
    /// Shuffles these cards with the players still in: slots and faces in the order of drawing, or the player who took
    /// no part.
    fn shuffle(&mut self, facts: &[Fact], cards: &[Face], alive: &[usize]) -> Result<Vec<(u16, Face)>, usize>;
}

/// A hand closed by a card face-down.
#[derive(Clone, Debug)]
pub struct Closed {
    pub owner: usize,
    pub round: u8,
    pub shown: Vec<Face>,
    pub hidden: Face,
    pub pile: u16,
    pub slot: u16,
}

/// A player at the table.
#[derive(Clone, Debug, Default)]
pub struct Seat {
    pub out: bool,
    pub hand: Vec<Face>,
    pub finished: bool,
    pub right_used: bool,
}

/// Why the current course ends.
#[derive(Debug)]
enum End {
    Won(usize),
    Round,
    Pile,
}

/// A game in progress.
pub struct Game<'g, P> {
    pub options: Options,
    pub seats: Vec<Seat>,
    pub closed: Vec<Closed>,
    pub discards: Vec<Face>,
    /// Slots and faces; the next card is the last.
    pub pile: Vec<(u16, Face)>,
    pub pile_number: u16,
    pub round: u8,
    pub facts: Vec<Fact>,
    /// The last player out who did not hold a face-down hand and was not eliminated by one (R002.16).
    pub last_out: Option<usize>,
    pub players: &'g mut P,
}

impl<'g, P: Players> Game<'g, P> {
    /// `count` players before the first deal, `pile` in the order of drawing.
    pub fn new(options: Options, count: usize, mut pile: Vec<(u16, Face)>, players: &'g mut P) -> Self {
        pile.reverse();
        let seats = vec![Seat::default(); count];
        let (closed, discards, facts) = (vec![], vec![], vec![]);
        Game { options, seats, closed, discards, pile, pile_number: 0, round: 0, facts, last_out: None, players }
    }

    /// The whole game; the winner.
    pub fn play(&mut self) -> usize {
        loop {
            let round = self.round();
            if let Some(winner) = self.after(round) {
                return winner;
            }
        }
    }

    /// The rest of a round whose cards are dealt already; the winner, if the round has one.
    #[allow(dead_code)] // the worked examples begin in the middle of a game
    pub fn finish_round(&mut self) -> Option<usize> {
        let round = self.rotation();
        self.after(round)
    }

    fn after(&mut self, round: Result<(), End>) -> Option<usize> {
        if matches!(round, Err(End::Pile)) {
            self.facts.push(Fact::PileEmpty);
        }
        let round = match round {
            Err(End::Won(winner)) => Err(End::Won(winner)),
            _ if self.round == self.options.last_round => Err(End::Won(self.last_round_is_over())),
            Err(End::Pile) => self.collect_and_shuffle(),
            other => other,
        };
        if let Err(End::Won(winner)) = round {
            self.facts.push(Fact::Won(winner));
            return Some(winner);
        }
        // R002.7
        for seat in &mut self.seats {
            self.discards.append(&mut seat.hand);
        }
        None
    }

    fn last_round_is_over(&mut self) -> usize {
        while !self.closed.is_empty() {
            if let Err(End::Won(winner)) = self.open(0) {
                return winner;
            }
        }
        self.alive()[0]
    }

    fn alive(&self) -> Vec<usize> {
        (0..self.seats.len()).filter(|player| !self.seats[*player].out).collect()
    }

    fn holds(&self, player: usize) -> bool {
        self.closed.iter().any(|hand| hand.owner == player)
    }

    /// The rounds of their face-down hands, the oldest first.
    fn rounds(&self, player: usize) -> impl Iterator<Item = u8> {
        self.closed.iter().filter(move |hand| hand.owner == player).map(|hand| hand.round)
    }

    fn of_round(&self, player: usize, round: u8) -> usize {
        self.closed.iter().position(|hand| (hand.owner, hand.round) == (player, round)).unwrap()
    }

    fn somebody_is_free(&self) -> bool {
        self.alive().into_iter().any(|player| !self.holds(player))
    }

    fn ask(&mut self, player: usize, moment: Moment, choices: Vec<Choice>, timeout: Choice) -> Choice {
        self.players.ask(&self.facts, &Question { player, moment, choices, timeout })
    }

    // ---- a round ----

    fn round(&mut self) -> Result<(), End> {
        self.round += 1;
        if self.round > 1 {
            self.facts.push(Fact::Round { number: self.round, alive: self.alive() });
        }
        for seat in &mut self.seats {
            (seat.finished, seat.right_used) = (false, false);
        }
        // A002.u
        for _ in 0..2 {
            for player in self.alive() {
                let card = self.draw(Lies::Hand(player, self.round), true);
                self.joins(player, card)?;
            }
        }
        self.rotation()
    }

    fn rotation(&mut self) -> Result<(), End> {
        // A002.b
        while self.alive().into_iter().any(|player| !self.seats[player].finished) {
            for player in self.alive() {
                if !self.seats[player].out && !self.seats[player].finished {
                    self.turn(player)?;
                }
            }
        }
        // R002.14, A002.g
        self.open_until_somebody_is_free()
    }

    fn turn(&mut self, player: usize) -> Result<(), End> {
        let (mut operated, mut just_changed) = (false, false);
        loop {
            let hand = self.seats[player].hand.clone();
            let (total, right) = (points(&hand), !self.seats[player].right_used);
            let mut choices = vec![Choice::Hit, Choice::FaceDown];
            if right {
                choices.extend(hand.iter().map(|card| Choice::Change(*card)));
                choices.extend(self.options.declared.then_some(Choice::HitChange));
            }
            let may_pass = total <= 16 && operated && !just_changed && !self.options.never_pass;
            choices.extend((total >= 17).then_some(Choice::Stand));
            choices.extend(may_pass.then_some(Choice::Pass));
            // A002.v
            if !operated {
                choices.extend(self.rounds(player).map(Choice::Open));
            }
            let timeout = match () {
                () if total >= 17 => Choice::Stand,
                () if may_pass => Choice::Pass,
                () => Choice::Hit,
            };
            let choice = self.ask(player, Moment::Turn, choices, timeout);
            match choice {
                Choice::Open(round) => {
                    self.open(self.of_round(player, round))?;
                    if self.seats[player].out {
                        return Ok(());
                    }
                    continue;
                }
                Choice::Stand => {
                    self.seats[player].finished = true;
                    return Ok(());
                }
                Choice::Pass => return Ok(()),
                Choice::FaceDown => return self.face_down(player),
                Choice::Hit => just_changed = self.hit(player)?,
                Choice::HitChange => {
                    let card = self.draw(Lies::Discards, true);
                    self.refuse(player, card)?;
                    just_changed = true;
                }
                Choice::Change(card) => {
                    self.seats[player].right_used = true;
                    let at = hand.iter().position(|mine| *mine == card).unwrap();
                    self.seats[player].hand.remove(at);
                    self.discards.push(card);
                    let card = self.draw(Lies::Hand(player, self.round), true);
                    self.joins(player, card)?;
                    just_changed = true;
                }
                _ => unreachable!(),
            }
            operated = true;
            if self.seats[player].out || self.seats[player].finished {
                return Ok(());
            }
        }
    }

    /// Whether the hit became a hit-change.
    fn hit(&mut self, player: usize) -> Result<bool, End> {
        let asks = !self.seats[player].right_used && !self.options.declared;
        let to = if asks { Lies::Shown } else { Lies::Hand(player, self.round) };
        let card = self.draw(to, true);
        // A002.t
        if asks
            && self.ask(player, Moment::Shown, vec![Choice::Accept, Choice::Reject], Choice::Accept) == Choice::Reject
        {
            return self.refuse(player, card).map(|()| true);
        }
        self.joins(player, card).map(|()| false)
    }

    fn refuse(&mut self, player: usize, card: Face) -> Result<(), End> {
        self.seats[player].right_used = true;
        self.discards.push(card);
        // A002.l
        if self.pile.is_empty() {
            return Err(End::Pile);
        }
        let card = self.draw(Lies::Hand(player, self.round), true);
        self.joins(player, card)
    }

    fn face_down(&mut self, player: usize) -> Result<(), End> {
        let slot = self.pile[self.pile.len() - 1].0;
        let hidden = self.draw(Lies::Hand(player, self.round), false);
        let shown = std::mem::take(&mut self.seats[player].hand);
        self.closed.push(Closed { owner: player, round: self.round, shown, hidden, pile: self.pile_number, slot });
        self.seats[player].finished = true;
        if self.pile.is_empty() {
            return Err(End::Pile);
        }
        // A002.v
        while self.holds(player) && !self.seats[player].out {
            let mut choices: Vec<Choice> = self.rounds(player).map(Choice::Open).collect();
            choices.push(Choice::Pass);
            match self.ask(player, Moment::Closed, choices, Choice::Pass) {
                Choice::Open(round) => self.open(self.of_round(player, round))?,
                _ => break,
            }
        }
        Ok(())
    }

    fn draw(&mut self, to: Lies, face_up: bool) -> Face {
        let (slot, face) = self.pile.pop().unwrap();
        self.facts.push(Fact::Drawn { to, slot, face: face_up.then_some(face) });
        face
    }

    /// A card joins the hand; bust and 21 are resolved; then the pile is looked at (A002.l).
    fn joins(&mut self, player: usize, card: Face) -> Result<(), End> {
        self.seats[player].hand.push(card);
        let total = points(&self.seats[player].hand);
        let resolved = match total {
            bust if bust > 21 => self.goes_out(player, "bust"),
            21 => {
                self.seats[player].finished = true;
                self.may_discard(player)
            }
            _ => Ok(()),
        };
        match resolved {
            Err(End::Won(winner)) => Err(End::Won(winner)),
            _ if self.pile.is_empty() => Err(End::Pile),
            other => other,
        }
    }

    /// R002.18, A002.e
    fn may_discard(&mut self, player: usize) -> Result<(), End> {
        if !self.holds(player) {
            return Ok(());
        }
        let mut choices: Vec<Choice> = self.rounds(player).map(Choice::Discard).collect();
        choices.push(Choice::Pass);
        if let Choice::Discard(round) = self.ask(player, Moment::HighScore, choices, Choice::Pass) {
            let hand = self.closed.remove(self.of_round(player, round));
            self.turn_up(&hand);
        }
        Ok(())
    }

    /// Puts a hand on the discards, face-up (R002.7); returns its points.
    fn turn_up(&mut self, hand: &Closed) -> u64 {
        self.facts.push(Fact::Turned { pile: hand.pile, slot: hand.slot, face: hand.hidden });
        let cards: Vec<Face> = hand.shown.iter().copied().chain([hand.hidden]).collect();
        self.discards.extend(&cards);
        points(&cards)
    }

    // ---- face-down hands ----

    /// Opens one: it busts and its owner is out, or it survives (A002.d, A002.v).
    fn open(&mut self, at: usize) -> Result<(), End> {
        let hand = self.closed.remove(at);
        match self.turn_up(&hand) {
            bust if bust > 21 => self.goes_out(hand.owner, "face_down"),
            21 => self.may_discard(hand.owner),
            _ => Ok(()),
        }
    }

    /// R002.5, R002.16, R002.19
    fn goes_out(&mut self, player: usize, cause: &'static str) -> Result<(), End> {
        let holder = cause == "face_down" || self.holds(player);
        if !holder {
            self.last_out = Some(player);
        }
        self.seats[player].out = true;
        self.facts.push(Fact::Out { player, cause, holder });
        let mut hand = std::mem::take(&mut self.seats[player].hand);
        self.discards.append(&mut hand);
        while let Some(at) = self.closed.iter().position(|hand| hand.owner == player) {
            let hand = self.closed.remove(at);
            self.turn_up(&hand);
        }
        // R002.16, A002.h: a hand of the last player busts.
        if self.alive().is_empty() {
            return Err(End::Won(self.last_out.unwrap_or(player)));
        }
        // R002.15 and A002.j: on the disqualification of the last player without face-down hands, not on a holder's
        // (A002.g).
        if self.alive().len() == 1 || (!holder && !self.somebody_is_free()) {
            self.open_until_somebody_is_free()?;
            return Err(End::Round);
        }
        Ok(())
    }

    /// R002.15; R002.16 and A002.h if one player is left.
    fn open_until_somebody_is_free(&mut self) -> Result<(), End> {
        loop {
            let free = self.somebody_is_free();
            match self.alive()[..] {
                [last] if free => return Err(End::Won(last)),
                _ if free => return Ok(()),
                _ => self.open(0)?,
            }
        }
    }

    // ---- the pile ----

    /// R002.20, A002.m, A002.n
    fn collect_and_shuffle(&mut self) -> Result<(), End> {
        for seat in &mut self.seats {
            self.discards.append(&mut seat.hand);
        }
        loop {
            while self.discards.len() < 2 * self.alive().len() + 1 {
                if let Err(End::Won(winner)) = self.open(0) {
                    return Err(End::Won(winner));
                }
            }
            self.discards.sort_unstable();
            self.facts.push(Fact::Collected(self.discards.clone()));
            let alive = self.alive();
            match self.players.shuffle(&self.facts, &self.discards, &alive) {
                Ok(mut pile) => {
                    pile.reverse();
                    self.pile = pile;
                    self.pile_number += 1;
                    self.discards.clear();
                    self.facts.push(Fact::Shuffled(self.pile_number));
                    return Ok(());
                }
                Err(absent) => {
                    self.facts.push(Fact::Absent(absent));
                    if let Err(End::Won(winner)) = self.goes_out(absent, "absent") {
                        return Err(End::Won(winner));
                    }
                }
            }
        }
    }
}
