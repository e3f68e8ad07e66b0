//! Entries that follow each other, each decided again on the house's state and compared with what is logged
//! (spec/audit.md, "How an entry is checked", "In pieces"). Remembers nothing that the state does not hold.

use super::claims::{Asked, ClaimsDealer};
use super::default_play::UnjudgedVoid;
use super::difference::difference;
use super::events::Came;
use super::lean::{WithheldRound, standing, withheld};
use super::once::same_within;
use super::table_after::TableAfter;
use super::{Check, Finding, Reading};
use crate::{overdue_words, utc};
use fairshoe_fairness::{Epoch, Origin, PlayerId, TableId};
use fairshoe_games::Ahead;
use fairshoe_house::{
    Account, Actor, Command, Corrupt, DecideError, Entry, Event, Holder, KEY_DELAY_MS, NoState, OpenRound, PlayerKey,
    PostingError, Refusal, STATE_INTERVAL, SeenCheckpoint, Shoe, State, StateRoot, Table, root_of_lines,
};
use fairshoe_tlog::PublicKey;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A piece of the log: entries that follow each other, each decided again and compared, on the house's state alone. The
/// book remembers the rest of the log: it takes in the result of each entry ([`Judged`]), piece after piece
/// (spec/audit.md, "In pieces").
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    pub(super) state: State,
    /// The state's root after the last whole interval, which the log may name until the next.
    pub(super) root: Option<StateRoot>,
    /// The state with which it began, where that is not the empty one.
    #[serde(skip)]
    pub(super) given: Option<GivenState>,
    /// In a bundle: whether the table's own entries have begun.
    #[serde(skip)]
    begun: bool,
}

/// The checkpoint that an entry's reveal says its client saw.
pub(super) fn saw(entry: &Entry) -> Option<&SeenCheckpoint> {
    if let Command::Reveal { saw, .. } = &entry.command { saw.as_ref() } else { None }
}

/// A state that a piece began with, which was not made of the entries before it.
#[derive(Clone, Debug)]
pub(super) struct GivenState {
    pub size: u64,
    pub root: StateRoot,
    /// The entries of tables that did not rest then, since they did.
    pub since: Vec<Entry>,
    pub house: i64,
    pub cage: i64,
    pub rake: i64,
}

/// The result of one entry, for [`Book::take`](super::Book::take).
pub struct Judged {
    pub(super) index: u64,
    /// The finding, where its bytes are no entry.
    pub(super) read: Result<Box<Steps>, Finding>,
}

impl Judged {
    /// Whether it ends the piece.
    pub fn is_finding(&self) -> bool {
        self.read.as_ref().map_or(true, |steps| steps.finding.is_some())
    }

    /// The checkpoint that the entry's reveal says its client saw, for one who holds the tree.
    pub fn saw(&self) -> Option<&SeenCheckpoint> {
        self.entry().and_then(saw)
    }

    /// The result of an entry that is not the next: it is not looked at.
    pub(super) fn unread(index: u64) -> Judged {
        Judged { index, read: Err(Finding::at(Check::EntryOrder, index, None, "the entry is not the next")) }
    }

    /// The entry, where its decision is what it says.
    pub fn entry(&self) -> Option<&Entry> {
        self.read.as_ref().ok()?.decided.as_ref().map(|decided| &decided.entry)
    }
}

/// The steps of a check, in their order: each that the piece came to.
#[derive(Default)]
pub(super) struct Steps {
    /// At a start of the dealer, the log's name.
    pub origin: Option<Origin>,
    /// Its epoch, if time and place are right.
    pub epoch: Option<Epoch>,
    /// The entry, if its decision is what it says.
    pub decided: Option<Decided>,
    /// The finding, which comes after everything else here.
    pub finding: Option<Finding>,
}

/// An entry that is as it was decided again, and what the state has that the book counts or remembers.
pub(super) struct Decided {
    pub entry: Entry,
    pub asked: Asked,
    /// The shoes in use at its table before it.
    pub shoes: Vec<Arc<Shoe>>,
    /// The round that it voided.
    pub voided: Option<UnjudgedVoid>,
    /// Void rounds that its table remembers after it.
    pub remembered: Vec<u64>,
    /// Whether it is by no signature about a player who has a key.
    pub unsigned: bool,
    /// At a start of the dealer, how the rounds stood that it met.
    pub stood: Vec<(TableId, Ahead)>,
    /// The stakes in rounds that ended in it for want of a seed.
    pub withheld: Vec<WithheldRound>,
    /// A state before the piece that it names.
    pub named: Option<(u64, StateRoot)>,
    /// Its table after it, where that is open.
    pub table: Option<TableAfter>,
    /// Its effect on its tournament.
    pub came: Option<Came>,
}

impl Piece {
    /// The first piece of a log.
    pub fn new() -> Piece {
        Piece::default()
    }

    /// The piece that begins with the state after `size` entries, from its lines ([`State::from_lines`]). `entry` finds
    /// entries of the log that came before, of tables that did not rest then: whether they are the log's is for the
    /// caller to know.
    ///
    /// # Errors
    /// What no house's state is.
    pub fn begin<'l>(
        size: u64,
        lines: impl Iterator<Item = &'l str> + Clone,
        entry: &mut dyn FnMut(u64) -> Result<Entry, String>,
    ) -> Result<Piece, NoState> {
        let root = root_of_lines(lines.clone());
        let mut since = Vec::new();
        let state = State::from_lines(size, lines, &mut |index| {
            let entry = entry(index)?;
            since.push(entry.clone());
            Ok(entry)
        })?;
        let balance = |account: Account| state.ledger().balance(&account).unwrap_or_default();
        let (house, cage, rake) = (balance(Account::House), balance(Account::Cage), balance(Account::Rake));
        let given = Some(GivenState { size, root, since, house, cage, rake });
        let root = Some(root).filter(|_| size.is_multiple_of(STATE_INTERVAL));
        Ok(Piece { state, root, given, begun: false })
    }

    /// The state with which it began: after how many entries, and its root. Absent for a log's first piece.
    pub fn began(&self) -> Option<(u64, StateRoot)> {
        self.given.as_ref().map(|given| (given.size, given.root))
    }

    /// Whether the next piece begins with the state that this one has come to.
    ///
    /// # Errors
    /// The finding that the state cannot be written, which no state causes.
    pub fn leads_to(&self, next: &Piece) -> Result<bool, Finding> {
        Ok(next.began() == Some((self.size(), self.root()?)))
    }

    /// A table as it stands after the entries so far.
    pub fn table(&self, id: &TableId) -> Option<&Table> {
        self.state.table(id)
    }

    /// How many entries come before the next.
    pub fn size(&self) -> u64 {
        self.state.size()
    }

    /// The root of the state as it stands, which the next piece must begin with.
    ///
    /// # Errors
    /// The finding that the state cannot be written, which no state causes.
    pub fn root(&self) -> Result<StateRoot, Finding> {
        match self.root {
            Some(root) if self.state.size().is_multiple_of(STATE_INTERVAL) => Ok(root),
            _ => root_of(&self.state, self.size()),
        }
    }

    /// For one table's entries out of a log: balances are taken on the log's word.
    pub(crate) fn partial(origin: Option<Origin>) -> Self {
        Piece { state: State::partial(origin), ..Piece::default() }
    }

    /// The same from the table's opening on, under this epoch.
    pub(super) fn of_table(origin: Origin, epoch: Epoch) -> Self {
        let mut piece = Piece { begun: true, ..Piece::partial(Some(origin)) };
        piece.state.assume_epoch(epoch);
        piece
    }

    /// Takes in how the table stands before a bundle's first entry of it, as that entry states it; `earliest` is the
    /// earliest time, UTC milliseconds, at which the entry before can have been.
    pub(crate) fn stand_before(&mut self, first: &Entry, earliest: u64) -> Result<(), &'static str> {
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

    /// Decides the next entry again, compares, and applies it. After a finding the piece is closed: nothing more is to
    /// be judged.
    pub fn judge(&mut self, Reading { index, entry }: Reading) -> Judged {
        let read = entry.map(|entry| {
            let mut steps = Box::<Steps>::default();
            steps.finding = self.step(index, entry, &mut steps).err();
            steps
        });
        Judged { index, read }
    }

    fn step(&mut self, index: u64, entry: Entry, steps: &mut Steps) -> Result<(), Finding> {
        let at = |check, message: String| Finding::at(check, index, entry.command.table(), message);
        if let Command::StartDealer { origin, .. } = &entry.command {
            steps.origin = Some(origin.clone());
        }
        if entry.time < self.state.last_time() {
            let what = format!(
                "the entry's time {} is before {}, the time of the entry before it",
                entry.time,
                self.state.last_time()
            );
            return Err(at(Check::Time, what));
        }
        self.check_place(index, &entry)?;
        self.check_overdue(index, &entry)?;
        if let Command::StartDealer { epoch, .. } = &entry.command {
            steps.epoch = Some(*epoch);
        }
        let waits = self.state.recovering() > 0 && (self.begun || !self.state.is_partial());
        if waits && !entry.command.may_precede_recovery() {
            let what = format!(
                "{} table(s) have not been put in order after the dealer's start: a house that passes a table over hides its shoe and its bets",
                self.state.recovering()
            );
            return Err(at(Check::Recovery, what));
        }
        if let (true, Actor::Player(player)) = (self.state.is_partial(), &entry.by) {
            self.state.assume_player(player);
        }
        let asked = match &entry.command {
            Command::SetKey { player, key, reason } if self.state.is_partial() => {
                self.key_alone(index, &entry, player, *key, reason.is_some())?;
                Asked::default()
            }
            _ => self.decide(index, &entry)?,
        };
        self.fold(index, entry, asked, steps)
    }

    /// The command decided again is the entry; what its decision asked of the dealer.
    fn decide(&mut self, index: u64, entry: &Entry) -> Result<Asked, Finding> {
        let at = |check, message: String| Finding::at(check, index, entry.command.table(), message);
        if self.state.is_partial() && entry.at.is_some() {
            self.state.take_stated(entry).map_err(|why| at(Check::Posting, why.into()))?;
        }
        let table = entry.command.table().and_then(|id| self.state.table(id));
        let dealer = ClaimsDealer::new(index, &entry.events, table);
        let decided = self.state.decide_signed(&dealer, entry.time, &entry.by, entry.signed.as_ref(), &entry.command);
        let mut decided = decided.map_err(|declined| refused(index, entry, &declined))?;
        if self.state.is_partial()
            && let (Some(Event::DealerStarted { down_ms, .. }), Some(Event::DealerStarted { down_ms: stated, .. })) =
                (decided.events.first_mut(), entry.events.first())
        {
            // How long the dealer was down is the log's word: the entry before need not be there.
            *down_ms = *stated;
        }
        if let Some((check, message)) = difference(&decided, entry) {
            let again = check == Check::FaceChanged && dealer.shows_again();
            return Err(at(if again { Check::CardTooOften } else { check }, message));
        }
        if let Command::NoteState { size, root } = &entry.command {
            self.check_state(index, *size, *root)?;
        }
        Ok(dealer.into_asked())
    }

    /// The state that an entry names has that root; that it may be named was decided.
    fn check_state(&self, index: u64, size: u64, named: StateRoot) -> Result<(), Finding> {
        if self.is_before(size) {
            return Ok(());
        }
        let root = if size == self.state.size() { Some(root_of(&self.state, index)?) } else { self.root };
        if root == Some(named) {
            return Ok(());
        }
        Err(wrong_state(index, size, named, root))
    }

    /// Whether the state after so many entries is one before the piece: its root is the book's to know.
    fn is_before(&self, size: u64) -> bool {
        self.given.as_ref().is_some_and(|given| size < given.size)
    }

    /// A player's key seen without the entries before it: it must be what was asked for, and under a fresh nonce. The
    /// log's word is taken that it was allowed: the key before it, which had to sign, need not be in the bundle.
    fn key_alone(
        &self,
        index: u64,
        entry: &Entry,
        player: &PlayerId,
        key: Option<PlayerKey>,
        has_reason: bool,
    ) -> Result<(), Finding> {
        let usable = |key: &PlayerKey| PublicKey::from_bytes(key.as_bytes()).is_some();
        let allowed = match &entry.by {
            Actor::Player(name) => name == player && !has_reason,
            by => *by == Actor::Operator && has_reason,
        };
        let refusal = match (&entry.by, entry.signed) {
            (Actor::Player(name), Some(signed)) if signed.nonce.get() <= self.state.last_nonce(name) => {
                Some(Refusal::NonceUsed { given: signed.nonce.get(), last: self.state.last_nonce(name) })
            }
            (Actor::Player(_), _) | (_, None) if !allowed => {
                Some(Refusal::NotAllowed("players set their own keys, and the operator gives a reason"))
            }
            (Actor::Player(_), _) | (_, None) => key.filter(|key| !usable(key)).map(|_| Refusal::KeyRefused),
            _ => Some(Refusal::NoKey(entry.by.clone())),
        };
        if let Some(refusal) = refusal {
            return Err(refused(index, entry, &refusal.into()));
        }
        let from = has_reason.then(|| entry.time.saturating_add(KEY_DELAY_MS));
        // Which key is in force until the operator's comes into force is the log's word, too.
        let stated = |event: &Event| if let Event::KeySet { old, .. } = event { *old } else { None };
        let old = entry.events.iter().find_map(stated).filter(|old| has_reason && usable(old));
        let set = Event::KeySet { player: player.clone(), key, from, old };
        let expected = Entry { before: Vec::new(), events: vec![set], ..entry.clone() };
        let differs = difference(&expected, entry);
        differs.map_or(Ok(()), |(check, message)| Err(Finding::at(check, index, None, message)))
    }

    /// Checks that every earlier duty of the house is done, or was due for less than the grace.
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
        Err(Finding::at(Check::Overdue, index, late.table.as_ref(), what))
    }

    /// The entry stands where the command's table is, with the number that comes next there.
    fn check_place(&self, index: u64, entry: &Entry) -> Result<(), Finding> {
        let table = entry.command.table();
        let at = |message: String| Err(Finding::at(Check::TableSeq, index, table, message));
        if entry.at.as_ref().map(|at| &at.table) != table {
            return at("the entry is filed under another table than its command's".into());
        }
        let next_of = |id| {
            let of_event = || self.state.tournament(id).map(|event| event.next_seq);
            self.state.table(id).map(|table| table.next_seq).or_else(of_event)
        };
        let next = table.and_then(next_of);
        match (&entry.at, next) {
            (Some(given), Some(next)) if given.seq != next => {
                let what =
                    if given.seq > next { "entries before it are missing" } else { "its place is taken already" };
                at(format!(
                    "the entry is number {} of table {}, number {next} comes next: {what}",
                    given.seq, given.table
                ))
            }
            _ => Ok(()),
        }
    }

    fn fold(&mut self, index: u64, entry: Entry, asked: Asked, steps: &mut Steps) -> Result<(), Finding> {
        let table = entry.command.table().cloned();
        let decided = steps.decided.insert(Decided {
            asked,
            shoes: table.as_ref().and_then(|id| self.state.table(id)).map(shoes_of).unwrap_or_default(),
            voided: table.as_ref().and_then(|id| self.voided(index, &entry, id)),
            remembered: Vec::new(),
            unsigned: self.is_unsigned(&entry),
            stood: self.stood(&entry),
            withheld: table
                .as_ref()
                .and_then(|id| self.state.table(id))
                .map(|table| withheld(table, &entry))
                .unwrap_or_default(),
            named: match &entry.command {
                Command::NoteState { size, root } if self.is_before(*size) => Some((*size, *root)),
                _ => None,
            },
            table: None,
            came: table.as_ref().and_then(|id| self.state.tournament(id)).and_then(|event| Came::before(&entry, event)),
            entry,
        });
        let entry = &decided.entry;
        self.apply(index, entry)?;
        let Some(id) = &table else { return Ok(()) };
        if let (Some(came), Some(event)) = (&mut decided.came, self.state.tournament(id)) {
            came.after(entry, event);
        }
        if let Some(what) = same_within(&entry.events) {
            return Err(Finding::at(Check::RootReused, index, Some(id), what));
        }
        let after = self.state.table(id);
        decided.remembered = after.iter().flat_map(|table| &table.voided).map(|void| void.round_no).collect();
        decided.table = after.map(TableAfter::of);
        Ok(())
    }

    /// Whether it takes from a player who has a key, or gives a token of theirs, and they did not sign it.
    fn is_unsigned(&self, entry: &Entry) -> bool {
        let player = match &entry.command {
            Command::Withdraw { player, .. }
            | Command::TransferOut { player, .. }
            | Command::WalletWithdraw { player, .. }
            | Command::Correct { player, .. } => player,
            Command::IssueToken { holder: Holder::Player(player), .. } => player,
            _ => return false,
        };
        entry.signed.is_none() && self.state.key_at(player, entry.time).is_some()
    }

    /// How the rounds stand that a start of the dealer meets.
    fn stood(&self, entry: &Entry) -> Vec<(TableId, Ahead)> {
        if !matches!(entry.command, Command::StartDealer { .. }) {
            return Vec::new();
        }
        self.state.tables().filter_map(|table| Some((table.id.clone(), standing(table)?))).collect()
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
        let funds =
            round.contributors.iter().map(|c| (c.placed.player.clone(), self.state.funds(&c.placed.player))).collect();
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
}

/// An entry names another state than the log makes.
pub(super) fn wrong_state(index: u64, size: u64, named: StateRoot, root: Option<StateRoot>) -> Finding {
    let root = root.map_or("not known".to_owned(), |root| root.to_string());
    Finding::at(
        Check::StateNoted,
        index,
        None,
        format!("the state after {size} entries is {root}, the entry says {named}"),
    )
}

fn root_of(state: &State, index: u64) -> Result<StateRoot, Finding> {
    state.root().map_err(|e| Finding::at(Check::Broken, index, None, format!("the state cannot be written: {e}")))
}

/// The shoes in use at a table: a game's earlier piles, then the one that is dealt from.
pub(super) fn shoes_of(table: &Table) -> Vec<Arc<Shoe>> {
    let piles = table.round.iter().flat_map(|round| &round.piles);
    piles.chain(&table.shoe).cloned().collect()
}

fn refused(index: u64, entry: &Entry, declined: &DecideError) -> Finding {
    let table = entry.command.table();
    match declined {
        DecideError::Refused(refusal) => {
            let what = format!("the house must refuse this command of {} ({}): {refusal}", entry.by, refusal.code());
            let signature = matches!(
                refusal,
                Refusal::SignatureMissing(_)
                    | Refusal::SignatureWrong(_)
                    | Refusal::NonceUsed { .. }
                    | Refusal::NoKey(_)
            );
            Finding::at(if signature { Check::Signature } else { Check::Refused }, index, table, what)
        }
        DecideError::Dealer(error) => Finding::at(Check::Broken, index, table, error.to_string()),
        DecideError::Broken(why) => {
            Finding::at(Check::Broken, index, table, format!("the rules cannot be carried out here: {why}"))
        }
    }
}
