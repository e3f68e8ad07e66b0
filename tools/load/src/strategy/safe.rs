//! A program's play of Safe: any offered action, or careful play so that games last.

use super::{Strategy, one_of};
use fairshoe_fairness::{Card, Stream};
use fairshoe_games::{Action, ActionKind, Decision, Offer};
use serde_json::Value;

/// A choice among the options of a Safe decision. The random strategy takes any. The others are careful enough for
/// games to last until a pile runs out, and bold enough for them to end.
pub(super) fn choose(
    strategy: Strategy,
    view: &Value,
    decision: &Decision,
    options: &[Offer],
    random: &mut Stream,
) -> Option<Action> {
    let players = view.get("players")?.as_array()?;
    let own = players.iter().find(|player| player["player"].as_str() == Some(decision.player.as_str()))?;
    let total = own["hand"]["total"].as_u64().unwrap_or_default();
    let cards: Vec<Card> = own["hand"]["cards"].as_array().into_iter().flatten().filter_map(card).collect();
    let weight = |offer: &Offer| match (strategy, offer.action) {
        // The action must name a card; a hand whose only card is face-down has none to name.
        (_, ActionKind::Change) if cards.is_empty() => 0,
        (Strategy::Random, _) => 1,
        (_, ActionKind::Hit) if total <= 11 => 8,
        (_, ActionKind::Stand) => 12,
        (_, ActionKind::Accept | ActionKind::Pass) => 4,
        (_, ActionKind::Change | ActionKind::Reject | ActionKind::FaceDown) => 2,
        _ => 1,
    };
    let mut left = one_of(options.iter().map(weight).sum(), random);
    let chosen = options.iter().find(|offer| match left.checked_sub(weight(offer)) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    })?;
    Some(match chosen.action {
        ActionKind::Hit => Action::Hit,
        ActionKind::Stand => Action::Stand,
        ActionKind::FaceDown => Action::FaceDown,
        ActionKind::Change => Action::Change { card: *cards.get(one_of(cards.len(), random))? },
        ActionKind::Accept => Action::Accept,
        ActionKind::Reject => Action::Reject,
        ActionKind::Open => Action::Open { hand: None },
        ActionKind::Discard => Action::Discard { hand: None },
        ActionKind::Pass => Action::Pass,
        _ => return None,
    })
}

fn card(view: &Value) -> Option<Card> {
    view["card"].as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_fairness::PlayerId;
    use fairshoe_games::Place;
    use std::collections::BTreeSet;

    #[test]
    fn every_offered_word_is_chosen_and_no_other() {
        use ActionKind::*;
        let decision = Decision {
            number: 0,
            player: PlayerId::parse("bob").unwrap(),
            place: Place::Hand { spot: 2, hand: 1 },
            deadline: 0,
        };
        let view = serde_json::json!({ "players": [
            { "player": "alice", "hand": { "total": 5, "cards": [{ "card": "2c" }, { "card": "3c" }] } },
            { "player": "bob", "hand": { "total": 14, "cards": [{ "card": "Td" }, { "card": "4h" }] } }
        ] });
        let words = [Hit, Stand, FaceDown, Change, Accept, Reject, Open, Discard, Pass];
        let options: Vec<Offer> = words.iter().map(|&action| Offer::free(action)).collect();
        for strategy in [Strategy::Random, Strategy::Basic] {
            let mut random = Stream::new([7; 32]);
            let mut seen = BTreeSet::new();
            for _ in 0..2000 {
                let action = choose(strategy, &view, &decision, &options, &mut random).unwrap();
                if let Action::Change { card } = action {
                    assert!(["Td", "4h"].contains(&card.to_string().as_str()));
                }
                seen.insert(action.kind());
            }
            assert_eq!(seen, words.into_iter().collect(), "{strategy:?}");
            let pass = [Offer::free(Pass)];
            assert_eq!(choose(strategy, &view, &decision, &pass, &mut random), Some(Action::Pass));
            assert_eq!(choose(strategy, &view, &decision, &[], &mut random), None);
        }
    }
}
