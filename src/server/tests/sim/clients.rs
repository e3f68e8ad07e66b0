//! What players and the operator wish for next, as the table stands: moves by chance, mostly legal when they were made.

use crate::play::liked_action;
use crate::poker;
use crate::rng::Rng;
use fairshoe_fairness::{
    ClientSeed, PlayerId, SeedCommitment, TableContext, TableId, derive_client_seed, seed_commitment,
};
use fairshoe_games::{ActionKind, Bet, Chips, GameRules};
use fairshoe_house::{Actor, Command, Holder, OpenRound, PileStage, Reference, State, Table, Window};

/// Everybody who plays.
pub const CROWD: [&str; 4] = ["alice", "bob", "carol", "dave"];

pub fn player(name: &str) -> PlayerId {
    PlayerId::parse(name).unwrap()
}

pub fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

pub fn label(text: &str) -> Reference {
    Reference::parse(text).unwrap()
}

/// A table as its clients look at it.
pub struct Seen<'s> {
    pub state: &'s State,
    pub table: &'s Table,
}

impl Seen<'_> {
    pub fn id(&self) -> TableId {
        self.table.id.clone()
    }

    /// What commitments are bound to, while a shoe is committed.
    fn context(&self) -> Option<&TableContext> {
        self.table.shoe.as_ref().map(|shoe| &shoe.id.context)
    }

    /// The number that a seed is for now: of a pile's shuffle, a live round, an open window, or the next round.
    pub fn number(&self) -> u64 {
        match self.table.live_round() {
            Some(OpenRound { pile: Some(pile), .. }) => pile.round_no,
            Some(round) => round.round_no,
            None => self.table.next_round,
        }
    }

    pub fn seed(&self, who: &PlayerId, number: u64) -> Option<ClientSeed> {
        Some(seed_in(self.context()?, who, number))
    }

    pub fn commitment(&self, who: &PlayerId, number: u64) -> Option<SeedCommitment> {
        Some(seed_commitment(self.context()?, number, who, &self.seed(who, number)?))
    }

    /// Those whose seeds or commitments are awaited.
    pub fn awaited(&self) -> Vec<PlayerId> {
        let Some(round) = self.table.live_round() else { return Vec::new() };
        match &round.pile {
            Some(pile) => pile.missing().into_iter().collect(),
            None => round.contributors.iter().filter(|c| c.seed.is_none()).map(|c| c.placed.player.clone()).collect(),
        }
    }
}

fn seed_in(context: &TableContext, who: &PlayerId, number: u64) -> ClientSeed {
    let mut secret = [0x21; 32];
    secret[..who.as_str().len()].copy_from_slice(who.as_str().as_bytes());
    derive_client_seed(&secret, context, number)
}

pub fn somebody(rng: &mut Rng) -> PlayerId {
    player(rng.pick(&CROWD))
}

/// Somebody's next wish at this table.
pub fn wish(rng: &mut Rng, seen: &Seen<'_>) -> Option<(Actor, Command)> {
    if seen.table.cash().is_some() {
        return poker::wish(rng, seen);
    }
    match (seen.table.live_round(), seen.table.window()) {
        (Some(_), _) => go_on(rng, seen),
        (None, Some(window)) => at_window(rng, seen, window),
        (None, None) if seen.table.is_shared() => Some(arrive(rng, seen)),
        (None, None) => {
            let who = seen.table.owner.clone().unwrap_or_else(|| somebody(rng));
            bet(rng, seen, who)
        }
    }
}

fn arrive(rng: &mut Rng, seen: &Seen<'_>) -> (Actor, Command) {
    let (who, table) = (somebody(rng), seen.id());
    let by = Actor::Player(who.clone());
    match seen.table.seat_of(&who) {
        Some(_) => (by, Command::AskToPlay { table }),
        None if rng.one_in(9) => (by, Command::WantSeat { table }),
        None => {
            let seat = 1 + rng.below(usize::from(seen.table.rules.table.seats)) as u8;
            (by, Command::TakeSeat { table, seat })
        }
    }
}

fn at_window(rng: &mut Rng, seen: &Seen<'_>, window: &Window) -> Option<(Actor, Command)> {
    let (who, table, round_no) = (somebody(rng), seen.id(), window.round_no);
    Some(match rng.below(14) {
        0 | 1 => arrive(rng, seen),
        2 => (Actor::Player(who), Command::LeaveSeat { table }),
        3 => (Actor::Player(who), Command::CancelBet { table, round_no }),
        4 | 5 if !window.bets.is_empty() => (Actor::Operator, Command::CloseBets { table, round_no }),
        _ => {
            let seated: Vec<PlayerId> = seen.table.seats.values().map(|seat| seat.player.clone()).collect();
            let who = if seated.is_empty() { who } else { seated[rng.below(seated.len())].clone() };
            return bet(rng, seen, who);
        }
    })
}

fn bet(rng: &mut Rng, seen: &Seen<'_>, who: PlayerId) -> Option<(Actor, Command)> {
    let rules = &seen.table.rules;
    let seat = seen.table.seat_of(&who).unwrap_or(1).to_string();
    let spots: Vec<String> = match &rules.game {
        GameRules::Blackjack(_) if rules.table.bets_per_player > 1 => vec![seat, (1 + rng.below(5)).to_string()],
        GameRules::Blackjack(_) | GameRules::Safe(_) => vec![seat],
        GameRules::Poker(_) => return None,
        // Some of a layout, from all over it.
        _ => {
            let spots = rules.spots();
            let apart = spots.len().div_ceil(6);
            spots.into_iter().step_by(apart).collect()
        }
    };
    let stake = if matches!(rules.game, GameRules::Safe(_)) { 100 } else { 100 + 2 * rng.below(60) as u64 };
    let most = 1 + rng.below(spots.len());
    let mut spots: Vec<String> = spots.into_iter().take(most).collect();
    spots.dedup();
    let bets = spots.into_iter().map(|spot| Bet { spot, stake: chips(stake), chips: None }).collect();
    let round_no = seen.number();
    let commitment = seen.commitment(&who, round_no)?;
    Some((Actor::Player(who), Command::Bet { table: seen.id(), round_no, bets, commitment }))
}

fn go_on(rng: &mut Rng, seen: &Seen<'_>) -> Option<(Actor, Command)> {
    let (round, table) = (seen.table.live_round()?, seen.id());
    let awaited = seen.awaited();
    if !awaited.is_empty() {
        let (player, round_no) = (awaited[rng.below(awaited.len())].clone(), seen.number());
        if let Some(PileStage::Commitments(_)) = round.pile.as_ref().map(|pile| pile.stage) {
            let commitment = seen.commitment(&player, round_no)?;
            return Some((Actor::Player(player), Command::CommitSeed { table, round_no, commitment }));
        }
        let by = if rng.one_in(3) { Actor::Anyone } else { Actor::Player(player.clone()) };
        let seed = seen.seed(&player, round_no)?;
        return Some((by, Command::Reveal { table, round_no, player, seed, saw: None, next: None }));
    }
    let open = round.game.open_decisions();
    let open = open.get(rng.below(open.len().max(1)))?;
    let funds = seen.state.funds(&open.player);
    // Careful players keep a game of Safe going over several piles.
    let careful = matches!(seen.table.rules.game, GameRules::Safe(_)) && !rng.one_in(9);
    let liked: &[ActionKind] =
        if careful { &[ActionKind::Accept, ActionKind::Stand, ActionKind::FaceDown, ActionKind::Pass] } else { &[] };
    if round.game.options(open.number, funds).is_empty() {
        return None;
    }
    let action = liked_action(rng, round.game.as_ref(), open, funds, liked);
    let act = Command::Act { table, round_no: round.round_no, decision: open.number, action };
    Some((Actor::Player(open.player.clone()), act))
}

/// Something that the operator does, or a player beside play.
pub fn office(rng: &mut Rng, state: &State, seen: &Seen<'_>) -> Option<(Actor, Command)> {
    let (who, table) = (somebody(rng), seen.id());
    let command = match rng.below(10) {
        0..=2 => Command::Credit {
            player: who,
            amount: chips(1 + rng.below(5_000) as u64),
            reference: Some(label("desk 1")),
        },
        3 => Command::Withdraw { player: who, amount: chips(1 + rng.below(2_000) as u64), reference: None },
        4 => Command::Correct { player: who, amount: chips(1 + rng.below(200) as u64), reason: label("case 17") },
        5 => {
            let round_no = seen.table.live_round().map_or(seen.table.next_round, |round| round.round_no);
            Command::VoidRound { table, round_no, reason: label("table camera failed") }
        }
        6 => Command::RetireShoe { table, reason: Some(label("worn cards")) },
        7 => Command::IssueToken { holder: Holder::Player(who), revoke: rng.one_in(3) },
        8 if rng.one_in(3) => Command::CloseTable { table },
        8 => {
            Command::Unseat { table, player: seen.table.seats.values().next()?.player.clone(), reason: label("asleep") }
        }
        _ => return late_seed(rng, state),
    };
    Some((Actor::Operator, command))
}

/// A seed comes after the void that its absence brought about.
fn late_seed(rng: &mut Rng, state: &State) -> Option<(Actor, Command)> {
    let mut tables: Vec<&Table> = state.tables().collect();
    tables.sort_by_key(|table| table.id.clone());
    let all = tables.into_iter().flat_map(|table| table.voided.iter().map(move |voided| (table, voided)));
    let missing: Vec<_> = all
        .flat_map(|(table, voided)| voided.missing.iter().filter(|one| !one.out).map(move |one| (table, voided, one)))
        .collect();
    let (table, voided, one) = missing.get(rng.below(missing.len().max(1)))?;
    let context = TableContext { origin: state.origin()?.clone(), table: table.id.clone(), epoch: voided.epoch };
    let (player, round_no) = (one.player.clone(), voided.round_no);
    let by = if rng.one_in(2) { Actor::Anyone } else { Actor::Player(player.clone()) };
    let seed = seed_in(&context, &player, round_no);
    Some((by, Command::LateSeed { table: table.id.clone(), round_no, player, seed }))
}
