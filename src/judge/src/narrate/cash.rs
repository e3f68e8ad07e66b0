//! Events of cash tables in plain English: who is dealt in, stacks, sealed shoes. Judges nothing.

use super::events::lapse_words;
use super::{Telling, utc};
use fairshoe_games::poker::{EntryChoice, HandSeat, HandStart};
use fairshoe_games::{SeatChips, Standing};
use fairshoe_house::{Event, SitOutCause};

/// The players dealt in, with their posts.
fn hand_words(hand: &HandStart, telling: &Telling) -> String {
    let seat = |seat: &HandSeat| {
        let due = seat.due;
        let posts = [(due.ante, "ante"), (due.dead, "dead"), (due.live, "live")];
        let posts: Vec<String> = posts
            .iter()
            .filter(|(amount, _)| amount.units() > 0)
            .map(|(amount, what)| format!("{} {what}", telling.sum(*amount)))
            .collect();
        let posts = if posts.is_empty() { String::new() } else { format!(", posts {}", posts.join(" and ")) };
        format!("seat {} {} with {}{posts}", due.seat, seat.player, telling.sum(seat.stack))
    };
    let seats: Vec<String> = hand.seats.iter().map(seat).collect();
    format!("the button is at seat {}; {}", hand.positions.button, seats.join("; "))
}

/// How a void hand stood.
pub(super) fn standing_words(standing: &Standing, telling: &Telling) -> String {
    let in_pot = |chips: &SeatChips| format!("seat {} had {} in", chips.seat, telling.sum(chips.amount));
    let in_pot: Vec<String> = standing.put_in.iter().map(in_pot).collect();
    let leading: Vec<String> = standing.leading.iter().map(ToString::to_string).collect();
    let ahead = if leading.is_empty() {
        String::new()
    } else {
        format!("; seat {} was ahead by the hands that lay open", leading.join(", "))
    };
    format!("; {}{ahead}", in_pot.join(", "))
}

/// Events of a cash table's seats and of sealed shoes.
pub(super) fn cash_words(event: &Event, telling: &Telling) -> Option<String> {
    Some(match event {
        Event::HandCalled { round_no, shoe_no, closes_at } => {
            format!(
                "hand {round_no} is called, on deck {shoe_no}: those who are ready commit to a seed until {}",
                utc(*closes_at)
            )
        }
        Event::HandSeedCommitted { player, commitment } => format!("{player} is in with seed commitment {commitment}"),
        Event::HandSeedWithdrawn { player } => format!("{player} takes the commitment back"),
        Event::CallLapsed { round_no, cause, .. } => {
            format!("there is no hand {round_no} yet: {}", lapse_words(*cause))
        }
        Event::HandBegun { round_no, contributors, reveal_by, hand, .. } => {
            let who =
                contributors.iter().map(|c| format!("{} ({})", c.player, c.commitment)).collect::<Vec<_>>().join(", ");
            format!(
                "round {round_no} is a hand for {who}; {}; seeds are due until {}",
                hand_words(hand, telling),
                utc(*reveal_by)
            )
        }
        Event::ShoeSealed { shoe_no, openings } => {
            format!("shoe {shoe_no} is retired and sealed; {} cards that lay open are proven", openings.len())
        }
        Event::ShoeDisclosed { table, shoe_no, auditor: Some(auditor) } => {
            format!("the seeds of shoe {shoe_no} of {table} are given to the auditor {auditor}")
        }
        Event::ShoeDisclosed { table, shoe_no, auditor: None } => {
            format!("the seeds of shoe {shoe_no} of {table} are every auditor's, the house having ended the hand")
        }
        Event::ChipsAdded { player, seat, amount, stack } => {
            format!("{} chips to seat {seat} ({player}), {} lie there", telling.sum(*amount), telling.sum(*stack))
        }
        Event::ChipsAsked { player, amount, .. } if amount.units() == 0 => {
            format!("no chips are to be added for {player}")
        }
        Event::ChipsAsked { player, amount, .. } => {
            format!("{} chips are to be added for {player} after the hand", telling.sum(*amount))
        }
        Event::SatIn { player, seat, entry, straddle } => {
            let how = if *entry == EntryChoice::Wait { ", waiting for the big blind where they owe" } else { "" };
            format!("{player} plays at seat {seat}{how}{}", if *straddle { ", and straddles" } else { "" })
        }
        Event::SatOut { player, cause, .. } => {
            let why = match cause {
                SitOutCause::Asked => "by their own wish",
                SitOutCause::NoCommitment => "since they sent no commitment",
                SitOutCause::TimedOut => "since their time ran out",
                SitOutCause::RevealMissing => "since they withheld a seed",
                SitOutCause::NoChips => "without chips",
            };
            format!("{player} sits out {why}")
        }
        Event::LeaveAsked { player, .. } => format!("{player} leaves when the hand is over"),
        Event::LeftEarly { player, level, refusals, until } => {
            format!(
                "{player} left early, time {refusals} in 12 hours at blinds {level}: no seat there before {}",
                utc(*until)
            )
        }
        Event::NextCommitted { player, commitment } => {
            format!("{player} commits to a seed for the next hand: {commitment}")
        }
        Event::BankUsed { player, used_ms, left_ms, .. } => {
            format!("{player} used {used_ms} ms of the time bank, {left_ms} ms are left")
        }
        _ => return None,
    })
}
