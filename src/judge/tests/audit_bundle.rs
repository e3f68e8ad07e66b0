//! Bundles: sound, sound so far, and every way in which one can be forged.

use crate::audit_common;
use crate::common;

use audit_common::*;
use common::rng::Rng;
use common::*;
use fairshoe_fairness::TableId;
use fairshoe_games::{Action, RoundEvent};
use fairshoe_house::{Actor, Command, Entry, Event, PlayerKey};
use fairshoe_judge::audit::{Check, Finding, TableJudge};
use fairshoe_judge::bundle::{
    Bundle, BundleError, Collector, MAX_BUNDLE_BYTES, MAX_BUNDLE_ENTRIES, MAX_OPENINGS, RoundId, RoundPhase, Soundness,
    Target, Verdict,
};
use fairshoe_tlog::{SecretKey, Signer};

fn verdict(bundle: &Bundle) -> Verdict {
    let verdict = verify(bundle.to_json().unwrap().as_bytes(), Some(signer().verifier_key()));
    assert_eq!(verdict.findings.is_empty(), verdict.verdict != Soundness::NotSound);
    verdict
}

#[track_caller]
fn caught(bundle: &Bundle) -> (Check, Option<u64>) {
    let verdict = verdict(bundle);
    assert_eq!(verdict.verdict, Soundness::NotSound, "{}", verdict.story.join("\n"));
    (verdict.findings[0].check, verdict.findings[0].entry)
}

/// A settled round 0 with a double in it, and what came after.
fn settled() -> (House, Bundle) {
    let mut house = House::with_table(&[], 1000);
    house.deal("t1", "alice", 10, |cards| cards[0] == 5 && cards[2] == 6 && cards[1] == 6 && cards[3] == 10);
    house.act("t1", "alice", Action::Double { amount: None }).unwrap();
    house.run_due();
    house.deal("t1", "alice", 3, |_| true);
    let bundle = bundle(&house, &house.log, "t1:0");
    (house, bundle)
}

/// A round in play: cards are shown, the seed is not out.
fn in_play() -> (House, Bundle) {
    let mut house = House::with_table(&[], 1000);
    house.deal("t1", "alice", 10, |cards| cards[0] == 5 && cards[2] == 6 && cards[1] == 6);
    house.act("t1", "alice", Action::Hit).unwrap();
    let bundle = bundle(&house, &house.log, "t1:0");
    (house, bundle)
}

#[test]
fn every_round_of_a_busy_house_has_a_sound_bundle() {
    let house = book(11, 60);
    let (mut sound, mut so_far) = (0, 0);
    for name in TABLES {
        for round in 0..house.table(name).next_round {
            let bundle = bundle(&house, &house.log, &format!("{name}:{round}"));
            let verdict = verdict(&bundle);
            assert!(verdict.findings.is_empty(), "{name}:{round}: {}", verdict.story.join("\n"));
            assert!(verdict.key_trusted);
            match verdict.verdict {
                Soundness::Sound => sound += 1,
                _ => so_far += 1,
            }
        }
    }
    assert!(sound >= 50 && so_far <= 4, "{sound} {so_far}");
}

#[test]
fn a_round_in_play_is_sound_so_far_at_every_step() {
    let house = book(12, 12);
    let log = &house.log;
    for end in 1..=log.len() {
        let mut early = House::unstarted();
        early.state = fold(&log[..end]);
        let live: Vec<String> =
            early.state.tables().filter_map(|at| Some(format!("{}:{}", at.id, at.live_round()?.round_no))).collect();
        for round in live {
            let verdict = verdict(&bundle(&early, &log[..end], &round));
            assert_eq!(verdict.verdict, Soundness::SoundSoFar, "{round} at {end}: {}", verdict.story.join("\n"));
        }
    }
}

#[test]
fn the_story_tells_the_round() {
    let (_, bundle) = settled();
    let verdict = verdict(&bundle);
    assert_eq!(verdict.verdict, Soundness::Sound);
    let story = verdict.story.join("\n");
    for words in [
        "The log fairshoe.example/log vouches for",
        "the key you trust",
        "Round 0 at t1: alice stakes 10 on 1",
        "dealt a card face-down to dealer",
        "box 1 hand 1 5",
        "The seed of shoe 0, out in entry ",
        "alice doubles for 10",
        "Balances before the round, and how the table stood, are the log's statement",
        "alice staked 20 and got back",
        "SOUND. Round t1:0",
        "2027-01-15T08:00:00.000Z",
    ] {
        assert!(story.contains(words), "`{words}` is not in\n{story}");
    }
    // Each entry's first line begins with its index, and no other line does.
    let numbered: Vec<_> = verdict.story.iter().filter(|line| line.starts_with('[')).collect();
    let mut indices: Vec<u64> = bundle.context.iter().chain(&bundle.entries).map(|proven| proven.index).collect();
    indices.sort_unstable();
    assert_eq!(numbered.len(), indices.len());
    for (line, index) in numbered.into_iter().zip(indices) {
        assert!(line.starts_with(&format!("[{index}] 2027-01-15T08:00:00.000Z ")), "{line}");
    }
    let facts = verdict.round.unwrap();
    assert!(facts.is_over());
    assert_eq!((facts.phase, facts.players[0].staked, facts.shoe_no), (RoundPhase::Settled, chips(20), 0));
    let stranger = verify(bundle.to_json().unwrap().as_bytes(), None);
    assert!(!stranger.key_trusted && stranger.verdict == Soundness::Sound);
    assert!(stranger.story.join("\n").contains("compare it with the one you know the log by"));
    let last = stranger.story.last().unwrap();
    assert!(last.contains("taken on trust") && !story.contains("taken on trust"), "{last}");
}

#[test]
fn before_the_seed_is_out_each_face_shown_is_opened() {
    let (_, bundle) = in_play();
    let shown = verdict(&bundle);
    assert_eq!(shown.verdict, Soundness::SoundSoFar);
    assert!(shown.story.join("\n").contains("Each of the 4 faces shown is opened"));
    assert!(!shown.round.unwrap().is_over());
    let change = |with: fn(&mut Bundle)| {
        let mut changed = bundle.clone();
        with(&mut changed);
        caught(&changed).0
    };
    assert_eq!(change(|b| drop(b.openings.remove(1))), Check::OpeningMissing);
    assert_eq!(change(|b| b.openings[1].salt[3] ^= 1), Check::Opening);
    assert_eq!(change(|b| b.openings[1].path[0][3] ^= 1), Check::Opening);
    assert_eq!(change(|b| b.openings[1].path.truncate(3)), Check::Opening);
    assert_eq!(change(|b| b.openings[1].value ^= 1), Check::Opening);
    assert_eq!(change(|b| b.openings.push(b.openings[0].clone())), Check::OpeningExtra);
    // Two openings under each other's slots.
    let under_each_other = |b: &mut Bundle| {
        let (first, second) = (b.openings[0].slot, b.openings[1].slot);
        (b.openings[0].slot, b.openings[1].slot) = (second, first);
    };
    assert_eq!(change(under_each_other), Check::Opening);
}

#[test]
fn openings_may_come_in_any_order_and_after_the_reveal_not_at_all() {
    let (_, mut in_play) = in_play();
    in_play.openings.reverse();
    assert_eq!(verdict(&in_play).verdict, Soundness::SoundSoFar);
    let (_, settled) = settled();
    assert!(settled.openings.is_empty());
    assert_eq!(verdict(&settled).verdict, Soundness::Sound);
}

/// Signs a changed log again, as only the house itself could: the proofs hold, the meaning does not.
fn forged(house: &House, change: impl Fn(&mut Vec<Entry>)) -> Bundle {
    let mut book = entries(&house.log);
    change(&mut book);
    let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
    bundle(house, &log, "t1:0")
}

#[test]
fn twelve_named_mutations_are_not_sound() {
    let (house, good) = settled();
    let first = good.entries[0].index;
    let change = |with: &dyn Fn(&mut Bundle)| {
        let mut changed = good.clone();
        with(&mut changed);
        caught(&changed)
    };
    // 1 a card swapped in an entry
    let swap = |b: &mut Bundle| b.entries[2].entry = b.entries[2].entry.replacen("\"card\":\"5", "\"card\":\"6", 1);
    assert_eq!(change(&swap), (Check::Inclusion, Some(good.entries[2].index)));
    // 2 an entry left out
    assert_eq!(change(&|b| drop(b.entries.remove(2))), (Check::TableSeq, Some(good.entries[3].index)));
    // 3 the last entry left out: sound so far only with openings, which are not there
    assert_eq!(change(&|b| drop(b.entries.pop())).0, Check::OpeningMissing);
    // 4 an entry twice
    assert_eq!(
        change(&|b| b.entries.insert(2, b.entries[1].clone())),
        (Check::BundleOrder, Some(good.entries[1].index))
    );
    // 5 two entries in another order
    assert_eq!(change(&|b| b.entries.swap(1, 2)), (Check::BundleOrder, Some(good.entries[1].index)));
    // 6 another index
    assert_eq!(change(&|b| b.entries[1].index += 40).0, Check::Inclusion);
    // 7 a proof's hash
    assert_eq!(change(&|b| b.entries[1].proof[0].0.0[0] ^= 1), (Check::Inclusion, Some(good.entries[1].index)));
    // 8 a proof cut short
    assert_eq!(change(&|b| b.entries[1].proof.truncate(1)), (Check::Inclusion, Some(good.entries[1].index)));
    // 9 the checkpoint's root
    assert_eq!(change(&|b| b.checkpoint = b.checkpoint.replacen('\n', "\n1", 1)).0, Check::Checkpoint);
    // 10 another log's key
    let other = Signer::new(ORIGIN, &[8; 32]).unwrap();
    assert_eq!(change(&|b| b.vkey = other.verifier_key().to_string()).0, Check::Key);
    // 11 the table's rules left out
    assert_eq!(change(&|b| b.context.retain(|proven| proven.entry.contains("start_dealer"))).0, Check::BundleContext);
    // 12 another round's name
    assert_eq!(change(&|b| b.round = "t1:7".parse().unwrap()).0, Check::BundleRound);
    // 13 another table's name
    assert_eq!(change(&|b| b.round = "t2:0".parse().unwrap()).0, Check::BundleContext);
    // 14 the start left out
    assert_eq!(change(&|b| b.context.retain(|proven| !proven.entry.contains("start_dealer"))).0, Check::BundleContext);
    // 15 the shoe's commitment left out
    assert_eq!(change(&|b| drop(b.entries.remove(0))), (Check::BundleOrder, Some(first + 1)));
    // 16 an entry of the next shoe added
    let next = prove(
        &house.log,
        &[(good.entries.last().unwrap().index + 1, house.log[good.entries.last().unwrap().index as usize + 1].clone())],
    );
    assert_eq!(change(&|b| b.entries.extend(next.clone())).0, Check::BundleOrder);
    // 17 an opening nobody asked for
    let (_, live) = in_play();
    let mut foreign = live.openings[0].clone();
    foreign.slot = fairshoe_fairness::Slot(51);
    assert_eq!(change(&|b| b.openings = vec![foreign.clone()]).0, Check::OpeningExtra);
}

#[test]
fn a_house_that_signs_a_forged_round_is_caught_by_the_rules() {
    let (house, _) = settled();
    let at =
        |book: &[Entry], what: fn(&Event) -> bool| book.iter().position(|entry| entry.events.iter().any(what)).unwrap();
    let opened = |event: &Event| matches!(event, Event::RoundOpened { .. });
    let settled = |event: &Event| matches!(event, Event::RoundSettled { .. });
    let pay = forged(&house, |book| {
        let at = at(book, settled);
        for event in &mut book[at].events {
            if let Event::Play(RoundEvent::Paid { lines }) = event {
                lines[0].returned = chips(lines[0].returned.units() + 1);
            }
        }
    });
    assert_eq!(caught(&pay).0, Check::Payout);
    let slot = forged(&house, |book| {
        let at = at(book, opened);
        for event in &mut book[at].events {
            if let Event::Play(RoundEvent::Dealt { slot, .. }) = event {
                slot.0 = (slot.0 + 1) % 52;
            }
        }
    });
    assert_eq!(caught(&slot).0, Check::DealtSlot);
    let suit = forged(&house, |book| {
        let at = at(book, opened);
        for event in &mut book[at].events {
            if let Event::Play(RoundEvent::Dealt { card: Some(card), .. }) = event {
                let other = if card.suit() == 's' { 'h' } else { 's' };
                *card = fairshoe_fairness::Card::new(card.rank(), other).unwrap();
            }
        }
    });
    assert_eq!(caught(&suit).0, Check::FaceFalse);
    let balance = forged(&house, |book| {
        let at = at(book, settled);
        for event in &mut book[at].events {
            if let Event::Posted { lines } = event {
                lines[0].2 += 1;
            }
        }
    });
    assert_eq!(caught(&balance).0, Check::Posting);
    let epoch = forged(&house, |book| {
        if let Event::DealerStarted { epoch, .. } = &mut book[0].events[0] {
            *epoch = fairshoe_fairness::Epoch::from_bytes([9; 32]);
        }
    });
    assert_eq!(caught(&epoch).0, Check::Start);
}

#[test]
fn another_epoch_opens_no_seed() {
    let (house, _) = settled();
    let swapped = forged(&house, |book| {
        let new = fairshoe_fairness::Epoch::from_bytes([9; 32]);
        if let fairshoe_house::Command::StartDealer { epoch, .. } = &mut book[0].command {
            *epoch = new;
        }
        if let Event::DealerStarted { epoch, .. } = &mut book[0].events[0] {
            *epoch = new;
        }
    });
    // The client's seed is bound to the epoch too: already their reveal opens nothing.
    assert_eq!(caught(&swapped).0, Check::Refused);
}

#[test]
fn the_story_says_that_a_shoe_was_sealed() {
    let players = ["alice", "bob"];
    let mut house = House::poker("holdem", &[], &players);
    house.buy_in_all("t1", &players, 20_000);
    house.deal_hand("t1");
    while let Some(who) = house.asked("t1").first().cloned() {
        house.choose("t1", &who, Action::Fold).unwrap();
    }
    house.run_due();
    let verdict = verdict(&bundle(&house, &house.log, "t1:0"));
    let story = verdict.story.join("\n");
    assert_eq!(verdict.verdict, Soundness::Sound, "{story}");
    assert!(story.contains("Shoe 0 was sealed in entry ") && !story.contains("The seed of shoe 0, out"), "{story}");
}

/// Round 0 of t1 with another key of alice's and a restart in its middle, bob's round at t2 beside it, and a restart
/// after both.
fn crossed() -> House {
    let mut house = House::new();
    let key = house.pen("alice", 1);
    house.give(&Actor::Operator, Command::CreatePlayer { player: player("alice"), key: Some(key) }).unwrap();
    house.credit("alice", 1000).unwrap();
    house.add_player("bob", 1000);
    house.open("t1", &[("crash", "resume")]);
    house.open("t2", &[]);
    house.deal("t1", "alice", 10, |cards| cards[0] == 5 && cards[2] == 6 && cards[1] == 6);
    house.deal("t2", "bob", 10, |cards| cards[0] == 5 && cards[2] == 6 && cards[1] == 6);
    let next = SecretKey::from_seed(&[2; 32]);
    let key = Some(PlayerKey::from_bytes(next.public_key()));
    house.give(&by("alice"), Command::SetKey { player: player("alice"), key, reason: None }).unwrap();
    house.pens.insert("alice".into(), next);
    house.crash();
    house.run_due();
    house.finish("t1", "alice");
    house.run_due();
    house.crash();
    house
}

#[test]
fn what_a_bundle_is_not_made_of_is_found_wherever_it_stands() {
    let house = crossed();
    let good = bundle(&house, &house.log, "t1:0");
    assert_eq!(verdict(&good).verdict, Soundness::Sound);
    let add = |index: u64, in_context: bool| {
        let mut more = good.clone();
        let proven = prove(&house.log, &[(index, house.log[index as usize].clone())]);
        let list = if in_context { &mut more.context } else { &mut more.entries };
        list.retain(|one| one.index != index);
        list.extend(proven);
        list.sort_by_key(|one| one.index);
        more
    };
    // A start or a key among the entries, where the context has none of it.
    for what in ["\"start_dealer\"", "\"set_key\""] {
        let index = good.context.iter().rfind(|proven| proven.entry.contains(what)).unwrap().index;
        let mut moved = add(index, false);
        moved.context.retain(|proven| proven.index != index);
        assert_eq!(caught(&moved), (Check::BundleOrder, Some(index)), "{what}");
    }
    // Another table's entry among those of this one.
    let (first, last) = (good.entries[0].index, good.entries.last().unwrap().index);
    let of_t2 = |entry: &Entry| entry.at.as_ref().is_some_and(|at| at.table.as_str() == "t2");
    let book = entries(&house.log);
    let index = (first..last).find(|index| of_t2(&book[*index as usize])).unwrap();
    assert_eq!(caught(&add(index, false)), (Check::BundleOrder, Some(index)));
    // A start after everything else.
    let index = house.log.len() as u64 - 1;
    assert!(index > last && matches!(book[index as usize].command, Command::StartDealer { .. }));
    assert_eq!(caught(&add(index, true)), (Check::BundleContext, Some(index)));
    // What is missing is named.
    for (what, missing) in [
        ("\"open_table\"", "the table's opening"),
        ("\"start_dealer\"", "the dealer's start before the shoe was committed"),
    ] {
        let mut less = good.clone();
        less.context.retain(|proven| !proven.entry.contains(what));
        let finding = &verdict(&less).findings[0];
        assert_eq!(
            (finding.check, finding.message.as_str()),
            (Check::BundleContext, &*format!("the bundle does not hold {missing}"))
        );
    }
}

#[test]
fn flipped_bytes_never_panic_and_never_pass() {
    for (bundle, seed) in [(settled().1, 1), (in_play().1, 2)] {
        let good = bundle.to_json().unwrap().into_bytes();
        let mut rng = Rng(seed);
        for _ in 0..1_500 * effort() {
            let mut bytes = good.clone();
            for _ in 0..1 + rng.below(2) {
                let at = rng.below(bytes.len());
                bytes[at] = match rng.below(3) {
                    0 => bytes[at] ^ (1 << rng.below(8)),
                    1 => b"0123456789abcdef\"{}[],:"[rng.below(23)],
                    _ => rng.below(256) as u8,
                };
            }
            if Bundle::parse(&bytes).is_ok_and(|changed| changed == bundle) {
                continue;
            }
            let verdict = verify(&bytes, None);
            assert_eq!(verdict.verdict, Soundness::NotSound, "{}", String::from_utf8_lossy(&bytes));
        }
        for end in 0..good.len().min(400) {
            assert_eq!(verify(&good[..end], None).findings[0].check, Check::BundleForm);
        }
    }
}

#[test]
fn bounds_hold_before_anything_is_believed() {
    let (_, good) = settled();
    let mut long = good.clone();
    long.entries = vec![good.entries[0].clone(); 10_001];
    let json = serde_json::to_vec(&long).unwrap();
    assert!(matches!(
        Bundle::parse(&json),
        Err(BundleError::TooMany { what: "entries", .. }) | Err(BundleError::TooLong(_))
    ));
    let mut deep = good.clone();
    deep.entries[0].proof = vec![good.entries[0].proof[0]; 65];
    assert!(matches!(
        Bundle::parse(&serde_json::to_vec(&deep).unwrap()),
        Err(BundleError::TooMany { what: "hashes in a proof", .. })
    ));
    assert!(matches!(Bundle::parse(&vec![b' '; 33 << 20]), Err(BundleError::TooLong(_))));
    let newer = good.to_json().unwrap().replacen("\"fairshoe_bundle\":1", "\"fairshoe_bundle\":2", 1);
    assert_eq!(Bundle::parse(newer.as_bytes()), Err(BundleError::Version(2)));
    let odd = good.to_json().unwrap().replacen("\"round\"", "\"note\":1,\"round\"", 1);
    assert!(matches!(Bundle::parse(odd.as_bytes()), Err(BundleError::Malformed(_))));
}

#[test]
fn the_collector_finds_shoes_and_rounds_and_nothing_else() {
    let house = book(13, 40);
    let collect = |target: Target| {
        let mut collector = Collector::new(target);
        for (index, bytes) in house.log.iter().enumerate() {
            collector.feed(index as u64, bytes);
        }
        collector.finish()
    };
    let round = collect(Target::Round { table: table("resume"), round_no: 3 }).unwrap();
    let committed = Entry::decode(&round.entries[0].1).unwrap();
    let shoe_no = committed
        .events
        .iter()
        .find_map(|event| if let Event::ShoeCommitted { shoe_no, .. } = event { Some(*shoe_no) } else { None })
        .unwrap();
    assert_eq!(collect(Target::Shoe { table: table("resume"), shoe_no }).unwrap(), round);
    assert_eq!(collect(Target::Round { table: table("resume"), round_no: 4_000 }), None);
    assert_eq!(collect(Target::Round { table: table("nowhere"), round_no: 0 }), None);
}

#[test]
fn a_collector_is_done_when_the_shoe_it_looks_for_is_out() {
    let (house, good) = settled();
    let last = good.entries.last().unwrap().index;
    let mut collector = Collector::new(Target::Round { table: table("t1"), round_no: 0 });
    for (index, bytes) in (0..).zip(&house.log) {
        assert_eq!(collector.is_done(), index > last, "before entry {index}");
        collector.feed(index, bytes);
    }
    assert!(collector.is_done() && last < house.log.len() as u64 - 1);
}

#[test]
fn a_bundle_may_reach_its_bounds_and_no_further() {
    assert_eq!((MAX_BUNDLE_BYTES, MAX_BUNDLE_ENTRIES, MAX_OPENINGS), (32 << 20, 10_000, 4_096));
    let (_, good) = settled();
    let opening = in_play().1.openings[0].clone();
    let build = |entries: usize, openings: usize, hashes: usize| {
        let mut one = good.entries[0].clone();
        one.proof = vec![one.proof[0]; hashes];
        let (entries, openings) = (vec![one; entries], vec![opening.clone(); openings]);
        Bundle::build(good.round.clone(), good.vkey.clone(), good.checkpoint.clone(), Vec::new(), entries, openings)
            .map(|_| ())
    };
    assert_eq!(build(MAX_BUNDLE_ENTRIES, MAX_OPENINGS, 0), Ok(()));
    assert_eq!(build(1, 0, 64), Ok(()));
    for (entries, openings, hashes, too_many) in [
        (MAX_BUNDLE_ENTRIES + 1, 0, 0, "entries"),
        (1, MAX_OPENINGS + 1, 0, "openings"),
        (1, 0, 65, "hashes in a proof"),
    ] {
        assert!(matches!(build(entries, openings, hashes), Err(BundleError::TooMany { what, .. }) if what == too_many));
    }
    let short = good.to_json().unwrap().len();
    let text_of = |length: usize| {
        let mut long = good.clone();
        long.entries[0].entry.push_str(&"x".repeat(length - short));
        long.to_json().map(|text| text.len())
    };
    assert_eq!(text_of(MAX_BUNDLE_BYTES), Ok(MAX_BUNDLE_BYTES));
    assert_eq!(text_of(MAX_BUNDLE_BYTES + 1), Err(BundleError::TooLong(MAX_BUNDLE_BYTES + 1)));
    assert!(matches!(Bundle::parse(&vec![b' '; MAX_BUNDLE_BYTES]), Err(BundleError::Malformed(_))));
    assert_eq!(Bundle::parse(&vec![b' '; MAX_BUNDLE_BYTES + 1]), Err(BundleError::TooLong(MAX_BUNDLE_BYTES + 1)));
}

#[test]
fn round_ids_have_one_form() {
    assert_eq!("joy-1:0".parse(), Ok(RoundId { table: TableId::parse("joy-1").unwrap(), round_no: 0 }));
    for bad in ["", "joy-1", "joy-1:", "joy-1:00", "joy-1:+1", ":1", "Joy:1", "joy:1:2", "joy-1:18446744073709551616"] {
        assert!(bad.parse::<RoundId>().is_err(), "{bad}");
    }
}

/// Follows each table of a log from its opening on, and says what is found first.
fn followed(house: &House, log: &[Entry]) -> Option<Finding> {
    let mut first: Option<Finding> = None;
    for name in TABLES {
        let (mut judge, mut epoch) = (None, None);
        for (index, entry) in (0..).zip(log) {
            match (&entry.command, &mut judge) {
                (Command::StartDealer { epoch: new, .. }, None) => epoch = Some(*new),
                (Command::OpenTable { table: opened, .. }, None) if opened.as_str() == name => {
                    judge = Some(TableJudge::new(house.state.origin().unwrap().clone(), epoch.unwrap()))
                }
                _ => {}
            }
            let is_start = matches!(entry.command, Command::StartDealer { .. });
            let is_here = entry.command.table().is_some_and(|table| table.as_str() == name);
            let Some(judge) = judge.as_mut().filter(|_| is_start || is_here) else { continue };
            if let Err(finding) = judge.judge(index, entry) {
                first = Some(finding).into_iter().chain(first).min_by_key(|finding| finding.entry);
                break;
            }
        }
        if first.is_none() {
            let table = judge.as_ref().and_then(|judge| judge.state().table(&table(name)));
            assert_eq!(
                table.map(|table| (table.next_seq, table.next_round)),
                house.state.table(&self::table(name)).map(|table| (table.next_seq, table.next_round))
            );
        }
    }
    first
}

/// Whoever follows a table from its opening finds nothing in an honest one, and a lie where an audit finds it.
#[test]
fn a_table_is_judged_as_its_entries_come() {
    let house = book(5, 80);
    let log = entries(&house.log);
    assert_eq!(followed(&house, &log), None);
    assert!(log.iter().filter(|entry| matches!(entry.command, Command::StartDealer { .. })).count() > 1);
    type Lie = (edit::Find, fn(&mut Entry));
    let lies: [Lie; 4] = [
        (edit::pays, |entry| {
            entry.events.retain(|event| !matches!(event, Event::Posted { .. }));
        }),
        (edit::opens, |entry| drop(entry.events.pop())),
        (edit::voids, |entry| entry.time += 1),
        (
            |entry| edit::has(entry, |event| matches!(event, Event::ShoeRevealed { .. })),
            |entry| {
                let seeds = edit::event_mut(entry, |event| matches!(event, Event::ShoeRevealed { .. }));
                if let Event::ShoeRevealed { seeds, .. } = seeds {
                    seeds[0] = fairshoe_fairness::ServerSeed::from_bytes([1; 32]);
                }
            },
        ),
    ];
    for (number, (what, lie)) in lies.into_iter().enumerate() {
        let mut lied = log.clone();
        edit::edit(&mut lied, what, lie);
        let bytes: Vec<Vec<u8>> = lied.iter().map(|entry| entry.encode().unwrap()).collect();
        let found = followed(&house, &lied).map(|finding| (finding.check, finding.entry));
        let audited = audit_at_once(&bytes).first_failure.map(|finding| (finding.check, finding.entry));
        assert!(found.is_some() && found == audited, "lie {number}: {found:?}, {audited:?}");
    }
}
