//! Commands that concern no table: the dealer's start, players, keys, chips in and out (spec/entries.md, "Commands";
//! spec/ledger.md, "Movements").

use super::{Before, DecideError};
use super::{require, require_credited};
use crate::signed::{KEY_DELAY_MS, require_usable};
use crate::{Account, Actor, Command, Event, Holder, Ledger, Line, OldLog, Refusal, State, is_guest};
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;

impl State {
    /// Commands that concern no table: the start, players, chips in and out.
    pub(super) fn decide_global(
        &self,
        time: u64,
        by: &Actor,
        command: &Command,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        match command {
            Command::StartDealer { origin, epoch, master_id, .. } => {
                require(by, &Actor::House, "the house starts the dealer")?;
                if self.origin.as_ref().is_some_and(|known| known != origin) {
                    return Err(Refusal::WrongStart(format!(
                        "this log is `{}`, not `{origin}`",
                        self.origin.as_ref().map(|o| o.as_str()).unwrap_or_default()
                    ))
                    .into());
                }
                if self.master_id.as_ref().is_some_and(|known| known != master_id) {
                    return Err(Refusal::WrongStart(
                        "the master key is not the one this log was begun with; restore it".into(),
                    )
                    .into());
                }
                if self.epoch.as_ref() == Some(epoch) {
                    return Err(Refusal::WrongStart("the epoch was used before".into()).into());
                }
                let down_ms = if self.origin.is_some() { time.saturating_sub(self.last_time) } else { 0 };
                Ok((
                    vec![],
                    vec![Event::DealerStarted {
                        origin: origin.clone(),
                        epoch: *epoch,
                        master_id: *master_id,
                        down_ms,
                    }],
                ))
            }
            Command::ContinueLog { origin, key, size, root, new_key, signature } => {
                let (origin, root) = (origin.clone(), root.clone());
                let old = OldLog { origin, key: *key, size: *size, root, new_key: *new_key };
                Ok((vec![], self.decide_continue(by, &old, signature)?))
            }
            Command::EndLog { origin, key } => Ok((vec![], self.decide_end(time, by, origin, key)?)),
            Command::AdmitGuest {} => Ok((vec![], self.decide_admit(by)?)),
            Command::DismissGuest { player } => self.decide_dismiss(time, by, player),
            Command::CreatePlayer { player, key } => {
                require(by, &Actor::Operator, "the operator creates players")?;
                if is_guest(player) {
                    return Err(Refusal::Malformed("a name that begins with `guest.` is that of a guest").into());
                }
                if self.ledger.player(player).is_some() {
                    return Err(Refusal::PlayerExists(player.clone()).into());
                }
                require_usable(key.as_ref())?;
                let created = Event::PlayerCreated { player: player.clone() };
                let key_set =
                    key.map(|key| Event::KeySet { player: player.clone(), key: Some(key), from: None, old: None });
                Ok((vec![], std::iter::once(created).chain(key_set).collect()))
            }
            Command::SetKey { player, key, reason } => {
                match by {
                    Actor::Operator if self.ledger.player(player).is_none() => {
                        return Err(Refusal::UnknownPlayer(player.clone()).into());
                    }
                    Actor::Operator if reason.is_none() => {
                        return Err(Refusal::Malformed("the operator gives a reason for a key").into());
                    }
                    Actor::Operator => {}
                    _ if self.is_player(by).as_ref() != Some(player) => {
                        return Err(Refusal::NotAllowed("the operator sets keys, and players their own").into());
                    }
                    _ if reason.is_some() => {
                        return Err(Refusal::Malformed("only the operator gives a reason for a key").into());
                    }
                    _ => {}
                }
                require_usable(key.as_ref())?;
                let (old, waiting) = (self.key_at(player, time), self.waiting_key(player, time));
                let (by_operator, waits) = (*by == Actor::Operator, waiting.is_some());
                let last = waiting.map_or(old, |(key, _)| key);
                if last == *key && (by_operator || !waits) {
                    return Err(
                        Refusal::NothingToDo("this is the player's key already, or there is none to clear").into()
                    );
                }
                // The player has a day to see what the operator set, and to take it back by a key of their own.
                let from = by_operator.then(|| time.saturating_add(KEY_DELAY_MS));
                let old = old.filter(|_| by_operator);
                Ok((vec![], vec![Event::KeySet { player: player.clone(), key: *key, from, old }]))
            }
            Command::SetLimit { .. } | Command::Exclude { .. } => self.decide_limits(time, by, command),
            Command::IssueToken { holder, revoke } => {
                match (by, holder) {
                    (Actor::Operator, Holder::Player(player)) if self.ledger.player(player).is_none() => {
                        return Err(Refusal::UnknownPlayer(player.clone()).into());
                    }
                    (Actor::Operator, _) => {}
                    (_, Holder::Player(player)) if self.is_player(by).as_ref() == Some(player) => {}
                    _ => return Err(Refusal::NotAllowed("the operator issues tokens, and players their own").into()),
                }
                Ok((vec![], vec![Event::TokenIssued { holder: holder.clone(), revoked: *revoke }]))
            }
            Command::Credit { player, amount, .. } => {
                require(by, &Actor::Operator, "the operator credits chips")?;
                require_credited(player)?;
                self.move_chips(player, *amount, 1)
            }
            Command::Withdraw { player, amount, .. } => {
                self.require_withdrawer(time, by, player)?;
                require_credited(player)?;
                let balance = self.ledger.player(player).ok_or_else(|| Refusal::UnknownPlayer(player.clone()))?;
                if *amount > balance {
                    return Err(Refusal::InsufficientBalance { balance, asked: *amount }.into());
                }
                self.move_chips(player, *amount, -1)
            }
            Command::Correct { player, amount, .. } => {
                require(by, &Actor::Operator, "the operator corrects the book")?;
                require_credited(player)?;
                let balance = self.ledger.player(player).ok_or_else(|| Refusal::UnknownPlayer(player.clone()))?;
                if *amount == Chips::ZERO {
                    return Err(Refusal::AmountOutOfRange(*amount).into());
                }
                if *amount > balance {
                    return Err(Refusal::InsufficientBalance { balance, asked: *amount }.into());
                }
                let posted = self.posted([(Account::Player(player.clone()), -1), (Account::House, 1)], *amount)?;
                Ok((vec![(player.clone(), balance)], vec![posted]))
            }
            Command::KnowLog { .. } | Command::TransferOut { .. } | Command::TransferIn { .. } => {
                self.decide_transfer(time, by, command)
            }
            Command::WalletDeposit { .. }
            | Command::WalletWithdraw { .. }
            | Command::WalletCancel { .. }
            | Command::WalletAnswer { .. } => self.decide_wallet(time, by, command),
            Command::DiscloseShoe { table, shoe_no, .. } => {
                let Actor::Auditor(auditor) = by else {
                    return Err(
                        Refusal::NotAllowed("an auditor asks for a sealed shoe, with a token of their own").into()
                    );
                };
                if self.sealed_in(table, *shoe_no).is_none() {
                    let why = match self.used_tables.contains_key(table) {
                        true => "it is in use, was revealed, or is yet to come",
                        false => "there was never such a table",
                    };
                    return Err(Refusal::NotSealed { table: table.clone(), shoe_no: *shoe_no, why }.into());
                }
                Ok((
                    vec![],
                    vec![Event::ShoeDisclosed {
                        table: table.clone(),
                        shoe_no: *shoe_no,
                        auditor: Some(auditor.clone()),
                    }],
                ))
            }
            Command::StopDealer {} => {
                require(by, &Actor::House, "the house stops the dealer")?;
                Ok((vec![], vec![Event::DealerStopped {}]))
            }
            Command::NoteRefusedStart { at, reason } => {
                require(by, &Actor::House, "the house notes refused starts")?;
                if *at > time {
                    return Err(Refusal::Malformed("a refused start lies in the past").into());
                }
                Ok((vec![], vec![Event::StartRefused { at: *at, reason: reason.clone() }]))
            }
            Command::NoteState { size, root } => {
                require(by, &Actor::House, "the house notes states")?;
                self.require_notable(*size)?;
                Ok((vec![], vec![Event::StateNoted { size: *size, root: *root }]))
            }
            _ => Err(DecideError::Broken("this command has a table".into())),
        }
    }

    /// Chips of a player who has a key go out by their signature alone, of others by the operator.
    pub(crate) fn require_withdrawer(&self, time: u64, by: &Actor, player: &PlayerId) -> Result<(), Refusal> {
        let key = self.key_at(player, time);
        match by {
            // *Attack: a key that waits is taken back by another change, and chips go out before the player's day is over.*
            Actor::Operator if key.is_some() || self.waiting_key(player, time).is_some() => {
                Err(Refusal::SignatureMissing(player.clone()))
            }
            Actor::Operator => Ok(()),
            // The signature was checked before everything else.
            Actor::Player(name) if name == player && key.is_some() => Ok(()),
            _ => Err(Refusal::NotAllowed("the operator pays chips out, or a player who signs for it with their key")),
        }
    }

    /// Chips leave the log by their player's word, or by the operator's for one who has no key.
    pub(crate) fn require_sender(
        &self,
        time: u64,
        by: &Actor,
        player: &PlayerId,
        why: &'static str,
    ) -> Result<(), Refusal> {
        match by {
            Actor::Operator => self.require_withdrawer(time, by, player),
            // *Attack: while a player's first key waits nobody withdraws, and an operator who writes in their name sends.*
            Actor::Player(name)
                if name == player
                    && self.key_at(player, time).is_none()
                    && self.waiting_key(player, time).is_some() =>
            {
                Err(Refusal::SignatureMissing(player.clone()))
            }
            Actor::Player(name) if name == player => Ok(()),
            _ => Err(Refusal::NotAllowed(why)),
        }
    }

    fn move_chips(&self, player: &PlayerId, amount: Chips, sign: i64) -> Result<(Before, Vec<Event>), DecideError> {
        let balance = self.ledger.player(player).ok_or_else(|| Refusal::UnknownPlayer(player.clone()))?;
        let rich = |after: Option<Chips>| after.is_none_or(|after| after > Ledger::COMFORT);
        if amount == Chips::ZERO || sign > 0 && rich(balance.plus(amount)) {
            return Err(Refusal::AmountOutOfRange(amount).into());
        }
        let posted = self.posted([(Account::Cage, -sign), (Account::Player(player.clone()), sign)], amount)?;
        Ok((vec![(player.clone(), balance)], vec![posted]))
    }

    /// The posting that moves so much from one of two accounts to the other; with each its sign.
    pub(crate) fn posted(&self, lines: [(Account, i64); 2], amount: Chips) -> Result<Event, Refusal> {
        let line = |(account, sign): (Account, i64)| {
            let moved = amount.signed().saturating_mul(sign);
            let before = self.ledger.balance(&account).unwrap_or_default();
            Ledger::after(&account, before, moved).map(|after| Line(account, moved, after))
        };
        let lines = lines.into_iter().map(line).collect::<Result<_, _>>();
        Ok(Event::Posted { lines: lines.map_err(|_| Refusal::AmountOutOfRange(amount))? })
    }
}
