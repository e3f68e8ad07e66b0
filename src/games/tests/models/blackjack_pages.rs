//! The blackjacks of documents 001, 003 and 004, each straight down its page.

use super::{Choice, Exhausted, Fact, Players, Round, Seat, Word, word};
use crate::models::cards::{is_ace, points, worth};

/// Document 001.
#[derive(Clone, Debug)]
pub struct Live {
    pub split_aces_one_card: bool,
}

/// Document 003.
#[derive(Clone, Debug)]
pub struct SixDeck {
    pub insurance_pays: u64,
    pub even_money_under_ace: bool,
    pub late_surrender: bool,
    pub double_any_cards: bool,
    pub most_hands: usize,
}

/// Document 004.
#[derive(Clone, Debug)]
pub struct Study {
    pub split_by_value: bool,
    pub most_hands: usize,
    pub surrender_any_time: bool,
    pub double_any_cards: bool,
    pub dealer_always_draws: bool,
    pub stand_on_21: bool,
}

/// The document whose page is played.
#[derive(Clone, Debug)]
pub enum Page {
    Live(Live),
    SixDeck(SixDeck),
    Study(Study),
}

impl<P: Players> Round<'_, P> {
    /// The whole round.
    pub fn play(&mut self, page: &Page) -> Result<(), Exhausted> {
        match page {
            Page::Live(page) => self.live(page),
            Page::SixDeck(page) => self.six_deck(page),
            Page::Study(page) => self.study(page),
        }
    }

    // ---- document 001 ----

    fn live(&mut self, page: &Live) -> Result<(), Exhausted> {
        // R001.52
        self.deal_each()?;
        self.deal_dealer(true)?;
        self.deal_each()?;
        self.deal_dealer(false)?;
        let up = self.dealer[0].1;

        // R001.54, R001.55, A001.ff: under an ace one window for all, then the look at the hole card.
        if is_ace(up) {
            let questions = (0..self.seats.len()).filter_map(|seat| self.premium(seat)).collect();
            self.window(questions);
            let blackjack = self.dealer_has_blackjack();
            self.facts.push(Fact::Peeked { slot: self.dealer[1].0, blackjack });
            if blackjack {
                // A001.cc
                self.turn(1);
                let mut lines = Vec::new();
                for seat in 0..self.seats.len() {
                    lines.extend(self.premium_line(seat, true, 2));
                    lines.push(self.compared(seat, 0));
                }
                self.pay(lines);
                return Ok(());
            }
            let lost = (0..self.seats.len()).filter_map(|seat| self.premium_line(seat, false, 2)).collect();
            self.pay(lost);
        }

        for seat in 0..self.seats.len() {
            self.live_seat(seat, page)?;
        }

        // R001.60, A001.gg: the hole card is shown; cards are drawn for a hand that they can still decide.
        self.turn(1);
        let undecided = |seat: &Seat| !seat.natural() && seat.hands.iter().any(|hand| points(&hand.cards) <= 21);
        if self.seats.iter().any(undecided) {
            self.dealer_draws_to_17()?;
        }
        let lines = self.hands().into_iter().map(|(seat, hand)| self.compared(seat, hand)).collect();
        self.pay(lines);
        Ok(())
    }

    fn live_seat(&mut self, seat: usize, page: &Live) -> Result<(), Exhausted> {
        let mut hand = 0;
        while hand < self.seats[seat].hands.len() {
            let (split, bet) = (self.seats[seat].hands.len() == 2, self.seats[seat].bet);
            let mine = &self.seats[seat].hands[hand];
            // R001.58
            if points(&mine.cards) >= 21 || mine.closed {
                hand += 1;
                continue;
            }
            let mut words = vec![word("hit", 0), word("stand", 0)];
            if mine.cards.len() == 2 && !split {
                // R001.56, A001.dd
                words.push(Word { word: "double", least: 1, usual: bet, most: bet });
                // R001.57
                if worth(mine.cards[0]) == worth(mine.cards[1]) {
                    words.push(word("split", bet));
                }
            }
            match self.ask(seat, hand, words) {
                Choice::Hit => self.deal(seat, hand)?,
                Choice::Double(extra) => {
                    self.raise(seat, hand, extra);
                    self.deal(seat, hand)?;
                    self.seats[seat].hands[hand].closed = true;
                }
                Choice::Split => {
                    // R001.136
                    self.split(seat, hand);
                    self.deal(seat, 0)?;
                    self.deal(seat, 1)?;
                    let aces = is_ace(self.seats[seat].hands[0].cards[0]);
                    for mine in &mut self.seats[seat].hands {
                        mine.closed = aces && page.split_aces_one_card;
                    }
                }
                _ => self.seats[seat].hands[hand].closed = true,
            }
        }
        Ok(())
    }

    // ---- document 003 ----

    fn six_deck(&mut self, page: &SixDeck) -> Result<(), Exhausted> {
        // A003.m
        self.deal_each()?;
        self.deal_dealer(true)?;
        self.deal_each()?;
        self.deal_dealer(false)?;
        let up = self.dealer[0].1;

        // R003.6, R003.7, A003.b
        let even_money = if page.even_money_under_ace { is_ace(up) } else { worth(up) == 10 };
        let mut questions = Vec::new();
        for seat in 0..self.seats.len() {
            if self.seats[seat].natural() {
                questions.extend(even_money.then(|| (seat, word("even_money", 0))));
            } else if is_ace(up) {
                questions.extend(self.premium(seat));
            }
        }
        self.window(questions);

        for seat in 0..self.seats.len() {
            if !self.seats[seat].natural() {
                self.six_deck_seat(seat, page)?;
            }
        }

        // A003.n
        self.turn(1);
        let live = |seat: &Seat| !seat.natural() && seat.hands.iter().any(|hand| !hand.gone && !hand.given_up);
        if self.seats.iter().any(live) {
            self.dealer_draws_to_17()?;
        }
        let mut lines = Vec::new();
        for seat in 0..self.seats.len() {
            lines.extend(self.premium_line(seat, self.dealer_has_blackjack(), page.insurance_pays));
            for hand in 0..self.seats[seat].hands.len() {
                let mine = &self.seats[seat].hands[hand];
                if mine.gone {
                    continue;
                }
                // A003.d: late, lost in full to a dealer's blackjack.
                lines.push(match mine.given_up {
                    true if self.dealer_has_blackjack() => self.line(seat, hand, "loss", 0),
                    true => self.line(seat, hand, "surrender", mine.stake / 2),
                    false => self.compared(seat, hand),
                });
            }
        }
        self.pay(lines);
        Ok(())
    }

    fn six_deck_seat(&mut self, seat: usize, page: &SixDeck) -> Result<(), Exhausted> {
        let mut hand = 0;
        while hand < self.seats[seat].hands.len() {
            let (hands, bet) = (self.seats[seat].hands.len(), self.seats[seat].bet);
            let mine = &self.seats[seat].hands[hand];
            // A003.o
            if points(&mine.cards) >= 21 || mine.closed {
                if points(&mine.cards) > 21 {
                    // R003.12
                    self.pay_now(seat, hand, "bust", 0);
                }
                hand += 1;
                continue;
            }
            let mut words = vec![word("hit", 0), word("stand", 0)];
            let two = mine.cards.len() == 2;
            // A003.g
            if two || page.double_any_cards {
                words.push(word("double", bet));
            }
            // R003.10, A003.h
            if two && worth(mine.cards[0]) == worth(mine.cards[1]) && hands < page.most_hands {
                words.push(word("split", bet));
            }
            // R003.11, A003.i, A003.r
            if two && hands == 1 {
                words.push(word("surrender", 0));
            }
            match self.ask(seat, hand, words) {
                Choice::Hit => self.deal(seat, hand)?,
                Choice::Double(extra) => {
                    self.raise(seat, hand, extra);
                    self.deal(seat, hand)?;
                    self.seats[seat].hands[hand].closed = true;
                }
                Choice::Split => {
                    // A003.q
                    self.split(seat, hand);
                    self.deal(seat, hand)?;
                    self.deal(seat, hand + 1)?;
                }
                Choice::Surrender if page.late_surrender => {
                    let mine = &mut self.seats[seat].hands[hand];
                    (mine.closed, mine.given_up) = (true, true);
                }
                Choice::Surrender => {
                    self.pay_now(seat, hand, "surrender", bet / 2);
                    self.seats[seat].hands[hand].closed = true;
                }
                _ => self.seats[seat].hands[hand].closed = true,
            }
        }
        Ok(())
    }

    // ---- document 004 ----

    fn study(&mut self, page: &Study) -> Result<(), Exhausted> {
        // R004.3
        self.deal_each()?;
        self.deal_dealer(false)?;
        self.deal_each()?;
        self.deal_dealer(false)?;
        self.turn(0);

        // R004.4
        if worth(self.dealer[0].1) >= 10 {
            let blackjack = self.dealer_has_blackjack();
            self.facts.push(Fact::Peeked { slot: self.dealer[1].0, blackjack });
            if blackjack {
                // R004.5, R004.21
                self.turn(1);
                let ended = |seat: usize| match self.seats[seat].natural() {
                    true => self.line(seat, 0, "draw", self.seats[seat].bet),
                    false => self.line(seat, 0, "loss", 0),
                };
                let lines = (0..self.seats.len()).rev().map(ended).collect();
                self.pay(lines);
                return Ok(());
            }
        }

        // R004.6
        let mut lines = Vec::new();
        for seat in 0..self.seats.len() {
            if self.seats[seat].natural() {
                let bet = self.seats[seat].bet;
                lines.push(self.line(seat, 0, "blackjack", bet + 3 * bet / 2));
                self.seats[seat].hands[0].gone = true;
            }
        }
        lines.reverse();
        self.pay(lines);

        for seat in 0..self.seats.len() {
            if !self.seats[seat].natural() {
                self.study_seat(seat, page)?;
            }
        }

        // R004.12, A004.h
        self.turn(1);
        let left: Vec<_> =
            self.hands().into_iter().filter(|(seat, hand)| !self.seats[*seat].hands[*hand].gone).collect();
        if !left.is_empty() || page.dealer_always_draws {
            self.dealer_draws_to_17()?;
        }
        // R004.13, R004.21
        let his = points(&self.dealers());
        let ended = |(seat, hand): (usize, usize)| {
            let mine = &self.seats[seat].hands[hand];
            match points(&mine.cards) {
                total if his > 21 || total > his => self.line(seat, hand, "win", 2 * mine.stake),
                total if total == his => self.line(seat, hand, "draw", mine.stake),
                _ => self.line(seat, hand, "loss", 0),
            }
        };
        let lines = left.into_iter().rev().map(ended).collect();
        self.pay(lines);
        Ok(())
    }

    fn study_seat(&mut self, seat: usize, page: &Study) -> Result<(), Exhausted> {
        let (mut hand, mut acted) = (0, false);
        while hand < self.seats[seat].hands.len() {
            let (hands, bet) = (self.seats[seat].hands.len(), self.seats[seat].bet);
            // A004.c
            if self.seats[seat].hands[hand].cards.len() == 1 {
                self.deal(seat, hand)?;
            }
            let mine = &self.seats[seat].hands[hand];
            if points(&mine.cards) > 21 {
                // R004.8
                self.pay_now(seat, hand, "bust", 0);
                hand += 1;
                continue;
            }
            if mine.closed || (page.stand_on_21 && points(&mine.cards) == 21) {
                hand += 1;
                continue;
            }
            let mut words = vec![word("hit", 0), word("stand", 0)];
            let two = mine.cards.len() == 2;
            // R004.9, A004.f
            if two || page.double_any_cards {
                words.push(Word { word: "double", least: 1, usual: bet, most: bet });
            }
            // R004.10, A004.a, A004.b
            let same = if page.split_by_value {
                worth(mine.cards[0]) == worth(mine.cards[1])
            } else {
                mine.cards[0] % 13 == mine.cards[1] % 13
            };
            if two && same && hands < page.most_hands {
                words.push(word("split", bet));
            }
            // R004.11, A004.e
            if !acted || page.surrender_any_time {
                words.push(word("surrender", 0));
            }
            acted = true;
            match self.ask(seat, hand, words) {
                Choice::Hit => self.deal(seat, hand)?,
                Choice::Double(extra) => {
                    self.raise(seat, hand, extra);
                    self.deal(seat, hand)?;
                    self.seats[seat].hands[hand].closed = true;
                }
                Choice::Split => self.split(seat, hand),
                Choice::Surrender => {
                    let half = self.seats[seat].hands[hand].stake / 2;
                    self.pay_now(seat, hand, "surrender", half);
                    self.seats[seat].hands[hand].closed = true;
                }
                _ => self.seats[seat].hands[hand].closed = true,
            }
        }
        Ok(())
    }
}
