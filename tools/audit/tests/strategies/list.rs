//! The strategies, in the order of the table in spec/audit.md, and what of them nothing finds.

use crate::judged::Evidence;
use crate::worth::Worth;
use crate::{blackjack, events, pots, powers, unheard, wheel};

/// A log that a strategy left, and what it earned.
pub struct Played {
    pub evidence: Evidence,
    pub worth: Worth,
}

pub struct Strategy {
    /// What the house does.
    pub does: &'static str,
    pub game: &'static str,
    /// Rounds of a quick run.
    pub rounds: usize,
    pub run: fn(usize) -> Played,
    /// A figure of `log`'s report that names the matter, where neither a check nor a chance does.
    pub told: Option<&'static str>,
}

const fn plays(does: &'static str, game: &'static str, rounds: usize, run: fn(usize) -> Played) -> Strategy {
    Strategy { does, game, rounds, run, told: None }
}

const fn told(strategy: Strategy, figure: &'static str) -> Strategy {
    Strategy { told: Some(figure), ..strategy }
}

/// The most that rounds void for want of a seed could have been worth, as a share of all stakes.
const WITHHELD_WORTH: &str = "/leaning/withheld_worth/0/share";

#[rustfmt::skip]
pub const STRATEGIES: &[Strategy] = &[
    plays("deals shoes without aces; before the cut card a shill's seed is awaited for ever", "live-blackjack", 100, blackjack::shoes_without_aces),
    plays("deals a shoe without aces; everybody leaves before its cut card", "live-blackjack", 60, blackjack::shoe_left_idle),
    plays("swaps cards when it knows the seeds, and leaves shoes before their end", "baccarat", 200, wheel::chosen_cards),
    plays("chooses pockets when it knows the offset, and leaves wheels before their last spin", "roulette", 250, wheel::chosen_pockets),
    plays("the same at a wheel of 4,096 spins, and goes out of business", "roulette", 250, wheel::pockets_until_the_end),
    plays("the same, and hides the wheel behind the end of its log", "roulette", 250, wheel::pockets_behind_the_end),
    plays("stops a hand whenever the deck with two aces of spades would be published", "holdem", 20, pots::bad_deck_is_never_shown),
    plays("voids every hand that it would lose before it logs the seed", "joy", 200, blackjack::voids_before_the_seed),
    plays("voids every fifth such hand", "joy", 300, blackjack::voids_every_fifth_win),
    plays("lets every fifth such seed go missing", "joy", 300, blackjack::swallows_every_fifth_win),
    plays("the same, and the clients hand their seeds in late", "joy", 300, blackjack::swallows_and_seeds_come_late),
    plays("the same, and as many seeds of fresh names who lose", "joy", 300, blackjack::swallows_and_shills_lose_as_much),
    plays("does not hear the player of every fourth hand that default play would win, and refunds it", "joy, `abandon: refund`", 300, blackjack::does_not_hear_winners),
    plays("declares a malfunction in every third round that it would lose", "live-blackjack", 150, blackjack::camera_fails),
    plays("declares malfunctions in a player's big wins, and in as many losses of fresh names", "joy", 400, blackjack::camera_fails_at_big_wins_and_for_shills),
    plays("dies before the last seed of every fourth round that it would lose; the table rolls back", "live-blackjack", 150, blackjack::dies_before_it_loses),
    plays("dies before its friend loses, two times in three", "safe", 40, pots::crashes_for_a_friend_at_safe),
    plays("dies before its friend loses much, two times in three", "holdem", 400, pots::crashes_for_a_friend_at_poker),
    plays("declares malfunctions instead", "holdem", 400, pots::camera_fails_for_a_friend),
    plays("deals one seed as candidate 0 of every hand, and its friend knows it", "holdem", 40, pots::one_seed_for_every_hand),
    plays("commits one deck twice, so that the one shown is the one dealt", "holdem", 30, pots::both_candidates_alike),
    plays("says half a second after the offer that the turn is over", "live-blackjack", 60, blackjack::turns_end_at_once),
    plays("dates its log seventy years ahead, where deadlines pass at once", "joy", 200, blackjack::dated_ahead),
    plays("has two shills ask for new shoes in turn, when the shoe favours the players", "live-blackjack", 250, blackjack::shills_ask_for_new_shoes),
    plays("restarts then", "live-blackjack", 250, blackjack::restarts_when_rich),
    plays("shuffles at its discretion then", "live-blackjack, `house_shuffle`", 250, blackjack::shuffles_when_rich),
    plays("closes the table then and opens another", "live-blackjack", 250, blackjack::closes_rich_tables),
    told(plays("announces \"no more bets\" then before the players have bet", "live-blackjack", 250, blackjack::announces_when_rich), "/book/by_operator/close_bets"),
    plays("has six shills draw the high cards out of the shoe from its first round on", "live-blackjack", 150, blackjack::shills_draw_the_high_cards),
    told(plays("has fresh names withhold their seeds at a third of the wins on a number", "roulette", 400, wheel::throw_away_shills), WITHHELD_WORTH),
    told(plays("has fresh names withhold at a third of the players' wins", "live-blackjack", 150, blackjack::shills_withhold), WITHHELD_WORTH),
    told(plays("has fresh names withhold at a tenth of the wins on Player", "baccarat", 200, wheel::throw_away_shills_at_baccarat), WITHHELD_WORTH),
    told(plays("has fresh names withhold at two in three of a player's big wins", "holdem", 120, pots::shills_withhold), "/leaning/withheld_worth/0/withheld"),
    plays("does not hear hits that would help", "live-blackjack", 250, blackjack::swallows_hits),
    plays("the same, but signed to have received the first of them", "live-blackjack", 100, blackjack::swallows_hits_signed_for),
    told(plays("logs that a player stands whose hit would help, in the name of one without a key", "live-blackjack", 250, blackjack::logs_other_choices), "/book/by_players/unsigned/commands/act"),
    plays("the same, but signed to have received the first hit", "live-blackjack", 100, blackjack::logs_other_choices_signed_for),
    plays("does not hear who has the best hand, every second hand", "holdem", 40, pots::swallows_the_winners_calls),
    plays("the same, but signed to have received the first call", "holdem", 40, pots::swallows_calls_signed_for),
    plays("does not hear a player's commitments in a tournament, who is blinded out", "freezeout-6", 1, unheard::drops_commitments),
    plays("the same, but signed to have received one of them", "freezeout-6", 1, unheard::drops_commitments_signed_for),
    told(plays("accepts a deal in the name of a player without a key", "freezeout-6", 1, unheard::accepts_a_deal), "/book/by_players/unsigned/commands/answer_deal"),
    plays("the same, but signed to have received that the player refuses", "freezeout-6", 1, unheard::accepts_a_deal_signed_for),
    plays("tells its friend everybody's cards", "holdem", 30, pots::friend_is_told_the_cards),
    told(plays("plays with a key that it gave to somebody else's name, and takes the chips out", "holdem", 30, pots::borrowed_key), "/book/keys/by_operator"),
    told(plays("calls rules roulette that pay a number 17:1", "roulette", 250, wheel::roulette_in_name), "/book/renamed"),
    told(plays("calls them rou1ette instead", "roulette", 250, wheel::roulette_by_look), "/book/own_rules"),
    told(plays("takes a tenth of every win back as a correction", "joy", 150, pots::corrects_wins), "/book/ledger/corrected"),
    told(plays("has a tenth of every win withdrawn in the player's name", "joy", 150, pots::withdraws_for_her), "/book/ledger/withdrawn"),
    told(plays("has a fifth of every win taken to its wallet instead", "joy", 150, pots::wallet_takes_for_her), "/book/out/wallet_withdraw/operator/amount"),
    told(plays("sends a fifth of every win to another log of its own", "joy", 150, pots::sends_away_for_her), "/book/out/transfer_out/operator/amount"),
    told(plays("offers vouchers for prizes, and accepts them in the names of players without keys", "tournament", 4, events::vouchers_for_prizes), "/book/events/substituted"),
    told(plays("goes down for half an hour in a tournament whose guarantee is not met", "tournament", 2, events::down_for_the_guarantee), "/book/events/spared_by_crash"),
    plays("cancels tournaments as of its friend's best moment, once the friend is out", "tournament", 12, events::as_of_a_friends_best_moment),
    told(plays("calls a structure freezeout-6- whose fee is half the price", "tournament", 4, events::half_the_price_is_a_fee), "/book/own_structures"),
    told(plays("fills tournaments with its own, who reach the paid places before registration ends", "tournament", 4, events::places_reached_early), "/book/events/spared_by_itm"),
    plays("disqualifies whoever is left beside its friend", "tournament", 12, events::disqualifies_the_last_stranger),
    told(plays("unseats the players when the shoe favours them", "live-blackjack", 60, blackjack::unseats_when_rich), "/book/by_operator/unseat"),
    told(plays("creates a player with a key that it made, and signs a fifth of every win away", "joy", 60, powers::signs_with_a_key_it_made), "/book/by_players/operators_keys/commands/withdraw"),
    told(plays("cancels tournaments a minute before their start, since the guarantee is not met", "tournament", 2, powers::cancels_before_the_start), "/book/events/spared_before_start"),
    told(plays("goes down for half an hour when they would begin", "tournament", 2, powers::down_at_the_start), "/book/events/spared_before_start"),
    told(plays("cancels the event for which satellites gave seats", "tournament", 2, powers::satellites_for_nothing), "/book/events/t_dollars"),
    told(plays("calls a structure freezeout-6-r whose rebuys are all fee", "tournament", 2, powers::rebuys_are_all_fee), "/book/own_structures_listed/0/rebuy"),
    plays("has a friend sell all of their entry, who stays away", "tournament", 1, powers::sells_an_entry_and_stays_away),
    plays("dies before its friend loses in a tournament", "tournament", 5, powers::dies_for_a_friend_in_a_tournament),
    plays("makes its players' seeds, and takes the worst of four shoes for every second hand", "joy", 200, powers::knows_the_seeds),
    told(plays("declares malfunctions for a friend, and goes on under a new name before it shows", "holdem", 40, powers::begins_anew_before_it_shows), "/book/goes_on_from"),
    told(plays("goes on from before a player's large win: its disk is lost", "joy", 20, powers::loses_what_was_won), "/book/goes_on_from"),
    plays("declares malfunctions for a friend, and one more at its own table at larger stakes", "holdem", 400, pots::hides_voids_behind_larger_ones),
    told(plays("signs to have received hits that would help, dies, and does not hear them again", "live-blackjack", 50, blackjack::signs_and_dies), "/kept/notes_lost"),
    plays("signs that it received the first such hit in a hundred years", "live-blackjack", 50, blackjack::signs_for_another_time),
    told(plays("postpones a tournament to an hour at which the strangers do not come", "tournament", 2, powers::postpones_into_the_night), "/book/events/postponed"),
    told(plays("sets a bounty on the strangers' heads, which they pay, and none on its friend's", "tournament", 6, powers::bounties_on_strangers), "/book/events/bounties_set"),
    told(plays("closes late entries and the way back, once strangers have entered who do not come", "tournament", 2, powers::closes_the_way_back), "/book/events/times_changed"),
    told(plays("bets in the name of a player without a key, with seeds that lose to the committed shoe", "joy", 60, powers::bets_in_her_name), "/book/by_players/unsigned/commands/bet"),
];

/// Houses that do nothing of the kind, with players who play as the victims do.
pub const HONEST: &[Strategy] = &[
    plays("honest", "joy", 300, blackjack::honest_joy),
    plays("honest", "live-blackjack", 150, blackjack::honest_live),
    plays("honest", "six-deck", 150, blackjack::honest_six_deck),
    plays("honest", "roulette", 250, wheel::honest_roulette),
    plays("honest, and ends its log", "roulette", 250, wheel::honest_roulette_to_the_end),
    plays("honest", "baccarat", 200, wheel::honest_baccarat),
    plays("honest", "holdem", 40, pots::honest_poker),
    plays("honest", "safe", 30, pots::honest_safe),
    plays("honest, and goes on from another log", "joy", 60, powers::honest_log_that_goes_on),
];

/// What nothing finds, and what it is worth: named in spec/fairness.md, "Not promised", and in the README's limits.
#[rustfmt::skip]
pub const LIMITS: &[(&str, &str)] = &[
    ("lets every fifth such seed go missing", "does not hear a player's seed, and calls it missing"),
    ("dies before the last seed of every fourth round that it would lose; the table rolls back", "at a table that publishes `crash: rollback`"),
    ("does not hear hits that would help", "does not hear a player's action"),
    ("does not hear who has the best hand, every second hand", "does not hear a player's action"),
    ("does not hear a player's commitments in a tournament, who is blinded out", "does not hear a player's commitments in a tournament"),
    ("has a friend sell all of their entry, who stays away", "lets a friend sell parts of their entry, and then stay away"),
    ("makes its players' seeds, and takes the worst of four shoes for every second hand", "makes its players' seeds, by a page or program of its own"),
    ("tells its friend everybody's cards", "tells a friend everybody's cards at poker"),
];
