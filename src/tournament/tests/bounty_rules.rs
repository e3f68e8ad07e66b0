//! Bounties from head to payment: whole, halved, split, left behind (spec/games/tournaments.md, section 10).

use crate::common::entries;
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::bounty::{Bounties, Bounty, BountyError, Won};
use fairshoe_tournament::structure::OntoHead;

fn event(onto_head: OntoHead, heads: &[u64]) -> Bounties {
    let mut bounties = Bounties::new(onto_head);
    heads.iter().zip(0..).for_each(|(&head, no)| bounties.enter(EntryNo(no), head));
    bounties
}

fn of(bounties: &Bounties, no: u64) -> (u64, u64) {
    let Bounty { head, won } = bounties.of[&EntryNo(no)];
    (head, won)
}

#[test]
fn r001_22_nothing_is_paid_before_the_money_then_every_survivors_total_then_at_each_hands_end() {
    let mut bounties = event(OntoHead::None, &[100; 4]);
    bounties.eliminate(EntryNo(0), &entries(&[1]), false).unwrap();
    bounties.end_hand().unwrap();
    assert_eq!((of(&bounties, 1), bounties.paid.len()), ((100, 100), 0));
    bounties.reach_money().unwrap();
    assert_eq!((of(&bounties, 1), bounties.paid[&EntryNo(1)]), ((100, 0), 100));
    // A later one: at the end of the hand that won it; a split pot is divided equally.
    bounties.eliminate(EntryNo(3), &entries(&[2, 1]), true).unwrap();
    assert_eq!((of(&bounties, 1), of(&bounties, 2)), ((100, 50), (100, 50)));
    bounties.end_hand().unwrap();
    assert_eq!((bounties.paid[&EntryNo(1)], bounties.paid[&EntryNo(2)]), (150, 50));
}

#[test]
fn r001_106_bounties_may_be_on_some_entrants_only() {
    let mut bounties = event(OntoHead::Half, &[100, 0, 0]);
    let none = bounties.eliminate(EntryNo(1), &entries(&[2]), false).unwrap();
    assert_eq!(none, [Won { entry_no: EntryNo(2), to_total: 0, onto_head: 0 }]);
    bounties.eliminate(EntryNo(0), &entries(&[2]), false).unwrap();
    bounties.finish().unwrap();
    assert_eq!(bounties.paid, [(EntryNo(2), 100)].into());
}

#[test]
fn r001_107_a_disqualified_players_bounty_goes_to_all_others() {
    let mut bounties = event(OntoHead::Half, &[101, 100, 100]);
    let parts = bounties.disqualify(EntryNo(0)).unwrap();
    assert_eq!(parts.iter().map(|won| (won.to_total, won.onto_head)).collect::<Vec<_>>(), [(51, 0), (50, 0)]);
    assert_eq!(bounties.total(), Ok(301));
}

#[test]
fn a001_o_progressive_halves_go_down_to_the_total_and_the_rest_onto_the_head() {
    let mut bounties = event(OntoHead::Half, &[501, 300, 200]);
    assert_eq!(
        bounties.eliminate(EntryNo(0), &entries(&[1]), false).unwrap(),
        [Won { entry_no: EntryNo(1), to_total: 250, onto_head: 251 }]
    );
    assert_eq!(of(&bounties, 1), (551, 250));
    assert_eq!(bounties.of[&EntryNo(1)].current(), Ok(801));
    // In an unpaid place the won total goes to the winners too, without halving.
    let mut unpaid = bounties.clone();
    assert_eq!(
        unpaid.eliminate(EntryNo(1), &entries(&[2]), false).unwrap(),
        [Won { entry_no: EntryNo(2), to_total: 275 + 250, onto_head: 276 }]
    );
    // In a paid place it is paid out.
    bounties.eliminate(EntryNo(1), &entries(&[2]), true).unwrap();
    assert_eq!((bounties.paid[&EntryNo(1)], of(&bounties, 2)), (250, (476, 275)));
    // A player who is left is paid their own head.
    bounties.finish().unwrap();
    assert_eq!((bounties.paid[&EntryNo(2)], bounties.total()), (751, Ok(1_001)));
    // Whole bounties, then bounties that go onto the head entirely.
    let mut whole = event(OntoHead::None, &[501, 300]);
    assert_eq!(whole.eliminate(EntryNo(0), &entries(&[1]), true).unwrap()[0].to_total, 501);
    let mut onto = event(OntoHead::All, &[501, 300]);
    assert_eq!(onto.eliminate(EntryNo(0), &entries(&[1]), true).unwrap()[0].onto_head, 501);
}

#[test]
fn a001_p_odd_cents_one_each_from_the_left_of_the_button() {
    let mut bounties = event(OntoHead::None, &[0, 0, 0, 500]);
    let won = bounties.eliminate(EntryNo(3), &entries(&[2, 0, 1]), false).unwrap();
    assert_eq!(
        won.iter().map(|won| (won.entry_no.0, won.to_total)).collect::<Vec<_>>(),
        [(2, 167), (0, 167), (1, 166)]
    );
}

#[test]
fn who_cannot_win_a_bounty() {
    let mut bounties = event(OntoHead::None, &[100; 3]);
    let before = bounties.clone();
    for winners in [&[][..], &[0], &[1, 0], &[1, 1]] {
        assert_eq!(bounties.eliminate(EntryNo(0), &entries(winners), false), Err(BountyError::Winners), "{winners:?}");
    }
    assert_eq!(bounties.eliminate(EntryNo(0), &entries(&[1, 9]), false), Err(BountyError::Unknown(EntryNo(9))));
    assert_eq!(bounties.eliminate(EntryNo(7), &entries(&[1]), false), Err(BountyError::Unknown(EntryNo(7))));
    assert_eq!(bounties, before);
}
