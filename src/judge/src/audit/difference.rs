//! The first difference between an entry and the one that the rules demand, under its check, in plain words
//! (spec/audit.md, "Findings"). Compares; decides nothing.

use super::Check;
use crate::narrate::{Telling, phrase};
use fairshoe_fairness::Card;
use fairshoe_games::RoundEvent;
use fairshoe_house::{Entry, Event, Line};
use std::cmp::Ordering;

/// The first difference between the entry logged and the one that the rules demand, in plain words.
pub(super) fn difference(expected: &Entry, found: &Entry) -> Option<(Check, String)> {
    if expected == found {
        return None;
    }
    let mut telling = Telling::of(&expected.events);
    telling.at_seats |= Telling::of(&found.events).at_seats;
    if expected.before != found.before {
        let list = |entry: &Entry| {
            entry.before.iter().map(|(player, balance)| format!("{player} {balance}")).collect::<Vec<_>>().join(", ")
        };
        let message =
            format!("the balances before the entry are [{}], the entry states [{}]", list(expected), list(found));
        return Some((Check::BalanceBefore, message));
    }
    let differing =
        expected.events.iter().zip(&found.events).enumerate().find(|(_, (expected, found))| expected != found);
    if let Some((position, (expected, found))) = differing {
        let (check, detail) = compare(expected, found, &telling);
        return Some((check, format!("event {}: {detail}", position + 1)));
    }
    let common = expected.events.len().min(found.events.len());
    if let Some(missing) = expected.events.get(common) {
        let message = format!(
            "event {}: the rules demand here: {}; the entry ends without it",
            common + 1,
            phrase(missing, &telling)
        );
        return Some((Check::EventMissing, message));
    }
    if let Some(extra) = found.events.get(common) {
        let check = if shows_a_face(extra) { Check::FaceLeaked } else { Check::EventExtra };
        return Some((
            check,
            format!(
                "event {}: nothing more may happen here; the entry goes on: {}",
                common + 1,
                phrase(extra, &telling)
            ),
        ));
    }
    if expected.at != found.at {
        return Some((Check::TableSeq, "the entry's place in its table's sequence is another".into()));
    }
    Some((Check::EntryForm, "the entry's version, time or actor differs from what the rules give".into()))
}

fn shows_a_face(event: &Event) -> bool {
    matches!(
        event,
        Event::Play(RoundEvent::Dealt { card: Some(_), .. } | RoundEvent::Turned { .. } | RoundEvent::Spun { .. })
    )
}

fn compare(expected: &Event, found: &Event, telling: &Telling) -> (Check, String) {
    let plain =
        |check| (check, format!("expected: {}; the log has: {}", phrase(expected, telling), phrase(found, telling)));
    match (expected, found) {
        (Event::Play(play), Event::Play(logged)) => {
            compare_play(play, logged, telling).unwrap_or_else(|| plain(Check::EventOrder))
        }
        (Event::DealerStarted { .. }, Event::DealerStarted { .. })
        | (Event::StartRefused { .. }, Event::StartRefused { .. })
        | (Event::LogContinues { .. }, Event::LogContinues { .. })
        | (Event::LogEnded { .. }, Event::LogEnded { .. }) => plain(Check::Start),
        (Event::StateNoted { .. }, Event::StateNoted { .. }) => plain(Check::StateNoted),
        (Event::TransferredOut { .. }, Event::TransferredOut { .. })
        | (Event::TransferredIn { .. }, Event::TransferredIn { .. })
        | (Event::WalletAsked { .. }, Event::WalletAsked { .. })
        | (Event::WalletAnswered { .. }, Event::WalletAnswered { .. }) => plain(Check::Posting),
        (Event::TableOpened { digest, rules, .. }, Event::TableOpened { digest: stated, rules: shown, .. }) => {
            let what = match rules == shown {
                true => format!("the rule set's digest is {digest}, the log states {stated}"),
                false => "the rules shown are not the ones asked for".to_owned(),
            };
            (Check::RuleSet, what)
        }
        (Event::ShoeCommitted { .. }, Event::ShoeCommitted { .. }) => plain(Check::ShoeCommitted),
        (Event::TableNoted(_), Event::TableNoted(_)) => plain(Check::TableNoted),
        (Event::BetsOpened { round_no, shoe_no, .. }, Event::BetsOpened { round_no: round, shoe_no: shoe, .. }) => {
            plain(if (round_no, shoe_no) == (round, shoe) { Check::Deadline } else { Check::Bets })
        }
        (Event::BetPlaced { .. }, Event::BetPlaced { .. })
        | (Event::BetCancelled { .. }, Event::BetCancelled { .. })
        | (Event::HandSeedCommitted { .. }, Event::HandSeedCommitted { .. })
        | (Event::HandSeedWithdrawn { .. }, Event::HandSeedWithdrawn { .. })
        | (Event::NextCommitted { .. }, Event::NextCommitted { .. }) => plain(Check::Bets),
        (
            Event::BetsClosed { round_no, shoe_no, contributors, lanes, announced, .. },
            Event::BetsClosed {
                round_no: round,
                shoe_no: shoe,
                contributors: stated,
                lanes: drawn,
                announced: cut,
                ..
            },
        ) => {
            let same = (round_no, shoe_no, contributors, lanes, announced) == (round, shoe, stated, drawn, cut);
            plain(if same { Check::Deadline } else { Check::Bets })
        }
        (Event::HandCalled { round_no, shoe_no, .. }, Event::HandCalled { round_no: round, shoe_no: shoe, .. }) => {
            plain(if (round_no, shoe_no) == (round, shoe) { Check::Deadline } else { Check::Bets })
        }
        (
            Event::HandBegun { round_no, shoe_no, contributors, hand, announced, .. },
            Event::HandBegun {
                round_no: round, shoe_no: shoe, contributors: stated, hand: dealt, announced: cut, ..
            },
        ) => {
            let same = (round_no, shoe_no, contributors, hand, announced) == (round, shoe, stated, dealt, cut);
            plain(if same { Check::Deadline } else { Check::Bets })
        }
        (Event::SeedRevealed { .. }, Event::SeedRevealed { .. }) | (Event::SeedLate { .. }, Event::SeedLate { .. }) => {
            plain(Check::SeedRevealed)
        }
        (
            Event::RoundOpened { entropy, pick, others, .. },
            Event::RoundOpened { entropy: stated, pick: picked, others: shown, .. },
        ) => {
            plain(if (entropy, pick, others) == (stated, picked, shown) { Check::Deadline } else { Check::RoundOpened })
        }
        (Event::Posted { lines }, Event::Posted { lines: stated }) => (Check::Posting, compare_lines(lines, stated)),
        (Event::RoundSettled { .. }, Event::RoundSettled { .. }) => plain(Check::Settlement),
        (Event::RoundVoided { .. }, Event::RoundVoided { .. })
        | (Event::BetsLapsed { .. }, Event::BetsLapsed { .. })
        | (Event::CallLapsed { .. }, Event::CallLapsed { .. }) => plain(Check::Void),
        (Event::Cooldown { .. }, Event::Cooldown { .. }) => plain(Check::Cooldown),
        (Event::SeatTaken { .. }, Event::SeatTaken { .. })
        | (Event::SeatLeft { .. }, Event::SeatLeft { .. })
        | (Event::SeatWanted { .. }, Event::SeatWanted { .. })
        | (Event::PlayAsked { .. }, Event::PlayAsked { .. })
        | (Event::ChipsAdded { .. }, Event::ChipsAdded { .. })
        | (Event::ChipsAsked { .. }, Event::ChipsAsked { .. })
        | (Event::SatIn { .. }, Event::SatIn { .. })
        | (Event::SatOut { .. }, Event::SatOut { .. })
        | (Event::LeaveAsked { .. }, Event::LeaveAsked { .. }) => plain(Check::Seat),
        (Event::LeftEarly { .. }, Event::LeftEarly { .. }) => plain(Check::Cooldown),
        (Event::BankUsed { .. }, Event::BankUsed { .. }) => plain(Check::Deadline),
        (Event::ShoeSealed { shoe_no, .. }, Event::ShoeSealed { shoe_no: stated, .. }) if shoe_no != stated => {
            plain(Check::ShoeRevealed)
        }
        (Event::ShoeSealed { openings, .. }, Event::ShoeSealed { openings: stated, .. }) => {
            plain(match stated.len().cmp(&openings.len()) {
                Ordering::Less => Check::OpeningMissing,
                Ordering::Greater => Check::OpeningExtra,
                Ordering::Equal => Check::Opening,
            })
        }
        (Event::ShoeSealed { .. }, Event::ShoeRevealed { .. })
        | (Event::ShoeRevealed { .. }, Event::ShoeSealed { .. }) => plain(Check::ShoeRevealed),
        (Event::PileOpened { .. }, Event::PileOpened { .. })
        | (Event::SeedCommitted { .. }, Event::SeedCommitted { .. })
        | (Event::PileClosed { .. }, Event::PileClosed { .. })
        | (Event::PileShuffled { .. }, Event::PileShuffled { .. })
        | (Event::PileFailed { .. }, Event::PileFailed { .. }) => plain(Check::Pile),
        (Event::RoundResumed { .. }, Event::RoundResumed { .. }) => plain(Check::Resume),
        (Event::ShoeRevealed { .. }, Event::ShoeRevealed { .. })
        | (Event::ShoeDisclosed { .. }, Event::ShoeDisclosed { .. })
        | (Event::LastHand { .. }, Event::LastHand { .. }) => plain(Check::ShoeRevealed),
        (Event::LastHand { .. }, _) => plain(Check::EventOrder),
        (_, found) if shows_a_face(found) => plain(Check::FaceLeaked),
        _ => plain(Check::EventOrder),
    }
}

fn compare_play(expected: &RoundEvent, found: &RoundEvent, telling: &Telling) -> Option<(Check, String)> {
    let words = |play: &RoundEvent| phrase(&Event::Play(play.clone()), telling);
    let plain = |check| Some((check, format!("expected: {}; the log has: {}", words(expected), words(found))));
    match (expected, found) {
        (
            RoundEvent::Dealt { slot, to, lane, card },
            RoundEvent::Dealt { slot: dealt, to: place, lane: drawn, card: shown },
        ) => match (card, shown) {
            _ if (to, lane) != (place, drawn) => plain(Check::DealtPlace),
            _ if slot != dealt => {
                let what = format!(
                    "the players' shuffle gives slot {slot} for {to}, the log deals from slot {dealt} (shown: {})",
                    face(*shown)
                );
                Some((Check::DealtSlot, what))
            }
            (None, Some(_)) => Some((
                Check::FaceLeaked,
                format!("the card in slot {slot} lies face-down, the log shows {}", face(*shown)),
            )),
            (Some(_), None) => Some((
                Check::FaceMissing,
                format!("the card in slot {slot} lies face-up at {to}, the log does not show it"),
            )),
            _ => plain(Check::FaceChanged),
        },
        (RoundEvent::Turned { pile, slot, .. }, RoundEvent::Turned { pile: of, slot: turned, .. }) => {
            plain(if (pile, slot) == (of, turned) { Check::FaceChanged } else { Check::DealtSlot })
        }
        (RoundEvent::Spun { .. }, RoundEvent::Spun { .. }) => plain(Check::Spin),
        (
            RoundEvent::Shuffled { .. } | RoundEvent::Absent { .. },
            RoundEvent::Shuffled { .. } | RoundEvent::Absent { .. },
        ) => plain(Check::Pile),
        (RoundEvent::Peeked { .. }, RoundEvent::Peeked { .. }) => plain(Check::Peek),
        (RoundEvent::Offered { .. }, RoundEvent::Offered { .. }) => plain(Check::Offer),
        (RoundEvent::Acted { .. }, RoundEvent::Acted { .. }) => plain(Check::Action),
        (RoundEvent::Paid { lines }, RoundEvent::Paid { lines: stated }) => {
            let detail = match lines.iter().zip(stated).find(|(line, stated)| line != stated) {
                Some((line, stated)) => format!(
                    "{} at {}: {:?} of {} returns {}, the log pays {:?} of {} with {}",
                    line.player,
                    line.place,
                    line.outcome,
                    line.stake,
                    line.returned,
                    stated.outcome,
                    stated.stake,
                    stated.returned
                ),
                None => format!("{} wagers are settled here, the log settles {}", lines.len(), stated.len()),
            };
            Some((Check::Payout, detail))
        }
        (expected, stated) if expected.hand_result().is_some() && stated.hand_result().is_some() => {
            plain(Check::Payout)
        }
        (RoundEvent::Dealt { .. } | RoundEvent::Turned { .. }, _) => None,
        (_, RoundEvent::Turned { .. } | RoundEvent::Dealt { card: Some(_), .. }) => plain(Check::FaceLeaked),
        _ => None,
    }
}

fn face(card: Option<Card>) -> String {
    card.map_or_else(|| "nothing".to_owned(), |card| card.to_string())
}

fn compare_lines(expected: &[Line], found: &[Line]) -> String {
    let show = |line: &Line| format!("{} {:+} to {}", line.0, line.1, line.2);
    match expected.iter().zip(found).find(|(expected, found)| expected != found) {
        Some((expected, found)) => format!("the money moves {}, the log says {}", show(expected), show(found)),
        None => format!("{} accounts move here, the log moves {}", expected.len(), found.len()),
    }
}
