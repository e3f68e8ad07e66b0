//! Commands in plain English: who asks for what, and what the house has let pass. Judges nothing.

use super::events::staked;
use super::tournaments::asked;
use super::{Telling, limited, utc};
use fairshoe_games::Action;
use fairshoe_house::{Actor, Command, Lapsed, Overdue};

fn by(actor: &Actor) -> String {
    match actor {
        Actor::Operator => "the operator".into(),
        Actor::House => "the house".into(),
        Actor::Anyone => "somebody".into(),
        Actor::Player(player) => player.to_string(),
        Actor::Auditor(name) => format!("the auditor {name}"),
    }
}

/// The house's overdue duty, and since when.
pub fn overdue_words(overdue: &Overdue) -> String {
    format!("{} (due since {})", asks(&Actor::House, &overdue.command, &Telling::default()), utc(overdue.since))
}

/// A choice as the command line has it, with its amount.
fn choice_words(action: &Action, telling: &Telling) -> String {
    match action {
        Action::Bet { to: amount } | Action::Raise { to: amount } | Action::Double { amount: Some(amount) } => {
            format!("{}={}", action.kind(), telling.sum(*amount))
        }
        action => action.to_string(),
    }
}

/// The actor and the command, in words.
pub(crate) fn asks(actor: &Actor, command: &Command, telling: &Telling) -> String {
    let who = by(actor);
    match command {
        Command::StartDealer { origin, software, .. } => {
            format!("{who} starts the dealer of the log {origin} ({})", software.as_str())
        }
        Command::CreatePlayer { player, key: None } => format!("{who} creates the player {player}"),
        Command::CreatePlayer { player, key: Some(_) } => {
            format!("{who} creates the player {player}, who signs their commands")
        }
        Command::AdmitGuest {} => format!("{who} admits a guest"),
        Command::DismissGuest { player } => format!("{who} dismisses the guest {player}, who is idle"),
        Command::SetKey { player, key, reason } => {
            let what = if key.is_some() { "sets" } else { "clears" };
            format!(
                "{who} {what} the key of {player}{}",
                reason.as_ref().map(|reason| format!(" ({})", reason.as_str())).unwrap_or_default()
            )
        }
        Command::SetLimit { player, of, per, most } => match most {
            Some(most) => format!("{who} asks that {player} has at most {} in a {per}", limited(*of, *most, telling)),
            None => format!("{who} asks that {of} of {player} in a {per} have no limit any more"),
        },
        Command::Exclude { player, until } => format!("{who} shuts {player} out until {}", utc(*until)),
        Command::IssueToken { holder, revoke } => {
            format!("{who} issues a token for {holder}{}", if *revoke { ", the earlier ones stop working" } else { "" })
        }
        Command::Credit { player, amount, .. } => format!("{who} pays in {} for {player}", telling.sum(*amount)),
        Command::Withdraw { player, amount, .. } => format!("{who} pays out {} to {player}", telling.sum(*amount)),
        Command::Correct { player, amount, reason } => {
            format!("{who} takes {} from {player} in correction ({})", telling.sum(*amount), reason.as_str())
        }
        Command::KnowLog { log, policy: None } => format!("{who} takes nothing from the log {log} any more"),
        Command::KnowLog { log, policy: Some(_) } => format!("{who} says how receipts of the log {log} are judged"),
        Command::TransferOut { to, player, amount } => {
            format!("{who} sends {} of {player} to the log {to}", telling.sum(*amount))
        }
        Command::WalletDeposit { player, amount } => {
            format!("{who} asks for chips for {} that the wallet has of {player}", telling.sum(*amount))
        }
        Command::WalletWithdraw { player, amount } => {
            format!("{who} sends {} of {player} to the wallet", telling.sum(*amount))
        }
        Command::WalletCancel { no } => format!("{who} takes back the deposit that is operation {no} of the wallet"),
        Command::WalletAnswer { no, call, .. } => {
            format!("the wallet answered to `{}` of operation {no}", call.name())
        }
        Command::TransferIn { from, .. } => format!("{who} hands in a receipt for chips that the log {from} sent"),
        Command::ContinueLog { origin, size, .. } => {
            format!("{who} goes on from the first {size} entries of the log {origin}")
        }
        Command::EndLog { .. } => format!("{who} ends this log"),
        Command::StopDealer {} => format!("{who} stops the dealer"),
        Command::NoteRefusedStart { at, reason } => {
            format!("{who} notes that a start was refused at {} ({})", utc(*at), reason.as_str())
        }
        Command::NoteState { size, root } => format!("{who} names the state after {size} entries: {root}"),
        Command::TakeSeat { table, seat } => format!("{who} takes seat {seat} at {table}"),
        Command::SitDown { table, seat, buy_in, .. } => {
            format!("{who} takes seat {seat} at {table} with {}", telling.sum(*buy_in))
        }
        Command::SitIn { table, .. } => format!("{who} wants to be dealt in at {table}"),
        Command::SitOut { table } => format!("{who} sits out at {table}"),
        Command::AddChips { table, amount } => format!("{who} wants {} chips added at {table}", telling.sum(*amount)),
        Command::TidySeats { table } => format!("{who} looks after the seats at {table}"),
        Command::DiscloseShoe { table, shoe_no, reason } => {
            format!("{who} asks for the seeds of shoe {shoe_no} of {table} ({})", reason.as_str())
        }
        Command::AskToPlay { table } => format!("{who} asks to play at {table}"),
        Command::WantSeat { table } => format!("{who} waits for a seat at {table}"),
        Command::Unseat { table, player, reason } => {
            format!("{who} takes the seat of {player} at {table} ({})", reason.as_str())
        }
        Command::LeaveSeat { table } => format!("{who} leaves {table}"),
        Command::OpenBets { table } => format!("{who} opens bets at {table}"),
        Command::CancelBet { table, round_no } => format!("Round {round_no} at {table}: {who} takes the bets back"),
        Command::CloseBets { table, round_no } => format!("Round {round_no} at {table}: {who} says no more bets"),
        Command::RetireShoe { table, reason } => {
            let why = reason.as_ref().map_or_else(|| "it is due".to_owned(), |reason| reason.as_str().to_owned());
            format!("{who} changes the shoe at {table} ({why})")
        }
        Command::CommitSeed { table, round_no, .. } | Command::CommitHandSeed { table, round_no, .. } => {
            format!("Round {round_no} at {table}: {who} commits to a seed")
        }
        Command::WithdrawHandSeed { table, round_no } => {
            format!("Round {round_no} at {table}: {who} takes the commitment back")
        }
        Command::CallHand { table } => format!("{who} calls a hand at {table}"),
        Command::CloseCall { table, round_no } => {
            format!("Round {round_no} at {table}: {who} ends the call for the hand")
        }
        Command::OpenTable { table, rules, replaces } => {
            let place = replaces.as_ref().map_or_else(String::new, |replaced| format!(" in the place of {replaced}"));
            format!("{who} opens the table {table}{place} with the rules {}", rules.name)
        }
        Command::CloseTable { table } => format!("{who} closes the table {table}"),
        Command::CommitShoe { table } => format!("{who} commits to the next shoe at {table}"),
        Command::Bet { table, round_no, bets, .. } => {
            format!("Round {round_no} at {table}: {who} stakes {}", staked(bets, telling))
        }
        Command::Reveal { table, round_no, player, .. } => {
            format!("Round {round_no} at {table}: the seed of {player} is revealed by {who}")
        }
        Command::LateSeed { table, round_no, player, .. } => {
            format!("Round {round_no} at {table}, which is void: the seed of {player} is handed in by {who} after all")
        }
        Command::Act { table, round_no, decision, action } => {
            format!(
                "Round {round_no} at {table}: {who} answers decision {decision} with {}",
                choice_words(action, telling)
            )
        }
        Command::Lapse { table, round_no, lapsed } => {
            let what = match lapsed {
                Lapsed::Reveal => "a seed was not revealed in time",
                Lapsed::Round => "the round was not finished in time",
                Lapsed::Turn => "a decision was not taken in time",
                Lapsed::Pile => "the new pile was not shuffled in time",
            };
            format!("Round {round_no} at {table}: {who} finds that {what}")
        }
        Command::VoidRound { table, round_no, reason } => {
            format!("Round {round_no} at {table}: {who} declares a malfunction ({})", reason.as_str())
        }
        Command::Tournament(command) => format!("{who} {}", asked(command)),
        Command::OpenEventTable { table, .. } => format!("{who} opens the tournament's table {table}"),
        Command::SetSeats { table } => format!("{who} sets the seats of {table} as the tournament has them"),
        Command::Recover { table } => format!("{who} puts {table} in order after a restart"),
    }
}
