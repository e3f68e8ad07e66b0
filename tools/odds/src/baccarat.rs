//! Baccarat, exactly: every deal of a fresh shoe, counted to the last one with the engine's own rules of drawing.

use crate::render::{grouped, percent};
use crate::ruleset::chips;
use crate::{BaccaratArgs, Fraction, UnusableInput, read_rule_set};
use fairshoe_fairness::Card;
use fairshoe_games::baccarat::{BaccaratRules, Coup, Side, Spot, card_value, next_draw, outcome, points};
use fairshoe_games::{Chips, GameRules};
use serde::Serialize;

/// The most cards of a coup; each deal is counted with this many.
const MOST_CARDS: u64 = 6;

/// The number of ordered deals of six cards for each ending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Deals {
    /// Player wins.
    pub player: u64,
    /// Banker wins.
    pub banker: u64,
    /// Equal points.
    pub tie: u64,
}

impl Deals {
    /// Counts every deal of a shoe of so many packs, 1 to 8.
    pub fn count(decks: u8) -> Deals {
        let mut left = [0u64; 10];
        for card in (0..Card::COUNT).filter_map(Card::from_code) {
            if let Some(left) = left.get_mut(usize::from(card_value(card))) {
                *left += u64::from(decks);
            }
        }
        let mut deals = Deals::default();
        let cards = left.iter().sum();
        count(&mut left, cards, cards.saturating_sub(MOST_CARDS), &mut Vec::new(), &mut Vec::new(), 1, &mut deals);
        deals
    }

    /// The number of all deals.
    pub fn all(&self) -> u64 {
        self.player + self.banker + self.tie
    }

    fn of(&self, coup: Coup) -> u64 {
        match coup {
            Coup::Player => self.player,
            Coup::Banker => self.banker,
            Coup::Tie => self.tie,
        }
    }
}

/// `cards` are left of the shoe, and `end` will be left after six. A coup that stops early counts for every order of
/// the remaining cards. Eight packs have fewer than 2^53 deals of six, so no number here is out of range.
fn count(
    left: &mut [u64; 10],
    cards: u64,
    end: u64,
    player: &mut Vec<u8>,
    banker: &mut Vec<u8>,
    ways: u64,
    deals: &mut Deals,
) {
    let Some(side) = next_draw(player, banker) else {
        let ways = ways * (end + 1..=cards).product::<u64>();
        match outcome(points(player), points(banker)) {
            Coup::Player => deals.player += ways,
            Coup::Banker => deals.banker += ways,
            Coup::Tie => deals.tie += ways,
        }
        return;
    };
    for value in 0..10u8 {
        let Some(here) = left.get_mut(usize::from(value)).filter(|here| **here > 0) else { continue };
        let choices = *here;
        *here -= 1;
        match side {
            Side::Player => player.push(value),
            Side::Banker => banker.push(value),
        }
        count(left, cards - 1, end, player, banker, ways * choices, deals);
        match side {
            Side::Player => player.pop(),
            Side::Banker => banker.pop(),
        };
        if let Some(here) = left.get_mut(usize::from(value)) {
            *here = choices;
        }
    }
}

/// The house edge of a bet at one stake.
#[derive(Clone, Debug, Serialize)]
pub struct BetEdge {
    /// The spot: `player`, `banker` or `tie`.
    pub spot: &'static str,
    /// The stake in units.
    pub stake: u64,
    /// The return of a win, including the stake.
    pub returns: u64,
    /// The house edge.
    pub edge: Fraction,
}

/// The result of `baccarat`.
#[derive(Clone, Debug, Serialize)]
pub struct BaccaratReport {
    /// The rule set.
    pub ruleset: String,
    /// Packs in the shoe.
    pub decks: u8,
    /// How the deals end.
    pub deals: Deals,
    /// The edges, by stake and spot.
    pub bets: Vec<BetEdge>,
}

/// The average loss of the bet, by the engine's own payout, over all deals.
pub fn edge(rules: &BaccaratRules, deals: &Deals, spot: Spot, stake: Chips) -> Option<Fraction> {
    let mut lost: i128 = 0;
    for coup in [Coup::Player, Coup::Banker, Coup::Tie] {
        let net = rules.payout(spot, coup, stake)?.signed().checked_sub(stake.signed())?;
        lost = lost.checked_sub(i128::from(net).checked_mul(i128::from(deals.of(coup)))?)?;
    }
    Fraction::new(lost, i128::from(deals.all()).checked_mul(i128::from(stake.signed()))?)
}

/// Counts every deal and settles each bet at the given stakes.
pub fn run(args: &BaccaratArgs) -> Result<BaccaratReport, UnusableInput> {
    let mut set = args.set.clone();
    if let Some(decks) = args.decks {
        set.push(format!("decks={decks}"));
        // The cut card's place does not matter here, but must fit the smaller shoe.
        set.push("reshuffle=every_round".into());
    }
    let rule_set = read_rule_set(&args.ruleset, &set)?;
    let GameRules::Baccarat(rules) = &rule_set.game else {
        return Err(UnusableInput(format!(
            "`{}` is a rule set of {}, not of baccarat",
            rule_set.name,
            rule_set.game.word()
        )));
    };
    let deals = Deals::count(rules.decks);
    let mut bets = Vec::new();
    let stakes = if args.stake.is_empty() { &[100][..] } else { &args.stake };
    for units in stakes {
        let stake = chips(*units)?;
        if stake == Chips::ZERO {
            return Err(UnusableInput("a stake is at least 1".into()));
        }
        for spot in Spot::ALL {
            let won = match spot {
                Spot::Player => Coup::Player,
                Spot::Banker => Coup::Banker,
                Spot::Tie => Coup::Tie,
            };
            let out_of_range = || UnusableInput(format!("a stake of {units} leaves the range of amounts"));
            if spot == Spot::Banker && stake < rules.banker_min {
                // The rule set refuses this bet, so it has no edge.
                continue;
            }
            bets.push(BetEdge {
                spot: spot.name(),
                stake: *units,
                returns: rules.payout(spot, won, stake).ok_or_else(out_of_range)?.units(),
                edge: edge(rules, &deals, spot, stake).ok_or_else(out_of_range)?,
            });
        }
    }
    Ok(BaccaratReport { ruleset: rule_set.name.clone(), decks: rules.decks, deals, bets })
}

impl BaccaratReport {
    /// The report in words.
    pub fn text(&self) -> String {
        let all = self.deals.all();
        let mut lines = vec![format!(
            "{}, {} pack(s): all {} ordered deals of six cards",
            self.ruleset,
            self.decks,
            grouped(all.into())
        )];
        for (word, ways) in [("player", self.deals.player), ("banker", self.deals.banker), ("tie", self.deals.tie)] {
            let share = Fraction::new(ways.into(), all.into()).map_or(0.0, Fraction::value);
            lines.push(format!("  {word:<7} {:>25}  {}", grouped(ways.into()), percent(share)));
        }
        lines.push("  bet         stake    a win returns   house edge".into());
        for bet in &self.bets {
            let edge = bet.edge;
            lines.push(format!(
                "  {:<7} {:>9} {:>16}   {} = {edge}",
                bet.spot,
                bet.stake,
                bet.returns,
                percent(edge.value())
            ));
        }
        lines.join("\n") + "\n"
    }
}
