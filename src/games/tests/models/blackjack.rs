//! Code common to the blackjacks of documents 001, 003 and 004: cards on a table, questions, money. It is no engine:
//! numbers and words only.
//!
//! Each document's round is one function, in `blackjack_pages.rs`. At a player's decision it calls [`Players::ask`] and
//! goes on with the answer; it stores only what the page mentions.

use super::cards::{Face, Shoe, points};

#[path = "blackjack_pages.rs"]
mod pages;
pub use pages::{Live, Page, SixDeck, Study};

/// The place of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    Hand(u8, u8),
    Dealer,
}

/// One wager settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub player: usize,
    pub at: At,
    pub wager: &'static str,
    pub outcome: &'static str,
    pub stake: u64,
    pub returned: u64,
}

/// A fact that everyone at the table sees; facts come in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    Dealt { lane: u16, slot: u16, to: At, face: Option<Face> },
    Turned { slot: u16, face: Face },
    Peeked { slot: u16, blackjack: bool },
    Paid(Vec<Line>),
}

/// A word that the page allows, and its extra stakes: the least, the usual, the most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub word: &'static str,
    pub least: u64,
    pub usual: u64,
    pub most: u64,
}

fn word(word: &'static str, cost: u64) -> Word {
    Word { word, least: cost, usual: cost, most: cost }
}

/// A question to a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub player: usize,
    pub at: At,
    pub words: Vec<Word>,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    Hit,
    Stand,
    Double(u64),
    Split,
    Surrender,
    Insurance(bool),
    EvenMoney(bool),
}

/// The players who answer.
pub trait Players {
    /// Answers one of the open questions: returns its index and the answer. `funds` by player.
    fn ask(&mut self, facts: &[Fact], open: &[Question], funds: &[u64]) -> (usize, Choice);
}

/// No card is left (C13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

/// An opening bet: the box, the player, the amount.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    pub spot: u8,
    pub player: usize,
    pub stake: u64,
}

struct Hand {
    cards: Vec<Face>,
    stake: u64,
    closed: bool,
    gone: bool,
    given_up: bool,
}

struct Seat {
    spot: u8,
    lane: u16,
    player: usize,
    bet: u64,
    premium: u64,
    hands: Vec<Hand>,
}

impl Seat {
    fn natural(&self) -> bool {
        self.hands.len() == 1 && self.hands[0].cards.len() == 2 && points(&self.hands[0].cards) == 21
    }
}

/// A round in progress; `facts` and `funds` are its outcome.
pub struct Round<'r, P> {
    pub facts: Vec<Fact>,
    pub funds: Vec<u64>,
    seats: Vec<Seat>,
    dealer: Vec<(u16, Face)>,
    dealer_lane: u16,
    shoe: Shoe,
    players: &'r mut P,
}

impl<'r, P: Players> Round<'r, P> {
    /// The bets by box, ascending; `funds` is the money each player has left.
    pub fn new(bets: &[Opening], funds: Vec<u64>, lanes: bool, shoe: Shoe, players: &'r mut P) -> Self {
        let lane = |number: usize| if lanes { number as u16 } else { 0 };
        let hand =
            |bet: &Opening| Hand { cards: vec![], stake: bet.stake, closed: false, gone: false, given_up: false };
        let seat = |(number, bet): (usize, &Opening)| Seat {
            spot: bet.spot,
            lane: lane(number),
            player: bet.player,
            bet: bet.stake,
            premium: 0,
            hands: vec![hand(bet)],
        };
        let seats = bets.iter().enumerate().map(seat).collect();
        Round { facts: vec![], funds, seats, dealer: vec![], dealer_lane: lane(bets.len()), shoe, players }
    }

    // ---- hands ----

    fn draw(&mut self, lane: u16, to: At, face_up: bool) -> Result<Face, Exhausted> {
        let (slot, face) = self.shoe.draw(lane).ok_or(Exhausted)?;
        self.facts.push(Fact::Dealt { lane, slot, to, face: face_up.then_some(face) });
        if to == At::Dealer {
            self.dealer.push((slot, face));
        }
        Ok(face)
    }

    fn deal(&mut self, seat: usize, hand: usize) -> Result<(), Exhausted> {
        let at = self.at(seat, hand);
        let face = self.draw(self.seats[seat].lane, at, true)?;
        self.seats[seat].hands[hand].cards.push(face);
        Ok(())
    }

    fn deal_each(&mut self) -> Result<(), Exhausted> {
        (0..self.seats.len()).try_for_each(|seat| self.deal(seat, 0))
    }

    fn deal_dealer(&mut self, face_up: bool) -> Result<(), Exhausted> {
        self.draw(self.dealer_lane, At::Dealer, face_up).map(|_| ())
    }

    fn turn(&mut self, card: usize) {
        let (slot, face) = self.dealer[card];
        self.facts.push(Fact::Turned { slot, face });
    }

    fn dealers(&self) -> Vec<Face> {
        self.dealer.iter().map(|(_, face)| *face).collect()
    }

    fn dealer_has_blackjack(&self) -> bool {
        self.dealer.len() == 2 && points(&self.dealers()) == 21
    }

    fn dealer_draws_to_17(&mut self) -> Result<(), Exhausted> {
        while points(&self.dealers()) < 17 {
            self.deal_dealer(true)?;
        }
        Ok(())
    }

    /// A hand is named by its position in its box, from the left.
    fn at(&self, seat: usize, hand: usize) -> At {
        At::Hand(self.seats[seat].spot, hand as u8 + 1)
    }

    /// One question that must be answered at once.
    fn ask(&mut self, seat: usize, hand: usize, words: Vec<Word>) -> Choice {
        let player = self.seats[seat].player;
        let (_, choice) =
            self.players.ask(&self.facts, &[Question { player, at: self.at(seat, hand), words }], &self.funds);
        choice
    }

    /// Questions before all others, open together and answered in any order; a question whose cost cannot be paid is
    /// skipped.
    fn window(&mut self, questions: Vec<(usize, Word)>) {
        let mut open: Vec<(usize, Question)> = Vec::new();
        for (seat, word) in questions {
            let player = self.seats[seat].player;
            if word.least <= self.funds[player] {
                open.push((seat, Question { player, at: self.at(seat, 0), words: vec![word] }));
            }
        }
        while !open.is_empty() {
            let asked: Vec<Question> = open.iter().map(|(_, question)| question.clone()).collect();
            let (which, choice) = self.players.ask(&self.facts, &asked, &self.funds);
            let (seat, question) = open.remove(which);
            match choice {
                Choice::Insurance(true) => {
                    self.funds[question.player] -= question.words[0].least;
                    self.seats[seat].premium = question.words[0].least;
                }
                Choice::EvenMoney(true) => self.pay_now(seat, 0, "even_money", 2 * self.seats[seat].bet),
                _ => {}
            }
        }
    }

    /// Half the bet; `None` if it rounds to zero.
    fn premium(&self, seat: usize) -> Option<(usize, Word)> {
        let premium = self.seats[seat].bet / 2;
        (premium > 0).then(|| (seat, word("insurance", premium)))
    }

    fn raise(&mut self, seat: usize, hand: usize, extra: u64) {
        self.funds[self.seats[seat].player] -= extra;
        self.seats[seat].hands[hand].stake += extra;
    }

    /// Parts a hand in two; the new one lies to its right.
    fn split(&mut self, seat: usize, hand: usize) {
        let bet = self.seats[seat].bet;
        self.funds[self.seats[seat].player] -= bet;
        let card = self.seats[seat].hands[hand].cards.pop();
        let cards = card.into_iter().collect();
        self.seats[seat]
            .hands
            .insert(hand + 1, Hand { cards, stake: bet, closed: false, gone: false, given_up: false });
    }

    fn pay(&mut self, lines: Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        for line in &lines {
            self.funds[line.player] += line.returned;
        }
        self.facts.push(Fact::Paid(lines));
    }

    fn line(&self, seat: usize, hand: usize, outcome: &'static str, returned: u64) -> Line {
        let stake = self.seats[seat].hands[hand].stake;
        Line { player: self.seats[seat].player, at: self.at(seat, hand), wager: "hand", outcome, stake, returned }
    }

    /// A hand settled before the others.
    fn pay_now(&mut self, seat: usize, hand: usize, outcome: &'static str, returned: u64) {
        let line = self.line(seat, hand, outcome, returned);
        self.seats[seat].hands[hand].gone = true;
        self.pay(vec![line]);
    }

    fn premium_line(&self, seat: usize, won: bool, pays: u64) -> Option<Line> {
        let stake = self.seats[seat].premium;
        let (outcome, returned) = if won { ("win", stake * (1 + pays)) } else { ("loss", 0) };
        (stake > 0).then(|| Line {
            player: self.seats[seat].player,
            at: self.at(seat, 0),
            wager: "insurance",
            outcome,
            stake,
            returned,
        })
    }

    /// A hand that was not given up, against the dealer's, by 001 (R001.53) and 003 (A003.p).
    fn compared(&self, seat: usize, hand: usize) -> Line {
        let mine = &self.seats[seat].hands[hand];
        let (his, natural) = (points(&self.dealers()), self.seats[seat].natural());
        let (outcome, returned) = match points(&mine.cards) {
            bust if bust > 21 => ("bust", 0),
            _ if natural && self.dealer_has_blackjack() => ("draw", mine.stake),
            _ if natural => ("blackjack", mine.stake + 3 * mine.stake / 2),
            _ if self.dealer_has_blackjack() => ("loss", 0),
            total if his > 21 || total > his => ("win", 2 * mine.stake),
            total if total == his => ("draw", mine.stake),
            _ => ("loss", 0),
        };
        self.line(seat, hand, outcome, returned)
    }

    fn hands(&self) -> Vec<(usize, usize)> {
        (0..self.seats.len()).flat_map(|seat| (0..self.seats[seat].hands.len()).map(move |hand| (seat, hand))).collect()
    }
}
