//! The rules of document 002, one test for each number.

use crate::safe_table;
use fairshoe_fairness::Composition;
use fairshoe_games::{Chips, RoundEvent, Wager};
use safe_table::scripts::scripts;
use safe_table::{Game, cards, entry, game, game_as, name, pack, pile_of, safe, safe_with, text};

#[test]
fn r002_1_one_pack_of_52_and_two_to_six_players() {
    assert_eq!(safe().composition(), Composition::Decks(1));
    assert_eq!(safe().least_players(), 2);
    let seated = |seats: &[&str]| {
        let placed: Vec<_> =
            seats.iter().enumerate().map(|(n, seat)| entry(safe_table::NAMES[n % 6], seat, 100)).collect();
        Game::seated(&safe(), &placed, pack()).map(|_| ()).map_err(|e| e.code())
    };
    assert_eq!(seated(&["1"]), Err("player_count"));
    assert_eq!(seated(&["1", "2", "3", "4", "5", "6", "7"]), Err("player_count"));
    assert_eq!(seated(&["2", "6"]), Ok(()));
    assert_eq!(seated(&["1", "2", "3", "4", "5", "6"]), Ok(()));
    assert_eq!(seated(&["3", "3"]), Err("spot_taken"));
    for seat in ["0", "7", "01", "+1", "", "centre"] {
        assert_eq!(seated(&["1", seat]), Err("unknown_spot"), "{seat}");
    }
}

/// The hand of ann: her two cards, then each hit accepted; bob stands on K 9.
fn after_hits(hand: &str) -> Game {
    let hand = cards(hand);
    let first = [&hand[..1], &cards("Kc")[..], &hand[1..2], &cards("9c")[..], &hand[2..]].concat();
    let mut g = Game::new(&safe(), 2, pile_of(&pack(), &first));
    for _ in 2..hand.len() {
        g.act("hit accept");
    }
    g
}

#[test]
fn r002_2_values_bust_safe_and_high_score() {
    for (hand, total, stands) in [
        ("Ts 6s", 16, false),
        ("Ts 7s", 17, true),
        ("Js Qs", 20, true),
        ("As 5s", 16, false),
        ("As 6s", 17, true),
        ("As Ad", 12, false),
        ("As 5s Td", 16, false),
        ("As 9s Td", 20, true),
        ("2s 3s 4s 5s", 14, false),
    ] {
        let g = after_hits(hand);
        assert_eq!((g.total("ann"), g.asked().contains("stand")), (total, stands), "{hand}");
    }
    for hand in ["As Ks", "As Ts", "Js 5s 6s", "As 9s Ad", "7s 7d 7h"] {
        let g = after_hits(hand);
        assert_eq!((g.total("ann"), g.player("ann")["finished"].as_bool()), (21, Some(true)), "{hand}");
        assert!(g.asked().starts_with("bob"));
    }
    for hand in ["Ts 6s 6d", "Ts 6s Kd"] {
        assert!(!after_hits(hand).is_alive("ann"), "{hand}");
    }
}

#[test]
fn r002_3_turn_order_is_fixed_by_the_seats_for_the_whole_game() {
    // Names do not matter: the order is that of the seats.
    let placed = [entry("ann", "5", 100), entry("bob", "2", 100), entry("cat", "3", 100)];
    let first = pile_of(&pack(), &cards("Ks Kc Kd 9s 6c 9d 9h Js 8s 5h 9c 7h"));
    let mut g = Game::seated(&safe(), &placed, first).unwrap();
    assert_eq!(g.tell(), "2/1+Ks 3/1+Kc 5/1+Kd 2/1+9s 3/1+6c 5/1+9d ?bob");
    g.act("stand hit accept stand");
    let news = g.tell();
    assert!(news.ends_with("round:2[bob ann] 2/2+Js 5/2+8s 2/2+5h 5/2+9c ?bob"), "{news}");
    // bob draws 7h to 22 and is out: ann is alone.
    g.act("hit accept");
    assert_eq!(g.won(), "won:ann:last_alive");
}

#[test]
fn r002_13_face_down_is_known_to_nobody_and_closes_the_hand() {
    let mut g = game(2, "Ks Kc 6s 9c 5d");
    g.act("face_down");
    assert_eq!(g.asked(), "ann: open pass");
    for word in ["hit", "stand", "change=Ks", "face_down"] {
        assert!(g.refused(word).contains("R002.13"), "{word}");
    }
    let hand = g.player("ann")["face_down"][0]["cards"].clone();
    assert_eq!(hand[2], serde_json::json!({"pile": 0, "slot": 4, "card": null}));
    g.act("pass");
    assert!(g.asked().starts_with("bob"));
}

#[test]
fn r002_20_an_empty_pile_collects_all_but_face_down_hands_and_all_advance() {
    let mut g = Game::staged(&safe(), 2, "Ks Kc 6s 9c 5d", "Td Qc 4c 8c 2h");
    g.act("face_down pass stand").burn(5);
    assert_eq!(g.left(), 1);
    g.tell();
    g.act("hit accept");
    // ann has 16 only, and goes on; her face-down hand stays.
    assert_eq!(g.tell(), "!hit shown+2h ?ann !accept empty:0 collected:1:49");
    let wanted = g.round.needs_pile().unwrap();
    let Composition::Cards(list) = wanted.composition.clone() else { panic!() };
    let mut gathered = pile_of(&pack(), &cards("Ks 6s 5d")).split_off(3);
    gathered.sort();
    assert_eq!(text(&list), text(&gathered));
    assert_eq!(wanted.composition.check(), Ok(()));
    g.shuffle("2d 3d 4d 6d");
    assert_eq!(g.left(), 45);
    assert!(g.is_alive("ann") && g.is_alive("bob"));
}

#[test]
fn r002_21_the_game_ends_with_its_one_winner() {
    let mut g = game(3, "Ks Kc Kd 6s 6c 9d Jd Jc");
    g.act("hit accept hit accept");
    // cat wins without acting; nothing comes after the payment.
    assert!(g.tell_all().ends_with("drop:2/1:out[Kc 6c Jc] won:cat:last_alive paid[0 0 300]"));
    assert!(g.round.is_settled() && g.round.open_decisions().is_empty() && g.round.needs_pile().is_none());
    assert_eq!(g.round.step(&g.piles).unwrap(), None);
    let again = g.events.last().unwrap().clone();
    assert!(g.round.apply(&again).is_err());
    // All 52 cards are shuffled for the next game: every game has its own pack.
    assert_eq!(safe().table.reshuffle, fairshoe_games::Reshuffle::EveryRound);
    assert_eq!(safe().table.stake_min, safe().table.stake_max);
}

#[test]
fn r002_23_holders_play_a_normal_hand_beside_their_face_down_hands() {
    let mut g = game(2, "Ks Kc 6s 9c 5d Js Jc 9h 9d");
    g.act("face_down pass stand");
    assert_eq!(g.total("ann"), 19);
    assert_eq!(g.player("ann")["face_down"][0]["place"], "1/1");
    assert_eq!(g.asked(), "ann: hit stand change face_down open");
}

#[test]
fn r002_25_exactly_one_card_of_a_face_down_hand_is_hidden() {
    let mut g = game(2, "2s Kc 3s 9c 2d 3d");
    g.act("hit accept face_down");
    let hand = g.player("ann")["face_down"][0].clone();
    let faces: Vec<_> = hand["cards"].as_array().unwrap().iter().map(|card| card["card"].as_str()).collect();
    assert_eq!(faces, [Some("2s"), Some("3s"), Some("2d"), None]);
    assert_eq!(hand["total"], 7);
}

#[test]
fn r002_26_the_new_piles_cards_count_as_not_yet_seen() {
    let mut g = Game::staged(&safe(), 2, "Ks Kc 6s 9c 5d", "Td Qc 4c 8c 2h");
    g.act("face_down pass stand").burn(5).act("hit accept");
    // Td was on the table before; now it is drawn again, from a slot of the new pile.
    g.shuffle("Td 2h Qc 8c");
    let Some(RoundEvent::Dealt { slot, card: Some(card), .. }) = g.events.iter().rev().nth(4) else {
        panic!("{}", g.tell_all())
    };
    assert_eq!((slot.0, card.to_string()), (0, "Td".to_owned()));
    assert_eq!(g.round.view()["discard"], serde_json::json!([]));
    // A card that still lies in a face-down hand cannot come from the new pile.
    let mut forged = g.round.boxed_clone();
    let open = g.open();
    forged
        .apply(&g.round.accept(&open.player, open.number, &"change=Td".parse().unwrap(), Chips::ZERO).unwrap())
        .unwrap();
    let dealt = |card: &str| RoundEvent::Dealt {
        lane: 0,
        slot: fairshoe_fairness::Slot(4),
        to: fairshoe_games::Place::Hand { spot: 1, hand: open_round(&g) },
        card: Some(card.parse().unwrap()),
    };
    assert!(forged.apply(&dealt("5d")).is_err(), "the hidden card of pile 0");
    assert!(forged.apply(&dealt("2h")).is_err(), "bob's card");
    forged.apply(&dealt("3c")).unwrap();
}

fn open_round(g: &Game) -> u8 {
    u8::try_from(g.round.view()["round"].as_u64().unwrap()).unwrap()
}

#[test]
fn r002_27_declarations_are_the_only_inputs() {
    // Folds the recorded game again: every event but a declaration is an automatic event of the engine.
    let mut g =
        game_as(&safe_with(&[("hit_change", "declared")]), 3, "Th 9s Tc 6d 9c 5h 5s 6c Kc Jd 9d 7h 6h 5c Qh Kd");
    g.act("face_down pass stand hit stand hit hit");
    assert_eq!(g.won(), "won:ann:survived");
    let mut again =
        game_as(&safe_with(&[("hit_change", "declared")]), 3, "Th 9s Tc 6d 9c 5h 5s 6c Kc Jd 9d 7h 6h 5c Qh Kd");
    for event in &g.events {
        if let RoundEvent::Acted { player, decision, action, .. } = event {
            let declared = again.round.accept(player, *decision, action, Chips::ZERO).unwrap();
            assert_eq!(declared, *event);
            again.apply(declared);
            again.run();
        }
    }
    assert_eq!(again.events, g.events);
    assert!(
        matches!(g.events.last(), Some(RoundEvent::Paid { lines }) if lines.iter().all(|l| l.wager == Wager::Entry))
    );
    assert_eq!(
        g.round.pending_stakes().iter().map(|(player, _)| player.clone()).collect::<Vec<_>>(),
        ["ann", "bob", "cat"].map(name)
    );
}

scripts! {
    fn r002_4_two_cards_face_up_each_round_and_all_is_open() "
        new 2 Ks Kc 9s 9c Js Jc 9h 9d; do stand stand; discard Ks 9s Kc 9c
        is !stand ?bob !stand drop:1/1:advanced[Ks 9s] drop:2/1:advanced[Kc 9c] round:2[ann bob] 1/2+Js 2/2+Jc \
            1/2+9h 2/2+9d ?ann";
    fn r002_5_a_bust_disqualifies_at_once() "
        new 3 Ks Kc Kd 6s 9c 9d Jd Js Jc 9h 9s; do hit accept
        is !hit shown+Jd ?ann !accept out:ann:bust drop:1/1:out[Ks 6s Jd] ?bob
        // No card for ann in the next round.
        do stand stand; ends round:2[bob cat] 2/2+Js 3/2+Jc 2/2+9h 3/2+9s ?bob";
    fn r002_6_a_hand_of_21_takes_no_more_operation() "
        // ann 21 on the deal has no turn; bob makes it by a hit, and bob's turn is over.
        new 3 As Kc Kd Ks 5c 9d 6c; asks bob; do hit accept; asks cat; done bob";
    fn r002_7_hands_are_discarded_face_up_on_disqualification_and_on_advancing() "
        new 3 Ks Kc Kd 6s 9c 9d Jd; do hit accept stand stand; discard Ks 6s Jd Kc 9c Kd 9d
        has drop:1/1:out[Ks 6s Jd]; has drop:2/1:advanced[Kc 9c]; has drop:3/1:advanced[Kd 9d]";
    fn r002_8_hit_any_number_of_times() "
        new 2 As Kc 2s 9c 2d 2h 2c 3s 3d Ac
        do hit accept; total ann 15; do hit accept; total ann 17; do hit accept; total ann 19
        do hit accept; total ann 12; do hit accept; total ann 15; do hit accept; total ann 16; asks ann: hit change \
            face_down pass";
    fn r002_9_stand_on_a_safe_hand_only_and_then_no_more() "
        new 2 Ks Kc 6s 8c As; no stand R002.9; do hit accept stand; total ann 17; asks bob
        do stand; starts !stand drop:1/1:advanced[Ks 6s As]";
    fn r002_10_change_one_card_once_a_round() "
        new 2 Ks Kc 5s 9c 3d Ac Jd Js 2d 9h 2c; no change=9c R002.10
        do change=Ks; is !change=Ks 1/1+3d ?ann; discard Ks; no change=5s R002.10
        // The right is used: the next card is not shown first, it enters the hand.
        do hit; is !hit 1/1+Ac ?ann
        // A new round, a new right; bob's right was never used.
        do stand stand; asks ann: hit change face_down; do change=2d; changed ann";
    fn r002_11_hit_change_refuses_the_card_and_uses_the_same_right() "
        new 2 Ks Kc 5s 9c Qd 3d 2c; do hit reject; total ann 18; discard Qd; no change=5s R002.11; do hit; total ann 20
        // And the other way round: after a Change no card is shown.
        new 2 Ks Kc 5s 9c 3d 2c; do change=Ks hit; is !change=Ks 1/1+3d ?ann !hit 1/1+2c ?ann";
    fn r002_12_sixteen_or_less_asks_for_an_operation() "
        new 2 Ks Kc 2s 9c 2d 3d 2c; no pass R002.12
        // A Change that left 16 or less asks for one more.
        do change=2s; total ann 12; no pass R002.12; do hit pass; asks bob
        // At the next turn the duty is there again.
        do stand; asks ann; no pass R002.12";
    fn r002_14_holders_advance_when_a_player_without_face_down_hands_stands() "
        new 2 Ks Kc 6s 9c 5d; do face_down pass stand; has drop:2/1:advanced[Kc 9c] round:2[ann bob]; down 1/1";
    fn r002_15_without_a_free_player_hands_are_opened_oldest_first() "
        // cat busts: ann's hand, the older, is opened and survives: she is free, bob's stays closed.
        new 3 Td 9d Ts 6d 5d 6s 5c 2c Kd; do face_down pass face_down pass; do hit accept; down 2/1
        has out:cat:bust drop:3/1:out[Ts 6s Kd] open:1/1:no_free_player =5c drop:1/1:opened[Td 6d 5c] round:2[ann bob]
        // ann's hand is above 21: she is out at once, and the next is opened.
        new 4 Td 9d 8d Ts 6d 5d 4d 6s Kc 2c 3c Kd; do face_down pass face_down pass face_down pass; do hit accept
        has out:dan:bust drop:4/1:out[Ts 6s Kd] open:1/1:no_free_player =Kc out:ann:face_down+ drop:1/1:out[Td 6d Kc] \
            open:2/1:no_free_player =2c drop:2/1:opened[9d 5d 2c] round:2[bob cat]";
    fn r002_16_the_last_player_opens_what_he_holds() "
        // ann's is opened by R002.15 and is above 21; bob is alone and opens bob's: 16 survives.
        new 3 Td 9d Ts 6d 5d 6s Kc 2c Kd; do face_down pass face_down pass hit accept; won bob:survived
        has out:ann:face_down+ drop:1/1:out[Td 6d Kc] open:2/1:last_player =2c drop:2/1:opened[9d 5d 2c]
        // bob's is above 21 too: cat, the last one disqualified without face-down hands, wins.
        new 3 Td 9d Ts 6d 5d 6s Kc Kh Kd; do face_down pass face_down pass hit accept
        ends =Kh out:bob:face_down+ drop:2/1:out[9d 5d Kh] won:cat:last_free_player paid[0 0 300]";
    fn r002_17_a_holder_opens_his_own_hands_on_his_turn() "
        new 2 Ks Kc 6s 9c 5d Js Jc 9h 9d; do face_down pass stand; asks ann: hit stand change face_down open
        do open; is !open =5d drop:1/1:opened[Ks 6s 5d] ?ann; no open R002.17
        // bob holds none.
        do stand; no open=1/1 R002.17
        // Above 21 the player is out.
        new 3 Ks Kc Kd 6s 9c 9d Jd Js Jc Jh 5h 9h 7h; do face_down pass stand stand; do open=1/1
        starts !open=1/1 =Jd out:ann:face_down+ drop:1/2:out[; asks bob";
    fn r002_18_a_21_lets_a_holder_discard_a_face_down_hand() "
        new 2 Ks Kc 6s 9c Jd Js Jc 5h 9d 6h; do face_down pass stand hit accept; asks ann: discard pass
        no hit R002.18; no discard=2/1 R002.18
        // It goes unopened: 26 costs ann nothing.
        do discard=1/1; is !discard=1/1 =Jd drop:1/1:chosen[Ks 6s Jd] ?bob; alive ann
        // Only then.
        no discard R002.18";
    fn r002_19_a_disqualified_holder_turns_everything_up() "
        new 3 Ks Kc Kd 6s 9c 9d 2d Js Jc Jd 6h 9h 9s 3d Qs Qc Qd 7s 8c 8d Th
        do face_down pass stand stand face_down pass stand stand
        // Round 3: ann 17 hits Th and is out with two face-down hands.
        do hit accept; is !hit shown+Th ?ann !accept out:ann:bust+ drop:1/3:out[Qs 7s Th] =2d drop:1/1:out[Ks 6s 2d] \
            =3d drop:1/2:out[Js 6h 3d] ?bob";
    fn r002_22_the_dealer_performs_what_is_declared() "
        // Each declaration is one event; the dealer makes every card, turn and discard after it.
        new 2 Ks Kc 6s 9c Jd 4d; do hit; is !hit shown+Jd ?ann; do reject; is !reject 1/1+4d ?ann";
    fn r002_24_a_safe_hand_below_21_may_go_on() "
        new 2 Ks Kc 8s 9c 2d 3d; asks ann: hit stand change face_down
        do hit accept; total ann 20; asks ann: hit stand change face_down
        do face_down pass; is !face_down 1/1+## ?ann !pass ?bob; down 1/1";
}
