//! Tournaments: entries, seeds for draws, rebuys, stakes, deals, and what the operator does to them. Their hands are
//! played as those of any cash table.

use crate::clients::{CROWD, label, player, somebody};
use crate::rng::Rng;
use fairshoe_fairness::{ClientSeed, PlayerId, SeedCommitment, TableId, derive_client_seed, seat_seed_commitment};
use fairshoe_games::RuleSet;
use fairshoe_house::tournament::{CancelCause, DealMethod, Pay, Stage};
use fairshoe_house::{Actor, Command, State, Tournament, TournamentCommand as C};
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::{Breaks, DealTerms};

/// A tournament that a run can come to the end of, and everybody's entry.
pub fn some_event(rng: &mut Rng, now: u64) -> Command {
    let name = rng.pick(&["freezeout-6", "freezeout-9", "rebuy", "bounty-progressive", "sit-and-go", "heads-up"]);
    let mut structure = Structure::shipped(name).unwrap();
    structure.seats = rng.pick(&[2, 2, 3, 4]);
    structure.entry.stack = rng.pick(&[100, 400, 2_000]);
    (structure.entry.players_min, structure.entry.players_max) = (2, rng.pick(&[4, 4, 20]));
    structure.entry.entries_per_player = rng.pick(&[1, 2]);
    structure.guarantee = rng.pick(&[0, 10_000]);
    structure.late_levels = rng.pick(&[0, 1, 2]);
    structure.unregister_ms = Some(0);
    structure.levels.iter_mut().for_each(|level| level.ms = rng.pick(&[1_000, 60_000, 600_000]));
    if let Breaks::After(breaks) = &mut structure.breaks {
        breaks.iter_mut().for_each(|one| one.ms = 5_000);
    }
    structure.deal = Some(DealTerms { most_players: 4 });
    (structure.staking, structure.hand_for_hand) = (rng.one_in(2), rng.pick(&[0, 2]));
    structure.final_redraw = rng.one_in(2);
    structure.cancel_after_ms = rng.pick(&[3_000, 600_000]);
    structure.validate().unwrap_or_else(|error| panic!("{name}: {error}"));
    let rules = RuleSet::shipped(&structure.rules.name).unwrap();
    let event = TableId::parse(&format!("e-{:x}", rng.next() >> 40)).unwrap();
    let starts_at = now + rng.pick(&[10_000, 60_000]);
    let (structure, rules) = (Box::new(structure), Box::new(rules));
    Command::Tournament(C::Create { event, structure, rules, starts_at, registration_from: now })
}

/// The entries of all who play, for as many as wish to.
pub fn entries(rng: &mut Rng, state: &State) -> Vec<(Actor, Command)> {
    let mut events: Vec<&Tournament> = state.tournaments().collect();
    events.sort_by_key(|event| event.name().clone());
    let all = events.into_iter().flat_map(|event| CROWD.iter().map(move |who| (event, player(who))));
    all.filter(|_| !rng.one_in(5)).map(|(event, who)| register(event, who, Pay::Cash)).collect()
}

fn seed(event: &Tournament, who: &PlayerId, seat_use: u16) -> ClientSeed {
    let mut secret = [0x42; 32];
    secret[..who.as_str().len()].copy_from_slice(who.as_str().as_bytes());
    derive_client_seed(&secret, &event.context, u64::from(seat_use))
}

/// The hash of a player's next seed.
fn commitment(event: &Tournament, who: &PlayerId) -> SeedCommitment {
    let seat_use = event.entrants.get(who).map_or(0, |entrant| entrant.uses);
    seat_seed_commitment(&event.context, seat_use, who, &seed(event, who, seat_use))
}

fn register(event: &Tournament, who: PlayerId, pay: Pay) -> (Actor, Command) {
    let commitment = commitment(event, &who);
    (Actor::Player(who), Command::Tournament(C::Register { event: event.name().clone(), commitment, pay }))
}

/// Somebody's next wish in this tournament, beside its tables.
pub fn wish(rng: &mut Rng, event: &Tournament, now: u64) -> Option<(Actor, Command)> {
    if matches!(event.stage, Stage::Cancelled | Stage::Ended) {
        return None;
    }
    if let Some(open) = event.draws.open.as_ref().filter(|open| !open.awaited.is_empty())
        && !rng.one_in(6)
    {
        let entry_no = *open.awaited.iter().nth(rng.below(open.awaited.len()))?;
        let entry = event.entries.get(&entry_no)?;
        let (_, seat_use, _) = entry.commitment?;
        let who = entry.player.clone();
        let (by, next) = match rng.below(3) {
            0 => (Actor::Anyone, None),
            _ => (Actor::Player(who.clone()), Some(commitment(event, &who))),
        };
        let (seed, draw_no) = (seed(event, &who, seat_use), event.draws.next);
        let reveal = C::RevealSeatSeed { event: event.name().clone(), draw_no, entry_no, seed, next };
        return Some((by, Command::Tournament(reveal)));
    }
    let (who, name) = (somebody(rng), event.name().clone());
    if rng.one_in(12) {
        return Some((Actor::Operator, Command::Tournament(by_the_operator(rng, event, who, now))));
    }
    let (entry_no, _) = event.in_play(&who)?;
    let command = match rng.below(12) {
        0 => C::Unregister { event: name },
        1 | 2 => C::OfferStake { event: name, basis_points: rng.pick(&[1_000, 5_000, 10_000]) },
        3 | 4 => C::BuyStake { event: name, seller: somebody(rng), basis_points: rng.pick(&[500, 1_000, 5_000]) },
        5 => C::Rebuy { event: name },
        6 if !event.rebuying.is_empty() => C::DeclineRebuy { event: name, entry_no },
        7 => C::AddOn { event: name },
        8 => return Some(register(event, who, rng.pick(&[Pay::Cash, Pay::TDollars]))),
        _ => match &event.deal.proposal {
            Some(proposal) => C::AnswerDeal { event: name, digest: proposal.digest.clone(), accept: !rng.one_in(6) },
            None if event.deal.since.is_some() => {
                let method = rng.pick(&[DealMethod::Chips, DealMethod::Icm]);
                C::ProposeDeal { event: name, method, amounts: None }
            }
            None => C::WantDeal { event: name, want: !rng.one_in(5) },
        },
    };
    Some((Actor::Player(who), Command::Tournament(command)))
}

fn by_the_operator(rng: &mut Rng, event: &Tournament, who: PlayerId, now: u64) -> C {
    let (name, reason) = (event.name().clone(), label("desk 1"));
    match rng.below(6) {
        0 => C::Postpone { event: name, starts_at: event.starts_at + 30_000, reason },
        1 => C::ChangeRegistration { event: name, late_levels: rng.pick(&[0, 2]), unregister_ms: None, reason },
        2 => C::Disqualify { event: name, player: who, reason },
        3 => C::SubstitutePrize { event: name, place: 1, what: label("a car"), value: 1_000_000 },
        4 => C::SetBounty { event: name, player: who, has: true },
        _ => {
            let instant = now.saturating_sub(rng.pick(&[0, 1_000, 30_000]));
            C::Cancel { event: name, cause: CancelCause::Operator, instant, reason: Some(reason) }
        }
    }
}
