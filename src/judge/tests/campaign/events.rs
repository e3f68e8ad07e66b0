//! Tournaments by chance: played to their end or for a while, off for want of players, called off by the operator before
//! the start or in play, off after a crash, postponed; with players who sign and players who do not.

use crate::common::rng::Rng;
use crate::common::*;
use crate::tournament_play::some_structure;
use fairshoe_house::tournament::{CancelCause, DealMethod, Pay, Stage};
use fairshoe_house::{Actor, Command, DecideError, Reference, TournamentCommand as C, WalletAnswer, WalletCall};
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::{BountyOn, DealTerms};

const EVENT: &str = "sunday";

/// What becomes of an event; of two in eight nothing but what chance brings.
const TOO_FEW: usize = 0;
const NEVER_PLAYED: usize = 1;
const POSTPONED: usize = 2;
const CALLED_OFF: usize = 3;
const LONG_CRASH: usize = 4;
const SUBSTITUTE: usize = 5;
const DEAL: usize = 6;

/// A house with the event of this seed.
pub fn event(seed: u64) -> House {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x0e7e_2700);
    let mut house = House::new();
    let course = (seed / 4 % 8) as usize;
    let structure = announced(&mut house, &mut rng, course);
    let least = structure.entry.players_min as usize;
    let most = if course == DEAL { 4 } else { structure.entry.players_max as usize };
    let players = (least + rng.below(4)).clamp(2, most);
    // With one too few the event is off at its start.
    let enter = if course == TOO_FEW { least - 1 } else { players };
    for n in 0..players {
        create(&mut house, &mut rng, n);
        if n < enter {
            drop(house.register(EVENT, &format!("p{n}")));
        }
    }
    let mut event = Event { house, rng, players, course };
    for _ in 0..if course == TOO_FEW { 0 } else { event.rng.below(8) } {
        event.something(true);
    }
    match course {
        NEVER_PLAYED => event.cancel(),
        POSTPONED => event.postpone(),
        _ => {}
    }
    event.house.wait(HOUR);
    event.play();
    event.house
}

/// An event is announced whose structure has what players and operator can do something with.
fn announced(house: &mut House, rng: &mut Rng, course: usize) -> Structure {
    loop {
        let mut structure = some_structure(rng);
        structure.levels.iter_mut().for_each(|level| level.ms = level.ms.min(2_000));
        structure.deal = (course == DEAL || rng.one_in(2)).then_some(DealTerms { most_players: 4 });
        structure.staking = rng.one_in(2);
        structure.draw_hands = rng.pick(&[0, 1, 3]);
        structure.unregister_ms = rng.pick(&[None, Some(1_000)]);
        structure.cancel_after_ms = rng.pick(&[60_000, 30 * MINUTE]);
        if course == DEAL {
            (structure.late_levels, structure.hand_for_hand, structure.entry.players_min) = (0, 0, 2);
            (structure.rebuy, structure.add_on) = (None, None);
        }
        if rng.one_in(3) {
            structure.bounty_on = BountyOn::Some;
        }
        if rng.one_in(2) {
            structure.entry.players_min = structure.entry.players_min.min(2);
        }
        if structure.validate().is_ok() && house.announce(EVENT, &structure).is_ok() {
            return structure;
        }
    }
}

fn name(n: usize) -> String {
    format!("p{n}")
}

/// Every second player signs; some chips come from the operator's wallet.
fn create(house: &mut House, rng: &mut Rng, n: usize) {
    let who = name(n);
    let key = rng.one_in(2).then(|| house.pen(&who, 100 + n as u8));
    house.give(&Actor::Operator, Command::CreatePlayer { player: player(&who), key }).unwrap();
    house.credit(&who, 700_000).unwrap();
    if rng.one_in(3) {
        house.give(&by(&who), Command::WalletDeposit { player: player(&who), amount: chips(300_000) }).unwrap();
        let no = house.state.wallet_operations() - 1;
        for call in [WalletCall::Reserve, WalletCall::Commit] {
            let command = Command::WalletAnswer { no, call, answer: WalletAnswer::Accepted, reason: None };
            house.give(&Actor::House, command).unwrap();
        }
    }
}

struct Event {
    house: House,
    rng: Rng,
    players: usize,
    course: usize,
}

impl Event {
    fn stage(&self) -> Stage {
        self.house.event(EVENT).stage
    }

    fn give(&mut self, by: &Actor, command: C) {
        match self.house.give(by, Command::Tournament(command)) {
            Ok(_) | Err(DecideError::Refused(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// Played for so many steps, or to its end, with what its course brings.
    fn play(&mut self) {
        let (withhold, absent) = (self.rng.pick(&[0, 4, 9]), self.rng.pick(&[0, 5, 12]));
        let at = 8 + self.rng.below(60);
        for step in 0..500 {
            if self.stage() == Stage::Ended || self.house.log.len() > 420 {
                break;
            }
            self.house.play_event(EVENT, &mut self.rng, withhold, absent, 1);
            if self.rng.one_in(10) {
                self.something(false);
            }
            if self.course == SUBSTITUTE {
                self.offer_a_substitute();
            }
            if self.course == DEAL && step > at {
                self.make_a_deal();
            }
            let crashes = self.rng.one_in(120);
            match self.course {
                CALLED_OFF if step == at => self.cancel(),
                LONG_CRASH if step == at => self.crash(&[HOUR, 3 * HOUR, DAY]),
                _ if crashes => self.crash(&[0, 5_000, 40_000]),
                _ => {}
            }
            self.house.run_due();
        }
        if self.rng.one_in(3) {
            self.house.wait(HOUR);
        }
    }

    fn crash(&mut self, down: &[u64]) {
        self.house.now += self.rng.pick(down);
        self.house.crash();
        if self.rng.one_in(3) {
            self.house.now += 1_000;
            self.house.crash();
        }
        self.house.run_due();
    }

    /// As of now or of an instant before.
    fn cancel(&mut self) {
        let entries = entries(&self.house.log);
        let instant = entries[entries.len() - 1 - self.rng.below(entries.len().min(12))].time;
        let (event, reason) = (table(EVENT), Reference::parse("power cut"));
        self.give(&Actor::Operator, C::Cancel { event, cause: CancelCause::Operator, instant, reason });
    }

    fn postpone(&mut self) {
        for _ in 0..1 + self.rng.below(4) {
            let starts_at = self.house.event(EVENT).starts_at + self.rng.pick(&[1, HOUR, 2 * DAY]);
            let reason = Reference::parse("no lights").unwrap();
            self.give(&Actor::Operator, C::Postpone { event: table(EVENT), starts_at, reason });
            self.something(true);
        }
        let wait = self.house.event(EVENT).starts_at - self.house.now;
        self.house.wait(wait);
    }

    /// The first place is played for something else, and whoever is left says yes.
    fn offer_a_substitute(&mut self) {
        let (event, what) = (table(EVENT), Reference::parse("a car").unwrap());
        let offer = C::SubstitutePrize { event, place: 1, what, value: 5_000_000 };
        self.give(&Actor::Operator, offer.clone());
        for n in 0..self.players {
            if !self.rng.one_in(4) {
                self.give(&by(&name(n)), offer.clone());
            }
        }
    }

    /// Everybody who is left wants one, somebody says how, and most say yes.
    fn make_a_deal(&mut self) {
        let event = || table(EVENT);
        for n in 0..self.players {
            self.give(&by(&name(n)), C::WantDeal { event: event(), want: true });
        }
        self.house.run_due();
        let method = self.rng.pick(&[DealMethod::Icm, DealMethod::Chips]);
        for n in 0..self.players {
            self.give(&by(&name(n)), C::ProposeDeal { event: event(), method, amounts: None });
        }
        let digest = self.house.event(EVENT).deal.proposal.clone().map(|one| one.digest).unwrap_or_default();
        for n in 0..self.players {
            let accept = !self.rng.one_in(15);
            self.give(&by(&name(n)), C::AnswerDeal { event: event(), digest: digest.clone(), accept });
        }
    }

    /// Something that players or operator may do, or may not.
    fn something(&mut self, before: bool) {
        let event = || table(EVENT);
        let n = self.rng.below(self.players + 2);
        let who = name(n);
        if self.house.state.ledger().player(&player(&who)).is_none() {
            create(&mut self.house, &mut self.rng, n);
        }
        let other = player(&name(self.rng.below(self.players)));
        let reason = || Reference::parse("case 1").unwrap();
        let (rng, operator) = (&mut self.rng, Actor::Operator);
        let late_levels = rng.below(4) as u16;
        let (giver, command) = match rng.below(if before { 7 } else { 13 }) {
            0 => {
                let commitment = self.house.seat_commitment(EVENT, &who);
                let pay = rng.pick(&[Pay::Cash, Pay::Cash, Pay::TDollars]);
                (by(&who), C::Register { event: event(), commitment, pay })
            }
            1 => (by(&who), C::Unregister { event: event() }),
            2 => (by(&who), C::OfferStake { event: event(), basis_points: rng.pick(&[2_500, 5_000, 10_000]) }),
            3 => {
                let (seller, basis_points) = (other, rng.pick(&[1_000, 2_500]));
                let offer = C::OfferStake { event: event(), basis_points: 5_000 };
                self.give(&Actor::Player(seller.clone()), offer);
                (by(&who), C::BuyStake { event: event(), seller, basis_points })
            }
            4 => (operator, C::SetBounty { event: event(), player: other, has: rng.one_in(2) }),
            5 => {
                let unregister_ms = rng.pick(&[None, Some(1_000)]);
                (operator, C::ChangeRegistration { event: event(), late_levels, unregister_ms, reason: reason() })
            }
            6 => {
                let (what, value) = (reason(), 5_000_000);
                (operator, C::SubstitutePrize { event: event(), place: 1 + rng.below(3) as u64, what, value })
            }
            7 => (by(&who), C::Rebuy { event: event() }),
            8 => (by(&who), C::AddOn { event: event() }),
            9 => (by(&who), C::WantDeal { event: event(), want: rng.one_in(2) }),
            10 => return self.make_a_deal(),
            11 if rng.one_in(3) => (operator, C::Disqualify { event: event(), player: other, reason: reason() }),
            _ => {
                let rebuying = self.house.event(EVENT).rebuying.first().map(|(_, entry_no)| *entry_no);
                let Some(entry_no) = rebuying else { return };
                (by(&who), C::DeclineRebuy { event: event(), entry_no })
            }
        };
        self.give(&giver, command);
    }
}
