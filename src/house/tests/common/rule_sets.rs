//! Rule sets by chance: every game, options within what is valid together, shoes that are soon used up.

use super::rng::Rng;
use fairshoe_games::{GameRules, Mode, Reshuffle, RuleSet, SHIPPED_RULE_SETS};

/// Values of each option of blackjack; what contradicts another is drawn again.
const BLACKJACK: &[(&str, &[&str])] = &[
    ("deal_order", &["interleaved", "pp_dd"]),
    ("up_card", &["dealt_up", "turned_after_deal"]),
    ("peek", &["none", "ace", "ten_ace"]),
    ("blackjack_pays", &["[3,2]", "[8,5]", "[2,1]", "[10,1]"]),
    ("blackjack_rounding", &["up", "down"]),
    ("hit_blackjack", &["on", "off"]),
    ("auto_stand_21", &["on", "off"]),
    ("card_limit", &["0", "3", "5", "7"]),
    ("double_amount", &["exact", "up_to"]),
    ("double_after_split", &["on", "off"]),
    ("double_any_cards", &["on", "off"]),
    ("split_by_value", &["on", "off"]),
    ("max_hands", &["2", "4", "unlimited"]),
    ("second_cards", &["when_played", "at_once"]),
    ("split_aces", &["free", "one_card"]),
    ("split_cancels_dealer_blackjack", &["on", "off"]),
    ("surrender", &["none", "early", "late"]),
    ("surrender_any_time", &["on", "off"]),
    ("insurance", &["none", "stake_back", "half"]),
    ("insurance_odds", &["none", "2:1", "3:1"]),
    ("insure_blackjack", &["on", "off"]),
    ("even_money_upcards", &["none", "ten", "ace"]),
    ("draw_against_blackjack", &["on", "off"]),
    ("dealer_always_draws", &["on", "off"]),
    ("settle_at_once", &["on", "off"]),
    ("pay_blackjack_at_once", &["on", "off"]),
    ("settlement_order", &["left_to_right", "right_to_left"]),
];

const BACCARAT: &[(&str, &[&str])] = &[
    ("decks", &["2", "8"]),
    ("commission", &["[5,100]", "[1,20]", "[0,1]"]),
    ("banker_min", &["0", "20", "101"]),
    ("tie_pays", &["8", "9"]),
];

const DRAGON_TIGER: &[(&str, &[&str])] =
    &[("decks", &["2", "8"]), ("tie_pays", &["8", "11"]), ("suited_tie_pays", &["50", "7"])];

const SIC_BO: &[(&str, &[&str])] = &[("spins", &["1", "2", "3", "7", "64"])];

const ROULETTE: &[(&str, &[&str])] = &[("spins", &["1", "2", "3", "7", "64"])];

const SAFE: &[(&str, &[&str])] = &[
    ("pass", &["after_operation", "never"]),
    ("hit_change", &["seen", "declared"]),
    ("last_round", &["1", "3", "255"]),
];

/// Blinds, clocks, rake and betting of a cash table.
const POKER: &[(&str, &[&str])] = &[
    (
        "blinds",
        &[
            r#"{"small":100,"big":200,"ante":25,"straddle":true,"entry_post":"big"}"#,
            r#"{"small":100,"big":200,"third":200,"ante":10,"straddle":true,"entry_post":"big"}"#,
            r#"{"small":100,"big":200,"ante":33,"straddle":false,"entry_post":"small"}"#,
            r#"{"small":100,"big":200,"third":300,"ante":0,"straddle":true,"entry_post":"small"}"#,
        ],
    ),
    ("stake_min", &["600", "2000"]),
    ("cash_timeout", &["fold", "check_if_free"]),
    ("clocks", &[r#"{"street_extra_ms":[1000,2000,3000,4000],"bank_ms":9000,"bank_refill_ms":700}"#]),
    ("leave_table", &[r#"{"exempt":false,"removal_counts":false,"sit_out_hands":3}"#]),
    (
        "hand",
        &[
            r#"{"family":"short_deck","hi_lo":false,"betting":{"no_limit":{"min_bet":200}},"full_blind":false,"ante_layers":false,"reopening":"any","odd_chips":"all_to_first","rake":{"basis_points":777,"cap":501,"no_flop_no_drop":false}}"#,
            r#"{"family":"omaha","hi_lo":true,"betting":{"pot_limit":{"min_bet":300}},"full_blind":false,"ante_layers":true,"reopening":"full","odd_chips":"one_each"}"#,
            r#"{"family":"holdem","hi_lo":true,"betting":{"fixed_limit":{"small_bet":200,"big_bet":400,"cap":null}},"full_blind":true,"ante_layers":false,"reopening":"any","odd_chips":"one_each","rake":{"basis_points":500,"cap":300,"no_flop_no_drop":true}}"#,
            r#"{"family":"holdem","hi_lo":false,"betting":{"fixed_limit":{"small_bet":200,"big_bet":400,"cap":4}},"full_blind":true,"ante_layers":true,"reopening":"full","odd_chips":"one_each"}"#,
        ],
    ),
];

/// A valid rule set: a shipped one with some options changed. An `owned` one is for a player's own table, and so a solo
/// one.
pub fn some_rules(rng: &mut Rng, owned: bool) -> RuleSet {
    loop {
        let shipped = RuleSet::shipped(rng.pick(SHIPPED_RULE_SETS).0).unwrap();
        let fits = !owned || shipped.table.mode == Mode::Solo;
        if let Some(rules) = fits.then(|| changed(rng, &shipped, owned)).flatten() {
            return rules;
        }
    }
}

fn changed(rng: &mut Rng, shipped: &RuleSet, owned: bool) -> Option<RuleSet> {
    let (options, most) = match &shipped.game {
        GameRules::Blackjack(_) => (BLACKJACK, 8),
        GameRules::Baccarat(_) => (BACCARAT, 3),
        GameRules::DragonTiger(_) => (DRAGON_TIGER, 3),
        GameRules::SicBo(_) => (SIC_BO, 2),
        GameRules::Roulette(_) => (ROULETTE, 2),
        GameRules::Safe(_) => (SAFE, 3),
        GameRules::Poker(_) => (POKER, 5),
    };
    let mut chosen: Vec<(&str, &str)> = Vec::new();
    for _ in 0..rng.below(most + 1) {
        let (name, values) = rng.pick(options);
        chosen.push((name, rng.pick(values)));
    }
    if !rng.one_in(3) {
        chosen.push(("crash", rng.pick(&["resume", "rollback"])));
    }
    let mut rules = shipped.with_options(chosen).ok()?;
    clocks(rng, &mut rules, owned);
    seats(rng, &mut rules);
    shoes(rng, &mut rules, owned);
    rules.validate().ok()?;
    Some(rules)
}

/// Clocks between seconds and days; at tables for everyone short ones.
fn clocks(rng: &mut Rng, rules: &mut RuleSet, owned: bool) {
    let table = &mut rules.table;
    if table.mode == Mode::Solo {
        table.reveal_time_ms = rng.pick(&[1_000, 60_000, 300_000]);
        table.round_time_ms = rng.pick(&[5_000, 120_000, 1_800_000]);
        if owned && rng.one_in(2) {
            (table.reveal_time_ms, table.round_time_ms) = (86_400_000, 86_400_000);
        }
    } else if rng.one_in(2) {
        table.bet_time_ms = rng.pick(&[2_000, 30_000, 120_000]);
        table.reveal_time_ms = rng.pick(&[2_000, 30_000, 120_000]);
        table.turn_time_ms = rng.pick(&[1_000, 30_000, 120_000]);
    }
    if table.mode == Mode::Shared {
        table.between_hands_ms = rng.pick(&[None, None, Some(0), Some(4_000)]);
        table.away_ms = rng.pick(&[None, Some(30_000), Some(90_000)]);
    }
    if table.mode == Mode::Shared && !matches!(rules.game, GameRules::Poker(_)) && rng.one_in(4) {
        table.close_early = !table.close_early;
    }
}

/// Some tables are small, so that somebody finds no seat.
fn seats(rng: &mut Rng, rules: &mut RuleSet) {
    if rules.table.mode == Mode::Shared && rng.one_in(3) {
        rules.table.seats = rng.pick(&[2, 3]);
        if let GameRules::Blackjack(blackjack) = &mut rules.game {
            blackjack.boxes = rules.table.seats;
        }
    }
}

/// Few packs, and a shoe that a round or two use up.
fn shoes(rng: &mut Rng, rules: &mut RuleSet, owned: bool) {
    let wheel = rules.composition().is_wheel();
    if matches!(rules.game, GameRules::Safe(_) | GameRules::Poker(_)) {
        return;
    }
    if let GameRules::Blackjack(blackjack) = &mut rules.game
        && rng.one_in(2)
    {
        blackjack.decks = rng.pick(&[1, 2, 4]);
    }
    let solo_for_all = rules.table.mode == Mode::Solo && !owned && !wheel;
    let slots = rules.composition().len();
    if solo_for_all {
        rules.table.reshuffle = Reshuffle::EveryRound;
    } else if !wheel {
        let left = slots.saturating_sub(rng.pick(&[5, 20, 40, 100])).max(slots / 2);
        rules.table.reshuffle = match rng.below(4) {
            0 => Reshuffle::EveryRound,
            1 => Reshuffle::CutBack(left),
            2 => Reshuffle::LeftAtMost(left),
            _ => Reshuffle::LeftBelow(left),
        };
    }
    if !wheel && rng.one_in(2) {
        rules.table.house_shuffle = !rules.table.house_shuffle;
    }
}
