//! A table followed by the run's players from entry to entry. What they know themselves is compared here: what they
//! sent, what they have, which cards and views they were told. The judge decides each entry again.

use super::flaw::same;
use super::own_cards::own_cards;
use super::{Faces, Flaw, OnLog, Signers};
use fairshoe_api::{Accepted, OwnCards, RoundView, ShownOpening, ViewPhase};
use fairshoe_fairness::{Epoch, Origin, PlayerId, Slot, TableContext, TableId};
use fairshoe_games::{Chips, RuleSet};
use fairshoe_house::{Actor, Command, Entry, Event, OpenRound, Signed, State, Table};
use fairshoe_judge::audit::TableJudge;
use fairshoe_tlog::Hash;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// So many of the table's last entries are remembered, to recognise a repeated one.
const REMEMBERED: usize = 512;

/// The most commands that wait to be seen on the log: those that were never accepted are dropped.
const SENT: usize = 64;

/// A table as its players check it; see the module.
pub struct TableCheck {
    table: TableId,
    rules: Arc<RuleSet>,
    origin: Origin,
    judge: TableJudge,
    /// The run's players who play here, with their chips outside the table as they count them.
    own: BTreeMap<PlayerId, Chips>,
    /// Commands sent in their names that are not on the log yet.
    sent: Vec<(PlayerId, Command, Option<Signed>)>,
    signers: Arc<Signers>,
    /// Whose key the judge knows.
    signing: BTreeSet<PlayerId>,
    faces: Faces,
    /// The cards of the hand in play that players were shown alone.
    held: BTreeMap<Slot, u8>,
    next_seq: u64,
    /// How many starts of the dealer the judge was told.
    starts: usize,
    applied: BTreeMap<u64, (u64, Hash)>,
    /// The entry that committed the shoe in use, and the last one that made bets or a pile binding.
    pub(super) shoe: Option<OnLog>,
    pub(super) bound: Option<OnLog>,
}

impl TableCheck {
    /// A table before its first entry, on a log whose dealer started last under this epoch.
    pub fn new(origin: Origin, epoch: Epoch, table: TableId, rules: Arc<RuleSet>, signers: Arc<Signers>) -> Self {
        TableCheck {
            table,
            rules,
            judge: TableJudge::new(origin.clone(), epoch),
            origin,
            own: BTreeMap::new(),
            sent: Vec::new(),
            signers,
            signing: BTreeSet::new(),
            faces: Faces::default(),
            held: BTreeMap::new(),
            next_seq: 0,
            starts: 0,
            applied: BTreeMap::new(),
            shoe: None,
            bound: None,
        }
    }

    /// The name of the followed table.
    pub fn table(&self) -> &TableId {
        &self.table
    }

    /// The number of the table's next entry.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// The state that the table's entries make.
    pub fn state(&self) -> &State {
        self.judge.state()
    }

    /// The table as it stands; `None` before its first entry, and once it is closed.
    pub fn at(&self) -> Option<&Table> {
        self.state().table(&self.table)
    }

    /// The round in play, or the last one.
    pub fn round(&self) -> Option<&OpenRound> {
        self.at()?.round.as_ref()
    }

    /// Whether the table takes no more rounds.
    pub fn is_closed(&self) -> bool {
        self.next_seq > 0 && self.at().is_none()
    }

    /// Records chips of a player of the run. From now on only commands that they sent may bear their name.
    pub fn credited(&mut self, player: &PlayerId, balance: Chips) {
        self.own.insert(player.clone(), balance);
    }

    /// A player of the run plays here no more: they came back as another.
    pub fn forget(&mut self, player: &PlayerId) {
        self.own.remove(player);
        self.sent.retain(|(by, ..)| by != player);
    }

    /// A player's chips outside the table.
    pub fn funds(&self, player: &PlayerId) -> Chips {
        self.own.get(player).copied().unwrap_or_else(|| self.state().funds(player))
    }

    /// The context of a seed for the next bet, hand or pile: that of the shoe in use, or of the next one.
    pub fn context(&self) -> Option<TableContext> {
        let shoe = self.at().and_then(|table| table.shoe.as_ref());
        let next = || {
            Some(TableContext { origin: self.origin.clone(), table: self.table.clone(), epoch: *self.state().epoch()? })
        };
        shoe.map(|shoe| shoe.id.context.clone()).or_else(next)
    }

    /// Records a command before it is sent in a player's name: the log may hold only such commands for them.
    pub fn send(&mut self, player: &PlayerId, command: Command, signed: Option<Signed>) {
        if self.sent.len() >= SENT {
            self.sent.remove(0);
        }
        self.sent.push((player.clone(), command, signed));
    }

    /// The entry that committed the shoe in use, and the one that made the last bets, hand or pile binding.
    pub fn proofs(&self) -> Option<(&OnLog, &OnLog)> {
        self.shoe.as_ref().zip(self.bound.as_ref())
    }

    /// Replaces the first of them by the same entry with a newer proof.
    pub fn shoe_is_proven(&mut self, shoe: OnLog) {
        self.shoe = Some(shoe);
    }

    /// Whether the entry can follow a start of the dealer that the judge was not told: then [`TableCheck::started`]
    /// must be called first.
    pub fn needs_starts(&self, entry: &Entry) -> bool {
        self.next_seq == 0 || matches!(entry.command, Command::Recover { .. })
    }

    /// Tells the judge those of the dealer's starts that come before an entry.
    ///
    /// # Errors
    /// [`Flaw::Judged`].
    pub fn started(&mut self, starts: &[(u64, Entry)], before: u64) -> Result<(), Flaw> {
        for (index, entry) in starts.iter().skip(self.starts).take_while(|(index, _)| *index < before) {
            self.judge.judge(*index, entry)?;
            self.starts += 1;
        }
        Ok(())
    }

    /// Whether the entry was replayed already; if so, checks that it is the same.
    ///
    /// # Errors
    /// [`Flaw::TwoEntries`] if another entry was seen at its place.
    pub fn knows(&self, on_log: &OnLog) -> Result<bool, Flaw> {
        let Some(at) = &on_log.entry.at else { return Ok(false) };
        match self.applied.get(&at.seq) {
            Some(seen) if *seen != (on_log.index, on_log.leaf) => Err(Flaw::TwoEntries(at.seq)),
            Some(_) => Ok(true),
            None => Ok(at.seq < self.next_seq),
        }
    }

    /// Takes the table's next entry, with the openings that came with it.
    ///
    /// # Errors
    /// [`Flaw`] naming the first wrong part.
    pub fn apply(&mut self, on_log: &OnLog, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let entry = &on_log.entry;
        let seq = self.in_its_place(entry)?;
        self.in_their_name(entry)?;
        for (player, balance) in &entry.before {
            self.own.get(player).map_or(Ok(()), |own| same("the balance before the entry", own, balance))?;
        }
        self.judge(on_log.index, entry)?;
        for (player, _) in &entry.before {
            if let Some(own) = self.own.get_mut(player) {
                *own = self.judge.state().funds(player);
            }
        }
        self.faces.read(entry, openings)?;
        for event in &entry.events {
            match event {
                Event::ShoeCommitted { .. } => (self.shoe, self.held) = (Some(on_log.clone()), BTreeMap::new()),
                Event::BetsClosed { .. } | Event::HandBegun { .. } | Event::PileClosed { .. } => {
                    self.bound = Some(on_log.clone())
                }
                _ => {}
            }
        }
        self.next_seq = seq.saturating_add(1);
        while self.applied.len() >= REMEMBERED {
            self.applied.pop_first();
        }
        self.applied.insert(seq, (on_log.index, on_log.leaf));
        Ok(())
    }

    fn in_its_place(&self, entry: &Entry) -> Result<u64, Flaw> {
        let at = entry.at.as_ref().filter(|at| at.table == self.table);
        let at = at.ok_or_else(|| Flaw::differs("the entry's table", &self.table, &entry.at))?;
        if at.seq != self.next_seq {
            return Err(Flaw::Gap(self.next_seq, at.seq));
        }
        if let Some(Event::TableOpened { rules, .. }) = entry.events.first() {
            same("the rules on the log", &*self.rules, rules)?;
        }
        Ok(at.seq)
    }

    /// Checks that a command in a player's name was sent, and is on the log once for each sending.
    fn in_their_name(&mut self, entry: &Entry) -> Result<(), Flaw> {
        let Actor::Player(player) = &entry.by else { return Ok(()) };
        if !self.own.contains_key(player) {
            return Ok(());
        }
        let asked = |(by, command, signed): &(PlayerId, Command, Option<Signed>)| {
            by == player && *command == entry.command && *signed == entry.signed
        };
        let asked = self.sent.iter().position(asked);
        let asked = asked.ok_or_else(|| Flaw::not_sent(player, &entry.command))?;
        self.sent.remove(asked);
        Ok(())
    }

    fn judge(&mut self, index: u64, entry: &Entry) -> Result<(), Flaw> {
        if let Actor::Player(player) = &entry.by {
            if let Some(key) = self.signers.key_of(player).filter(|_| !self.signing.contains(player)) {
                self.judge.signs_with(player, &key)?;
                self.signing.insert(player.clone());
            }
            // The keys of strangers are not known here.
            if entry.signed.is_some() && !self.signing.contains(player) {
                let unsigned = Entry { signed: None, ..entry.clone() };
                return Ok(self.judge.judge(index, &unsigned)?);
            }
        }
        Ok(self.judge.judge(index, entry)?)
    }

    /// Checks that a reply opens only cards that lie open.
    ///
    /// # Errors
    /// [`Flaw::OpenedEarly`].
    pub fn nothing_leaked(&self, openings: &[ShownOpening]) -> Result<(), Flaw> {
        self.faces.nothing_leaked(openings)
    }

    /// Checks a player's own cards from a reply to them alone.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn own_cards(&mut self, player: &PlayerId, own: &OwnCards) -> Result<(), Flaw> {
        let Some(table) = self.judge.state().table(&self.table) else { return Ok(()) };
        if let Some(round) = table.live_round() {
            same("the round of own cards", &OpenRound::id(&self.table, round.round_no), &own.round)?;
        }
        if own_cards(table, player, own)? {
            self.held.extend(own.openings.iter().map(|opening| (opening.slot, opening.value)));
        }
        // There is one deck: no card is in two hands.
        let distinct: BTreeSet<u8> = self.held.values().copied().collect();
        same("how many cards are held", &self.held.len(), &distinct.len())
    }

    /// Whether a player was shown all their cards of the hand in play.
    pub(super) fn knows_own(&self, round: &OpenRound, player: &PlayerId) -> bool {
        let stakes = round.game.table_stakes();
        stakes.is_none_or(|stakes| stakes.own_slots(player).iter().all(|slot| self.held.contains_key(slot)))
    }

    /// Takes a reply's entries as far as they come next, and checks the rest of the reply. `false` if earlier entries
    /// are still missing.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn reply(&mut self, player: &PlayerId, on_log: &[OnLog], accepted: &Accepted) -> Result<bool, Flaw> {
        let mut in_order: Vec<&OnLog> = on_log.iter().collect();
        in_order.sort_by_key(|on_log| on_log.index);
        let mut own_is_last = false;
        for one in in_order {
            if self.knows(one)? {
                continue;
            }
            if one.entry.at.as_ref().is_none_or(|at| at.seq != self.next_seq) {
                return Ok(false);
            }
            self.apply(one, &accepted.openings)?;
            own_is_last = on_log.first().is_some_and(|own| own.index == one.index);
        }
        if own_is_last {
            if let Some(balance) = accepted.balance {
                same("the balance", &self.funds(player), &balance)?;
            }
            accepted.round.as_ref().map_or(Ok(()), |view| self.check_view(view))?;
        }
        Ok(true)
    }

    /// Checks the public view of the round, if no later entry was seen.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn check_view(&self, view: &RoundView) -> Result<(), Flaw> {
        let table = self.at();
        let own = match view.phase {
            ViewPhase::Betting => table.and_then(Table::window).map(|window| RoundView::of_window(window, &self.table)),
            ViewPhase::Called => table.and_then(Table::call).map(|call| RoundView::of_call(call, &self.table)),
            _ => self.round().map(|round| RoundView::of(round, &self.table, |player| self.funds(player))),
        };
        let mut own = own.ok_or_else(|| Flaw::differs("the round on view", "none", &view.id))?;
        // The options of strangers follow from their balances, which are not known here.
        for (own, said) in own.decisions.iter_mut().zip(&view.decisions) {
            if !self.own.contains_key(&own.player) {
                own.options.clone_from(&said.options);
            }
        }
        same_view(&own, view)
    }
}

/// Compares two views of a round, and names the first part that differs.
fn same_view(own: &RoundView, said: &RoundView) -> Result<(), Flaw> {
    let text = |view: &RoundView| serde_json::to_string(view).unwrap_or_default();
    if text(own) == text(said) {
        return Ok(());
    }
    let value = |view: &RoundView| serde_json::to_value(view).unwrap_or_default();
    let (own, said) = (value(own), value(said));
    let fields = || own.as_object().into_iter().chain(said.as_object()).flatten().map(|(field, _)| field);
    let of = |view: &serde_json::Value, field: &str| format!("{field}: {}", view.get(field).unwrap_or_default());
    match fields().find(|field| own.get(field) != said.get(field)) {
        None => Ok(()),
        Some(field) => {
            Err(Flaw::Differs { what: "the round on view", expected: of(&own, field), found: of(&said, field) })
        }
    }
}
