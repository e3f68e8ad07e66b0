//! Chips between logs (spec/transfers.md): two houses that know each other, and claims that hold or do not.

use crate::common;

use common::rng::Rng;
use common::*;
use fairshoe_fairness::{Epoch, Master, Origin};
use fairshoe_house::{Account, Actor, Command, DecideError, Entry, Event, KnownLog, PlainText, Reference};
use fairshoe_tlog::{Cosigner, NoTiles, Signer, TlogProof, Tree, base64_encode, leaf_hash};

const HERE: &str = ORIGIN;
const THERE: &str = "there.example/log";

/// A house with a log's key.
struct Shard {
    house: House,
    signer: Signer,
    witness: Cosigner,
}

fn origin(name: &str) -> Origin {
    Origin::parse(name).unwrap()
}

fn text(text: String) -> PlainText {
    PlainText::try_from(text).unwrap()
}

impl Shard {
    fn new(name: &str, key: u8) -> Shard {
        let mut house = House::unstarted();
        let start = Command::StartDealer {
            origin: origin(name),
            epoch: Epoch::from_bytes([key; 32]),
            master_id: Master::from_bytes(MASTER).id(),
            software: Reference::parse("fairshoe/0.1.0").unwrap(),
        };
        house.give(&Actor::House, start).unwrap();
        house.add_player("alice", 10_000);
        let witness = Cosigner::new("witness.example", &[77; 32]).unwrap();
        Shard { house, signer: Signer::new(name, &[key; 32]).unwrap(), witness }
    }

    fn name(&self) -> &str {
        self.signer.verifier_key().name()
    }

    /// The policy that takes this log's receipts, with the witness or without.
    fn policy(&self, witnessed: bool) -> String {
        let log = self.signer.verifier_key();
        base64_encode(
            match witnessed {
                true => format!("log {log}\nwitness w {}\nquorum w\n", self.witness.verifier_key()),
                false => format!("log {log}\nquorum none\n"),
            }
            .as_bytes(),
        )
    }

    fn know(&mut self, log: &str, policy: Option<String>) -> Result<Entry, DecideError> {
        self.house.give(&Actor::Operator, Command::KnowLog { log: origin(log), policy: policy.map(text) })
    }

    fn send(&mut self, to: &str, who: &str, amount: u64) -> Result<Entry, DecideError> {
        let command = Command::TransferOut { to: origin(to), player: player(who), amount: chips(amount) };
        self.house.give(&by(who), command)
    }

    /// The receipt for an entry of this log under its end.
    fn receipt(&self, index: usize, witnessed: bool) -> TlogProof {
        let mut tree = Tree::new();
        for bytes in &self.house.log {
            tree.append(leaf_hash(bytes));
        }
        let signed = self.signer.sign_checkpoint(tree.size(), tree.root());
        let text = &signed[..=signed.rfind("\n\n").unwrap()];
        let cosigned = if witnessed { self.witness.cosign(text, 77).unwrap() } else { String::new() };
        let path = tree.inclusion_proof(index as u64, tree.size(), &NoTiles).unwrap();
        TlogProof { extra: None, index: index as u64, path, checkpoint_text: signed + &cosigned }
    }

    /// The claim of an entry of this log.
    fn claim(&self, index: usize) -> Command {
        Command::TransferIn {
            from: origin(self.name()),
            entry: text(String::from_utf8(self.house.log[index].clone()).unwrap()),
            receipt: text(base64_encode(self.receipt(index, true).format().as_bytes())),
        }
    }

    /// That of the last entry.
    fn last(&self) -> Command {
        self.claim(self.house.log.len() - 1)
    }

    fn take(&mut self, claim: Command) -> Result<Entry, DecideError> {
        self.house.give(&Actor::Anyone, claim)
    }

    fn known(&self, log: &str) -> &KnownLog {
        self.house.state.known_logs().find(|(name, _)| name.as_str() == log).unwrap().1
    }

    fn account(&self, log: &str) -> i64 {
        self.house.state.ledger().balance(&Account::Transfers(origin(log))).unwrap()
    }

    fn check(&self) {
        check_lines(&self.house);
    }
}

/// Two houses that know each other, without witnesses.
fn pair() -> (Shard, Shard) {
    let (mut here, mut there) = (Shard::new(HERE, 1), Shard::new(THERE, 2));
    here.know(THERE, Some(there.policy(false))).unwrap();
    there.know(HERE, Some(here.policy(false))).unwrap();
    (here, there)
}

fn code<T: std::fmt::Debug>(result: Result<T, DecideError>) -> &'static str {
    refusal(result).code()
}

#[test]
fn chips_go_and_come_once() {
    let (mut here, mut there) = pair();
    let sent = here.send(THERE, "alice", 700).unwrap();
    assert!(matches!(&sent.events[1], Event::TransferredOut { no: 0, amount, .. } if amount.units() == 700));
    assert_eq!((here.house.balance("alice"), here.account(THERE)), (9_300, 700));
    let claim = here.last();
    let came = there.take(claim.clone()).unwrap();
    let index = here.house.log.len() as u64 - 1;
    assert!(matches!(&came.events[1], Event::TransferredIn { no: 0, index: at, .. } if *at == index));
    assert_eq!((there.house.balance("alice"), there.account(HERE)), (10_700, -700));
    assert_eq!(here.account(THERE) + there.account(HERE), 0, "nothing is under way");
    assert_eq!(code(there.take(claim)), "already_claimed");
    here.check();
    there.check();
    // And back.
    there.send(HERE, "alice", 10_700).unwrap();
    here.take(there.last()).unwrap();
    assert_eq!((here.house.balance("alice"), there.house.balance("alice")), (20_000, 0));
    assert_eq!((here.account(THERE), there.account(HERE)), (-10_000, 10_000));
    here.check();
    there.check();
}

#[test]
fn who_may_send_what() {
    let (mut here, _) = pair();
    assert_eq!(code(here.send("other.example/log", "alice", 1)), "unknown_log");
    assert_eq!(code(here.send(THERE, "alice", 10_001)), "insufficient_balance");
    assert_eq!(code(here.send(THERE, "alice", 0)), "amount_out_of_range");
    let of = |who: &str| Command::TransferOut { to: origin(THERE), player: player(who), amount: chips(5) };
    here.house.add_player("bob", 50);
    assert_eq!(code(here.house.give(&by("bob"), of("alice"))), "not_allowed");
    assert_eq!(code(here.house.give(&by("carol"), of("carol"))), "unknown_player");
    assert_eq!(code(here.house.give(&Actor::Anyone, of("alice"))), "not_allowed");
    assert_eq!(code(here.house.give(&Actor::House, of("alice"))), "not_allowed");
    here.house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    assert_eq!(code(here.send(THERE, "guest.0", 5)), "other_chips");
    // The operator for one who has no key; with a key the player alone, who signs.
    here.house.give(&Actor::Operator, of("alice")).unwrap();
    let key = here.house.pen("bob", 9);
    here.house.give(&by("bob"), Command::SetKey { player: player("bob"), key: Some(key), reason: None }).unwrap();
    assert_eq!(code(here.house.give(&Actor::Operator, of("bob"))), "signature_missing");
    assert_eq!(code(here.house.give_signed(&by("bob"), None, of("bob"))), "signature_missing");
    here.house.give(&by("bob"), of("bob")).unwrap();
    assert_eq!(here.known(THERE).sent, 2);
    here.check();
}

#[test]
fn which_logs_are_known_the_operator_says() {
    let (mut here, there) = pair();
    let policy = there.policy(false);
    assert_eq!(code(here.know(HERE, Some(here.policy(false)))), "malformed");
    assert_eq!(code(here.know(THERE, Some(policy.clone()))), "nothing_to_do");
    assert_eq!(code(here.know("other.example/log", None)), "nothing_to_do");
    assert_eq!(code(here.know("other.example/log", Some(policy.clone()))), "malformed", "another log's key");
    for bad in ["", "%", &base64_encode(b"quorum none\n"), &base64_encode(&[b'#'; 8_193]), &policy[1..]] {
        assert_eq!(code(here.know(THERE, Some(bad.to_owned()))), "malformed", "{bad}");
    }
    let both = format!("log {}\nlog {}\nquorum none\n", there.signer.verifier_key(), here.signer.verifier_key());
    assert_eq!(code(here.know(THERE, Some(base64_encode(both.as_bytes())))), "malformed");
    for actor in [Actor::House, Actor::Anyone, by("alice")] {
        let command = Command::KnowLog { log: origin(THERE), policy: None };
        assert_eq!(code(here.house.give(&actor, command)), "not_allowed");
    }
    here.send(THERE, "alice", 5).unwrap();
    here.know(THERE, None).unwrap();
    assert_eq!(code(here.send(THERE, "alice", 5)), "unknown_log");
    here.check();
    // What was sent is remembered, so that no number comes twice.
    here.know(THERE, Some(policy)).unwrap();
    let sent = here.send(THERE, "alice", 5).unwrap();
    assert!(matches!(sent.events[1], Event::TransferredOut { no: 1, .. }));
    here.check();
}

#[test]
fn a_house_knows_so_many_logs() {
    let mut here = Shard::new(HERE, 1);
    for number in 0..256 {
        let other = Signer::new(&format!("s{number}.example"), &[3; 32]).unwrap();
        let policy = format!("log {}\nquorum none\n", other.verifier_key());
        here.know(other.verifier_key().name(), Some(base64_encode(policy.as_bytes()))).unwrap();
    }
    let policy = Shard::new(THERE, 2).policy(false);
    assert_eq!(code(here.know(THERE, Some(policy))), "malformed");
    here.check();
}

#[test]
fn claims_that_do_not_hold() {
    let (mut here, mut there) = pair();
    here.send(THERE, "alice", 700).unwrap();
    let good = here.last();
    let Command::TransferIn { from, entry, receipt } = good.clone() else { panic!("a claim") };
    let index = here.house.log.len() - 1;
    let with = |entry: &str, receipt: &TlogProof| Command::TransferIn {
        from: from.clone(),
        entry: text(entry.to_owned()),
        receipt: text(base64_encode(receipt.format().as_bytes())),
    };
    let proof = here.receipt(index, false);
    let mut other_path = proof.clone();
    other_path.path[0].0[0] ^= 1;
    let forged = Signer::new(HERE, &[9; 32]).unwrap();
    let own_key =
        TlogProof { checkpoint_text: forged.sign_checkpoint(1, leaf_hash(entry.as_str().as_bytes())), ..proof.clone() };
    let not_sent = String::from_utf8(here.house.log[2].clone()).unwrap();
    let claims = [
        ("the amount", with(&entry.as_str().replace("700", "900"), &proof)),
        ("the player", with(&entry.as_str().replace("alice", "alicf"), &proof)),
        ("another path", with(entry.as_str(), &other_path)),
        ("another index", with(entry.as_str(), &TlogProof { index: 1, ..proof.clone() })),
        ("another key", with(entry.as_str(), &TlogProof { path: vec![], index: 0, ..own_key })),
        ("an entry that sends nothing", with(&not_sent, &here.receipt(2, false))),
        ("no receipt", Command::TransferIn { from: from.clone(), entry: entry.clone(), receipt: text(String::new()) }),
        (
            "base64 with a space",
            Command::TransferIn {
                from: from.clone(),
                entry: entry.clone(),
                receipt: text(format!("{} ", receipt.as_str())),
            },
        ),
        (
            "a long receipt",
            Command::TransferIn {
                from: from.clone(),
                entry: entry.clone(),
                receipt: text(base64_encode(&[b'x'; 16_385])),
            },
        ),
        ("a long entry", with(&" ".repeat(4_097), &proof)),
    ];
    for (what, claim) in claims {
        assert_eq!(code(there.take(claim)), "claim_refused", "{what}");
    }
    // Sent elsewhere, and handed in here.
    let mut third = Shard::new("third.example/log", 3);
    third.know(HERE, Some(here.policy(false))).unwrap();
    assert_eq!(code(third.take(good.clone())), "claim_refused");
    // By the name of another log.
    let renamed = Command::TransferIn { from: origin("third.example/log"), entry, receipt };
    assert_eq!(code(there.take(renamed.clone())), "unknown_log");
    there.know("third.example/log", Some(third.policy(false))).unwrap();
    assert_eq!(code(there.take(renamed)), "claim_refused");
    assert_eq!(there.house.balance("alice"), 10_000);
    there.take(good).unwrap();
    assert_eq!(there.house.balance("alice"), 10_700);
    there.check();
}

#[test]
fn a_quorum_of_witnesses_is_asked_for() {
    let (mut here, mut there) = pair();
    there.know(HERE, Some(here.policy(true))).unwrap();
    here.send(THERE, "alice", 7).unwrap();
    let index = here.house.log.len() - 1;
    let Command::TransferIn { from, entry, .. } = here.last() else { panic!("a claim") };
    let unseen = base64_encode(here.receipt(index, false).format().as_bytes());
    let claim = Command::TransferIn { from, entry, receipt: text(unseen) };
    assert_eq!(code(there.take(claim)), "claim_refused");
    there.take(here.last()).unwrap();
}

#[test]
fn a_player_who_is_not_there_yet_gets_theirs_later() {
    let (mut here, mut there) = pair();
    here.house.add_player("bob", 80);
    here.send(THERE, "bob", 80).unwrap();
    let claim = here.last();
    assert_eq!(code(there.take(claim.clone())), "unknown_player");
    there.house.add_player("bob", 0);
    there.take(claim).unwrap();
    assert_eq!(there.house.balance("bob"), 80);
}

#[test]
fn what_no_house_would_log_is_not_folded() {
    let (mut here, mut there) = pair();
    let sent = here.send(THERE, "alice", 700).unwrap();
    // The same number once more.
    assert!(here.house.state.clone().apply(&sent).is_err());
    let came = there.take(here.last()).unwrap();
    assert!(there.house.state.clone().apply(&came).is_err());
}

#[test]
fn claims_by_chance_in_any_order_end_at_zero() {
    for seed in 0..20 * effort() {
        let mut rng = Rng(seed * 7_919 + 1);
        let (mut here, mut there) = pair();
        let (mut open, mut sent): (Vec<(bool, Command)>, i64) = (Vec::new(), 0);
        for _ in 0..60 {
            let is_here = rng.one_in(2);
            let (from, to) = if is_here { (&mut here, THERE) } else { (&mut there, HERE) };
            let amount = 1 + rng.below(40) as u64;
            if rng.one_in(2) && from.send(to, "alice", amount).is_ok() {
                sent += amount as i64;
                open.push((is_here, from.last()));
            } else if !open.is_empty() {
                let (was_here, claim) = open.swap_remove(rng.below(open.len()));
                let house = if was_here { &mut there } else { &mut here };
                let entry = house.take(claim.clone()).unwrap();
                let Some(Event::TransferredIn { amount, .. }) = entry.events.last() else { panic!("it came") };
                sent -= amount.signed();
                assert_eq!(code(house.take(claim)), "already_claimed");
            }
            assert_eq!(here.account(THERE) + there.account(HERE), sent, "what is under way");
        }
        for (was_here, claim) in open.drain(..) {
            if was_here { &mut there } else { &mut here }.take(claim).unwrap();
        }
        assert_eq!(here.account(THERE) + there.account(HERE), 0);
        assert_eq!(here.house.balance("alice") + there.house.balance("alice"), 20_000);
        for (house, log) in [(&here, THERE), (&there, HERE)] {
            assert!(house.known(log).claimed.len() <= 1, "all is one run");
            house.check();
        }
    }
}
