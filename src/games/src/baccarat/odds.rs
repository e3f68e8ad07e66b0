//! How often each side wins, from a count of every deal (spec/games/odds.md).

use super::BaccaratRules;
use super::coup::{Coup, Spot, card_value, next_draw, outcome, points};
use crate::edge::{on_spots, win};
use crate::{BetOdds, Chips, Place, Ways};
use fairshoe_fairness::Card;

/// The endings of a coup, in the order of [`DEALS`].
const COUPS: [Coup; 3] = [Coup::Player, Coup::Banker, Coup::Tie];

/// How many ordered deals of six cards of a fresh shoe end with Player, with Banker, and level; by packs, from 1 to 8.
/// Source: `fairshoe-odds baccarat --decks N`, which counts every deal with the engine's own rules.
pub const DEALS: [[u64; 3]; 8] = [
    [6_548_674_432, 6_737_232_640, 1_372_227_328],
    [487_816_735_232, 501_543_728_128, 103_154_274_240],
    [5_837_305_562_496, 6_000_349_195_008, 1_238_768_922_816],
    [33_608_344_225_792, 34_543_624_867_840, 7_145_601_996_928],
    [130_087_780_016_000, 133_700_037_548_800, 27_690_387_926_400],
    [392_220_492_728_832, 403_095_751_234_560, 83_552_962_932_288],
    [995_884_732_700_032, 1_023_469_376_328_448, 212_268_385_833_280],
    [2_230_518_282_592_256, 2_292_252_566_437_888, 475_627_426_473_216],
];

impl BetOdds for BaccaratRules {
    fn kind(&self, spot: &str) -> Option<&'static str> {
        Spot::parse(spot).map(Spot::name)
    }

    fn ways(&self, bets: &[(&str, Chips)]) -> Option<Ways> {
        let bets = on_spots(bets, Spot::parse)?;
        let deals = DEALS.get(usize::from(self.decks).checked_sub(1)?)?;
        let coups = COUPS.into_iter().zip(*deals);
        coups.map(|(coup, ways)| Some((win(&bets, |spot, stake| self.payout(*spot, coup, stake))?, ways))).collect()
    }

    fn decided(&self, dealt: &[(Place, Card)]) -> Option<usize> {
        let values = |spot: Spot| {
            let place = Place::spot(spot.name());
            dealt.iter().filter(|(to, _)| Some(*to) == place).map(|(_, card)| card_value(*card)).collect::<Vec<u8>>()
        };
        let (player, banker) = (values(Spot::Player), values(Spot::Banker));
        let is_over = !player.is_empty() && next_draw(&player, &banker).is_none();
        is_over.then(|| COUPS.iter().position(|coup| *coup == outcome(points(&player), points(&banker)))).flatten()
    }
}
