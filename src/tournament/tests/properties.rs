//! Properties that hold for all events.

use crate::common::{player, shipped, sums_to_zero};
use fairshoe_fairness::{EventEntropy, PlayerId};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::bounty::Bounties;
use fairshoe_tournament::clock::{position, running_time};
use fairshoe_tournament::deal::{DealPlayer, by_chips, by_icm};
use fairshoe_tournament::draw::{first_seats, later_seats};
use fairshoe_tournament::posting::{Account, bought, divided, refunded};
use fairshoe_tournament::prize::prizes;
use fairshoe_tournament::rank::{Elimination, ranks};
use fairshoe_tournament::refund::{Case, RefundIn, RefundPlayer, refund};
use fairshoe_tournament::seating::{Due, Field};
use fairshoe_tournament::staking::{Stake, divide};
use fairshoe_tournament::structure::{OntoHead, RefundMethod};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Breaks and moves until no step is due; then tables differ by at most one player.
fn settle(field: &mut Field, entropy: &EventEntropy) -> Result<(), TestCaseError> {
    let everybody = all(field);
    let mut steps = 0;
    while let Some(due) = field.due() {
        steps += 1;
        prop_assert!(steps < 1_000, "no end");
        match due {
            Due::Break(table) => {
                // An empty table is closed without a draw.
                let out = field.break_table(table);
                if !out.is_empty() {
                    later_seats(entropy, &out, field).unwrap();
                }
            }
            Due::Move(step) => prop_assert!(field.make(&step)),
        }
    }
    let sizes: Vec<usize> = field.tables.values().map(|table| table.players.len()).collect();
    prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
    prop_assert_eq!(sizes.len(), field.players().div_ceil(usize::from(field.seats)).max(1));
    prop_assert_eq!(all(field), everybody);
    Ok(())
}

/// All seated players, each at one seat that exists.
fn all(field: &Field) -> BTreeSet<EntryNo> {
    let seated: Vec<EntryNo> = field.tables.values().flat_map(|table| table.players.values().copied()).collect();
    let once: BTreeSet<EntryNo> = seated.iter().copied().collect();
    assert_eq!(once.len(), seated.len(), "somebody sits twice");
    assert!(field.tables.values().all(|table| table.players.keys().all(|seat| (1..=field.seats).contains(seat))));
    once
}

fn amounts(most: u64, len: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(1..=most, len)
}

fn descending(mut list: Vec<u64>) -> Vec<u64> {
    list.sort_unstable_by(|a, b| b.cmp(a));
    list
}

fn names(count: usize) -> Vec<PlayerId> {
    (0..count).map(|no| player(&format!("p{no}"))).collect()
}

/// 400 events; FAIRSHOE_SLOW=1: 100,000.
fn cases() -> u32 {
    if std::env::var("FAIRSHOE_SLOW").is_ok_and(|value| value == "1") { 100_000 } else { 400 }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn after_every_sequence_of_entries_and_eliminations_tables_are_even(
        seats in 2u8..=10,
        first in 1u64..60,
        steps in proptest::collection::vec((0usize..1_000, 0u8..10, 1u64..4), 1..40),
        bytes in proptest::array::uniform32(any::<u8>()),
    ) {
        let mut entropy = EventEntropy::from_bytes(bytes);
        let entrants: Vec<EntryNo> = (0..first).map(EntryNo).collect();
        let mut field = first_seats(&entropy, &entrants, seats, 0).unwrap();
        settle(&mut field, &entropy)?;
        let mut next = first;
        for (pick, kind, count) in steps {
            entropy = entropy.after_hand(&fairshoe_fairness::RoundEntropy::from_bytes([kind; 32]));
            if kind < 3 {
                let late: Vec<EntryNo> = (next..next + count).map(EntryNo).collect();
                next += count;
                later_seats(&entropy, &late, &mut field).unwrap();
            } else {
                let left: Vec<EntryNo> = all(&field).into_iter().collect();
                for out in left.iter().cycle().skip(pick).take(usize::try_from(count).unwrap()) {
                    if field.players() > 1 {
                        field.leave(*out);
                    }
                }
            }
            // A hand moved the big blind.
            for table in field.tables.values_mut() {
                let after = table.players.keys().find(|seat| **seat > table.last_big).or(table.players.keys().next());
                table.last_big = after.copied().unwrap_or(table.last_big);
            }
            settle(&mut field, &entropy)?;
        }
    }

    #[test]
    fn refunds_pay_what_there_is(
        players in proptest::collection::vec((1u64..10_000_000, 0u64..2_000, 0u64..20_000), 1..60),
        prizes in amounts(5_000_000, 60),
        pool in 0u64..100_000_000,
        case in 1u8..=4,
        by_chips in any::<bool>(),
    ) {
        let case = Case::try_from(case).unwrap();
        let players: Vec<RefundPlayer> = players
            .into_iter()
            .zip(0..)
            .map(|((chips, fee, bounty), no)| RefundPlayer { entry_no: EntryNo(no), chips, fee, bounty })
            .collect();
        let prizes = if u8::from(case) > 2 { descending(prizes[..players.len()].to_vec()) } else { Vec::new() };
        let pool = match case {
            Case::NotStarted => 0,
            Case::Unpaid => pool,
            Case::Paid | Case::CutShort => prizes.iter().sum(),
        };
        let method = if by_chips { RefundMethod::ChipCount } else { RefundMethod::Document };
        let given = RefundIn { case, method, pool, prizes, players };
        let out = refund(&given).unwrap();
        let apart: u64 = given.players.iter().map(|player| player.fee + player.bounty).sum();
        prop_assert_eq!(out.total + out.residual, pool + apart);
        prop_assert!(out.residual < u64::try_from(given.players.len()).unwrap());
        prop_assert!(sums_to_zero(&refunded(&out, &names(given.players.len())).unwrap()));
        // More chips never mean less money; in the money each player gets at least the next prize by the document.
        let with_chips: Vec<_> = given.players.iter().map(|player| player.chips).zip(&out.payments).collect();
        for pair in with_chips.windows(2) {
            prop_assert!(pair[0].0 < pair[1].0 || pair[0].1.pool >= pair[1].1.pool);
        }
        if !by_chips && u8::from(case) > 2 {
            let least = given.prizes.last().copied().unwrap();
            prop_assert!(out.payments.iter().all(|payment| payment.pool >= least));
        }
    }

    #[test]
    fn deals_come_to_the_undistributed_pool(chips in amounts(2_000_000, 2..=8), prizes in amounts(9_000_000, 8)) {
        let prizes = descending(prizes[..chips.len()].to_vec());
        let players: Vec<DealPlayer> =
            chips.iter().zip(0..).map(|(&chips, no)| DealPlayer { entry_no: EntryNo(no), chips }).collect();
        for shares in [by_chips(&players, &prizes).unwrap(), by_icm(&players, &prizes).unwrap()] {
            prop_assert_eq!(shares.iter().map(|share| share.paid).sum::<u64>(), prizes.iter().sum::<u64>());
            for (share, player) in shares.iter().zip(&players) {
                let floor = share.exact.floor().unwrap();
                prop_assert!(share.paid == floor || share.paid == floor + 1);
                prop_assert!(floor >= prizes[prizes.len() - 1]);
                for (other, of) in shares.iter().zip(&players) {
                    prop_assert!(player.chips < of.chips || share.exact.floor().unwrap() >= other.exact.floor().unwrap());
                }
            }
        }
        // No player's chances are worth more than the first prize.
        let icm = by_icm(&players, &prizes).unwrap();
        prop_assert!(icm.iter().all(|share| share.exact.floor().unwrap() <= prizes[0]));
    }

    #[test]
    fn no_bounty_is_lost_or_made(
        heads in amounts(9_999, 2..12),
        picks in proptest::collection::vec((0usize..100, 1usize..4, any::<bool>()), 12),
        money in 0usize..12,
        kind in 0u8..3,
    ) {
        let onto_head = [OntoHead::None, OntoHead::Half, OntoHead::All][usize::from(kind)];
        let mut bounties = Bounties::new(onto_head);
        heads.iter().zip(0..).for_each(|(&head, no)| bounties.enter(EntryNo(no), head));
        let collected: u64 = heads.iter().sum();
        for (pick, winners, disqualified) in picks {
            let left: Vec<EntryNo> = bounties.of.keys().copied().collect();
            if left.len() < 2 {
                break;
            }
            let out = left[pick % left.len()];
            let others: Vec<EntryNo> = left.iter().copied().filter(|no| *no != out).take(winners).collect();
            if disqualified {
                bounties.disqualify(out).unwrap();
            } else {
                bounties.eliminate(out, &others, left.len() <= money).unwrap();
            }
            if left.len() <= money + 1 {
                bounties.reach_money().unwrap();
            }
            bounties.end_hand().unwrap();
            prop_assert_eq!(bounties.total().unwrap(), collected);
        }
        // The refund of heads and totals, and the amounts paid.
        let refunded: u64 = bounties.of.values().map(|bounty| bounty.current().unwrap()).sum();
        prop_assert_eq!(refunded + bounties.paid.values().sum::<u64>(), collected);
        bounties.finish().unwrap();
        prop_assert_eq!(bounties.paid.values().sum::<u64>(), collected);
    }

    #[test]
    fn prizes_and_what_is_cut_are_the_pool(entries in 2u64..12_000, players in 1u64..12_000, pool in 0u64..1_000_000_000_000) {
        for (name, _) in fairshoe_tournament::SHIPPED_STRUCTURES {
            let players = players.min(entries);
            let table = prizes(&shipped(name), entries, players, pool).unwrap();
            let value = |prize: &fairshoe_tournament::prize::Prize| prize.cash + if prize.seat { 10_000 } else { 0 };
            prop_assert_eq!(table.prizes.iter().map(value).sum::<u64>() + table.residual, pool, "{}", name);
            prop_assert!(u64::try_from(table.prizes.len()).unwrap() <= players);
            prop_assert!(table.prizes.windows(2).all(|pair| value(&pair[0]) >= value(&pair[1])), "{}", name);
        }
    }

    #[test]
    fn stakes_divide_what_there_is(total in 0u64..1_000_000_000, parts in proptest::collection::vec(1u64..1_200, 0..8)) {
        let stakes: Vec<Stake> = parts.iter().map(|&basis_points| Stake { basis_points, price: basis_points }).collect();
        let division = divide(total, &stakes).unwrap();
        prop_assert_eq!(division.buyers.iter().sum::<u64>() + division.seller, total);
        prop_assert!(sums_to_zero(&divided(&division, &names(stakes.len()), player("seller")).unwrap()));
    }

    #[test]
    fn entries_post_to_zero(parts in amounts(1_000_000, 3), t_dollars in 0u64..1_000_000) {
        let price: u64 = parts.iter().sum();
        let t_dollars = t_dollars.min(price);
        let payers = [(Account::Player(player("a")), price - t_dollars), (Account::TDollars(player("a")), t_dollars)];
        let posting = bought(&payers, parts[0], parts[1], parts[2]).unwrap();
        prop_assert!(sums_to_zero(&posting) && sums_to_zero(&posting.reversed()));
    }

    #[test]
    fn ranks_fill_the_places(
        remaining in 0u64..50,
        outs in proptest::collection::vec((0u64..6, 1u16..4, 0u64..4), 0..30),
    ) {
        let outs: Vec<Elimination> = outs
            .into_iter()
            .zip(0u8..)
            .map(|((hand, table, stack), no)| Elimination { entry_no: EntryNo(no.into()), hand, table, stack, distance: no + 1 })
            .collect();
        let given = ranks(remaining, &outs);
        let mut expected = remaining + 1;
        for tied in given.chunk_by(|one, other| one.first == other.first) {
            let last = expected + u64::try_from(tied.len()).unwrap() - 1;
            prop_assert!(tied.iter().all(|rank| (rank.first, rank.last) == (expected, last)));
            expected = last + 1;
        }
        prop_assert_eq!(given.len(), outs.len());
    }

    #[test]
    fn the_clock_never_goes_back(start in 0u64..(1 << 45), later in 0u64..400_000_000, more in 0u64..100_000_000) {
        for name in ["freezeout-6", "freezeout-9", "rebuy"] {
            let structure = shipped(name);
            let running = |later: u64| running_time(&structure, start, &[], start + later).unwrap();
            let (one, other) = (running(later), running(later + more));
            prop_assert!(one <= other && other - one <= more);
            let at = position(&structure, one, start + later);
            prop_assert!(at.level <= position(&structure, other, start + later + more).level);
            // When the time to the next level is over, the next level is there.
            if let Some(to_next) = at.to_next_level {
                let then = position(&structure, one + to_next, 1);
                prop_assert_eq!(then.level, at.level + 1);
                prop_assert_eq!(position(&structure, one + to_next - 1, 1).level, at.level);
            }
        }
    }
}
