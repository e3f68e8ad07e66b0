//! What an operator may do at any time, done when it pays: keys, guarantees, voids beside other voids, satellites, ends
//! of logs, starts, and the seeds of players who let the house make them.

use crate::audit_common::{signer, tree_of};
use crate::blackjack::JOY;
use crate::common::rng::Rng;
use crate::common::*;
use crate::crook::*;
use crate::events::{FRIEND, Series, quick};
use crate::judged::Evidence;
use crate::list::Played;
use crate::pots;
use crate::tournament_play::structure;
use crate::worth::Worth;
use fairshoe_fairness::{Origin, ServerSeed};
use fairshoe_house::tournament::{CancelCause, Stage};
use fairshoe_house::{Actor, Command, OldLog, PlayerKey, Reference, TournamentCommand as C};
use fairshoe_tlog::SecretKey;
use fairshoe_tournament::structure::{BountyOn, Payouts, RebuyTerms, SatelliteTerms};
use std::cell::RefCell;
use std::collections::HashMap;

fn label(text: &str) -> Reference {
    Reference::parse(text).unwrap()
}

/// Alice's account has a key from its first moment; the operator made it, plays for her, and signs what goes out.
pub fn signs_with_a_key_it_made(rounds: usize) -> Played {
    let mut crook = Crook::honest(&[], 0);
    let key = Some(crook.house.pen("alice", 9));
    crook.give(&Actor::Operator, Command::CreatePlayer { player: player("alice"), key }).unwrap();
    crook.credit("alice", 1_000_000);
    crook.open("joy-1", "joy", &[]);
    let mut taken = 0;
    for _ in 0..rounds {
        let before = crook.house.balance("alice");
        crook.place_bets("joy-1", "alice", &[("1", 100)]).unwrap();
        crook.show("joy-1", "alice").unwrap();
        crook.play_out("joy-1", copies_dealer);
        let part = crook.house.balance("alice").saturating_sub(before) / 5;
        if part > 0 {
            let withdraw = Command::Withdraw { player: player("alice"), amount: chips(part), reference: None };
            crook.give(&by("alice"), withdraw).unwrap();
            taken += part;
        }
        crook.pass(2 * SECOND);
    }
    let worth = Worth::of(&crook.house.log, &["alice"], JOY).knowing(taken as i64);
    Played { evidence: Evidence::of(crook.house.log), worth }
}

/// Twenty enter an event whose guarantee they do not meet; it is cancelled a minute before its start.
pub fn cancels_before_the_start(events: usize) -> Played {
    not_begun(events, |series, name| {
        series.house.wait(59 * MINUTE);
        let (cause, instant) = (CancelCause::Operator, series.house.now);
        series.operator(C::Cancel { event: table(name), cause, instant, reason: Some(label("too few entries")) });
    })
}

/// The same, but the service is down when it would begin, for as long as it has to be.
pub fn down_at_the_start(events: usize) -> Played {
    not_begun(events, |series, name| {
        series.house.wait(HOUR - 1);
        series.house.now += 31 * MINUTE;
        series.house.crash();
        series.house.run_due();
        assert_eq!(series.house.event(name).stage, Stage::Ended);
    })
}

fn not_begun(events: usize, ends: fn(&mut Series, &str)) -> Played {
    let mut series = Series::new(structure("freezeout-6", |_| {}), 20, &[]);
    for _ in 0..events {
        let name = series.register();
        ends(&mut series, &name);
        series.taken += (series.structure.guarantee - 20 * series.structure.entry.buy_in) as i64;
    }
    series.played()
}

/// Strangers win seats for an event that is cancelled when they have them: what they hold then is good for entries
/// alone, and there is no other event.
pub fn satellites_for_nothing(events: usize) -> Played {
    let target = structure("freezeout-6", |_| {});
    let price = target.entry.buy_in + target.entry.fee;
    let mut series = Series::new(
        quick(&[1], |structure| {
            let terms = SatelliteTerms {
                target: "target".into(),
                buy_in: target.entry.buy_in,
                fee: target.entry.fee,
                non_unregisterable: true,
            };
            structure.payouts = Payouts::Satellite(terms);
            structure.deal = None;
            structure.staking = false;
            (structure.entry.buy_in, structure.entry.fee) = (price / 2, 0);
        }),
        4,
        &[],
    );
    let rules = fairshoe_games::RuleSet::shipped(&target.rules.name).unwrap();
    let create = C::Create {
        event: table("target"),
        structure: Box::new(target),
        rules: Box::new(rules),
        starts_at: series.house.now + 30 * DAY,
        registration_from: series.house.now,
    };
    series.operator(create);
    for _ in 0..events {
        let name = series.begin();
        series.play_while(&name, |_| true);
        series.taken += 4 * (price / 2) as i64;
    }
    let (cause, instant) = (CancelCause::Operator, series.house.now);
    series.operator(C::Cancel { event: table("target"), cause, instant, reason: Some(label("too few entries")) });
    series.played()
}

/// A house whose rebuys are all fee: what is bought brings nothing to the pool.
pub fn rebuys_are_all_fee(events: usize) -> Played {
    let dear = quick(&[1], |structure| {
        structure.name = "freezeout-6-r".to_owned();
        structure.entry.bounty = 0;
        structure.rebuy = Some(RebuyTerms {
            price: 0,
            fee: 1_000,
            chips: 600,
            most: 1,
            stack_at_most: 600,
            levels: 1,
            time_ms: 10_000,
        });
    });
    let mut series = Series::new(dear, 4, &[]);
    for _ in 0..events {
        let name = series.begin();
        for who in series.players.clone() {
            series.house.in_event(&who, C::Rebuy { event: table(&name) }).unwrap();
        }
        series.play_while(&name, |_| true);
        series.taken += 4 * 1_000;
    }
    series.played()
}

/// A friend sells all of their entry at what it costs, and never comes to play; another friend plays.
pub fn sells_an_entry_and_stays_away(events: usize) -> Played {
    let staked = quick(&[1], |structure| structure.staking = true);
    let mut series = Series::new(staked, 1, &[FRIEND, "seller"]);
    for _ in 0..events {
        let name = series.register();
        series.house.in_event("seller", C::OfferStake { event: table(&name), basis_points: 10_000 }).unwrap();
        let buy = C::BuyStake { event: table(&name), seller: player("seller"), basis_points: 10_000 };
        let had = series.house.balance("p00");
        series.house.in_event("p00", buy).unwrap();
        let paid = had - series.house.balance("p00");
        *series.staked.last_mut().unwrap() += paid as i64;
        series.house.wait(HOUR);
        series.play_with_only(&name, &["p00", FRIEND]);
        series.taken += paid as i64;
    }
    series.played()
}

/// Two strangers enter; the start is postponed to an hour at which they sleep, and only the house's own come to play.
pub fn postpones_into_the_night(events: usize) -> Played {
    let mut series = Series::new(quick(&[1], |_| {}), 2, &[FRIEND, "friend-b"]);
    for _ in 0..events {
        let name = series.register();
        let (event, later) = (table(&name), 7 * HOUR);
        let starts_at = series.house.event(&name).starts_at + later;
        series.operator(C::Postpone { event, starts_at, reason: label("maintenance") });
        series.house.wait(HOUR + later);
        series.play_with_only(&name, &[FRIEND, "friend-b"]);
        series.taken += 2 * series.structure.entry.buy_in as i64;
    }
    series.played()
}

/// The strangers' heads have a bounty, which they pay; the friend's has none.
pub fn bounties_on_strangers(events: usize) -> Played {
    let strangers = 3;
    let heads = quick(&[1], |structure| {
        structure.entry.bounty = structure.entry.buy_in;
        structure.bounty_on = BountyOn::Some;
    });
    let mut series = Series::new(heads, strangers, &[FRIEND]);
    for _ in 0..events {
        let name = series.register_after(|series, name| {
            for who in 0..strangers {
                let player = player(&format!("p{who:02}"));
                series.operator(C::SetBounty { event: table(name), player, has: true });
            }
        });
        *series.staked.last_mut().unwrap() += strangers as i64 * series.structure.entry.bounty as i64;
        series.house.wait(HOUR);
        series.play_while(&name, |_| true);
        let of_friend = series.house.event(&name).entrants.get(&player(FRIEND)).unwrap().entries[0];
        let entry = series.house.event(&name).entries.get(&of_friend).unwrap();
        let prize = if entry.rank == Some((1, 1)) { 4 * series.structure.entry.buy_in } else { 0 };
        // Bounties, to which the friend paid nothing.
        series.taken += (entry.received - prize) as i64;
    }
    series.played()
}

/// Strangers may give their entries back until the start, and enter late; once they are in, neither is so any more.
/// They cannot come, and cannot go.
pub fn closes_the_way_back(events: usize) -> Played {
    let mut series = Series::new(quick(&[1], |structure| structure.late_levels = 2), 2, &[FRIEND, "friend-b"]);
    for _ in 0..events {
        let name = series.register();
        let (event, reason) = (table(&name), label("a full house"));
        series.operator(C::ChangeRegistration { event, late_levels: 0, unregister_ms: None, reason });
        for who in ["p00", "p01"] {
            series.house.in_event(who, C::Unregister { event: table(&name) }).unwrap_err();
        }
        series.house.wait(HOUR);
        series.play_with_only(&name, &[FRIEND, "friend-b"]);
        series.taken += 2 * series.structure.entry.buy_in as i64;
    }
    series.played()
}

/// Alice has no key and does not play. The house bets in her name, with a seed of its own making that loses to the shoe
/// which it has committed.
pub fn bets_in_her_name(rounds: usize) -> Played {
    let mut crook = Crook::honest(&["alice"], 1_000_000);
    crook.open("joy-1", "joy", &[]);
    for _ in 0..rounds {
        let losing = (0..=u8::MAX).find(|seed| {
            let mut fork = crook.fork();
            fork.secrets.insert("alice".into(), [*seed; 32]);
            let before = fork.balance("alice");
            let bet = fork.place_command("joy-1", "alice", &[("1", 1_000)]);
            give(&mut fork, &by("alice"), bet).unwrap();
            show(&mut fork, "joy-1", "alice").unwrap();
            play_out(&mut fork, "joy-1", copies_dealer);
            fork.balance("alice") < before
        });
        crook.house.secrets.insert("alice".into(), [losing.unwrap(); 32]);
        crook.place_bets("joy-1", "alice", &[("1", 1_000)]).unwrap();
        crook.show("joy-1", "alice").unwrap();
        crook.play_out("joy-1", copies_dealer);
        crook.pass(2 * SECOND);
    }
    let taken = 1_000_000 - crook.house.balance("alice");
    let worth = Worth::of(&crook.house.log, &["alice"], 0.0).knowing(taken as i64);
    Played { evidence: Evidence::of(crook.house.log), worth }
}

/// The service dies whenever a hand that is about to end would put the friend out.
pub fn dies_for_a_friend_in_a_tournament(events: usize) -> Played {
    let mut series = Series::new(quick(&[1], |_| {}), 3, &[FRIEND]);
    for _ in 0..events {
        let name = series.begin();
        let mut rng = Rng(series.staked.len() as u64);
        for _ in 0..20_000 {
            series.house.run_due();
            if series.house.event(&name).stage == Stage::Ended {
                break;
            }
            series.house.reveal_seats(&name, &mut rng, 0);
            let at = series.house.state.tables().find(|at| at.live_round().is_some()).map(|at| at.id.to_string());
            let action = at.as_ref().and_then(|at| series.house.some_action(at, &mut rng));
            if let (Some(at), Some((who, action))) = (at, action) {
                let round = series.house.table(&at).live_round().unwrap();
                let decision = round.game.open_decisions()[0].number;
                let act =
                    Command::Act { table: table(&at), round_no: round.round_no, decision, action: action.clone() };
                let dealer = series.house.dealer.as_ref();
                let entry = series.house.state.decide(dealer, series.house.now, &by(&who), &act).unwrap();
                let net = pots::net_of(&entry, FRIEND).unwrap_or_default();
                if net < -200 {
                    series.house.now += SECOND;
                    series.house.crash();
                    series.house.run_due();
                    continue;
                }
                series.house.choose(&at, &who, action).unwrap();
            } else if !series.house.play_tables(&name, &mut rng, 0) {
                let next = series.house.state.next_deadline().unwrap();
                series.house.wait(next.saturating_sub(series.house.now));
            }
            series.house.now += 50;
        }
        let event = series.house.event(&name);
        let of_friend = event.entrants.get(&player(FRIEND)).unwrap().entries[0];
        let won = event.entries.get(&of_friend).is_some_and(|entry| entry.chips > 0);
        let pool = 4 * series.structure.entry.buy_in as i64;
        series.taken += if won { pool * 3 / 4 } else { -pool / 4 };
    }
    let disclosed = pots::disclosed(&series.house.log, series.house.dealer.as_ref());
    let Played { evidence, worth } = series.played();
    Played { evidence: Evidence { disclosed, ..evidence }, worth }
}

thread_local! {
    /// Which of its shoes a house takes, by their numbers.
    static TAKEN: RefCell<HashMap<u64, u8>> = RefCell::new(HashMap::new());
}

/// The players' page makes their seeds as the house likes, so that it knows them before it commits to a shoe: of four
/// shoes it takes the one that is worst for alice, in every second round.
pub fn knows_the_seeds(rounds: usize) -> Played {
    TAKEN.with_borrow_mut(HashMap::clear);
    let other_seed: OtherSeed = |id, candidate| {
        let taken = TAKEN.with_borrow(|taken| taken.get(&id.shoe_no).copied().unwrap_or_default());
        let mut seed = [0x3c; 32];
        seed[..8].copy_from_slice(&id.shoe_no.to_be_bytes());
        (seed[8], seed[9]) = (taken, candidate);
        Some(ServerSeed::from_bytes(seed))
    };
    let mut crook = Crook::new(Liar { other_seed: Some(other_seed), ..Liar::default() }, &["alice"], 10_000_000);
    crook.open("joy-1", "joy", &[]);
    for round in 0..rounds {
        crook.place_bets("joy-1", "alice", &[("1", 100)]).unwrap();
        crook.show("joy-1", "alice").unwrap();
        let is_last = |house: &House| house.table("joy-1").live_round().is_none();
        play_out(&mut crook.house, "joy-1", copies_dealer);
        assert!(is_last(&crook.house));
        crook.pass(2 * SECOND);
        if round % 2 == 0 {
            let shoe_no = crook.house.table("joy-1").next_shoe;
            let worst = (0..4).max_by_key(|taken| {
                TAKEN.with_borrow_mut(|all| all.insert(shoe_no, *taken));
                crook.liar.dealt.borrow_mut().clear();
                let mut fork = crook.fork();
                work(&mut fork, "joy-1");
                let before = fork.house_balance();
                let bet = fork.place_command("joy-1", "alice", &[("1", 100)]);
                give(&mut fork, &by("alice"), bet).unwrap();
                show(&mut fork, "joy-1", "alice").unwrap();
                play_out(&mut fork, "joy-1", copies_dealer);
                fork.house_balance() - before
            });
            TAKEN.with_borrow_mut(|all| all.insert(shoe_no, worst.unwrap()));
            crook.liar.dealt.borrow_mut().clear();
        }
        crook.work("joy-1");
    }
    let worth = Worth::of(&crook.house.log, &["alice"], JOY);
    Played { evidence: Evidence::of(crook.house.log), worth }
}

/// A log that says to go on from another one, with these players' chips.
fn goes_on(players: &[(&str, u64)]) -> Crook {
    let mut crook = Crook::honest(&[], 0);
    let secret = SecretKey::from_seed(&[5; 32]);
    let (origin, new) = (Origin::parse("fairshoe.example/before").unwrap(), Origin::parse(ORIGIN).unwrap());
    let new_key = PlayerKey::from_bytes(*signer().verifier_key().public_key());
    let key = PlayerKey::from_bytes(secret.public_key());
    let old = OldLog { origin, key, size: 1_000, root: tree_of(&[]).0.root().to_string(), new_key };
    let signature = old.sign(&secret, &new);
    let OldLog { origin, key, size, root, new_key } = old;
    let command = Command::ContinueLog { origin, key, size, root, new_key, signature };
    crook.give(&Actor::House, command).unwrap();
    players.iter().for_each(|(who, units)| crook.add_player(who, *units));
    crook
}

/// Alice's key comes over from the old log, where she named it: it is hers.
pub fn honest_log_that_goes_on(rounds: usize) -> Played {
    let mut crook = goes_on(&[]);
    let key = Some(crook.house.pen("alice", 9));
    crook.give(&Actor::Operator, Command::CreatePlayer { player: player("alice"), key }).unwrap();
    crook.credit("alice", 1_000_000);
    plays_joy(&mut crook, rounds);
    let worth = Worth::of(&crook.house.log, &["alice"], JOY);
    Played { evidence: Evidence::of(crook.house.log), worth }
}

fn plays_joy(crook: &mut Crook, rounds: usize) {
    crook.open("joy-1", "joy", &[]);
    for _ in 0..rounds {
        crook.place_bets("joy-1", "alice", &[("1", 100)]).unwrap();
        crook.show("joy-1", "alice").unwrap();
        crook.play_out("joy-1", copies_dealer);
        crook.pass(2 * SECOND);
    }
}

/// A log in which its operator's camera fails for a friend at poker, and which has ended before any count of that says
/// much: the next one goes on from it, and counts anew.
pub fn begins_anew_before_it_shows(rounds: usize) -> Played {
    pots::camera_fails_in(goes_on(&[("alice", 100_000_000), ("bob", 100_000_000), (FRIEND, 100_000_000)]), rounds)
}

/// Alice had won a thousand at `joy` when the disk was lost, says the house: the log goes on from before.
pub fn loses_what_was_won(rounds: usize) -> Played {
    let mut crook = goes_on(&[("alice", 1_000_000)]);
    plays_joy(&mut crook, rounds);
    let worth = Worth::of(&crook.house.log, &["alice"], JOY).knowing(1_000);
    Played { evidence: Evidence::of(crook.house.log), worth }
}
