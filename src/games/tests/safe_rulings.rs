//! The rulings for points on which document 002 is silent or ambiguous, one test for each number.

use crate::safe_table;
use fairshoe_fairness::{Card, Composition, Slot};
use fairshoe_games::{Ahead, Chips, RoundEvent};
use safe_table::scripts::scripts;
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
fn a002_t_the_card_that_is_shown_is_in_the_view() {
    let mut g = game(2, "Ks Kc 6s 9c Kd 4d");
    g.act("hit");
    assert_eq!(g.round.view()["shown"], serde_json::json!({"pile": 0, "slot": 4, "card": "Kd"}));
    g.act("reject");
    assert!(g.round.view()["shown"].is_null());
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
    let tests = concat!(
        include_str!("safe_rules.rs"),
        include_str!("safe_rulings.rs"),
        include_str!("safe_properties.rs"),
        include_str!("second_engine.rs")
    );
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

scripts! {
    fn a002_b_turns_rotate_and_pass_ends_one() "
        new 3 2s Kc 3d 3s 2c 3h 4s 4c 4d 2h 6s 5c 5d Ac; do hit accept; asks ann: hit change face_down pass
        // A Hit-change that left 16 or less asks for one more operation.
        do pass hit accept pass hit reject; total cat 8; no pass R002.12
        // Nobody is finished, the rotation goes on.
        do hit pass; asks ann; do hit accept pass hit; asks bob: accept reject
        // 21 has finished bob: cat, then ann.
        do accept; asks cat
        // A safe hand is not passed.
        new 2 2s Kc 3s 9c Kd 5d; do hit accept hit accept; asks ann: hit stand change face_down; no pass A002.b
        // Letting an opening go by is no pass of a turn.
        with pass=never; new 2 2s Kc 3s 9c Kd 6d; do hit accept; no pass A002.b; do face_down; asks ann: open pass";
    fn a002_c_a_21_counts_as_a_stood_safe_hand() "
        new 2 Ks Ac 6s Kc 5d; do face_down pass; has ?ann !pass drop:2/1:advanced[Ac Kc] round:2[ann bob]; down 1/1";
    fn a002_d_an_opened_hand_of_16_or_less_survives_and_is_discarded() "
        new 2 2s Kc 3s 9c 2d Js Jc 9h 9d; do face_down pass stand; do open; alive ann
        // No more cards go to it: the turn goes on with the hand of this round.
        is !open =2d drop:1/1:opened[2s 3s 2d] ?ann; asks ann: hit stand change face_down";
    fn a002_e_the_discard_on_a_21_is_offered_at_once() "
        // On the deal: before the next card is dealt.
        new 3 Ks Kc Kd 6s 9c 9d 2d As Ac Ad Ts 6c 6d; do face_down pass stand stand; asks ann: discard pass; dealt 11
        do pass; dealt 13; down 1/1
        // In play: see r002_18. By an opened hand: for another one of the same owner, here two of them in turn.
        new 2 Ks Kc 6s 9c 5d Js Qc 5s 9h 6d Qs Qd 7s 9d; do face_down pass stand face_down pass stand
        do open=1/1; is !open=1/1 =5d drop:1/1:opened[Ks 6s 5d] ?ann; asks ann: discard pass
        do discard; is !discard =6d drop:1/2:chosen[Js 5s 6d] ?ann; asks ann: hit stand change face_down
        // A surrendered hand that turns out to be 21 makes no offer: ann's 21 of the deal gives up one hand, not two.
        new 2 Ks Kc 6s 9c 5d Js Qc 5s 9h 6d As Qd Ts 9d; do face_down pass stand face_down pass stand discard=1/1
        ends 1/3+Ts ?ann !discard=1/1 =5d drop:1/1:chosen[Ks 6s 5d] 2/3+9d ?bob
        // On time-out, no hand is discarded.
        new 2 Ks Kc 6s 9c 5d As Qc Ts 9h; do face_down pass stand; ends ?ann; lapse; starts !!pass; down 1/1";
    fn a002_f_a_free_player_by_opening_ends_the_round() "
        // ann has gone on to the next round with 14, bob's hand stays closed.
        new 3 Td 9d Ts 6d 5d 6s 2c 3c Kd 2s 2h 3s 3h 4s; do face_down pass face_down pass hit accept
        has open:1/1:no_free_player =2c drop:1/1:opened[Td 6d 2c] round:2[ann bob] 1/2+
        // The next round is played as any: the openings are over.
        do hit accept pass; asks bob; down 2/1";
    fn a002_g_when_everyone_went_face_down_hands_are_opened_at_the_end_of_the_round() "
        // The last free player went face-down and no player was disqualified: opening waits until their turn is over.
        new 3 Td 9d Ts 6d 5d 6s 2c 3c Kd; do face_down pass face_down pass face_down; asks cat: open pass
        do pass; starts !pass open:1/1:no_free_player =2c drop:1/1:opened[Td 6d 2c] round:2[ann bob cat]
        // The disqualification of a player who holds face-down hands does not fire R002.15: ann, who holds, busts after
        // cat, the last free player, went face-down.
        new 3 Ks Kc Kd 6s 6c 9d 2d 3d Js Jc Jd 2h 2s 7d 2c 3c 4d Qd 5h
        do face_down pass face_down pass stand hit accept pass hit accept pass face_down pass
        do hit accept; is !hit shown+Qd ?ann !accept out:ann:bust+ drop:1/2:out[Js 2h 2c Qd] =2d drop:1/1:out[Ks 6s \
            2d] ?bob
        do hit accept; do stand
        starts !stand open:2/1:no_free_player =3d drop:2/1:opened[Kc 6c 3d] drop:2/2:advanced[Jc 2s 3c 5h] round:3";
    fn a002_h_the_last_alive_wins_and_the_owner_of_the_last_hand_opened() "
        // Alone without face-down hands: at once, without acting.
        new 2 Ks Kc 6s 2c Jd; do hit accept; ends out:ann:bust drop:1/1:out[Ks 6s Jd] won:bob:last_alive paid[0 200]
        // Both went face-down, both are above 21, and no player was out before: bob's was opened last.
        new 2 Ks Kc 6s 6c Jd Jc; do face_down pass face_down pass
        ends open:1/1:no_free_player =Jd out:ann:face_down+ drop:1/1:out[Ks 6s Jd] \
            open:2/1:last_player =Jc out:bob:face_down+ drop:2/1:out[Kc 6c Jc] won:bob:last_opened paid[0 200]";
    fn a002_i_the_last_player_opens_all_his_hands_oldest_first() "
        new 2 Ks Kc 6s 9c 2d Js Qc 5s 6h 3d Qd; do face_down pass stand face_down pass; do hit accept
        has open:1/1:last_player =2d drop:1/1:opened[Ks 6s 2d] open:1/2:last_player =3d drop:1/2:opened[Js 5s 3d] \
            won:ann:survived
        // The first bust ends it: the second is turned up as the hand of a disqualified player.
        new 2 Ks Kc 6s 9c Td Js Qc 5s 6h 3d Qd; do face_down pass stand face_down pass; do hit accept
        ends open:1/1:last_player =Td out:ann:face_down+ drop:1/1:out[Ks 6s Td] =3d drop:1/2:out[Js 5s 3d] \
            won:bob:last_free_player paid[0 200]
        new 2 Ks Kc 6s 9c 2d Js Qc 5s 6h Td Qd; do face_down pass stand face_down pass; do hit accept
        has open:1/2:last_player =Td out:ann:face_down+";
    fn a002_j_the_disqualification_itself_fires_the_openings_and_cuts_turns_off() "
        // Round 2: ann, without face-down hands, busts before bob and cat have had a turn: 15 and 14 go without \
            penalty.
        new 3 Ks Kc Kd 9s 6c 6d 2c 2d Js Jc Jd 6s 5c 4d Qs; do stand face_down pass face_down pass; asks ann; do hit \
            accept
        has out:ann:bust drop:1/2:out[Js 6s Qs] open:2/1:no_free_player =2c drop:2/1:opened[Kc 6c 2c] \
            drop:2/2:advanced[Jc 5c] drop:3/2:advanced[Jd 4d] round:3[bob cat]";
    fn a002_k_a_holders_safe_hand_does_not_let_holders_advance() "
        // Round 2: ann, who holds, stands on 19; bob goes face-down: now no player is free.
        new 2 Ks Kc 6s 9c 2d Js Jc 9h 6d 3d; do face_down pass stand stand face_down; do pass
        starts !pass open:1/1:no_free_player =2d drop:1/1:opened[Ks 6s 2d] drop:1/2:advanced[Js 9h] round:3[ann bob]";
    fn a002_l_bust_and_21_are_resolved_before_the_pile_is_tested() "
        // 21 with the last card: the face-down hand is given up first, and its cards are collected too.
        staged 2 Ks Kc 6s 9c 5d / Td Qc 4c 8c 7d; do face_down pass stand; burn hit accept; asks ann: discard pass
        do discard; is !discard =5d drop:1/1:chosen[Ks 6s 5d] empty:0 collected:1:52
        // In the deal: all advance, and a new round is dealt from the new pile.
        staged 2 Ks Kc 9s 9c / Td Qc 4c; do stand stand; burned; ends 1/10+Td 2/10+Qc 1/10+4c empty:0 collected:1:52
        shuffle 2d 2c; starts pile:1 round:11[ann bob] 1/11+2d 2/11+2c
        // A refused card that was the last: there is no second draw.
        staged 2 Ks Kc 9s 9c / Td Qc 4c 8c 7d; do stand stand; burn hit; left 0; do reject; is !reject empty:0 \
            collected:1:52
        // Face-down with the last card: the hand lies, and no question follows.
        staged 2 Ks Kc 9s 9c / Td Qc 4c 8c 7d; do stand stand; burn face_down
        starts !face_down 1/; ends +## empty:0 collected:1:49
        // The last card disqualifies the last free player: R002.15 is done first.
        staged 3 Ks Kc 6d 9s 6c 9d 2c 2d / Th Td Qc 6h 8c 7h Kh; do stand face_down pass face_down pass; burn hit; \
            do accept
        starts !accept out:ann:bust drop:1/; ends open:2/1:no_free_player =2c drop:2/1:opened[Kc 6c 2c] empty:0 \
            collected:1:49
        // The same when it is refused before it is drawn.
        with hit_change=declared; staged 2 Ks Kc 9s 9c / Td Qc 4c 8c 7d; do stand stand; burn reject
        is !reject discard+7d empty:0 collected:1:52";
    fn a002_m_what_is_collected_and_who_is_missing_from_the_shuffle() "
        // ann and bob hold nothing, cat holds a hand; bob does not take part.
        staged 3 Kc Ks 9d 9c 9s 5s 2h / Td 8s Qc 7d 6s 4c 6c Ah; do stand stand face_down pass
        burn stand hit accept stand hit accept; pile 49 ann bob cat
        // The house says which players are missing, one after another, and asks again.
        fork; absent cat; is absent:cat out:cat:absent+ =2h drop:3/1:out[9d 5s 2h] collected:1:52; pile 52 ann bob
        shuffle; starts pile:1 round:7[ann bob] 
        // A player who is out already, or unknown, cannot be missing; without a shuffle no player can.
        no-absent cat; no-absent dan; no-absent ann; no-shuffle 2
        // All are missing: they are named ascending; the last one wins, present or not (A002.h).
        back; fork; absent ann; is absent:ann out:ann:absent collected:1:49; absent bob
        is absent:bob out:bob:absent open:3/1:last_player =2h drop:3/1:opened[9d 5s 2h] won:cat:survived paid[0 0 300]
        // A just-busted hand is collected too: see g002_3b. The pile's number must be the next one.
        back; no-shuffle 0; no-shuffle 2; no-shuffle 65535";
    fn a002_m_an_absence_that_leaves_no_free_player_opens_hands_before_the_shuffle() "
        // ann is free, bob and cat hold a hand each: with ann missing, R002.15 fires and bob's is collected too.
        staged 3 Ks Kc 9d 9s 6c 5s 3h 2h / Td 8s Qc 7d 6s 4c 6h Ah; do stand face_down pass face_down pass
        burn stand hit accept stand hit accept; pile 46 ann bob cat; absent ann; pile 49 bob cat
        is absent:ann out:ann:absent open:2/1:no_free_player =3h drop:2/1:opened[Kc 6c 3h] collected:1:49";
    fn a002_p_no_change_on_a_two_card_21_and_a_change_may_bust() "
        // 21 is finished: no Change.
        new 2 As Kc Ks 5c Qd; asks bob; do change=5c; is !change=5c 2/1+Qd ?bob
        new 2 5s Kc Ks 9c 2d 5d Qd; do hit accept; do change=2d; total ann 20; changed ann
        new 2 6s Kc Ks 9c 5c 5d; do change=Ks hit; total ann 16
        new 2 9s Kc 3s 9c 4c Ts; do hit accept; do change=3s; starts !change=3s 1/1+Ts out:ann:bust drop:1/1:out[9s \
            4c Ts]";
    fn a002_q_dealing_and_acting_start_with_the_first_alive_player() "
        new 3 Ks Kc Kd 6s 9c 9d Jd Js Jc 9h 9s; do hit accept stand stand
        ends round:2[bob cat] 2/2+Js 3/2+Jc 2/2+9h 3/2+9s ?bob";
    fn a002_s_one_player_wins() "
        new 6 Ks Kc Kd Kh Qs Qc 6s 6c 6d 6h 7s 7c Jd Jc Js Jh Td; do hit accept hit accept hit accept hit accept hit \
            accept
        won fay:last_alive; ends paid[0 0 0 0 0 600]";
    fn a002_t_hit_change_is_decided_after_the_card_is_seen() "
        // 16, a king is shown: refused, it does not bust.
        new 2 Ks Kc 6s 9c Kd 4d; do hit; asks ann: accept reject; no stand A002.t; total ann 16
        do reject; total ann 20; no reject A002.t; no accept A002.t
        // Accepted, it busts.
        new 2 Ks Kc 6s 9c Kd 4d; do hit accept; out ann
        // The right stays while it is not used: every hit is shown.
        new 2 2s Kc 3s 9c 2d 4d; do hit accept hit; asks ann: accept reject
        // `declared`: said before the draw.
        with hit_change=declared; new 2 Ks Kc 6s 9c Kd 4d; asks ann: hit change face_down reject
        do reject; is !reject discard+Kd 1/1+4d ?ann; no reject R002.11
        new 2 Ks Kc 6s 9c Kd 4d; do hit; starts !hit 1/1+Kd out:ann:bust";
    fn a002_v_open_at_the_start_of_a_turn_and_right_after_a_face_down() "
        // It is not offered after an operation; opening is no operation.
        new 2 Ks Kc 6s 9c 5d 2s Jc 3h 9d 4d 5h; do face_down pass stand
        fork; do hit accept; no open A002.v; do pass stand; asks ann: hit change face_down open
        back; do open; no pass R002.12
        // Right after a Face-down. Safe: a stood safe hand of a free player, so the round can end by R002.14.
        new 3 Ks Kc Kd 6s 6c 9d 5d 2c; do face_down; do open; is !open =5d ?bob; total ann 21; done ann; do \
            face_down pass
        do stand; has drop:1/1:advanced[Ks 6s 5d] drop:3/1:advanced[Kd 9d] round:2[ann bob cat]
        // 16 or less: survives, is discarded; it is no safe hand, but ann is free.
        new 2 2s Kc 3s 6c 2d 2c; do face_down; do open; is !open =2d drop:1/1:opened[2s 3s 2d] ?bob; do face_down
        // A free player is alive: no hand is opened, the round ends.
        do pass; starts !pass round:2[ann bob]
        // Bust: out.
        new 3 Ks Kc Kd 6s 6c 9d Jd 2c; do face_down; do open
        starts !open =Jd out:ann:face_down+ drop:1/1:out[Ks 6s Jd] ?bob
        // With another hand on the table the question comes again, and the stood hand is a holder's.
        new 2 Ks Kc 6s 9c 5d Js Jc 5h 9h 4d; do face_down pass stand face_down open=1/2; asks ann: open pass; total \
            ann 19";
    fn a002_x_what_the_clock_chooses() "
        // 16 or less: one Hit, and the card is accepted; then 16 or less passes, a safe hand stands.
        new 2 2s Kc 3s 9c 2d 4d; lapse 3; is !!hit shown+2d ?ann !!accept ?ann !!pass ?bob; lapse; starts !!stand ?ann
        // After a Change that left 16 or less the clock hits; after a Face-down it opens no hand.
        new 2 2s Kc 3s 9c 2d 4d 5d; do change=2s; lapse; is !!hit 1/1+4d ?ann; do face_down; lapse; is !!pass ?bob
        // Without a pass, the clock keeps hitting.
        with pass=never; new 2 2s Kc 3s 9c 2d 4d; lapse 3; is !!hit shown+2d ?ann !!accept ?ann !!hit shown+4d ?ann";
    fn the_last_round_of_the_rule_set_decides() "
        // Two alive, no hand face-down: the first in turn order.
        with last_round=1; new 3 Ks Kc Kd 6s 9c 9d Jd; do hit accept stand stand
        ends drop:2/1:advanced[Kc 9c] drop:3/1:advanced[Kd 9d] won:bob:last_round paid[0 300 0]
        // Face-down hands are opened first: ann's is above 21.
        new 3 Ks Kc Kd 6s 9c 9d Jd; do face_down pass stand stand
        ends open:1/1:last_round =Jd out:ann:face_down+ drop:1/1:out[Ks 6s Jd] won:bob:last_round paid[0 300 0]
        // If one player is left they win as usual.
        new 2 Ks Kc 6s 9c Jd; do face_down pass stand; ends won:bob:last_alive paid[0 200]
        // An empty pile ends the last round too; no new one is made.
        with last_round=10; staged 2 Ks Kc 9s 9c / Td Qc 4c; do stand stand; burned; ends empty:0 won:ann:last_round \
            paid[200 0]
        no-shuffle 1";
}
