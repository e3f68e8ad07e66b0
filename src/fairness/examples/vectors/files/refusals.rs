//! `fairness-refusals.json`: texts, commitments and contributor lists, good ones beside those that
//! must be refused.

use fairshoe_fairness::{
    ClientSeed, SeedCommitment, ServerSeed, ShoeCommitment, TableContext, seed_commitment, shoe_commitment,
};

use super::json::{Json, count, list, number, obj, text, truth};
use super::{context, context_json, context_of, master, player};

fn word(kind: &str, it: impl std::fmt::Display, valid: bool) -> Json {
    obj([("kind", text(kind)), ("text", text(it)), ("valid", truth(valid))])
}

fn texts() -> Json {
    let (a64, a65, bang255, bang256) = ("a".repeat(64), "a".repeat(65), "!".repeat(255), "!".repeat(256));
    let pack = "Ac2c".repeat(312);
    let sorted = format!("cards:{}", "Ac".repeat(624));
    let unsorted = format!("cards:{pack}");
    let long = format!("cards:{}", "Ac".repeat(625));
    let hash = "0123456789abcdef".repeat(4);
    let mut out = Vec::new();
    for (kind, valid, all) in [
        ("origin", true, vec!["example.com/log", "!", "~", &bang255]),
        ("origin", false, vec!["", "a b", "a+b", "a\n", "\u{7f}", "caf\u{e9}", &bang256]),
        ("table", true, vec!["t1", "0._-z", &a64]),
        ("table", false, vec!["", "T1", "a/b", "a b", "\u{e9}", "a\u{0}", &a65]),
        ("player", true, vec!["alice", "-", &a64]),
        ("player", false, vec!["", "Alice", "al ice", "a+b", "\u{430}lice", &a65]),
        (
            "composition",
            true,
            vec!["52x1", "52x12", "wheel37x1", "wheel37x4096", "wheel216x1", "cards:Ac", "cards:AcAcKs", &sorted],
        ),
        (
            "composition",
            false,
            vec![
                "",
                "52",
                "52x",
                "52x0",
                "52x01",
                "52x13",
                "52x257",
                "52x-1",
                "52x+1",
                "52x1 ",
                " 52x1",
                "52X1",
                "52x4294967297",
                "52x\u{661}",
                "53x1",
                "wheel36x4",
                "wheel216x0",
                "wheel216x4097",
                "wheel37x0",
                "wheel37x4097",
                "wheel37x04",
                "wheel37x65537",
                "wheel36x1",
                "cards:",
                "cards:A",
                "cards:AcK",
                "cards:KsAc",
                "cards:ac",
                "cards:1c",
                "cards:Ac Ks",
                "cards:Ac,Ks",
                "Cards:Ac",
                "cards:\u{e9}",
                &unsorted,
                &long,
            ],
        ),
        ("card", true, vec!["Ac", "Kc", "Td", "9h", "Ks"]),
        ("card", false, vec!["", "A", "10c", "1c", "0c", "aC", "ac", "AC", "As ", "\u{2660}A"]),
        ("hash", true, vec![&hash]),
        (
            "hash",
            false,
            vec![
                "",
                "00",
                &hash[1..],
                "0x",
                &hash.to_uppercase(),
                &format!("{hash}00"),
                &format!("{} ", &hash[1..]),
                &format!("g{}", &hash[1..]),
            ],
        ),
    ] {
        out.extend(all.iter().map(|it| word(kind, it, valid)));
    }
    list(out)
}

fn server(
    name: &str,
    context: &TableContext,
    shoe_no: u64,
    candidate: u8,
    seed: &ServerSeed,
    commitment: ShoeCommitment,
) -> Json {
    let opens = shoe_commitment(context, shoe_no, candidate, seed) == commitment;
    obj([
        ("name", text(name)),
        ("context", context_json(context)),
        ("shoe_no", count(shoe_no)),
        ("candidate", number(candidate)),
        ("server_seed", text(seed)),
        ("commitment", text(commitment)),
        ("opens", truth(opens)),
    ])
}

fn server_commitments() -> Json {
    let here = context();
    let seed = |shoe_no, candidate| master().server_seed(&context(), shoe_no, candidate);
    let it = seed(0, 0);
    let c = shoe_commitment(&here, 0, 0, &it);
    let table = context_of("example.com/log", "t2", *here.epoch.as_bytes());
    let origin = context_of("example.com/logs", "t1", *here.epoch.as_bytes());
    let epoch = context_of("example.com/log", "t1", [0; 32]);
    // The same concatenated bytes, split elsewhere: only the length prefix distinguishes them.
    let split = context_of("example.com/lo", "gt1", *here.epoch.as_bytes());
    let unprefixed = context_of("example.com/log", "t1", *here.epoch.as_bytes());
    list([
        server("the seed committed to", &here, 0, 0, &it, c),
        server("seed of another shoe", &here, 0, 0, &seed(1, 0), c),
        server("seed of the other candidate", &here, 0, 0, &seed(0, 1), c),
        server("shown as another shoe's", &here, 1, 0, &it, c),
        server("shown as the other candidate's", &here, 0, 1, &it, c),
        server("shown under another epoch", &epoch, 0, 0, &it, c),
        server("seed of another epoch", &here, 0, 0, &master().server_seed(&epoch, 0, 0), c),
        server("shown at another table", &table, 0, 0, &it, c),
        server("shown on another log", &origin, 0, 0, &it, c),
        server("names split elsewhere", &split, 0, 0, &it, shoe_commitment(&unprefixed, 0, 0, &it)),
    ])
}

fn client(name: &str, context: &TableContext, round_no: u64, who: &str, seed: u8, commitment: SeedCommitment) -> Json {
    let seed = ClientSeed::from_bytes([seed; 32]);
    let opens = seed_commitment(context, round_no, &player(who), &seed) == commitment;
    obj([
        ("name", text(name)),
        ("context", context_json(context)),
        ("round_no", count(round_no)),
        ("player", text(who)),
        ("seed", text(&seed)),
        ("commitment", text(commitment)),
        ("opens", truth(opens)),
    ])
}

fn client_commitments() -> Json {
    let here = context();
    let table = context_of("example.com/log", "t2", *here.epoch.as_bytes());
    let origin = context_of("example.com/logs", "t1", *here.epoch.as_bytes());
    let epoch = context_of("example.com/log", "t1", [0; 32]);
    let c = seed_commitment(&here, 5, &player("alice"), &ClientSeed::from_bytes([1; 32]));
    list([
        client("the seed committed to", &here, 5, "alice", 1, c),
        client("another seed", &here, 5, "alice", 2, c),
        client("seed of another round", &here, 4, "alice", 1, c),
        client("commitment copied by another player", &here, 5, "bob", 1, c),
        client("another player of a longer name", &here, 5, "alicea", 1, c),
        client("another table", &table, 5, "alice", 1, c),
        client("another log", &origin, 5, "alice", 1, c),
        client("another epoch", &epoch, 5, "alice", 1, c),
    ])
}

fn contributors(name: &str, roots: usize, players: &[&str], valid: bool) -> Json {
    let seed = |at: usize| text(hex::encode([u8::try_from(at).unwrap_or(0); 32]));
    obj([
        ("name", text(name)),
        ("roots", list((0..roots).map(seed))),
        (
            "contributors",
            list(players.iter().enumerate().map(|(at, who)| obj([("player", text(who)), ("seed", seed(at))]))),
        ),
        ("valid", truth(valid)),
    ])
}

pub fn file() -> Json {
    obj([
        (
            "about",
            text(
                "Texts, commitments and contributor lists that hold or must be refused; spec/fairness.md, Notation to Round entropy",
            ),
        ),
        ("texts", texts()),
        ("server_commitments", server_commitments()),
        ("client_commitments", client_commitments()),
        (
            "contributor_lists",
            list([
                contributors("ascending bytes", 1, &["-", "-.", "0", "_", "a", "a-", "a.", "ab", "b"], true),
                contributors("two candidates", 2, &["a"], true),
                contributors("no contributor: the house alone", 1, &[], false),
                contributors("descending", 1, &["bob", "alice"], false),
                contributors("one player twice", 1, &["alice", "alice"], false),
                contributors("by length before bytes", 1, &["b", "aa"], false),
                contributors("no root", 0, &["a"], false),
                contributors("three candidates", 3, &["a"], false),
            ]),
        ),
    ])
}
