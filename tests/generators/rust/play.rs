//! One hand of each game with the client that openapi-generator makes of openapi.yaml for Rust, against a service in use.
//!
//! Usage: play URL OPERATOR_TOKEN

use fairshoe_client::apis::configuration::Configuration;
use fairshoe_client::apis::players_api::{create_player, credit_player};
use fairshoe_client::apis::rounds_api::{act, commit_seed, get_round, place_bet, reveal_seed};
use fairshoe_client::apis::tables_api::{get_table, open_table, take_seat};
use fairshoe_client::models::{
    Accepted, Act, Action, Bet, BetRequest, Commit, Decision, Entry, GameView, Movement, NewPlayer, NewTable, Phase,
    PileView, Reveal, RoundView, SeatWish, TableView,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::time::{Duration, Instant};

/// The rules of a table, how many sit at it, where a bet is placed.
const HANDS: [(&str, usize, &str); 6] = [
    ("joy", 1, "1"),
    ("rng-baccarat", 1, "player"),
    ("rng-roulette", 1, "red"),
    ("safe", 2, ""),
    ("holdem", 2, ""),
    ("omaha", 2, ""),
];
const PATIENCE: Duration = Duration::from_secs(60);
/// What ends a hand soonest comes first.
const QUIET: [&str; 8] = ["stand", "check", "call", "show", "muck", "accept", "pass", "fold"];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn holder(url: &str, token: &str) -> Configuration {
    let token = Some(token.to_owned());
    Configuration { base_path: url.to_owned(), bearer_access_token: token, ..Configuration::default() }
}

/// Every entry of a reply is read as what it is, and written again.
fn check_entries(accepted: &Accepted) {
    for receipt in &accepted.receipts {
        let entry: Entry = serde_json::from_str(&receipt.entry).expect("an entry");
        let again = serde_json::to_value(entry).expect("JSON");
        assert_eq!(again["time"], serde_json::from_str::<Value>(&receipt.entry).expect("JSON")["time"]);
    }
}

struct Player {
    name: String,
    calls: Configuration,
    seeds: HashMap<(String, i64), [u8; 32]>,
}

impl Player {
    fn new(url: &str, operator: &Configuration, name: String) -> Player {
        let made = create_player(operator, NewPlayer::new(name.clone()), None).expect("a player");
        let key = format!("credit-{name}");
        check_entries(&credit_player(operator, &name, &key, Movement::new(1_000_000)).expect("a credit"));
        let calls = holder(url, &made.token.expect("a token"));
        Player { name, calls, seeds: HashMap::new() }
    }

    /// The commitment to a client seed (spec/fairness.md, "Client seed").
    fn commitment(&mut self, view: &TableView, number: i64) -> String {
        let seed = self.seeds.entry((view.table.clone(), number)).or_insert_with(|| {
            let mut seed = [0; 32];
            File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut seed)).expect("random bytes");
            seed
        });
        let mut bound = b"fairshoe/v1/client-seed\0".to_vec();
        let mut lines_up = |text: &str| {
            bound.extend(u16::try_from(text.len()).expect("a short text").to_be_bytes());
            bound.extend(text.as_bytes());
        };
        lines_up(&view.origin);
        lines_up(&view.table);
        for pair in view.epoch.as_bytes().chunks(2) {
            bound.push(u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("digits"));
        }
        bound.extend(number.to_be_bytes());
        bound.extend(u16::try_from(self.name.len()).expect("a short name").to_be_bytes());
        bound.extend(self.name.as_bytes());
        bound.extend(seed.as_slice());
        hex(&Sha256::digest(&bound))
    }

    fn view(&self, table: &str) -> TableView {
        get_table(&self.calls, table).expect("a table")
    }

    fn knows(&self, table: &str, number: i64) -> bool {
        self.seeds.contains_key(&(table.to_owned(), number))
    }

    fn sit(&self, table: &str) {
        let view = self.view(table);
        let buy_in = view.cash.is_some().then_some(view.rules.table.stake_min);
        let wish = SeatWish { buy_in, ..SeatWish::default() };
        check_entries(&take_seat(&self.calls, table, wish, None, None).expect("a seat"));
    }

    /// One look at the table: whatever is this player's to do is done.
    fn turn(&mut self, table: &str, spot: &str) {
        let view = self.view(table);
        let call = view.cash.as_ref().and_then(|cash| cash.call.clone());
        if let Some(round) = &view.round {
            self.play(&view, round);
        } else if let Some(call) = call {
            if call.awaited.contains(&self.name) && !self.knows(table, call.round_no) {
                self.commit(&view, call.round_no);
            }
        } else if view.rules.table.seats == 1 {
            if view.shoe.is_some() && self.seeds.is_empty() {
                self.bet(&view, view.next_round, spot.to_owned());
            }
        } else if let Some(window) = view.window.clone().filter(|window| !self.knows(table, window.round_no)) {
            let seat = view.seats.iter().find(|one| one.player == self.name).expect("a seat").seat;
            self.bet(&view, window.round_no, seat.to_string());
        }
    }

    fn bet(&mut self, view: &TableView, number: i64, spot: String) {
        let bets = vec![Bet::new(spot, view.rules.table.stake_min)];
        let body = BetRequest::new(number, bets, self.commitment(view, number));
        check_entries(&place_bet(&self.calls, &view.table, body, None, None, None).expect("a bet"));
    }

    fn commit(&mut self, view: &TableView, number: i64) {
        let (id, body) = (format!("{}:{number}", view.table), Commit::new(self.commitment(view, number)));
        check_entries(&commit_seed(&self.calls, &id, body, None, None, None).expect("a commitment"));
    }

    fn reveal(&self, table: &str, number: i64) {
        let seed = self.seeds.get(&(table.to_owned(), number)).expect("a seed that was committed");
        let body = Reveal::new(self.name.clone(), hex(seed));
        let id = format!("{table}:{number}");
        check_entries(&reveal_seed(&self.calls, &id, body, None, None, None).expect("a reveal"));
    }

    fn play(&mut self, view: &TableView, id: &str) {
        let round = *get_round(&self.calls, id).expect("a round").round;
        let own = round.contributors.iter().find(|one| one.player == self.name);
        if matches!(round.phase, Phase::AwaitingReveals) {
            if own.is_some_and(|own| own.seed.is_none()) {
                self.reveal(&view.table, round.round_no);
            }
        } else if let Some(pile) = &round.pile {
            self.shuffle(view, pile);
        } else if let Some(decision) = round.decisions.iter().find(|one| one.player == self.name) {
            let body = Act::new(decision.decision, choose(decision, &round, &self.name));
            check_entries(&act(&self.calls, id, body, None, None, None).expect("an action"));
        }
    }

    /// A new pile in mid-game.
    fn shuffle(&mut self, view: &TableView, pile: &PileView) {
        let Some(own) = pile.players.iter().find(|one| one.player == self.name) else { return };
        if own.commitment.is_none() {
            self.commit(view, pile.round_no);
        } else if own.seed.is_none() && serde_json::to_value(pile.awaits).expect("JSON") == "seeds" {
            self.reveal(&view.table, pile.round_no);
        }
    }
}

/// What is quiet, else what is least.
fn choose(decision: &Decision, round: &RoundView, name: &str) -> Action {
    let offers = decision.options.iter().map(|one| (serde_json::to_value(one.action).expect("JSON"), one));
    let offered: HashMap<String, _> =
        offers.map(|(word, one)| (word.as_str().expect("a word").to_owned(), one)).collect();
    let least = |word: &str| offered.get(word).and_then(|one| one.to.as_ref()?.first().copied());
    let seen = match round.game.as_deref() {
        Some(GameView::SafeView(game)) => {
            let hand = game.players.iter().find(|one| one.player == name).and_then(|one| one.hand.as_deref());
            hand.and_then(|hand| hand.cards.iter().find_map(|card| card.card.clone()))
        }
        _ => None,
    };
    let chosen = if let Some(word) = QUIET.iter().find(|word| offered.contains_key(**word)) {
        json!(word)
    } else if let Some(word) = ["insurance", "even_money"].iter().find(|word| offered.contains_key(**word)) {
        json!({ *word: { "take": false } })
    } else if let Some(card) = seen.filter(|_| offered.contains_key("change")) {
        json!({ "change": { "card": card } })
    } else if let Some(word) = ["open", "discard"].iter().find(|word| offered.contains_key(**word)) {
        json!({ *word: {} })
    } else if let Some(word) = ["bet", "raise"].iter().find(|word| least(word).is_some()) {
        json!({ *word: { "to": least(word) } })
    } else {
        json!("hit")
    };
    let action: Action = serde_json::from_value(chosen.clone()).expect("an action");
    assert_eq!(serde_json::to_value(&action).expect("JSON"), chosen);
    action
}

/// The game that a round shows, by the variant that the client took it for.
fn game_of(round: &RoundView) -> &'static str {
    match round.game.as_deref() {
        Some(GameView::BlackjackView(_)) => "joy",
        Some(GameView::BaccaratView(_)) => "rng-baccarat",
        Some(GameView::RouletteView(_)) => "rng-roulette",
        Some(GameView::SafeView(_)) => "safe",
        Some(GameView::PokerView(_)) => "poker",
        Some(GameView::DragonTigerView(_)) => "rng-dragon-tiger",
        Some(GameView::SicBoView(_)) => "rng-sic-bo",
        None => "none",
    }
}

fn hand(url: &str, operator: &Configuration, (rules, count, spot): (&str, usize, &str)) {
    let mut players: Vec<Player> =
        (0..count).map(|number| Player::new(url, operator, format!("rs-{rules}-{number}"))).collect();
    let calls = players[0].calls.clone();
    let mut table = format!("rs-{rules}");
    if count == 1 {
        // A table for one is that player's own, and has a name that the house gives it.
        table =
            open_table(&calls, NewTable::new(rules.to_owned()), None, None).expect("a table").table.expect("its name");
    } else {
        let named = NewTable { table: Some(table.clone()), ..NewTable::new(rules.to_owned()) };
        open_table(operator, named, None, None).expect("a table");
        players.iter().for_each(|player| player.sit(&table));
    }
    let id = format!("{table}:{}", players[0].view(&table).next_round);
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        players.iter_mut().for_each(|player| player.turn(&table, spot));
        std::thread::sleep(Duration::from_millis(20));
        // Before it has begun there is none.
        let Ok(read) = get_round(&calls, &id) else { continue };
        let round = read.round;
        if matches!(round.phase, Phase::Settled | Phase::Voided) {
            assert!(matches!(round.phase, Phase::Settled), "{rules}: void");
            let (game, poker) = (game_of(&round), matches!(rules, "holdem" | "omaha"));
            assert_eq!(game, if poker { "poker" } else { rules }, "the game that the client reads");
            let (staked, returned, openings) = (round.staked, round.returned, read.openings.len());
            println!("{rules}: settled, {staked} staked, {returned} returned; {openings} openings");
            return;
        }
    }
    panic!("{rules}: not settled in {PATIENCE:?}");
}

fn main() {
    let mut given = std::env::args().skip(1);
    let (url, token) = (given.next().expect("the URL"), given.next().expect("the operator's token"));
    let operator = holder(&url, &token);
    HANDS.into_iter().for_each(|row| hand(&url, &operator, row));
}
