//! Every check that a player makes, held against an honest house and against houses that cheat in one way each.

mod desk;

use desk::{Desk, Tamper};
use fairshoe_fairness::{Slot, Stream};
use fairshoe_games::{ActionKind, Chips, RoundEvent};
use fairshoe_house::{Account, Actor, Command, Entry, Event, Lapsed, Reference};
use fairshoe_load::check::{Flaw, LogCheck, OnLog, Progress, RoundCheck, ShoeCheck};
use fairshoe_load::strategy::{Situation, Strategy};
use fairshoe_load::wire::{Accepted, Receipt};
use serde_json::{Value, json};

/// One player's eyes on a desk.
struct Eyes {
    log: LogCheck,
    known: u64,
    random: Stream,
    strategy: Strategy,
}

impl Eyes {
    fn on(desk: &Desk, strategy: Strategy) -> Eyes {
        Eyes { log: LogCheck::new(desk.key()), known: 0, random: Stream::new([1; 32]), strategy }
    }

    fn read(&mut self, reply: Value) -> Result<(Accepted, Vec<OnLog>), Flaw> {
        let accepted: Accepted = serde_json::from_value(reply).unwrap();
        let on_log = accepted.receipts.iter().map(|receipt| self.log.receipt(receipt, &mut self.known)).collect::<Result<_, _>>()?;
        Ok((accepted, on_log))
    }

    fn check(&mut self, check: &mut RoundCheck, reply: Value) -> Result<(), Flaw> {
        let (accepted, on_log) = self.read(reply)?;
        check.apply(&on_log[0], &accepted.openings)?;
        check.check_reply(&accepted.round.unwrap(), &accepted.openings, accepted.balance)
    }

    /// Plays a round; `twist` may change each reply on its way.
    fn round(&mut self, desk: &mut Desk, twist: &mut dyn FnMut(&mut Value, &Desk)) -> Result<RoundCheck, Flaw> {
        let bettor = desk.bettor(15);
        let mut reply = desk.bet(&bettor);
        twist(&mut reply, desk);
        let (accepted, on_log) = self.read(reply)?;
        let [bet, shoe] = on_log.as_slice() else { return Err(Flaw::Receipts { expected: 2, found: on_log.len() }) };
        let shoe = ShoeCheck::committed(&shoe.entry, &bettor.context, &bettor.rules)?;
        let mut check = RoundCheck::new(bettor.clone(), shoe)?;
        check.apply(bet, &[])?;
        check.check_reply(&accepted.round.unwrap(), &accepted.openings, accepted.balance)?;
        let mut reply = desk.reveal(&bettor);
        twist(&mut reply, desk);
        self.check(&mut check, reply)?;
        while let Some((decision, options)) = check.decision() {
            let situation = Situation::read(&check.view(), 0, if decision.place.to_string() == "1/2" { 1 } else { 0 }).unwrap();
            let action = self.strategy.choose(situation, &options, &mut self.random).unwrap();
            check.ask(decision.number, action.clone());
            let mut reply = desk.act(&bettor, decision.number, action);
            twist(&mut reply, desk);
            self.check(&mut check, reply)?;
        }
        assert_eq!(check.progress(), Progress::Settled);
        assert_eq!(check.funds(), desk.funds());
        Ok(check)
    }
}

#[test]
fn an_honest_house_passes_on_every_path() {
    for strategy in [Strategy::Basic, Strategy::CopyDealer, Strategy::NeverBust, Strategy::Random] {
        let mut desk = Desk::new();
        let mut eyes = Eyes::on(&desk, strategy);
        for _ in 0..150 {
            eyes.round(&mut desk, &mut |_, _| {}).unwrap();
        }
        let all = desk.entries.join("\n");
        let paths: &[&str] = match strategy {
            Strategy::Random => &["\"split\"", "\"peeked\"", "\"double\"", "\"take\":true", "\"outcome\":\"blackjack\"", "\"outcome\":\"draw\"", "\"outcome\":\"bust\""],
            Strategy::Basic => &["\"split\"", "\"double\"", "\"take\":false"],
            _ => &["\"outcome\":\"win\"", "\"outcome\":\"loss\""],
        };
        for path in paths {
            assert!(all.contains(path), "{strategy:?} never came to {path}");
        }
    }
}

/// Plays rounds against a twisted reply until a flaw is found.
fn flaw_of_reply(name: &str, mut twist: impl FnMut(&mut Value, &Desk)) -> Flaw {
    let mut desk = Desk::new();
    let mut eyes = Eyes::on(&desk, Strategy::Random);
    for _ in 0..400 {
        if let Err(flaw) = eyes.round(&mut desk, &mut twist) {
            return flaw;
        }
    }
    panic!("{name}: no check failed in 400 rounds");
}

/// The same against a house that logs, signs and answers another entry than was decided.
fn flaw_of_house(name: &str, tamper: impl FnMut(&mut Entry, &Desk) + 'static) -> Flaw {
    let mut desk = Desk::new();
    desk.tamper = Some(Box::new(tamper) as Tamper);
    let mut eyes = Eyes::on(&desk, Strategy::Random);
    for _ in 0..400 {
        if let Err(flaw) = eyes.round(&mut desk, &mut |_, _| {}) {
            return flaw;
        }
    }
    panic!("{name}: no check failed in 400 rounds");
}

fn assert_flaw(name: &str, flaw: &Flaw, words: &str) {
    assert!(flaw.to_string().contains(words), "{name}: expected a flaw about `{words}`, got `{flaw}`");
}

#[test]
fn replies_that_lie_are_caught() {
    type Twist = Box<dyn FnMut(&mut Value, &Desk)>;
    let has_openings = |reply: &Value| reply["openings"].as_array().is_some_and(|openings| !openings.is_empty());
    let edit_text = |value: &mut Value, from: &str, to: &str| *value = json!(value.as_str().unwrap().replacen(from, to, 1));
    let cases: Vec<(&str, &str, Twist)> = vec![
        ("an opening with another face", "the path leads to root", Box::new(move |reply, _| {
            if has_openings(reply) {
                reply["openings"][0]["value"] = json!((reply["openings"][0]["value"].as_u64().unwrap() + 1) % 52);
            }
        })),
        ("an opening with another salt", "the path leads to root", Box::new(move |reply, _| {
            if has_openings(reply) {
                reply["openings"][0]["salt"] = json!("00112233445566778899aabbccddeeff");
            }
        })),
        ("an opening with a short path", "a path of", Box::new(move |reply, _| {
            if has_openings(reply) {
                reply["openings"][0]["path"].as_array_mut().unwrap().pop();
            }
        })),
        ("a missing opening", "was turned up and not opened", Box::new(move |reply, _| {
            if has_openings(reply) {
                reply["openings"].as_array_mut().unwrap().remove(0);
            }
        })),
        ("the hole card opened early", "is opened and was not turned up", Box::new(|reply, desk| {
            if let Some(slot) = reply["round"]["game"]["dealer"]["cards"][1].get("slot").and_then(Value::as_u64)
                && reply["round"]["game"]["dealer"]["cards"][1]["card"].is_null()
            {
                let opening = serde_json::to_value(desk.open(Slot(slot as u16))).unwrap();
                reply["openings"].as_array_mut().unwrap().push(opening);
            }
        })),
        ("another balance", "the balance is not", Box::new(|reply, _| reply["balance"] = json!(reply["balance"].as_u64().unwrap() - 1))),
        ("another total on view", "the cards on view", Box::new(|reply, _| {
            reply["round"]["game"]["boxes"][0]["hands"][0]["total"] = json!(21);
            reply["round"]["game"]["boxes"][0]["hands"][0]["soft"] = json!(true);
        })),
        ("an option withheld", "the decisions offered", Box::new(|reply, _| {
            if let Some(decision) = reply["round"]["decisions"].get_mut(0) {
                decision["options"].as_array_mut().unwrap().pop();
            }
        })),
        ("another phase", "the round's phase", Box::new(|reply, _| reply["round"]["phase"] = json!("settled"))),
        ("another entropy on view", "the round's entropy", Box::new(|reply, _| reply["round"]["entropy"] = json!("11".repeat(32)))),
        ("a receipt for another index", "the receipt is for entry", Box::new(|reply, _| reply["receipts"][0]["index"] = json!(1))),
        ("an entry changed after it was logged", "is not under its checkpoint", Box::new(move |reply, _| {
            edit_text(&mut reply["receipts"][0]["entry"], "\"time\":17", "\"time\":18");
        })),
        ("a checkpoint signed by another key", "checkpoint", Box::new(|reply, _| {
            let other = fairshoe_tlog::Signer::new(desk::ORIGIN, &[8; 32]).unwrap();
            let proof = reply["receipts"][0]["proof"].as_str().unwrap().to_owned();
            let (text, _) = proof.rsplit_once("\n\n").unwrap();
            let (_, note) = text.split_once("\n\n").unwrap();
            let line = other.sign(&format!("{note}\n")).unwrap();
            reply["receipts"][0]["proof"] = json!(format!("{text}\n\n{line}"));
        })),
        ("a checkpoint of another root", "checkpoint", Box::new(|reply, _| {
            let proof = reply["receipts"][0]["proof"].as_str().unwrap().to_owned();
            let root = proof.split_once("\n\n").unwrap().1.lines().nth(2).unwrap().to_owned();
            reply["receipts"][0]["proof"] = json!(proof.replacen(&root, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", 1));
        })),
        ("no receipt of the shoe", "receipts", Box::new(|reply, _| reply["receipts"].as_array_mut().unwrap().truncate(1))),
        ("another entry in the shoe's place", "shoe_committed", Box::new(|reply, desk| {
            if reply["receipts"].as_array().unwrap().len() == 2 {
                reply["receipts"][1] = desk.receipt(1);
            }
        })),
        ("the shoe of a round before", "bets_opened", Box::new(|reply, desk| {
            let first = desk.entries.iter().position(|entry| entry.contains("\"shoe_committed\":{")).unwrap() as u64;
            if reply["receipts"].as_array().unwrap().len() == 2 && reply["receipts"][1]["index"].as_u64() > Some(first) {
                reply["receipts"][1] = desk.receipt(first);
            }
        })),
    ];
    for (name, words, twist) in cases {
        assert_flaw(name, &flaw_of_reply(name, twist), words);
    }
}

/// The play events of an entry.
fn plays(entry: &mut Entry) -> impl Iterator<Item = &mut RoundEvent> {
    entry.events.iter_mut().filter_map(|event| if let Event::Play(play) = event { Some(play) } else { None })
}

#[test]
fn houses_that_cheat_are_caught() {
    type Cheat = Box<dyn FnMut(&mut Entry, &Desk)>;
    let cases: Vec<(&str, &str, Cheat)> = vec![
        ("deals the second card of the order first", "the next slot of the public order", Box::new(|entry, _| {
            let mut slots = plays(entry).filter_map(|play| if let RoundEvent::Dealt { slot, .. } = play { Some(slot) } else { None });
            if let (Some(first), Some(second)) = (slots.next(), slots.next()) {
                std::mem::swap(first, second);
            }
        })),
        ("shows another face than the committed one", "the next event", Box::new(|entry, _| {
            for play in plays(entry) {
                if let RoundEvent::Dealt { card: Some(card), .. } = play {
                    *card = fairshoe_fairness::Card::from_code((card.code() + 13) % 52).unwrap();
                }
            }
        })),
        ("turns the hole card into another", "the next event", Box::new(|entry, _| {
            for play in plays(entry) {
                if let RoundEvent::Turned { card, .. } = play {
                    *card = fairshoe_fairness::Card::from_code((card.code() + 1) % 52).unwrap();
                }
            }
        })),
        ("pays less than was won", "the next event", Box::new(|entry, _| {
            for play in plays(entry) {
                if let RoundEvent::Paid { lines } = play {
                    for line in lines.iter_mut().filter(|line| line.ret != Chips::ZERO) {
                        line.ret = line.ret.minus(Chips::new(1).unwrap()).unwrap();
                    }
                }
            }
        })),
        ("posts less than it says it pays", "the amount posted", Box::new(|entry, _| {
            let is_pay = plays(entry).any(|play| matches!(play, RoundEvent::Paid { .. }));
            for event in entry.events.iter_mut().filter(|_| is_pay) {
                if let Event::Posted { lines } = event {
                    for line in lines.iter_mut().filter(|line| line.1 > 0) {
                        let by = if matches!(line.0, Account::Player(_)) { -1 } else { 1 };
                        (line.1, line.2) = (line.1 + by, line.2 + by);
                    }
                    let sum: i64 = lines.iter().map(|line| line.1).sum();
                    if let Some(last) = lines.last_mut().filter(|line| !matches!(line.0, Account::Player(_))) {
                        (last.1, last.2) = (last.1 - sum, last.2 - sum);
                    }
                }
            }
        })),
        ("posts chips out of nothing", "the sum of the posting", Box::new(|entry, _| {
            if let Some(Event::Posted { lines }) = entry.events.iter_mut().find(|event| matches!(event, Event::Posted { .. })) {
                lines[0].1 += 1;
            }
        })),
        ("keeps the posting back", "the posting is not", Box::new(|entry, _| {
            if matches!(entry.command, Command::Bet { .. }) {
                entry.events.retain(|event| !matches!(event, Event::Posted { .. }));
            }
        })),
        ("opens the round with other entropy", "the round's entropy", Box::new(|entry, _| {
            for event in &mut entry.events {
                if let Event::RoundOpened { entropy, .. } = event {
                    *entropy = fairshoe_fairness::RoundEntropy::from_bytes([1; 32]);
                }
            }
        })),
        ("closes the bets with another commitment", "the contributors", Box::new(|entry, _| {
            for event in &mut entry.events {
                if let Event::BetsClosed { contributors, .. } = event {
                    contributors[0].commitment = fairshoe_fairness::SeedCommitment::from_bytes([1; 32]);
                }
            }
        })),
        ("writes down another bet", "the bets is not", Box::new(|entry, _| {
            if let Command::Bet { bets, .. } = &mut entry.command {
                bets[0].stake = Chips::new(16).unwrap();
            }
        })),
        ("writes down another choice", "the choice", Box::new(|entry, _| {
            if let Command::Act { decision, .. } = &mut entry.command {
                *decision += 1;
            }
        })),
        ("does not offer what the rules offer", "the next event", Box::new(|entry, _| {
            for play in plays(entry) {
                if let RoundEvent::Offered { options, .. } = play {
                    options.retain(|offer| offer.action != ActionKind::Double);
                }
            }
        })),
        ("stops before the dealer has played", "the round must go on", Box::new(|entry, _| {
            let settled = entry.events.iter().any(|event| matches!(event, Event::RoundSettled { .. }));
            let acted = entry.events.iter().position(|event| matches!(event, Event::Play(RoundEvent::Acted { .. })));
            if let (true, Some(acted)) = (settled, acted) {
                // A choice that costs something is followed by its posting.
                let posted = matches!(entry.events.get(acted + 1), Some(Event::Posted { .. }));
                entry.events.truncate(acted + 1 + usize::from(posted));
            }
        })),
        ("decides for the player", "cannot stand here", Box::new(|entry, _| {
            let acted = entry.events.iter().find(|event| matches!(event, Event::Play(RoundEvent::Acted { .. }))).cloned();
            entry.events.extend(acted);
        })),
        ("settles other sums", "the sums settled", Box::new(|entry, _| {
            for event in &mut entry.events {
                if let Event::RoundSettled { ret, .. } = event {
                    *ret = ret.plus(Chips::new(1).unwrap()).unwrap();
                }
            }
        })),
        ("publishes another seed", "the published seed", Box::new(|entry, _| {
            for event in &mut entry.events {
                if let Event::ShoeRevealed { seeds, .. } = event {
                    seeds[0] = fairshoe_fairness::ServerSeed::from_bytes([1; 32]);
                }
            }
        })),
        ("keeps the seed", "whether the shoe is revealed", Box::new(|entry, _| entry.events.retain(|event| !matches!(event, Event::ShoeRevealed { .. })))),
        ("lets a shoe be committed in the middle", "cannot stand here", Box::new(|entry, _| {
            if matches!(entry.command, Command::Reveal { .. }) {
                entry.events.insert(0, Event::BetsOpened { round_no: 0, shoe_no: 0 });
            }
        })),
    ];
    for (name, words, cheat) in cases {
        let flaw = flaw_of_house(name, cheat);
        assert_flaw(name, &flaw, words);
    }
}

#[test]
fn a_consistent_lie_about_the_hole_card_shows_at_the_seed() {
    let mut desk = Desk::new();
    desk.dealer.lies = true;
    let mut eyes = Eyes::on(&desk, Strategy::Random);
    let flaw = (0..400).find_map(|_| eyes.round(&mut desk, &mut |_, _| {}).err()).unwrap();
    assert_flaw("lies and plays on", &flaw, "the answer about slot");
}

#[test]
fn only_the_entry_of_this_table_commits_its_shoe() {
    let desk = Desk::new();
    let committed = desk.entries.iter().rposition(|entry| entry.contains("\"shoe_committed\":{")).unwrap() as u64;
    let check = |index, context| ShoeCheck::committed(&desk.on_log(index).entry, &context, &desk.rules);
    assert_eq!(check(committed, desk.context()).unwrap().slots().len(), 52);
    assert!(check(1, desk.context()).is_err());
    let mut other = desk.context();
    other.table = fairshoe_fairness::TableId::parse("joy-2").unwrap();
    assert!(check(committed, other).is_err());
}

#[test]
fn a_log_that_shrinks_or_forks_is_caught() {
    let (mut desk, mut fork) = (Desk::new(), Desk::new());
    let log = LogCheck::new(desk.key());
    let receipt = |desk: &Desk, index| -> Receipt { serde_json::from_value(desk.receipt(index)).unwrap() };
    let (early, mut known) = (receipt(&desk, 0), 0);
    desk.bet(&desk.bettor(5));
    log.receipt(&receipt(&desk, 0), &mut known).unwrap();
    assert_eq!(log.receipt(&early, &mut known).unwrap_err(), Flaw::Shrunk { before: known, after: known - 1 });
    fork.bet(&fork.bettor(6));
    assert_eq!(log.receipt(&receipt(&fork, 0), &mut 0).unwrap_err(), Flaw::Forked { size: known });
    let (first, last) = log.span().unwrap();
    assert_eq!((first.size, last.size), (known - 1, known));
    assert_eq!(log.checkpoints(), 2);
}

/// A round up to its first decision, with the desk and the eyes that saw it.
fn round_in_play(strategy: Strategy) -> (Desk, Eyes, RoundCheck, Vec<Value>) {
    let mut desk = Desk::new();
    let mut eyes = Eyes::on(&desk, strategy);
    loop {
        let bettor = desk.bettor(15);
        let bet = desk.bet(&bettor);
        let (_, on_log) = eyes.read(bet).unwrap();
        let shoe = ShoeCheck::committed(&on_log[1].entry, &bettor.context, &bettor.rules).unwrap();
        let mut check = RoundCheck::new(bettor.clone(), shoe).unwrap();
        check.apply(&on_log[0], &[]).unwrap();
        let reply = desk.reveal(&bettor);
        let openings = reply["openings"].as_array().unwrap().clone();
        eyes.check(&mut check, reply).unwrap();
        if check.decision().is_some() {
            return (desk, eyes, check, openings);
        }
        unreachable!("every JOY round asks at least once");
    }
}

#[test]
fn a_void_gives_everything_back_or_is_caught() {
    for short in [false, true] {
        let (mut desk, _, mut check, _) = round_in_play(Strategy::Basic);
        let before = desk.funds().plus(Chips::new(15).unwrap()).unwrap();
        if short {
            desk.tamper = Some(Box::new(|entry, _| {
                if let Some(Event::Posted { lines }) = entry.events.first_mut() {
                    (lines[0].1, lines[0].2) = (lines[0].1 - 1, lines[0].2 - 1);
                    (lines[1].1, lines[1].2) = (lines[1].1 + 1, lines[1].2 + 1);
                }
            }));
        }
        let reason = Reference::parse("lamp fell").unwrap();
        let index = desk.give(Actor::Operator, Command::VoidRound { table: desk.table.clone(), round_no: 0, reason }).unwrap();
        match check.apply(&desk.on_log(index), &[]) {
            Err(flaw) => {
                assert!(short, "{flaw}");
                assert_flaw("a short refund", &flaw, "the amount posted");
            }
            Ok(()) => {
                assert!(!short);
                assert_eq!((check.progress(), check.funds()), (Progress::Voided, before));
            }
        }
    }
}

#[test]
fn default_play_is_the_houses_after_the_deadline_alone() {
    let (mut desk, _, mut check, openings) = round_in_play(Strategy::Basic);
    desk.now += 86_400_000;
    let index = desk.give(Actor::House, Command::Lapse { table: desk.table.clone(), round_no: 0, lapsed: Lapsed::Round }).unwrap();
    let reply = desk.accepted(&[index]);
    let accepted: Accepted = serde_json::from_value(reply).unwrap();
    let mut all: Vec<fairshoe_fairness::Opening> = openings.into_iter().map(|opening| serde_json::from_value(opening).unwrap()).collect();
    all.extend(accepted.openings);
    check.apply(&desk.on_log(index), &all).unwrap();
    assert_eq!((check.progress(), check.funds()), (Progress::Settled, desk.funds()));
    check.check_reply(&accepted.round.unwrap(), &all, accepted.balance).unwrap();
}
