//! A log's operations of the operator's wallet, held against the wallet's own statement (spec/wallet.md,
//! "Reconciliation"). It says nothing of the log's soundness: nobody signed a statement.

use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_games::Chips;
use fairshoe_house::{Entry, Event, MOST_NUMBER, WalletAnswer, WalletCall};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use thiserror::Error;

/// An operation that is under way for longer is overdue, in milliseconds: three days.
pub const OPERATION_LATE_MS: u64 = 259_200_000;

/// Deposits come from the wallet, withdrawals go to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    /// From the wallet.
    Deposit,
    /// To it.
    Withdrawal,
}

impl OperationKind {
    /// Its name in the contract.
    pub fn name(self) -> &'static str {
        match self {
            OperationKind::Deposit => "deposit",
            OperationKind::Withdrawal => "withdrawal",
        }
    }
}

/// How an operation stands at the wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WalletState {
    /// A deposit is held for the house.
    Reserved,
    /// A deposit was handed over.
    Committed,
    /// A deposit that is not wanted.
    Cancelled,
    /// A withdrawal was taken.
    Paid,
    /// The wallet refused.
    Refused,
}

impl WalletState {
    const ALL: [WalletState; 5] = [
        WalletState::Reserved,
        WalletState::Committed,
        WalletState::Cancelled,
        WalletState::Paid,
        WalletState::Refused,
    ];

    /// Its name in the contract.
    pub fn name(self) -> &'static str {
        match self {
            WalletState::Reserved => "reserved",
            WalletState::Committed => "committed",
            WalletState::Cancelled => "cancelled",
            WalletState::Paid => "paid",
            WalletState::Refused => "refused",
        }
    }
}

/// An operation as the wallet has it (spec/wallet.yaml): what a call answers, and a statement's line. Other fields
/// there are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AtWallet {
    /// The log that asked.
    pub log: Origin,
    /// Its number there.
    pub no: u64,
    /// Which way the money goes.
    pub kind: OperationKind,
    /// Its player.
    pub player: PlayerId,
    /// How much, minor units.
    pub amount: Chips,
    /// How it stands.
    pub state: WalletState,
}

/// The same as it is read: its words are texts and nothing else.
#[derive(Deserialize)]
struct Said {
    log: Origin,
    no: u64,
    kind: String,
    player: PlayerId,
    amount: Chips,
    state: String,
}

impl AtWallet {
    /// Reads an object of JSON.
    ///
    /// # Errors
    /// What is no operation.
    pub fn read(text: &str) -> Result<AtWallet, String> {
        // A list of the values would do for serde.
        if !text.trim_start().starts_with('{') {
            return Err("it is no object".into());
        }
        let Said { log, no, kind, player, amount, state } = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let kind = [OperationKind::Deposit, OperationKind::Withdrawal].into_iter().find(|known| known.name() == kind);
        let state = WalletState::ALL.into_iter().find(|known| known.name() == state);
        let (Some(kind), Some(state)) = (kind, state) else { return Err("no such kind, or no such state".into()) };
        if amount == Chips::ZERO || no > MOST_NUMBER {
            return Err("it is no operation".into());
        }
        Ok(AtWallet { log, no, kind, player, amount, state })
    }

    /// Reads a line of a statement, which has one reading (spec/wallet.md, "Reconciliation").
    ///
    /// # Errors
    /// What is no operation, or could be read otherwise.
    pub fn read_line(line: &str) -> Result<AtWallet, String> {
        if !line.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) || line.contains('\\') {
            return Err("it has other bytes than 0x20 to 0x7e without a backslash".into());
        }
        serde_json::from_str::<FlatObject>(line).map_err(|error| error.to_string())?;
        Self::read(line)
    }
}

/// An object of strings and whole numbers, none of its fields twice.
struct FlatObject;

impl<'de> Deserialize<'de> for FlatObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = FlatObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of strings and whole numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FlatObject, A::Error> {
                let mut names = BTreeSet::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    let is_number = |number: &Number| {
                        number
                            .as_u64()
                            .or(number.as_i64().map(i64::unsigned_abs))
                            .is_some_and(|size| size <= MOST_NUMBER)
                    };
                    let is_flat = match &value {
                        Value::String(_) => true,
                        Value::Number(number) => is_number(number),
                        _ => false,
                    };
                    if !is_flat || !names.insert(name) {
                        return Err(A::Error::custom("a field that stands twice, or is no string and no whole number"));
                    }
                }
                Ok(FlatObject)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// A statement that cannot be held against a log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} of the statement: {why}")]
pub struct NoStatement {
    /// Counted from 1.
    pub line: usize,
    /// The fault in it.
    pub why: String,
}

/// Reads a statement of a log: JSON Lines, ascending by number.
///
/// # Errors
/// A line that is no operation of that log, or that does not come after the one before it.
pub fn read_statement(log: &Origin, text: &str) -> Result<Vec<AtWallet>, NoStatement> {
    let mut read: Vec<AtWallet> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let wrong = |why: String| NoStatement { line: at + 1, why };
        let operation = AtWallet::read_line(line).map_err(wrong)?;
        if operation.log != *log {
            return Err(wrong(format!("it is of the log {}, not of {log}", operation.log)));
        }
        if read.last().is_some_and(|last| last.no >= operation.no) {
            return Err(wrong(format!("operation {} does not come after the one before it", operation.no)));
        }
        read.push(operation);
    }
    Ok(read)
}

/// The log's last word on an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Waits(WalletCall),
    Answered(WalletCall, WalletAnswer),
}

impl Last {
    fn words(self) -> String {
        match self {
            Last::Waits(call) => format!("waits for {}", call.name()),
            Last::Answered(call, WalletAnswer::Accepted) => format!("{} accepted", call.name()),
            Last::Answered(call, WalletAnswer::Refused) => format!("{} refused", call.name()),
        }
    }
}

#[derive(Clone, Debug)]
struct OnLog {
    kind: OperationKind,
    player: PlayerId,
    amount: Chips,
    last: Last,
    /// The chips of a deposit came.
    came: bool,
    /// When it began.
    since: u64,
}

/// The wallet's operations of a log, as its entries tell them. It grows with them: an audit's, not a service's.
#[derive(Clone, Debug, Default)]
pub struct LogOperations(BTreeMap<u64, OnLog>);

/// How the two stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reconciled {
    /// All agree, and nothing is open.
    Reconciled,
    /// All agree that are over; some are not, or are later than the log's copy.
    UnderWay,
    /// The same, and one is under way for longer than it may be.
    Overdue,
    /// Some differ.
    Differs,
}

/// An operation that is not simply the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Its number.
    pub no: u64,
    /// The log's last word; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// How it stands at the wallet; absent where it knows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wallet: Option<String>,
    /// When it began, if it is under way, UTC milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// A sum of amounts, minor units: in JSON a number where every reader has it exact, else its digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum(pub u128);

impl Sum {
    fn add(&mut self, amount: Chips) {
        self.0 = self.0.saturating_add(amount.units().into());
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0).ok().filter(|sum| *sum <= MOST_NUMBER) {
            Some(sum) => serializer.serialize_u64(sum),
            None => serializer.collect_str(&self.0),
        }
    }
}

/// Sums of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SumsOnLog {
    /// Deposits of which the chips came.
    pub deposits: Sum,
    /// Withdrawals that were asked for and not refused.
    pub withdrawals: Sum,
}

/// Sums of the wallet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SumsAtWallet {
    /// Handed over.
    pub committed: Sum,
    /// Held.
    pub reserved: Sum,
    /// Taken.
    pub paid: Sum,
}

/// The result of a reconciliation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reconciliation {
    /// The log's name.
    pub log: Origin,
    /// In one word.
    pub verdict: Reconciled,
    /// How many operations are over on the log, and the same at the wallet.
    pub agree: u64,
    /// The log's sums.
    pub on_log: SumsOnLog,
    /// The wallet's sums.
    pub at_wallet: SumsAtWallet,
    /// Open on the log, and nothing at the wallet that was not asked for.
    pub under_way: Vec<Pair>,
    /// At the wallet, and not on this copy of the log.
    pub later: Vec<Pair>,
    /// Operations that an honest house and an honest wallet cannot have.
    pub differs: Vec<Pair>,
    /// Up to when the log shows all there is, UTC milliseconds.
    #[serde(skip)]
    pub now: u64,
}

impl Pair {
    /// Whether it is under way for longer than it may be.
    pub fn is_late(&self, now: u64) -> bool {
        self.since.is_some_and(|since| now.saturating_sub(since) > OPERATION_LATE_MS)
    }
}

impl Reconciliation {
    /// Holds what is later against a copy of the log that was taken after the statement: the house writes an operation down
    /// before it asks for it, so that what is not on that copy, the house never asked for, or the log has lost.
    pub fn settle_later(&mut self, newer: &LogOperations) {
        let (asked, never) =
            std::mem::take(&mut self.later).into_iter().partition(|pair| newer.0.contains_key(&pair.no));
        self.later = asked;
        self.differs.extend::<Vec<Pair>>(never);
        self.differs.sort_by_key(|pair| pair.no);
        self.judge();
    }

    fn judge(&mut self) {
        self.verdict = if !self.differs.is_empty() {
            Reconciled::Differs
        } else if self.under_way.iter().any(|pair| pair.is_late(self.now)) {
            Reconciled::Overdue
        } else if !self.under_way.is_empty() || !self.later.is_empty() {
            Reconciled::UnderWay
        } else {
            Reconciled::Reconciled
        };
    }
}

impl LogOperations {
    /// Takes the next entry in.
    pub fn feed(&mut self, entry: &Entry) {
        let comes = entry.events.iter().any(|event| matches!(event, Event::Posted { .. }));
        for event in &entry.events {
            match event {
                Event::WalletAsked { no, call, player, amount } => {
                    let kind = match call.is_of_withdrawal() {
                        true => OperationKind::Withdrawal,
                        false => OperationKind::Deposit,
                    };
                    let (last, since) = (Last::Waits(*call), entry.time);
                    let first = OnLog { kind, player: player.clone(), amount: *amount, last, came: false, since };
                    self.0.entry(*no).or_insert(first).last = Last::Waits(*call);
                }
                Event::WalletAnswered { no, call, answer, .. } => {
                    if let Some(operation) = self.0.get_mut(no) {
                        operation.last = Last::Answered(*call, *answer);
                        operation.came |= *call == WalletCall::Reserve && comes;
                    }
                }
                _ => {}
            }
        }
    }

    /// The number that the next operation has.
    pub fn next(&self) -> u64 {
        self.0.last_key_value().map_or(0, |(no, _)| no.saturating_add(1))
    }

    /// Holds the log, which shows all there is up to `now` (UTC milliseconds), against a statement that was taken after it.
    pub fn reconcile(&self, log: Origin, statement: &[AtWallet], now: u64) -> Reconciliation {
        let mut told = Reconciliation {
            log,
            verdict: Reconciled::Reconciled,
            agree: 0,
            on_log: self.sums(),
            at_wallet: sums_of(statement),
            under_way: Vec::new(),
            later: Vec::new(),
            differs: Vec::new(),
            now,
        };
        let at_wallet: BTreeMap<u64, &AtWallet> = statement.iter().map(|operation| (operation.no, operation)).collect();
        for (no, operation) in &self.0 {
            let other = at_wallet.get(no).copied();
            let is_same = other.is_none_or(|other| {
                (other.kind, &other.player, other.amount) == (operation.kind, &operation.player, operation.amount)
            });
            let fits = is_same && fits(operation.last, other.map(|other| other.state));
            if fits && matches!(operation.last, Last::Answered(..)) {
                told.agree += 1;
                continue;
            }
            let more = |words: String, kind: OperationKind, player: &PlayerId, amount: Chips| match is_same {
                true => words,
                false => format!("{words}, {} of {player}, {amount}", kind.name()),
            };
            let pair = Pair {
                since: fits.then_some(operation.since),
                no: *no,
                log: Some(more(operation.last.words(), operation.kind, &operation.player, operation.amount)),
                wallet: other.map(|other| more(other.state.name().into(), other.kind, &other.player, other.amount)),
            };
            if fits { &mut told.under_way } else { &mut told.differs }.push(pair);
        }
        let later = statement.iter().filter(|operation| !self.0.contains_key(&operation.no));
        told.later = later
            .map(|operation| Pair {
                no: operation.no,
                log: None,
                wallet: Some(operation.state.name().into()),
                since: None,
            })
            .collect();
        told.judge();
        told
    }

    fn sums(&self) -> SumsOnLog {
        let mut sums = SumsOnLog::default();
        for operation in self.0.values() {
            let is_refused = operation.last == Last::Answered(WalletCall::Pay, WalletAnswer::Refused);
            let sum = match operation.kind {
                OperationKind::Deposit if operation.came => &mut sums.deposits,
                OperationKind::Withdrawal if !is_refused => &mut sums.withdrawals,
                _ => continue,
            };
            sum.add(operation.amount);
        }
        sums
    }
}

fn sums_of(statement: &[AtWallet]) -> SumsAtWallet {
    let mut sums = SumsAtWallet::default();
    for operation in statement {
        let sum = match operation.state {
            WalletState::Committed => &mut sums.committed,
            WalletState::Reserved => &mut sums.reserved,
            WalletState::Paid => &mut sums.paid,
            WalletState::Cancelled | WalletState::Refused => continue,
        };
        sum.add(operation.amount);
    }
    sums
}

/// The table of spec/wallet.md, "Reconciliation": how an operation may stand at the wallet.
fn fits(last: Last, at_wallet: Option<WalletState>) -> bool {
    use WalletAnswer::{Accepted, Refused as No};
    use WalletCall::{Cancel, Commit, Pay, Reserve};
    use WalletState::{Cancelled, Committed, Paid, Refused, Reserved};
    let Some(state) = at_wallet else {
        let may_be_unknown = matches!(
            last,
            Last::Waits(Reserve | Cancel | Pay) | Last::Answered(Reserve | Pay, No) | Last::Answered(Cancel, _)
        );
        return may_be_unknown;
    };
    match last {
        // The house may have gone on after the copy of the log.
        Last::Waits(Reserve) => matches!(state, Reserved | Committed | Cancelled | Refused),
        Last::Waits(Commit) => matches!(state, Reserved | Committed),
        Last::Waits(Cancel) => matches!(state, Reserved | Cancelled | Refused),
        Last::Waits(Pay) => matches!(state, Paid | Refused),
        Last::Answered(Commit, Accepted) => state == Committed,
        Last::Answered(Pay, Accepted) => state == Paid,
        Last::Answered(Reserve | Pay, No) => state == Refused,
        Last::Answered(Cancel, Accepted) => matches!(state, Cancelled | Refused),
        // After it another call is asked for in the same entry, and nothing else is refused.
        Last::Answered(Reserve, Accepted) | Last::Answered(Commit | Cancel, No) => false,
    }
}
