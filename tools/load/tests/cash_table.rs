//! A cash table's players against an honest house, and against a cheating one: every entry is logged and signed as it
//! stands.

use fairshoe_api::{OwnCards, ShownOpening};
use fairshoe_fairness::{
    ClientSeed, Epoch, Master, Opening, Origin, PlayerId, SeedCommitment, Slot, Stream, TableContext, TableId,
    derive_client_seed, seed_commitment,
};
use fairshoe_games::{Chips, RoundEvent, RuleSet};
use fairshoe_house::{
    Account, Actor, Command, Dealer, Entry, Event, Lapsed, Offence, OpenRound, Phase, Reference, SeedDealer, ShoeId,
    State,
};
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

    /// The last player sits out of the first hand, after the first seed or before it, and gives no seed.
    fn goes_away(&mut self, is_seed_out: bool) -> Result<(), Flaw> {
        let table = self.context.table.clone();
        let (one, other, gone) = (player(NAMES[0]), player(NAMES[1]), player(NAMES[2]));
        for by in [&one, &other, &gone] {
            self.commit(by, 0)?;
        }
        if is_seed_out {
            self.reveal(&one, 0)?;
        }
        self.ask(&gone, Command::SitOut { table: table.clone() })?;
        if !is_seed_out {
            self.reveal(&one, 0)?;
        }
        self.reveal(&other, 0)?;
        self.now += 60_000;
        self.give(Actor::House, Command::Lapse { table, round_no: 0, lapsed: Lapsed::Reveal })
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

/// Changes the first entry with such an event; returns the flaw found.
fn flaw_of(name: &str, lie: impl FnMut(&mut Entry, &mut Vec<ShownOpening>) + 'static) -> Flaw {
    let mut table = Table::new("holdem", &NAMES);
    table.lie = Box::new(lie);
    let Err(flaw) = table.play(Strategy::Basic, 30) else { panic!("{name}: no check failed") };
    flaw
}

#[test]
fn a_house_that_cheats_is_caught() {
    let changes =
        |change: fn(&mut Event)| -> Lie { Box::new(move |entry, _| entry.events.iter_mut().for_each(change)) };
    let cases: Vec<(&str, &str, Lie)> = vec![
        (
            "another opening",
            "slot",
            Box::new(|_, openings| {
                openings.iter_mut().for_each(|shown| shown.opening.value = (shown.opening.value + 1) % 52)
            }),
        ),
        ("no opening", "not opened", Box::new(|_, openings| openings.clear())),
        (
            "another face on the board",
            "the face that was turned up",
            changes(|event| {
                if let Event::Play(RoundEvent::Dealt { card: Some(card), .. }) = event {
                    *card = fairshoe_fairness::Card::from_code((card.code() + 1) % 52).unwrap();
                }
            }),
        ),
        (
            "the other deck",
            "[round_opened]",
            changes(|event| {
                if let Event::RoundOpened { pick, .. } = event {
                    *pick = 1 - *pick;
                }
            }),
        ),
        (
            "other entropy",
            "[round_opened]",
            changes(|event| {
                if let Event::RoundOpened { entropy, .. } = event {
                    *entropy = fairshoe_fairness::RoundEntropy::from_bytes([1; 32]);
                }
            }),
        ),
        (
            "another seed of the deck not dealt",
            "[seed_opens]",
            changes(|event| {
                if let Event::RoundOpened { others, .. } = event {
                    *others = vec![fairshoe_fairness::ServerSeed::from_bytes([1; 32])];
                }
            }),
        ),
        (
            "a card out of turn",
            "[dealt_slot]",
            changes(|event| {
                if let Event::Play(RoundEvent::Dealt { slot, card: None, .. }) = event {
                    *slot = Slot((slot.0 + 1) % 52);
                }
            }),
        ),
        (
            "a sealed shoe that opens less",
            "[opening_missing]",
            changes(|event| {
                if let Event::ShoeSealed { openings, .. } = event {
                    openings.pop();
                }
            }),
        ),
        (
            "another stack",
            "[bets]",
            changes(|event| {
                if let Event::HandBegun { hand, .. } = event {
                    hand.seats[0].stack = hand.seats[0].stack.plus(Chips::new(1).unwrap()).unwrap();
                }
            }),
        ),
        (
            "chips from seat to rake",
            "[posting]",
            changes(|event| {
                if let Event::Posted { lines } = event
                    && let [seat, .., rake] = lines.as_mut_slice()
                    && matches!((&seat.0, &rake.0), (Account::Seat(..), Account::Seat(..) | Account::Rake))
                {
                    (seat.1, seat.2) = (seat.1 - 1, seat.2 - 1);
                    (rake.1, rake.2) = (rake.1 + 1, rake.2 + 1);
                }
            }),
        ),
        (
            "a choice that nobody made",
            "in dave's name",
            Box::new(|entry, _| {
                if let Command::Act { action, .. } = &mut entry.command {
                    *action = fairshoe_games::Action::Muck;
                }
            }),
        ),
        (
            "a shorter clock",
            "[offer]",
            changes(|event| {
                if let Event::Play(RoundEvent::Offered { deadline, .. }) = event {
                    *deadline -= 1;
                }
            }),
        ),
        (
            "a swallowed commitment",
            "[refused]",
            Box::new(|entry, _| {
                if matches!(entry.command, Command::CallHand { .. })
                    && let Some(Event::HandSeedCommitted { .. }) = entry.events.last()
                {
                    entry.events.pop();
                }
            }),
        ),
    ];
    for (name, expected, lie) in cases {
        let flaw = flaw_of(name, lie).to_string();
        assert!(flaw.contains(expected), "{name}: {flaw}");
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

/// Who sits out before any seed is out knew nothing of the hand; who does later withholds theirs.
#[test]
fn a_cooldown_says_what_the_player_did() {
    for (is_seed_out, truth) in [(false, Offence::WentAway), (true, Offence::RevealMissing)] {
        for said in [Offence::WentAway, Offence::RevealMissing] {
            let mut table = Table::new("holdem", &NAMES[..3]);
            table.lie = Box::new(move |entry, _| {
                let cooldowns = entry.events.iter_mut().filter_map(|event| match event {
                    Event::Cooldown { offence, .. } => Some(offence),
                    _ => None,
                });
                cooldowns.for_each(|offence| *offence = said);
            });
            assert_eq!(table.goes_away(is_seed_out).is_ok(), said == truth, "{truth:?}, said as {said:?}");
        }
        let mut table = Table::new("holdem", &NAMES[..3]);
        table.lie = Box::new(|entry, _| entry.events.retain(|event| !matches!(event, Event::Cooldown { .. })));
        assert!(table.goes_away(is_seed_out).is_err(), "{truth:?}, and no cooldown");
    }
}
