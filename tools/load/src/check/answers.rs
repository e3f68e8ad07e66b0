//! The event that carries out each command. This finds an entry that answers a command with another's events
//! (spec/entries.md, "Commands").

use fairshoe_fairness::PlayerId;
use fairshoe_games::RoundEvent;
use fairshoe_house::{Actor, Command, Entry, Event, Lapsed};

/// Whether the event is the one that carries the entry's command out.
pub(super) fn answers(entry: &Entry, event: &Event) -> bool {
    let by = |player: &PlayerId| entry.by == Actor::Player(player.clone());
    let house = || entry.by == Actor::House;
    match (&entry.command, event) {
        (Command::OpenTable { rules, .. }, Event::TableOpened { rules: opened, .. }) => rules == opened,
        (Command::CloseTable { .. }, Event::TableClosed {}) => true,
        (Command::CommitShoe { .. }, Event::ShoeCommitted { .. }) => house(),
        (Command::RetireShoe { reason, .. }, Event::ShoeRevealed { .. } | Event::ShuffleAsked {}) => {
            reason.is_some() || house()
        }
        (Command::TakeSeat { seat, .. } | Command::SitDown { seat, .. }, Event::SeatTaken { player, seat: taken }) => {
            by(player) && seat == taken
        }
        (Command::AskToPlay { .. }, Event::PlayAsked { player }) => by(player),
        (Command::LeaveSeat { .. }, Event::SeatLeft { player, .. }) => by(player),
        (Command::Unseat { player, .. }, Event::SeatLeft { player: left, .. }) => {
            player == left && entry.by == Actor::Operator
        }
        (Command::WantSeat { .. }, Event::SeatWanted { player }) => by(player),
        // The audit of the whole log checks which seats were idle.
        (Command::TidySeats { .. }, Event::SeatLeft { .. }) => house(),
        (Command::OpenBets { .. }, Event::BetsOpened { .. }) => house(),
        (Command::Bet { bets, commitment, .. }, Event::BetPlaced { bet }) => {
            by(&bet.player) && bet.bets == *bets && bet.commitment == *commitment
        }
        (Command::CancelBet { .. }, Event::BetCancelled { player }) => by(player),
        (
            Command::CloseBets { round_no, .. },
            Event::BetsClosed { round_no: r, .. } | Event::BetsLapsed { round_no: r, .. },
        ) => round_no == r && (house() || entry.by == Actor::Operator),
        (Command::Reveal { player, seed, .. }, Event::SeedRevealed { player: p, seed: s }) => player == p && seed == s,
        (Command::LateSeed { round_no, player, seed, .. }, Event::SeedLate { round_no: r, player: p, seed: s }) => {
            (round_no, player, seed) == (r, p, s)
        }
        (
            Command::Act { decision, action, .. },
            Event::Play(RoundEvent::Acted { decision: d, player, action: a, default, .. }),
        ) => by(player) && decision == d && action == a && !default,
        (Command::CommitSeed { commitment, .. }, Event::SeedCommitted { player, commitment: c })
        | (Command::CommitHandSeed { commitment, .. }, Event::HandSeedCommitted { player, commitment: c }) => {
            by(player) && commitment == c
        }
        (Command::Lapse { lapsed, .. }, event) => {
            house()
                && match (lapsed, event) {
                    (Lapsed::Turn, Event::Play(RoundEvent::Acted { default, .. })) => *default,
                    (Lapsed::Round, Event::Play(RoundEvent::Acted { default, .. })) => *default,
                    (Lapsed::Reveal | Lapsed::Round, Event::RoundVoided { .. }) => true,
                    (Lapsed::Pile, Event::PileFailed { .. }) => true,
                    _ => false,
                }
        }
        (
            Command::VoidRound { round_no, .. },
            Event::RoundVoided { round_no: r, .. }
            | Event::BetsLapsed { round_no: r, .. }
            | Event::CallLapsed { round_no: r, .. },
        ) => round_no == r && entry.by == Actor::Operator,
        (Command::Recover { .. }, _) => house(),
        _ => false,
    }
}
