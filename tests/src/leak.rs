//! The service's secrets, and a search for them in the raw bytes of its replies.
//!
//! A secret becomes public with the log entry that shows it. The search knows every face and salt, because it has the
//! master key of the service under test.

use crate::{Exchange, Reply};
use base64::Engine;
use fairshoe_fairness::{Card, Master, Opening, PlayerId, ServerSeed, Slot, TableContext, TableId};
use fairshoe_games::safe::SafeEvent;
use fairshoe_games::{ActionKind, GameRules, Place, RoundEvent};
use fairshoe_house::{Entry, Event, SeedDealer, ShoeId, State};
use fairshoe_tlog::EntryBundle;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// When a secret becomes public.
#[derive(Clone, Copy, Debug)]
enum Public {
    Never,
    /// With this log entry.
    From(u64),
    /// Only in the one reply that hands it over.
    OnlyIn(usize),
}

#[derive(Debug)]
struct Secret {
    what: String,
    public: Public,
    /// The holders of tokens who may have it earlier, each from a log entry on.
    told: Vec<(String, u64)>,
}

/// A shoe with all its faces, or a wheel with its values.
struct Faces {
    values: Vec<u8>,
    is_wheel: bool,
    /// The entry from which each face is public.
    shown: Vec<Option<u64>>,
    /// The owner of a slot's card, and the entry from which they may see it.
    owned: HashMap<usize, (String, u64)>,
    revealed: Option<u64>,
    /// The auditors to whom the shoe was disclosed, each from an entry on.
    disclosed: Vec<(String, u64)>,
}

impl Faces {
    fn public_at(&self, slot: usize, horizon: u64, viewer: &str) -> bool {
        let from = self.shown[slot].into_iter().chain(self.revealed).min();
        from.is_some_and(|from| from <= horizon)
            || self.told(slot).iter().any(|(who, from)| who == viewer && *from <= horizon)
    }

    /// The holders of tokens who may see a slot before all others.
    fn told(&self, slot: usize) -> Vec<(String, u64)> {
        self.owned.get(&slot).into_iter().chain(&self.disclosed).cloned().collect()
    }
}

/// The secrets of one service.
pub struct Secrets {
    /// The secrets by their first 16 bytes.
    known: HashMap<[u8; 16], Secret>,
    /// For three bytes, whether a secret begins with them: at nearly every place of a reply the answer is no.
    begun: Vec<bool>,
    shoes: HashMap<(String, u64), Faces>,
    /// The shoes of each round: one, or a game's piles.
    rounds: HashMap<String, Vec<u64>>,
    entries: Vec<String>,
    /// The index of each entry.
    places: HashMap<String, u64>,
    /// The holder of each token.
    holders: HashMap<String, String>,
}

/// A reader without a token, or with one that gives no right to any card.
const EVERYBODY: &str = "";

/// One shoe's facts from the log.
struct Fate {
    /// The candidate that is dealt, and the entry that says so; `None` if there is one candidate.
    picked: Option<(u8, u64)>,
    shown: Vec<(Slot, u8, u64)>,
    owned: HashMap<usize, (String, u64)>,
    revealed: Option<u64>,
    seeds: Vec<ServerSeed>,
    disclosed: Vec<(String, u64)>,
}

impl Fate {
    fn of(id: &ShoeId, log: &[Entry], committed: u64) -> Fate {
        let (owned, seeds, disclosed) = (HashMap::new(), Vec::new(), Vec::new());
        let mut fate = Fate { picked: None, shown: Vec::new(), owned, revealed: None, seeds, disclosed };
        let mut table = ShoesInUse::default();
        let mut seats: HashMap<u8, String> = HashMap::new();
        for (index, entry) in (0u64..).zip(log) {
            for event in &entry.events {
                if let Event::ShoeDisclosed { table, shoe_no, auditor } = event
                    && (table, *shoe_no) == (&id.context.table, id.shoe_no)
                {
                    let to = auditor.as_ref().map_or_else(|| "every auditor".to_owned(), ToString::to_string);
                    fate.disclosed.push((to, index));
                }
            }
            if entry.at.as_ref().is_none_or(|at| at.table != id.context.table) {
                continue;
            }
            for event in &entry.events {
                match event {
                    Event::ShoeRevealed { shoe_no, seeds, .. } if *shoe_no == id.shoe_no => {
                        (fate.revealed, fate.seeds) = (Some(index), seeds.clone());
                    }
                    Event::HandBegun { shoe_no, hand, .. } if *shoe_no == id.shoe_no => {
                        seats = hand.seats.iter().map(|seat| (seat.due.seat, seat.player.to_string())).collect();
                    }
                    Event::RoundOpened { pick, others, .. }
                        if table.current == Some(id.shoe_no) && !others.is_empty() =>
                    {
                        fate.picked = Some((*pick, index));
                    }
                    Event::Play(RoundEvent::Dealt { slot, card: None, to: Place::Hand { spot, .. }, .. })
                        if table.current == Some(id.shoe_no) && seats.contains_key(spot) =>
                    {
                        fate.owned.insert(slot.index(), (seats[spot].clone(), index));
                    }
                    _ => {}
                }
                let Some((shoe_no, slot, value)) = table.follow(event) else { continue };
                if shoe_no == id.shoe_no && index >= committed {
                    fate.shown.push((slot, value, index));
                }
            }
        }
        fate
    }
}

/// A reply, and the newest log entry that its reader could know.
pub struct Judged<'e> {
    pub number: usize,
    pub horizon: u64,
    pub exchange: &'e Exchange,
}

fn read_key(data: &Path, name: &str) -> [u8; 32] {
    let text = std::fs::read_to_string(data.join(name)).unwrap();
    hex::decode(text.trim()).unwrap().try_into().unwrap()
}

impl Secrets {
    /// The secrets of the service with this data folder and these log entries.
    pub fn new(data: &Path, entries: Vec<String>) -> Secrets {
        let mut places = HashMap::new();
        for (place, entry) in (0..).zip(&entries) {
            places.entry(entry.clone()).or_insert(place);
        }
        let mut secrets = Secrets {
            known: HashMap::new(),
            begun: vec![false; 1 << 24],
            shoes: HashMap::new(),
            rounds: HashMap::new(),
            entries,
            places,
            holders: HashMap::new(),
        };
        let master = read_key(data, "secrets/master.key");
        secrets.hide(&master, "the master key", Public::Never);
        secrets.hide(&read_key(data, "secrets/log.key"), "the log's signing key", Public::Never);
        secrets.hide_token(&hex::encode(read_key(data, "operator.token")), "the operator", None);
        let dealer = SeedDealer::new(Master::from_bytes(master));
        let parsed: Vec<Entry> = secrets.entries.iter().map(|text| Entry::decode(text.as_bytes()).unwrap()).collect();
        let (mut origin, mut epoch) = (None, None);
        let (mut playing, mut opened) = (HashMap::<TableId, String>::new(), HashMap::<TableId, u64>::new());
        for (index, entry) in (0u64..).zip(&parsed) {
            for event in &entry.events {
                match event {
                    Event::DealerStarted { origin: name, epoch: fresh, .. } => {
                        (origin, epoch) = (Some(name.clone()), Some(*fresh));
                    }
                    Event::ShoeCommitted { shoe_no, composition, candidates } => {
                        let table = entry.at.as_ref().unwrap().table.clone();
                        let context = TableContext { origin: origin.clone().unwrap(), table, epoch: epoch.unwrap() };
                        let id = ShoeId { context, shoe_no: *shoe_no, composition: composition.clone() };
                        secrets.hide_shoe(&dealer, &id, candidates.len() as u8, &parsed, index);
                    }
                    Event::BetsClosed { round_no, shoe_no, .. } | Event::HandBegun { round_no, shoe_no, .. } => {
                        let table = &entry.at.as_ref().unwrap().table;
                        let id = format!("{table}:{round_no}");
                        secrets.rounds.insert(id.clone(), vec![*shoe_no]);
                        playing.insert(table.clone(), id);
                    }
                    Event::PileOpened { shoe_no, .. } => {
                        opened.insert(entry.at.as_ref().unwrap().table.clone(), *shoe_no);
                    }
                    Event::PileShuffled { .. } => {
                        let table = &entry.at.as_ref().unwrap().table;
                        secrets.rounds.get_mut(&playing[table]).unwrap().push(opened[table]);
                    }
                    _ => {}
                }
            }
        }
        secrets
    }

    fn hide(&mut self, bytes: &[u8], what: &str, public: Public) {
        self.hide_from_others(bytes, what, public, Vec::new());
    }

    fn hide_from_others(&mut self, bytes: &[u8], what: &str, public: Public, told: Vec<(String, u64)>) {
        self.begun[beginning(bytes)] = true;
        self.known.insert(bytes[..16].try_into().unwrap(), Secret { what: what.to_owned(), public, told });
    }

    /// Adds a token, which one reply may hand over, and its hash, which no reply may show.
    pub fn hide_token(&mut self, token: &str, whose: &str, handed_over_in: Option<usize>) {
        self.holders.insert(token.to_owned(), whose.to_owned());
        let bytes = hex::decode(token).unwrap();
        let public = handed_over_in.map_or(Public::Never, Public::OnlyIn);
        self.hide(&bytes, &format!("the token of {whose}"), public);
        self.hide(&token_hash(token), &format!("the hash of the token of {whose}"), Public::Never);
    }

    fn hide_shoe(&mut self, dealer: &SeedDealer, id: &ShoeId, candidates: u8, log: &[Entry], committed: u64) {
        let fate = Fate::of(id, log, committed);
        let table = &id.context.table;
        for candidate in 0..candidates {
            let (seed, house) = dealer.derive(id, candidate);
            assert!(fate.seeds.get(usize::from(candidate)).is_none_or(|known| *known == seed));
            let slots: Vec<Slot> = (0..house.len()).map(Slot).collect();
            let values: Vec<u8> = slots.iter().map(|slot| house.value(*slot).unwrap()).collect();
            let is_wheel = id.composition.is_wheel();
            let shown = vec![None; values.len()];
            let mut faces = Faces {
                shown,
                values,
                is_wheel,
                owned: HashMap::new(),
                revealed: fate.revealed,
                disclosed: fate.disclosed.clone(),
            };
            let is_dealt = fate.picked.is_none_or(|(pick, _)| pick == candidate);
            if let (false, Some((_, opened))) = (is_dealt, fate.picked) {
                // The deck that is not dealt is published like the other one.
                faces.revealed = Some(faces.revealed.map_or(opened, |revealed| revealed.min(opened)));
            } else {
                for (slot, value, index) in &fate.shown {
                    assert_eq!(*value, faces.values[slot.index()], "the log shows a face that the shoe does not have");
                    faces.shown[slot.index()].get_or_insert(*index);
                }
                faces.owned = fate.owned.clone();
            }
            let name = format!("candidate {candidate} of shoe {} of {table}", id.shoe_no);
            let until_revealed = faces.revealed.map_or(Public::Never, Public::From);
            self.hide_from_others(
                seed.as_bytes(),
                &format!("the seed of {name}"),
                until_revealed,
                fate.disclosed.clone(),
            );
            for slot in slots {
                let opening = house.open(slot).unwrap();
                // Openings are handed out only for shown cards; the others come with the seed.
                let public = faces.shown[slot.index()].map_or(until_revealed, Public::From);
                self.hide_from_others(
                    &opening.salt,
                    &format!("the salt of slot {slot} of {name}"),
                    public,
                    faces.told(slot.index()),
                );
            }
            // For a shoe that was never dealt from, no face is public before its seeds.
            if is_dealt {
                self.shoes.insert((table.to_string(), id.shoe_no), faces);
            }
        }
    }

    /// The number of secrets.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Judges the log itself: a hidden card is turned up only when the game's rules do so, and no entry holds a salt or
    /// token.
    pub fn judge_log(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut tables: HashMap<TableId, Turning> = HashMap::new();
        for (index, text) in (0u64..).zip(&self.entries) {
            let entry = Entry::decode(text.as_bytes()).unwrap();
            if let Some(at) = &entry.at {
                let turning = tables.entry(at.table.clone()).or_default();
                found.extend(
                    turning.judge(&entry).into_iter().map(|what| format!("entry {index} of {}: {what}", at.table)),
                );
            }
            self.search_bytes(text.as_bytes(), index, usize::MAX, EVERYBODY, &mut found);
        }
        found
    }

    /// Judges the state as it may be published (`GET /state`), after every entry: the hidden cards that its lines
    /// reveal.
    pub fn judge_states(&self) -> Vec<String> {
        let (mut found, mut state) = (Vec::new(), State::new());
        // A line that was there one entry before was judged then: public data stays public.
        let mut before = HashSet::new();
        for (index, text) in (0u64..).zip(&self.entries) {
            state.apply(&Entry::decode(text.as_bytes()).unwrap()).unwrap();
            let lines: HashSet<String> = state.lines().unwrap().into_iter().collect();
            for line in lines.difference(&before) {
                self.search_bytes(line.as_bytes(), index, usize::MAX, EVERYBODY, &mut found);
                self.search_faces(&serde_json::from_str(line).unwrap(), &Named::default(), index, &mut found);
            }
            before = lines;
        }
        found
    }

    /// The secrets in bytes that an outsider might obtain: hidden cards, but not tokens' hashes, which the store keeps.
    pub fn judge_bytes(&self, bytes: &[u8], horizon: u64) -> Vec<String> {
        let mut found = Vec::new();
        self.search_bytes(bytes, horizon, usize::MAX, EVERYBODY, &mut found);
        found.retain(|what| !what.contains("the hash of the token"));
        found
    }

    /// The secrets in a reply.
    pub fn judge(&self, judged: &Judged<'_>) -> Vec<String> {
        let Judged { number, horizon, exchange } = judged;
        let Reply { headers, body, .. } = &exchange.reply;
        let viewer =
            exchange.token.as_ref().and_then(|token| self.holders.get(token)).map_or(EVERYBODY, String::as_str);
        let mut found = Vec::new();
        let heads: String = headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        for bytes in [heads.as_bytes(), body.as_slice()] {
            self.search_bytes(bytes, *horizon, *number, viewer, &mut found);
        }
        // An entry alone is judged like the log's; its content is public from its index on.
        if !exchange.path.starts_with("/v1/entries/") {
            let is_export = exchange.reply.header("content-type") == Some("application/x-ndjson");
            // An export is JSON Lines. In other replies a line feed may be any byte.
            let pieces: Vec<&[u8]> =
                if is_export { body.split(|b| *b == b'\n').collect() } else { vec![body.as_slice()] };
            for value in pieces.into_iter().filter_map(|piece| serde_json::from_slice::<Value>(piece).ok()) {
                self.search_faces(
                    &value,
                    &Named { viewer: viewer.to_owned(), ..Named::default() },
                    *horizon,
                    &mut found,
                );
            }
        }
        let is_problem = exchange.reply.header("content-type") == Some("application/problem+json");
        if is_problem || exchange.path == "/metrics" {
            let text = without_signature(&exchange.reply.text());
            let words = text.split(|c: char| !c.is_ascii_alphanumeric());
            found
                .extend(words.filter(|word| word.parse::<Card>().is_ok()).map(|word| format!("names the card {word}")));
        }
        for entry in entry_texts(&exchange.path, body) {
            match self.places.get(&entry) {
                Some(index) if index <= horizon => {}
                Some(index) => found.push(format!("shows entry {index} before it was acknowledged")),
                None => found.push(format!("shows an entry that is not on the log: {entry}")),
            }
        }
        found.into_iter().map(|what| format!("{} {} {what}", exchange.method, exchange.path)).collect()
    }

    /// Looks for secrets as raw bytes, as hex and as base64.
    fn search_bytes(&self, bytes: &[u8], horizon: u64, number: usize, viewer: &str, found: &mut Vec<String>) {
        self.search_windows(bytes, "raw", horizon, number, viewer, found);
        for run in bytes.split(|byte| !byte.is_ascii_hexdigit()).filter(|run| run.len() >= 32) {
            for start in 0..2 {
                let even = &run[start..start + (run.len() - start) / 2 * 2];
                self.search_windows(&hex::decode(even).unwrap(), "hex", horizon, number, viewer, found);
            }
        }
        let engine = base64::engine::general_purpose::STANDARD;
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
        for run in bytes.split(|byte| !is_base64(*byte)).filter(|run| run.len() >= 22) {
            let standard = |byte: &u8| match byte {
                b'-' => b'+',
                b'_' => b'/',
                other => *other,
            };
            let run: Vec<u8> = run.iter().map(standard).collect();
            for start in 0..4 {
                let whole = &run[start..start + (run.len() - start) / 4 * 4];
                self.search_windows(&engine.decode(whole).unwrap(), "base64", horizon, number, viewer, found);
            }
        }
    }

    fn search_windows(
        &self,
        bytes: &[u8],
        form: &str,
        horizon: u64,
        number: usize,
        viewer: &str,
        found: &mut Vec<String>,
    ) {
        for window in bytes.windows(16) {
            if !self.begun[beginning(window)] {
                continue;
            }
            let Some(secret) = self.known.get(window) else { continue };
            let public = match secret.public {
                Public::Never => false,
                Public::From(index) => index <= horizon,
                Public::OnlyIn(reply) => reply == number,
            };
            let told = secret.told.iter().any(|(who, from)| who == viewer && *from <= horizon);
            if !public && !told {
                found.push(format!("holds {} ({form})", secret.what));
            }
        }
    }

    /// Looks for faces next to slots, within the text that names their table, round, pile or shoe.
    fn search_faces(&self, value: &Value, around: &Named, horizon: u64, found: &mut Vec<String>) {
        match value {
            Value::Array(all) => all.iter().for_each(|one| self.search_faces(one, around, horizon, found)),
            Value::Object(object) => {
                let mut named = around.clone();
                let rounds = [&value["id"], &value["round"]["id"], &value["round"]];
                if let Some(round) =
                    rounds.into_iter().filter_map(Value::as_str).find(|name| self.rounds.contains_key(*name))
                {
                    named = Named {
                        round: Some(round.to_owned()),
                        table: round.rsplit_once(':').map(|(table, _)| table.to_owned()),
                        ..named
                    };
                } else if let Some(table) = value["table"].as_str() {
                    named.table = Some(table.to_owned());
                }
                named.pile = value["pile"].as_u64();
                named.shoe = value["shoe_no"].as_u64();
                if let Some(slot) = object.get("slot").and_then(Value::as_u64) {
                    for face in
                        ["card", "value"].into_iter().filter_map(|key| object.get(key)).filter(|face| !face.is_null())
                    {
                        self.judge_face(&named, slot, face, horizon, found);
                    }
                }
                object.values().for_each(|one| self.search_faces(one, &named, horizon, found));
            }
            _ => {}
        }
    }

    fn judge_face(&self, named: &Named, slot: u64, face: &Value, horizon: u64, found: &mut Vec<String>) {
        let piles = named.round.as_ref().map(|round| self.rounds[round].clone()).unwrap_or_default();
        let shoes = match (named.shoe, named.pile) {
            (Some(shoe), _) => vec![shoe],
            (None, Some(pile)) => piles.get(pile as usize).copied().into_iter().collect(),
            // An event of a game on a later pile does not name the pile: one of them must show it.
            (None, None) => piles,
        };
        let faces: Vec<&Faces> = named
            .table
            .iter()
            .flat_map(|table| shoes.iter().filter_map(|shoe| self.shoes.get(&(table.clone(), *shoe))))
            .collect();
        if faces.is_empty() {
            found.push(format!("shows {face} in slot {slot} and does not say of which round"));
            return;
        }
        let lies =
            |faces: &&&Faces| faces.values.get(slot as usize).is_some_and(|value| says(face, *value, faces.is_wheel));
        let fitting: Vec<&&Faces> = faces.iter().filter(lies).collect();
        if fitting.is_empty() {
            found.push(format!("shows {face} in slot {slot} of {named:?}, where something else lies"));
        } else if !fitting.iter().any(|faces| faces.public_at(slot as usize, horizon, &named.viewer)) {
            found.push(format!("shows {face} in slot {slot} of {named:?} before its time"));
        }
    }
}

/// The first three bytes, as a number.
fn beginning(bytes: &[u8]) -> usize {
    usize::from(bytes[0]) << 16 | usize::from(bytes[1]) << 8 | usize::from(bytes[2])
}

/// Whether the reply shows this value for a slot.
fn says(face: &Value, value: u8, is_wheel: bool) -> bool {
    *face == value || !is_wheel && Card::from_code(value).is_some_and(|card| *face == card.to_string().as_str())
}

/// The table, round, pile or shoe of the faces around a place in a reply.
#[derive(Clone, Debug, Default)]
struct Named {
    viewer: String,
    table: Option<String>,
    round: Option<String>,
    pile: Option<u64>,
    shoe: Option<u64>,
}

/// The shoes at a table as its events pass: the shoe of each face.
#[derive(Default)]
struct ShoesInUse {
    /// The game's piles before the one in use.
    piles: Vec<u64>,
    current: Option<u64>,
}

impl ShoesInUse {
    /// The face in an event: shoe, slot, value.
    fn follow(&mut self, event: &Event) -> Option<(u64, Slot, u8)> {
        let on = self.current.or(self.piles.last().copied());
        match event {
            Event::ShoeCommitted { shoe_no, .. } => self.piles.extend(self.current.replace(*shoe_no)),
            Event::ShoeRevealed { shoe_no, .. } | Event::ShoeSealed { shoe_no, .. }
                if self.current == Some(*shoe_no) =>
            {
                self.current = None
            }
            Event::ShoeRevealed { shoe_no, .. } => self.piles.retain(|pile| pile != shoe_no),
            Event::Play(
                RoundEvent::Dealt { slot, card: Some(card), .. } | RoundEvent::Turned { pile: None, slot, card },
            ) => {
                return Some((on.unwrap(), *slot, card.code()));
            }
            Event::Play(RoundEvent::Turned { pile: Some(pile), slot, card }) => {
                return Some((self.piles[usize::from(*pile)], *slot, card.code()));
            }
            Event::Play(RoundEvent::Spun { slot, value, .. }) => return Some((on.unwrap(), *slot, *value)),
            _ => {}
        }
        None
    }
}

/// The cards that may be turned up at a table now.
#[derive(Default)]
struct Turning {
    is_safe: bool,
    /// At a cash table: the owner of each hole card.
    hole: Option<HashMap<Slot, u8>>,
    /// The players who have folded there.
    folded: Vec<PlayerId>,
    seats: HashMap<u8, PlayerId>,
    /// The dealer's face-down cards.
    hidden: usize,
    /// Whether a rule of Safe, or the owner, has just had a face-down hand turned up.
    allowed: bool,
}

impl Turning {
    /// Only hands that are not folded are ever turned up, and only the board lies open.
    fn judge_poker(&mut self, play: &RoundEvent) -> Option<&'static str> {
        let hole = self.hole.as_mut()?;
        match play {
            RoundEvent::Dealt { slot, card: None, to: Place::Hand { spot, .. }, .. } => drop(hole.insert(*slot, *spot)),
            RoundEvent::Dealt { card: Some(_), to: Place::Spot(spot), .. } if spot.to_string() == "board" => {}
            RoundEvent::Dealt { card: Some(_), .. } => return Some("deals a card open that is not the board's"),
            RoundEvent::Acted { player, action, .. }
                if matches!(action.kind(), ActionKind::Fold | ActionKind::Muck) =>
            {
                self.folded.push(player.clone());
            }
            RoundEvent::Turned { slot, .. } => match hole.get(slot).and_then(|seat| self.seats.get(seat)) {
                None => return Some("turns a card up that is no hole card"),
                Some(player) if self.folded.contains(player) => return Some("turns a hand up that was given up"),
                Some(_) => {}
            },
            _ => {}
        }
        None
    }

    fn judge(&mut self, entry: &Entry) -> Vec<&'static str> {
        let mut found = Vec::new();
        for event in &entry.events {
            match event {
                Event::TableOpened { rules, .. } => {
                    self.is_safe = matches!(rules.game, GameRules::Safe(_));
                    self.hole = rules.cash().map(|_| HashMap::new());
                }
                Event::HandBegun { hand, .. } => {
                    self.seats = hand.seats.iter().map(|seat| (seat.due.seat, seat.player.clone())).collect();
                    (self.hole, self.folded) = (Some(HashMap::new()), Vec::new());
                }
                Event::Play(play) if self.hole.is_some() => found.extend(self.judge_poker(play)),
                Event::BetsClosed { .. } => (self.hidden, self.allowed) = (0, false),
                Event::Play(RoundEvent::Dealt { to: Place::Dealer, card: None, .. }) => self.hidden += 1,
                Event::Play(RoundEvent::Turned { .. }) if self.is_safe && !self.allowed => {
                    found.push("turns a face-down card up that no rule opens");
                }
                Event::Play(RoundEvent::Turned { .. }) => self.hidden -= usize::from(!self.is_safe),
                // While a player decides, the dealer's hole card lies face-down.
                Event::Play(RoundEvent::Offered { .. }) if !self.is_safe && self.hidden != 1 => {
                    found.push("asks a player while the dealer has not exactly one card face-down");
                }
                Event::Play(RoundEvent::Offered { .. }) => self.allowed = false,
                Event::Play(RoundEvent::Safe(
                    SafeEvent::Opening { .. } | SafeEvent::Out { .. } | SafeEvent::PileEmpty { .. },
                )) => {
                    self.allowed = true;
                }
                Event::Play(RoundEvent::Acted { action, .. }) => {
                    self.allowed |= matches!(action.kind(), ActionKind::Open | ActionKind::Discard);
                }
                _ => {}
            }
        }
        found
    }
}

/// The stored form of a token.
pub fn token_hash(token: &str) -> [u8; 32] {
    Sha256::digest(hex::decode(token).unwrap()).into()
}

/// The opening of any slot of a round's shoe, from the master key; the log is that of the shoe's epoch.
pub fn hidden_opening(data: &Path, log: &[String], round: &str, slot: u16) -> Opening {
    hidden_opening_of(data, log, round, 0, slot)
}

/// The same of one of several candidates.
pub fn hidden_opening_of(data: &Path, log: &[String], round: &str, candidate: u8, slot: u16) -> Opening {
    let (table, round_no) = round.rsplit_once(':').unwrap();
    let (mut context, mut committed) = (None, None);
    for entry in log.iter().map(|text| Entry::decode(text.as_bytes()).unwrap()) {
        for event in &entry.events {
            match event {
                Event::DealerStarted { origin, epoch, .. } => {
                    context = Some(TableContext {
                        origin: origin.clone(),
                        table: TableId::parse(table).unwrap(),
                        epoch: *epoch,
                    });
                }
                Event::ShoeCommitted { shoe_no, composition, .. }
                    if entry.at.as_ref().is_some_and(|at| at.table.as_str() == table) =>
                {
                    committed = Some(ShoeId {
                        context: context.clone().unwrap(),
                        shoe_no: *shoe_no,
                        composition: composition.clone(),
                    });
                }
                Event::BetsClosed { round_no: closed, .. } | Event::HandBegun { round_no: closed, .. }
                    if entry.at.as_ref().is_some_and(|at| at.table.as_str() == table)
                        && closed.to_string() == round_no =>
                {
                    let master = Master::from_bytes(read_key(data, "secrets/master.key"));
                    return SeedDealer::new(master).derive(&committed.unwrap(), candidate).1.open(Slot(slot)).unwrap();
                }
                _ => {}
            }
        }
    }
    panic!("there is no round {round}")
}

/// The entries quoted in a reply.
fn entry_texts(path: &str, body: &[u8]) -> Vec<String> {
    fn collect(value: &Value, texts: &mut Vec<String>) {
        match value {
            Value::Array(all) => all.iter().for_each(|one| collect(one, texts)),
            Value::Object(object) => {
                // A cash table's seat uses the same word for how its player comes in.
                let entry = object.get("entry").and_then(Value::as_str).filter(|text| !["post", "wait"].contains(text));
                texts.extend(entry.map(str::to_owned));
                object.values().for_each(|one| collect(one, texts));
            }
            _ => {}
        }
    }
    let mut texts = Vec::new();
    if path.starts_with("/v1/entries/") && body.starts_with(br#"{"v":"#) {
        texts.push(String::from_utf8_lossy(body).into_owned());
    } else if let Ok(value) = serde_json::from_slice(body) {
        collect(&value, &mut texts);
    } else if path.starts_with("/tile/entries/")
        && let Ok(bundle) = EntryBundle::decode(body)
    {
        texts.extend(bundle.entries().iter().map(|entry| String::from_utf8_lossy(entry).into_owned()));
    } else if path.ends_with("/events") {
        let text = String::from_utf8_lossy(body);
        texts.extend(text.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::to_owned));
    }
    texts
}

/// A problem's text without the signature of its signed note, whose base64 may contain any letters.
fn without_signature(text: &str) -> String {
    let Ok(mut problem) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    if let Some(note) = problem["refused"].as_str().map(str::to_owned) {
        problem["refused"] = note.split("\n\n").next().unwrap_or_default().into();
    }
    problem.to_string()
}
