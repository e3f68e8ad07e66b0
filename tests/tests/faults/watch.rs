//! The log as a stranger follows it across crashes: seen entries never change, postings add up, voids give back every
//! chip and happen once, and cards come in the order that the entropy fixed.

use fairshoe_fairness::{Lanes, PublicShuffle, Slot};
use fairshoe_games::RoundEvent;
use fairshoe_house::{Account, Command, Entry, Event, VoidCause};
use fairshoe_tests::Client;
use fairshoe_tlog::{EntryBundle, Hash, Tree, VerifierKey, bundles_for_size, leaf_hash, verify_checkpoint};
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[derive(Default)]
pub struct Watch {
    key: Option<VerifierKey>,
    tree: Tree,
    pub leaves: Vec<Hash>,
    pub entries: Vec<Entry>,
    accounts: BTreeMap<String, i64>,
    tables: HashMap<String, WatchedTable>,
    /// Every commitment and seed ever used.
    used: BTreeSet<String>,
    pub starts: u64,
    pub crash_voids: u64,
    pub resumed: u64,
    /// Cards dealt in resumed rounds after the restart.
    pub dealt_on: u64,
    pub settled: u64,
}

/// The known facts of one table.
#[derive(Default)]
struct WatchedTable {
    shoe: Option<u64>,
    next_shoe: u64,
    slots: u16,
    candidates: u8,
    rollback: bool,
    round: Option<Hand>,
    void: BTreeSet<u64>,
}

struct Hand {
    round_no: u64,
    /// The player's account.
    player: String,
    /// The sum that the round has moved to that account so far.
    moved: i64,
    lane_count: u16,
    lanes: Option<Lanes>,
    resumed: bool,
}

impl Watch {
    pub fn size(&self) -> u64 {
        self.leaves.len() as u64
    }

    /// Reads the whole log: checks that seen entries are unchanged, reads the rest, and checks that the signed
    /// checkpoint covers all of it.
    pub fn follow(&mut self, client: &Client) {
        let log = client.get("/v1/log").expect_status(200);
        let key: VerifierKey = log["vkey"].as_str().unwrap().parse().unwrap();
        assert_eq!(
            self.key.get_or_insert(key.clone()).to_string(),
            key.to_string(),
            "the log's key is the same for ever"
        );
        let checkpoint = verify_checkpoint(log["checkpoint"].as_str().unwrap(), &key).unwrap();
        assert!(checkpoint.size >= self.size(), "the log shrank from {} to {}", self.size(), checkpoint.size);
        let mut index = 0;
        for path in bundles_for_size(checkpoint.size) {
            let reply = client.get(&format!("/{path}"));
            assert_eq!(reply.status, 200, "{path}: {}", reply.text());
            for entry in EntryBundle::decode(&reply.body).unwrap().entries() {
                let leaf = leaf_hash(entry);
                match self.leaves.get(index) {
                    Some(known) => assert_eq!(*known, leaf, "entry {index} changed"),
                    None => self.take(leaf, entry),
                }
                index += 1;
            }
        }
        assert_eq!(index as u64, checkpoint.size);
        assert_eq!(self.tree.root(), checkpoint.root, "the entries served are not those that were signed");
        assert_eq!(self.accounts.values().sum::<i64>(), 0);
    }

    fn take(&mut self, leaf: Hash, bytes: &[u8]) {
        let at = self.leaves.len();
        let entry = Entry::decode(bytes).unwrap_or_else(|e| panic!("entry {at}: {e}"));
        self.leaves.push(leaf);
        self.tree.append(leaf);
        if let Some(last) = self.entries.last() {
            assert!(last.time <= entry.time, "entry {at}: time went back");
        }
        if let Some(place) = &entry.at {
            let mut seat = self.tables.remove(place.table.as_str()).unwrap_or_default();
            for event in &entry.events {
                self.at_table(at, &mut seat, &entry, event);
            }
            self.tables.insert(place.table.to_string(), seat);
        } else {
            for event in &entry.events {
                match event {
                    Event::DealerStarted { epoch, .. } => {
                        assert!(self.used.insert(epoch.to_string()), "entry {at}: an epoch comes twice");
                        self.starts += 1;
                    }
                    Event::Posted { .. } => self.post(at, event),
                    _ => {}
                }
            }
        }
        self.entries.push(entry);
    }

    fn post(&mut self, at: usize, event: &Event) {
        let Event::Posted { lines } = event else { return };
        assert_eq!(lines.iter().map(|line| line.1).sum::<i64>(), 0, "entry {at}");
        for line in lines {
            let balance = self.accounts.entry(line.0.to_string()).or_default();
            *balance += line.1;
            assert_eq!(*balance, line.2, "entry {at}: {}", line.0);
            assert!(*balance >= 0 || matches!(line.0, Account::Cage | Account::House), "entry {at}: {} owes", line.0);
        }
    }

    fn at_table(&mut self, at: usize, seat: &mut WatchedTable, entry: &Entry, event: &Event) {
        match event {
            Event::TableOpened { rules, .. } => {
                seat.rollback = rules.table.crash == fairshoe_games::Crash::Rollback;
            }
            Event::Posted { lines } => {
                self.post(at, event);
                if let Some(hand) = &mut seat.round {
                    hand.moved +=
                        lines.iter().filter(|line| line.0.to_string() == hand.player).map(|line| line.1).sum::<i64>();
                }
            }
            Event::ShoeCommitted { shoe_no, composition, candidates } => {
                assert!(
                    seat.shoe.is_none() && seat.round.is_none() && *shoe_no == seat.next_shoe,
                    "entry {at}: shoe {shoe_no}"
                );
                (seat.shoe, seat.next_shoe) = (Some(*shoe_no), shoe_no + 1);
                (seat.slots, seat.candidates) = (composition.len(), u8::try_from(candidates.len()).unwrap());
                for candidate in candidates {
                    assert!(self.used.insert(candidate.commitment.to_string()), "entry {at}: a shoe comes twice");
                }
            }
            Event::BetsOpened { round_no, shoe_no, .. } => {
                assert!(
                    seat.shoe == Some(*shoe_no) && seat.round.is_none(),
                    "entry {at}: round {round_no} on shoe {shoe_no}"
                );
                let player = entry.by.to_string();
                seat.round =
                    Some(Hand { round_no: *round_no, player, moved: 0, lane_count: 0, lanes: None, resumed: false });
            }
            Event::BetsClosed { lanes, .. } => seat.round.as_mut().unwrap().lane_count = *lanes,
            Event::RoundOpened { entropy, pick, .. } => {
                // One round for each shoe: every slot is undrawn.
                let undrawn: Vec<Slot> = (0..seat.slots).map(Slot).collect();
                let shuffle = PublicShuffle::new(entropy, seat.candidates, &undrawn);
                assert_eq!(shuffle.pick, *pick, "entry {at}");
                let hand = seat.round.as_mut().unwrap();
                hand.lanes = Some(Lanes::new(shuffle.order, hand.lane_count));
            }
            Event::Play(RoundEvent::Dealt { lane, slot, .. }) => {
                let hand = seat.round.as_mut().unwrap();
                let fixed = hand.lanes.as_mut().unwrap().draw(*lane);
                assert_eq!(fixed, Some(*slot), "entry {at}: not the slot that the entropy fixed");
                self.dealt_on += u64::from(hand.resumed);
            }
            Event::RoundResumed { round_no, .. } => {
                let hand = seat.round.as_mut().unwrap();
                assert!(
                    !seat.rollback && hand.round_no == *round_no && matches!(entry.command, Command::Recover { .. }),
                    "entry {at}"
                );
                hand.resumed = true;
                self.resumed += 1;
            }
            Event::RoundSettled { round_no, staked, returned, players } => {
                let hand = seat.round.take().unwrap();
                assert_eq!(hand.round_no, *round_no, "entry {at}");
                let told: Vec<_> =
                    players.iter().map(|one| (format!("player:{}", one.player), one.staked, one.returned)).collect();
                assert_eq!(told, [(hand.player.clone(), *staked, *returned)], "entry {at}");
                assert_eq!(hand.moved, returned.signed() - staked.signed(), "entry {at}: {} settled", hand.player);
                self.settled += 1;
            }
            Event::RoundVoided { round_no, cause, .. } => {
                let hand = seat.round.take().unwrap();
                assert!(
                    hand.round_no == *round_no && seat.void.insert(*round_no),
                    "entry {at}: round {round_no} is void twice"
                );
                assert_eq!(hand.moved, 0, "entry {at}: not the chips of hand start");
                if *cause == VoidCause::Crash {
                    assert!(seat.rollback && matches!(entry.command, Command::Recover { .. }), "entry {at}");
                    let revealed = entry.events.iter().any(|event| matches!(event, Event::ShoeRevealed { .. }));
                    assert!(revealed, "entry {at}: the shoe of a void round is revealed with it");
                    self.crash_voids += 1;
                }
            }
            Event::ShoeRevealed { shoe_no, seeds, .. } => {
                assert!(
                    seat.round.is_none() && seat.shoe.take() == Some(*shoe_no),
                    "entry {at}: shoe {shoe_no} is not in use"
                );
                assert_eq!(seeds.len(), usize::from(seat.candidates), "entry {at}");
            }
            _ => {}
        }
    }

    fn account(&self, name: &str) -> i64 {
        self.accounts.get(name).copied().unwrap_or_default()
    }

    /// A player's balance by the postings.
    pub fn balance(&self, player: &str) -> u64 {
        u64::try_from(self.account(&format!("player:{player}"))).unwrap()
    }

    /// The index of the first matching entry.
    pub fn find(&self, fits: impl Fn(&Entry) -> bool) -> Option<u64> {
        self.entries.iter().position(fits).map(|at| at as u64)
    }

    /// The number of matching events of a table.
    pub fn count(&self, table: &str, fits: impl Fn(&Event) -> bool) -> usize {
        let own = self.entries.iter().filter(|entry| entry.at.as_ref().is_some_and(|at| at.table.as_str() == table));
        own.flat_map(|entry| &entry.events).filter(|event| fits(event)).count()
    }
}
