//! Every way in which a command is refused: its stable code, and that nothing changed.

use crate::common;

use common::*;
use fairshoe_fairness::{ClientSeed, Epoch, Master, MasterId, Origin, SeedCommitment};
use fairshoe_games::{Action, Bet, Chips, MAX_CHIPS};
use fairshoe_house::{Actor, Command, Holder, Lapsed, Ledger, Reference, Refusal, SeenCheckpoint, TABLES_PER_PLAYER};
use std::collections::BTreeSet;

/// Codes reached by the tests of this file; `all_codes_are_reached` compares them with the list.
struct Refusals {
    house: House,
    reached: BTreeSet<&'static str>,
}

impl Refusals {
    #[track_caller]
    fn expect(&mut self, by: &Actor, command: Command, code: &'static str) -> Refusal {
        let before = self.house.fingerprint();
        let refused = refusal(self.house.give(by, command));
        assert_eq!(refused.code(), code, "{refused}");
        assert_eq!(self.house.fingerprint(), before, "{refused}");
        assert!(!refused.to_string().is_empty());
        self.reached.insert(code);
        refused
    }
}

fn commitment() -> SeedCommitment {
    SeedCommitment::from_bytes([9; 32])
}

fn bet(round_no: u64, stake: u64) -> Command {
    Command::Bet {
        table: table("t1"),
        round_no,
        bets: vec![Bet { spot: "1".into(), stake: chips(stake), chips: None }],
        commitment: commitment(),
    }
}

fn act(round_no: u64, decision: u32) -> Command {
    Command::Act { table: table("t1"), round_no, decision, action: Action::Stand }
}

fn lapse(lapsed: Lapsed) -> Command {
    Command::Lapse { table: table("t1"), round_no: 0, lapsed }
}

#[test]
fn all_codes_are_reached() {
    let anyone = Actor::Anyone;
    let operator = Actor::Operator;
    let mut r = Refusals { house: House::unstarted(), reached: BTreeSet::new() };

    // Before the first start there is nothing but the start.
    for command in [
        Command::CreatePlayer { player: player("alice"), key: None },
        Command::OpenTable { table: table("t1"), rules: joy(&[]), replaces: None },
        Command::CommitShoe { table: table("t1") },
        Command::IssueToken { holder: "auditor:x".parse::<Holder>().unwrap(), revoke: false },
    ] {
        r.expect(&operator, command, "wrong_start");
    }
    r.expect(&operator, r.house.start_command(1), "not_allowed");
    r.house.start().unwrap();
    let other_origin = Command::StartDealer {
        origin: Origin::parse("other.example/log").unwrap(),
        epoch: Epoch::from_bytes([2; 32]),
        master_id: Master::from_bytes(MASTER).id(),
        software: Reference::parse("x").unwrap(),
    };
    r.expect(&Actor::House, other_origin, "wrong_start");
    let other_master = Command::StartDealer {
        origin: Origin::parse(ORIGIN).unwrap(),
        epoch: Epoch::from_bytes([2; 32]),
        master_id: MasterId::from_bytes([0; 32]),
        software: Reference::parse("x").unwrap(),
    };
    r.expect(&Actor::House, other_master, "wrong_start");
    r.expect(&Actor::House, r.house.start_command(1), "wrong_start");

    // Players and chips.
    r.house.add_player("alice", 1000);
    r.house.add_player("bob", 1000);
    let credit = |name: &str, amount| Command::Credit {
        player: player(name),
        amount: Chips::new(amount).unwrap(),
        reference: None,
    };
    let withdraw = |name: &str, amount| Command::Withdraw {
        player: player(name),
        amount: Chips::new(amount).unwrap(),
        reference: None,
    };
    r.expect(&operator, Command::CreatePlayer { player: player("alice"), key: None }, "player_exists");
    r.expect(&by("alice"), Command::CreatePlayer { player: player("carol"), key: None }, "not_allowed");
    r.expect(&by("alice"), credit("alice", 1), "not_allowed");
    r.expect(&by("alice"), withdraw("alice", 1), "not_allowed");
    r.expect(&operator, credit("carol", 1), "unknown_player");
    r.expect(&operator, withdraw("carol", 1), "unknown_player");
    r.expect(&operator, credit("alice", 0), "amount_out_of_range");
    r.expect(&operator, credit("alice", MAX_CHIPS), "amount_out_of_range");
    r.expect(&operator, credit("alice", Ledger::COMFORT.units()), "amount_out_of_range");
    r.expect(&operator, withdraw("alice", 0), "amount_out_of_range");
    r.expect(&operator, withdraw("alice", 1001), "insufficient_balance");
    let token = |holder: &str| Command::IssueToken { holder: holder.parse().unwrap(), revoke: false };
    r.expect(&operator, token("player:carol"), "unknown_player");
    r.expect(&by("alice"), token("player:bob"), "not_allowed");
    r.expect(&by("carol"), token("player:carol"), "not_allowed");
    r.expect(&by("alice"), token("auditor:alice"), "not_allowed");
    r.expect(&anyone, token("player:alice"), "not_allowed");

    // Tables.
    let open = |name: &str, rules| Command::OpenTable { table: table(name), rules, replaces: None };
    r.expect(&anyone, open("t1", joy(&[])), "not_allowed");
    r.expect(&Actor::House, open("t1", joy(&[])), "not_allowed");
    r.expect(&by("carol"), open("t1", joy(&[])), "not_allowed");
    let mut contradictory = joy(&[]);
    contradictory.table.stake_min = chips(2000);
    r.expect(&operator, open("t1", contradictory), "rule_set_refused");
    r.house.give(&operator, open("t1", joy(&[]))).unwrap();
    r.expect(&operator, open("t1", joy(&[])), "table_exists");
    r.expect(&by("alice"), bet(0, 5), "no_shoe");
    r.expect(&by("alice"), Command::CommitShoe { table: table("t1") }, "not_allowed");
    r.house.run_due();
    for n in 0..TABLES_PER_PLAYER {
        r.house.give(&by("alice"), open(&format!("own-{n}"), joy(&[]))).unwrap();
    }
    r.house.run_due();
    r.expect(&by("alice"), open("own-5", joy(&[])), "too_many_tables");
    let close = |name: &str| Command::CloseTable { table: table(name) };
    r.expect(&by("bob"), close("own-0"), "not_allowed");
    r.expect(&by("alice"), close("t1"), "not_allowed");
    r.expect(&Actor::House, close("t1"), "not_allowed");
    r.expect(&Actor::House, close("own-0"), "deadline_ahead");
    r.house.give(&by("alice"), close("own-0")).unwrap();
    r.expect(&operator, open("own-0", joy(&[])), "table_exists");
    r.expect(&operator, close("own-0"), "unknown_table");
    r.expect(&by("alice"), bet_at("own-0"), "unknown_table");
    r.expect(&by("bob"), bet_at("own-1"), "not_allowed");

    // Bets.
    r.expect(&anyone, bet(0, 5), "not_allowed");
    r.expect(&operator, bet(0, 5), "not_allowed");
    r.expect(&by("carol"), bet(0, 5), "not_allowed");
    r.expect(&by("alice"), bet(1, 5), "wrong_round");
    r.expect(&by("alice"), bet(0, 0), "below_minimum");
    r.expect(&by("alice"), bet(0, 1001), "above_maximum");
    let bets = |bets: Vec<Bet>| Command::Bet { table: table("t1"), round_no: 0, bets, commitment: commitment() };
    let on = |spot: &str, stake, list: Option<Vec<u64>>| Bet {
        spot: spot.into(),
        stake: chips(stake),
        chips: list.map(|l| l.into_iter().map(chips).collect()),
    };
    r.expect(&by("alice"), bets(vec![]), "bet_count");
    r.expect(&by("alice"), bets(vec![on("2", 5, None)]), "unknown_spot");
    r.expect(&by("alice"), bets(vec![on("1", 7, Some(vec![7]))]), "unknown_chip");
    r.expect(&by("alice"), bets(vec![on("1", 7, Some(vec![5]))]), "chips_differ");
    r.house.withdraw("bob", 950).unwrap();
    r.expect(&by("bob"), bets(vec![on("1", 100, Some(vec![100]))]), "chip_above_balance");
    r.expect(&by("bob"), bet(0, 51), "insufficient_balance");
    r.house.open("even", &[("stake_step", "2")]);
    r.expect(&by("alice"), bet_at("even"), "off_step");
    for nothing in [lapse(Lapsed::Reveal), void(0)] {
        let by = if matches!(nothing, Command::VoidRound { .. }) { operator.clone() } else { Actor::House };
        r.expect(&by, nothing, "wrong_round");
    }
    r.expect(&Actor::House, Command::Recover { table: table("t1") }, "nothing_to_do");
    r.expect(&Actor::House, Command::CommitShoe { table: table("t1") }, "nothing_to_do");

    // Seeds.
    let seed = r.house.wish("t1", "alice", |v| v[..4] == [10, 10, 9, 7]);
    let reveal = |name: &str, round_no, seed: &ClientSeed, root: Option<&str>| Command::Reveal {
        table: table("t1"),
        round_no,
        player: player(name),
        seed: seed.clone(),
        saw: root.map(|root| SeenCheckpoint { size: 3, root: root.into() }),
        next: None,
    };
    r.expect(&anyone, reveal("alice", 0, &seed, None), "wrong_round");
    r.house.bet("t1", "alice", 7, &seed).unwrap();
    r.expect(&by("bob"), bet(1, 7), "round_in_progress");
    r.expect(&operator, close("t1"), "round_in_progress");
    r.expect(&by("alice"), act(0, 0), "awaiting_reveals");
    r.expect(&anyone, reveal("alice", 1, &seed, None), "wrong_round");
    r.expect(&anyone, reveal("bob", 0, &seed, None), "not_a_contributor");
    r.expect(&anyone, reveal("alice", 0, &ClientSeed::from_bytes([0; 32]), None), "seed_does_not_open");
    for root in ["", "AAAA", &"=".repeat(44), &"A".repeat(44), &format!("{}=", "é".repeat(43))] {
        r.expect(&anyone, reveal("alice", 0, &seed, Some(root)), "malformed");
    }
    r.expect(&Actor::House, lapse(Lapsed::Reveal), "deadline_ahead");
    r.expect(&Actor::House, lapse(Lapsed::Round), "nothing_to_do");
    r.expect(&operator, lapse(Lapsed::Reveal), "not_allowed");
    r.expect(&by("alice"), void(0), "not_allowed");

    // A restart, and the house is closed to all until it has dealt with the table.
    r.house.crash();
    for (who, command) in [
        (by("alice"), bet(1, 7)),
        (anyone.clone(), reveal("alice", 0, &seed, None)),
        (operator.clone(), void(0)),
        (operator.clone(), close("t1")),
        // A command about no table waits, too: no entry may come before the recovery.
        (operator.clone(), Command::CreatePlayer { player: player("erin"), key: None }),
        (Actor::House, Command::AdmitGuest {}),
    ] {
        r.expect(&who, command, "recovering");
    }
    r.expect(&operator, Command::Recover { table: table("t1") }, "not_allowed");
    r.house.run_due();

    // Actions.
    let good_root = format!("{}=", "A".repeat(43));
    r.house.give(&anyone, reveal("alice", 0, &seed, Some(&good_root))).unwrap();
    r.expect(&anyone, reveal("alice", 0, &seed, None), "reveals_over");
    r.expect(&by("bob"), act(0, 0), "not_your_decision");
    r.expect(&by("carol"), act(0, 0), "not_allowed");
    r.expect(&operator, act(0, 0), "not_allowed");
    r.expect(&by("alice"), act(0, 1), "decision_not_open");
    r.expect(&by("alice"), act(1, 0), "wrong_round");
    let choose = |action| Command::Act { table: table("t1"), round_no: 0, decision: 0, action };
    r.expect(&by("alice"), choose(Action::Split), "action_not_offered");
    r.expect(&by("alice"), choose(Action::Insurance { take: true }), "action_not_offered");
    r.expect(&by("alice"), choose(Action::Double { amount: Some(chips(8)) }), "extra_stake_refused");
    r.house.withdraw("alice", 990).unwrap();
    r.expect(&by("alice"), choose(Action::Double { amount: None }), "insufficient_balance");
    r.expect(&Actor::House, lapse(Lapsed::Round), "deadline_ahead");
    r.expect(&Actor::House, lapse(Lapsed::Reveal), "nothing_to_do");
    let settle_by = r.house.state.next_deadline();
    r.house.now = settle_by.unwrap();
    r.expect(&by("alice"), act(0, 0), "deadline_passed");

    // `spot_twice` needs a table of several boxes, `already_revealed` one of several players.
    let all = "above_maximum action_not_offered amount_out_of_range awaiting_reveals below_minimum bet_count \
               chip_above_balance chips_differ deadline_ahead deadline_passed decision_not_open extra_stake_refused \
               insufficient_balance malformed no_shoe not_a_contributor not_allowed not_your_decision nothing_to_do \
               off_step player_exists recovering reveals_over round_in_progress rule_set_refused seed_does_not_open \
               table_exists too_many_tables unknown_chip unknown_player unknown_spot unknown_table wrong_round \
               wrong_start";
    assert_eq!(r.reached, all.split(' ').collect());
    assert_eq!(Refusal::AlreadyRevealed(player("alice")).code(), "already_revealed");
    assert_eq!(Refusal::Bet(fairshoe_games::BetRefusal::SpotTwice { spot: "1".into() }).code(), "spot_twice");
}

fn bet_at(name: &str) -> Command {
    Command::Bet {
        table: table(name),
        round_no: 0,
        bets: vec![Bet { spot: "1".into(), stake: chips(5), chips: None }],
        commitment: commitment(),
    }
}

fn void(round_no: u64) -> Command {
    Command::VoidRound { table: table("t1"), round_no, reason: Reference::parse("x").unwrap() }
}

/// A payout cannot be refused, so a balance that could not take it must not bet: the house would stop in mid-round.
#[test]
fn a_balance_beyond_half_the_range_takes_no_chips_and_bets_none() {
    let mut house = House::with_table(&[("stake_max", "1000000000000"), ("chips", "[]")], Ledger::COMFORT.units());
    assert_eq!(refusal(house.credit("alice", 1)).code(), "amount_out_of_range");
    let stake = 1_000_000_000_000;
    house.deal("t1", "alice", stake, |v| v[0] == 1 && v[2] == 10 && v[1] == 5 && v[3] == 10);
    // Credited to the brim while the round is open, it still takes the whole payout.
    house.credit("alice", stake).unwrap();
    house.finish("t1", "alice");
    assert_eq!(house.balance("alice"), Ledger::COMFORT.units() + stake * 5 / 2);
    house.run_due();
    let seed = house.any_seed("t1");
    assert_eq!(refusal(house.bet("t1", "alice", 1, &seed)).code(), "amount_out_of_range");
    house.withdraw("alice", stake * 5 / 2).unwrap();
    house.bet("t1", "alice", 1, &seed).unwrap();
}

#[test]
fn an_idle_table_is_closed_and_frees_its_owners_place() {
    let mut house = House::with_table(&[], 100);
    for n in 0..TABLES_PER_PLAYER {
        house
            .give(
                &by("alice"),
                Command::OpenTable { table: table(&format!("own-{n}")), rules: joy(&[]), replaces: None },
            )
            .unwrap();
    }
    house.run_due();
    house.now += HOUR - 1;
    assert!(house.run_due().is_empty());
    house.now += 1;
    let entries = house.run_due();
    assert_eq!(entries.len(), TABLES_PER_PLAYER);
    assert!(entries.iter().all(|entry| names_of(entry) == ["shoe_revealed", "table_closed"]));
    assert!(house.state.table(&table("t1")).is_some(), "the operator's table stays");
    house.give(&by("alice"), Command::OpenTable { table: table("own-9"), rules: joy(&[]), replaces: None }).unwrap();
}
