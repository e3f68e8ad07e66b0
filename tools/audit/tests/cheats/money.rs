//! Cheats with chips that come from elsewhere: from other logs (spec/transfers.md) and from the operator's wallet
//! (spec/wallet.md).

use crate::audit_common::edit::{edit, event_mut, has};
use crate::common::*;
use crate::evidence::Evidence;
use fairshoe_fairness::{Epoch, Master, Origin};
use fairshoe_house::{Account, Actor, Command, Entry, Event, Line, PlainText, Reference, WalletAnswer, WalletCall};
use fairshoe_tlog::{NoTiles, Signer, TlogProof, Tree, base64_encode, leaf_hash};

const THERE: &str = "there.example/log";

fn text(text: String) -> PlainText {
    PlainText::try_from(text).unwrap()
}

/// Takes the receipts of a log with this key.
fn know(signer: &Signer) -> Command {
    let policy = format!("log {}\nquorum none\n", signer.verifier_key());
    let log = Origin::parse(signer.verifier_key().name()).unwrap();
    Command::KnowLog { log, policy: Some(text(base64_encode(policy.as_bytes()))) }
}

/// A house that knows another log, has sent it chips, and claimed two sums that it sent.
fn claims() -> House {
    let mut here = House::new();
    here.add_player("alice", 1_000);
    let (origin, signer) = (Origin::parse(THERE).unwrap(), Signer::new(THERE, &[2; 32]).unwrap());
    here.give(&Actor::Operator, know(&signer)).unwrap();
    here.give(&by("alice"), Command::TransferOut { to: origin.clone(), player: player("alice"), amount: chips(70) })
        .unwrap();

    let mut there = House::unstarted();
    let start = Command::StartDealer {
        origin: origin.clone(),
        epoch: Epoch::from_bytes([2; 32]),
        master_id: Master::from_bytes(MASTER).id(),
        software: Reference::parse("fairshoe/0.1.0").unwrap(),
    };
    there.give(&Actor::House, start).unwrap();
    there.add_player("alice", 1_000);
    there.give(&Actor::Operator, know(&Signer::new(ORIGIN, &[1; 32]).unwrap())).unwrap();
    for amount in [400, 500] {
        let to = Origin::parse(ORIGIN).unwrap();
        there.give(&by("alice"), Command::TransferOut { to, player: player("alice"), amount: chips(amount) }).unwrap();
    }
    let mut tree = Tree::new();
    there.log.iter().for_each(|bytes| drop(tree.append(leaf_hash(bytes))));
    for index in [there.log.len() - 2, there.log.len() - 1] {
        let path = tree.inclusion_proof(index as u64, tree.size(), &NoTiles).unwrap();
        let checkpoint_text = signer.sign_checkpoint(tree.size(), tree.root());
        let receipt = TlogProof { extra: None, index: index as u64, path, checkpoint_text };
        let entry = text(String::from_utf8(there.log[index].clone()).unwrap());
        let receipt = text(base64_encode(receipt.format().as_bytes()));
        here.give(&Actor::Anyone, Command::TransferIn { from: origin.clone(), entry, receipt }).unwrap();
    }
    here
}

/// A house whose wallet held and committed a deposit, and refused to take a withdrawal.
fn walleted() -> House {
    let mut house = House::new();
    house.add_player("alice", 1_000);
    let answer =
        |no: u64, call: WalletCall, answer: WalletAnswer| Command::WalletAnswer { no, call, answer, reason: None };
    let amount = chips(500);
    house.give(&Actor::Operator, Command::WalletDeposit { player: player("alice"), amount }).unwrap();
    house.give(&Actor::House, answer(0, WalletCall::Reserve, WalletAnswer::Accepted)).unwrap();
    house.give(&Actor::House, answer(0, WalletCall::Commit, WalletAnswer::Accepted)).unwrap();
    house.give(&Actor::Operator, Command::WalletWithdraw { player: player("alice"), amount }).unwrap();
    house.give(&Actor::House, answer(1, WalletCall::Pay, WalletAnswer::Refused)).unwrap();
    house
}

fn changed(house: &House, change: impl FnOnce(&mut Vec<Entry>)) -> Evidence {
    let mut book = entries(&house.log);
    change(&mut book);
    Evidence::of(book.iter().map(|entry| entry.encode().unwrap()).collect())
}

fn claims_chips(entry: &Entry) -> bool {
    matches!(entry.command, Command::TransferIn { .. })
}

fn gives_held(entry: &Entry) -> bool {
    matches!(entry.command, Command::WalletAnswer { call: WalletCall::Reserve, .. })
}

fn without_posting(entry: &mut Entry) {
    entry.events.retain(|event| !matches!(event, Event::Posted { .. }));
}

/// The same claim once more, with the balances that it would then have.
pub fn claims_twice() -> Evidence {
    changed(&claims(), |book| {
        let mut again = book.iter().rfind(|entry| claims_chips(entry)).unwrap().clone();
        repost(&mut again, 500);
        book.push(again);
    })
}

/// Another amount than the receipt's entry has.
pub fn claims_more() -> Evidence {
    changed(&claims(), |book| {
        let last = book.iter_mut().rfind(|entry| claims_chips(entry)).unwrap();
        let Command::TransferIn { entry, .. } = &mut last.command else { unreachable!() };
        *entry = text(entry.as_str().replace("\"amount\":500", "\"amount\":900"));
    })
}

/// The chips stay with the player, and are claimed elsewhere.
pub fn sends_without_taking() -> Evidence {
    changed(&claims(), |book| {
        edit(book, |entry| matches!(entry.command, Command::TransferOut { .. }), without_posting);
    })
}

/// The chips of a deposit as soon as it is asked for.
pub fn gives_before_it_is_held() -> Evidence {
    changed(&walleted(), |book| {
        let posted = book.iter().find(|entry| gives_held(entry)).unwrap().events[0].clone();
        edit(book, |entry| matches!(entry.command, Command::WalletDeposit { .. }), |_| {});
        let asked = book.iter_mut().find(|entry| matches!(entry.command, Command::WalletDeposit { .. })).unwrap();
        asked.events.insert(0, posted);
    })
}

/// The wallet's one answer, for two sums.
pub fn gives_a_deposit_twice() -> Evidence {
    changed(&walleted(), |book| {
        let at = book.iter().position(gives_held).unwrap();
        let mut again = book[at].clone();
        repost(&mut again, 500);
        book.insert(at + 1, again);
        book.truncate(at + 2);
    })
}

/// The wallet refused to take the chips' worth, and they do not come back.
pub fn keeps_what_the_wallet_refused() -> Evidence {
    changed(&walleted(), |book| {
        let refuses =
            |entry: &Entry| matches!(entry.command, Command::WalletAnswer { answer: WalletAnswer::Refused, .. });
        edit(book, refuses, without_posting);
    })
}

/// Adds what an entry posts once more to the balances after it, and to those before.
fn repost(entry: &mut Entry, units: i64) {
    let Event::Posted { lines } = event_mut(entry, |event| matches!(event, Event::Posted { .. })) else {
        unreachable!()
    };
    for Line(account, amount, after) in lines {
        *after += if matches!(account, Account::Player(_)) { units } else { -units };
        assert_eq!(amount.unsigned_abs(), units.unsigned_abs());
    }
    for (_, balance) in &mut entry.before {
        *balance = chips(balance.units() + units.unsigned_abs());
    }
    assert!(has(entry, |event| matches!(event, Event::Posted { .. })));
}
