//! Events of the house in plain English, each by itself. `play.rs` has the events within a round, `cash.rs` those of
//! cash tables.

use super::cash::{cash_words, standing_words};
use super::play::play;
use super::tournaments::{happened, seats_words};
use super::{Telling, limited, utc};
use fairshoe_games::Ahead;
use fairshoe_house::{Event, LapseCause, Line, NotedTable, Offence, RetireCause, RoundResult, VoidCause, WalletAnswer};

/// Why a round is void, in plain English.
pub fn void_words(cause: VoidCause) -> &'static str {
    match cause {
        VoidCause::Abandoned => "the player stayed away",
        VoidCause::RevealMissing => "a seed was not revealed",
        VoidCause::Crash => "the service crashed",
        VoidCause::Malfunction => "the operator declared a malfunction",
        VoidCause::ShoeExhausted => "the shoe is exhausted",
    }
}

/// An event in plain English, without what went before.
pub(crate) fn phrase(event: &Event, telling: &Telling) -> String {
    match event {
        Event::DealerStarted { epoch, down_ms, .. } => {
            format!("the dealer starts under epoch {epoch}, {down_ms} ms after the entry before")
        }
        Event::LogContinues { origin, size, root, .. } => {
            format!("this log goes on from the log {origin} at its entry {size}, root {root}")
        }
        Event::LogKnown { log, policy: None } => format!("the log {log} is not known any more"),
        Event::LogKnown { log, policy: Some(_) } => format!("the log {log} is known by its policy"),
        Event::TransferredOut { to, no, player, amount } => {
            format!("{} of {player} are on the way to {to}, as transfer {no}", telling.sum(*amount))
        }
        Event::WalletAsked { no, call, player, amount } => {
            format!("the wallet is asked to {} {} of {player}, as operation {no}", call.name(), telling.sum(*amount))
        }
        Event::WalletAnswered { no, call, answer, reason } => {
            let said = if *answer == WalletAnswer::Accepted { "done" } else { "refused" };
            let why = reason.as_ref().map(|reason| format!(", for {}", reason.as_str())).unwrap_or_default();
            format!("the wallet says of operation {no}: {} is {said}{why}", call.name())
        }
        Event::TransferredIn { from, no, index, player, amount } => {
            format!("{} of {player} are here, transfer {no} of {from}, its entry {index}", telling.sum(*amount))
        }
        Event::PlayerCreated { player } => format!("the player {player} exists"),
        Event::GuestAdmitted { player } => format!("{player} comes with play chips"),
        Event::GuestDismissed { player } => format!("{player} is gone"),
        Event::KeySet { player, key, from, .. } => {
            let from = from.map_or_else(String::new, |from| format!(" from {} on", utc(from)));
            match key {
                Some(key) => format!("the key of {player} is {key}{from}"),
                None => format!("{player} has no key{from}"),
            }
        }
        Event::LimitSet { player, of, per, most, from } => {
            let from = from.map_or_else(|| "from now on".into(), |from| format!("from {} on", utc(from)));
            match most {
                Some(most) => format!("{player} has at most {} in a {per}, {from}", limited(*of, *most, telling)),
                None => format!("{of} of {player} in a {per} have no limit, {from}"),
            }
        }
        Event::Excluded { player, until } => format!("{player} is shut out until {}", utc(*until)),
        Event::TokenIssued { holder, .. } => format!("a token for {holder} works"),
        Event::TableOpened { digest, event: Some(event), .. } => {
            format!(
                "the rules of {event}, with digest {digest} at the first level, are in force, for who is seated there"
            )
        }
        Event::TableOpened { rules, digest, owner, .. } => {
            let owner = owner.as_ref().map_or_else(|| "everyone".to_owned(), ToString::to_string);
            let odd =
                if rules.is_as_shipped(digest) { String::new() } else { format!(" (NOT the shipped {})", rules.name) };
            format!("the rules {}{odd} with digest {digest} are in force, for {owner}", rules.name)
        }
        Event::TableClosed {} => "the table is closed".into(),
        Event::ShoeCommitted { shoe_no, composition, candidates } => {
            let each = candidates
                .iter()
                .map(|c| format!("seed commitment {}, root {}", c.commitment, c.root))
                .collect::<Vec<_>>()
                .join("; ");
            format!("shoe {shoe_no} of {composition} is fixed: {each}")
        }
        Event::TableNoted(noted) => noted_words(noted, telling),
        Event::LogEnded { origin, key } => {
            format!("this log ends here; it goes on as the log {origin}, under the key {key}")
        }
        Event::DealerStopped {} => "the dealer stops in good order".into(),
        Event::StateNoted { size, root } => format!("the state after {size} entries is {root}"),
        Event::StartRefused { at, reason } => format!("a start was refused at {}: {}", utc(*at), reason.as_str()),
        Event::SeatTaken { player, seat } => format!("{player} sits at {seat}"),
        Event::SeatWanted { player } => format!("{player} waits for a seat"),
        Event::SeatLeft { player, seat } => format!("{player} no longer sits at {seat}"),
        Event::PlayAsked { player } => format!("{player} will play the next round"),
        Event::Cooldown { player, offence, offences, until } => {
            let what = match offence {
                Offence::RevealMissing => "withholding a seed",
                Offence::WentAway => "going away from a hand that had begun",
                Offence::NoBet => "asking for a shoe and not betting",
            };
            format!("{player} waits until {} for {what}, number {offences} in 12 hours", utc(*until))
        }
        Event::BetsOpened { round_no, shoe_no, closes_at } => {
            let until = closes_at.map_or_else(String::new, |closes_at| format!(", until {}", utc(closes_at)));
            format!("round {round_no} takes bets, on shoe {shoe_no}{until}")
        }
        Event::BetCancelled { player } => format!("{player} takes the bets back"),
        Event::BetsLapsed { round_no, cause, .. } => {
            let cause = lapse_words(*cause);
            format!("there is no round {round_no} yet: {cause}; every bet comes back")
        }
        Event::LastHand { shoe_no } => format!("the cut card of shoe {shoe_no} appears: last hand before the shuffle"),
        Event::PileOpened { round_no, players, commit_by, .. } => {
            let who = players.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            format!("shuffle {round_no} of a new pile: {who} commit to fresh seeds until {}", utc(*commit_by))
        }
        Event::SeedCommitted { player, commitment } => format!("{player} commits to {commitment}"),
        Event::PileClosed { round_no, reveal_by, .. } => {
            format!("the commitments of shuffle {round_no} bind; seeds are due until {}", utc(*reveal_by))
        }
        Event::PileShuffled { round_no, entropy, .. } => format!("shuffle {round_no} is fixed by entropy {entropy}"),
        Event::PileFailed { round_no, missing } => {
            let who = missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            format!("shuffle {round_no} did not come about: {who} missing")
        }
        Event::BetPlaced { bet } => {
            format!("{} bets {} with seed commitment {}", bet.player, staked(&bet.bets, telling), bet.commitment)
        }
        Event::BetsClosed { round_no, contributors, lanes, reveal_by, .. } => {
            let who = contributors
                .iter()
                .map(|c| format!("{} ({}, {})", c.player, staked(&c.bets, telling), c.commitment))
                .collect::<Vec<_>>()
                .join(", ");
            format!("bets of round {round_no} bind: {who}; {lanes} lane(s); seeds are due until {}", utc(*reveal_by))
        }
        Event::SeedRevealed { player, seed } => format!("the seed of {player} is {seed}"),
        Event::SeedLate { player, seed, .. } => format!("the seed of {player}, which was missing, is {seed}"),
        Event::RoundOpened { entropy, pick, settle_by, .. } => {
            let until = settle_by.map_or_else(String::new, |by| format!("; to be settled until {}", utc(by)));
            format!("the shuffle is fixed by entropy {entropy}, candidate {pick} is dealt{until}")
        }
        Event::Play(event) => play(event, telling),
        Event::Posted { lines } => lines.iter().map(|line| line_words(line, telling)).collect::<Vec<_>>().join(", "),
        Event::RoundSettled { round_no, staked, returned, players } => {
            let net = returned.signed().saturating_sub(staked.signed());
            let each = results_words(players, telling);
            let (staked, returned) = (telling.sum(*staked), telling.sum(*returned));
            let net = telling.signed(net);
            format!("round {round_no} is settled: {staked} staked, {returned} returned, {net} for the players{each}")
        }
        Event::ShuffleAsked {} => "this hand is the shoe's last: the operator asks for a shuffle".into(),
        Event::RoundVoided { round_no, cause, missing, ahead, players, refunds, retained_winnings, standing } => {
            let back = match cause {
                VoidCause::Abandoned => "every wager still pending comes back",
                _ => "every wager comes back",
            };
            let retained: String = retained_winnings
                .iter()
                .map(|winnings| {
                    let amount = telling.sum(winnings.amount);
                    format!("; {amount} of {} was paid early and is spent: it stays", winnings.player)
                })
                .collect();
            let standing = standing.as_ref().map(|standing| standing_words(standing, telling)).unwrap_or_default();
            let each = results_words(players, telling);
            let count = refunds.map_or_else(String::new, |refunds| format!(", refund {refunds} in 30 days"));
            let cause = void_words(*cause);
            let missing = if missing.is_empty() {
                String::new()
            } else {
                format!(" by {}", missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            };
            let ahead = match ahead {
                Ahead::Nobody => "no card had decided anything",
                Ahead::Level => "it stood level",
                Ahead::Players => "the players were ahead",
                Ahead::House => "the house was ahead",
            };
            format!(
                "round {round_no} is void because {cause}{missing}; {ahead}; {back}{count}{retained}{standing}{each}"
            )
        }
        Event::RoundResumed { round_no, reveal_by, settle_by, turn_by } => {
            let until = reveal_by.or(*settle_by).or(*turn_by).map(utc).unwrap_or_default();
            format!("round {round_no} goes on, until {until}")
        }
        Event::ShoeRevealed { shoe_no, seeds, cause } => {
            let why = match cause {
                None => "",
                Some(RetireCause::Threshold) => " by the reshuffle rule",
                Some(RetireCause::Newcomer) => " for a newcomer",
                Some(RetireCause::Restart) => " after a restart",
                Some(RetireCause::Exhausted) => ", being exhausted",
                Some(RetireCause::HouseShuffle) => " at the operator's discretion",
                Some(RetireCause::Closed) => " with the table",
                Some(RetireCause::Full) => ", its history being as long as it may be",
                Some(RetireCause::Idle) => ", no round being played from it any more",
                Some(RetireCause::PileUsed) => ", an earlier pile of the game",
                Some(RetireCause::PileUnused) => ", a pile that was not used",
            };
            let seeds = seeds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            format!("shoe {shoe_no} is retired{why}, its seed is {seeds}")
        }
        Event::Tournament(event) => happened(event),
        Event::SetSeats { level, seats, .. } => seats_words(*level, seats),
        Event::PostsTaken { seats, .. } => {
            let won = seats.iter().find(|seat| seat.got > seat.put_in).map(|seat| seat.player.to_string());
            format!("nobody committed a seed: {} takes what is posted", won.unwrap_or_else(|| "the big blind".into()))
        }
        other => cash_words(other, telling).unwrap_or_default(),
    }
}

/// Why a betting window, or the call for a hand, came to nothing.
pub(super) fn lapse_words(cause: LapseCause) -> &'static str {
    match cause {
        LapseCause::NoBets => "nobody bet",
        LapseCause::TooFewPlayers => "too few players are in",
        LapseCause::Restart => "the dealer was restarted",
        LapseCause::Malfunction => "the operator declared a malfunction",
        LapseCause::Closed => "the operator closes the table",
        LapseCause::NoSeeds => "nobody committed a seed",
    }
}

/// The stake on each spot.
pub(super) fn staked(bets: &[fairshoe_games::Bet], telling: &Telling) -> String {
    bets.iter().map(|bet| format!("{} on {}", telling.sum(bet.stake), bet.spot)).collect::<Vec<_>>().join(", ")
}

fn line_words(line: &Line, telling: &Telling) -> String {
    format!("{} {} to {}", line.0, telling.signed(line.1), telling.units(line.2))
}

/// Each player's result of a round that is over.
fn results_words(players: &[RoundResult], telling: &Telling) -> String {
    let one = |one: &RoundResult| {
        let (staked, returned) = (telling.sum(one.staked), telling.sum(one.returned));
        format!("; {} staked {staked} and got {returned} back", one.player)
    };
    players.iter().map(one).collect()
}

/// The seats of a table at which a shoe is committed.
fn noted_words(noted: &NotedTable, telling: &Telling) -> String {
    let betting =
        noted.betting.iter().flat_map(|betting| &betting.seats).map(|one| format!("{} at {}", one.player, one.seat));
    let cash = noted
        .cash
        .iter()
        .flat_map(|cash| &cash.seats)
        .map(|one| format!("{} at {} with {}", one.player, one.seat, telling.sum(one.stack)));
    let seated: Vec<String> = betting.chain(cash).collect();
    match seated.is_empty() {
        true => format!("round {} comes next", noted.next_round),
        false => format!("round {} comes next; seated: {}", noted.next_round, seated.join(", ")),
    }
}
