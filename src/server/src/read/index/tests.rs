//! The index against the one that held everything in memory, over histories by chance: what it says is the same
//! whatever was written, merged, damaged or made again meanwhile.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::model::{self, Index as Model};
use super::*;
use fairshoe_fairness::{ClientSeed, Composition, Origin, RoundEntropy, SeedCommitment};
use fairshoe_games::{Action, Ahead, Bet, Chips, RoundEvent, RuleSet};
use fairshoe_house::{Command, LapseCause, PlacedBet, RoundResult, VoidCause, WalletAnswer, WalletCall};
use std::path::Path;

/// SplitMix64: enough to choose among possibilities, and repeatable.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % bound.max(1)
    }

    fn once_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// What a table of a history by chance is about to do.
#[derive(Default)]
struct Play {
    seq: u64,
    next_round: u64,
    next_shoe: u64,
    /// Shoes that are not retired.
    shoes: Vec<u64>,
    round: Option<u64>,
    window: Option<u64>,
    is_game: bool,
    keeps_shoe: bool,
    closed: bool,
}

/// A history by chance, entry by entry. It obeys the order of events that the house obeys, and none of its arithmetic.
pub(super) struct History {
    dice: Dice,
    time: u64,
    tables: Vec<(TableId, Play)>,
    players: Vec<PlayerId>,
    most_tables: usize,
    rules: [RuleSet; 3],
    /// How many operations of the wallet there were.
    operations: u64,
}

fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

pub(super) fn origin() -> Origin {
    Origin::parse("test/index").unwrap()
}

impl History {
    pub(super) fn new(seed: u64, tables: usize, players: usize) -> History {
        let rules = ["joy", "safe", "holdem"].map(|name| RuleSet::shipped(name).unwrap());
        let players = (0..players).map(|number| PlayerId::parse(&format!("player-{number}")).unwrap()).collect();
        let (dice, time, tables, most_tables) = (Dice(seed), 1_700_000_000_000, Vec::new(), tables);
        History { dice, time, tables, players, most_tables, rules, operations: 0 }
    }

    fn player(&mut self) -> PlayerId {
        let nth = self.dice.below(self.players.len() as u64);
        self.players[nth as usize].clone()
    }

    /// The next entry.
    pub(super) fn next(&mut self, index: u64) -> Entry {
        self.time += self.dice.below(300);
        if index == 0 || self.dice.once_in(4000) {
            return self.start();
        }
        if self.dice.once_in(500) {
            return self.beside_play();
        }
        let open: Vec<usize> = (0..self.tables.len()).filter(|nth| !self.tables[*nth].1.closed).collect();
        if open.is_empty() || open.len() < self.most_tables && self.dice.once_in(20) {
            return self.open();
        }
        let nth = open[self.dice.below(open.len() as u64) as usize];
        self.play(nth)
    }

    fn entry(&self, by: Actor, at: Option<(TableId, u64)>, command: Command, events: Vec<Event>) -> Entry {
        let at = at.map(|(table, seq)| fairshoe_house::TableSeq { table, seq });
        Entry { v: 1, time: self.time, by, at, before: Vec::new(), command, signed: None, events }
    }

    fn start(&mut self) -> Entry {
        let epoch = Epoch::from_bytes(std::array::from_fn(|_| self.dice.below(256) as u8));
        let started = serde_json::json!({ "dealer_started": {
            "origin": origin(), "epoch": epoch, "master_id": hex::encode([7; 32]), "down_ms": 0 } });
        let events = vec![serde_json::from_value(started).unwrap()];
        self.entry(Actor::House, None, Command::StopDealer {}, events)
    }

    fn beside_play(&mut self) -> Entry {
        let player = self.player();
        let reason = fairshoe_house::Reference::parse("by chance").unwrap();
        let event = match self.dice.below(7) {
            5 => {
                let (no, call) = (self.operations, [WalletCall::Reserve, WalletCall::Pay][self.dice.below(2) as usize]);
                self.operations += 1;
                Event::WalletAsked { no, call, player, amount: chips(5) }
            }
            6 => {
                let (no, answer) = (self.dice.below(self.operations + 1), WalletAnswer::Accepted);
                Event::WalletAnswered { no, call: WalletCall::Commit, answer, reason: None }
            }
            0 => Event::KeySet { player, key: None, from: None, old: None },
            1 => Event::StartRefused { at: self.time, reason },
            2 => Event::DealerStopped {},
            3 => Event::PlayerCreated { player },
            _ if self.tables.is_empty() => Event::PlayerCreated { player },
            _ => {
                let nth = self.dice.below(self.tables.len() as u64) as usize;
                let (table, play) = (self.tables[nth].0.clone(), self.tables[nth].1.next_shoe);
                let auditor = (!self.dice.once_in(3)).then_some(player);
                Event::ShoeDisclosed { table, shoe_no: self.dice.below(play.clamp(1, 5)), auditor }
            }
        };
        self.entry(Actor::Operator, None, Command::StopDealer {}, vec![event])
    }

    fn open(&mut self) -> Entry {
        let table = TableId::parse(&format!("table-{}", self.tables.len())).unwrap();
        let kind = self.dice.below(4);
        let rules = self.rules[if kind == 3 { 2 } else { usize::from(kind == 1) }].clone();
        let digest = rules.digest();
        let play = Play { seq: 1, is_game: kind == 1, keeps_shoe: kind == 2, ..Play::default() };
        self.tables.push((table.clone(), play));
        let opened = Event::TableOpened {
            rules: rules.clone(),
            digest,
            owner: None,
            idle_ms: None,
            replaces: None,
            event: None,
        };
        self.entry(
            Actor::Operator,
            Some((table.clone(), 0)),
            Command::OpenTable { table, rules, replaces: None },
            vec![opened],
        )
    }

    fn result(&mut self) -> RoundResult {
        let (player, staked, returned) = (self.player(), chips(self.dice.below(1000)), chips(self.dice.below(1000)));
        RoundResult { player, staked, returned }
    }

    fn play(&mut self, nth: usize) -> Entry {
        let (table, mut play) = (self.tables[nth].0.clone(), std::mem::take(&mut self.tables[nth].1));
        let seq = play.seq;
        play.seq += 1;
        let mut events = Vec::new();
        if let Some(round_no) = play.round {
            self.in_round(&mut play, round_no, &mut events);
        } else if play.shoes.is_empty() {
            if seq > 40 && self.dice.once_in(60) {
                play.closed = true;
                events.push(Event::TableClosed {});
            } else {
                events.push(commit(&mut play, self.dice.below(3)));
            }
        } else if let Some(round_no) = play.window {
            if self.dice.once_in(8) {
                play.window = None;
                events.push(Event::BetsLapsed { round_no, cause: LapseCause::Malfunction, announced: false });
            } else if self.dice.once_in(2) {
                self.close(&mut play, round_no, &mut events);
            }
        } else if play.keeps_shoe && self.dice.once_in(10) {
            events.push(Event::ShoeRevealed { shoe_no: play.shoes.pop().unwrap(), seeds: Vec::new(), cause: None });
        } else {
            let round_no = play.next_round;
            play.next_round += 1;
            let shoe_no = *play.shoes.last().unwrap();
            events.push(Event::BetsOpened { round_no, shoe_no, closes_at: None });
            play.window = Some(round_no);
            if self.dice.once_in(2) {
                self.close(&mut play, round_no, &mut events);
            }
        }
        self.tables[nth].1 = play;
        let by = if self.dice.once_in(3) { Actor::House } else { Actor::Player(self.player()) };
        self.entry(by, Some((table.clone(), seq)), Command::CommitShoe { table }, events)
    }

    fn close(&mut self, play: &mut Play, round_no: u64, events: &mut Vec<Event>) {
        play.window = None;
        play.round = Some(round_no);
        let mut contributors: Vec<PlacedBet> = Vec::new();
        for _ in 0..=self.dice.below(3) {
            let bet = Bet { spot: "1".into(), stake: chips(1 + self.dice.below(500)), chips: None };
            contributors.push(PlacedBet {
                player: self.player(),
                bets: vec![bet],
                commitment: SeedCommitment::from_bytes([1; 32]),
            });
        }
        contributors.dedup_by(|a, b| a.player == b.player);
        let shoe_no = *play.shoes.last().unwrap();
        events.push(Event::BetsClosed {
            round_no,
            shoe_no,
            contributors,
            lanes: 1,
            reveal_by: self.time,
            announced: false,
        });
    }

    fn in_round(&mut self, play: &mut Play, round_no: u64, events: &mut Vec<Event>) {
        match self.dice.below(8) {
            0..=2 => {
                let pick = self.dice.below(2) as u8;
                let entropy = RoundEntropy::from_bytes([2; 32]);
                events.push(Event::RoundOpened { entropy, pick, others: Vec::new(), settle_by: None });
            }
            3 => {
                let (player, cost) = (self.player(), chips(self.dice.below(50)));
                events.push(Event::Play(RoundEvent::Acted {
                    decision: 0,
                    player,
                    action: Action::Stand,
                    cost,
                    default: false,
                }));
                events.push(Event::SeedRevealed { player: self.player(), seed: ClientSeed::from_bytes([3; 32]) });
            }
            4 if play.is_game => {
                events.push(commit(play, self.dice.below(3)));
                let opened = play.next_round;
                play.next_round += 1;
                events.push(Event::PileOpened {
                    round_no: opened,
                    shoe_no: play.next_shoe - 1,
                    players: Vec::new(),
                    commit_by: 0,
                });
                if self.dice.once_in(3) {
                    // A pile that nobody needed leaves in mid-game.
                    let shoe_no = play.shoes.pop().unwrap();
                    events.push(Event::ShoeRevealed { shoe_no, seeds: Vec::new(), cause: None });
                }
            }
            4 | 5 => {}
            _ => {
                play.round = None;
                let players = vec![self.result(), self.result()];
                if self.dice.once_in(4) {
                    let causes =
                        [VoidCause::RevealMissing, VoidCause::Crash, VoidCause::Malfunction, VoidCause::Abandoned];
                    let cause = causes[self.dice.below(4) as usize];
                    events.push(Event::RoundVoided {
                        round_no,
                        cause,
                        missing: Vec::new(),
                        ahead: Ahead::Nobody,
                        players,
                        refunds: None,
                        retained_winnings: Vec::new(),
                        standing: None,
                    });
                } else {
                    events.push(Event::RoundSettled { round_no, staked: chips(2), returned: chips(1), players });
                }
                if !play.keeps_shoe {
                    for shoe_no in std::mem::take(&mut play.shoes) {
                        events.push(if self.dice.once_in(3) {
                            Event::ShoeSealed { shoe_no, openings: Vec::new() }
                        } else {
                            Event::ShoeRevealed { shoe_no, seeds: Vec::new(), cause: None }
                        });
                    }
                }
            }
        }
    }
}

fn commit(play: &mut Play, kind: u64) -> Event {
    let composition: Composition = ["52x1", "52x8", "wheel37x2"][kind as usize].parse().unwrap();
    let shoe_no = play.next_shoe;
    play.next_shoe += 1;
    play.shoes.push(shoe_no);
    Event::ShoeCommitted { shoe_no, composition, candidates: Vec::new() }
}

/// The root that the log of a test has at a size.
fn root(seed: u64, size: u64) -> String {
    format!("{seed}-{size}")
}

fn open(dir: &Path, seed: u64, size: u64) -> (Index, u64) {
    Index::open(dir, &origin(), |at| (at <= size).then(|| root(seed, at))).unwrap()
}

/// Whether the two say the same of everything that anybody can ask.
fn compare(index: &Index, model: &Model, history: &History, size: u64, dice: &mut Dice) {
    let totals = index.totals();
    assert_eq!(
        (totals.size, totals.rounds, totals.hands, totals.sealed_shoes, totals.disclosures, totals.refused_at),
        (size, model.rounds, model.hands, model.sealed_shoes, model.disclosures, model.refused_at)
    );
    assert!(index.table(&TableId::parse("nowhere").unwrap()).unwrap().is_none());
    for (name, play) in &history.tables {
        compare_table(index, model, name, play, dice);
    }
    for player in &history.players {
        let all = model.players.get(player).map(Vec::as_slice).unwrap_or_default();
        let found = index.player(player).unwrap();
        assert_eq!(found.len(), all.len() as u64);
        let (from, to) = (dice.below(found.len() + 2), dice.below(found.len() + 2));
        for range in [0..found.len(), from.min(to)..from.max(to)] {
            let to = (range.end as usize).min(all.len());
            assert_eq!(found.range(range.clone()).unwrap(), all[(range.start as usize).min(to)..to]);
        }
        let by = Actor::Player(player.clone());
        for at in [0, 1, dice.below(size + 1), size] {
            assert_eq!(index.key_entry(&by, at).unwrap(), model.key_entry(&by, at), "{player} at {at}");
        }
        if history.tables.is_empty() {
            continue;
        }
        let (table, play) = &history.tables[dice.below(history.tables.len() as u64) as usize];
        let round_no = play.next_round.saturating_sub(dice.below(3));
        assert_eq!(index.plays_in(player, table, round_no).unwrap(), model.plays_in(player, table, round_no));
        for shoe_no in 0..5 {
            assert_eq!(
                index.disclosures_to(player, table, shoe_no).unwrap(),
                model.disclosures_to(player, table, shoe_no)
            );
        }
    }
    for no in [0, 1, dice.below(20), history.operations] {
        let theirs = model.operations.get(&no).copied().unwrap_or_default();
        assert_eq!(index.wallet_operation(no).unwrap(), theirs, "operation {no}");
    }
    let events = index.significant();
    let time = history.time.saturating_sub(dice.below(size * 150 + 1));
    assert_eq!(events.before(time).unwrap(), model.significant.partition_point(|event| event.time < time) as u64);
    assert_eq!(events.range(0..u64::MAX).unwrap(), model.significant);
}

fn same_round(ours: &Option<RoundRef>, theirs: Option<&model::RoundRef>) {
    let ours = ours.as_ref().map(|r| {
        (r.round_no, r.shoe_no, r.time, r.opened_seq, r.closed_seq, r.last_seq, r.staked, r.returned, r.state)
    });
    let theirs = theirs.map(|r| {
        (r.round_no, r.shoe_no, r.time, r.opened_seq, r.closed_seq, r.last_seq, r.staked, r.returned, r.state)
    });
    assert_eq!(ours, theirs);
}

fn compare_table(index: &Index, model: &Model, name: &TableId, play: &Play, dice: &mut Dice) {
    let (ours, theirs) = (index.table(name).unwrap().unwrap(), &model.tables[name]);
    let count = theirs.entries.len() as u64;
    assert_eq!((ours.entries(), ours.is_cash(), ours.is_closed()), (count, theirs.is_cash, theirs.closed));
    assert_eq!(ours.opened(), theirs.entries.first().copied());
    assert_eq!(ours.indices(0..u64::MAX).unwrap(), theirs.entries);
    for _ in 0..4 {
        let (a, b) = (dice.below(count + 2), dice.below(count + 2));
        let (from, to) = (a.min(b), a.max(b));
        let end = (to as usize).min(theirs.entries.len());
        assert_eq!(ours.indices(from..to).unwrap(), theirs.entries[(from as usize).min(end)..end]);
        assert_eq!(ours.entry(a).unwrap(), theirs.entries.get(a as usize).copied());
        let size = theirs.entries.last().map_or(0, |last| dice.below(last + 3));
        assert_eq!(ours.entries_below(size).unwrap(), theirs.entries.partition_point(|index| *index < size) as u64);
    }
    assert_eq!(ours.round_count(), theirs.rounds.len() as u64);
    let all = ours.rounds(0..u64::MAX).unwrap();
    assert_eq!(all.len(), theirs.rounds.len());
    all.into_iter().zip(&theirs.rounds).for_each(|(ours, theirs)| same_round(&Some(ours), Some(theirs)));
    for _ in 0..8 {
        let round_no = dice.below(play.next_round + 2);
        let round = ours.round(round_no).unwrap();
        same_round(&round, theirs.round(round_no));
        if let (Some(round), Some(their)) = (&round, theirs.round(round_no)) {
            for from_opened in [true, false] {
                assert_eq!(
                    ours.indices(ours.span_of_round(round, from_opened)).unwrap(),
                    theirs.round_indices(their, from_opened)
                );
            }
        }
        assert_eq!(
            ours.indices(ours.span_about(round_no).unwrap()).unwrap(),
            theirs.indices_about(round_no),
            "{name}:{round_no}"
        );
        let shoe_no = dice.below(play.next_shoe + 2);
        let shoe = ours.shoe(shoe_no).unwrap();
        let their = theirs.shoe(shoe_no);
        assert_eq!(
            shoe.as_ref().map(|shoe| (shoe.committed_seq, shoe.revealed_seq, shoe.sealed_seq, shoe.pick)),
            their.map(|shoe| (shoe.committed_seq, shoe.revealed_seq, shoe.sealed_seq, shoe.pick))
        );
        assert_eq!(index.shoe_id(name, shoe_no).unwrap(), model.shoe_id(name, shoe_no));
        if !play.keeps_shoe {
            same_round(&ours.round_of_shoe(shoe_no).unwrap(), theirs.round_of_shoe(shoe_no));
        }
        let seq = dice.below(count);
        let of_shoe = ours.history_of_shoe(shoe_no).unwrap();
        for (ours_is, theirs_is) in
            [(of_shoe, theirs.history_of_shoe(shoe_no)), (ours.history_at(seq).unwrap(), theirs.history_at(seq))]
        {
            let found = ours_is.map(|(first, span)| (first, ours.indices(span).unwrap()));
            assert_eq!(
                found,
                theirs_is.map(|(first, indices)| (first, indices.to_vec())),
                "{name}: shoe {shoe_no}, entry {seq}"
            );
            if let Some((_, entries)) = found.filter(|(_, entries)| !entries.is_empty()) {
                let (first, last) = (entries[0], entries[entries.len() - 1]);
                assert_eq!(index.context_of(&ours, first, last).unwrap(), model.context_of(name, &entries));
            }
        }
    }
}

fn seed() -> u64 {
    let given = std::env::var("FAIRSHOE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64);
    println!("FAIRSHOE_SEED={seed}");
    seed
}

fn is_slow() -> bool {
    std::env::var_os("FAIRSHOE_SLOW").is_some()
}

/// One log, its index and its model, in step.
struct Both {
    log: Vec<Entry>,
    index: Index,
    model: Model,
    history: History,
    seed: u64,
}

impl Both {
    fn new(dir: &Path, seed: u64) -> Both {
        Both {
            log: Vec::new(),
            index: open(dir, seed, 0).0,
            model: Model::default(),
            history: History::new(seed, 12, 9),
            seed,
        }
    }

    fn grow(&mut self, count: u64) {
        let first = self.log.len() as u64;
        for index in first..first + count {
            let entry = self.history.next(index);
            self.model.add(index, &entry);
            self.log.push(entry);
        }
        self.index.extend(first, &self.log[first as usize..], &root(self.seed, first + count)).unwrap();
    }

    fn compare(&self, dice: &mut Dice) {
        compare(&self.index, &self.model, &self.history, self.log.len() as u64, dice);
    }

    /// The process is killed here: what was not written is taken from the log.
    fn reopen(&mut self, dir: &Path) -> u64 {
        let size = self.log.len() as u64;
        let (index, reached) = open(dir, self.seed, size);
        index.extend(reached, &self.log[reached as usize..], &root(self.seed, size)).unwrap();
        self.index = index;
        reached
    }
}

#[test]
fn it_says_the_same_as_the_one_in_memory_however_it_is_written_merged_killed_and_opened() {
    let seed = seed();
    let mut dice = Dice(seed ^ 1);
    for round in 0..if is_slow() { 60 } else { 6 } {
        let dir = tempfile::tempdir().unwrap();
        let mut both = Both::new(dir.path(), seed.wrapping_add(round));
        for _ in 0..40 {
            both.grow(1 + dice.below(400));
            match dice.below(6) {
                0 | 1 => both.index.write().unwrap(),
                2 => while both.index.merge().unwrap() {},
                3 => drop(both.index.merge().unwrap()),
                4 => drop(both.reopen(dir.path())),
                _ => {}
            }
            both.compare(&mut dice);
        }
        // One made of the log alone says the same.
        both.index.write().unwrap();
        let again = tempfile::tempdir().unwrap();
        assert_eq!(both.reopen(again.path()), 0);
        both.compare(&mut dice);
        both.index.write().unwrap();
        both.compare(&mut dice);
    }
}

#[test]
fn one_flipped_byte_anywhere_is_found_and_never_another_answer() {
    let seed = seed();
    let mut dice = Dice(seed ^ 2);
    let dir = tempfile::tempdir().unwrap();
    let mut both = Both::new(dir.path(), seed);
    for _ in 0..7 {
        both.grow(600);
        both.index.write().unwrap();
    }
    while both.index.merge().unwrap() {}
    let files: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let (mut discarded, mut found, mut unseen) = (0, 0, 0);
    for _ in 0..if is_slow() { 2000 } else { 120 } {
        let path = &files[dice.below(files.len() as u64) as usize];
        let whole = std::fs::read(path).unwrap();
        let mut damaged = whole.clone();
        let at = dice.below(whole.len() as u64) as usize;
        match dice.below(8) {
            0 => damaged.truncate(at),
            _ => damaged[at] ^= 1 + dice.below(255) as u8,
        }
        std::fs::write(path, &damaged).unwrap();
        let folder = files::Folder::open(dir.path(), origin().as_str());
        match folder {
            Err(_) => discarded += 1,
            Ok(folder) => {
                let folder = folder.unwrap();
                let files = folder.files();
                // Every record is read, as a lookup reads it.
                match files.range(&[], &[0xff], usize::MAX) {
                    Err(IndexError::Damaged(_)) => {
                        assert!(files.is_damaged());
                        found += 1;
                    }
                    Err(other) => panic!("{other}"),
                    Ok(_) => unseen += 1,
                }
            }
        }
        std::fs::write(path, &whole).unwrap();
    }
    println!("{discarded} discarded when opened, {found} found while reading, {unseen} unseen");
    assert_eq!(unseen, 0, "every byte of the files counts");
    assert!(discarded > 0 && found > 0);
    both.reopen(dir.path());
    both.compare(&mut dice);
}

#[test]
fn one_of_another_log_ahead_of_the_log_of_another_version_or_torn_is_discarded() {
    let seed = 11;
    let dir = tempfile::tempdir().unwrap();
    let mut both = Both::new(dir.path(), seed);
    both.grow(500);
    both.index.write().unwrap();
    assert_eq!(open(dir.path(), seed, 500).1, 500);
    // The log lost its end, or is a shorter one.
    let copy = |to: &Path| {
        for entry in std::fs::read_dir(dir.path()).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    };
    let ahead = tempfile::tempdir().unwrap();
    copy(ahead.path());
    assert_eq!(open(ahead.path(), seed, 499).1, 0);
    let other = tempfile::tempdir().unwrap();
    copy(other.path());
    assert_eq!(open(other.path(), seed + 1, 500).1, 0);
    let named = tempfile::tempdir().unwrap();
    copy(named.path());
    let (_, reached) =
        Index::open(named.path(), &Origin::parse("test/other").unwrap(), |_| Some(root(seed, 500))).unwrap();
    assert_eq!(reached, 0);
    for (file, content) in [("list", &b"{}"[..]), ("list", b""), ("00000000.run", b"")] {
        let torn = tempfile::tempdir().unwrap();
        copy(torn.path());
        std::fs::write(torn.path().join(file), content).unwrap();
        assert_eq!(open(torn.path(), seed, 500).1, 0, "{file}");
    }
    // A file in the folder's place, and files that nobody lists.
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("index"), b"?").unwrap();
    assert_eq!(open(&place.path().join("index"), seed, 500).1, 0);
    std::fs::write(dir.path().join("000000ff.run"), b"left by a kill").unwrap();
    assert_eq!(open(dir.path(), seed, 500).1, 500);
    assert!(!dir.path().join("000000ff.run").exists());
}

#[test]
fn memory_keeps_what_is_open_alone() {
    let dir = tempfile::tempdir().unwrap();
    let mut both = Both::new(dir.path(), 5);
    for _ in 0..60 {
        both.grow(1000);
        both.index.write().unwrap();
        while both.index.merge().unwrap() {}
        let memory = both.index.memory();
        assert!(memory.tables.values().all(|table| !table.closed));
        assert!(memory.recent.players.is_empty() && memory.recent.significant.is_empty() && memory.under_way.is_none());
        for table in memory.tables.values() {
            let rows = (table.entries.rows.len(), table.rounds.rows.len(), table.shoes.rows.len());
            assert!(rows.0 <= 128 && rows.1 <= 33 && rows.2 <= 96, "{rows:?}");
        }
        assert!(memory.files.count() <= 3 * 4, "{}", memory.files.count());
    }
    assert!(both.history.tables.iter().any(|(_, play)| play.closed));
    both.compare(&mut Dice(1));
}

#[test]
fn an_empty_index_says_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (index, reached) = open(dir.path(), 1, 0);
    assert_eq!((reached, index.totals()), (0, Totals::default()));
    let player = PlayerId::parse("nobody").unwrap();
    assert_eq!(index.player(&player).unwrap().len(), 0);
    assert_eq!(index.significant().range(0..10).unwrap(), Vec::new());
    assert_eq!(index.key_entry(&Actor::Player(player), 9).unwrap(), None);
}
