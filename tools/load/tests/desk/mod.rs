//! A service in memory: the house, a signed log and the replies of openapi.yaml, without HTTP. It can be told to cheat.
#![allow(
    dead_code,
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "shared by tests, each of which uses a part; they fail by panicking"
)]

mod eyes;

pub use eyes::{Eyes, assert_flaw, play};

use fairshoe_api::RoundView;
use fairshoe_fairness::{
    Card, Epoch, HouseShoe, Master, Opening, Origin, PlayerId, ServerSeed, Slot, TableContext, TableId,
};
use fairshoe_games::{Chips, Mode, Peek, RoundEvent, RuleSet};
use fairshoe_house::{
    Actor, Command, Committed, Dealer, DealerError, DecideError, Entry, Event, Reference, RetireCause, SeedDealer,
    ShoeId, State,
};
use fairshoe_load::check::OnLog;
use fairshoe_tlog::{Signer, TileNodes, TlogProof, Tree, VerifierKey, leaf_hash};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

pub const ORIGIN: &str = "example.com/log";

/// Changes an entry after it was decided and before it is logged.
pub type Tamper = Box<dyn FnMut(&mut Entry, &Desk)>;

/// The dealer, who derives each shoe once.
pub struct Shoes {
    plain: SeedDealer,
    derived: RefCell<HashMap<ShoeId, Rc<HouseShoe>>>,
}

impl Shoes {
    pub fn shoe(&self, id: &ShoeId) -> Rc<HouseShoe> {
        self.derived.borrow_mut().entry(id.clone()).or_insert_with(|| Rc::new(self.plain.derive(id, 0).1)).clone()
    }
}

impl Dealer for Shoes {
    fn commit(&self, shoe: &ShoeId, _candidates: u8) -> Result<Vec<Committed>, DealerError> {
        Ok(vec![SeedDealer::committed(shoe, 0, &self.plain.seed(shoe, 0)?, &self.shoe(shoe))])
    }

    fn card(&self, shoe: &ShoeId, _candidate: u8, slot: Slot) -> Result<Card, DealerError> {
        Ok(self.shoe(shoe).card(slot).unwrap())
    }

    fn peek(&self, shoe: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        Ok(question.answer(self.card(shoe, candidate, slot)?))
    }

    fn wheel_value(&self, shoe: &ShoeId, _candidate: u8, slot: Slot) -> Result<u8, DealerError> {
        Ok(self.shoe(shoe).value(slot).unwrap())
    }

    fn seed(&self, shoe: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError> {
        self.plain.seed(shoe, candidate)
    }
}

pub struct Desk {
    pub state: State,
    pub dealer: Shoes,
    pub tree: Tree,
    tiles: HashMap<(u8, u64), Arc<TileNodes>>,
    pub entries: Vec<String>,
    /// The openings of each entry.
    shown: Vec<Vec<Value>>,
    signer: Signer,
    pub now: u64,
    pub players: Vec<PlayerId>,
    pub table: TableId,
    pub rules: Arc<RuleSet>,
    /// The table's entries, by their numbers there.
    pub at_table: Vec<u64>,
    /// Every shoe of the table.
    pub shoes: BTreeMap<u64, ShoeId>,
    /// The shoes of the game in play, the first deal's first.
    pub piles: Vec<u64>,
    /// The dealer's starts, with their indices.
    pub starts: Vec<(u64, Entry)>,
    pub tamper: Option<Tamper>,
}

impl Desk {
    /// A house that has started, with one player at a JOY table of their own.
    pub fn new() -> Desk {
        Desk::of("joy", &["alice"])
    }

    /// A house that has started, with players who have chips and a table of this rule set.
    pub fn of(rules: &str, players: &[&str]) -> Desk {
        Desk::with(RuleSet::shipped(rules).unwrap(), players)
    }

    /// The same with rules of the operator's own. Rounds follow each other at once.
    pub fn with(rules: RuleSet, players: &[&str]) -> Desk {
        let rules = Arc::new(rules.with_options([("between_hands_ms", "null")]).unwrap());
        let table = TableId::parse("table-1").unwrap();
        let players: Vec<PlayerId> = players.iter().map(|name| PlayerId::parse(name).unwrap()).collect();
        let mut desk = Desk {
            state: State::new(),
            dealer: Shoes { plain: SeedDealer::new(Master::from_bytes([7; 32])), derived: RefCell::default() },
            tree: Tree::new(),
            tiles: HashMap::new(),
            entries: Vec::new(),
            shown: Vec::new(),
            signer: Signer::new(ORIGIN, &[9; 32]).unwrap(),
            now: 1_750_000_000_000,
            players: players.clone(),
            table: table.clone(),
            rules: rules.clone(),
            at_table: Vec::new(),
            shoes: BTreeMap::new(),
            piles: Vec::new(),
            starts: Vec::new(),
            tamper: None,
        };
        desk.start();
        for player in &players {
            desk.give(Actor::Operator, Command::CreatePlayer { player: player.clone(), key: None }).unwrap();
            let amount = Chips::new(1_000_000).unwrap();
            desk.give(Actor::Operator, Command::Credit { player: player.clone(), amount, reference: None }).unwrap();
        }
        // A solo table belongs to its one player.
        let solo = rules.table.mode == Mode::Solo;
        let by = if solo { Actor::Player(players[0].clone()) } else { Actor::Operator };
        desk.give(by, Command::OpenTable { table, rules: (*rules).clone(), replaces: None }).unwrap();
        desk
    }

    /// The dealer starts, for the first time or again.
    pub fn start(&mut self) {
        let number = u8::try_from(self.starts.len() + 1).unwrap();
        let epoch = Epoch::from_bytes(*Master::from_bytes([number; 32]).id().as_bytes());
        let (origin, master_id) = (Origin::parse(ORIGIN).unwrap(), Master::from_bytes([7; 32]).id());
        let software = Reference::parse("fairshoe 0.1.0").unwrap();
        self.give(Actor::House, Command::StartDealer { origin, epoch, master_id, software }).unwrap();
    }

    pub fn key(&self) -> VerifierKey {
        self.signer.verifier_key().clone()
    }

    pub fn checkpoint(&self) -> String {
        self.signer.sign_checkpoint(self.tree.size(), self.tree.root())
    }

    pub fn funds(&self, player: &PlayerId) -> Chips {
        self.state.funds(player)
    }

    fn log(&mut self, entry: &Entry) -> u64 {
        if matches!(entry.command, Command::CommitShoe { .. }) {
            self.piles.clear();
        }
        let mut shown = Vec::new();
        for event in &entry.events {
            let (shoe_no, slot) = match event {
                Event::ShoeCommitted { shoe_no, composition, .. } => {
                    let (origin, epoch) = (self.state.origin().unwrap().clone(), *self.state.epoch().unwrap());
                    let context = TableContext { origin, table: self.table.clone(), epoch };
                    self.shoes
                        .insert(*shoe_no, ShoeId { context, shoe_no: *shoe_no, composition: composition.clone() });
                    self.piles.push(*shoe_no);
                    continue;
                }
                Event::ShoeRevealed { cause: Some(RetireCause::PileUnused), .. } => {
                    self.piles.pop();
                    continue;
                }
                Event::Play(RoundEvent::Turned { pile: Some(pile), slot, .. }) => {
                    (self.piles[usize::from(*pile)], *slot)
                }
                Event::Play(RoundEvent::Dealt { slot, card: Some(_), .. }) => (*self.piles.last().unwrap(), *slot),
                Event::Play(RoundEvent::Turned { slot, .. } | RoundEvent::Spun { slot, .. }) => {
                    (*self.piles.last().unwrap(), *slot)
                }
                _ => continue,
            };
            let mut opening = serde_json::to_value(self.open(shoe_no, slot)).unwrap();
            opening["shoe_no"] = json!(shoe_no);
            shown.push(opening);
        }
        self.shown.push(shown);
        let text = String::from_utf8(entry.encode().unwrap()).unwrap();
        for done in self.tree.append(leaf_hash(text.as_bytes())) {
            self.tiles.insert((done.level, done.index), done.nodes);
        }
        self.entries.push(text);
        let index = self.tree.size() - 1;
        if matches!(entry.command, Command::StartDealer { .. }) {
            self.starts.push((index, entry.clone()));
        }
        if entry.at.is_some() {
            self.at_table.push(index);
        }
        index
    }

    /// Decides, logs (with tampering, if requested), then does the house's duties. Returns the index of the command's
    /// entry.
    pub fn give(&mut self, by: Actor, command: Command) -> Result<u64, DecideError> {
        self.now += 7;
        let entry = self.state.decide(&self.dealer, self.now, &by, &command)?;
        let index = self.record(entry);
        self.duties();
        Ok(index)
    }

    fn record(&mut self, mut entry: Entry) -> u64 {
        self.state.apply(&entry).unwrap();
        if let Some(mut tamper) = self.tamper.take() {
            tamper(&mut entry, self);
            self.tamper = Some(tamper);
        }
        self.log(&entry)
    }

    /// Does all the house's duties.
    pub fn duties(&mut self) {
        while let Some((by, command)) = self.state.due(self.now) {
            let entry = self.state.decide(&self.dealer, self.now, &by, &command);
            let entry = entry.unwrap_or_else(|e| panic!("the house cannot do its duty {command:?}: {e}"));
            self.record(entry);
        }
    }

    /// Time passes until the next deadline.
    pub fn wait(&mut self) {
        self.now = self.now.max(self.state.next_deadline().unwrap());
        self.duties();
    }

    fn path(&self, index: u64) -> Vec<fairshoe_tlog::Hash> {
        self.tree.inclusion_proof(index, self.tree.size(), &self.tiles).unwrap()
    }

    pub fn receipt(&self, index: u64) -> Value {
        let proof =
            TlogProof { extra: None, index, path: self.path(index), checkpoint_text: self.checkpoint() }.format();
        json!({ "index": index, "entry": self.entries[index as usize], "proof": proof })
    }

    pub fn open(&self, shoe_no: u64, slot: Slot) -> Opening {
        self.dealer.shoe(&self.shoes[&shoe_no]).open(slot).unwrap()
    }

    /// An entry of the table in a page's form, with the page's checkpoint.
    pub fn page_entry(&self, seq: u64) -> (Value, String) {
        let index = self.at_table[seq as usize];
        let proof: Vec<String> = self.path(index).iter().map(ToString::to_string).collect();
        let entry = &self.entries[index as usize];
        let value = json!({ "index": index, "seq": seq, "entry": entry, "openings": self.shown[index as usize], "proof": proof });
        (value, self.checkpoint())
    }

    /// The reply to this player's call that made this entry.
    pub fn accepted(&self, player: &PlayerId, indices: &[u64]) -> Value {
        let table = self.state.table(&self.table).unwrap();
        let round =
            table.round.as_ref().map(|round| RoundView::of(round, &self.table, |player| self.state.funds(player)));
        let receipts: Vec<Value> = indices.iter().map(|index| self.receipt(*index)).collect();
        json!({ "receipts": receipts, "balance": self.funds(player), "round": round, "openings": self.shown[indices[0] as usize] })
    }

    /// The place of the commitment of the shoe in use, or of the last one.
    pub fn last_commit(&self, before: u64) -> u64 {
        let commits =
            |index: &&u64| **index < before && self.entries[**index as usize].contains("\"shoe_committed\":{");
        *self.at_table.iter().rev().find(commits).unwrap()
    }

    /// A proven entry, as a player who reads a round back gets it.
    pub fn on_log(&self, index: u64) -> OnLog {
        let receipt = serde_json::from_value(self.receipt(index)).unwrap();
        fairshoe_load::check::LogCheck::new(self.key()).receipt(&receipt, &mut 0).unwrap()
    }
}
