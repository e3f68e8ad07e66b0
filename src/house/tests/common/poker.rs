//! Cash tables: buy-ins, commitments, hands played by chance.

use super::rng::Rng;
use super::shared::rules;
use super::*;
use fairshoe_games::Offer;
use fairshoe_games::poker::Entry as ComeIn;

impl House {
    /// A started house with the cash table `t1` and these players, a million each.
    pub fn poker(name: &str, options: &[(&str, &str)], players: &[&str]) -> House {
        let mut house = House::new();
        for who in players {
            house.add_player(who, 1_000_000);
        }
        house.open_rules("t1", rules(name, options));
        house
    }

    pub fn buy_in(&mut self, at: &str, who: &str, seat: u8, amount: u64) -> Result<Entry, Declined> {
        let command = Command::TakeSeat { table: table(at), seat, buy_in: Some(chips(amount)), client: None, entry: Some(ComeIn::Post) };
        self.give(&by(who), command)
    }

    /// These players sit on seats 1, 2 … with this many chips each, and the first hand is called.
    pub fn buy_in_all(&mut self, at: &str, players: &[&str], amount: u64) {
        for (seat, who) in (1..).zip(players) {
            self.buy_in(at, who, seat, amount).unwrap();
        }
        self.run_due();
    }

    pub fn commit_hand(&mut self, at: &str, who: &str) -> Result<Entry, Declined> {
        let round_no = self.table(at).next_round;
        let commitment = self.commitment_for(at, who);
        self.give(&by(who), Command::CommitSeed { table: table(at), round_no, commitment })
    }

    /// Everyone who is awaited commits, the house closes the call, all seeds come out: the hand is dealt.
    pub fn deal_hand(&mut self, at: &str) -> Entry {
        let expected: Vec<String> = self.table(at).window.as_ref().unwrap().expected.iter().map(ToString::to_string).collect();
        for who in expected {
            if self.table(at).window.as_ref().unwrap().bet_of(&player(&who)).is_none() {
                self.commit_hand(at, &who).unwrap();
            }
        }
        self.run_due();
        self.show_all(at)
    }

    pub fn stack(&self, at: &str, who: &str) -> u64 {
        self.table(at).cash_seat(&player(who)).unwrap().1.stack.units()
    }

    pub fn rake(&self) -> i64 {
        self.state.ledger().balance(&Account::Rake).unwrap()
    }

    /// The offers of the open decision, and whose it is.
    pub fn offers(&self, at: &str) -> Option<(String, Vec<Offer>)> {
        let round = self.table(at).live_round()?;
        let open = round.game.open_decisions().into_iter().next()?;
        Some((open.player.to_string(), round.game.options(open.number, chips(0))))
    }

    /// A legal choice by chance.
    pub fn some_action(&self, at: &str, rng: &mut Rng) -> Option<(String, Action)> {
        let (who, offers) = self.offers(at)?;
        let offer = if rng.one_in(3) { offers[rng.below(offers.len())] } else { offers[offers.len().min(2) - 1] };
        let to = |rng: &mut Rng| {
            let (least, most) = offer.to.unwrap();
            match rng.below(4) {
                0 => most,
                1 | 2 => least,
                _ => chips(least.units() + rng.below((most.units() - least.units() + 1) as usize) as u64),
            }
        };
        let action = match offer.action {
            ActionKind::Fold => Action::Fold,
            ActionKind::Check => Action::Check,
            ActionKind::Call => Action::Call,
            ActionKind::Bet => Action::Bet { to: to(rng) },
            ActionKind::Raise => Action::Raise { to: to(rng) },
            ActionKind::Show => Action::Show,
            ActionKind::Muck => Action::Muck,
            other => panic!("{other} is no action of poker"),
        };
        Some((who, action))
    }
}
