//! Tournaments in plain English: what is asked of an event, and what happened in it. Judges nothing.

use super::utc;
use fairshoe_house::tournament::{CancelCause, DealMethod, DrawKind, DropCause, Noted, Pay, SetSeat, StandCause};
use fairshoe_house::{TournamentCommand as C, TournamentEvent as E};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::bounty::Won;
use fairshoe_tournament::entry::Closed;

/// The request to an event, without its sender.
pub(super) fn asked(command: &C) -> String {
    let what = match command {
        C::Create { structure, starts_at, .. } => {
            format!("announces a tournament with the structure {}, to start at {}", structure.name, utc(*starts_at))
        }
        C::Register { pay, .. } => format!(
            "registers{}",
            match pay {
                Pay::Cash => "",
                Pay::TDollars => " with T$",
                Pay::Ticket => " with a ticket",
            }
        ),
        C::SetBounty { player, has, .. } => {
            format!("says that {player} has {}", if *has { "a bounty" } else { "no bounty" })
        }
        C::Unregister { .. } => "gives the entry back".into(),
        C::Rebuy { .. } => "rebuys".into(),
        C::DeclineRebuy { entry_no, .. } => format!("ends the time for a rebuy of entry {entry_no}"),
        C::AddOn { .. } => "takes the add-on".into(),
        C::CarryOut { entry_no, .. } => format!("does what was noted of entry {entry_no}"),
        C::OfferStake { basis_points, .. } => format!("offers {} of the entry", percent(*basis_points)),
        C::BuyStake { seller, basis_points, .. } => {
            format!("buys {} of the entry of {seller}", percent(*basis_points))
        }
        C::Start { .. } => "starts the tournament".into(),
        C::CallDraw { .. } => "calls a draw of seats".into(),
        C::RevealSeatSeed { draw_no, entry_no, .. } => {
            format!("reveals the seed of entry {entry_no} for draw {draw_no}")
        }
        C::DrawSeats { draw_no, .. } => format!("draws the seats of draw {draw_no}"),
        C::MovePlayer { .. } => "moves a player, to balance the tables".into(),
        C::NextLevel { .. } => "moves the clock".into(),
        C::SettleHand { table, .. } => {
            format!("deals with those whom the last hand of table {table} left without chips")
        }
        C::NextRound { .. } => "goes on with hand-for-hand".into(),
        C::EndRegistration { .. } => "ends registration, or makes the pool final".into(),
        C::PayPlaces { .. } => "pays places".into(),
        C::PayBounties { .. } => "pays bounties".into(),
        C::StartClock { .. } => "starts the clock".into(),
        C::End { .. } => "ends the tournament".into(),
        C::WantDeal { want, .. } => format!("{} a deal", if *want { "wants" } else { "does not want" }),
        C::ProposeDeal { method, .. } => format!("proposes a deal {}", method_words(*method)),
        C::AnswerDeal { accept, .. } => format!("says {} to the deal", if *accept { "yes" } else { "no" }),
        C::Disqualify { player, reason, .. } => format!("disqualifies {player} ({})", reason.as_str()),
        C::SubstitutePrize { place, what, value, .. } => {
            format!("would have {}, worth {value}, for the prize of place {place}", what.as_str())
        }
        C::ChangeRegistration { reason, .. } => format!("changes the times of registration ({})", reason.as_str()),
        C::Postpone { starts_at, reason, .. } => {
            format!("postpones the start to {} ({})", utc(*starts_at), reason.as_str())
        }
        C::Cancel { cause, instant, reason, .. } => {
            let reason = reason.as_ref().map_or_else(String::new, |reason| format!(" ({})", reason.as_str()));
            format!("cancels the tournament as of {}: {}{reason}", utc(*instant), cancel_words(*cause))
        }
        C::PayRefunds { .. } => "pays refunds".into(),
    };
    format!("{what}, tournament {}", command.event())
}

/// An event's event, in words.
pub(super) fn happened(event: &E) -> String {
    match event {
        E::Created { structure, digest, starts_at, tip, .. } => {
            let name = &structure.name;
            let odd =
                if structure.is_as_shipped(digest) { String::new() } else { format!(" (NOT the shipped {name})") };
            format!(
                "the structure {name}{odd} with digest {digest} is in force, the start is at {}, the house's numbers for draws end in {tip}",
                utc(*starts_at)
            )
        }
        E::Registered { entry_no, player, commitment, bounty, .. } => {
            format!("entry {entry_no} is {player}'s, with {bounty} on its head and the seed commitment {commitment}")
        }
        E::BountySet { player, has } => format!("{player} has {}", if *has { "a bounty" } else { "no bounty" }),
        E::Unregistered { entry_no } => format!("entry {entry_no} is given back"),
        E::Rebought { entry_no, chips } => format!("entry {entry_no} rebuys and has {chips} chips"),
        E::AddedOn { entry_no, chips } => format!("entry {entry_no} takes the add-on and has {chips} chips"),
        E::Noted { entry_no, what, reason } => {
            let reason = reason.as_ref().map_or_else(String::new, |reason| format!(" ({})", reason.as_str()));
            format!(
                "{} of entry {entry_no} is noted{reason}, to be done when it is in no hand and no draw",
                noted_words(*what)
            )
        }
        E::NoteDropped { entry_no, what, why } => {
            format!("{} of entry {entry_no} is not done: {}", noted_words(*what), drop_words(*why))
        }
        E::StakeOffered { player, basis_points } => {
            format!("{} of {player}'s entry is on offer", percent(*basis_points))
        }
        E::StakeSold { seller, buyer, basis_points, price } => {
            format!("{buyer} has {} of {seller}'s entry, for {price}", percent(*basis_points))
        }
        E::StakesDivided { entry_no } => format!("what entry {entry_no} won is divided with the buyers of its stakes"),
        E::TicketReturned { player, value } => {
            format!("{player}'s ticket, which was not used, comes back as T$ {value}")
        }
        E::Started { players } => format!("the tournament starts with {players} players"),
        E::DrawCalled { draw_no, kind, table, reveal_by } => {
            let what = match (kind, table) {
                (DrawKind::First, _) => "first seats".to_owned(),
                (DrawKind::Late, _) => "seats of those who came later".to_owned(),
                (DrawKind::Break, Some(table)) => format!("seats of the players of table {table}, which breaks"),
                (DrawKind::Break, None) => "seats of the players of a broken table".to_owned(),
                (DrawKind::Final, _) => "seats of the last table".to_owned(),
            };
            format!("draw {draw_no}: {what}; seeds are due until {}", utc(*reveal_by))
        }
        E::SeatSeedRevealed { entry_no, seed, .. } => format!("the seed of entry {entry_no} is {seed}"),
        E::SeatsDrawn { draw_no, link, entropy, withheld } => format!(
            "draw {draw_no}: the house's number is {link}, the entropy {entropy}, {withheld} seed(s) were withheld"
        ),
        E::PlayerMoved { entry_no, from, to } => {
            format!("entry {entry_no} moves from table {}, seat {}, to table {}, seat {}", from.0, from.1, to.0, to.1)
        }
        E::LevelBegun { level } => format!("level {level} begins"),
        E::BreakBegun { until } => format!("a break begins, until {}", utc(*until)),
        E::BreakEnded {} => "the break is over".into(),
        E::PlayerEliminated { entry_no, table, stack, .. } => {
            format!("entry {entry_no} is eliminated at table {table}, having begun the hand with {stack} chips")
        }
        E::RebuyAwaited { entry_no, until } => {
            format!("entry {entry_no} has no chips and may rebuy until {}", utc(*until))
        }
        E::BountyWon { entry_no, winners } => format!("the head of entry {entry_no} falls: {}", won_words(winners)),
        E::HandForHand { round: 0 } => "hand-for-hand ends".into(),
        E::HandForHand { round } => format!("hand-for-hand, round {round}"),
        E::RegistrationEnded { cause, entries, places } => {
            let why = match cause {
                Closed::Schedule => "by the schedule",
                Closed::Full => "the field being full",
                Closed::Itm => "the paid places being reached",
            };
            format!("registration has ended, {why}: {entries} entries, {places} places are paid")
        }
        E::PoolFinal { pool, overlay } => format!("the pool is {pool}, of which the house gives {overlay}"),
        E::PrizePaid { entry_no, rank, prize } => {
            let place = if rank.0 == rank.1 {
                format!("place {}", rank.0)
            } else {
                format!("the places {} to {}, shared", rank.0, rank.1)
            };
            let parts = [
                ("", prize.cash),
                ("a ticket worth ", prize.ticket),
                ("T$ ", prize.t_dollars),
                ("the substitute for ", prize.substitute),
            ];
            let parts: Vec<String> = parts
                .iter()
                .filter(|(_, amount)| *amount > 0)
                .map(|(what, amount)| format!("{what}{amount}"))
                .collect();
            format!("entry {entry_no} is paid {} for {place}", parts.join(" and "))
        }
        E::BountyPaid { entry_no, amount } => format!("entry {entry_no} is paid {amount} in bounties"),
        E::DealWanted { entry_no, want } => {
            format!("entry {entry_no} {} a deal", if *want { "wants" } else { "does not want" })
        }
        E::DealProposed { method, amounts, answer_by, .. } => {
            format!("a deal {}: {}; until {}", method_words(*method), amounts_words(amounts), utc(*answer_by))
        }
        E::DealAnswered { entry_no, accept } => {
            format!("entry {entry_no} says {}", if *accept { "yes" } else { "no" })
        }
        E::DealMade { amounts } => format!("the deal is made: {}", amounts_words(amounts)),
        E::DealOff {} => "there is no deal".into(),
        E::PlayerDisqualified { entry_no, reason } => format!("entry {entry_no} is disqualified ({})", reason.as_str()),
        E::PrizeSubstituted { place, what, value } => {
            format!("whoever accepts it has {}, worth {value}, for the prize of place {place}", what.as_str())
        }
        E::SubstituteAccepted { entry_no, place } => {
            format!("entry {entry_no} accepts what is offered for the prize of place {place}")
        }
        E::RegistrationChanged { late_levels, unregister_ms } => {
            let until = match unregister_ms {
                Some(ms) => format!("entries can be given back until {ms} ms before the start"),
                None => "entries cannot be given back".to_owned(),
            };
            format!("late registration lasts {late_levels} levels; {until}")
        }
        E::Postponed { starts_at } => format!("the start is at {}", utc(*starts_at)),
        E::ClockStopped { cause } => format!("the clock stands: {}", stand_words(*cause)),
        E::ClockStarted { cause } => format!("the clock goes on ({})", stand_words(*cause)),
        E::Cancelled { cause, instant, case, remaining, pool, chips, residual, .. } => format!(
            "the tournament is off as of {}: {}; case {}: {pool} is divided among {remaining} players with {chips} chips, {residual} is cut off",
            utc(*instant),
            cancel_words(*cause),
            u8::from(*case)
        ),
        E::Refunded { entry_no, fee, bounty, pool, due, bought, taken } => {
            let mut words = match (bounty, pool) {
                // If the event did not begin, everything is one sum.
                (0, 0) => format!("entry {entry_no} gets back {fee} of what was paid"),
                _ => format!("entry {entry_no} gets back {fee} in fees, {bounty} in bounties and {pool} of the pool"),
            };
            let parts = [
                (due, "that were theirs before the instant"),
                (bought, "for what was bought after it"),
                (taken, "taken back of what was paid after it"),
            ];
            for (amount, what) in parts.into_iter().filter(|(amount, _)| **amount > 0) {
                words += &format!(", {amount} {what}");
            }
            words
        }
        E::Ended { residual } => format!("the tournament is over; {residual} was cut off"),
    }
}

/// The seats of an event's table from its next hand on.
pub(super) fn seats_words(level: u16, seats: &[SetSeat]) -> String {
    let seats: Vec<String> =
        seats.iter().map(|one| format!("{} at {} with {}", one.player, one.seat, one.stack)).collect();
    format!("level {level}: {}", seats.join(", "))
}

fn percent(basis_points: u64) -> String {
    let (whole, rest) = (basis_points / 100, basis_points % 100);
    if rest == 0 { format!("{whole} %") } else { format!("{whole}.{rest:02} %") }
}

fn noted_words(what: Noted) -> &'static str {
    match what {
        Noted::Rebuy => "a rebuy",
        Noted::AddOn => "the add-on",
        Noted::Disqualification => "the disqualification",
    }
}

fn drop_words(why: DropCause) -> &'static str {
    match why {
        DropCause::Stack => "they have too many chips",
        DropCause::Balance => "the balance does not cover it",
        DropCause::Room => "the event may hold no more",
        DropCause::Over => "the event is over",
    }
}

fn method_words(method: DealMethod) -> &'static str {
    match method {
        DealMethod::Chips => "by chips",
        DealMethod::Icm => "by the chances of the chips (ICM)",
        DealMethod::Amounts => "with numbers of their own",
    }
}

fn amounts_words(amounts: &[(EntryNo, u64)]) -> String {
    amounts.iter().map(|(entry_no, amount)| format!("{amount} to entry {entry_no}")).collect::<Vec<_>>().join(", ")
}

fn won_words(winners: &[Won]) -> String {
    let one = |won: &Won| match won.onto_head {
        0 => format!("{} to entry {}", won.to_total, won.entry_no),
        onto_head => format!("{} to entry {} and {onto_head} onto its head", won.to_total, won.entry_no),
    };
    winners.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn stand_words(cause: StandCause) -> &'static str {
    match cause {
        StandCause::Crash => "the service crashed",
        StandCause::Deal => "a deal is talked of",
    }
}

fn cancel_words(cause: CancelCause) -> &'static str {
    match cause {
        CancelCause::Crash => "it stood too long after a crash",
        CancelCause::TooFewPlayers => "too few players came",
        CancelCause::Operator => "the operator's decision",
    }
}
