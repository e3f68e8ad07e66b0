//! Games of Safe as scripts: what is done, and what then holds.

use super::{Game, RuleSet, cards, name, pack, pile_of, safe_with, text};
use fairshoe_games::RoundEvent;

/// Tests that are scripts.
macro_rules! scripts {
    ($($(#[$doc:meta])* fn $name:ident() $script:literal;)*) => {
        $($(#[$doc])* #[test] fn $name() { $crate::safe_table::scripts::play($script); })*
    };
}
pub(crate) use scripts;

/// Statements stand between `;` and on lines of their own; `//` begins a comment.
///
/// What is done:
/// - `new 3 Ks Kc …`: a game of three, with these cards first; `staged 2 Ks Kc / Td Qc`: [`Game::staged`]. `with
///   pass=never …`: the options of the games after it.
/// - `do hit accept`; `burned` and `burn hit accept`: [`Game::burn`] to the tail of a staged game, and the words after it.
/// - `lapse 2`: the clock, twice; `shuffle Td 2h` and `absent cat`: the house; `fork`, `back`: the game as it was.
///
/// What then holds:
/// - `asks ann: hit stand`, or `asks ann`; `no WORD RULE`: it is refused, by the rule.
/// - `is`, `starts`, `ends`, `has`, `lacks`: of the trace since what was done last; `won ann:last_alive`.
/// - `total ann 21`; `done bob`: no more turn for them; `changed ann`: the right to change is used; `alive ann`, `out ann`.
/// - `left 5` cards; `down 1/1 2/1`: the hands face-down, oldest first; `discard Ks 9s`; `dealt 8` cards in all.
/// - `pile 49 ann bob`: cards and players of the pile that is needed; `no-absent ann`, `no-shuffle 2`: the house may not
///   say so.
pub fn play(script: &str) -> Game {
    let (mut options, mut games, mut tail, mut at) = (Vec::new(), Vec::<Game>::new(), 0, String::new());
    let lines = script.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    for statement in lines.flat_map(|line| line.split(';')).map(str::trim).filter(|one| !one.is_empty()) {
        let (word, rest) = statement.split_once(' ').unwrap_or((statement, ""));
        match word {
            "with" => options = rest.split(' ').map(|one| one.split_once('=').unwrap()).collect(),
            "new" => {
                let (players, first) = rest.split_once(' ').unwrap_or((rest, ""));
                at = statement.to_owned();
                let pile = pile_of(&pack(), &cards(first));
                games = vec![Game::new(&safe_with(&options), players.parse().unwrap(), pile)];
            }
            "staged" => {
                let ((players, before), end) =
                    rest.split_once(" / ").map(|(a, b)| (a.split_once(' ').unwrap(), b)).unwrap();
                (at, tail) = (statement.to_owned(), cards(end).len());
                let rules: RuleSet = safe_with(&options);
                games = vec![Game::staged(&rules, players.parse().unwrap(), before, end)];
            }
            "fork" => games.push(games.last().unwrap().clone()),
            "back" => drop(games.pop()),
            _ => step(games.last_mut().unwrap(), tail, word, rest, &format!("{at}: {statement}")),
        }
    }
    games.remove(0)
}

fn step(game: &mut Game, tail: usize, word: &str, rest: &str, at: &str) {
    if ["do", "burn", "lapse", "shuffle", "absent"].contains(&word) {
        game.tell();
    }
    match word {
        "do" => game.act(rest),
        "burned" => game.burn(tail),
        "burn" => {
            game.burn(tail).tell();
            game.act(rest)
        }
        "lapse" => (0..rest.parse().unwrap_or(1)).fold(game, |game, _| game.time_out()),
        "shuffle" => game.shuffle(rest),
        "absent" => game.absent(rest),
        _ => {
            check(game, word, rest, at);
            game
        }
    };
}

fn check(game: &mut Game, word: &str, rest: &str, at: &str) {
    let view = game.round.view();
    let words = |list: &serde_json::Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    };
    let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
    let told = super::trace(&game.events[game.told..]);
    let got = match word {
        "asks" if rest.contains(':') => game.asked(),
        "asks" => game.open().player.to_string(),
        "won" => game.won().trim_start_matches("won:").to_owned(),
        "total" => format!("{first} {}", game.total(first)),
        "left" => game.left().to_string(),
        "down" => words(&view["face_down_order"]).join(" "),
        "discard" => words(&view["discard"]).join(" "),
        "dealt" => super::dealt_to(&game.events).len().to_string(),
        "pile" => {
            let need = game.round.needs_pile().unwrap();
            assert_eq!(need.composition.check(), Ok(()), "{at}");
            format!("{} {}", need.composition.len(), text(&need.players))
        }
        _ => {
            let holds = match word {
                "no" => game.refused(first).contains(more),
                "is" => told == rest,
                "starts" => told.starts_with(rest),
                "ends" => told.ends_with(rest),
                "has" => told.contains(rest),
                "lacks" => !told.contains(rest),
                "changed" => game.player(rest)["change_used"] == true,
                "done" => game.player(rest)["finished"] == true,
                "alive" => game.is_alive(rest),
                "out" => !game.is_alive(rest),
                "no-absent" => refuses(game, RoundEvent::Absent { player: name(rest) }),
                "no-shuffle" => refuses(game, RoundEvent::Shuffled { pile: rest.parse().unwrap() }),
                _ => panic!("`{word}` is no statement"),
            };
            return assert!(holds, "{at}, but {told} … {}", game.tell_all());
        }
    };
    assert_eq!(got, rest, "{at}");
}

fn refuses(game: &mut Game, event: RoundEvent) -> bool {
    let before = game.round.view();
    game.round.apply(&event).is_err() && game.round.view() == before
}
