//! Commands become entries: all refusals first, then the events.

mod accounts;
mod error;
mod late;
mod lifecycle;
mod pending_entry;
mod pile;
mod play;
mod seats;
mod seats_idle;

use crate::cash::decide::SitDown;
use crate::{
    Actor, Command, Dealer, ENTRY_VERSION, Entry, LAST_TIME, Refusal, Signed, State, TableSeq, TournamentCommand,
    is_guest, names_play_tables,
};
pub use error::DecideError;
pub(crate) use error::{Before, require, require_credited};
pub(crate) use pending_entry::PendingEntry;

impl State {
    /// Decides a command given by `by` at `now` (UTC milliseconds): the entry that it becomes, or why it does not.
    /// Changes nothing; [`State::apply`] does.
    pub fn decide(&self, dealer: &dyn Dealer, now: u64, by: &Actor, command: &Command) -> Result<Entry, DecideError> {
        self.decide_signed(dealer, now, by, None, command)
    }

    /// The same with the player's signature, if there is one (spec/entries.md, "Signed commands").
    pub fn decide_signed(
        &self,
        dealer: &dyn Dealer,
        now: u64,
        by: &Actor,
        signed: Option<&Signed>,
        command: &Command,
    ) -> Result<Entry, DecideError> {
        self.decide_at(dealer, now.max(self.last_time), by, signed, command)
    }

    /// The same at a time that may lie before the last entry's: what would have been said of a command then, had the
    /// log been as it is now. No entry is made so; it tells whether a choice that came in time was in time.
    pub fn decide_at(
        &self,
        dealer: &dyn Dealer,
        time: u64,
        by: &Actor,
        signed: Option<&Signed>,
        command: &Command,
    ) -> Result<Entry, DecideError> {
        if time > LAST_TIME {
            return Err(Refusal::Malformed("the clock is past what an entry can say").into());
        }
        self.require_going_on()?;
        if self.epoch.is_none() && !self.partial && !matches!(command, Command::StartDealer { .. }) {
            return Err(Refusal::WrongStart("the dealer has not started".into()).into());
        }
        if self.recovering > 0 && !self.partial && !command.may_precede_recovery() {
            return Err(Refusal::Recovering.into());
        }
        self.keyring.check(time, self.origin.as_ref(), by, signed, command)?;
        self.require_allowed(time, by, command)?;
        let entry = match command {
            Command::Tournament(command) => self.decide_of_tournament(dealer, time, by, signed, command)?,
            _ => self.decide_of_house(dealer, time, by, signed, command)?,
        };
        self.require_affordable_loss(time, by, command, &entry.events)?;
        Ok(entry)
    }

    /// The entry of a command that is no tournament's.
    fn decide_of_house(
        &self,
        dealer: &dyn Dealer,
        time: u64,
        by: &Actor,
        signed: Option<&Signed>,
        command: &Command,
    ) -> Result<Entry, DecideError> {
        let (at, before, events) = match command.table() {
            None => {
                let (before, events) = self.decide_global(time, by, command)?;
                (None, before, events)
            }
            Some(table) => {
                self.require_same_chips(by, table, command)?;
                let mut pending = match command {
                    Command::OpenTable { rules, replaces, .. } => {
                        self.decide_open_table(dealer, time, by, table, rules, replaces.as_ref())?
                    }
                    Command::OpenEventTable { rules, .. } => {
                        self.decide_open_event_table(dealer, time, by, table, rules)?
                    }
                    _ => PendingEntry::at(self, dealer, time, table).ok_or_else(|| self.no_table(table))?,
                };
                self.decide_at_table(&mut pending, by, command)?;
                let at = Some(TableSeq { table: table.clone(), seq: pending.table.next_seq });
                (at, pending.before, pending.events)
            }
        };
        Ok(Entry {
            v: ENTRY_VERSION,
            time,
            by: by.clone(),
            at,
            before,
            command: command.clone(),
            signed: signed.copied(),
            events,
        })
    }

    /// The entry of a tournament's command.
    fn decide_of_tournament(
        &self,
        dealer: &dyn Dealer,
        time: u64,
        by: &Actor,
        signed: Option<&Signed>,
        command: &TournamentCommand,
    ) -> Result<Entry, DecideError> {
        let id = command.event();
        // Tournaments are played for money: a guest neither enters one nor buys or sells a part of an entry.
        let guest = match (by, command) {
            (_, TournamentCommand::SetBounty { player, .. }) | (Actor::Player(player), _) => is_guest(player),
            _ => false,
        };
        if guest {
            return Err(Refusal::OtherChips("a guest's chips are play chips, and tournaments are not for these").into());
        }
        if matches!(command, TournamentCommand::Create { .. }) && names_play_tables(id) {
            let why = "`play`, and what begins with `play.`, would name its tables as those for play chips are named";
            return Err(Refusal::Malformed(why).into());
        }
        let (seq, (before, events)) = match (self.tournaments.get(id), command) {
            (None, TournamentCommand::Create { .. }) => (0, self.decide_create_tournament(dealer, time, by, command)?),
            (None, _) => return Err(Refusal::UnknownEvent(id.clone()).into()),
            (Some(event), _) => (event.next_seq, self.decide_tournament(dealer, time, by, event, command)?),
        };
        Ok(Entry {
            v: ENTRY_VERSION,
            time,
            by: by.clone(),
            at: Some(TableSeq { table: id.clone(), seq }),
            before,
            command: Command::Tournament(command.clone()),
            signed: signed.copied(),
            events,
        })
    }

    /// A seed proves itself, so that anybody may hand it in; but nobody in the name of a player whom there is not.
    pub(crate) fn require_somebody(&self, by: &Actor) -> Result<(), Refusal> {
        match by {
            Actor::Player(_) if self.is_player(by).is_none() => Err(Refusal::NotAllowed("there is no such player")),
            _ => Ok(()),
        }
    }

    fn decide_at_table(
        &self,
        pending: &mut PendingEntry<'_>,
        by: &Actor,
        command: &Command,
    ) -> Result<(), DecideError> {
        pending.require_kind(command)?;
        pending.require_few_changes(by, command)?;
        match command {
            Command::OpenTable { .. } | Command::OpenEventTable { .. } => Ok(()),
            Command::SetSeats { .. } => pending.set_seats(by),
            Command::CloseTable { .. } => pending.close_table(by),
            Command::CommitShoe { .. } => pending.commit_shoe(by),
            Command::Recover { .. } => pending.recover(by),
            Command::TakeSeat { seat, .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player sits"))?;
                pending.take_seat(player, *seat)
            }
            Command::AskToPlay { .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player asks to play"))?;
                pending.ask_to_play(player)
            }
            Command::SitDown { seat, buy_in, client, entry, .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player sits"))?;
                pending.sit_down(player, *seat, &SitDown { buy_in: *buy_in, client: *client, entry: *entry })
            }
            Command::SitIn { entry, straddle, .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player sits in"))?;
                pending.sit_in(player, *entry, *straddle)
            }
            Command::SitOut { .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player sits out"))?;
                pending.sit_out(player)
            }
            Command::AddChips { amount, .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player adds chips"))?;
                pending.add_chips(player, *amount)
            }
            Command::TidySeats { .. } => pending.tidy_seats(by),
            Command::WantSeat { .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player waits for a seat"))?;
                pending.want_seat(player)
            }
            Command::Unseat { player, .. } => pending.unseat_by_operator(by, player),
            Command::LeaveSeat { .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player leaves a seat"))?;
                pending.leave_seat(&player)
            }
            Command::OpenBets { .. } => pending.open_bets(by),
            Command::CancelBet { round_no, .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player cancels a bet"))?;
                pending.cancel_bet(&player, *round_no)
            }
            Command::CloseBets { round_no, .. } => pending.close_bets(by, *round_no),
            Command::CallHand { .. } => pending.call_hand(by),
            Command::CommitHandSeed { round_no, commitment, .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player commits a seed"))?;
                pending.commit_hand_seed(player, *round_no, *commitment)
            }
            Command::WithdrawHandSeed { round_no, .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player withdraws a seed"))?;
                pending.withdraw_hand_seed(&player, *round_no)
            }
            Command::CloseCall { round_no, .. } => pending.close_call(by, *round_no),
            Command::RetireShoe { reason, .. } => pending.retire_by_rule(by, reason.is_some()),
            Command::CommitSeed { round_no, commitment, .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player commits a seed"))?;
                pending.commit_seed(&player, *round_no, commitment)
            }
            Command::Bet { round_no, bets, commitment, .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player bets"))?;
                pending.bet(player, *round_no, bets, commitment)
            }
            Command::Reveal { round_no, player, seed, saw, next, .. } => {
                self.require_somebody(by)?;
                if saw.as_ref().is_some_and(|saw| !saw.is_well_formed()) {
                    return Err(Refusal::Malformed("saw.root is the base64 of 32 bytes").into());
                }
                if next.is_some() && self.is_player(by).as_ref() != Some(player) {
                    return Err(Refusal::NotAllowed("players commit their next seed themselves").into());
                }
                pending.reveal(*round_no, player, seed, next.as_ref())
            }
            Command::LateSeed { round_no, player, seed, .. } => {
                self.require_somebody(by)?;
                pending.late_seed(*round_no, player, seed)
            }
            Command::Act { round_no, decision, action, .. } => {
                let player = self.is_player(by).ok_or(Refusal::NotAllowed("only a player acts"))?;
                pending.act(&player, *round_no, *decision, action)
            }
            Command::Lapse { round_no, lapsed, .. } => pending.lapse(by, *round_no, *lapsed),
            Command::VoidRound { round_no, .. } => pending.void_by_operator(by, *round_no),
            Command::Tournament(_)
            | Command::StartDealer { .. }
            | Command::ContinueLog { .. }
            | Command::EndLog { .. }
            | Command::CreatePlayer { .. }
            | Command::AdmitGuest {}
            | Command::DismissGuest { .. }
            | Command::SetKey { .. }
            | Command::SetLimit { .. }
            | Command::Exclude { .. }
            | Command::IssueToken { .. }
            | Command::Credit { .. }
            | Command::Withdraw { .. }
            | Command::Correct { .. }
            | Command::KnowLog { .. }
            | Command::TransferOut { .. }
            | Command::TransferIn { .. }
            | Command::WalletDeposit { .. }
            | Command::WalletWithdraw { .. }
            | Command::WalletCancel { .. }
            | Command::WalletAnswer { .. }
            | Command::StopDealer {}
            | Command::DiscloseShoe { .. }
            | Command::NoteRefusedStart { .. }
            | Command::NoteState { .. } => Err(DecideError::Broken("this command has no table".into())),
        }
    }
}
