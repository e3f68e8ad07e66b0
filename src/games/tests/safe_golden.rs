//! The golden examples of Safe.

use crate::safe_table;
use fairshoe_games::{Outcome, RoundEvent, Wager};
use safe_table::{Game, chips, game, name, safe};

#[test]
fn g002_1_a_face_down_hand_survives() {
    let mut g = game(3, "Th 9s Tc 6d 9c 5h 5s 6c Kc Jd 9d 7h 6h 5c Qh Kd");
    assert_eq!(g.tell(), "1/1+Th 2/1+9s 3/1+Tc 1/1+6d 2/1+9c 3/1+5h ?ann");
    g.act("face_down pass stand hit accept");
    assert_eq!(
        g.tell(),
        "!face_down 1/1+## ?ann !pass ?bob !stand ?cat !hit shown+6c ?cat !accept \
         drop:2/1:advanced[9s 9c] drop:3/1:advanced[Tc 5h 6c] round:2[ann bob cat] \
         1/2+Kc 2/2+Jd 3/2+9d 1/2+7h 2/2+6h 3/2+5c ?ann"
    );
    g.act("stand hit accept hit accept");
    assert_eq!(
        g.tell(),
        "!stand ?bob !hit shown+Qh ?bob !accept out:bob:bust drop:2/2:out[Jd 6h Qh] \
         ?cat !hit shown+Kd ?cat !accept out:cat:bust drop:3/2:out[9d 5c Kd] \
         open:1/1:last_player =5s drop:1/1:opened[Th 6d 5s] won:ann:survived paid[300 0 0]"
    );
    let Some(RoundEvent::Paid { lines }) = g.events.last() else { panic!() };
    let line = &lines[0];
    assert_eq!((&line.player, line.wager, line.outcome), (&name("ann"), Wager::Entry, Outcome::Win));
    assert!(lines.iter().all(|line| line.stake == chips(100)));
    assert_eq!(lines.iter().filter(|line| line.outcome == Outcome::Loss).count(), 2);
}

const CAT_GOES_FACE_DOWN: &str = "Kc Ks 9d 9c 9s 5s 2h";

#[test]
fn g002_3_the_pile_runs_out() {
    let tail = "Td 8s Qc 7d 6s 4c 6c Ah";
    let mut g = Game::staged(&safe(), 3, CAT_GOES_FACE_DOWN, tail);
    g.act("stand stand face_down pass").burn(8);
    let view = g.round.view();
    assert_eq!((view["pile_left"].as_u64(), view["discard"].as_array().unwrap().len()), (Some(2), 41));
    g.tell();
    g.act("stand hit accept stand hit accept");
    let n = view["round"].as_u64().unwrap();
    assert_eq!(
        g.tell(),
        format!(
            "!stand ?bob !hit shown+6c ?bob !accept ?bob !stand ?cat !hit shown+Ah ?cat !accept \
             empty:0 collected:1:49"
        )
    );
    let wanted = g.round.needs_pile().unwrap();
    assert_eq!((wanted.pile, wanted.composition.len()), (1, 49));
    assert_eq!(wanted.players, [name("ann"), name("bob"), name("cat")]);
    g.shuffle("");
    assert!(g.tell().starts_with(&format!("pile:1 round:{}[ann bob cat] 1/{0}+", n + 1)));
    assert_eq!(g.left(), 43);
}

#[test]
fn g002_3b_the_last_card_busts() {
    let mut g = Game::staged(&safe(), 3, CAT_GOES_FACE_DOWN, "Td 8s Qc 7d 6s 4c 6c Kh");
    g.act("stand stand face_down pass").burn(8);
    g.act("stand hit accept stand hit");
    let n = g.round.view()["round"].as_u64().unwrap();
    g.tell();
    g.act("accept");
    assert_eq!(
        g.tell(),
        format!("!accept out:cat:bust+ drop:3/{n}:out[Qc 4c Kh] =2h drop:3/1:out[9d 5s 2h] empty:0 collected:1:52")
    );
    assert_eq!(g.round.needs_pile().unwrap().players, [name("ann"), name("bob")]);
    g.shuffle("");
    assert!(g.tell().starts_with(&format!("pile:1 round:{}[ann bob] 1/{0}+", n + 1)));
    assert_eq!(g.left(), 48);
}

#[test]
fn g002_4_hit_change() {
    // bob 16; the king is refused, the 4 makes 20.
    let mut g = game(2, "Td 9d 9s 7c Kc 4c Ks 9c 9h 7s");
    g.act("stand hit");
    assert_eq!(g.asked(), "bob: accept reject");
    g.tell();
    g.act("reject");
    assert_eq!(g.tell(), "!reject 2/1+4c ?bob");
    assert_eq!((g.total("bob"), g.round.view()["discard"].to_string()), (20, "[\"Kc\"]".to_owned()));
    assert!(g.refused("change=9d").contains("R002.11"));
    g.act("stand");
    assert!(g.asked().starts_with("ann: hit stand change"));
    g.act("stand change=9c");
    assert_eq!(g.player("bob")["change_used"], true);
}
