//! The counts and report of an audit, as its users read them (spec/audit.md, "The report of a book"). The book counts.

use super::{Doors, Events, Finding, Leans, Results, Sum, VoidResult, WalletWait};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{Account, Actor, Command, Entry, Event, NextLog, OldLog, Receivable, is_guest};
use fairshoe_tlog::{KeyType, VerifierKey};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A table's rounds, and how many of them were void because a seed was not revealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WithheldAt {
    /// The table that is counted.
    pub table: TableId,
    /// Rounds whose bets closed there.
    pub rounds: u64,
    /// Those that were void for want of a seed.
    pub withheld: u64,
}

/// Seeds that were not revealed, as the log has it: by a player who held theirs back, or by a house that threw it away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withheld {
    /// Rounds that were void for want of a seed, at all tables.
    pub total: u64,
    /// Tables at which bets closed at all.
    pub of_tables: u64,
    /// The tables with the most of them, as many as the book's limits allow.
    pub tables: Vec<WithheldAt>,
}

/// The rounds that were voided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voids {
    /// How many.
    pub total: u64,
    /// How many by cause.
    pub by_cause: BTreeMap<String, u64>,
    /// How many by who was ahead, by public faces.
    pub by_ahead: BTreeMap<String, u64>,
    /// How many could be finished by default play on the committed cards.
    pub computable: u64,
    /// The players' net win in all of these together, minor units: an honest house's voids lean neither way.
    pub default_play_net: Sum,
    /// The side that would have won those that the house caused: its restarts, malfunctions, exhausted shoes.
    pub by_house: Results,
    /// The side that would have won those void because of a seed that came late: the players did not know the faces.
    pub by_late_seeds: Results,
    /// The side that would have won those refunded since the player stayed away: players do not walk away from wins.
    pub by_abandonment: Results,
    /// The voids themselves, as many as the book's limits allow.
    pub listed: Vec<VoidResult>,
}

/// A shoe that is in use where the log ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenShoe {
    /// The table at which it is in use.
    pub table: TableId,
    /// Its number.
    pub shoe_no: u64,
    /// When it was committed, UTC milliseconds.
    pub since: u64,
    /// Rounds whose bets closed on it: 0 for one that nobody has played yet.
    pub rounds: u64,
    /// Cards of it that were shown, and spins of a wheel.
    pub cards_shown: u64,
    /// The round that is in play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_round: Option<u64>,
    /// Whether a restart has not been dealt with at its table.
    pub needs_recovery: bool,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

fn is_nothing(amount: &i64) -> bool {
    *amount == 0
}

/// The sums of the accounts, in minor units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerTotals {
    /// Everything the players have.
    #[serde(with = "super::sum::exact")]
    pub players: i64,
    /// Staked in open rounds.
    #[serde(with = "super::sum::exact")]
    pub tables: i64,
    /// Before the seats of cash tables.
    #[serde(with = "super::sum::exact")]
    pub seats: i64,
    /// Taken out of pots.
    #[serde(with = "super::sum::exact")]
    pub rake: i64,
    /// In tournaments: pools, fees, bounties and stakes; tickets and T$; and what was cut off prizes and refunds.
    #[serde(default, skip_serializing_if = "is_nothing", with = "super::sum::exact")]
    pub tournaments: i64,
    /// Sent to other logs, less what was claimed from them.
    #[serde(default, skip_serializing_if = "is_nothing", with = "super::sum::exact")]
    pub transfers: i64,
    /// Minus what came from the operator's wallet and has not gone back.
    #[serde(default, skip_serializing_if = "is_nothing", with = "super::sum::exact")]
    pub wallet: i64,
    /// Play chips that are out, at guests and on their tables; they count in none of the others.
    #[serde(default, skip_serializing_if = "is_nothing", with = "super::sum::exact")]
    pub play: i64,
    /// The house's winnings or losses.
    #[serde(with = "super::sum::exact")]
    pub house: i64,
    /// Minus what was paid in and not paid out.
    #[serde(with = "super::sum::exact")]
    pub cage: i64,
    /// Paid in by the operator, ever.
    pub credited: Sum,
    /// Paid out by the operator, ever.
    pub withdrawn: Sum,
    /// Taken from players by signed corrections (R001.89), ever.
    pub corrected: Sum,
}

impl LedgerTotals {
    /// Every account, the tournaments', the transfers' and the wallet's where they hold something: together they are 0.
    pub fn accounts(&self) -> Vec<(&'static str, i64)> {
        let all = [
            ("players", self.players),
            ("seats", self.seats),
            ("tables", self.tables),
            ("tournaments", self.tournaments),
            ("transfers", self.transfers),
            ("wallet", self.wallet),
            ("house", self.house),
            ("rake", self.rake),
            ("cage", self.cage),
        ];
        let may_be_left_out = ["tournaments", "transfers", "wallet"];
        all.into_iter().filter(|(name, sum)| !may_be_left_out.contains(name) || *sum != 0).collect()
    }
}

/// A table whose rule set, or a tournament whose rule set or structure, has a shipped name and says something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renamed {
    /// The table, or the tournament.
    pub table: TableId,
    /// The name of the rule set or structure.
    pub rules: String,
    /// Its digest, which is not that of the shipped one.
    pub digest: String,
}

/// A rule set on the log that is none of the shipped ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnRules {
    /// Its name.
    pub rules: String,
    /// Its digest, which is that of no shipped one.
    pub digest: String,
    /// Whether a shipped rule set has this name, and says something else.
    pub has_shipped_name: bool,
    /// How many tables were opened with it.
    pub of_tables: u64,
    /// The first of them.
    pub tables: Vec<TableId>,
    /// Rounds whose bets closed at all of them.
    pub rounds: u64,
}

/// A structure of a tournament that is none of the shipped ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnStructure {
    /// Its name.
    pub structure: String,
    /// Its digest, which is that of no shipped one.
    pub digest: String,
    /// Whether a shipped structure has this name, and says something else.
    pub has_shipped_name: bool,
    /// The part of an entry's price that goes to the pool, in cents.
    pub buy_in: u64,
    /// The part that goes to the house, in cents.
    pub fee: u64,
    /// The part that is put on its player's head, in cents.
    pub bounty: u64,
    /// The cost of a rebuy, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuy: Option<Bought>,
    /// The cost of an add-on, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add_on: Option<Bought>,
    /// How many events were announced with it.
    pub of_events: u64,
    /// The first of them.
    pub events: Vec<TableId>,
}

/// A purchase in a tournament beside its entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bought {
    /// The part of its price that goes to the pool, in cents.
    pub price: u64,
    /// The part that goes to the house, in cents.
    pub fee: u64,
}

/// The operator's acts on players' keys, or in spite of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// Keys that the operator set or took away, after the player was created.
    pub by_operator: u64,
    /// Withdrawals, corrections and tokens of players with a key that no player signed.
    pub unsigned: u64,
}

/// Commands in players' names, by whether the player has signed them: one without a key has the log's word alone that
/// they gave them. Guests are not counted, nor are seeds, which prove themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByPlayers {
    /// With the player's signature.
    pub signed: InTheirName,
    /// With a signature under a key that the operator had named: whoever named it may hold its other half.
    #[serde(default, skip_serializing_if = "InTheirName::is_nothing")]
    pub operators_keys: InTheirName,
    /// Without one, of players who have no key.
    pub unsigned: InTheirName,
}

/// Commands in players' names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InTheirName {
    /// How many commands of each name; a tournament's has the name within.
    pub commands: BTreeMap<String, u64>,
    /// The sum that their entries took from the named player's account: stakes, buy-ins, prices, withdrawals.
    pub taken: Sum,
}

impl InTheirName {
    fn is_nothing(&self) -> bool {
        *self == InTheirName::default()
    }

    /// How many commands there are.
    pub fn total(&self) -> u64 {
        self.commands.values().fold(0, |sum, count| sum.saturating_add(*count))
    }
}

impl fmt::Display for InTheirName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} commands, which took {} from them", self.total(), self.taken)?;
        let kinds: Vec<String> = self.commands.iter().map(|(name, count)| format!("{name} {count}")).collect();
        if kinds.is_empty() { Ok(()) } else { write!(f, " ({})", kinds.join(", ")) }
    }
}

/// `{"act":{…}}`, `{"tournament":{"rebuy":{…}}}`: one more of this name.
fn count_name(commands: &mut BTreeMap<String, u64>, command: &Command) {
    let text = command.to_json().unwrap_or_default();
    let mut names = text.split('"').skip(1).step_by(2);
    let name = names.next().filter(|name| *name != "tournament").or_else(|| names.next());
    let count = commands.entry(name.unwrap_or_default().to_owned()).or_default();
    *count = count.saturating_add(1);
}

/// Counts an entry that the operator gave, by its command's name.
pub(super) fn count_by_operator(commands: &mut BTreeMap<String, u64>, entry: &Entry) {
    if entry.by == Actor::Operator {
        count_name(commands, &entry.command);
    }
}

/// Players whose key the operator named, as far as the entries read tell. Keys carried over from an old log are the old
/// log's.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OperatorsKeys {
    of: BTreeMap<PlayerId, OperatorsKey>,
    /// Whether the last entry was one that carries over.
    carries: bool,
}

/// Whether the operator named the key that was in force first, and the one from a time on.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OperatorsKey {
    first: bool,
    later: Option<(u64, bool)>,
}

impl OperatorsKey {
    fn is_in_force(&self, time: u64) -> bool {
        self.later.filter(|(from, _)| *from <= time).map_or(self.first, |(_, theirs)| theirs)
    }
}

impl OperatorsKeys {
    /// Whether the key under which this player signs was named by the operator.
    fn has(&self, player: &PlayerId, time: u64) -> bool {
        self.of.get(player).is_some_and(|key| key.is_in_force(time))
    }

    /// Takes an entry in.
    pub fn note(&mut self, entry: &Entry) {
        let is_carrying = |command: &Command| {
            use Command as C;
            matches!(
                command,
                C::CreatePlayer { .. }
                    | C::Credit { .. }
                    | C::SetLimit { .. }
                    | C::Exclude { .. }
                    | C::OpenTable { .. }
            )
        };
        self.carries = match &entry.command {
            Command::ContinueLog { .. } => true,
            command => self.carries && entry.by == Actor::Operator && is_carrying(command),
        };
        for event in &entry.events {
            let Event::KeySet { player, key, from, .. } = event else { continue };
            if entry.by != Actor::Operator || self.carries {
                self.of.remove(player);
                continue;
            }
            let first = self.has(player, entry.time);
            let named = match from {
                Some(from) => OperatorsKey { first, later: Some((*from, key.is_some())) },
                None => OperatorsKey { first: key.is_some(), later: None },
            };
            self.of.insert(player.clone(), named);
        }
    }
}

impl ByPlayers {
    /// Counts an entry, if it is one of these, by the keys that stood before it.
    pub(super) fn count(&mut self, entry: &Entry, keys: &OperatorsKeys) {
        let Actor::Player(player) = &entry.by else { return };
        if is_guest(player) || Receivable::of(&entry.command) == Some(Receivable::Seed) {
            return;
        }
        let whose = match &entry.signed {
            Some(_) if keys.has(player, entry.time) => &mut self.operators_keys,
            Some(_) => &mut self.signed,
            None => &mut self.unsigned,
        };
        count_name(&mut whose.commands, &entry.command);
        let lines = entry.events.iter().flat_map(|event| match event {
            Event::Posted { lines } => lines.as_slice(),
            _ => &[],
        });
        let own = lines.filter(|line| matches!(&line.0, Account::Player(name) if name == player));
        let net = own.fold(0i64, |sum, line| sum.saturating_add(line.1));
        if net < 0 {
            whose.taken += net.saturating_neg();
        }
    }
}

/// A state that a book began with, and what rests on it alone (spec/audit.md, "From a state").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// How many entries came before.
    pub size: u64,
    /// The root of its lines.
    pub root: String,
    /// UTC milliseconds of the last of them.
    pub time: u64,
    /// Players whose balances, keys and offences are taken as given.
    pub players: u64,
    /// Open tables, whose seats, chips and rules are.
    pub tables: u64,
    /// Rounds that were in play.
    pub rounds: u64,
    /// Shoes that were in use: what was shown of them before is not held against their seeds.
    pub shoes: u64,
    /// Void rounds whose seeds could still come, which are not finished by default play.
    pub voids: u64,
    /// All chips paid out less all paid in, minor units.
    pub cage: i64,
}

/// How far another log had come, where one goes on from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoesOnFrom {
    /// The old log's name.
    pub origin: String,
    /// How many of its entries the new one goes on from.
    pub size: u64,
}

impl From<&OldLog> for GoesOnFrom {
    fn from(old: &OldLog) -> Self {
        GoesOnFrom { origin: old.origin.to_string(), size: old.size }
    }
}

/// The log that goes on from one that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndedFor {
    /// Its name.
    pub origin: String,
    /// Its verifier key, as a text.
    pub vkey: String,
}

impl From<&NextLog> for EndedFor {
    fn from(NextLog { origin, key }: &NextLog) -> Self {
        let vkey = VerifierKey::new(origin.as_str(), KeyType::Ed25519, key.as_bytes());
        // The rules took no key under which anyone can sign.
        EndedFor { origin: origin.to_string(), vkey: vkey.map_or_else(|_| key.to_string(), |key| key.to_string()) }
    }
}

/// The report of a book.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditReport {
    /// The state that it began with, if not with the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Given>,
    /// Entries read and found right.
    pub entries: u64,
    /// The log's name, as its entries have it.
    pub origin: Option<String>,
    /// UTC milliseconds of the last entry.
    pub last_time: u64,
    /// Starts of the dealer.
    pub starts: u64,
    /// The log that it says to go on from, which is another log: what that one held was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goes_on_from: Option<GoesOnFrom>,
    /// If it has ended: the log that it names to go on from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<EndedFor>,
    /// Players created.
    pub players: u64,
    /// Guests admitted, ever.
    #[serde(default, skip_serializing_if = "is_none")]
    pub guests: u64,
    /// Tables opened, ever.
    pub tables: u64,
    /// Shoes committed.
    pub shoes: u64,
    /// Shoes revealed, each of them re-derived and held against everything shown of it.
    pub shoes_revealed: u64,
    /// Private shoes sealed, every card that was shown of them proven against the committed root.
    pub shoes_sealed: u64,
    /// Sealed shoes whose seeds an auditor got.
    pub shoes_disclosed: u64,
    /// Shoes that left the table by another rule than one a round, by cause (C11).
    pub shoes_by_cause: BTreeMap<String, u64>,
    /// Betting windows that closed without a round.
    pub windows_lapsed: u64,
    /// Steps on the cooldown ladder.
    pub cooldowns: u64,
    /// Rounds whose bets closed.
    pub rounds: u64,
    /// Rounds settled.
    pub settled: u64,
    /// Those of them that were played for play chips.
    #[serde(default, skip_serializing_if = "is_none")]
    pub play_rounds: u64,
    /// Staked in settled rounds, minor units; play chips are not counted.
    pub staked: Sum,
    /// Returned in settled rounds, minor units.
    pub returned: Sum,
    /// Settled rounds by who won; hands of poker, whose pots the house is no party to, are in none.
    pub results: Results,
    /// Rounds voided.
    pub voids: Voids,
    /// Seeds that were not revealed.
    pub withheld: Withheld,
    /// Seeds that came after the void which their absence had brought about.
    pub late_seeds: u64,
    /// How many rounds are in play where the log ends.
    pub open_rounds: u64,
    /// Rounds in play where the log ends, as many as the book's limits allow.
    pub open_rounds_listed: Vec<String>,
    /// How many shoes are in use where the log ends; their faces rest on the log's word so far.
    pub open_shoes: u64,
    /// How many of them a round was played from: what was dealt is not proven yet.
    pub used_shoes: u64,
    /// The shoes themselves, used ones first, as many as the book's limits allow.
    pub open_shoes_listed: Vec<OpenShoe>,
    /// The sums of the accounts.
    pub ledger: LedgerTotals,
    /// Chips that left the players outside of play, by door and by who asked.
    pub out: Doors,
    /// Operations of the wallet that are open where the log ends.
    #[serde(default, skip_serializing_if = "is_none")]
    pub wallet_waits: u64,
    /// Those of them that are open for longer than an operation may be, at the log's last entry.
    #[serde(default, skip_serializing_if = "is_none")]
    pub wallet_late: u64,
    /// The operations themselves, the oldest first, as many as the book's limits allow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wallet_waits_listed: Vec<WalletWait>,
    /// Hands of poker that the house ended, whose seeds are owed to every auditor.
    pub hands_owed: u64,
    /// Those of them whose seeds this auditor was given: derived, and finished by default play.
    pub hands_seen: u64,
    /// The operator's acts on players' keys.
    pub keys: Keys,
    /// Commands in players' names, with their signatures and without.
    pub by_players: ByPlayers,
    /// How many commands of each name the operator gave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_operator: BTreeMap<String, u64>,
    /// How many rule sets of tables and tournaments, and structures, have a shipped name and are not the shipped one.
    pub renamed: u64,
    /// These themselves, as many as the book's limits allow.
    pub renamed_listed: Vec<Renamed>,
    /// How many rule sets are none of the shipped ones, by their digests.
    pub own_rules: u64,
    /// The rule sets themselves, those with a shipped name first, then by their rounds; as many as the book's limits
    /// allow.
    pub own_rules_listed: Vec<OwnRules>,
    /// Acts on tournaments; absent if the log has none.
    #[serde(default, skip_serializing_if = "Events::is_nothing")]
    pub events: Events,
    /// How many structures are none of the shipped ones, by their digests.
    #[serde(default, skip_serializing_if = "is_none")]
    pub own_structures: u64,
    /// The structures themselves, those with a shipped name first, then by their events; as many as the book's limits
    /// allow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_structures_listed: Vec<OwnStructure>,
    /// Counts for the statistics, which `leaning` reports; not part of the report's own JSON.
    #[serde(skip)]
    pub leans: Leans,
    /// The first entry that does not hold, if any.
    pub first_failure: Option<Finding>,
}

impl AuditReport {
    /// Whether everything holds.
    pub fn is_sound(&self) -> bool {
        self.first_failure.is_none()
    }

    /// Whether nothing is left to be shown: no round is in play, every shoe that was played from is out, and the wallet
    /// has had its time for each operation. A log that holds and is not complete is `sound_so_far` (spec/audit.md, "Verdicts").
    pub fn is_complete(&self) -> bool {
        self.used_shoes == 0 && self.open_rounds == 0 && self.wallet_late == 0
    }
}
