//! The chain of an event's draws: its kept part gives every link of the whole chain.

use fairshoe_fairness::{DrawChain, Epoch, LAST_DRAW, Master, Origin, TableContext, TableId, link_before};

#[test]
fn each_link_leads_to_the_one_before_and_the_first_to_the_tip() {
    let (origin, table) = (Origin::parse("example.org/log").unwrap(), TableId::parse("friday").unwrap());
    let event = TableContext { origin, table, epoch: Epoch::from_bytes([7; 32]) };
    let master = Master::from_bytes([3; 32]);
    let chain = DrawChain::new(&master, &event);
    for draw_no in [1, 2, 254, 255, 256, 257, 511, 512, 4_096, LAST_DRAW - 1, LAST_DRAW] {
        let link = chain.link(draw_no).unwrap();
        assert_eq!(link_before(&event, draw_no, &link), chain.link(draw_no - 1).unwrap(), "draw {draw_no}");
    }
    assert_eq!(link_before(&event, 0, &chain.link(0).unwrap()), chain.tip().unwrap());
    // A house that hashes down from the end gets the same links.
    assert_eq!(
        (chain.link(300).unwrap(), chain.tip().unwrap()),
        (master.draw_link(&event, 300), master.draw_tip(&event))
    );
}
