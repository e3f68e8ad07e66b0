//! A service in memory: the house, a signed log and the replies of openapi.yaml, without HTTP. It can be told to cheat.
#![allow(
    dead_code,
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "shared by tests, each of which uses a part; they fail by panicking"
)]

mod eyes;

pub use eyes::{Eyes, assert_flaw};

use fairshoe_fairness::{Epoch, Master, Opening, Origin, PlayerId, Slot, TableContext, TableId, derive_client_seed};
use fairshoe_games::{Action, Bet, Chips, RoundEvent, RuleSet};
use fairshoe_house::{Actor, Command, Declined, Entry, Event, Reference, SeedDealer, ShoeId, State};
use fairshoe_load::check::{Bettor, OnLog};
use fairshoe_tlog::{Signer, TileNodes, TlogProof, Tree, VerifierKey, leaf_hash};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

pub const ORIGIN: &str = "example.com/log";

/// Changes an entry after it was decided and before it is logged.
pub type Tamper = Box<dyn FnMut(&mut Entry, &Desk)>;

pub struct Desk {
    pub state: State,
    pub dealer: SeedDealer,
    pub tree: Tree,
    tiles: HashMap<(u8, u64), Arc<TileNodes>>,
    pub entries: Vec<String>,
    signer: Signer,
    pub now: u64,
    pub player: PlayerId,
    pub table: TableId,
    pub rules: Arc<RuleSet>,
    /// The shoe of the round in play, kept when it retires.
    pub shoe: Option<ShoeId>,
    pub tamper: Option<Tamper>,
}

impl Desk {
    /// A house that has started, with one player who has chips and a table.
    pub fn new() -> Desk {
        let (player, table) = (PlayerId::parse("alice").unwrap(), TableId::parse("joy-1").unwrap());
        let rules = Arc::new(RuleSet::shipped("joy").unwrap());
        let mut desk = Desk {
            state: State::new(),
            dealer: SeedDealer::new(Master::from_bytes([7; 32])),
            tree: Tree::new(),
            tiles: HashMap::new(),
            entries: Vec::new(),
            signer: Signer::new(ORIGIN, &[9; 32]).unwrap(),
            now: 1_750_000_000_000,
            player: player.clone(),
            table: table.clone(),
            rules: rules.clone(),
            shoe: None,
            tamper: None,
        };
        let epoch = Epoch::from_bytes(*Master::from_bytes([4; 32]).id().as_bytes());
        let (epoch, master_id) = (epoch, Master::from_bytes([7; 32]).id());
        let software = Reference::parse("fairshoe 0.1.0").unwrap();
        desk.give(Actor::House, Command::StartDealer { origin: Origin::parse(ORIGIN).unwrap(), epoch, master_id, software }).unwrap();
        desk.give(Actor::Operator, Command::CreatePlayer { player: player.clone() }).unwrap();
        let amount = Chips::new(100_000).unwrap();
        desk.give(Actor::Operator, Command::Credit { player: player.clone(), amount, reference: None }).unwrap();
        desk.give(Actor::Player(player), Command::OpenTable { table, rules: (*rules).clone() }).unwrap();
        desk
    }

    pub fn key(&self) -> VerifierKey {
        self.signer.verifier_key().clone()
    }

    pub fn checkpoint(&self) -> String {
        self.signer.sign_checkpoint(self.tree.size(), self.tree.root())
    }

    pub fn funds(&self) -> Chips {
        self.state.funds(&self.player)
    }

    pub fn context(&self) -> TableContext {
        let (origin, epoch) = (self.state.origin().unwrap().clone(), *self.state.epoch().unwrap());
        TableContext { origin, table: self.table.clone(), epoch }
    }

    fn log(&mut self, entry: &Entry) -> u64 {
        let text = String::from_utf8(entry.encode().unwrap()).unwrap();
        for done in self.tree.append(leaf_hash(text.as_bytes())) {
            self.tiles.insert((done.level, done.index), done.nodes);
        }
        self.entries.push(text);
        self.tree.size() - 1
    }

    /// Decides, logs (tampered with, if so told), then does the house's duties. The index of the command's entry.
    pub fn give(&mut self, by: Actor, command: Command) -> Result<u64, Declined> {
        self.now += 7;
        let mut entry = self.state.decide(&self.dealer, self.now, &by, &command)?;
        self.shoe = self.state.table(&self.table).and_then(|t| t.shoe.as_ref()).map(|shoe| shoe.id.clone()).or(self.shoe.take());
        self.state.apply(&entry).unwrap();
        if let Some(mut tamper) = self.tamper.take() {
            tamper(&mut entry, self);
            self.tamper = Some(tamper);
        }
        let index = self.log(&entry);
        while let Some((by, command)) = self.state.due(self.now) {
            let entry = self.state.decide(&self.dealer, self.now, &by, &command).unwrap();
            self.state.apply(&entry).unwrap();
            self.log(&entry);
        }
        Ok(index)
    }

    pub fn receipt(&self, index: u64) -> Value {
        let path = self.tree.inclusion_proof(index, self.tree.size(), &self.tiles).unwrap();
        let proof = TlogProof { extra: None, index, path, checkpoint_text: self.checkpoint() }.format();
        json!({ "index": index, "entry": self.entries[index as usize], "proof": proof })
    }

    pub fn open(&self, slot: Slot) -> Opening {
        self.dealer.derive(self.shoe.as_ref().unwrap(), 0).1.open(slot).unwrap()
    }

    /// The reply to a call that made this entry.
    pub fn accepted(&self, indices: &[u64]) -> Value {
        let entry = Entry::decode(self.entries[indices[0] as usize].as_bytes()).unwrap();
        let turned_up = entry.events.iter().filter_map(|event| match event {
            Event::Play(RoundEvent::Dealt { slot, card: Some(_), .. } | RoundEvent::Turned { slot, .. }) => Some(*slot),
            _ => None,
        });
        let openings: Vec<Opening> = turned_up.map(|slot| self.open(slot)).collect();
        let table = self.state.table(&self.table).unwrap();
        let round = table.round.as_ref().map(|round| round.view(&self.table, |player| self.state.funds(player)));
        let receipts: Vec<Value> = indices.iter().map(|index| self.receipt(*index)).collect();
        json!({ "receipts": receipts, "balance": self.funds(), "round": round, "openings": openings })
    }

    /// The next round's bettor; his secret is public.
    pub fn bettor(&self, stake: u64) -> Bettor {
        let round_no = self.state.table(&self.table).unwrap().next_round;
        let (context, bets) = (self.context(), vec![Bet { spot: "1".into(), stake: Chips::new(stake).unwrap(), chips: None }]);
        let seed = derive_client_seed(&[5; 32], &context, round_no);
        Bettor { player: self.player.clone(), rules: self.rules.clone(), context, round_no, bets, before: self.funds(), seed }
    }

    fn me(&self) -> Actor {
        Actor::Player(self.player.clone())
    }

    pub fn bet(&mut self, bettor: &Bettor) -> Value {
        // A solo table's shoe is committed right after the round before, or the table's opening.
        let shoe = self.entries.iter().rposition(|entry| entry.contains("\"shoe_committed\":{")).unwrap() as u64;
        let (table, bets, round_no) = (self.table.clone(), bettor.bets.clone(), bettor.round_no);
        let index = self.give(self.me(), Command::Bet { table, round_no, bets, commitment: bettor.commitment() }).unwrap();
        self.accepted(&[index, shoe])
    }

    pub fn reveal(&mut self, bettor: &Bettor) -> Value {
        let (table, player, seed) = (self.table.clone(), bettor.player.clone(), bettor.seed.clone());
        let command = Command::Reveal { table, round_no: bettor.round_no, player, seed, saw: None };
        let index = self.give(Actor::Anyone, command).unwrap();
        self.accepted(&[index])
    }

    pub fn act(&mut self, bettor: &Bettor, decision: u32, action: Action) -> Value {
        let command = Command::Act { table: self.table.clone(), round_no: bettor.round_no, decision, action };
        let index = self.give(self.me(), command).unwrap();
        self.accepted(&[index])
    }

    /// A proven entry, as a player who reads a round back gets it.
    pub fn on_log(&self, index: u64) -> OnLog {
        let receipt = serde_json::from_value(self.receipt(index)).unwrap();
        fairshoe_load::check::LogCheck::new(self.key()).receipt(&receipt, &mut 0).unwrap()
    }
}
