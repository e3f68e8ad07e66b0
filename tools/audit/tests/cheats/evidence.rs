//! What a cheating house leaves behind: a log, signed anew with its real key, and what others kept of it.

use crate::audit_common::edit::*;
use crate::audit_common::*;
use crate::common::*;
use crate::tournament_play;
use fairshoe_fairness::{Epoch, SeedCommitment, TableContext, round_entropy};
use fairshoe_games::Action;
use fairshoe_house::{
    Account, Actor, Command, Entry, Event, HouseNote, ReceivedNote, Reference, RefusedNote, Tournament,
    TournamentCommand,
};
use fairshoe_tlog::{Checkpoint, Cosigner, TlogProof};
use std::sync::OnceLock;

/// A log as it is served, and files that somebody kept.
pub struct Evidence {
    pub log: Vec<Vec<u8>>,
    pub files: Vec<(&'static str, Vec<u8>)>,
    /// Whether the auditor knows the witness.
    pub witnesses: u8,
}

impl Evidence {
    pub fn of(log: Vec<Vec<u8>>) -> Evidence {
        Evidence { log, files: Vec::new(), witnesses: 0 }
    }

    /// The honest book after a change: every entry is encoded again, and the whole is signed again.
    pub fn edited(change: impl FnOnce(&mut Vec<Entry>)) -> Evidence {
        let mut book = entries(honest());
        change(&mut book);
        Evidence::of(book.iter().map(|entry| entry.encode().unwrap()).collect())
    }

    pub fn keeping(mut self, name: &'static str, bytes: impl Into<Vec<u8>>) -> Evidence {
        self.files.push((name, bytes.into()));
        self
    }

    /// The receipt that the house gave for the last entry of another history, and that entry.
    pub fn with_receipt(self, other: &[Vec<u8>]) -> Evidence {
        let (tree, tiles) = tree_of(other);
        let index = tree.size() - 1;
        let path = tree.inclusion_proof(index, tree.size(), &tiles).unwrap();
        let proof = TlogProof { extra: None, index, path, checkpoint_text: checkpoint(other) };
        self.keeping("mine.tlog-proof", proof.format()).keeping("mine.entry", other.last().unwrap().clone())
    }

    /// The same as the player's client has it: a reply of the house, saved as it came.
    pub fn with_saved_reply(self, other: &[Vec<u8>]) -> Evidence {
        let Evidence { files, .. } = Evidence::of(Vec::new()).with_receipt(other);
        let text = |at: usize| String::from_utf8(files[at].1.clone()).unwrap();
        let receipt = serde_json::json!({ "index": other.len() - 1, "entry": text(1), "proof": text(0) });
        self.keeping("reply.json", serde_json::json!({ "round": {}, "receipts": [receipt] }).to_string())
    }

    pub fn witnessed(self) -> Evidence {
        self.witnessed_by(1)
    }

    /// With a policy of that many witnesses, all of whom have to cosign.
    pub fn witnessed_by(mut self, witnesses: u8) -> Evidence {
        self.witnesses = witnesses;
        self
    }

    /// The policy, where there is one.
    pub fn policy(&self) -> Option<String> {
        let names: Vec<String> = (1..=self.witnesses).map(|number| format!("w{number}")).collect();
        let (key, all) = (signer().verifier_key().to_string(), names.join(" "));
        let line = |number: u8| format!("witness w{number} {}\n", witness(number).verifier_key());
        let lines: String = (1..=self.witnesses).map(line).collect();
        (self.witnesses > 0).then(|| format!("log {key}\n{lines}group all all {all}\nquorum all\n"))
    }
}

pub fn witness(number: u8) -> Cosigner {
    Cosigner::new(&format!("witness.example/w{number}"), &[8 + number; 32]).unwrap()
}

/// What a monitor writes down: a line for each checkpoint it saw.
pub fn history<'n>(seen: impl IntoIterator<Item = (u64, &'n str)>) -> String {
    seen.into_iter().map(|(time, note)| serde_json::json!({ "time": time, "note": note }).to_string() + "\n").collect()
}

/// A log's checkpoint with the first witness's cosignature of that time, in seconds.
pub fn cosigned(log: &[Vec<u8>], time: u64) -> String {
    cosigned_by(1, log, time)
}

/// The same with another witness's.
pub fn cosigned_by(number: u8, log: &[Vec<u8>], time: u64) -> String {
    let (tree, _) = tree_of(log);
    let text =
        Checkpoint { origin: ORIGIN.into(), size: tree.size(), root: tree.root(), extensions: Vec::new() }.text();
    checkpoint(log) + &witness(number).cosign(&text, time).unwrap()
}

/// An honest book: solo tables with all kinds of trouble, then a shared one where a round is voided and the next goes
/// on with the same shoe.
pub fn honest() -> &'static [Vec<u8>] {
    static BOOK: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    BOOK.get_or_init(|| {
        let mut house = book(3, 60);
        let two = ["alice", "bob"];
        house.open_rules("live", shared::rules("live-blackjack", &[]));
        house.sit_all("live", &two);
        house.whole_round("live", &two, 100);
        let round_no = house.seed_number("live");
        house.deal_all("live", &two, 100);
        void(&mut house, "live", round_no);
        house.run_due();
        house.whole_round("live", &two, 100);
        house.log
    })
}

pub fn void(house: &mut House, at: &str, round_no: u64) {
    let reason = Reference::parse("table camera failed").unwrap();
    house.give(&Actor::Operator, Command::VoidRound { table: table(at), round_no, reason }).unwrap();
}

/// A hand of joy at a solo table, played by standing.
pub fn hand(house: &mut House, at: &str, who: &str) {
    let seed = house.any_seed(at);
    house.bet(at, who, 10, &seed).unwrap();
    house.reveal(at, who, &seed).unwrap();
    house.finish(at, who);
    house.run_due();
}

/// Two tables, two players, a hand played at each; the same every time, so that two histories can part from here.
pub fn two_players() -> House {
    let mut house = House::new();
    for (who, at) in [("alice", "t1"), ("bob", "t2")] {
        house.add_player(who, 10_000);
        house.open(at, &[("reveal_time_ms", "60000")]);
    }
    hand(&mut house, "t1", "alice");
    hand(&mut house, "t2", "bob");
    house.now += MINUTE;
    house
}

pub fn on(entry: &Entry, name: &str) -> bool {
    entry.at.as_ref().is_some_and(|at| at.table.as_str() == name)
}

pub fn closes(entry: &Entry) -> bool {
    on(entry, "live") && has(entry, |event| matches!(event, Event::BetsClosed { .. }))
}

pub fn opens_live(entry: &Entry) -> bool {
    on(entry, "live") && opens(entry)
}

/// Puts an entry before that at `at`, with the place in its table's sequence that this gives it.
pub fn insert(book: &mut Vec<Entry>, at: usize, mut entry: Entry) {
    let id = entry.command.table().unwrap().clone();
    let later = book[at..].iter_mut().filter_map(|entry| entry.at.as_mut()).filter(|at| at.table == id);
    let mut first = None;
    for place in later {
        first.get_or_insert(place.seq);
        place.seq += 1;
    }
    let place = entry.at.as_mut().unwrap();
    (place.table, place.seq) = (id, first.unwrap());
    book.insert(at, entry);
}

/// An entry like that at `at`, with another actor, command and events.
pub fn like(book: &[Entry], at: usize, by: Actor, command: Command, events: Vec<Event>) -> Entry {
    Entry { by, command, events, before: Vec::new(), ..book[at].clone() }
}

/// Moves so many units of a posting from one account to another, balances included.
pub fn divert(entry: &mut Entry, from: &Account, to: &Account, units: i64) {
    let Event::Posted { lines } = event_mut(entry, |event| matches!(event, Event::Posted { .. })) else {
        unreachable!()
    };
    for (account, change) in [(from, -units), (to, units)] {
        let line = lines.iter_mut().find(|line| line.0 == *account).expect("the account has a line");
        line.1 += change;
        line.2 += change;
    }
}

/// The entropy of the first round opened at the shared table, had only its first contributor brought a seed.
pub fn entropy_of_the_first_alone(book: &[Entry]) -> fairshoe_fairness::RoundEntropy {
    let (mut epoch, mut shoe, mut players): (Option<Epoch>, _, Vec<_>) = (None, None, Vec::new());
    for entry in book {
        for event in &entry.events {
            match event {
                Event::DealerStarted { epoch: fresh, .. } => epoch = Some(*fresh),
                Event::ShoeCommitted { shoe_no, candidates, .. } if on(entry, "live") => {
                    shoe = Some((*shoe_no, candidates[0].root))
                }
                Event::SeedRevealed { player, seed } if on(entry, "live") => {
                    players.push((player.clone(), seed.clone()))
                }
                Event::RoundOpened { .. } if on(entry, "live") => {
                    let context =
                        TableContext { origin: ORIGIN.parse().unwrap(), table: table("live"), epoch: epoch.unwrap() };
                    let (shoe_no, root) = shoe.unwrap();
                    return round_entropy(&context, shoe_no, &[root], 0, &players[..1]).unwrap();
                }
                _ => {}
            }
        }
    }
    panic!("no round opens at the shared table");
}

/// Whether a player who stands on their two cards wins, by the card values in the order of the draws.
fn stands_and_wins(draws: &[u16]) -> bool {
    let total = |hand: &[u16]| {
        let hard: u16 = hand.iter().sum();
        if hand.contains(&1) && hard <= 11 { hard + 10 } else { hard }
    };
    let player = total(&[draws[0], draws[2]]);
    let mut dealer = vec![draws[1], draws[3]];
    let mut next = draws[4..].iter();
    while total(&dealer) < 17 {
        dealer.push(*next.next().unwrap());
    }
    total(&dealer) > 21 || player > total(&dealer)
}

/// An operator who knows the cards voids every second hand that its player would win, and no other.
pub fn voids_losing_hands() -> Evidence {
    let mut house = House::with_table(&[], 100_000);
    let mut wins = 0;
    for _ in 0..60 {
        let seed = house.any_seed("t1");
        let draws = values(&house.draws("t1", "alice", &seed));
        wins += usize::from(stands_and_wins(&draws));
        let round_no = house.table("t1").next_round;
        house.bet("t1", "alice", 10, &seed).unwrap();
        house.reveal("t1", "alice", &seed).unwrap();
        if stands_and_wins(&draws) && wins % 2 == 1 && house.table("t1").live_round().is_some() {
            void(&mut house, "t1", round_no);
        } else {
            house.finish("t1", "alice");
        }
        house.run_due();
    }
    Evidence::of(house.log)
}

/// A house that throws away every third reveal at one of its tables, and says that it never came.
pub fn swallows_reveals() -> Evidence {
    let mut house = House::new();
    for (who, at) in [("alice", "t1"), ("bob", "t2"), ("carol", "t3")] {
        house.add_player(who, 10_000);
        house.open(at, &[("reveal_time_ms", "60000")]);
    }
    for number in 0..30 {
        for (who, at) in [("alice", "t1"), ("bob", "t2"), ("carol", "t3")] {
            if (at, number % 3) == ("t2", 0) {
                let seed = house.any_seed(at);
                house.bet(at, who, 10, &seed).unwrap();
                house.now += MINUTE;
                house.run_due();
            } else {
                hand(&mut house, at, who);
            }
        }
    }
    Evidence::of(house.log)
}

/// The house acknowledges a reveal, sees what it deals, and rewrites the log so that it never came.
pub fn swallows_an_acknowledged_reveal() -> Evidence {
    let bet = |house: &mut House| {
        let seed = house.any_seed("t1");
        house.bet("t1", "alice", 10, &seed).unwrap();
        seed
    };
    let mut told = two_players();
    let seed = bet(&mut told);
    told.reveal("t1", "alice", &seed).unwrap();
    let mut written = two_players();
    bet(&mut written);
    written.now += MINUTE;
    written.run_due();
    hand(&mut written, "t2", "bob");
    Evidence::of(written.log).with_receipt(&told.log)
}

/// The house acknowledges a bet, and goes on as if it had never been placed.
pub fn forgets_an_acknowledged_bet() -> Evidence {
    let mut told = two_players();
    let seed = told.any_seed("t1");
    told.bet("t1", "alice", 10, &seed).unwrap();
    let mut written = two_players();
    hand(&mut written, "t2", "bob");
    Evidence::of(written.log).with_saved_reply(&told.log)
}

/// A history, and another that parts from it: alice is paid in less, and the rest follows from that.
pub fn two_histories() -> (House, House) {
    let grow = |amount| {
        let mut house = two_players();
        house.credit("alice", amount).unwrap();
        hand(&mut house, "t1", "alice");
        house
    };
    (grow(500), grow(400))
}

/// A log, the same before its last hand, and when that one ends, in seconds.
pub fn late_tree() -> (Vec<Vec<u8>>, Vec<Vec<u8>>, u64) {
    let mut house = two_players();
    let before = house.log.clone();
    hand(&mut house, "t1", "alice");
    let last = entries(&before).last().unwrap().time / 1_000;
    (house.log, before, last)
}

/// What a witness saw when: the log as it was before a hand that is played `later_ms` after the last entry, and dated
/// so.
pub fn dated(later_ms: u64, cosigned_after_s: i64) -> Evidence {
    let mut house = two_players();
    let before = house.log.clone();
    house.now += later_ms;
    hand(&mut house, "t1", "alice");
    let last = entries(&before).last().unwrap().time / 1_000;
    let at = last.checked_add_signed(cosigned_after_s).unwrap();
    let seen = [cosigned(&before, at), timed(&before, at)];
    Evidence::of(house.log).keeping("seen.jsonl", history(seen.iter().map(|seen| (at, seen.as_str())))).witnessed()
}

/// The house signs what it did with a seed that came in time, and lets the round end for want of it.
pub fn throws_a_seed_away(name: &'static str, told: fn(u64, Command) -> HouseNote) -> Evidence {
    let mut house = two_players();
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 10, &seed).unwrap();
    house.now += 20_000;
    let note = told(house.now, house.reveal_command("t1", "alice", &seed));
    house.now += MINUTE;
    house.run_due();
    hand(&mut house, "t2", "bob");
    Evidence::of(house.log).keeping(name, signed(&note))
}

/// The house signs what it did with a seed for the first seats of a tournament, and draws them without it.
pub fn draws_without_a_seed(name: &'static str, told: fn(u64, Command) -> HouseNote) -> Evidence {
    let mut house = House::new();
    for who in ["alice", "bob"] {
        house.add_player(who, 10_000);
    }
    house.announce("sunday", &tournament_play::structure("heads-up", |_| {})).unwrap();
    for who in ["alice", "bob"] {
        house.register("sunday", who).unwrap();
    }
    house.wait(HOUR);
    let reveal = |event: &Tournament, who: &str| {
        let (entry_no, _) = event.in_play(&player(who)).unwrap();
        let seed = tournament_play::seat_seed(who, 0);
        let draw_no = event.draws.next;
        TournamentCommand::RevealSeatSeed { event: table("sunday"), draw_no, entry_no, seed, next: None }
    };
    let (alices, bobs) = (reveal(house.event("sunday"), "alice"), reveal(house.event("sunday"), "bob"));
    house.in_event("bob", bobs).unwrap();
    house.now += 1_000;
    let note = told(house.now, Command::Tournament(alices));
    house.wait(MINUTE);
    assert!(house.event("sunday").draws.open.is_none());
    Evidence::of(house.log).keeping(name, signed(&note))
}

/// The house signs for the seed of a void round, which comes late, and never writes it.
pub fn leaves_a_late_seed_out() -> Evidence {
    let mut house = two_players();
    let (seed, round_no) = (house.any_seed("t1"), house.table("t1").next_round);
    house.bet("t1", "alice", 10, &seed).unwrap();
    house.now += MINUTE;
    house.run_due();
    house.now += 1_000;
    let note = received(house.now, Command::LateSeed { table: table("t1"), round_no, player: player("alice"), seed });
    house.now += MINUTE + 1;
    hand(&mut house, "t2", "bob");
    Evidence::of(house.log).keeping("reply.note", signed(&note))
}

/// The house refuses a player's commitment for a hand of poker in time, and deals it without them.
pub fn refuses_a_commitment() -> Evidence {
    let mut room = poker::Room::empty(&[], &["alice", "bob", "carol"]);
    for (seat, who) in (1..).zip(["alice", "bob", "carol"]) {
        room.buy_in("t1", who, seat, 5_000).unwrap();
    }
    room.run_due();
    let round_no = room.table("t1").call().unwrap().round_no;
    room.now += 1_000;
    let (origin, code) = (ORIGIN.parse().unwrap(), "deadline_passed".into());
    let command =
        Command::CommitHandSeed { table: table("t1"), round_no, commitment: SeedCommitment::from_bytes([7; 32]) };
    let note = RefusedNote { origin, time: room.now, code, by: by("alice"), command, signed: None };
    for who in ["bob", "carol"] {
        room.commit_hand("t1", who).unwrap();
    }
    room.now = room.table("t1").call().unwrap().closes_at;
    room.run_due();
    Evidence::of(room.house.log.clone()).keeping("problem.note", signed(&HouseNote::Refused(note)))
}

/// The house signs that bob's hit came, and lets bob's turn lapse: bob has no key, or signs with one.
pub fn lets_a_turn_lapse(with_key: bool) -> Evidence {
    let mut house = two_players();
    house.open_rules("live", shared::rules("live-blackjack", &[]));
    let who = by("bob");
    if with_key {
        let key = house.pen("bob", 5);
        house.give(&who, Command::SetKey { player: player("bob"), key: Some(key), reason: None }).unwrap();
    }
    house.sit_all("live", &["alice", "bob"]);
    house.deal_all("live", &["alice", "bob"], 100);
    while house.asked("live") != ["bob"] {
        house.choose("live", "alice", Action::Stand).unwrap();
    }
    house.now += 2_000;
    let (open, round_no) = (house.open_decisions("live").remove(0), house.table("live").live_round().unwrap().round_no);
    let command = Command::Act { table: table("live"), round_no, decision: open.number, action: Action::Hit };
    let signature = with_key.then(|| house.sign("bob", house.state.last_nonce(&player("bob")) + 1, &command));
    let note = ReceivedNote { origin: ORIGIN.parse().unwrap(), time: house.now, by: who, command, signed: signature };
    house.now = open.deadline;
    house.run_due();
    hand(&mut house, "t2", "bob");
    // The reply as it came: the note alone, and nothing after it.
    let line = serde_json::json!({ "received": signed(&HouseNote::Received(note)) });
    Evidence::of(house.log).keeping("reply.jsonl", format!("{line}\n"))
}

/// A note under the log's key.
pub fn signed(note: &HouseNote) -> String {
    match note {
        HouseNote::Received(note) => note.sign(&signer()),
        HouseNote::Refused(note) => note.sign(&signer()),
    }
    .unwrap()
}

pub fn received(time: u64, command: Command) -> HouseNote {
    HouseNote::Received(ReceivedNote {
        origin: ORIGIN.parse().unwrap(),
        time,
        by: Actor::Anyone,
        command,
        signed: None,
    })
}

pub fn refused(time: u64, command: Command) -> HouseNote {
    let (origin, code) = (ORIGIN.parse().unwrap(), "deadline_passed".into());
    HouseNote::Refused(RefusedNote { origin, time, code, by: Actor::Anyone, command, signed: None })
}

/// A deadline of a minute that runs out a second after it began, by a clock that is put forward; a witness has seen the
/// tree.
pub fn runs_a_clock_ahead() -> Evidence {
    let mut house = two_players();
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 10, &seed).unwrap();
    let began = house.now / 1_000;
    house.now += MINUTE;
    house.run_due();
    let seen = cosigned(&house.log, began + 1);
    Evidence::of(house.log).keeping("seen.jsonl", history([(began + 1, seen.as_str())])).witnessed()
}

/// A day is left out: the log goes on in another century.
pub fn dated_ahead() -> Evidence {
    let mut house = two_players();
    house.now += 70 * 365 * DAY;
    hand(&mut house, "t1", "alice");
    Evidence::of(house.log)
}
