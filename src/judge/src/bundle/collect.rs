//! Picks the entries of one round or shoe out of a log that is read once (spec/audit.md, "The bundle"). Adds no proof
//! and judges nothing.

use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{Actor, Command, Entry, Event};
use std::collections::{BTreeMap, HashMap};

/// An index and the entry's bytes there.
type Raw = (u64, Vec<u8>);

/// The round, or the shoe, that is looked for on a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The shoe of a round.
    Round {
        /// The table at which the round was played.
        table: TableId,
        /// The round's number.
        round_no: u64,
    },
    /// A shoe with everything that was dealt from it.
    Shoe {
        /// The table at which the shoe was in use.
        table: TableId,
        /// The shoe's number.
        shoe_no: u64,
    },
}

/// The entries that belong in a bundle, without their proofs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The table's opening, the starts and the players' keys.
    pub context: Vec<(u64, Vec<u8>)>,
    /// The shoe's history at its table.
    pub entries: Vec<(u64, Vec<u8>)>,
}

/// Picks a bundle's entries out of a log that is read once, in order. Memory is that of one shoe's history, and of an
/// entry for each player who has a key.
#[derive(Clone, Debug)]
pub struct Collector {
    target: Target,
    needle: String,
    opened: Option<Raw>,
    last_start: Option<Raw>,
    /// The shoe in use: the start before it, later starts, its entries.
    base_start: Option<Raw>,
    later_starts: Vec<Raw>,
    entries: Vec<Raw>,
    /// Each player's latest key entry.
    latest_keys: HashMap<PlayerId, Raw>,
    /// Those that the table's opening and the shoe's entries were given under.
    opening_key: Option<Raw>,
    keys: BTreeMap<u64, Vec<u8>>,
    wanted: bool,
    /// A game is going on, whose later piles belong to the same history.
    in_round: bool,
    done: bool,
}

impl Collector {
    /// A collector for one round or shoe.
    pub fn new(target: Target) -> Self {
        let (Target::Round { table, .. } | Target::Shoe { table, .. }) = &target;
        // The one encoding of an entry names its table so, once or more.
        let needle = format!("\"table\":\"{table}\"");
        Collector {
            target,
            needle,
            opened: None,
            last_start: None,
            base_start: None,
            later_starts: Vec::new(),
            entries: Vec::new(),
            latest_keys: HashMap::new(),
            opening_key: None,
            keys: BTreeMap::new(),
            wanted: false,
            in_round: false,
            done: false,
        }
    }

    /// Looks at the next entry. Bytes that are no entry are passed over: the collector gives no verdict on them.
    pub fn feed(&mut self, index: u64, bytes: &[u8]) {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        if self.done
            || !(text.contains(&self.needle) || text.contains("\"start_dealer\"") || text.contains("\"key_set\""))
        {
            return;
        }
        let Ok(entry) = Entry::parse_json(bytes) else { return };
        let raw = (index, bytes.to_vec());
        let (Target::Round { table, .. } | Target::Shoe { table, .. }) = &self.target;
        match &entry.command {
            Command::StartDealer { .. } => {
                if !self.entries.is_empty() {
                    self.later_starts.push(raw.clone());
                }
                self.last_start = Some(raw);
            }
            command if command.table() != Some(table) => {}
            Command::OpenTable { .. } | Command::OpenEventTable { .. } => {
                self.opened = Some(raw);
                self.opening_key = self.key_of(&entry.by);
            }
            _ => self.at_table(raw, &entry),
        }
        for event in &entry.events {
            if let Event::KeySet { player, .. } = event {
                self.latest_keys.insert(player.clone(), (index, bytes.to_vec()));
            }
        }
    }

    /// The entry that set or cleared the key which this actor's commands are signed with now.
    fn key_of(&self, by: &Actor) -> Option<Raw> {
        if let Actor::Player(player) = by { self.latest_keys.get(player).cloned() } else { None }
    }

    fn at_table(&mut self, raw: Raw, entry: &Entry) {
        let events = &entry.events;
        for event in events {
            match event {
                Event::ShoeCommitted { shoe_no, .. } => {
                    if !self.in_round {
                        self.base_start = self.last_start.clone();
                        self.later_starts.clear();
                        self.entries.clear();
                        self.keys.clear();
                        self.wanted = false;
                    }
                    self.wanted |= matches!(&self.target, Target::Shoe { shoe_no: wanted, .. } if wanted == shoe_no);
                }
                Event::BetsClosed { round_no, .. } | Event::HandBegun { round_no, .. } => {
                    self.in_round = true;
                    self.wanted |= matches!(&self.target, Target::Round { round_no: wanted, .. } if wanted == round_no);
                }
                Event::RoundSettled { .. } | Event::RoundVoided { .. } => self.in_round = false,
                _ => {}
            }
        }
        self.keys.extend(self.key_of(&entry.by));
        self.entries.push(raw);
        if !self.in_round
            && events.iter().any(|event| matches!(event, Event::ShoeRevealed { .. } | Event::ShoeSealed { .. }))
        {
            self.done = self.wanted;
            if !self.done {
                self.entries.clear();
                self.keys.clear();
            }
        }
    }

    /// Whether nothing later on the log can add to the selection.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// The entries found; `None` if the log does not have the round or shoe.
    pub fn finish(self) -> Option<Selection> {
        if !self.wanted {
            return None;
        }
        let last = self.entries.last().map(|(index, _)| *index).unwrap_or_default();
        let later = self.later_starts.into_iter().filter(|(index, _)| *index < last);
        let keys = self.opening_key.into_iter().chain(self.keys);
        let mut context: Vec<Raw> = self.opened.into_iter().chain(self.base_start).chain(later).chain(keys).collect();
        context.sort_by_key(|(index, _)| *index);
        context.dedup_by_key(|(index, _)| *index);
        Some(Selection { context, entries: self.entries })
    }
}
