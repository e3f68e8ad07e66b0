//! `fairness-rounds.json`: rounds in a row on one shoe, from the client seeds to the openings.

use fairshoe_fairness::{
    ClientSeed, Composition, HouseShoe, Lanes, Opening, PlayerId, PublicShuffle, RoundEntropy, ServerSeed, ShoeRoot,
    Slot, TableContext, derive_client_seed, pocket, round_entropy, seed_commitment, spin,
};

use super::json::{Json, count, hex, list, number, obj, text};
use super::{REJECTING_ROUND, composition, context, context_json, context_of, master, player};

/// A client: a fixed seed, or a secret to derive seeds from.
#[derive(Clone, Copy)]
enum Client {
    Seed(&'static str, u8),
    Secret(&'static str, u8),
}

struct Session {
    context: TableContext,
    shoe_no: u64,
    composition: Composition,
    seeds: Vec<ServerSeed>,
    shoes: Vec<HouseShoe>,
    roots: Vec<ShoeRoot>,
    undrawn: Vec<Slot>,
    rounds: Vec<Json>,
}

pub fn opening(opening: &Opening) -> Json {
    obj([
        ("slot", number(opening.slot.0)),
        ("value", number(opening.value)),
        ("salt", hex(&opening.salt)),
        ("path", list(opening.path.iter().map(|hash| hex(hash)))),
    ])
}

fn slots(slots: &[Slot]) -> Json {
    list(slots.iter().map(|slot| number(slot.0)))
}

impl Session {
    fn new(context: TableContext, shoe_no: u64, listed: &str, candidates: u8) -> Self {
        let composition = composition(listed);
        let seeds: Vec<_> = (0..candidates).map(|k| master().server_seed(&context, shoe_no, k)).collect();
        let shoes: Vec<_> = seeds.iter().map(|seed| HouseShoe::derive(seed, &composition)).collect();
        Self {
            context,
            shoe_no,
            seeds,
            roots: shoes.iter().map(HouseShoe::root).collect(),
            shoes,
            undrawn: (0..composition.len()).map(Slot).collect(),
            composition,
            rounds: Vec::new(),
        }
    }

    fn entropy(&self, round_no: u64, clients: &[Client]) -> (RoundEntropy, Json) {
        let mut described = Vec::new();
        let mut contributors: Vec<(PlayerId, ClientSeed)> = Vec::new();
        for client in clients {
            let (name, secret, seed) = match *client {
                Client::Seed(name, byte) => (name, None, ClientSeed::from_bytes([byte; 32])),
                Client::Secret(name, byte) => {
                    let secret = [byte; 32];
                    let seed = derive_client_seed(&secret, &self.context, round_no);
                    (name, Some(secret), seed)
                }
            };
            let player = player(name);
            let commitment = seed_commitment(&self.context, round_no, &player, &seed);
            let mut fields = vec![("player", text(name))];
            if let Some(secret) = secret {
                fields.push(("client_secret", hex(&secret)));
            }
            fields.extend([("seed", text(&seed)), ("commitment", text(commitment))]);
            described.push(Json::Object(fields));
            contributors.push((player, seed));
        }
        let entropy = round_entropy(&self.context, self.shoe_no, &self.roots, round_no, &contributors)
            .expect("ascending contributors");
        (entropy, list(described))
    }

    fn openings(&self, pick: u8, drawn: &[Slot]) -> Json {
        let shoe = &self.shoes[usize::from(pick)];
        list(drawn.iter().map(|&slot| opening(&shoe.open(slot).expect("a slot of the shoe"))))
    }

    /// A round of cards: `draws` names the lane of each draw in turn.
    fn cards(mut self, round_no: u64, clients: &[Client], lanes: u16, draws: &[u16]) -> Self {
        let (entropy, contributors) = self.entropy(round_no, clients);
        let candidates = u8::try_from(self.roots.len()).expect("one or two");
        let shuffle = PublicShuffle::new(&entropy, candidates, &self.undrawn);
        let mut state = Lanes::new(shuffle.order.clone(), lanes);
        let drawn: Vec<Slot> = draws.iter().map(|&lane| state.draw(lane).expect("enough slots")).collect();
        self.rounds.push(obj([
            ("round_no", count(round_no)),
            ("contributors", contributors),
            ("entropy", text(entropy)),
            ("pick", number(shuffle.pick)),
            ("undrawn", slots(&self.undrawn)),
            ("order", slots(&shuffle.order)),
            ("lanes", number(lanes)),
            ("draws", list(draws.iter().map(|&lane| number(lane)))),
            ("drawn", slots(&drawn)),
            ("openings", self.openings(shuffle.pick, &drawn)),
        ]));
        self.undrawn = state.undrawn_ascending();
        self
    }

    /// A spin: the slot is the next one of the wheel.
    fn spin(mut self, round_no: u64, clients: &[Client]) -> Self {
        let (entropy, contributors) = self.entropy(round_no, clients);
        let slot = self.undrawn.remove(0);
        let offset = spin(&entropy, 1, self.composition.value_limit());
        let value = self.shoes[0].value(slot).expect("a slot of the wheel");
        self.rounds.push(obj([
            ("round_no", count(round_no)),
            ("contributors", contributors),
            ("entropy", text(entropy)),
            ("pick", number(0)),
            ("slot", number(slot.0)),
            ("offset", number(offset)),
            ("pocket", number(pocket(value, offset, self.composition.value_limit()))),
            ("openings", self.openings(0, &[slot])),
        ]));
        self
    }

    /// A void spin burns its slot: there is no entropy and nothing to open.
    fn void_spin(mut self, round_no: u64) -> Self {
        let slot = self.undrawn.remove(0);
        self.rounds.push(obj([("round_no", count(round_no)), ("burnt", number(slot.0))]));
        self
    }

    fn json(self, name: &str) -> Json {
        obj([
            ("name", text(name)),
            ("context", context_json(&self.context)),
            ("shoe_no", count(self.shoe_no)),
            ("composition", text(&self.composition)),
            ("server_seeds", list(self.seeds.iter().map(text))),
            ("roots", list(self.roots.iter().map(text))),
            ("rounds", list(self.rounds)),
        ])
    }
}

pub fn file() -> Json {
    use Client::{Secret, Seed};
    let far = || context_of("a.example/fairshoe!~", "0._-z", [0xff; 32]);
    let four_lanes = [0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 2, 3, 3];
    let listed = "cards:Ac2cTcKcAdAd7dJd2h2h2hQh3s9sTsKs";
    obj([
        (
            "about",
            text("Client seeds, round entropy, public shuffles, lanes, spins and openings; spec/fairness.md, Client seed to Openings"),
        ),
        (
            "sessions",
            list([
                Session::new(context(), 0, "52x1", 2)
                    .cards(0, &[Seed("alice", 1), Seed("bob", 2)], 1, &[0; 9])
                    .json("worked example: two candidates, one lane"),
                Session::new(far(), (1 << 32) + 5, "52x1", 1)
                    .cards(7, &[Secret("solo", 9)], 1, &[0; 6])
                    .cards(8, &[Secret("solo", 9)], 1, &[0; 4])
                    .json("one candidate, one contributor, two rounds on one shoe, derived seeds"),
                Session::new(context(), 1, "52x8", 1)
                    .cards(0, &[Secret("a", 4), Seed("a-", 5), Secret("ab", 6)], 4, &four_lanes)
                    .cards(2, &[Secret("a", 4), Secret("ab", 6)], 3, &[0, 1, 2, 0, 1, 2, 1, 1])
                    .json("three boxes and the dealer, then one fewer; names that sort byte by byte; a void round between"),
                Session::new(context(), 2, listed, 1)
                    .cards(0, &[Seed("alice", 1)], 3, &[1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 0, 2, 0])
                    .json("lanes past their share, down to the last slot"),
                Session::new(context(), 4, "wheel37x10", 1)
                    .spin(0, &[Seed("alice", 1)])
                    .void_spin(1)
                    .spin(2, &[Seed("alice", 3), Seed("bob", 2)])
                    .json("a wheel with a void spin"),
                Session::new(context(), 5, "wheel216x10", 1)
                    .spin(0, &[Seed("alice", 1)])
                    .void_spin(1)
                    .spin(2, &[Seed("alice", 3), Seed("bob", 2)])
                    .json("three dice with a void throw"),
                Session::new(context(), 0, "52x8", 1)
                    .cards(REJECTING_ROUND, &[Secret("alice", 3)], 1, &[0; 4])
                    .json("forced rejection in the public shuffle"),
            ]),
        ),
    ])
}
