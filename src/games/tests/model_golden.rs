//! The worked examples of the rules, played by the models alone: a model that fails them cannot judge an engine.

use crate::models::baccarat;
use crate::models::blackjack;
use crate::models::cards;
use crate::models::roulette;
use crate::models::safe;

use blackjack::{Fact, Live, Opening, Page, SixDeck, Study};
use cards::{Face, Shoe, face, faces, text};
use safe::{Choice, Closed, Game, Moment, Options, Players, Question, Seat};
use std::collections::BTreeSet;

#[test]
fn baccarat_of_document_001() {
    for (id, shoe, bets, returned) in [
        ("GBA-1", "2h Kd 3c 3s 8d", &[("player", 5000, 5000), ("tie", 500, 4500)][..], 5),
        ("GBA-2", "4h 9d 3c Ks", &[("banker", 1001, 1951)], 4),
        ("GBA-4", "3h 2d 4c 3s Ah", &[("player", 2500, 5000)], 5),
        ("GBA-5", "2h Td 4c 6s", &[("banker", 4000, 4000)], 4),
    ] {
        let hand = baccarat::hand(faces(shoe).into_iter()).unwrap();
        assert_eq!(hand.drawn.len(), returned, "{id}");
        for (spot, stake, returned) in bets {
            assert_eq!(baccarat::returns(&hand, spot, *stake).1, *returned, "{id} {spot}");
        }
    }
}

#[test]
fn roulette_of_document_001() {
    let layout = roulette::layout();
    let total = |pocket: u8, bets: &[(&str, u64)]| {
        let back = |(spot, stake): &(&str, u64)| {
            roulette::returns(layout.iter().find(|place| place.name() == *spot).unwrap(), pocket, *stake)
        };
        bets.iter().map(back).sum::<u64>()
    };
    assert_eq!(total(0, &[("straight:0", 100), ("corner:0-1-2-3", 200), ("red", 1000), ("column:1", 500)]), 5400);
    let twelve = ["split:17-20", "street:16-17-18", "line:13-18", "corner:16-17-19-20", "dozen:2", "column:2"];
    let chances = ["black", "odd", "low", "red", "even", "high"];
    let bets: Vec<(&str, u64)> = twelve.iter().chain(&chances).map(|spot| (*spot, 100)).collect();
    assert_eq!(total(17, &bets), 5700);
}

// ---- blackjack ----

struct Answers<'c>(std::slice::Iter<'c, blackjack::Choice>);

impl blackjack::Players for Answers<'_> {
    fn ask(&mut self, _: &[Fact], open: &[blackjack::Question], _: &[u64]) -> (usize, blackjack::Choice) {
        let choice = *self.0.next().unwrap_or_else(|| panic!("{open:?} and no choice is left"));
        (0, choice)
    }
}

/// The round's facts, its stakes and its returns.
fn play(page: &Page, stakes: &[u64], shoe: &str, choices: &[blackjack::Choice]) -> (Vec<Fact>, u64, u64) {
    let bets: Vec<Opening> = stakes
        .iter()
        .enumerate()
        .map(|(at, stake)| Opening { spot: at as u8 + 1, player: at, stake: *stake })
        .collect();
    let mut script = Answers(choices.iter());
    let cards = faces(shoe);
    let facts = {
        let mut round = blackjack::Round::new(
            &bets,
            vec![1000 * stakes[0]; bets.len()],
            false,
            Shoe::in_order(cards.clone()),
            &mut script,
        );
        round.play(page).unwrap();
        round.facts
    };
    assert_eq!(script.0.next(), None);
    let lines = facts.iter().filter_map(|fact| if let Fact::Paid(lines) = fact { Some(lines) } else { None }).flatten();
    let (staked, returned) =
        lines.fold((0, 0), |(staked, returned), line| (staked + line.stake, returned + line.returned));
    (facts, staked, returned)
}

#[test]
fn blackjack_of_documents_001_003_and_004() {
    use blackjack::Choice::{self, Double, EvenMoney, Hit, Insurance, Split, Stand, Surrender};
    let live = Page::Live(Live { split_aces_one_card: true });
    let six = SixDeck {
        insurance_pays: 2,
        even_money_under_ace: false,
        late_surrender: false,
        double_any_cards: false,
        most_hands: 2,
    };
    let six = Page::SixDeck(six);
    let study = Study {
        split_by_value: false,
        most_hands: 4,
        surrender_any_time: false,
        double_any_cards: false,
        dealer_always_draws: false,
        stand_on_21: false,
    };
    let study = Page::Study(study);
    type Row<'r> = (&'r str, &'r Page, &'r [u64], &'r str, &'r [Choice], u64, u64);
    let table: &[Row<'_>] = &[
        ("G001BJ-1", &live, &[2505], "As 7d Kh Tc", &[], 2505, 6262),
        ("G001BJ-2", &live, &[2000], "9h Ad 8c Ks", &[Insurance(true)], 3000, 3000),
        ("G001BJ-3", &live, &[2000], "Ah Ad Qc Ks", &[Insurance(true)], 3000, 5000),
        ("G001BJ-6", &live, &[1000], "5h 6d 6c Ts Th 5c", &[Double(400)], 1400, 1400),
        ("G001BJ-7", &live, &[1000, 1000], "Ah Tc 7d Kd 9c 7s 4h", &[Stand], 2000, 4500),
        ("G001BJ-8", &live, &[1000], "Ac 9d Ah 8c Kh 5s", &[Split], 2000, 2000),
        ("G003-1a", &six, &[100], "As Td Kh Ac", &[EvenMoney(true)], 100, 200),
        ("G003-1b", &six, &[100], "As Td Kh Ac", &[EvenMoney(false)], 100, 100),
        ("G003-1c", &six, &[100], "As Td Kh 9c", &[EvenMoney(false)], 100, 250),
        ("G003-2", &six, &[10], "Ts Ad 6h Kc", &[Insurance(true), Stand], 15, 15),
        ("G003-3", &six, &[10], "Ts Ad 9h 7c", &[Insurance(true), Stand], 15, 20),
        ("G003-5", &six, &[50], "Ts Ad 6h Kc", &[Insurance(false), Surrender], 50, 25),
        ("G003-7", &six, &[10], "8s Td 8h Ac 3c Th Kc", &[Split, Double(10), Stand], 30, 0),
        ("G003 odd BJ", &six, &[5], "As 6d Kh 9c", &[], 5, 12),
        ("G003 odd GIVE UP", &six, &[5], "Ts 9d 6h Kc", &[Surrender], 5, 2),
        ("G003 odd premium", &six, &[5], "Ts Ad 6h Kc", &[Insurance(true), Stand], 7, 6),
        ("G004-1", &study, &[15], "As 6d Kh Tc", &[], 15, 37),
        ("G004-3", &study, &[25], "Ts Ad 6h 9c", &[Surrender], 25, 12),
        ("G004-4", &study, &[100], "5s 6d 4h Tc Kh 2s 9d", &[Double(30)], 130, 260),
        ("G004-6", &study, &[10], "As 9d Ah 9c Kh 5s 4d", &[Split, Stand, Hit, Stand], 20, 40),
    ];
    for (id, page, stakes, shoe, choices, staked, returned) in table {
        let (facts, got_staked, got_ret) = play(page, stakes, shoe, choices);
        assert_eq!((got_staked, got_ret), (*staked, *returned), "{id}: {facts:?}");
        let drawn = facts.iter().filter(|fact| matches!(fact, Fact::Dealt { .. })).count();
        let given = shoe.split_whitespace().count();
        // G004-4 leaves its last card in the shoe.
        assert_eq!(
            drawn,
            given - usize::from(*id == "G004-4"),
            "{id}: {}",
            faces(shoe).into_iter().map(text).collect::<String>()
        );
    }
}

// ---- Safe ----

struct Script<'c> {
    choices: std::slice::Iter<'c, Choice>,
    asked: Vec<Question>,
    shuffled: Option<Vec<Face>>,
}

impl<'c> Script<'c> {
    fn new(choices: &'c [Choice]) -> Self {
        Script { choices: choices.iter(), asked: vec![], shuffled: None }
    }
}

impl Players for Script<'_> {
    fn ask(&mut self, _: &[safe::Fact], question: &Question) -> Choice {
        let choice = *self.choices.next().unwrap_or_else(|| panic!("{question:?} and no choice is left"));
        assert!(question.choices.contains(&choice), "{choice:?}: {question:?}");
        self.asked.push(question.clone());
        choice
    }
    fn shuffle(&mut self, _: &[safe::Fact], cards: &[Face], _: &[usize]) -> Result<Vec<(u16, Face)>, usize> {
        self.shuffled = Some(cards.to_vec());
        Ok(cards.iter().map(|face| (u16::from(*face), *face)).collect())
    }
}

const PLAIN: Options = Options { last_round: 255, never_pass: false, declared: false };

fn in_order(texts: &str) -> Vec<(u16, Face)> {
    (0..).zip(faces(texts)).collect()
}

#[test]
fn g002_1_a_face_down_hand_survives() {
    use Choice::{Accept, FaceDown, Hit, Pass, Stand};
    let mut script = Script::new(&[FaceDown, Pass, Stand, Hit, Accept, Stand, Hit, Accept, Hit, Accept]);
    let pile = in_order("Th 9s Tc 6d 9c 5h | 5s 6c | Kc Jd 9d 7h 6h 5c | Qh Kd");
    let mut game = Game::new(PLAIN, 3, pile, &mut script);
    assert_eq!(game.play(), 0);
    assert_eq!(game.pile.len(), 0);
    let out: Vec<&safe::Fact> = game.facts.iter().filter(|fact| matches!(fact, safe::Fact::Out { .. })).collect();
    let bust = |player| safe::Fact::Out { player, cause: "bust", holder: false };
    assert_eq!(out, [&bust(1), &bust(2)]);
    assert_eq!(script.choices.next(), None);
}

/// A (T 7), B (8 6), C (Q 4), C with a face-down hand; cards not in play lie on the discards.
fn pile_runs_out(last: &str, choices: &[Choice]) -> (Vec<usize>, usize, usize) {
    let mut script = Script::new(choices);
    let pile = in_order(&format!("6c {last}"));
    let mut game = Game::new(PLAIN, 3, pile, &mut script);
    let hand = |texts: &str| Seat { hand: faces(texts), ..Seat::default() };
    game.seats = vec![hand("Th 7h"), hand("8h 6h"), hand("Qh 4h")];
    game.round = 3;
    game.closed = vec![Closed { owner: 2, round: 1, shown: faces("9d 5s"), hidden: face("2h"), pile: 0, slot: 9 }];
    let used: BTreeSet<Face> = faces(&format!("6c {last} Th 7h 8h 6h Qh 4h 9d 5s 2h")).into_iter().collect();
    game.discards = (0..52).filter(|card| !used.contains(card)).collect();
    assert_eq!(game.finish_round(), None);
    let alive = (0..3).filter(|player| !game.seats[*player].out).collect();
    let left = game.pile.len();
    (alive, left, script.shuffled.unwrap().len())
}

#[test]
fn g002_3_the_pile_runs_out() {
    use Choice::{Accept, Hit, Stand};
    let choices = [Stand, Hit, Accept, Stand, Hit, Accept];
    assert_eq!(pile_runs_out("Ah", &choices), (vec![0, 1, 2], 49, 49));
    // G002-3b: the last card busts first.
    assert_eq!(pile_runs_out("Kh", &choices), (vec![0, 1], 52, 52));
}

#[test]
fn g002_4_hit_change() {
    use Choice::{Hit, Reject, Stand};
    // Round 1: A 17; B 16 refuses K, draws 4. Round 2: A 17; B 12 refuses K, draws 2, then 3 without a question.
    let mut script = Script::new(&[Stand, Hit, Reject, Stand, Stand, Hit, Reject, Hit, Stand]);
    let pile = in_order("Th 9s 7d 7c | Kd 4s | Tc Ts 7h 2c | Kc 2d 3h | 5h 6d");
    let mut game = Game::new(Options { last_round: 2, ..PLAIN }, 2, pile, &mut script);
    assert_eq!(game.play(), 0);
    assert_eq!(game.pile.len(), 2);
    assert!(game.discards.contains(&face("Kd")) && game.discards.contains(&face("Kc")));
    assert_eq!(script.choices.next(), None);
    let may_change = |question: &Question| question.choices.iter().any(|choice| matches!(choice, Choice::Change(_)));
    let of_b: Vec<bool> =
        script.asked.iter().filter(|q| q.player == 1 && q.moment == Moment::Turn).map(may_change).collect();
    assert_eq!(of_b, [true, false, true, false, false]);
}
