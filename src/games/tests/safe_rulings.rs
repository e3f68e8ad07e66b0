//! The rulings for points on which document 002 is silent or ambiguous, one test for each number.

use crate::safe_table;
use fairshoe_fairness::{Card, Composition, Slot};
use fairshoe_games::{Ahead, Chips, RoundEvent, RuleSet};
use safe_table::{
    Game, NAMES, cards, chips, dealt_to, entry, game, game_as, name, pack, pile_of, safe, safe_with, text,
};

#[test]
fn a002_a_the_best_total_of_a_hand_and_a_locked_21() {
    // 21 by any valuation is 21: A 8 2 and, with the ace as 1, A T Q.
    for hand in ["As Ts", "As 8s 2s", "As 9d Ts Ac"] {
        let hand = cards(hand);
        let first = [&hand[..1], &cards("Kc")[..], &hand[1..2], &cards("9c")[..], &hand[2..]].concat();
        let mut g = Game::new(&safe(), 2, pile_of(&pack(), &first));
        hand.iter().skip(2).for_each(|_| {
            g.act("hit accept");
        });
        assert!(g.asked().starts_with("bob"), "{}", text(&hand));
        assert_eq!(g.total("ann"), 21);
    }
    // Bust only if the least total is.
    let mut g = game(2, "As Kc 9d 9c Ts Ad 2s");
    g.act("hit accept hit accept");
    assert!(g.total("ann") == 21 && g.is_alive("ann"));
}

#[test]
fn a002_b_turns_rotate_and_pass_ends_one() {
    let mut g = game(3, "2s Kc 3d 3s 2c 3h 4s 4c 4d 2h 6s 5c 5d Ac");
    g.act("hit accept");
    assert_eq!(g.asked(), "ann: hit change face_down pass");
    g.act("pass hit accept pass hit reject");
    // A Hit-change that left 16 or less asks for one more operation.
    assert_eq!((g.total("cat"), g.refused("pass").contains("R002.12")), (8, true));
    g.act("hit pass");
    assert!(g.asked().starts_with("ann"), "nobody is finished, the rotation goes on");
    g.act("hit accept pass hit");
    assert_eq!(g.asked(), "bob: accept reject");
    g.act("accept");
    // 21 has finished bob: cat, then ann.
    assert_eq!(g.asked().split(':').next(), Some("cat"));
    // A safe hand is not passed.
    let mut g = game(2, "2s Kc 3s 9c Kd 5d");
    g.act("hit accept hit accept");
    assert_eq!(g.asked(), "ann: hit stand change face_down");
    assert!(g.refused("pass").contains("A002.b"));
    // `pass: never`.
    let mut g = game_as(&safe_with(&[("pass", "never")]), 2, "2s Kc 3s 9c Kd 6d");
    g.act("hit accept");
    assert!(g.refused("pass").contains("A002.b"));
    g.act("face_down");
    assert_eq!(g.asked(), "ann: open pass", "letting an opening go by is no pass of a turn");
}

#[test]
fn a002_c_a_21_counts_as_a_stood_safe_hand() {
    let mut g = game(2, "Ks Ac 6s Kc 5d");
    g.tell();
    g.act("face_down pass");
    assert!(g.tell().contains("?ann !pass drop:2/1:advanced[Ac Kc] round:2[ann bob]"));
    assert_eq!(g.round.view()["face_down_order"], serde_json::json!(["1/1"]));
}

#[test]
fn a002_d_an_opened_hand_of_16_or_less_survives_and_is_discarded() {
    let mut g = game(2, "2s Kc 3s 9c 2d Js Jc 9h 9d");
    g.act("face_down pass stand");
    g.tell();
    g.act("open");
    assert_eq!(g.tell(), "!open =2d drop:1/1:opened[2s 3s 2d] ?ann");
    assert!(g.is_alive("ann"));
    // No more cards go to it: the turn goes on with the hand of this round.
    assert_eq!(g.asked(), "ann: hit stand change face_down");
}

#[test]
fn a002_e_the_discard_on_a_21_is_offered_at_once() {
    // On the deal: before the next card is dealt.
    let mut g = game(3, "Ks Kc Kd 6s 9c 9d 2d As Ac Ad Ts 6c 6d");
    g.act("face_down pass stand stand");
    assert_eq!((g.asked().as_str(), dealt_to(&g.events).len()), ("ann: discard pass", 11));
    g.act("pass");
    assert_eq!(dealt_to(&g.events).len(), 13);
    assert_eq!(g.round.view()["face_down_order"], serde_json::json!(["1/1"]));
    // In play: see r002_18. By an opened hand: for another one of the same owner, here two of them in turn.
    let mut g = game(2, "Ks Kc 6s 9c 5d Js Qc 5s 9h 6d Qs Qd 7s 9d");
    g.act("face_down pass stand face_down pass stand");
    g.tell();
    g.act("open=1/1");
    assert_eq!(
        (g.tell().as_str(), g.asked().as_str()),
        ("!open=1/1 =5d drop:1/1:opened[Ks 6s 5d] ?ann", "ann: discard pass")
    );
    g.act("discard");
    assert_eq!(g.tell(), "!discard =6d drop:1/2:chosen[Js 5s 6d] ?ann");
    assert_eq!(g.asked(), "ann: hit stand change face_down");
    // A surrendered hand that turns out to be 21 makes no offer: ann's 21 of the deal gives up one hand, not two.
    let mut g = game(2, "Ks Kc 6s 9c 5d Js Qc 5s 9h 6d As Qd Ts 9d");
    g.act("face_down pass stand face_down pass stand discard=1/1");
    assert!(
        g.tell_all().ends_with("1/3+Ts ?ann !discard=1/1 =5d drop:1/1:chosen[Ks 6s 5d] 2/3+9d ?bob"),
        "{}",
        g.tell_all()
    );
    // On time-out, no hand is discarded.
    let mut g = game(2, "Ks Kc 6s 9c 5d As Qc Ts 9h");
    g.act("face_down pass stand").time_out();
    assert!(g.tell_all().contains("?ann !!pass"));
    assert_eq!(g.round.view()["face_down_order"], serde_json::json!(["1/1"]));
}

#[test]
fn a002_f_a_free_player_by_opening_ends_the_round() {
    // ann has gone on to the next round with 14, bob's hand stays closed.
    let mut g = game(3, "Td 9d Ts 6d 5d 6s 2c 3c Kd 2s 2h 3s 3h 4s");
    g.act("face_down pass face_down pass hit accept");
    let news = g.tell_all();
    assert!(news.contains("open:1/1:no_free_player =2c drop:1/1:opened[Td 6d 2c] round:2[ann bob] 1/2+"), "{news}");
    // The next round is played as any: the openings are over.
    g.act("hit accept pass");
    assert!(g.asked().starts_with("bob"), "{}", g.tell_all());
    assert_eq!(g.round.view()["face_down_order"], serde_json::json!(["2/1"]));
}

#[test]
fn a002_g_when_everyone_went_face_down_hands_are_opened_at_the_end_of_the_round() {
    let mut g = game(3, "Td 9d Ts 6d 5d 6s 2c 3c Kd");
    g.act("face_down pass face_down pass face_down");
    // The last free player went face-down and no player was disqualified: opening waits until their turn is over.
    assert_eq!(g.asked(), "cat: open pass");
    g.tell();
    g.act("pass");
    assert!(g.tell().starts_with("!pass open:1/1:no_free_player =2c drop:1/1:opened[Td 6d 2c] round:2[ann bob cat]"));
    // The disqualification of a player who holds face-down hands does not fire R002.15: ann, who holds, busts after
    // cat, the last free player, went face-down.
    let mut g = game(3, "Ks Kc Kd 6s 6c 9d 2d 3d Js Jc Jd 2h 2s 7d 2c 3c 4d Qd 5h");
    g.act("face_down pass face_down pass stand").act("hit accept pass hit accept pass face_down pass");
    g.tell();
    g.act("hit accept");
    assert_eq!(
        g.tell(),
        "!hit shown+Qd ?ann !accept out:ann:bust+ drop:1/2:out[Js 2h 2c Qd] =2d drop:1/1:out[Ks 6s 2d] ?bob"
    );
    g.act("hit accept");
    g.tell();
    g.act("stand");
    assert!(g.tell().starts_with(
        "!stand open:2/1:no_free_player =3d drop:2/1:opened[Kc 6c 3d] drop:2/2:advanced[Jc 2s 3c 5h] round:3"
    ));
}

#[test]
fn a002_h_the_last_alive_wins_and_the_owner_of_the_last_hand_opened() {
    // Alone without face-down hands: at once, without acting.
    let mut g = game(2, "Ks Kc 6s 2c Jd");
    g.tell();
    g.act("hit accept");
    assert!(g.tell().ends_with("out:ann:bust drop:1/1:out[Ks 6s Jd] won:bob:last_alive paid[0 200]"));
    // Both went face-down, both are above 21, and no player was out before: bob's was opened last.
    let mut g = game(2, "Ks Kc 6s 6c Jd Jc");
    g.tell();
    g.act("face_down pass face_down pass");
    assert!(g.tell().ends_with(
        "open:1/1:no_free_player =Jd out:ann:face_down+ drop:1/1:out[Ks 6s Jd] \
         open:2/1:last_player =Jc out:bob:face_down+ drop:2/1:out[Kc 6c Jc] won:bob:last_opened paid[0 200]"
    ));
}

#[test]
fn a002_i_the_last_player_opens_all_his_hands_oldest_first() {
    let play = |oldest: &str, second: &str| {
        let mut g = game(2, &format!("Ks Kc 6s 9c {oldest} Js Qc 5s 6h {second} Qd"));
        g.act("face_down pass stand face_down pass");
        g.tell();
        g.act("hit accept");
        g.tell()
    };
    let both = "open:1/1:last_player =2d drop:1/1:opened[Ks 6s 2d] open:1/2:last_player =3d drop:1/2:opened[Js 5s 3d] won:ann:survived";
    assert!(play("2d", "3d").contains(both));
    // The first bust ends it: the second is turned up as the hand of a disqualified player.
    let first = play("Td", "3d");
    assert!(first.ends_with(
        "open:1/1:last_player =Td out:ann:face_down+ drop:1/1:out[Ks 6s Td] =3d drop:1/2:out[Js 5s 3d] won:bob:last_free_player paid[0 200]"
    ));
    assert!(play("2d", "Td").contains("open:1/2:last_player =Td out:ann:face_down+"));
}

#[test]
fn a002_j_the_disqualification_itself_fires_the_openings_and_cuts_turns_off() {
    // Round 2: ann, without face-down hands, busts before bob and cat have had a turn.
    let mut g = game(3, "Ks Kc Kd 9s 6c 6d 2c 2d Js Jc Jd 6s 5c 4d Qs");
    g.act("stand face_down pass face_down pass");
    assert!(g.asked().starts_with("ann"));
    g.tell();
    g.act("hit accept");
    let news = g.tell();
    assert!(
        news.contains(
            "out:ann:bust drop:1/2:out[Js 6s Qs] open:2/1:no_free_player =2c drop:2/1:opened[Kc 6c 2c] \
             drop:2/2:advanced[Jc 5c] drop:3/2:advanced[Jd 4d] round:3[bob cat]"
        ),
        "15 and 14 go without penalty: {news}"
    );
}

#[test]
fn a002_k_a_holders_safe_hand_does_not_let_holders_advance() {
    let mut g = game(2, "Ks Kc 6s 9c 2d Js Jc 9h 6d 3d");
    g.act("face_down pass stand");
    // Round 2: ann, who holds, stands on 19; bob goes face-down: now no player is free.
    g.act("stand face_down");
    g.tell();
    g.act("pass");
    assert!(g.tell().starts_with(
        "!pass open:1/1:no_free_player =2d drop:1/1:opened[Ks 6s 2d] drop:1/2:advanced[Js 9h] round:3[ann bob]"
    ));
}

#[test]
fn a002_l_bust_and_21_are_resolved_before_the_pile_is_tested() {
    // 21 with the last card: the face-down hand is given up first, and its cards are collected too.
    let mut g = Game::staged(&safe(), 2, "Ks Kc 6s 9c 5d", "Td Qc 4c 8c 7d");
    g.act("face_down pass stand").burn(5).act("hit accept");
    assert_eq!(g.asked(), "ann: discard pass");
    g.tell();
    g.act("discard");
    assert_eq!(g.tell(), "!discard =5d drop:1/1:chosen[Ks 6s 5d] empty:0 collected:1:52");
    // In the deal: all advance, and a new round is dealt from the new pile.
    let mut g = Game::staged(&safe(), 2, "Ks Kc 9s 9c", "Td Qc 4c");
    g.act("stand stand").burn(3);
    let news = g.tell();
    assert!(news.ends_with("1/10+Td 2/10+Qc 1/10+4c empty:0 collected:1:52"), "{news}");
    g.shuffle("2d 2c");
    assert!(g.tell().starts_with("pile:1 round:11[ann bob] 1/11+2d 2/11+2c"));
    // A refused card that was the last: there is no second draw.
    let mut g = Game::staged(&safe(), 2, "Ks Kc 9s 9c", "Td Qc 4c 8c 7d");
    g.act("stand stand").burn(5).act("hit");
    assert_eq!(g.left(), 0);
    g.tell();
    g.act("reject");
    assert_eq!(g.tell(), "!reject empty:0 collected:1:52");
    // The same when it is refused before it is drawn.
    let declared = safe_with(&[("hit_change", "declared")]);
    let mut g = Game::staged(&declared, 2, "Ks Kc 9s 9c", "Td Qc 4c 8c 7d");
    g.act("stand stand").burn(5);
    g.tell();
    g.act("reject");
    assert_eq!(g.tell(), "!reject discard+7d empty:0 collected:1:52");
    // Face-down with the last card: the hand lies, and no question follows.
    let mut g = Game::staged(&safe(), 2, "Ks Kc 9s 9c", "Td Qc 4c 8c 7d");
    g.act("stand stand").burn(5);
    g.tell();
    g.act("face_down");
    let news = g.tell();
    assert!(news.starts_with("!face_down 1/") && news.ends_with("+## empty:0 collected:1:49"), "{news}");
    // The last card disqualifies the last free player: R002.15 is done first.
    let mut g = Game::staged(&safe(), 3, "Ks Kc 6d 9s 6c 9d 2c 2d", "Th Td Qc 6h 8c 7h Kh");
    g.act("stand face_down pass face_down pass").burn(7).act("hit");
    g.tell();
    g.act("accept");
    let news = g.tell();
    assert!(news.starts_with("!accept out:ann:bust drop:1/"), "{news}");
    assert!(news.ends_with("open:2/1:no_free_player =2c drop:2/1:opened[Kc 6c 2c] empty:0 collected:1:49"), "{news}");
}

#[test]
fn a002_m_what_is_collected_and_who_is_missing_from_the_shuffle() {
    // ann and bob hold nothing, cat holds a hand; bob does not take part.
    let mut g = Game::staged(&safe(), 3, "Kc Ks 9d 9c 9s 5s 2h", "Td 8s Qc 7d 6s 4c 6c Ah");
    g.act("stand stand face_down pass").burn(8).act("stand hit accept stand hit accept");
    let n = g.round.view()["round"].as_u64().unwrap();
    let wanted = g.round.needs_pile().unwrap();
    assert_eq!(wanted.players, ["ann", "bob", "cat"].map(name));
    // The house says which players are missing, one after another, and asks again.
    let mut missing = g.clone();
    missing.tell();
    missing.absent("cat");
    assert_eq!(missing.tell(), "absent:cat out:cat:absent+ =2h drop:3/1:out[9d 5s 2h] collected:1:52");
    let again = missing.round.needs_pile().unwrap();
    assert_eq!((again.pile, again.composition.len(), again.players.len()), (1, 52, 2));
    missing.shuffle("");
    assert!(missing.tell().starts_with(&format!("pile:1 round:{}[ann bob] ", n + 1)));
    // A player who is out already, or unknown, cannot be missing; without a shuffle no player can.
    for player in ["cat", "dan"] {
        let before = missing.round.view();
        assert!(missing.round.apply(&RoundEvent::Absent { player: name(player) }).is_err());
        assert_eq!(missing.round.view(), before);
    }
    assert!(missing.round.apply(&RoundEvent::Absent { player: name("ann") }).is_err());
    assert!(missing.round.apply(&RoundEvent::Shuffled { pile: 2 }).is_err());
    // All are missing: they are named ascending; the last one wins, present or not (A002.h).
    let mut all = g.clone();
    all.tell();
    all.absent("ann");
    assert_eq!(all.tell(), "absent:ann out:ann:absent collected:1:49");
    all.absent("bob");
    assert_eq!(
        all.tell(),
        "absent:bob out:bob:absent open:3/1:last_player =2h drop:3/1:opened[9d 5s 2h] won:cat:survived paid[0 0 300]"
    );
    // A just-busted hand is collected too: see g002_3b. The pile's number must be the next one.
    for pile in [0, 2, u16::MAX] {
        assert!(g.round.apply(&RoundEvent::Shuffled { pile }).is_err());
    }
}

#[test]
fn a002_m_an_absence_that_leaves_no_free_player_opens_hands_before_the_shuffle() {
    // ann is free, bob and cat hold a hand each: with ann missing, R002.15 fires and bob's is collected too.
    let mut g = Game::staged(&safe(), 3, "Ks Kc 9d 9s 6c 5s 3h 2h", "Td 8s Qc 7d 6s 4c 6h Ah");
    g.act("stand face_down pass face_down pass").burn(8).act("stand hit accept stand hit accept");
    assert_eq!(g.round.needs_pile().unwrap().composition.len(), 46);
    g.tell();
    g.absent("ann");
    assert_eq!(
        g.tell(),
        "absent:ann out:ann:absent open:2/1:no_free_player =3h drop:2/1:opened[Kc 6c 3h] collected:1:49"
    );
    assert_eq!(g.round.needs_pile().unwrap().players, ["bob", "cat"].map(name));
}

/// Six players; fay stands on 20 in each of three rounds while the others, with these cards, go face-down: one card is
/// left for the fourth, so that six discards and it are collected.
fn five_go_face_down(first: &str) -> Game {
    let tens = cards("Kc Qc Kd Qd Kh Qh");
    let mut rest: Vec<Card> = pack().into_iter().filter(|card| !tens.contains(card)).collect();
    rest.sort_by_key(|card| (card.rank(), card.suit()));
    let rest = pile_of(&rest, &cards(first));
    let mut pile = Vec::new();
    for (chunk, fay) in rest.chunks(15).zip(tens.chunks(2)) {
        pile.extend([&chunk[..5], &fay[..1], &chunk[5..10], &fay[1..], &chunk[10..]].concat());
    }
    pile.push(rest[45]);
    let mut g = Game::new(&safe(), 6, pile);
    for _ in 0..3 {
        for player in ["ann", "bob", "cat", "dan", "eve"] {
            assert!(g.asked().starts_with(player));
            g.act("face_down pass");
        }
        g.tell();
        g.act("stand");
    }
    g
}

#[test]
fn a002_n_too_few_cards_collected_opens_the_oldest_hands() {
    let mut g = five_go_face_down("");
    // 7 of the 13 that six players need: ann's and bob's oldest hands make them up.
    assert!(g.tell().ends_with(
        "1/4+Ks empty:0 open:1/1:pile_short =3h drop:1/1:opened[Ac 2d 3h] open:2/1:pile_short =3s drop:2/1:opened[Ad 2h 3s] collected:1:13"
    ));
    assert_eq!(g.round.view()["face_down_order"].as_array().unwrap().len(), 13);
    g.shuffle("Kc Kd Kh 2d 3h Ac Qc Qd Qh 2h 3s Ad");
    assert_eq!(g.left(), 1);
    // A hidden card of the first pile is turned up under that pile's number.
    g.tell();
    g.act("open");
    assert!(g.tell().starts_with("!open 0=7d drop:1/2:opened["), "{}", g.tell_all());
}

#[test]
fn a002_n_twelve_cards_do_not_do_for_six_players() {
    // bob's oldest hand has four cards, eve stands in round 3: 9 cards are collected, with ann's hand 12, with bob's
    // 16.
    let tens = cards("Kc Qc Kd Qd Kh Qh");
    let mut rest: Vec<Card> = pack().into_iter().filter(|card| !tens.contains(card)).collect();
    rest.sort_by_key(|card| (card.rank(), card.suit()));
    let mut pile = Vec::new();
    for (chunk, fay) in [&rest[..16], &rest[16..31], &rest[31..45]].into_iter().zip(tens.chunks(2)) {
        pile.extend([&chunk[..5], &fay[..1], &chunk[5..10], &fay[1..], &chunk[10..]].concat());
    }
    pile.push(rest[45]);
    let mut g = Game::new(&safe(), 6, pile);
    g.act("face_down pass hit accept face_down pass face_down pass face_down pass face_down pass stand");
    g.act("face_down pass face_down pass face_down pass face_down pass face_down pass stand");
    g.act("face_down pass face_down pass face_down pass face_down pass stand stand");
    let news = g.tell();
    let course = "open:1/1:pile_short =3h drop:1/1:opened[Ac 2d 3h] open:2/1:pile_short =4c drop:2/1:opened[Ad 2h 3s 4c] collected:1:16";
    assert!(news.ends_with(course), "{news}");
}

#[test]
fn a002_n_a_hand_opened_for_the_pile_may_disqualify() {
    // ann's oldest hand is T 5 and a nine: she is out, all she holds is collected, and five players need only 11.
    let mut g = five_go_face_down("Tc 2c 2d 2h 2s 5c 3c 3d 3h 3s 9d");
    let news = g.tell();
    let from = news.find("empty:0").unwrap();
    assert!(
        news[from..].starts_with("empty:0 open:1/1:pile_short =9d out:ann:face_down+ drop:1/1:out[Tc 5c 9d] "),
        "{}",
        &news[from..]
    );
    assert!(news.ends_with("collected:1:16"), "{}", &news[from..]);
    assert_eq!(g.round.needs_pile().unwrap().players.len(), 5);
}

#[test]
fn a002_o_face_down_on_any_hand_below_21_once() {
    for (hand, hits) in [("2s 3s", 0), ("Ks Qs", 0), ("As 9s", 0), ("2s 3s 4s", 1)] {
        let hand = cards(hand);
        let first = [&hand[..1], &cards("Kc")[..], &hand[1..2], &cards("9c")[..], &hand[2..]].concat();
        let mut g = Game::new(&safe(), 2, pile_of(&pack(), &first));
        (0..hits).for_each(|_| {
            g.act("hit accept");
        });
        g.act("face_down");
        assert!(g.refused("face_down").contains("R002.13"));
    }
}

#[test]
fn a002_p_no_change_on_a_two_card_21_and_a_change_may_bust() {
    let mut g = game(2, "As Kc Ks 5c Qd");
    assert!(g.asked().starts_with("bob"), "21 is finished: no Change");
    g.tell();
    g.act("change=5c");
    assert_eq!(g.tell(), "!change=5c 2/1+Qd ?bob");
    let mut g = game(2, "5s Kc Ks 9c 2d 5d Qd");
    g.act("hit accept");
    g.tell();
    g.act("change=2d");
    assert_eq!((g.total("ann"), g.player("ann")["change_used"].as_bool()), (20, Some(true)));
    let mut g = game(2, "6s Kc Ks 9c 5c 5d");
    g.act("change=Ks hit");
    assert_eq!(g.total("ann"), 16);
    let mut g = game(2, "9s Kc 3s 9c 4c Ts");
    g.act("hit accept");
    g.tell();
    g.act("change=3s");
    assert!(g.tell().starts_with("!change=3s 1/1+Ts out:ann:bust drop:1/1:out[9s 4c Ts]"));
}

#[test]
fn a002_q_dealing_and_acting_start_with_the_first_alive_player() {
    let mut g = game(3, "Ks Kc Kd 6s 9c 9d Jd Js Jc 9h 9s");
    g.act("hit accept stand stand");
    let news = g.tell();
    assert!(news.ends_with("round:2[bob cat] 2/2+Js 3/2+Jc 2/2+9h 3/2+9s ?bob"), "{news}");
}

#[test]
fn a002_r_no_interface_shows_a_hidden_face() {
    let mut g = game(2, "Ks Kc 6s 9c 5d Js Jc 9h 9d");
    g.act("face_down pass stand");
    let seen = |g: &Game| format!("{} {}", g.round.view_json().get(), serde_json::to_string(&g.events).unwrap());
    assert!(!seen(&g).contains("5d"));
    assert!(g.round.view_json().get().contains(r#"{"pile":0,"slot":4,"card":null}"#));
    g.act("open");
    assert!(seen(&g).contains("5d"));
}

#[test]
fn a002_s_one_player_wins() {
    let mut g = game(6, "Ks Kc Kd Kh Qs Qc 6s 6c 6d 6h 7s 7c Jd Jc Js Jh Td");
    g.act("hit accept hit accept hit accept hit accept hit accept");
    assert_eq!(g.won(), "won:fay:last_alive");
    assert!(g.tell_all().ends_with("paid[0 0 0 0 0 600]"));
}

#[test]
fn a002_t_hit_change_is_decided_after_the_card_is_seen() {
    // 16, a king is shown: refused, it does not bust.
    let mut g = game(2, "Ks Kc 6s 9c Kd 4d");
    g.act("hit");
    assert_eq!(g.asked(), "ann: accept reject");
    assert!(g.refused("stand").contains("A002.t"));
    assert_eq!(g.round.view()["shown"], serde_json::json!({"pile": 0, "slot": 4, "card": "Kd"}));
    assert_eq!(g.total("ann"), 16);
    g.act("reject");
    assert_eq!((g.total("ann"), g.round.view()["shown"].is_null()), (20, true));
    assert!(g.refused("reject").contains("A002.t"));
    assert!(g.refused("accept").contains("A002.t"));
    // Accepted, it busts.
    let mut g = game(2, "Ks Kc 6s 9c Kd 4d");
    g.act("hit accept");
    assert!(!g.is_alive("ann"));
    // The right stays while it is not used: every hit is shown.
    let mut g = game(2, "2s Kc 3s 9c 2d 4d");
    g.act("hit accept hit");
    assert_eq!(g.asked(), "ann: accept reject");
    // `declared`: said before the draw.
    let declared = safe_with(&[("hit_change", "declared")]);
    let mut g = game_as(&declared, 2, "Ks Kc 6s 9c Kd 4d");
    assert_eq!(g.asked(), "ann: hit change face_down reject");
    g.tell();
    g.act("reject");
    assert_eq!(g.tell(), "!reject discard+Kd 1/1+4d ?ann");
    assert!(g.refused("reject").contains("R002.11"));
    let mut g = game_as(&declared, 2, "Ks Kc 6s 9c Kd 4d");
    g.tell();
    g.act("hit");
    assert!(g.tell().starts_with("!hit 1/1+Kd out:ann:bust"));
}

#[test]
fn a002_u_the_two_cards_are_dealt_one_each_in_turn_order_twice() {
    let g = game(4, "");
    let text: Vec<String> = dealt_to(&g.events).iter().map(ToString::to_string).collect();
    assert_eq!(text.join(" "), "1/1 2/1 3/1 4/1 1/1 2/1 3/1 4/1");
    let slots =
        g.events.iter().filter_map(|event| if let RoundEvent::Dealt { slot, .. } = event { Some(*slot) } else { None });
    assert_eq!(slots.collect::<Vec<_>>(), (0..8).map(Slot).collect::<Vec<_>>());
}

#[test]
fn a002_v_open_at_the_start_of_a_turn_and_right_after_a_face_down() {
    // It is not offered after an operation; opening is no operation.
    let mut g = game(2, "Ks Kc 6s 9c 5d 2s Jc 3h 9d 4d 5h");
    g.act("face_down pass stand");
    let mut later = g.clone();
    later.act("hit accept");
    assert!(later.refused("open").contains("A002.v"));
    later.act("pass stand");
    assert!(later.asked().starts_with("ann: hit") && later.asked().contains("open"), "a new turn: {}", later.asked());
    g.act("open");
    assert!(g.refused("pass").contains("R002.12"));
    // Right after a Face-down. Safe: a stood safe hand of a free player, so the round can end by R002.14.
    let play = |hidden: &str| {
        let mut g = game(3, &format!("Ks Kc Kd 6s 6c 9d {hidden} 2c"));
        g.act("face_down");
        g.tell();
        g.act("open");
        g
    };
    let mut safe = play("5d");
    assert_eq!(safe.tell(), "!open =5d ?bob");
    assert_eq!((safe.total("ann"), safe.player("ann")["finished"].as_bool()), (21, Some(true)));
    safe.act("face_down pass");
    safe.tell();
    safe.act("stand");
    assert!(safe.tell().contains("drop:1/1:advanced[Ks 6s 5d] drop:3/1:advanced[Kd 9d] round:2[ann bob cat]"));
    // 16 or less: survives, is discarded; it is no safe hand, but ann is free.
    let mut g = game(2, "2s Kc 3s 6c 2d 2c");
    g.act("face_down");
    g.tell();
    g.act("open");
    assert_eq!(g.tell(), "!open =2d drop:1/1:opened[2s 3s 2d] ?bob");
    g.act("face_down");
    g.tell();
    g.act("pass");
    // A free player is alive: no hand is opened, the round ends.
    assert!(g.tell().starts_with("!pass round:2[ann bob]"));
    // Bust: out.
    let mut bust = play("Jd");
    assert!(bust.tell().starts_with("!open =Jd out:ann:face_down+ drop:1/1:out[Ks 6s Jd] ?bob"));
    // With another hand on the table the question comes again, and the stood hand is a holder's.
    let mut g = game(2, "Ks Kc 6s 9c 5d Js Jc 5h 9h 4d");
    g.act("face_down pass stand face_down open=1/2");
    assert_eq!((g.asked().as_str(), g.total("ann")), ("ann: open pass", 19));
}

#[test]
fn a002_w_everyone_stakes_the_entry_and_the_winner_takes_all() {
    let code = |stake: u64| safe().check_bets(&entry("ann", "1", stake).bets, chips(1000)).map_err(|e| e.code());
    assert_eq!((code(100), code(99), code(101)), (Ok(()), Err("below_minimum"), Err("above_maximum")));
    assert_eq!(
        safe().check_bets(&entry("ann", "1", 100).bets, chips(99)).map_err(|e| e.code()),
        Err("insufficient_balance")
    );
    let two = [entry("ann", "1", 100).bets, entry("ann", "2", 100).bets].concat();
    assert_eq!(safe().check_bets(&two, chips(1000)).map_err(|e| e.code()), Err("bet_count"));
    let mut g = game_as(&safe_with(&[("stake_min", "250"), ("stake_max", "250")]), 3, "Ks Kc Kd 6s 6c 9d Jd Jc");
    // Until it is paid every entry is pending: a void returns the pending entries.
    let each = |units| NAMES[..3].iter().map(|player| (name(player), chips(units))).collect::<Vec<_>>();
    assert_eq!(g.round.pending_stakes(), each(250));
    g.act("hit accept");
    assert_eq!(g.round.pending_stakes(), each(250), "who is out has still an entry in the pot");
    g.act("hit accept");
    assert!(g.tell_all().ends_with("paid[0 0 750]"));
    assert_eq!(g.round.pending_stakes(), each(0));
}

#[test]
fn a002_x_what_the_clock_chooses() {
    // 16 or less: one Hit, and the card is accepted; then 16 or less passes, a safe hand stands.
    let mut g = game(2, "2s Kc 3s 9c 2d 4d");
    g.tell();
    g.time_out().time_out().time_out();
    assert_eq!(g.tell(), "!!hit shown+2d ?ann !!accept ?ann !!pass ?bob");
    g.time_out();
    assert!(g.tell().starts_with("!!stand ?ann"));
    // After a Change that left 16 or less the clock hits; after a Face-down it opens no hand.
    let mut g = game(2, "2s Kc 3s 9c 2d 4d 5d");
    g.act("change=2s");
    g.tell();
    g.time_out();
    assert_eq!(g.tell(), "!!hit 1/1+4d ?ann");
    g.act("face_down");
    g.tell();
    g.time_out();
    assert_eq!(g.tell(), "!!pass ?bob");
    // A decision that is not open has no default play.
    assert_eq!(g.round.default_play(0).map_err(|e| e.code()), Err("decision_not_open"));
    // Without a pass, the clock keeps hitting.
    let mut g = game_as(&safe_with(&[("pass", "never")]), 2, "2s Kc 3s 9c 2d 4d");
    g.tell();
    g.time_out().time_out().time_out();
    assert_eq!(g.tell(), "!!hit shown+2d ?ann !!accept ?ann !!hit shown+4d ?ann");
}

#[test]
fn the_last_round_of_the_rule_set_decides() {
    let last = |n: &str| safe_with(&[("last_round", n)]);
    // Two alive, no hand face-down: the first in turn order.
    let mut g = game_as(&last("1"), 3, "Ks Kc Kd 6s 9c 9d Jd");
    g.act("hit accept stand stand");
    assert!(
        g.tell_all().ends_with("drop:2/1:advanced[Kc 9c] drop:3/1:advanced[Kd 9d] won:bob:last_round paid[0 300 0]")
    );
    // Face-down hands are opened first: ann's is above 21.
    let mut g = game_as(&last("1"), 3, "Ks Kc Kd 6s 9c 9d Jd");
    g.act("face_down pass stand stand");
    assert!(g.tell_all().ends_with(
        "open:1/1:last_round =Jd out:ann:face_down+ drop:1/1:out[Ks 6s Jd] won:bob:last_round paid[0 300 0]"
    ));
    // If one player is left they win as usual.
    let mut g = game_as(&last("1"), 2, "Ks Kc 6s 9c Jd");
    g.act("face_down pass stand");
    assert!(g.tell_all().ends_with("won:bob:last_alive paid[0 200]"));
    // An empty pile ends the last round too; no new one is made.
    let rules: RuleSet = last("10");
    let mut g = Game::staged(&rules, 2, "Ks Kc 9s 9c", "Td Qc 4c");
    g.act("stand stand").burn(3);
    assert!(g.tell_all().ends_with("empty:0 won:ann:last_round paid[200 0]"), "{}", g.tell_all());
    assert_eq!(g.round.needs_pile(), None);
}

#[test]
fn c22_the_house_is_never_ahead() {
    let fresh = safe().open_round(&[entry("ann", "1", 100), entry("bob", "2", 100)]).unwrap();
    assert_eq!(fresh.ahead(), Ahead::Nobody);
    let mut g = game(2, "Ks Kc 6s 9c Jd");
    assert_eq!(g.round.ahead(), Ahead::Level);
    g.act("hit accept");
    assert_eq!(g.round.ahead(), Ahead::Level);
}

#[test]
fn c9_c13_one_lane_and_a_pile_that_never_runs_dry() {
    let mut g = Game::staged(&safe(), 2, "Ks Kc 9s 9c", "Td Qc 4c");
    assert_eq!(g.round.lanes(), 1);
    g.act("stand stand").burn(3).shuffle("");
    // The rules cannot cause a table without a card for a draw: the round is void.
    g.piles.piles.push(Vec::new());
    g.piles.drawn = 0;
    let open = g.open();
    let hit = g.round.accept(&open.player, open.number, &"face_down".parse().unwrap(), Chips::ZERO).unwrap();
    g.round.apply(&hit).unwrap();
    assert_eq!(g.round.step(&g.piles).unwrap_err().to_string(), "the shoe is exhausted");
}

#[test]
fn contradictions_of_a_rule_set_are_refused() {
    for (options, reason) in [
        (&[("seats", "7")][..], "2 to 6 seats"),
        (&[("stake_max", "200")], "A002.w"),
        (&[("bets_per_player", "2")], "A002.w"),
        (&[("dealing", "lanes")], "C9"),
        (&[("reshuffle", r#"{"left_at_most":10}"#)], "R002.21"),
        (&[("last_round", "0")], "last_round"),
    ] {
        let error = safe().with_options(options.iter().copied()).unwrap_err().to_string();
        assert!(error.contains(reason), "{options:?}: {error}");
    }
    for (name, value) in [("pass", "always"), ("hit_change", "hidden"), ("last_round", "256")] {
        assert!(safe().with_options([(name, value)]).is_err(), "{name}={value}");
    }
    assert!(matches!(safe().composition(), Composition::Decks(1)));
}

/// spec/games/safe.md lists every number, every test it names exists, and its digest is the rule set's: a change of it
/// changes the game.
#[test]
fn the_page_of_safe_names_every_number_its_test_and_the_digest() {
    let page = include_str!("../../../spec/games/safe.md");
    let tests =
        [include_str!("safe_rules.rs"), include_str!("safe_rulings.rs"), include_str!("safe_properties.rs")].concat();
    assert!(page.contains(&safe().digest()), "{}", safe().digest());
    let numbers = (1..=27).map(|n| format!("R002.{n}")).chain(('a'..='x').map(|c| format!("A002.{c}")));
    for number in numbers {
        let told = format!("**{number}**");
        assert!(page.contains(&told), "the rules do not tell {number}");
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| {number} |")))
            .unwrap_or_else(|| panic!("no row for {number}"));
        assert!(row.contains(&format!("::{}_", number.to_lowercase().replace('.', "_"))), "{row}");
    }
    let named: Vec<&str> = page.split("::").skip(1).filter_map(|rest| rest.split('`').next()).collect();
    assert!(named.len() > 51);
    for name in named {
        assert!(tests.contains(&format!("fn {name}(")), "{name} is no test");
    }
}
