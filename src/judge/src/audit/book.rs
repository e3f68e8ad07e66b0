//! A whole log judged: entries taken in their order, sums and counts kept, shoes held against their seeds
//! (spec/audit.md, "The report of a book"). Deciding one entry again is `piece.rs`; the tree and the sources are the
//! tools'.

use super::doors::Begun;
use super::events::OwnStructures;
use super::lean::Following;
use super::memory::Memory;
use super::own_rules::OwnRuleSets;
use super::piece::{Decided, GivenState, saw, wrong_state};
use super::report::{OperatorsKeys, count_by_operator};
use super::table_after::TableAfter;
use super::{
    AuditReport, Check, EndedFor, Finding, Given, GoesOnFrom, Judged, Known, Leans, LedgerTotals, Once, OpenShoe,
    OwedHand, Piece, Renamed, ShoeCheck, ShoeVerdict, VoidResult, Voids, Withheld, WithheldAt,
};
use fairshoe_fairness::TableId;
use fairshoe_games::{RoundEvent, RuleSet};
use fairshoe_house::{
    Account, Actor, Command, Entry, EntryError, Event, Overdue, SeenCheckpoint, State, StateRoot, Table, Tournament,
    TournamentEvent, VoidCause, is_for_play,
};
use fairshoe_tournament::Structure;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// How much a report lists by name (counts are always complete), and what is known beforehand.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Most voids, open rounds and open shoes listed, each.
    pub listed: usize,
    /// Most shoes that wait in the book for [`Book::take_checks`] before it checks them itself.
    pub waiting_checks: usize,
    /// Whether somebody else holds against each other what must stand once in the log ([`Book::take_once`]): by default
    /// the book does, in memory, with some hundred bytes a shoe.
    pub once_apart: bool,
    /// The log's name, where it is known: the key's name.
    pub origin: Option<String>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { listed: 1_000, waiting_checks: 0, once_apart: false, origin: None }
    }
}

/// An entry that was read and is not checked yet.
pub struct Reading {
    pub(super) index: u64,
    pub(super) entry: Result<Entry, Finding>,
}

impl Reading {
    /// An entry that was read before.
    pub(crate) fn of(index: u64, entry: Entry) -> Reading {
        Reading { index, entry: Ok(entry) }
    }

    /// The entry, unless its bytes are none.
    pub fn entry(&self) -> Option<&Entry> {
        self.entry.as_ref().ok()
    }

    /// The checkpoint that the entry's reveal says its client saw, for one who holds the tree.
    pub fn saw(&self) -> Option<&SeenCheckpoint> {
        self.entry().and_then(saw)
    }
}

/// Streams a whole log: each entry is decided again and compared, money is added up, shoes are derived when their seeds
/// come out (spec/audit.md, "book"). Memory is bounded by players, tables and the shoes in use, not by the log's
/// length.
#[derive(Default, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Book {
    #[serde(skip)]
    limits: Limits,
    /// The state that the entries so far make; of a book that takes in pieces, that of the last which was joined.
    piece: Piece,
    /// The state's root after the last whole interval of the pieces that were joined.
    #[serde(skip)]
    root: Option<StateRoot>,
    memory: Memory,
    next: u64,
    /// The state with which the book begins, if not with the log.
    given: Option<Given>,
    #[serde(skip)]
    waiting: Vec<ShoeCheck>,
    /// Values that must stand once, if the book keeps them itself.
    known: Known,
    #[serde(skip)]
    once: Vec<Once>,
    report: AuditReport,
    leans: Leans,
    following: Following,
    own_rules: OwnRuleSets,
    /// When operations of the wallet began.
    begun: Begun,
    own_structures: OwnStructures,
    operators_keys: OperatorsKeys,
    /// Hands whose seeds are owed to every auditor, as many as the limits allow, of the entries read now.
    #[serde(skip)]
    owed: Vec<OwedHand>,
    /// The house's gain from the wagers paid so far in each table's round.
    paid_in_round: HashMap<TableId, i64>,
    /// The rake of all pots of poker.
    raked: i64,
    /// The house's gain from wagers in rounds that are over.
    won: i64,
    /// Each table's rounds whose bets closed, and those that were void for want of a seed.
    closed_and_withheld: HashMap<TableId, (u64, u64)>,
    #[serde(skip)]
    failed: Option<Finding>,
}

/// A book without a finding, as it is kept in a file until there are more entries ([`Book::keep`]).
#[derive(Serialize)]
#[serde(transparent)]
pub struct SavedBook<'b>(&'b Book);

fairshoe_fairness::own_json!(Book);

impl Book {
    /// An empty book.
    pub fn new(limits: Limits) -> Self {
        Book { limits, ..Book::default() }
    }

    /// A book that begins with the state that a piece began with, before that piece's first entry: what came before is
    /// taken as given (spec/audit.md, "From a state"). The entries are fed to it; the piece is part of it.
    pub fn from(piece: Piece, limits: Limits) -> Self {
        let mut book = Book { limits, next: piece.size(), memory: Memory::given(&piece.state), ..Book::default() };
        book.begun = Begun::given(&piece.state);
        if let Some(given) = &piece.given {
            book.take_given(given, &piece.state);
        }
        Book { piece, ..book }
    }

    /// Whether what was at this time lies before the state that is taken as given, or may have been of one that lies
    /// before it.
    pub(super) fn begins_after(&self, time: u64) -> bool {
        self.given.as_ref().is_some_and(|given| time <= given.time)
    }

    fn take_given(&mut self, given: &GivenState, state: &State) {
        for entry in &given.since {
            let Some(id) = entry.command.table() else { continue };
            self.pay(id, entry);
            // How the table stood then counts no more; what its players won in the round so far does.
            let table = state.table(id).map(TableAfter::of);
            Leans::default().note(&mut self.following, id, &entry.events, table.as_ref());
        }
        // The payments of rounds in play are in the house's account already.
        self.won = self.paid_in_round.values().fold(given.house, |won, paid| won.saturating_sub(*paid));
        self.raked = given.rake;
        for event in state.tournaments() {
            self.note_rules(event.name(), &event.terms.rules, &event.structure().rules.digest);
            self.note_structure(event.name(), event.structure(), &event.terms.digest);
        }
        for table in state.tables() {
            if table.event.is_none() {
                self.note_rules(&table.id, &table.rules, &table.rules.digest());
            }
            if table.cash().is_some() {
                self.leans.pots.insert(table.id.clone());
            }
        }
        self.given = Some(Given {
            size: given.size,
            root: given.root.to_string(),
            time: state.last_time(),
            players: state.ledger().player_count() as u64,
            tables: state.tables().count() as u64,
            rounds: state.tables().filter(|table| table.live_round().is_some()).count() as u64,
            shoes: self.memory.shoes.len() as u64,
            voids: state.tables().flat_map(|table| &table.voided).count() as u64,
            cage: given.cage,
        });
    }

    /// Reads an entry's bytes, which must be its one encoding: work that another thread may do ahead of the book.
    pub fn read(index: u64, bytes: &[u8]) -> Reading {
        Reading { index, entry: decode(index, bytes) }
    }

    /// Checks the next entry. After a finding the book is closed: every further call gives it again.
    pub fn feed(&mut self, index: u64, bytes: &[u8]) -> Result<(), Finding> {
        self.feed_read(Book::read(index, bytes))
    }

    /// Checks the next entry, which [`Book::read`] has read.
    pub fn feed_read(&mut self, reading: Reading) -> Result<(), Finding> {
        if let Some(finding) = &self.failed {
            return Err(finding.clone());
        }
        if reading.index != self.next {
            return self.take(Judged::unread(reading.index));
        }
        let judged = self.piece.judge(reading);
        self.take(judged)
    }

    /// Takes in what the next entry came to in a piece; the book's own state stays as it is until a piece is joined.
    ///
    /// # Errors
    /// The finding; after it the book is closed.
    pub fn take(&mut self, judged: Judged) -> Result<(), Finding> {
        if let Some(finding) = &self.failed {
            return Err(finding.clone());
        }
        self.take_next(judged).inspect_err(|finding| self.failed = Some(finding.clone()))
    }

    /// Joins the piece whose entries were taken in, before those of the next: its state is the book's from here on.
    pub fn join(&mut self, piece: Piece) {
        self.root = piece.root.or(self.root);
        self.piece = piece;
    }

    fn take_next(&mut self, Judged { index, read }: Judged) -> Result<(), Finding> {
        if index != self.next {
            return Err(Finding::at(
                Check::EntryOrder,
                index,
                None,
                format!("entry {} comes next, entry {index} is given", self.next),
            ));
        }
        let steps = read?;
        if index == 0 && steps.origin.is_none() {
            return Err(Finding::at(
                Check::FirstEntry,
                index,
                None,
                "a log begins with the dealer's start; this one does not",
            ));
        }
        if let (Some(origin), Some(known)) = (&steps.origin, &self.limits.origin)
            && origin.as_str() != known
        {
            return Err(Finding::at(
                Check::Origin,
                index,
                None,
                format!("the dealer starts on the log `{origin}`, this log's key is of `{known}`"),
            ));
        }
        let (decided, checks) = self.memory.take(index, *steps)?;
        if let Some((size, named)) = decided.named.filter(|(_, named)| self.root != Some(*named)) {
            return Err(wrong_state(index, size, named, self.root));
        }
        self.next += 1;
        self.count_of_state(&decided);
        let Decided { entry, table, withheld, came, .. } = decided;
        self.count(&entry, table.as_ref());
        self.report.out.count(&entry);
        self.begun.note(&entry);
        self.report.events.count(&entry, came.as_ref());
        if let Some(came) = came {
            self.leans.cancelled(&came.got);
            came.beside.iter().for_each(|beside| self.leans.disqualified(beside));
        }
        if let Some(id) = entry.command.table() {
            // Guests' rounds would make the counts of tables for money look fairer than they are.
            if !is_for_play(id) {
                self.leans.note(&mut self.following, id, &entry.events, table.as_ref());
            }
        }
        let is_play = entry.command.table().is_some_and(is_for_play);
        let withheld = withheld.into_iter().filter(|_| !is_play);
        withheld.for_each(|round| self.leans.withheld(round));
        self.waiting.extend(checks);
        for once in self.memory.take_once() {
            if self.limits.once_apart {
                self.once.push(once);
            } else {
                self.known.first_time(once)?;
            }
        }
        if self.waiting.len() > self.limits.waiting_checks { self.run_waiting() } else { Ok(()) }
    }

    /// The time of the last entry, UTC milliseconds.
    pub fn last_time(&self) -> u64 {
        self.piece.state.last_time()
    }

    /// Everything the log says, as far as it was read: of a book that takes in pieces, up to the last that was joined.
    pub fn state(&self) -> &State {
        &self.piece.state
    }

    /// A table as it stands after the entries so far.
    pub fn table(&self, id: &TableId) -> Option<&Table> {
        self.piece.state.table(id)
    }

    /// A tournament as it stands after the entries so far.
    pub fn tournament(&self, event: &TableId) -> Option<&Tournament> {
        self.piece.state.tournament(event)
    }

    /// Duties overdue at the log's end, by the auditor's own clock (UTC milliseconds), longest first; as many as the
    /// book's limits allow. Their meaning depends on where the log was read (spec/audit.md, "Overdue").
    pub fn overdue(&self, now: u64) -> Vec<Overdue> {
        self.piece.state.all_overdue(now).take(self.limits.listed).collect()
    }

    /// The shoes that wait to be derived, for a second thread; give each verdict to [`Book::give_back`], in any order.
    pub fn take_checks(&mut self) -> Vec<ShoeCheck> {
        std::mem::take(&mut self.waiting)
    }

    /// Counts the state that an entry met.
    fn count_of_state(&mut self, decided: &Decided) {
        self.leans.restarted(&decided.stood);
        let by_operator =
            decided.entry.by == Actor::Operator && matches!(decided.entry.command, Command::SetKey { .. });
        self.report.keys.by_operator += u64::from(by_operator);
        self.report.keys.unsigned += u64::from(decided.unsigned);
        self.report.by_players.count(&decided.entry, &self.operators_keys);
        self.operators_keys.note(&decided.entry);
        count_by_operator(&mut self.report.by_operator, &decided.entry);
    }

    /// The roots and seeds since this was asked last, for one who holds them against each other
    /// ([`Limits::once_apart`]).
    pub fn take_once(&mut self) -> Vec<Once> {
        std::mem::take(&mut self.once)
    }

    /// Takes in what such a one found. Among findings at one entry, it comes before those of a shoe's seed.
    pub fn came_again(&mut self, finding: Finding) {
        if self.failed.as_ref().is_none_or(|failed| finding.entry <= failed.entry) {
            self.failed = Some(finding);
        }
    }

    /// Takes a shoe's verdict in. The earliest entry at fault wins.
    pub fn give_back(&mut self, verdict: ShoeVerdict) -> Result<(), Finding> {
        for void in verdict.voids {
            if !is_for_play(&void.table) {
                self.leans.void(&void);
            }
            note_void(&mut self.report.voids, void, self.limits.listed);
        }
        if let Some(owed) = verdict.owed {
            self.report.hands_owed += 1;
            self.owed.extend(Some(owed).filter(|_| self.owed.len() < self.limits.listed));
        }
        let Some(finding) = verdict.finding else { return Ok(()) };
        if self.failed.as_ref().is_none_or(|failed| finding.entry < failed.entry) {
            self.failed = Some(finding.clone());
        }
        Err(finding)
    }

    /// The hands that the house ended and whose seeds it owes to every auditor, for one who can ask for them; each is
    /// given back, finished, to [`Book::give_disclosed`].
    pub fn take_owed(&mut self) -> Vec<OwedHand> {
        std::mem::take(&mut self.owed)
    }

    /// Takes in what became of an owed hand whose seeds were given.
    ///
    /// # Errors
    /// The finding, if the seeds are not those committed, or a card shown is not in its slot.
    pub fn give_disclosed(&mut self, verdict: ShoeVerdict) -> Result<(), Finding> {
        self.report.hands_seen += 1;
        let finished = |listed: &VoidResult| {
            verdict.voids.iter().any(|void| (void.entry, &void.table) == (listed.entry, &listed.table))
        };
        self.report.voids.listed.retain(|listed| !finished(listed));
        self.give_back(verdict)
    }

    fn run_waiting(&mut self) -> Result<(), Finding> {
        self.take_checks().into_iter().try_for_each(|check| self.give_back(check.run()))
    }

    /// The house's gain from a table's rounds.
    fn pay(&mut self, table: &TableId, entry: &Entry) {
        // Play chips settle against an account of their own: the house wins and loses none.
        if is_for_play(table) {
            return;
        }
        for event in &entry.events {
            match event {
                Event::Play(RoundEvent::Paid { lines }) => {
                    let net = lines.iter().fold(0i64, |net, line| {
                        net.saturating_add(line.stake.signed()).saturating_sub(line.returned.signed())
                    });
                    let sum = self.paid_in_round.entry(table.clone()).or_default();
                    *sum = sum.saturating_add(net);
                }
                Event::RoundSettled { .. } | Event::RoundVoided { .. } => {
                    let sum = self.paid_in_round.remove(table).unwrap_or_default();
                    // A void takes back what the round had paid, but for what is spent; an abandoned one does not
                    // (A001.u).
                    let gain = match event {
                        Event::RoundVoided { cause, retained_winnings, .. } if *cause != VoidCause::Abandoned => {
                            retained_winnings
                                .iter()
                                .fold(0i64, |sum, winnings| sum.saturating_sub(winnings.amount.signed()))
                        }
                        _ => sum,
                    };
                    self.won = self.won.saturating_add(gain);
                }
                Event::Play(play) => {
                    let pots = play.hand_result().into_iter().flat_map(|hand| hand.pots);
                    self.raked = pots.fold(self.raked, |sum, pot| sum.saturating_add(pot.rake.signed()));
                }
                _ => {}
            }
        }
    }

    /// Notes the rule set of a table, or a tournament, if it is not a shipped one. The rules of a tournament's tables
    /// follow from its rule set and structure, and are decided again.
    fn note_rules(&mut self, table: &TableId, rules: &RuleSet, digest: &str) {
        self.own_rules.opened(table, rules, digest);
        if !rules.is_as_shipped(digest) {
            self.note_renamed(table, &rules.name, digest);
        }
    }

    /// The structure of a tournament, where it is not a shipped one.
    fn note_structure(&mut self, event: &TableId, structure: &Structure, digest: &str) {
        self.own_structures.announced(event, structure, digest);
        if !structure.is_as_shipped(digest) {
            self.note_renamed(event, &structure.name, digest);
        }
    }

    fn note_renamed(&mut self, table: &TableId, name: &str, digest: &str) {
        self.report.renamed += 1;
        let renamed = Renamed { table: table.clone(), rules: name.to_owned(), digest: digest.to_owned() };
        let listed = &mut self.report.renamed_listed;
        listed.extend(Some(renamed).filter(|_| listed.len() < self.limits.listed));
    }

    fn count(&mut self, entry: &Entry, after: Option<&TableAfter>) {
        let is_cash = after.is_some_and(|table| table.is_cash);
        let is_play = entry.command.table().is_some_and(is_for_play);
        // No money moves there.
        let is_no_money = is_play || after.is_some_and(|table| table.is_of_event);
        let report = &mut self.report;
        match &entry.command {
            Command::Credit { amount, .. } => report.ledger.credited += amount.signed(),
            Command::Withdraw { amount, .. } => report.ledger.withdrawn += amount.signed(),
            Command::Correct { amount, .. } => {
                report.ledger.corrected += amount.signed();
                self.won = self.won.saturating_add(amount.signed());
            }
            // Fees, less overlays: what each is, the tournament's rules have said.
            Command::Tournament(_) => {
                let lines = entry.events.iter().filter_map(|event| match event {
                    Event::Posted { lines } => Some(lines),
                    _ => None,
                });
                let to_house = lines.flatten().filter(|line| line.0 == Account::House).map(|line| line.1);
                self.won = to_house.fold(self.won, i64::saturating_add);
            }
            _ => {}
        }
        let table = entry.command.table();
        if let Some(table) = table {
            self.pay(table, entry);
        }
        let report = &mut self.report;
        for event in &entry.events {
            match event {
                Event::DealerStarted { .. } => report.starts += 1,
                Event::ShoeSealed { .. } => report.shoes_sealed += 1,
                Event::ShoeDisclosed { .. } => report.shoes_disclosed += 1,
                Event::SeedLate { .. } => report.late_seeds += 1,
                Event::PlayerCreated { .. } => report.players += 1,
                Event::GuestAdmitted { .. } => report.guests += 1,
                Event::TableOpened { .. } => report.tables += 1,
                Event::ShoeCommitted { .. } => report.shoes += 1,
                Event::ShoeRevealed { cause: None, .. } => report.shoes_revealed += 1,
                Event::BetsClosed { .. } | Event::HandBegun { .. } => {
                    report.rounds += 1;
                    if let Some(table) = table {
                        self.closed_and_withheld.entry(table.clone()).or_default().0 += 1;
                    }
                }
                Event::RoundSettled { staked, returned, .. } => {
                    report.settled += 1;
                    report.play_rounds += u64::from(is_play);
                    if !is_no_money {
                        report.staked += staked.signed();
                        report.returned += returned.signed();
                    }
                    if !is_cash && !is_play {
                        report.results.count(returned.signed().saturating_sub(staked.signed()));
                    }
                }
                Event::RoundVoided { cause, ahead, .. } => {
                    report.voids.total += 1;
                    bump(&mut report.voids.by_cause, cause);
                    bump(&mut report.voids.by_ahead, ahead);
                    if let (VoidCause::RevealMissing, Some(table)) = (cause, table) {
                        self.closed_and_withheld.entry(table.clone()).or_default().1 += 1;
                    }
                }
                Event::BetsLapsed { .. } | Event::CallLapsed { .. } => report.windows_lapsed += 1,
                Event::ShoeRevealed { cause: Some(cause), .. } => {
                    report.shoes_revealed += 1;
                    bump(&mut report.shoes_by_cause, cause);
                }
                Event::Cooldown { .. } => report.cooldowns += 1,
                _ => {}
            }
        }
        let Some(at) = entry.at.as_ref().map(|at| &at.table) else { return };
        for event in &entry.events {
            match event {
                Event::TableOpened { rules, digest, event: None, .. } => self.note_rules(at, rules, digest),
                Event::Tournament(event) => {
                    if let TournamentEvent::Created { structure, digest, rules, .. } = event.as_ref() {
                        self.note_rules(at, rules, &structure.rules.digest);
                        self.note_structure(at, structure, digest);
                    }
                }
                _ => {}
            }
        }
    }

    /// Closes the book: shoes that wait are checked, the money is added up a second way, what is open is listed.
    pub fn finish(mut self) -> AuditReport {
        self.report()
    }

    /// The report so far; the book stays open for more entries, unless there is a finding.
    pub fn report(&mut self) -> AuditReport {
        // A shoe still waiting may be of an entry before the one that failed; the earliest is named.
        let waiting = self.run_waiting();
        let mut report = self.report.clone();
        if self.failed.is_none() {
            self.failed = waiting.and_then(|()| self.add_up(&mut report.ledger)).err();
        }
        self.list_open(&mut report);
        self.list_withheld(&mut report.withheld);
        let rounds_at = |table: &TableId| self.closed_and_withheld.get(table).map_or(0, |(rounds, _)| *rounds);
        (report.own_rules, report.own_rules_listed) = self.own_rules.listed(rounds_at, self.limits.listed);
        (report.own_structures, report.own_structures_listed) = self.own_structures.listed(self.limits.listed);
        report.leans = self.leans.clone();
        self.list_waits(&mut report);
        report.given = self.given.clone();
        report.entries = self.next.saturating_sub(self.given.as_ref().map_or(0, |given| given.size));
        report.origin = self.piece.state.origin().map(ToString::to_string);
        report.goes_on_from = self.piece.state.continues().map(GoesOnFrom::from);
        report.ended = self.piece.state.ended().map(EndedFor::from);
        report.last_time = self.piece.state.last_time();
        report.first_failure = self.failed.clone();
        report.voids.listed.sort_by_key(|void| void.entry);
        report
    }

    /// Everything the book knows, to be kept until there are more entries: whoever goes on from there
    /// ([`Book::go_on`]) comes to the same findings and the same report as one who reads the whole log at once.
    ///
    /// # Errors
    /// The finding, if there is one: a book that does not hold is not gone on with.
    pub fn keep(&mut self) -> Result<SavedBook<'_>, Finding> {
        // Adding up is part of it: what is kept was found right.
        match self.report().first_failure {
            Some(finding) => Err(finding),
            None => Ok(SavedBook(self)),
        }
    }

    /// Opens a book that was kept by this version of the software. Its bytes are trusted: only the auditor may have
    /// been able to change them.
    ///
    /// # Errors
    /// The text is not a book's.
    pub fn go_on(saved: &[u8], limits: Limits) -> Result<Book, serde_json::Error> {
        Ok(Book { limits, ..Book::parse_json(saved)? })
    }

    /// Entries checked so far: the index of the next.
    pub fn entries(&self) -> u64 {
        self.next
    }

    /// Each posting was balanced; this adds the whole book up by other roads.
    fn add_up(&self, totals: &mut LedgerTotals) -> Result<(), Finding> {
        let ledger = self.piece.state.ledger();
        let balance = |account: Account| ledger.balance(&account).unwrap_or_default();
        let (house, cage) = (balance(Account::House), balance(Account::Cage));
        let tables = i64::try_from(ledger.tables_total()).unwrap_or(i64::MAX);
        let players = i64::try_from(ledger.players_total()).unwrap_or(i64::MAX);
        (totals.players, totals.tables, totals.house, totals.cage) = (players, tables, house, cage);
        (totals.seats, totals.rake) = (i64::try_from(ledger.seats_total()).unwrap_or(i64::MAX), balance(Account::Rake));
        totals.play = balance(Account::Play).saturating_neg();
        if ledger.play_total() != 0 {
            let what = format!("the accounts of play chips together stand at {}, not at zero", ledger.play_total());
            return Err(Finding::new(Check::LedgerTotal, what));
        }
        totals.tournaments = i64::try_from(ledger.tournaments_total()).unwrap_or(i64::MAX);
        totals.transfers = i64::try_from(ledger.transfers_total()).unwrap_or(i64::MAX);
        totals.wallet = ledger.wallet();
        if ledger.total() != 0 {
            return Err(Finding::new(
                Check::LedgerTotal,
                format!("all accounts together stand at {}, not at zero", ledger.total()),
            ));
        }
        let paid_in = totals.credited - totals.withdrawn;
        let stood = self.given.as_ref().map_or(0, |given| given.cage);
        if paid_in.value() != i128::from(stood) - i128::from(cage) {
            let since = if stood == 0 { String::new() } else { format!(" since it stood at {stood}") };
            let what = format!("{paid_in} were paid in and not out again{since}, the cage stands at {cage}");
            return Err(Finding::new(Check::LedgerCage, what));
        }
        if self.raked != totals.rake {
            return Err(Finding::new(
                Check::LedgerHouse,
                format!("the pots gave a rake of {}, its account stands at {}", self.raked, totals.rake),
            ));
        }
        let won = self.paid_in_round.values().fold(self.won, |sum, paid| sum.saturating_add(*paid));
        if won != house {
            return Err(Finding::new(
                Check::LedgerHouse,
                format!("the rounds gave the house {won}, its account stands at {house}"),
            ));
        }
        Ok(())
    }

    fn list_waits(&self, report: &mut AuditReport) {
        let state = &self.piece.state;
        let mut waits = self.begun.waits(state);
        report.wallet_waits = waits.len() as u64;
        report.wallet_late = waits.iter().filter(|wait| wait.is_late(state.last_time())).count() as u64;
        waits.truncate(self.limits.listed);
        report.wallet_waits_listed = waits;
    }

    fn list_withheld(&self, withheld: &mut Withheld) {
        withheld.of_tables = self.closed_and_withheld.len() as u64;
        let tables = self.closed_and_withheld.iter().filter(|(_, (_, withheld))| *withheld > 0);
        withheld.tables = tables
            .map(|(table, (rounds, withheld))| WithheldAt {
                table: table.clone(),
                rounds: *rounds,
                withheld: *withheld,
            })
            .collect();
        withheld.total = withheld.tables.iter().map(|at| at.withheld).sum();
        withheld.tables.sort_by(|a, b| b.withheld.cmp(&a.withheld).then_with(|| a.table.cmp(&b.table)));
        withheld.tables.truncate(self.limits.listed);
    }

    fn list_open(&self, report: &mut AuditReport) {
        let mut rounds: Vec<String> = Vec::new();
        let mut shoes: Vec<OpenShoe> = Vec::new();
        for table in self.piece.state.tables() {
            rounds.extend(table.live_round().map(|round| format!("{}:{}", table.id, round.round_no)));
            let in_use = table.shoe.as_ref();
            shoes.extend(in_use.map(|shoe| OpenShoe {
                table: table.id.clone(),
                shoe_no: shoe.id.shoe_no,
                since: table.shoe_use.map(|used| used.since).unwrap_or_default(),
                rounds: table.shoe_use.map(|used| used.rounds).unwrap_or_default(),
                cards_shown: self.memory.cards_shown(table),
                live_round: table.live_round().map(|round| round.round_no),
                needs_recovery: table.needs_recovery,
            }));
        }
        let waiting = self.memory.shoes.values().flat_map(|claims| &claims.voids);
        let unknown: Vec<VoidResult> =
            waiting.map(|void| void.without_faces("the shoe's seed is not out yet")).collect();
        for void in unknown {
            note_void(&mut report.voids, void, self.limits.listed);
        }
        for void in self.memory.awaiting_late_seeds().map(|void| void.without_faces("the round never opened")) {
            note_void(&mut report.voids, void, self.limits.listed);
        }
        rounds.sort();
        shoes.sort_by(|a, b| (a.rounds == 0, &a.table).cmp(&(b.rounds == 0, &b.table)));
        report.used_shoes = shoes.iter().filter(|shoe| shoe.rounds > 0).count() as u64;
        (report.open_rounds, report.open_shoes) = (rounds.len() as u64, shoes.len() as u64);
        rounds.truncate(self.limits.listed);
        shoes.truncate(self.limits.listed);
        (report.open_rounds_listed, report.open_shoes_listed) = (rounds, shoes);
    }
}

/// Takes in what became of a voided round.
fn note_void(voids: &mut Voids, void: VoidResult, most: usize) {
    if let Some(net) = void.default_play_net {
        voids.computable += 1;
        voids.default_play_net += net;
        if void.cause.is_by_house() {
            voids.by_house.count(net);
        }
        match void.cause {
            VoidCause::RevealMissing => voids.by_late_seeds.count(net),
            VoidCause::Abandoned => voids.by_abandonment.count(net),
            VoidCause::Crash | VoidCause::Malfunction | VoidCause::ShoeExhausted => {}
        }
    }
    if voids.listed.len() < most {
        voids.listed.push(void);
    }
}

/// Counts under the word the log has for it.
fn bump(counts: &mut BTreeMap<String, u64>, word: &impl Serialize) {
    let word = serde_json::to_value(word).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
    *counts.entry(word).or_insert(0) += 1;
}

/// Reads an entry's bytes, which must be its one encoding.
pub(crate) fn decode(index: u64, bytes: &[u8]) -> Result<Entry, Finding> {
    Entry::decode(bytes).map_err(|error| {
        let check = if error == EntryError::NotCanonical { Check::CanonicalForm } else { Check::EntryForm };
        Finding::at(check, index, None, error.to_string())
    })
}
