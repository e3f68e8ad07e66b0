//! Games of Safe that come to a new pile: commitments and seeds in mid-game.

use super::play::liked_action;
use super::rng::Rng;
use super::*;
use fairshoe_house::PileStage;

pub const PLAYERS: [&str; 4] = ["alice", "bob", "carol", "dave"];

pub fn commit_command(house: &House, who: &str) -> Command {
    Command::CommitSeed {
        table: table("t1"),
        round_no: house.seed_number("t1"),
        commitment: house.commitment_for("t1", who),
    }
}

pub fn commit(house: &mut House, who: &str) -> Result<Entry, DecideError> {
    let command = commit_command(house, who);
    house.give(&by(who), command)
}

pub fn commit_all(house: &mut House) -> Entry {
    let mut last = None;
    for who in house.awaited("t1") {
        last = Some(commit(house, &who).unwrap());
    }
    last.unwrap()
}

pub fn shuffling(house: &House) -> bool {
    house.table("t1").live_round().is_some_and(|round| round.pile.is_some())
}

/// Plays on until a pile is to be shuffled or the game is over. Careful players keep a game going over several piles.
pub fn play_on(house: &mut House, rng: &mut Rng) {
    const LIKED: [ActionKind; 5] =
        [ActionKind::Accept, ActionKind::Stand, ActionKind::FaceDown, ActionKind::Hit, ActionKind::Pass];
    while let Some(open) = house.open_decisions("t1").into_iter().next() {
        let round = house.table("t1").live_round().unwrap();
        let liked: &[ActionKind] = if rng.one_in(6) {
            &[]
        } else if rng.one_in(2) {
            &LIKED
        } else {
            &LIKED[..2]
        };
        let action = liked_action(rng, round.game.as_ref(), &open, Chips::ZERO, liked);
        let act = Command::Act { table: table("t1"), round_no: round.round_no, decision: open.number, action };
        house.give(&Actor::Player(open.player), act).unwrap();
    }
}

/// A game that waits for the commitments of a new pile, such as `want` asks for.
pub fn at_pile_like(options: &[(&str, &str)], seed: u64, want: impl Fn(&House) -> bool) -> House {
    for n in 0..400 {
        let mut rng = Rng(seed * 1000 + n);
        let mut house = House::shared("safe", options, &PLAYERS);
        for who in PLAYERS {
            let mut secret = [0x31; 32];
            secret[..8].copy_from_slice(&(seed * 1000 + n).to_be_bytes());
            secret[8..8 + who.len()].copy_from_slice(who.as_bytes());
            house.secrets.insert(who.into(), secret);
        }
        house.sit_all("t1", &PLAYERS);
        house.deal_all("t1", &PLAYERS, 100);
        play_on(&mut house, &mut rng);
        while shuffling(&house) {
            if want(&house) {
                return house;
            }
            commit_all(&mut house);
            house.show_all("t1");
            play_on(&mut house, &mut rng);
        }
    }
    panic!("no such game in 400");
}

pub fn at_pile(options: &[(&str, &str)], seed: u64) -> House {
    at_pile_like(options, seed, |_| true)
}

/// Goes on to the end of the game.
pub fn finish(house: &mut House, rng: &mut Rng) {
    while house.table("t1").live_round().is_some() {
        match house.table("t1").live_round().and_then(|round| round.pile.as_ref()).map(|pile| pile.stage) {
            Some(PileStage::Commitments(_)) => drop(commit_all(house)),
            Some(PileStage::Seeds(_)) => drop(house.show_all("t1")),
            None => play_on(house, rng),
        }
    }
}

pub fn alive(house: &House) -> Vec<String> {
    house
        .table("t1")
        .live_round()
        .unwrap()
        .pile
        .as_ref()
        .unwrap()
        .contributors
        .iter()
        .map(|c| c.player.to_string())
        .collect()
}
