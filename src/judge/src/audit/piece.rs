use super::claims::{Asked, ClaimsDealer};
use super::default_play::UnjudgedVoid;
use super::difference::difference;
use super::late::{Complete, LateVoids};
use super::once::{Once, all_in, same_within};
use super::shoe::{ShoeCheck, ShoeClaims};
use super::{Check, Finding};
use crate::{overdue_words, utc};
use fairshoe_fairness::{Epoch, Origin, PlayerId, TableId};
use fairshoe_house::{
    Actor, Command, Corrupt, Declined, Entry, Event, KEY_DELAY_MS, OpenRound, PlayerKey, PostingError, Refusal, STATE_INTERVAL, Shoe,
    State, StateRoot, Table, kept,
};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Decides logged commands again and compares, entry by entry: the heart of the book and of a bundle.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Replay {
    pub state: State,
    #[serde(with = "kept::pairs")]
    pub shoes: HashMap<(TableId, u64), ShoeClaims>,
    epochs: HashSet<Epoch>,
    /// The state's root after the last whole interval, which the log may name until the next.
    root: Option<StateRoot>,
    /// What the entries since it was taken last commit to and publish.
    #[serde(skip)]
    once: Vec<Once>,
    late: LateVoids,
    /// Of a bundle, whether the table's own entries have begun.
    #[serde(skip)]
    begun: bool,
}

impl Replay {
    /// For one table's entries out of a log: balances are taken on the log's word.
    pub fn partial(origin: Option<Origin>) -> Self {
        Replay { state: State::partial(origin), ..Replay::default() }
    }

    /// Takes in how the table stands before a bundle's first entry of it, as that entry states it; `earliest` is the earliest time,
    /// UTC milliseconds, at which the entry before can have been.
    pub fn begin(&mut self, first: &Entry, earliest: u64) -> Result<(), &'static str> {
        self.begun = true;
        let (mut shoe, mut noted) = (0, None);
        for event in &first.events {
            match event {
                Event::ShoeCommitted { shoe_no, .. } => shoe = *shoe_no,
                Event::TableNoted(stated) => noted = noted.or(Some(stated)),
                _ => {}
            }
        }
        let seq = first.at.as_ref().map(|at| at.seq).unwrap_or_default();
        noted.map_or(Ok(()), |noted| noted.can_follow(seq, shoe, earliest))?;
        self.state.stand_at(first)
    }

    /// Checks and applies one entry. What it says about shoes comes back as work when their seeds are out.
    pub fn step(&mut self, index: u64, entry: &Entry) -> Result<Vec<ShoeCheck>, Finding> {
        let at = |check, message: String| Finding::at(check, index, entry.command.table(), message);
        if entry.time < self.state.last_time() {
            let what = format!("the entry's time {} is before {}, the time of the entry before it", entry.time, self.state.last_time());
            return Err(at(Check::Time, what));
        }
        self.check_overdue(index, entry)?;
        self.check_place(index, entry)?;
        if let Command::StartDealer { epoch, .. } = &entry.command
            && !self.epochs.insert(*epoch)
        {
            return Err(at(
                Check::EpochReused,
                format!("the dealer starts with epoch {epoch}, which was used before: its shoes could be dealt again"),
            ));
        }
        // A state's name is refused meanwhile, by its own rule.
        let has_a_rule = matches!(
            entry.command,
            Command::StartDealer { .. }
                | Command::StopDealer {}
                | Command::NoteRefusedStart { .. }
                | Command::Recover { .. }
                | Command::NoteState { .. }
        );
        if self.state.recovering() > 0 && (self.begun || !self.state.is_partial()) && !has_a_rule {
            let what = format!(
                "{} table(s) have not been put in order after the dealer's start: a house that passes a table over hides its shoe and its bets",
                self.state.recovering()
            );
            return Err(at(Check::Recovery, what));
        }
        if let (true, Actor::Player(player)) = (self.state.is_partial(), &entry.by) {
            self.state.assume_player(player);
        }
        if self.state.is_partial() && entry.at.is_none() {
            match &entry.command {
                Command::CreatePlayer { player, .. } if self.state.ledger().player(player).is_some() => {
                    return Err(refused(index, entry, &Declined::Refused(Refusal::PlayerExists(player.clone()))));
                }
                Command::StartDealer { .. } => start_alone(entry).map_err(|message| at(Check::Start, message))?,
                _ => self.key_alone(entry).map_err(|message| at(Check::Signature, message))?,
            }
            return self.fold(index, entry, Asked::default());
        }
        if self.state.is_partial() {
            self.state.take_stated(entry).map_err(|why| at(Check::Posting, why.into()))?;
        }
        let table = entry.command.table().and_then(|id| self.state.table(id));
        let dealer = ClaimsDealer::new(index, &entry.events, &table.map(shoes_of).unwrap_or_default());
        let decided = self.state.decide_signed(&dealer, entry.time, &entry.by, entry.signed.as_ref(), &entry.command);
        let decided = decided.map_err(|declined| refused(index, entry, &declined))?;
        if let Some((check, message)) = difference(&decided, entry) {
            return Err(at(check, message));
        }
        if let Command::NoteState { size, root } = &entry.command {
            self.check_state(index, *size, *root)?;
        }
        let asked = dealer.into_asked();
        self.fold(index, entry, asked)
    }

    /// The state that an entry names has that root; that it may be named was decided.
    fn check_state(&self, index: u64, size: u64, named: StateRoot) -> Result<(), Finding> {
        let root = if size == self.state.size() { Some(root_of(&self.state, index)?) } else { self.root };
        if root == Some(named) {
            return Ok(());
        }
        let root = root.map_or("not known".to_owned(), |root| root.to_string());
        Err(Finding::at(Check::StateNoted, index, None, format!("the state after {size} entries is {root}, the entry says {named}")))
    }

    /// A player's key seen without the entries before it: it must be what was asked for, and under a fresh nonce. That it was
    /// allowed is the log's word: the key before it, which had to sign, need not be in the bundle.
    fn key_alone(&self, entry: &Entry) -> Result<(), String> {
        let set = |player: &PlayerId, key: &Option<PlayerKey>| Event::KeySet { player: player.clone(), key: *key, from: None, old: None };
        // Which key is in force until an operator's comes into force is the log's word, too.
        let old = entry.events.iter().find_map(|event| if let Event::KeySet { old, .. } = event { *old } else { None });
        let from = Some(entry.time.saturating_add(KEY_DELAY_MS));
        let own = |player: &PlayerId| entry.by == Actor::Player(player.clone());
        let (allowed, events) = match &entry.command {
            Command::CreatePlayer { player, key: key @ Some(_) } => {
                let created = Event::PlayerCreated { player: player.clone() };
                (entry.by == Actor::Operator && entry.signed.is_none(), vec![created, set(player, key)])
            }
            Command::SetKey { player, key, reason: Some(_) } => {
                let set_later = Event::KeySet { player: player.clone(), key: *key, from, old };
                (entry.by == Actor::Operator && entry.signed.is_none(), vec![set_later])
            }
            Command::SetKey { player, key, reason: None } => (own(player), vec![set(player, key)]),
            _ => return Err("an entry of no table that is no dealer's start and sets no key does not belong here".into()),
        };
        if !allowed || !entry.before.is_empty() || entry.events != events {
            return Err("the entry sets another key than was asked for, or not by whom it must be".into());
        }
        match (&entry.by, entry.signed) {
            (Actor::Player(player), Some(signed)) if signed.nonce.get() <= self.state.last_nonce(player) => {
                Err(format!("nonce {} of {player} was used before", signed.nonce))
            }
            _ => Ok(()),
        }
    }

    /// What the house had to do before this entry is done, or was due for less than the grace.
    fn check_overdue(&self, index: u64, entry: &Entry) -> Result<(), Finding> {
        if matches!(entry.command, Command::StartDealer { .. }) {
            return Ok(());
        }
        let overdue = match (self.state.is_partial(), entry.command.table()) {
            (false, _) => self.state.overdue(entry.time),
            (true, table) => table.and_then(|table| self.state.overdue_in_bundle(table, entry.time)),
        };
        let Some(late) = overdue else { return Ok(()) };
        let what = format!("by {} this had not happened: {}", utc(entry.time), overdue_words(&late));
        Err(Finding::at(Check::Overdue, index, Some(&late.table), what))
    }

    /// How many cards of the shoes in use at a table were shown, and spins of its wheel.
    pub fn cards_shown(&self, table: &Table) -> u64 {
        let shoes = shoes_of(table);
        let claims = shoes.iter().filter_map(|shoe| self.shoes.get(&(table.id.clone(), shoe.id.shoe_no)));
        claims.map(|claims| claims.faces.len() as u64).sum()
    }

    /// Rounds of tables that were void for want of seeds, and whose seeds have not come.
    pub fn awaiting_late_seeds(&self) -> impl Iterator<Item = &UnjudgedVoid> {
        self.late.waiting()
    }

    /// The entry stands where the command's table is, with the number that comes next there.
    fn check_place(&self, index: u64, entry: &Entry) -> Result<(), Finding> {
        let table = entry.command.table();
        let at = |message: String| Err(Finding::at(Check::TableSeq, index, table, message));
        if entry.at.as_ref().map(|at| &at.table) != table {
            return at("the entry is filed under another table than its command's".into());
        }
        let next = table.and_then(|table| self.state.table(table)).map(|table| table.next_seq);
        match (&entry.at, next) {
            (Some(given), Some(next)) if given.seq != next => {
                let what = if given.seq > next { "entries before it are missing" } else { "its place is taken already" };
                at(format!("the entry is number {} of table {}, number {next} comes next: {what}", given.seq, given.table))
            }
            _ => Ok(()),
        }
    }

    fn fold(&mut self, index: u64, entry: &Entry, asked: Asked) -> Result<Vec<ShoeCheck>, Finding> {
        let Some(id) = entry.command.table() else {
            self.apply(index, entry)?;
            return Ok(Vec::new());
        };
        let shoes = self.state.table(id).map(shoes_of).unwrap_or_default();
        self.remember(id, &shoes, asked)?;
        if let (Some(voided), Some(shoe)) = (self.voided(index, entry, id), shoes.last()) {
            // Voids before the first card burn nothing, so that a shoe may have any number of them: they wait as long as the
            // table remembers them.
            match voided.round.lanes {
                Some(_) => self.shoes.entry((id.clone(), shoe.id.shoe_no)).or_default().voids.push(voided),
                None => self.late.remember(voided, shoe.clone()),
            }
        }
        self.apply(index, entry)?;
        self.note_once(index, entry, id, &shoes)?;
        let mut checks = self.checks(index, entry, id, &shoes);
        checks.extend(self.finish_late(index, entry, id));
        Ok(checks)
    }

    /// Void rounds whose last seed has come, or whose seeds cannot come any more.
    fn finish_late(&mut self, index: u64, entry: &Entry, id: &TableId) -> Vec<ShoeCheck> {
        self.late.shoes_out(id, entry);
        let mut ready = Vec::new();
        for event in &entry.events {
            let Event::SeedLate { round_no, player, seed } = event else { continue };
            match self.late.seed_late(index, id, *round_no, player, seed) {
                Some(Complete::Waits(shoe_no, voided)) => self.shoes.entry((id.clone(), shoe_no)).or_default().voids.push(voided),
                Some(Complete::Ready(check)) => ready.push(check),
                None => {}
            }
        }
        ready.extend(self.late.forgotten(id, self.state.table(id)));
        ready
    }

    /// Each root and each seed is that of one candidate of one shoe alone: those of this shoe are held against each other here,
    /// against all others of the log by whoever takes them.
    fn note_once(&mut self, index: u64, entry: &Entry, id: &TableId, shoes: &[Arc<Shoe>]) -> Result<(), Finding> {
        if let Some(what) = same_within(&entry.events) {
            return Err(Finding::at(Check::RootReused, index, Some(id), what));
        }
        self.once.extend(all_in(index, id, shoes.last().map(|shoe| shoe.id.shoe_no), &entry.events));
        Ok(())
    }

    /// What must stand once in a log, of the entries since this was asked last.
    pub fn take_once(&mut self) -> Vec<Once> {
        std::mem::take(&mut self.once)
    }

    fn remember(&mut self, id: &TableId, shoes: &[Arc<Shoe>], asked: Asked) -> Result<(), Finding> {
        for claim in asked.peeks {
            self.shoes.entry((id.clone(), claim.shoe_no)).or_default().peeks.push(claim);
        }
        for claim in asked.faces {
            let shoe = shoes.iter().find(|shoe| shoe.id.shoe_no == claim.shoe_no);
            let not_in_use = || Finding::at(Check::State, claim.entry, Some(id), format!("shoe {} is not in use", claim.shoe_no));
            let shoe = shoe.ok_or_else(not_in_use)?;
            self.shoes.entry((id.clone(), claim.shoe_no)).or_default().face(shoe, claim)?;
        }
        Ok(())
    }

    /// The round as it stood when this entry voided it.
    fn voided(&self, index: u64, entry: &Entry, id: &TableId) -> Option<UnjudgedVoid> {
        let position = entry.events.iter().position(|event| matches!(event, Event::RoundVoided { .. }))?;
        let Some(Event::RoundVoided { cause, ahead, .. }) = entry.events.get(position) else { return None };
        let mut table: Table = self.state.table(id)?.clone();
        for event in entry.events.iter().take(position) {
            table.apply(event).ok()?;
        }
        let round: OpenRound = table.live_round()?.clone();
        let next_spin = table.shoe.as_ref().and_then(|shoe| shoe.undrawn.first().copied());
        let funds = round.contributors.iter().map(|c| (c.placed.player.clone(), self.state.funds(&c.placed.player))).collect();
        Some(UnjudgedVoid { entry: index, table: id.clone(), cause: *cause, ahead: *ahead, round, next_spin, funds })
    }

    fn apply(&mut self, index: u64, entry: &Entry) -> Result<(), Finding> {
        self.state.apply(entry).map_err(|corrupt| {
            let check = match &corrupt {
                Corrupt::TimeWentBack { .. } => Check::Time,
                Corrupt::TableSeq { .. } => Check::TableSeq,
                Corrupt::Posting(PostingError::Unbalanced(_)) => Check::LedgerTotal,
                Corrupt::Posting(_) => Check::Posting,
                Corrupt::Event(_) => Check::State,
            };
            Finding::at(check, index, entry.command.table(), corrupt.to_string())
        })?;
        if !self.state.is_partial() && self.state.size().is_multiple_of(STATE_INTERVAL) {
            self.root = Some(root_of(&self.state, index)?);
        }
        Ok(())
    }

    fn checks(&mut self, index: u64, entry: &Entry, id: &TableId, shoes: &[Arc<Shoe>]) -> Vec<ShoeCheck> {
        let check = |shoe: &Arc<Shoe>, seeds, claims| ShoeCheck {
            entry: index,
            shoe: shoe.clone(),
            seeds,
            sealed: None,
            claims,
            derived_before: false,
        };
        let mut work = Vec::new();
        for event in &entry.events {
            match event {
                Event::RoundOpened { pick, others, .. } if !others.is_empty() => {
                    let seeds = (0..=u8::MAX).filter(|k| k != pick).zip(others.iter().cloned()).collect();
                    work.extend(shoes.last().map(|shoe| check(shoe, seeds, ShoeClaims::default())));
                }
                Event::ShoeRevealed { shoe_no, seeds, .. } => {
                    let claims = self.shoes.remove(&(id.clone(), *shoe_no)).unwrap_or_default();
                    let shoe = shoes.iter().find(|shoe| shoe.id.shoe_no == *shoe_no);
                    work.extend(shoe.map(|shoe| check(shoe, (0..=u8::MAX).zip(seeds.iter().cloned()).collect(), claims)));
                }
                Event::ShoeSealed { shoe_no, openings } => {
                    let claims = self.shoes.remove(&(id.clone(), *shoe_no)).unwrap_or_default();
                    let shoe = shoes.iter().find(|shoe| shoe.id.shoe_no == *shoe_no);
                    work.extend(shoe.map(|shoe| ShoeCheck { sealed: Some(openings.clone()), ..check(shoe, Vec::new(), claims) }));
                }
                _ => {}
            }
        }
        work
    }
}

fn root_of(state: &State, index: u64) -> Result<StateRoot, Finding> {
    state.root().map_err(|e| Finding::at(Check::Broken, index, None, format!("the state cannot be written: {e}")))
}

/// The shoes in use at a table: a game's earlier piles, then the one that is dealt from.
pub(super) fn shoes_of(table: &Table) -> Vec<Arc<Shoe>> {
    let piles = table.round.iter().flat_map(|round| &round.piles);
    piles.chain(&table.shoe).cloned().collect()
}

fn refused(index: u64, entry: &Entry, declined: &Declined) -> Finding {
    let table = entry.command.table();
    match declined {
        Declined::Refused(refusal) => {
            let what = format!("the house must refuse this command of {} ({}): {refusal}", entry.by, refusal.code());
            let signature = matches!(
                refusal,
                Refusal::SignatureMissing(_) | Refusal::SignatureWrong(_) | Refusal::NonceUsed { .. } | Refusal::NoKey(_)
            );
            Finding::at(if signature { Check::Signature } else { Check::Refused }, index, table, what)
        }
        Declined::Dealer(error) => Finding::at(Check::Broken, index, table, error.to_string()),
        Declined::Broken(why) => Finding::at(Check::Broken, index, table, format!("the rules cannot be carried out here: {why}")),
    }
}

/// A start seen without the entries before it: it must state what was asked for; how long the dealer was down is the
/// log's word.
fn start_alone(entry: &Entry) -> Result<(), String> {
    let Command::StartDealer { origin, epoch, master_id, .. } = &entry.command else { return Err("this is no start".into()) };
    match entry.events.as_slice() {
        [Event::DealerStarted { origin: stated, epoch: fresh, master_id: key, .. }]
            if (stated, fresh, key) == (origin, epoch, master_id)
                && entry.by == Actor::House
                && entry.before.is_empty()
                && entry.signed.is_none() =>
        {
            Ok(())
        }
        _ => Err("the dealer's start states something else than was asked for".into()),
    }
}
