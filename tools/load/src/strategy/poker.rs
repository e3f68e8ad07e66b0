//! A program's play of a hand of poker: any offered action, mostly checks and calls, or all in and folds. It looks at
//! no card.

use super::{Strategy, chance, one_of};
use fairshoe_fairness::Stream;
use fairshoe_games::{Action, ActionKind, Chips, Offer};

/// Per cent of turns at which a careful player raises if they may, folds instead of paying, or shows a hand.
const RAISES: u8 = 12;
const FOLDS: u8 = 25;
const SHOWS: u8 = 70;

/// Per cent of turns at which a player with the all-in strategy goes all in.
const SHOVES: u8 = 25;

/// A choice among the options of a decision in poker. The random strategy takes any, with amounts anywhere within their
/// bounds; the others mostly check and call, fold some, and raise by the least.
pub(super) fn choose(strategy: Strategy, options: &[Offer], random: &mut Stream) -> Option<Action> {
    let offered = |kind: ActionKind| options.iter().find(|offer| offer.action == kind);
    if strategy == Strategy::Random {
        let offer = options.get(one_of(options.len(), random))?;
        return action(offer, |least, most| between(least, most, random));
    }
    if strategy == Strategy::AllIn {
        let raise = offered(ActionKind::Raise).or(offered(ActionKind::Bet)).or(offered(ActionKind::Call));
        let shove = raise.filter(|_| chance(SHOVES, random));
        let rest = [ActionKind::Check, ActionKind::Fold, ActionKind::Call, ActionKind::Show].into_iter();
        return action(shove.or(rest.filter_map(offered).next())?, |_, most| most);
    }
    let raise = offered(ActionKind::Raise).or(offered(ActionKind::Bet)).filter(|_| chance(RAISES, random));
    let fold = offered(ActionKind::Fold).filter(|_| offered(ActionKind::Check).is_none() && chance(FOLDS, random));
    let muck = offered(ActionKind::Muck).filter(|_| !chance(SHOWS, random));
    let plain = [ActionKind::Check, ActionKind::Call, ActionKind::Show].into_iter().find_map(offered);
    action(raise.or(fold).or(muck).or(plain)?, |least, _| least)
}

fn action(offer: &Offer, amount: impl FnOnce(Chips, Chips) -> Chips) -> Option<Action> {
    Some(match (offer.action, offer.to) {
        (ActionKind::Fold, _) => Action::Fold,
        (ActionKind::Check, _) => Action::Check,
        (ActionKind::Call, _) => Action::Call,
        (ActionKind::Show, _) => Action::Show,
        (ActionKind::Muck, _) => Action::Muck,
        (ActionKind::Bet, Some((least, most))) => Action::Bet { to: amount(least, most) },
        (ActionKind::Raise, Some((least, most))) => Action::Raise { to: amount(least, most) },
        _ => return None,
    })
}

/// Any amount from `least` to `most`, in steps of a 64th of the range, including both ends.
fn between(least: Chips, most: Chips, random: &mut Stream) -> Chips {
    let span = u128::from(most.units().saturating_sub(least.units()));
    let part = u128::try_from(one_of(65, random)).unwrap_or_default();
    let more = u64::try_from(span * part / 64).unwrap_or_default();
    Chips::new(least.units().saturating_add(more)).unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_offered_word_is_chosen_and_amounts_keep_to_their_bounds() {
        use ActionKind::*;
        let chips = |units| Chips::new(units).unwrap();
        let bounds = Some((chips(400), chips(9_000)));
        let raise = |action| Offer { action, cost: chips(9_000), to: bounds };
        let turns: [(&[Offer], &[ActionKind]); 3] = [
            (&[Offer::free(Fold), Offer::free(Check), raise(Bet)], &[Check, Bet]),
            (&[Offer::free(Fold), Offer::costing(Call, chips(200)), raise(Raise)], &[Fold, Call, Raise]),
            (&[Offer::free(Show), Offer::free(Muck)], &[Show, Muck]),
        ];
        for (options, careful) in turns {
            for strategy in [Strategy::Random, Strategy::Basic] {
                let (mut random, mut seen, mut amounts) = (Stream::new([9; 32]), BTreeSet::new(), BTreeSet::new());
                for _ in 0..3000 {
                    let action = choose(strategy, options, &mut random).unwrap();
                    if let Action::Bet { to } | Action::Raise { to } = action {
                        amounts.insert(to.units());
                    }
                    seen.insert(action.kind());
                }
                let all: BTreeSet<_> = options.iter().map(|offer| offer.action).collect();
                let expected = if strategy == Strategy::Random { all } else { careful.iter().copied().collect() };
                assert_eq!(seen, expected, "{strategy:?}");
                if let (Strategy::Random, Some(least)) = (strategy, amounts.first()) {
                    assert_eq!((*least, amounts.last()), (400, Some(&9_000)));
                }
            }
        }
        assert_eq!(choose(Strategy::Basic, &[], &mut Stream::new([1; 32])), None);
    }

    #[test]
    fn all_in_is_with_everything_or_not_at_all() {
        use ActionKind::*;
        let chips = |units| Chips::new(units).unwrap();
        let raise = Offer { action: Raise, cost: chips(9_000), to: Some((chips(400), chips(9_000))) };
        let turn = [Offer::free(Fold), Offer::costing(Call, chips(200)), raise];
        let mut random = Stream::new([9; 32]);
        let chosen: Vec<Action> = (0..200).filter_map(|_| choose(Strategy::AllIn, &turn, &mut random)).collect();
        let all_in = Action::Raise { to: chips(9_000) };
        assert!(chosen.iter().all(|action| *action == Action::Fold || *action == all_in));
        assert!(chosen.contains(&Action::Fold) && chosen.contains(&all_in) && chosen.len() == 200);
        assert_eq!(choose(Strategy::AllIn, &[Offer::free(Show), Offer::free(Muck)], &mut random), Some(Action::Show));
    }
}
