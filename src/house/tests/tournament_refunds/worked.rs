//! The worked examples, stakes and tickets of a refund, and whole events cancelled by chance.

use super::*;

#[test]
fn t6_stakes_in_case_1() {
    let terms = |structure: &mut Structure| {
        (structure.entry.buy_in, structure.entry.fee, structure.staking) = (4_600, 400, true);
    };
    let mut house = registered(&calm("freezeout-9", terms), 3);
    sell(&mut house, "p0", &[("p1", 2_500), ("p2", 1_500)]);
    assert_eq!(house.ledger_of(&format!("stakes:{EVENT}")), 2_000);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    assert!((0..3).all(|n| house.balance(&format!("p{n}")) == 100_000));
    let shared = house.events().into_iter().any(|(_, event)| matches!(event, E::StakesDivided { .. }));
    assert!(shared);
}

fn sell(house: &mut House, seller: &str, parts: &[(&str, u64)]) {
    let basis_points = parts.iter().map(|(_, part)| part).sum();
    house.in_event(seller, C::OfferStake { event: table(EVENT), basis_points }).unwrap();
    for (buyer, basis_points) in parts {
        let command = C::BuyStake { event: table(EVENT), seller: player(seller), basis_points: *basis_points };
        house.in_event(buyer, command).unwrap();
    }
}

#[test]
fn t5_a001_r_a_cash_refund_is_divided_with_the_buyers() {
    let terms = |structure: &mut Structure| {
        (structure.entry.buy_in, structure.entry.fee, structure.staking) = (4_600, 400, true);
    };
    let mut house = registered(&calm("freezeout-9", terms), 9);
    sell(&mut house, "p0", &[("p1", 2_500), ("p2", 1_500)]);
    house.wait(HOUR);
    play_until(&mut house, &mut Rng(21), |house| {
        let event = house.event(EVENT);
        event.remaining < 9 && event.entries.get(&EntryNo(0)).unwrap().chips > 3_000
    });
    let before: Vec<u64> = (0..3).map(|n| house.balance(&format!("p{n}"))).collect();
    let expected = house.cancelled_as_modelled(house.now);
    let of = |no: u64| expected.payments.iter().find(|p| p.entry_no == EntryNo(no)).map_or(0, |p| p.paid);
    let (first, second) = (of(0) * 2_500 / 10_000, of(0) * 1_500 / 10_000);
    assert!(of(0) > 5_000);
    assert_eq!(house.balance("p1"), before[1] + of(1) + first);
    assert_eq!(house.balance("p2"), before[2] + of(2) + second);
    assert_eq!(house.balance("p0"), before[0] + of(0) - first - second + 2_000);
}

/// Somebody who has won a ticket for `sunday`, at 4,600 + 400, and two more who can pay.
fn with_ticket(change: impl FnOnce(&mut Structure)) -> (House, String) {
    let main = calm("freezeout-9", |structure| {
        (structure.entry.buy_in, structure.entry.fee, structure.staking) = (4_600, 400, true);
        change(structure);
    });
    let mut house = House::new();
    house.announce(EVENT, &main).unwrap();
    for n in 0..4 {
        house.add_player(&format!("p{n}"), 100_000);
    }
    play_step(&mut house);
    let winner = (0..2).map(|n| format!("p{n}")).find(|who| {
        let commitment = house.seat_commitment(EVENT, who);
        let command = C::Register { event: table(EVENT), commitment, pay: Pay::Ticket };
        house.in_event(who, command).is_ok()
    });
    (house, winner.unwrap())
}

/// A satellite for `sunday`, at 4,600 + 400, that `p0` or `p1` wins.
fn play_step(house: &mut House) {
    let satellite = structure("satellite", |satellite| {
        (satellite.guarantee, satellite.late_levels, satellite.entry.stack) = (0, 0, 500);
        (satellite.entry.buy_in, satellite.entry.players_min) = (2_500, 2);
        if let Payouts::Satellite(terms) = &mut satellite.payouts {
            (terms.target, terms.buy_in, terms.fee) = (EVENT.into(), 4_600, 400);
            terms.non_unregisterable = false;
        }
    });
    let rules = fairshoe_games::RuleSet::shipped(&satellite.rules.name).unwrap();
    let create = C::Create {
        event: table("step"),
        structure: Box::new(satellite),
        rules: Box::new(rules),
        starts_at: house.now + MINUTE,
        registration_from: house.now,
    };
    house.give(&Actor::Operator, Command::Tournament(create)).unwrap();
    for n in 0..2 {
        house.register("step", &format!("p{n}")).unwrap();
    }
    house.wait(MINUTE);
    house.play_event("step", &mut Rng(1), 0, 0, 40_000);
    assert_eq!(house.event("step").stage, Stage::Ended);
    assert!(house.now < house.event(EVENT).starts_at, "the satellite took too long");
}

/// 9.7: nobody can use it any more, whether the target was played or not.
#[test]
fn a_ticket_that_was_not_used_comes_back_as_t_dollars() {
    for is_played in [false, true] {
        let main = calm("freezeout-9", |structure| {
            (structure.entry.buy_in, structure.entry.fee, structure.entry.players_min) = (4_600, 400, 2);
            structure.entry.stack = 300;
        });
        let (mut house, holder) = with_ticket_unused(&main);
        assert_eq!((house.ledger_of("tickets"), house.ledger_of(&format!("tdollars:{holder}"))), (5_000, 0));
        if is_played {
            for who in ["p2", "p3"] {
                house.register(EVENT, who).unwrap();
            }
            house.wait(HOUR);
            house.play_event(EVENT, &mut Rng(3), 0, 0, 40_000);
        } else {
            house.cancel_as_of(house.now).unwrap();
        }
        house.settled();
        assert_eq!((house.ledger_of("tickets"), house.ledger_of(&format!("tdollars:{holder}"))), (0, 5_000));
        assert!(!house.state.has_ticket(&table(EVENT), &player(&holder)));
        let returned =
            |event: &E| matches!(event, E::TicketReturned { player: whose, value: 5_000 } if *whose == player(&holder));
        assert_eq!(house.events().iter().filter(|(_, event)| returned(event)).count(), 1);
    }
}

/// spec/recovery.md, "Under a new name": what stands in an event comes along as a cancellation would pay it.
#[test]
fn an_event_that_is_played_is_carried_over_as_if_a_crash_had_cancelled_it() {
    for seed in 0..12 {
        let mut house = started(&calm("freezeout-9", |structure| structure.staking = false), 9);
        let mut rng = Rng(100 + seed);
        house.play_event(EVENT, &mut rng, 0, 0, 1 + 40 * seed as usize);
        if house.event(EVENT).stage == Stage::Ended {
            continue;
        }
        let carried = house.state.carried_over().unwrap();
        assert!(carried.tables.iter().all(|(name, _)| !name.as_str().starts_with(EVENT)));
        let instant = house.state.last_time();
        house.cancel_as_of(instant).unwrap();
        house.settled();
        let paid: Vec<(String, u64)> =
            carried.players.iter().map(|one| (one.player.to_string(), one.chips.units())).collect();
        let balances: Vec<(String, u64)> =
            (0..9).map(|n| format!("p{n}")).map(|who| (who.clone(), house.balance(&who))).collect();
        assert_eq!(paid, balances, "{seed}");
    }
}

/// The same of an event that is registered for, of T$ and of tickets, and of one that is paid by and by.
#[test]
fn t_dollars_tickets_and_prizes_that_are_due_are_carried_over_as_chips() {
    let terms = |structure: &mut Structure| (structure.entry.buy_in, structure.entry.fee) = (4_600, 400);
    let (house, holder) = with_ticket_unused(&calm("freezeout-9", terms));
    let before = |who: &str| house.balance(who);
    let carried = house.state.carried_over().unwrap();
    let amount = |who: &str| carried.players.iter().find(|one| one.player == player(who)).unwrap().chips.units();
    for who in ["p0", "p1", "p2", "p3"] {
        let more = if who == holder { 5_000 } else { 0 };
        assert_eq!(amount(who), before(who) + more, "{who}");
    }
    // At every entry of an event that is played to its end nobody's money is lost, and none is made.
    let mut house = started(&calm("freezeout-9", |structure| structure.entry.stack = 400), 6);
    house.play_event(EVENT, &mut Rng(9), 0, 0, 40_000);
    assert_eq!(house.event(EVENT).stage, Stage::Ended);
    let mut state = State::new();
    for entry in entries(&house.log) {
        state.apply(&entry).unwrap();
        let carried = state.carried_over().unwrap();
        let sum: u64 = carried.players.iter().map(|one| one.chips.units()).sum();
        let owed = -state.ledger().balance(&Account::Cage).unwrap() - state.ledger().balance(&Account::House).unwrap();
        let kept = u64::try_from(owed).unwrap().checked_sub(sum).expect("nobody has more than was paid in");
        assert!(kept <= house.event(EVENT).entries.len() as u64 * 10_000, "{kept}");
    }
    let carried = state.carried_over().unwrap();
    assert!(carried.players.iter().all(|one| one.chips.units() == house.balance(one.player.as_str())));
}

/// The same as `with_ticket`, but the ticket is not used.
fn with_ticket_unused(main: &Structure) -> (House, String) {
    let mut house = House::new();
    house.announce(EVENT, main).unwrap();
    for n in 0..4 {
        house.add_player(&format!("p{n}"), 100_000);
    }
    play_step(&mut house);
    let holder = ["p0", "p1"].into_iter().find(|who| house.state.has_ticket(&table(EVENT), &player(who))).unwrap();
    (house, holder.to_owned())
}

/// A seller of all of their entry, who has T$ and is out of `sunday`, where late registration is open.
fn out_with_t_dollars(seed: u64) -> Option<(House, String)> {
    let main = calm("freezeout-9", |structure| {
        (structure.entry.buy_in, structure.entry.fee, structure.staking) = (4_600, 400, true);
        (structure.entry.entries_per_player, structure.late_levels) = (2, 6);
    });
    let mut house = House::new();
    house.announce(EVENT, &main).unwrap();
    for n in 0..7 {
        house.add_player(&format!("p{n}"), 100_000);
        house.register(EVENT, &format!("p{n}")).unwrap();
    }
    for seller in ["p0", "p1"] {
        sell(&mut house, seller, &[("p2", 10_000)]);
    }
    // Who is registered wins T$ of the buy-in.
    play_step(&mut house);
    let seller = ["p0", "p1"].into_iter().find(|who| house.ledger_of(&format!("tdollars:{who}")) == 4_600)?;
    house.wait(HOUR);
    let is_out = |house: &House| house.event(EVENT).in_play(&player(seller)).is_none();
    let is_open = reaches(&mut house, &mut Rng(seed), is_out) && house.event(EVENT).registration_ended.is_none();
    is_open.then(|| (house, seller.to_owned()))
}

#[test]
fn refunds_5_t_dollars_that_paid_a_re_entry_after_the_instant_are_the_sellers_own() {
    let (mut house, seller) = (0..20).find_map(out_with_t_dollars).unwrap();
    let seller = seller.as_str();
    let dollars = |house: &House, who: &str| house.ledger_of(&format!("tdollars:{who}"));
    let (instant, before) = (house.now, house.balance(seller));
    house.now += 1;
    let commitment = house.seat_commitment(EVENT, seller);
    house.in_event(seller, C::Register { event: table(EVENT), commitment, pay: Pay::TDollars }).unwrap();
    assert_eq!((dollars(&house, seller), house.balance(seller)), (0, before - 400));
    house.cancel_as_of(instant).unwrap();
    house.settled();
    // The entry that was sold is out and gets nothing: the escrow alone is the seller's.
    assert_eq!((dollars(&house, seller), house.balance(seller)), (4_600, before + 5_000));
}

#[test]
fn t5b_r001_32_a_ticket_comes_back_as_t_dollars_and_the_escrow_to_the_buyers() {
    let (mut house, seller) = with_ticket(|_| {});
    sell(&mut house, &seller, &[("p2", 2_500), ("p3", 1_500)]);
    let before = house.balance(&seller);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    assert_eq!((house.balance("p2"), house.balance("p3")), (100_000, 100_000));
    assert_eq!((house.balance(&seller), house.ledger_of(&format!("tdollars:{seller}"))), (before, 5_000));
}

#[test]
fn a001_i_after_the_start_the_fee_alone_comes_back_in_the_form_paid() {
    let (mut house, seller) = with_ticket(|_| {});
    sell(&mut house, &seller, &[("p2", 2_500), ("p3", 1_500)]);
    house.register(EVENT, "p2").unwrap();
    house.wait(house.event(EVENT).starts_at - house.now);
    let before = house.balance(&seller);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    // 4,600 of the pool in cash and 400 as T$: the total is 5,000, of which the buyers have 1,250 and 750.
    assert_eq!(house.ledger_of(&format!("tdollars:{seller}")), 400);
    assert_eq!((house.balance("p2"), house.balance("p3")), (100_000, 100_000));
    assert_eq!(house.balance(&seller), before + 4_600 - 2_000 + 2_000);
}

#[test]
fn a001_n_a_satellite_is_case_2_until_the_places_with_a_prize_are_reached() {
    let target = calm("freezeout-9", |structure| (structure.entry.buy_in, structure.entry.fee) = (4_600, 400));
    for remaining in [7, 3] {
        let mut house = House::new();
        let rules = fairshoe_games::RuleSet::shipped(&target.rules.name).unwrap();
        let create = C::Create {
            event: table("target"),
            structure: Box::new(target.clone()),
            rules: Box::new(rules),
            starts_at: house.now + DAY,
            registration_from: house.now,
        };
        house.give(&Actor::Operator, Command::Tournament(create)).unwrap();
        // Nine times 1,300: two seats, and 1,700 for the third place.
        let satellite = structure("satellite", |satellite| {
            (satellite.guarantee, satellite.late_levels, satellite.entry.stack) = (0, 0, 3_000);
            (satellite.entry.buy_in, satellite.entry.fee) = (1_300, 100);
            if let Payouts::Satellite(terms) = &mut satellite.payouts {
                (terms.target, terms.buy_in, terms.fee) = ("target".into(), 4_600, 400);
            }
        });
        house.announce(EVENT, &satellite).unwrap();
        for n in 0..9 {
            house.add_player(&format!("p{n}"), 100_000);
            house.register(EVENT, &format!("p{n}")).unwrap();
        }
        house.wait(HOUR);
        play_until(&mut house, &mut Rng(12), |house| house.event(EVENT).remaining <= remaining);
        house.cancelled_as_modelled(house.now);
        let (_, _, case, n, pool, ..) = house.cancelled();
        match n {
            3 => assert_eq!((case, pool), (Case::Paid, 2 * 5_000 + 1_700)),
            _ => assert_eq!((case, pool), (Case::Unpaid, 9 * 1_300)),
        }
    }
}

#[test]
fn a001_j_by_chips_alone_where_the_structure_says_so() {
    let mut house = started(&calm("freezeout-6", |s| s.refund_method = RefundMethod::ChipCount), 6);
    play(&mut house, &mut Rng(9), 80);
    let expected = house.cancelled_as_modelled(house.now);
    assert!(expected.payments.iter().any(|paid| paid.pool != 920));
}

#[test]
fn r001_106_where_some_have_a_bounty_theirs_alone_comes_back() {
    let terms = |structure: &mut Structure| structure.bounty_on = BountyOn::Some;
    let mut house = House::new();
    house.announce(EVENT, &calm("bounty-progressive", terms)).unwrap();
    for n in 0..4 {
        house.add_player(&format!("p{n}"), 100_000);
        let command = C::SetBounty { event: table(EVENT), player: player(&format!("p{n}")), has: n == 2 };
        house.give(&Actor::Operator, Command::Tournament(command)).unwrap();
        house.register(EVENT, &format!("p{n}")).unwrap();
    }
    house.wait(HOUR);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    let bounties: Vec<u64> = house.refunded().iter().map(|paid| paid.bounty).collect();
    assert_eq!(bounties.iter().filter(|bounty| **bounty > 0).count(), 1);
    assert!((0..4).all(|n| house.balance(&format!("p{n}")) == 100_000));
}

#[test]
fn t2_t3_the_worked_examples_as_of_now() {
    let set = |house: &House, chips: &[u64]| {
        let mut event = house.event(EVENT).clone();
        for no in 0..event.next_entry {
            let entry = event.entries.get_mut(&EntryNo(no)).unwrap();
            entry.chips = chips.get(no as usize).copied().unwrap_or_default();
            if entry.chips == 0 {
                entry.at = Whereabouts::Out;
            }
        }
        event
    };
    let pool = |out: &RefundOut| out.payments.iter().map(|paid| paid.pool).collect::<Vec<_>>();
    let terms = |structure: &mut Structure| {
        (structure.entry.buy_in, structure.entry.fee, structure.guarantee) = (4_600, 400, 100_000);
    };
    let house = started(&calm("freezeout-9", terms), 12);
    let chips = [31_415, 26_535, 20_000, 17_050, 12_500, 8_000, 4_500];
    let out = set(&house, &chips).would_refund(house.now, CancelCause::Crash).unwrap();
    assert_eq!((out.case, out.residual, out.total), (Case::Unpaid, 5, 57_995));
    assert_eq!(pool(&out), [11_168, 10_045, 8_542, 7_864, 6_817, 5_782, 4_977]);

    let house =
        started(&calm("freezeout-6", |structure| (structure.guarantee, structure.late_levels) = (40_000, 0)), 30);
    let out = set(&house, &[41_000, 29_500, 12_250, 7_250]).would_refund(house.now, CancelCause::Crash).unwrap();
    assert_eq!((out.case, out.residual), (Case::Paid, 2));
    assert_eq!(pool(&out), [13_146, 10_693, 7_013, 5_946]);
}

#[test]
fn t4b_a_full_field_keeps_the_guarantee() {
    let terms = |structure: &mut Structure| {
        (structure.entry.buy_in, structure.entry.players_max, structure.guarantee) = (900, 100, 100_000);
    };
    let house = started(&calm("freezeout-6", terms), 100);
    assert_eq!(house.event(EVENT).pool, Some(100_000));
    assert_eq!(house.house_balance(), -10_000);
}

/// Random events, cancelled at a random moment as of a random instant, by the operator or a crash.
#[test]
fn whatever_is_cancelled_whenever_pays_to_the_cent_and_once() {
    let mut cases: BTreeMap<u8, usize> = BTreeMap::new();
    for seed in 0..20 * effort() {
        let mut rng = Rng(seed * 7_919 + 1);
        let name = rng.pick(&["freezeout-6", "sit-and-go", "bounty-progressive", "rebuy", "heads-up"]);
        let (late, guarantee) = (rng.pick(&[0, 1, 3]), rng.pick(&[0, 15_000]));
        let terms = calm(name, |structure| {
            (structure.guarantee, structure.refund_method) =
                (guarantee, rng.pick(&[RefundMethod::Document, RefundMethod::ChipCount]));
            structure.entry.stack = 1_500;
            if structure.late_levels > 0 || name == "freezeout-6" {
                structure.late_levels = late;
            }
        });
        let most = terms.entry.players_max.min(16) as usize;
        let mut house = registered(&terms, if name == "heads-up" { 2 } else { most.min(5 + rng.below(12)) });
        let funds =
            |house: &House| -> i128 { (0..house.players()).map(|n| i128::from(house.balance(&format!("p{n}")))).sum() };
        house.wait(HOUR);
        play(&mut house, &mut rng, 1_500);
        // Back to some entry since the start, late ones as often as early ones.
        let is_start =
            |bytes: &Vec<u8>| matches!(Entry::decode(bytes).unwrap().command, Command::Tournament(C::Start { .. }));
        let (first, all) = (house.log.iter().position(is_start).unwrap() + 1, house.log.len());
        let back = if rng.one_in(2) { all - first } else { (all - first).min(60) };
        house.log.truncate(all - rng.below(back));
        house.state = fold(&house.log);
        house.now = house.state.last_time();
        if house.event(EVENT).stage != Stage::Running {
            continue;
        }
        let (first, last) = {
            let event = house.event(EVENT);
            (event.clock.started.max(house.now.saturating_sub(30 * MINUTE)), house.now)
        };
        let (before, own) = (funds(&house), house.house_balance());
        let in_event = ["pool", "fees", "bounties", "stakes"].map(|kind| house.ledger_of(&format!("{kind}:{EVENT}")));
        let (lay, cut) =
            (in_event.iter().map(|cents| i128::from(*cents)).sum::<i128>(), house.ledger_of("rounding_residual"));
        let crash = rng.one_in(3);
        let instant =
            if crash { house.state.last_time() } else { first + rng.below((last - first + 1) as usize) as u64 };
        let held = house.event(EVENT).entries.iter().any(|(_, entry)| entry.falls.is_some());
        let cause = if crash { CancelCause::Crash } else { CancelCause::Operator };
        let expected = model_of(&house, instant, cause);
        if crash {
            house.now += 31 * MINUTE + rng.below(DAY as usize) as u64;
            house.crash();
            house.run_due();
        } else if let Err(error) = house.cancel_as_of(instant) {
            assert!(matches!(error, DecideError::Refused(Refusal::NothingToDo(_))), "{error}");
            continue;
        }
        if rng.one_in(2) && house.event(EVENT).stage == Stage::Cancelled {
            let (by, command) = house.state.due(house.now).unwrap();
            house.give(&by, command).unwrap();
            house.crash();
        }
        house.settled();
        if house.events().iter().any(|(_, event)| matches!(event, E::Cancelled { .. })) {
            *cases.entry(house.cancelled().2.into()).or_default() += 1;
            if !held {
                holds_against(&house, &expected);
            }
        }
        if house.refunded().is_empty() {
            continue;
        }
        // What the players have more is what is stated, and the rest of what lay there is the house's and the residual.
        let stated = house.refunded().iter().fold(0, |sum, paid| {
            sum + i128::from(paid.fee + paid.bounty + paid.pool + paid.due + paid.bought) - i128::from(paid.taken)
        });
        assert_eq!(funds(&house) - before, stated);
        let rest = i128::from(house.house_balance() - own + house.ledger_of("rounding_residual") - cut);
        assert_eq!(stated + rest, lay);
    }
    assert!(cases.len() >= 2, "{cases:?}");
}

/// A crash after so many entries of a log, which cancels the event.
fn crashed_after(log: &[Vec<u8>], entries: usize) -> House {
    let mut house = House::new();
    house.log = log[..entries].to_vec();
    house.state = fold(&house.log);
    house.now = house.state.last_time() + DAY;
    house.starts = 100;
    house.crash();
    house
}

#[test]
fn a_crash_between_a_hand_and_its_eliminations_pays_as_one_after_them() {
    let is_settle =
        |bytes: &Vec<u8>| matches!(Entry::decode(bytes).unwrap().command, Command::Tournament(C::SettleHand { .. }));
    let (mut compared, mut with_bounty) = (0, 0);
    for (name, seed) in [("bounty-progressive", 3), ("rebuy", 4), ("freezeout-6", 5), ("sit-and-go", 6)] {
        let terms = calm(name, |structure| {
            structure.entry.stack = 1_000;
            if name == "freezeout-6" {
                structure.late_levels = 0;
            }
        });
        let mut house = started(&terms, 6);
        play(&mut house, &mut Rng(seed), 4_000);
        let settles = (0..house.log.len()).filter(|at| is_settle(&house.log[*at]));
        for at in settles {
            let (mut before, mut after) = (crashed_after(&house.log, at), crashed_after(&house.log, at + 1));
            before.settled();
            after.settled();
            let is_off = |house: &House| house.event(EVENT).refund_case.is_some();
            assert!(is_off(&before));
            if !is_off(&after) {
                continue;
            }
            assert_eq!(before.refunded(), after.refunded(), "{name}, entry {at}");
            holds_against(&after, &model_of(&after, after.cancelled().1, CancelCause::Crash));
            compared += 1;
            with_bounty += usize::from(before.refunded().iter().any(|paid| paid.bounty > 0));
        }
    }
    assert!(compared > 8 && with_bounty > 1, "{compared} {with_bounty}");
}

#[test]
fn a_crash_at_any_entry_pays_what_the_log_shows() {
    for (name, seed, n) in [("freezeout-6", 31, 10), ("bounty-progressive", 32, 9), ("rebuy", 33, 5)] {
        let mut rng = Rng(seed);
        let terms = calm(name, |structure| {
            (structure.guarantee, structure.late_levels) = (9_000, if name == "freezeout-6" { 0 } else { 1 });
            structure.entry.stack = 1_000;
        });
        let mut house = started(&terms, n);
        play(&mut house, &mut rng, 4_000);
        let first = house.log.iter().position(|bytes| {
            let entry = Entry::decode(bytes).unwrap();
            matches!(entry.command, Command::Tournament(C::Start { .. }))
        });
        let (first, all) = (first.unwrap() + 1, house.log.len());
        for _ in 0..8 * effort() {
            let mut crashed = crashed_after(&house.log, first + rng.below(all - first));
            let was = fold(&crashed.log[..crashed.log.len() - 1]);
            let event = was.tournament(&table(EVENT)).unwrap();
            let falls = event.entries.iter().any(|(_, entry)| entry.falls.is_some());
            let expected =
                (event.stage == Stage::Running).then(|| model_of(&crashed, was.last_time(), CancelCause::Crash));
            crashed.settled();
            if crashed.event(EVENT).refund_case.is_some() && !falls {
                holds_against(&crashed, &expected.unwrap());
            }
        }
    }
}

#[test]
fn r001_107_who_was_disqualified_after_the_instant_gets_nothing() {
    let mut house = started(&calm("bounty-progressive", with_break), 4);
    let instant = house.state.last_time();
    let reason = Reference::parse("two hands at once").unwrap();
    let command = C::Disqualify { event: table(EVENT), player: player("p1"), reason };
    play_to_the_break(&mut house, &mut Rng(1));
    house.give(&Actor::Operator, Command::Tournament(command)).unwrap();
    let barred = house.entry_of(EVENT, "p1");
    house.cancel_as_of(instant).unwrap();
    house.settled();
    let paid = house.refunded();
    assert!(paid.iter().all(|paid| paid.entry_no != barred));
    // Their head is the others', and their buy-in in the pool.
    let terms = house.event(EVENT).structure().entry.clone();
    let bounties: u64 = paid.iter().map(|paid| paid.bounty).sum();
    let pool: u64 = paid.iter().map(|paid| paid.pool).sum();
    assert_eq!((bounties, pool + house.cancelled().6), (4 * terms.bounty, 4 * terms.buy_in));
}

#[test]
fn a_sellers_bounties_paid_after_the_instant_come_out_of_the_escrow() {
    let terms = |structure: &mut Structure| {
        structure.staking = true;
        (structure.late_levels, structure.entry.stack) = (0, 1_000);
        pay(structure, &[40, 30, 20, 10]);
    };
    let structure = calm("bounty-progressive", terms);
    let whole = structure.entry.buy_in + structure.entry.fee + structure.entry.bounty;
    let mut found = false;
    for seed in 1..30 {
        let mut house = registered(&structure, 5);
        for n in 0..5 {
            sell(&mut house, &format!("p{n}"), &[(&format!("p{}", (n + 1) % 5), 5_000)]);
        }
        house.wait(HOUR);
        let paid = |house: &House| house.event(EVENT).entries.iter().any(|(_, entry)| entry.received > 0);
        if !reaches(&mut house, &mut Rng(seed), paid) {
            continue;
        }
        let at = house.events().into_iter().find_map(|(at, event)| match event {
            E::BountyPaid { .. } | E::PrizePaid { .. } => Some(at),
            _ => None,
        });
        let instant = at.unwrap() - 1;
        let expected = house.cancelled_as_modelled(instant);
        assert!(house.refunded().iter().any(|paid| paid.taken > 0));
        // Half of each refund goes to the next, who paid half of the entry for it.
        for n in 0..5usize {
            let of =
                |no: usize| expected.payments.iter().find(|p| p.entry_no == EntryNo(no as u64)).map_or(0, |p| p.paid);
            let bought = of((n + 4) % 5) / 2;
            let kept = of(n) - of(n) / 2;
            assert_eq!(house.balance(&format!("p{n}")), 100_000 - whole + kept + bought, "{n}");
        }
        found = true;
        break;
    }
    assert!(found);
}

#[test]
fn a_crash_while_a_deal_is_talked_of_stops_the_clock_once() {
    let terms = |structure: &mut Structure| {
        with_break(structure);
        structure.late_levels = 0;
        structure.deal = Some(DealTerms { most_players: 3 });
    };
    let mut house = started(&calm("freezeout-6", terms), 3);
    let mut rng = Rng(5);
    play_to_the_break(&mut house, &mut rng);
    for n in 0..3 {
        let command = C::WantDeal { event: table(EVENT), want: true };
        house.in_event(&format!("p{n}"), command).unwrap();
    }
    let (from, _) = house.event(EVENT).clock.stands.unwrap();
    house.now += 5_000;
    house.add_player("heidi", 5);
    let last = house.state.last_time();
    house.now += 10 * MINUTE;
    house.crash();
    let event = house.event(EVENT);
    assert_eq!(
        (event.clock.stops.as_slice(), event.clock.stands.map(|(since, _)| since)),
        (&[(from, last)][..], Some(last))
    );
    house.run_due();
    assert_eq!(house.event(EVENT).clock.stops, [(from, last), (last, house.now)]);
    assert!(house.event(EVENT).position(house.now).is_some());
    play(&mut house, &mut rng, 40_000);
    house.settled();
}
