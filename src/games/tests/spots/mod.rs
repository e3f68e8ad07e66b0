//! Rounds of bets on a layout as one line each: `spot=stake …` of one or several players.

mod coups;

pub(crate) use coups::coups;
pub use coups::play as check;

use crate::common::cards;
pub use crate::common::chips;
use fairshoe_fairness::{Card, PlayerId, Slot};
use fairshoe_games::{
    Bet, BetRefusal, Chips, Dealing, FaceUnknown, Peek, Placed, Round, RoundEvent, RuleSet, RuleSetError, Settlement,
    Spin, StepError,
};

pub fn bets(text: &str) -> Vec<Bet> {
    let bet = |word: &str| {
        let (spot, stake) = word.split_once('=').unwrap();
        Bet { spot: spot.to_owned(), stake: chips(stake.parse().unwrap()), chips: None }
    };
    text.split_whitespace().map(bet).collect()
}

/// `ann: red=100 black=100 | bob: red=100`
pub fn placed(text: &str) -> Vec<Placed> {
    let one = |text: &str| {
        let (name, list) = text.split_once(':').filter(|(name, _)| !name.contains('=')).unwrap();
        Placed { player: name.trim().parse().unwrap(), bets: bets(list) }
    };
    text.split('|').map(one).collect()
}

/// A table that deals given cards, or one pocket.
#[derive(Clone, Default)]
pub struct Given {
    pub cards: Vec<Card>,
    pub drawn: usize,
    pub spin: Option<Spin>,
}

impl Given {
    pub fn shoe(text: &str) -> Given {
        Given { cards: cards(text), ..Given::default() }
    }
    pub fn pocket(pocket: u8) -> Given {
        Given { spin: Some(Spin { slot: Slot(5), value: (pocket + 30) % 37, pocket }), ..Given::default() }
    }
}

impl Dealing for Given {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        assert_eq!(lane, 0, "one lane (C9)");
        (self.drawn < self.cards.len()).then_some(Slot(self.drawn as u16))
    }
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.cards.get(slot.index()).copied().ok_or(FaceUnknown(slot))
    }
    fn peek(&self, slot: Slot, _question: Peek) -> Result<bool, FaceUnknown> {
        Err(FaceUnknown(slot))
    }
    fn funds(&self, _player: &PlayerId) -> Chips {
        Chips::ZERO
    }
    fn deadline(&self) -> u64 {
        77
    }
    fn spin(&self) -> Result<Option<Spin>, FaceUnknown> {
        Ok(self.spin)
    }
}

/// Plays a round to its end and checks its contract on the way.
pub fn course(
    rules: &RuleSet,
    placed: &[Placed],
    mut table: Given,
) -> Result<(Vec<RoundEvent>, Box<dyn Round>), StepError> {
    let mut round = rules.open_round(placed).unwrap();
    assert_eq!(round.lanes(), 1);
    let staked: u64 = placed.iter().flat_map(|one| &one.bets).map(|bet| bet.stake.units()).sum();
    let mut events = Vec::new();
    while let Some(event) = round.step(&table)? {
        let open: u64 = round.pending_stakes().iter().map(|(_, stake)| stake.units()).sum();
        assert_eq!(open, staked, "nothing is settled before the end");
        assert!(round.open_decisions().is_empty() && !round.is_settled());
        round.apply(&event).unwrap();
        table.drawn += usize::from(matches!(event, RoundEvent::Dealt { .. }));
        events.push(event);
    }
    assert!(round.is_settled());
    assert!(round.pending_stakes().iter().all(|(_, stake)| *stake == Chips::ZERO));
    assert_eq!(table.drawn, table.cards.len(), "all cards given are drawn, and no more");
    Ok((events, round))
}

/// The lines of the only settlement, which is the last event.
pub fn lines(events: &[RoundEvent]) -> &[Settlement] {
    assert_eq!(events.iter().filter(|event| matches!(event, RoundEvent::Paid { .. })).count(), 1);
    match events.last() {
        Some(RoundEvent::Paid { lines }) => lines,
        other => panic!("{other:?}"),
    }
}

/// `ann player win 200` for each line, joined by `, `.
pub fn paid(rules: &RuleSet, text: &str, table: Given) -> String {
    let (events, _) = course(rules, &placed(text), table).unwrap();
    let line = |l: &Settlement| {
        format!("{} {} {} {}", l.player, l.place, format!("{:?}", l.outcome).to_lowercase(), l.returned)
    };
    lines(&events).iter().map(line).collect::<Vec<_>>().join(", ")
}

/// The same for one player's bets: the return of each, joined by a blank.
pub fn returns(rules: &RuleSet, list: &str, table: Given) -> String {
    let (events, _) = course(rules, &placed(&format!("ann: {list}")), table).unwrap();
    lines(&events).iter().map(|line| line.returned.to_string()).collect::<Vec<_>>().join(" ")
}

pub fn refused(rules: &RuleSet, list: &str, balance: u64) -> Result<(), BetRefusal> {
    rules.check_bets(&bets(list), chips(balance))
}

pub fn code(rules: &RuleSet, list: &str, balance: u64) -> &'static str {
    refused(rules, list, balance).unwrap_err().code()
}

/// Every contradiction is refused; the reason holds these words.
pub fn contradictions(base: &RuleSet, cases: &[(&[(&str, &str)], &str)]) {
    for (options, reason) in cases {
        match base.with_options(options.iter().copied()) {
            Err(RuleSetError::Contradiction(why)) => assert!(why.contains(reason), "{options:?}: {why}"),
            other => panic!("{options:?}: {other:?}"),
        }
    }
}

/// Every change to the event that comes next is refused and changes no state.
pub fn refuses_forgeries(round: &dyn Round, forged: &[RoundEvent]) {
    for event in forged {
        let mut copy = round.boxed_clone();
        assert!(copy.apply(event).is_err(), "{event:?}");
        assert_eq!(copy.view_json().get(), round.view_json().get(), "{event:?}");
        assert_eq!(copy.pending_stakes(), round.pending_stakes());
    }
}
