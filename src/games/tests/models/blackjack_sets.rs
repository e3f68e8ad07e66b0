//! Random rule sets and shoes for the blackjack driver.

use crate::models::blackjack::{Live, Page, SixDeck, Study};
use crate::models::cards::{self, Dice, Shoe};

/// A rule set with some options, and the page that describes it.
pub struct Set {
    pub name: &'static str,
    pub lanes: bool,
    pub packs: usize,
    pub boxes: u8,
    pub page: Page,
    pub options: Vec<(&'static str, String)>,
}

fn on(yes: bool) -> String {
    if yes { "on".into() } else { "off".into() }
}

/// A rule set and its page: one time in three as shipped, apart from the stakes.
pub fn random_set(dice: &mut Dice) -> Set {
    let plain = dice.one_in(3);
    let mut yes = |odds: usize| !plain && dice.one_in(odds);
    let mut options =
        vec![("stake_min", "1".to_owned()), ("stake_step", "1".to_owned()), ("stake_max", "1000000".to_owned())];
    let (toss, six, eight, late, ace) = (yes(2), yes(2), yes(2), yes(2), yes(2));
    let (any, by_value, any_time, always, stand) = (yes(2), yes(2), yes(2), yes(2), yes(2));
    let limit = if plain { 0 } else { 1 + dice.below(4) };
    match dice.below(6) {
        kind @ (0 | 1) => {
            options.push(("split_aces", if toss { "free" } else { "one_card" }.into()));
            let page = Page::Live(Live { split_aces_one_card: !toss });
            let (name, boxes) = if kind == 0 { ("live-blackjack", 7) } else { ("rng-blackjack", 1) };
            if kind == 0 {
                options.push(("bets_per_player", "7".into()));
            }
            Set { name, lanes: kind == 0, packs: 8, boxes, page, options }
        }
        kind @ (2 | 3) => {
            let most_hands = [2, 2, 3, 4, usize::MAX][limit];
            options.extend([
                ("insurance_odds", if toss { "3:1" } else { "2:1" }.into()),
                ("surrender", if late { "late" } else { "early" }.into()),
                ("even_money_upcards", if ace { "ace" } else { "ten" }.into()),
                ("double_any_cards", on(any)),
                ("max_hands", if most_hands > 4 { "unlimited".into() } else { most_hands.to_string() }),
            ]);
            let page = Page::SixDeck(SixDeck {
                insurance_pays: if toss { 3 } else { 2 },
                even_money_under_ace: ace,
                late_surrender: late,
                double_any_cards: any,
                most_hands,
            });
            Set {
                name: if kind == 2 { "six-deck" } else { "six-deck-solo" },
                lanes: kind == 2,
                packs: 6,
                boxes: 5,
                page,
                options,
            }
        }
        kind => {
            let most_hands = [4, 2, 3, 4, usize::MAX][limit];
            let packs = if six && eight { 8 } else { 6 };
            options.extend([
                ("decks", packs.to_string()),
                ("split_by_value", on(by_value)),
                ("surrender_any_time", on(any_time)),
                ("double_any_cards", on(any)),
                ("dealer_always_draws", on(always)),
                ("auto_stand_21", on(stand)),
                ("max_hands", if most_hands > 4 { "unlimited".into() } else { most_hands.to_string() }),
            ]);
            if kind == 4 {
                options.push(("bets_per_player", "7".into()));
            }
            let page = Page::Study(Study {
                split_by_value: by_value,
                most_hands,
                surrender_any_time: any_time,
                double_any_cards: any,
                dealer_always_draws: always,
                stand_on_21: stand,
            });
            Set {
                name: if kind == 4 { "study-group" } else { "study-group-solo" },
                lanes: kind == 4,
                packs,
                boxes: 7,
                page,
                options,
            }
        }
    }
}

/// A shoe of which some cards are drawn already; its slots are in random order.
pub fn random_shoe(dice: &mut Dice, packs: usize, lanes: usize) -> Shoe {
    let pile = cards::random_pile(dice, packs);
    let left = match dice.below(12) {
        0 => 4 + dice.below(40),
        1..=4 => pile.len() / 4,
        _ => pile.len(),
    };
    // A permutation by a number that has no factor in common with 52 × packs.
    let (step, offset) = (dice.of(&[1, 5, 17, 25, 77, 101]), dice.below(pile.len()));
    let slot = |number: usize| (number * step + offset) % pile.len();
    let mut by_slot = vec![0; pile.len()];
    for (number, face) in pile.iter().enumerate() {
        by_slot[slot(number)] = *face;
    }
    let order = (0..left).map(|number| slot(number) as u16).collect();
    Shoe::new(by_slot, order, lanes)
}
