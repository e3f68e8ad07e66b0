//! Reads the vector files as a verifier would and checks each step through the public API.

use std::num::NonZeroU16;
use std::path::Path;
use std::str::FromStr;

use fairshoe_fairness::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

fn read<T: DeserializeOwned>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors").join(name);
    serde_json::from_str(&std::fs::read_to_string(&path).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Context {
    origin: Origin,
    table: TableId,
    epoch: Epoch,
}

impl Context {
    fn build(&self) -> TableContext {
        TableContext { origin: self.origin.clone(), table: self.table.clone(), epoch: self.epoch }
    }
}

fn bytes32(text: &str) -> [u8; 32] {
    *Epoch::from_str(text).unwrap().as_bytes()
}

#[test]
fn draws() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(rename = "about")]
        _about: String,
        streams: Vec<Words>,
        below_words: Vec<BelowWords>,
        below_key: Vec<BelowKey>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Words {
        key: String,
        words: Vec<u32>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct BelowWords {
        m: NonZeroU16,
        words: Vec<u32>,
        draws: Vec<u16>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct BelowKey {
        m: NonZeroU16,
        key: String,
        draws: Vec<u16>,
        thrown_away: Vec<usize>,
    }

    let file: File = read("fairness-draws.json");
    for case in &file.streams {
        let mut stream = Stream::new(bytes32(&case.key));
        assert!(case.words.iter().all(|&word| word == stream.next_word()));
        assert_eq!(case.words.len(), 40);
    }
    let mut thrown = 0;
    for case in &file.below_words {
        let accepted = case.words.iter().filter_map(|&w| accept_word(w, case.m));
        let accepted: Vec<u16> = accepted.collect();
        assert_eq!(accepted, case.draws, "m {}", case.m);
        thrown += case.words.len() - accepted.len();
    }
    assert!(thrown > 10, "the forced branch is in the vectors");
    for case in &file.below_key {
        let mut stream = Stream::new(bytes32(&case.key));
        let draws = case.draws.iter().map(|_| stream.below(case.m));
        assert_eq!(draws.collect::<Vec<_>>(), case.draws, "m {}", case.m);
        let mut stream = Stream::new(bytes32(&case.key));
        let thrown = (0..8).filter(|_| accept_word(stream.next_word(), case.m).is_none());
        assert_eq!(thrown.collect::<Vec<_>>(), case.thrown_away, "m {}", case.m);
    }
    assert!(file.below_key.iter().any(|case| !case.thrown_away.is_empty()));
}

#[test]
fn shoes() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(rename = "about")]
        _about: String,
        master: String,
        master_id: MasterId,
        shoes: Vec<Shoe>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Shoe {
        name: String,
        context: Context,
        tctx: String,
        shoe_no: u64,
        composition: Composition,
        slots: u16,
        candidates: Vec<Candidate>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Candidate {
        candidate: u8,
        server_seed: ServerSeed,
        commitment: ShoeCommitment,
        house_key: String,
        thrown_away: Vec<u32>,
        order: Vec<u8>,
        salt_key: String,
        salts: Vec<String>,
        root: ShoeRoot,
    }

    let file: File = read("fairness-shoes.json");
    let master = Master::from_bytes(bytes32(&file.master));
    assert_eq!(master.id(), file.master_id);
    for case in &file.shoes {
        let context = case.context.build();
        assert_eq!(hex::encode(context.tctx()), case.tctx, "{}", case.name);
        assert_eq!(case.composition.len(), case.slots);
        for (k, it) in (0..).zip(&case.candidates) {
            assert_eq!(it.candidate, k);
            let seed = &it.server_seed;
            assert_eq!(*seed, master.server_seed(&context, case.shoe_no, k));
            assert_eq!(it.commitment, shoe_commitment(&context, case.shoe_no, k, seed));
            assert_eq!(it.house_key, hex::encode(seed.house_key(&case.composition)));
            assert_eq!(it.salt_key, hex::encode(seed.salt_key(&case.composition)));
            let shoe = HouseShoe::derive(seed, &case.composition);
            assert_eq!(it.root, shoe.root(), "{}", case.name);
            assert_eq!(it.order.len(), usize::from(case.slots));
            for (slot, (value, salt)) in (0..).map(Slot).zip(it.order.iter().zip(&it.salts)) {
                let opening = shoe.open(slot).unwrap();
                assert_eq!((opening.value, hex::encode(opening.salt)), (*value, salt.clone()));
                assert_eq!(opening.verify(&it.root, &case.composition), Ok(()));
            }
            assert_eq!(case.name.starts_with("forced"), !it.thrown_away.is_empty());
            assert_eq!(thrown_away(seed.house_key(&case.composition), &case.composition), it.thrown_away);
        }
    }
    assert!(file.shoes.len() >= 8);
}

/// Positions, from 0, of the words of the house order's stream that no draw uses.
fn thrown_away(key: [u8; 32], composition: &Composition) -> Vec<u32> {
    let mut bounds: Vec<u16> = if composition.is_wheel() {
        vec![composition.value_limit().into(); composition.len().into()]
    } else {
        (2..=composition.len()).collect()
    };
    let (mut stream, mut thrown, mut position) = (Stream::new(key), Vec::new(), 0);
    while let Some(bound) = bounds.last().copied().and_then(NonZeroU16::new) {
        match accept_word(stream.next_word(), bound) {
            Some(_) => drop(bounds.pop()),
            None => thrown.push(position),
        }
        position += 1;
    }
    thrown
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contributor {
    player: PlayerId,
    client_secret: Option<String>,
    seed: ClientSeed,
    commitment: SeedCommitment,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, untagged)]
enum Round {
    Void {
        round_no: u64,
        burnt: Slot,
    },
    Spin {
        round_no: u64,
        contributors: Vec<Contributor>,
        entropy: RoundEntropy,
        pick: u8,
        slot: Slot,
        offset: u8,
        pocket: u8,
        openings: [Opening; 1],
    },
    Cards {
        round_no: u64,
        contributors: Vec<Contributor>,
        entropy: RoundEntropy,
        pick: u8,
        undrawn: Vec<Slot>,
        order: Vec<Slot>,
        lanes: u16,
        draws: Vec<u16>,
        drawn: Vec<Slot>,
        openings: Vec<Opening>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Session {
    name: String,
    context: Context,
    shoe_no: u64,
    composition: Composition,
    server_seeds: Vec<ServerSeed>,
    roots: Vec<ShoeRoot>,
    rounds: Vec<Round>,
}

impl Session {
    fn entropy(&self, round_no: u64, contributors: &[Contributor]) -> RoundEntropy {
        let context = self.context.build();
        for it in contributors {
            assert_eq!(seed_commitment(&context, round_no, &it.player, &it.seed), it.commitment);
            if let Some(secret) = &it.client_secret {
                let seed = derive_client_seed(&bytes32(secret), &context, round_no);
                assert_eq!(seed, it.seed);
            }
        }
        let contributors: Vec<_> = contributors.iter().map(|it| (it.player.clone(), it.seed.clone())).collect();
        round_entropy(&context, self.shoe_no, &self.roots, round_no, &contributors).unwrap()
    }

    fn check_openings(&self, pick: u8, drawn: &[Slot], openings: &[Opening]) {
        let shoe = HouseShoe::derive(&self.server_seeds[usize::from(pick)], &self.composition);
        assert_eq!(shoe.root(), self.roots[usize::from(pick)]);
        assert_eq!(drawn.len(), openings.len());
        for (slot, opening) in drawn.iter().zip(openings) {
            assert_eq!(*slot, opening.slot);
            assert_eq!(opening.verify(&shoe.root(), &self.composition), Ok(()));
            assert_eq!(shoe.open(*slot).as_ref(), Some(opening));
        }
    }

    fn check(&self) {
        let candidates = u8::try_from(self.roots.len()).unwrap();
        let roots = self.server_seeds.iter().map(|seed| HouseShoe::derive(seed, &self.composition).root());
        assert!(roots.eq(self.roots.iter().copied()), "{}", self.name);
        let mut left: Vec<Slot> = (0..self.composition.len()).map(Slot).collect();
        for round in &self.rounds {
            match round {
                Round::Void { burnt, .. } => assert_eq!(left.remove(0), *burnt),
                Round::Spin { round_no, contributors, entropy, pick, slot, offset, pocket: expected, openings } => {
                    assert_eq!(self.entropy(*round_no, contributors), *entropy);
                    assert_eq!((*pick, left.remove(0)), (0, *slot));
                    assert_eq!(spin(entropy, candidates, self.composition.value_limit()), *offset);
                    assert_eq!(pocket(openings[0].value, *offset, self.composition.value_limit()), *expected);
                    self.check_openings(0, &[*slot], openings);
                }
                Round::Cards {
                    round_no,
                    contributors,
                    entropy,
                    pick,
                    undrawn,
                    order,
                    lanes,
                    draws,
                    drawn,
                    openings,
                } => {
                    assert_eq!(self.entropy(*round_no, contributors), *entropy);
                    assert_eq!(left, *undrawn, "{}", self.name);
                    let shuffle = PublicShuffle::new(entropy, candidates, undrawn);
                    assert_eq!((shuffle.pick, &shuffle.order), (*pick, order));
                    let mut state = Lanes::new(shuffle.order, *lanes);
                    for (lane, slot) in draws.iter().zip(drawn) {
                        assert_eq!(state.next(*lane), Some(*slot));
                        assert_eq!(state.draw(*lane), Some(*slot));
                    }
                    assert_eq!(state.drawn(), drawn);
                    left = state.undrawn_ascending();
                    self.check_openings(*pick, drawn, openings);
                }
            }
        }
    }

    fn last_round(&self) -> u64 {
        match self.rounds.last() {
            Some(Round::Void { round_no, .. } | Round::Spin { round_no, .. } | Round::Cards { round_no, .. }) => {
                *round_no
            }
            None => panic!("{}: no rounds", self.name),
        }
    }
}

#[test]
fn rounds() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(rename = "about")]
        _about: String,
        sessions: Vec<Session>,
    }

    let file: File = read("fairness-rounds.json");
    for session in &file.sessions {
        session.check();
    }
    assert_eq!(file.sessions.len(), 7);
    assert_eq!(file.sessions.last().unwrap().last_round(), 6_648);
}

#[test]
fn openings() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(rename = "about")]
        _about: String,
        cases: Vec<Case>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        name: String,
        composition: String,
        root: ShoeRoot,
        opening: serde_json::Value,
        holds: bool,
        refused_for: Option<String>,
    }

    let file: File = read("fairness-openings.json");
    for case in &file.cases {
        let opening = serde_json::from_value::<Opening>(case.opening.clone());
        let composition = Composition::parse(&case.composition);
        let refused_for = match (opening, composition) {
            (Err(_), _) => Some("form"),
            (_, Err(_)) => Some("composition"),
            (Ok(opening), Ok(composition)) => match opening.verify(&case.root, &composition) {
                Ok(()) => None,
                Err(OpeningError::Composition(_)) => Some("composition"),
                Err(OpeningError::Slot { .. }) => Some("slot"),
                Err(OpeningError::Value { .. }) => Some("value"),
                Err(OpeningError::PathLength { .. }) => Some("path length"),
                Err(OpeningError::Root { .. }) => Some("root"),
            },
        };
        assert_eq!(refused_for.is_none(), case.holds, "{}", case.name);
        assert_eq!(refused_for, case.refused_for.as_deref(), "{}", case.name);
    }
    assert!(file.cases.iter().filter(|case| !case.holds).count() > 30);
}

#[test]
fn refusals() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(rename = "about")]
        _about: String,
        texts: Vec<Text>,
        server_commitments: Vec<Server>,
        client_commitments: Vec<Client>,
        contributor_lists: Vec<List>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Text {
        kind: String,
        text: String,
        valid: bool,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Server {
        name: String,
        context: Context,
        shoe_no: u64,
        candidate: u8,
        server_seed: ServerSeed,
        commitment: ShoeCommitment,
        opens: bool,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Client {
        name: String,
        context: Context,
        round_no: u64,
        player: PlayerId,
        seed: ClientSeed,
        commitment: SeedCommitment,
        opens: bool,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry {
        player: PlayerId,
        seed: ClientSeed,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct List {
        name: String,
        roots: Vec<ShoeRoot>,
        contributors: Vec<Entry>,
        valid: bool,
    }

    let file: File = read("fairness-refusals.json");
    for it in &file.texts {
        let parsed = match it.kind.as_str() {
            "origin" => Origin::parse(&it.text).is_ok(),
            "table" => TableId::parse(&it.text).is_ok(),
            "player" => PlayerId::parse(&it.text).is_ok(),
            "composition" => Composition::parse(&it.text).is_ok(),
            "card" => it.text.parse::<Card>().is_ok(),
            "hash" => it.text.parse::<ShoeRoot>().is_ok(),
            kind => panic!("unknown kind {kind}"),
        };
        assert_eq!(parsed, it.valid, "{} {:?}", it.kind, it.text);
    }
    for it in &file.server_commitments {
        let got = shoe_commitment(&it.context.build(), it.shoe_no, it.candidate, &it.server_seed);
        assert_eq!(got == it.commitment, it.opens, "{}", it.name);
    }
    for it in &file.client_commitments {
        let got = seed_commitment(&it.context.build(), it.round_no, &it.player, &it.seed);
        assert_eq!(got == it.commitment, it.opens, "{}", it.name);
        let hashed = committed_bytes(&it.context.build(), it.round_no, &it.player, &it.seed);
        assert_eq!(SeedCommitment::from_bytes(Sha256::digest(hashed).into()), got, "{}", it.name);
    }
    let context = file.server_commitments[0].context.build();
    for it in file.contributor_lists {
        let contributors: Vec<_> = it.contributors.into_iter().map(|entry| (entry.player, entry.seed)).collect();
        let entropy = round_entropy(&context, 0, &it.roots, 0, &contributors);
        assert_eq!(entropy.is_ok(), it.valid, "{}", it.name);
    }
}
