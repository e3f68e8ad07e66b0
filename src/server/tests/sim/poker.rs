//! The same at a cash table of poker: seats and chips, commitments while a hand is called, seeds, choices.

use crate::clients::{Seen, chips, somebody};
use crate::rng::Rng;
use fairshoe_fairness::PlayerId;
use fairshoe_games::poker::EntryChoice;
use fairshoe_games::{Action, ActionKind, Chips};
use fairshoe_house::{Actor, Command};

pub fn wish(rng: &mut Rng, seen: &Seen<'_>) -> Option<(Actor, Command)> {
    if rng.one_in(6) {
        return Some(about_the_seat(rng, seen));
    }
    let table = seen.id();
    if let Some(round) = seen.table.live_round() {
        let awaited = seen.awaited();
        if !awaited.is_empty() {
            let (player, round_no) = (awaited[rng.below(awaited.len())].clone(), round.round_no);
            let next = if rng.one_in(2) { Some(seen.commitment(&player, round_no + 1)?) } else { None };
            let seed = seen.seed(&player, round_no)?;
            let reveal = Command::Reveal { table, round_no, player: player.clone(), seed, saw: None, next };
            return Some((Actor::Player(player), reveal));
        }
        let open = round.game.open_decisions().into_iter().next()?;
        let offers = round.game.options(open.number, Chips::ZERO);
        let offer = if rng.one_in(3) {
            offers[rng.below(offers.len())]
        } else {
            *offers.get(offers.len().min(2).checked_sub(1)?)?
        };
        let action = match (offer.action, offer.to) {
            (ActionKind::Fold, _) => Action::Fold,
            (ActionKind::Check, _) => Action::Check,
            (ActionKind::Call, _) => Action::Call,
            (ActionKind::Show, _) => Action::Show,
            (ActionKind::Muck, _) => Action::Muck,
            (ActionKind::Bet, Some((least, most))) => Action::Bet { to: rng.pick(&[least, least, most]) },
            (ActionKind::Raise, Some((least, most))) => Action::Raise { to: rng.pick(&[least, least, most]) },
            _ => return None,
        };
        return Some((
            Actor::Player(open.player),
            Command::Act { table, round_no: round.round_no, decision: open.number, action },
        ));
    }
    let Some(call) = seen.table.call() else { return Some(about_the_seat(rng, seen)) };
    let round_no = call.round_no;
    if let Some(who) = call.seeds.keys().next().filter(|_| rng.one_in(12)) {
        return Some((Actor::Player(who.clone()), Command::WithdrawHandSeed { table, round_no }));
    }
    let slow: Vec<&PlayerId> = call.awaited.iter().filter(|who| !call.seeds.contains_key(*who)).collect();
    let Some(who) = slow.get(rng.below(slow.len().max(1))) else {
        return Some((Actor::Operator, Command::CloseCall { table, round_no }));
    };
    let commitment = seen.commitment(who, round_no)?;
    Some((Actor::Player((*who).clone()), Command::CommitHandSeed { table, round_no, commitment }))
}

fn about_the_seat(rng: &mut Rng, seen: &Seen<'_>) -> (Actor, Command) {
    let (who, table) = (somebody(rng), seen.id());
    let entry = Some(rng.pick(&[EntryChoice::Post, EntryChoice::Wait]));
    let sits = seen.table.seat_of(&who).is_some();
    let command = match rng.below(10) {
        0 if sits => Command::LeaveSeat { table },
        1 if sits => Command::SitOut { table },
        2 | 3 if sits => Command::SitIn { table, entry, straddle: Some(rng.one_in(2)) },
        4 if sits => Command::AddChips { table, amount: chips(rng.below(20_000) as u64) },
        _ => {
            let seat = 1 + rng.below(usize::from(seen.table.rules.table.seats).min(4)) as u8;
            let buy_in = seen.table.rules.table.stake_min.units() + 100 * rng.below(120) as u64;
            Command::SitDown { table, seat, buy_in: chips(buy_in), client: None, entry }
        }
    };
    (Actor::Player(who), command)
}
