//! A cash table's players against an honest house, and against a cheating one: every entry is logged and signed as it
//! stands.

use fairshoe_api::{OwnCards, ShownOpening};
use fairshoe_fairness::{
    ClientSeed, Epoch, Master, Opening, Origin, PlayerId, SeedCommitment, Slot, Stream, TableContext, TableId,
    derive_client_seed, seed_commitment,
};
use fairshoe_games::{Chips, RoundEvent, RuleSet};
use fairshoe_house::{Actor, Command, Dealer, Entry, Event, OpenRound, Phase, Reference, SeedDealer, ShoeId, State};
use fairshoe_load::check::{CashTodo, Flaw, OnLog, TableCheck};
use fairshoe_load::strategy::Strategy;
use fairshoe_tlog::{Checkpoint, Signer, leaf_hash, verify_checkpoint};
use std::sync::Arc;

/// Changes the data for the table's players: an entry and its openings, or a player's own cards.
type Lie = Box<dyn FnMut(&mut Entry, &mut Vec<ShownOpening>)>;

struct Table {
    state: State,
    dealer: SeedDealer,
    now: u64,
    index: u64,
    context: TableContext,
    checkpoint: Arc<Checkpoint>,
    check: TableCheck,
    pick: u8,
    random: Stream,
    lie: Lie,
    lie_to_player: fn(&mut OwnCards, &Table, &PlayerId),
}

fn player(name: &str) -> PlayerId {
    PlayerId::parse(name).unwrap()
}

impl Table {
    fn new(game: &str, players: &[&str]) -> Table {
        // Hands follow each other at once.
        let rules = RuleSet::shipped(game).unwrap().with_options([("between_hands_ms", "null")]).unwrap();
        let origin = Origin::parse("example.com/log").unwrap();
        let (table, epoch) = (TableId::parse("room").unwrap(), Epoch::from_bytes([3; 32]));
        let signer = Signer::new(origin.as_str(), &[9; 32]).unwrap();
        let signed = signer.sign_checkpoint(1, leaf_hash(b"the first entry"));
        let check = TableCheck::new(origin.clone(), epoch, table.clone(), Arc::new(rules.clone()), Arc::default());
        let mut of = Table {
            state: State::new(),
            dealer: SeedDealer::new(Master::from_bytes([7; 32])),
            now: 1_750_000_000_000,
            index: 0,
            context: TableContext { origin: origin.clone(), table: table.clone(), epoch },
            checkpoint: Arc::new(verify_checkpoint(&signed, signer.verifier_key()).unwrap()),
            check,
            pick: 0,
            random: Stream::new([5; 32]),
            lie: Box::new(|_, _| {}),
            lie_to_player: |_, _, _| {},
        };
        let master_id = Master::from_bytes([7; 32]).id();
        let software = Reference::parse("fairshoe 0.1.0").unwrap();
        of.give(Actor::House, Command::StartDealer { origin, epoch, master_id, software }).unwrap();
        for name in players {
            let amount = Chips::new(10_000_000).unwrap();
            of.give(Actor::Operator, Command::CreatePlayer { player: player(name), key: None }).unwrap();
            of.give(Actor::Operator, Command::Credit { player: player(name), amount, reference: None }).unwrap();
            of.check.credited(&player(name), amount);
        }
        let buy_in = rules.table.stake_min;
        of.give(Actor::Operator, Command::OpenTable { table: table.clone(), rules, replaces: None }).unwrap();
        for (seat, name) in (1..).zip(players) {
            of.ask(&player(name), Command::SitDown { table: table.clone(), seat, buy_in, client: None, entry: None })
                .unwrap();
        }
        of
    }

    fn ask(&mut self, by: &PlayerId, command: Command) -> Result<(), Flaw> {
        self.check.send(by, command.clone(), None);
        self.give(Actor::Player(by.clone()), command)
    }

    /// The house decides and does its duties; the players replay each entry.
    fn give(&mut self, by: Actor, command: Command) -> Result<(), Flaw> {
        self.now += 7;
        let mut next = Some((by, command));
        while let Some((by, command)) = next {
            let entry =
                self.state.decide(&self.dealer, self.now, &by, &command).unwrap_or_else(|e| panic!("{command:?}: {e}"));
            self.state.apply(&entry).unwrap();
            self.tell(entry)?;
            next = self.state.due(self.now);
        }
        Ok(())
    }

    fn shoe(&self, shoe_no: u64) -> ShoeId {
        ShoeId { context: self.context.clone(), shoe_no, composition: "52x1".parse().unwrap() }
    }

    fn open(&self, slot: Slot) -> Opening {
        let round = self.state.table(&self.context.table).unwrap().round.as_ref().unwrap();
        self.dealer.open(&self.shoe(round.shoe_no), self.pick, slot).unwrap()
    }

    fn tell(&mut self, mut entry: Entry) -> Result<(), Flaw> {
        self.index += 1;
        if entry.at.is_none() {
            return Ok(());
        }
        let mut openings = Vec::new();
        for event in &entry.events {
            match event {
                Event::RoundOpened { pick, .. } => self.pick = *pick,
                Event::Play(RoundEvent::Dealt { slot, card: Some(_), .. } | RoundEvent::Turned { slot, .. }) => {
                    openings.push(ShownOpening { shoe_no: None, opening: self.open(*slot) });
                }
                _ => {}
            }
        }
        (self.lie)(&mut entry, &mut openings);
        let leaf = leaf_hash(&entry.encode().unwrap());
        self.check.apply(&OnLog { index: self.index, leaf, entry, checkpoint: self.checkpoint.clone() }, &openings)?;
        self.check.nothing_leaked(&openings)
    }

    fn own(&self, of: &PlayerId) -> OwnCards {
        let round = self.state.table(&self.context.table).unwrap().round.as_ref().unwrap();
        let openings: Vec<Opening> =
            round.game.table_stakes().unwrap().own_slots(of).into_iter().map(|slot| self.open(slot)).collect();
        let cards = openings.iter().map(|opening| opening.card().unwrap()).collect();
        let round_name = format!("{}:{}", self.context.table, round.round_no);
        OwnCards { round: round_name, shoe_no: round.shoe_no, candidate: self.pick, cards, openings }
    }

    fn seed(&self, by: &PlayerId, round_no: u64) -> (SeedCommitment, ClientSeed) {
        let seed = derive_client_seed(&[8; 32], &self.context, round_no);
        (seed_commitment(&self.context, round_no, by, &seed), seed)
    }

    fn commit(&mut self, by: &PlayerId, round_no: u64) -> Result<(), Flaw> {
        let (table, commitment) = (self.context.table.clone(), self.seed(by, round_no).0);
        self.ask(by, Command::CommitHandSeed { table, round_no, commitment })
    }

    fn reveal(&mut self, by: &PlayerId, round_no: u64) -> Result<(), Flaw> {
        let (table, player, seed) = (self.context.table.clone(), by.clone(), self.seed(by, round_no).1);
        let next = Some(self.seed(by, round_no + 1).0).filter(|_| !round_no.is_multiple_of(3));
        self.ask(by, Command::Reveal { table, round_no, player, seed, saw: None, next })
    }

    /// Plays so many hands, or until a check fails.
    fn play(&mut self, strategy: Strategy, hands: u64) -> Result<(), Flaw> {
        let table = self.context.table.clone();
        let rules = RuleSet::shipped("holdem").unwrap();
        let is_played = |round: &OpenRound| round.round_no + 1 >= hands && round.phase == Phase::Settled;
        while !self.check.round().is_some_and(is_played) {
            match self.check.cash_todo(true) {
                CashTodo::Wait => panic!("nothing is to be done: {:?}", self.check.round().map(|round| round.round_no)),
                CashTodo::Commit(by, round_no) => self.commit(&by, round_no)?,
                CashTodo::Reveal(player, round_no) => self.reveal(&player, round_no)?,
                CashTodo::Look(by, _) => {
                    let mut own = self.own(&by);
                    (self.lie_to_player)(&mut own, self, &by);
                    self.check.own_cards(&by, &own)?;
                }
                CashTodo::Act(round_no, decision, options) => {
                    let view = self.check.view();
                    let action = strategy.choose(&rules, &view, &decision, &options, &mut self.random).unwrap();
                    self.ask(
                        &decision.player.clone(),
                        Command::Act { table: table.clone(), round_no, decision: decision.number, action },
                    )?;
                }
                CashTodo::Rebuy(by) => {
                    self.ask(&by, Command::AddChips { table: table.clone(), amount: Chips::new(8_000).unwrap() })?
                }
                CashTodo::SitIn(by) => {
                    self.ask(&by, Command::SitIn { table: table.clone(), entry: None, straddle: None })?
                }
            }
        }
        Ok(())
    }
}

const NAMES: [&str; 4] = ["alice", "bob", "carol", "dave"];

#[test]
fn an_honest_house_passes_at_every_cash_table() {
    for game in ["holdem", "holdem-limit", "omaha", "omaha-hi-lo"] {
        for (strategy, players) in [(Strategy::Basic, 4), (Strategy::Random, 3), (Strategy::Random, 2)] {
            let mut table = Table::new(game, &NAMES[..players]);
            table.play(strategy, 40).unwrap_or_else(|flaw| panic!("{game}: {flaw}"));
            assert_eq!(table.check.round().map(|round| round.round_no), Some(39), "{game}");
            let money = |name: &&str| table.check.funds(&player(name));
            assert!(NAMES[..players].iter().all(|name| money(name) == table.state.funds(&player(name))), "{game}");
        }
    }
}

type Cheat = fn(&mut Entry, &mut Vec<ShownOpening>);

#[rustfmt::skip]
const CHEATS: &[(&str, &str, Cheat)] = &[
    ("another opening", "slot", |_, openings| {
        openings.iter_mut().for_each(|shown| shown.opening.value = (shown.opening.value + 1) % 52);
    }),
    ("no opening", "not opened", |_, openings| openings.clear()),
    ("another face on the board", "the face that was turned up", |entry, _| for event in &mut entry.events {
        if let Event::Play(RoundEvent::Dealt { card: Some(card), .. }) = event {
            *card = fairshoe_fairness::Card::from_code((card.code() + 1) % 52).unwrap();
        }
    }),
    ("a choice that nobody made", "in dave's name", |entry, _| {
        if let Command::Act { action, .. } = &mut entry.command { *action = fairshoe_games::Action::Muck; }
    }),
    ("another stack", "[bets]", |entry, _| for event in &mut entry.events {
        if let Event::HandBegun { hand, .. } = event {
            hand.seats[0].stack = hand.seats[0].stack.plus(Chips::new(1).unwrap()).unwrap();
        }
    }),
    ("a shorter clock", "[offer]", |entry, _| for event in &mut entry.events {
        if let Event::Play(RoundEvent::Offered { deadline, .. }) = event { *deadline -= 1; }
    }),
];

/// What is the judge's to find has its tests there (src/judge/tests/lies.rs, poker_cheats.rs): two show that it is heard.
#[test]
fn a_house_that_cheats_is_caught() {
    for (name, expected, lie) in CHEATS {
        let mut table = Table::new("holdem", &NAMES);
        table.lie = Box::new(*lie);
        let Err(flaw) = table.play(Strategy::Basic, 30) else { panic!("{name}: no check failed") };
        assert!(flaw.to_string().contains(expected), "{name}: {flaw}");
    }
}

#[test]
fn a_player_is_told_his_own_cards_and_no_others() {
    type Twist = fn(&mut OwnCards, &Table, &PlayerId);
    let cases: [(&str, &str, Twist); 4] = [
        ("another's cards", "the slots of own cards", |own, table, of| {
            let other = NAMES.iter().map(|name| player(name)).find(|name| name != of).unwrap();
            *own = table.own(&other);
        }),
        ("another deck", "the deck of own cards", |own, _, _| own.candidate = 1 - own.candidate),
        ("other faces", "own cards", |own, _, _| own.cards.reverse()),
        ("an opening that does not hold", "slot", |own, _, _| {
            own.openings[0].value = (own.openings[0].value + 1) % 52;
            own.cards[0] = own.openings[0].card().unwrap();
        }),
    ];
    for (name, expected, twist) in cases {
        let mut table = Table::new("holdem", &NAMES);
        table.lie_to_player = twist;
        let Err(flaw) = table.play(Strategy::Basic, 3) else { panic!("{name}: no check failed") };
        assert!(flaw.to_string().contains(expected), "{name}: {flaw}");
    }
}
