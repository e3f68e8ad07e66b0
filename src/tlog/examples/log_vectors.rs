//! Writes `spec/vectors/log-*.json`: a five-entry log with known keys, its receipts, and broken ones.
//!
//! `cargo run -p fairshoe-tlog --example log_vectors` from anywhere in the workspace.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;

use fairshoe_tlog::{
    Cosigner, EntryBundle, Hash, MAX_COSIGNATURE_TIME, NoTiles, Policy, Signer, TilePath, TlogProof, Tree, VerifierKey,
    bundles_for_size, leaf_hash, own_time, tiles_for_size, verify_checkpoint, verify_consistency,
};
use serde_json::{Value, json};

const ORIGIN: &str = "fairshoe.example/log";
const WITNESS: &str = "witness.example/w1";
const LOG_SEED: [u8; 32] = [1; 32];
const WITNESS_SEED: [u8; 32] = [2; 32];
/// 2026-01-01 00:00:00 UTC.
const COSIGNED_AT: u64 = 1_767_225_600;
/// `H(R ‖ A ‖ text)·a mod L` for R the identity, A and a the log's key, and the checkpoint of size 5.
const IDENTITY_S: &str = "79d4b306f8414ac31c676ee7935674009228e71f3669a29bbe1ea53314403607";
/// A type of key that is not known here, and the case that has one.
const ML_DSA_44: u8 = 0x06;
const OF_ANOTHER_TYPE: &str = "a witness's key of type 0x06, ML-DSA-44, with its 1,312 bytes";

fn main() {
    let dir = directory();
    for (name, content) in files() {
        std::fs::write(dir.join(name), content).expect("spec/vectors is writable");
        println!("{name}");
    }
}

/// `spec/vectors` of the workspace.
pub fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors")
}

/// Every vector file's name and content.
pub fn files() -> Vec<(&'static str, String)> {
    let log = Log::new();
    [
        ("log-tree.json", tree_file(&log)),
        ("log-receipts.json", receipts_file(&log)),
        ("log-broken.json", broken_file(&log)),
    ]
    .map(|(name, value)| (name, serde_json::to_string_pretty(&value).unwrap() + "\n"))
    .into()
}

struct Log {
    signer: Signer,
    witness: Cosigner,
    entries: Vec<Vec<u8>>,
    tree: Tree,
}

impl Log {
    fn new() -> Self {
        // An empty entry, one that is not text, and one whose length needs both bytes.
        let entries: Vec<Vec<u8>> = vec![
            b"entry 0".to_vec(),
            b"".to_vec(),
            "entry 2: \u{2660}".as_bytes().to_vec(),
            vec![0x00, 0xff, 0x0a],
            vec![b'a'; 300],
        ];
        let mut tree = Tree::new();
        for entry in &entries {
            tree.append(leaf_hash(entry));
        }
        Self {
            signer: Signer::new(ORIGIN, &LOG_SEED).unwrap(),
            witness: Cosigner::new(WITNESS, &WITNESS_SEED).unwrap(),
            entries,
            tree,
        }
    }

    fn root(&self, size: u64) -> Hash {
        self.tree.root_at(size, &NoTiles).unwrap()
    }

    fn checkpoint(&self, size: u64) -> String {
        self.signer.sign_checkpoint(size, self.root(size))
    }

    fn cosigned(&self, size: u64) -> String {
        let signed = self.checkpoint(size);
        let text = &signed[..=signed.rfind("\n\n").unwrap()];
        let line = self.witness.cosign(text, COSIGNED_AT).unwrap();
        signed + &line
    }

    fn receipt(&self, index: u64, checkpoint_text: String, size: u64) -> TlogProof {
        let path = self.tree.inclusion_proof(index, size, &NoTiles).unwrap();
        TlogProof { extra: None, index, path, checkpoint_text }
    }

    fn policy(&self, quorum: &str) -> String {
        let (log, witness) = (self.signer.verifier_key(), self.witness.verifier_key());
        format!("log {log}\nwitness w1 {witness}\nquorum {quorum}\n")
    }
}

fn texts(hashes: &[Hash]) -> Vec<String> {
    hashes.iter().map(ToString::to_string).collect()
}

fn tree_file(log: &Log) -> Value {
    let sizes = 0..=log.tree.size();
    let mut inclusion = Vec::new();
    let mut consistency = Vec::new();
    for size in sizes.clone() {
        for index in 0..size {
            let proof = log.tree.inclusion_proof(index, size, &NoTiles).unwrap();
            inclusion.push(json!({ "index": index, "size": size, "proof": texts(&proof) }));
        }
        for old in 0..=size {
            let proof = log.tree.consistency_proof(old, size, &NoTiles).unwrap();
            consistency.push(json!({ "old": old, "size": size, "proof": texts(&proof) }));
        }
    }
    let mut resources = Vec::new();
    for size in sizes.clone() {
        for path in tiles_for_size(size).chain(bundles_for_size(size)) {
            resources.push(json!({ "path": path.to_string(), "hex": hex::encode(resource(log, path)) }));
        }
    }
    let layouts = [1, 255, 256, 257, 65_536, 70_000].map(layout);
    let paths = [(0, 0), (0, 999), (0, 1000), (1, 1_234_067), (7, u64::MAX)].map(|(level, index)| {
        let path = TilePath::Tile { level, index, partial: None };
        json!({ "level": level, "index": index.to_string(), "path": path.to_string() })
    });
    json!({
        "what": "A log of five entries: every root, checkpoint, tile, bundle and proof (spec/log.md).",
        "log_seed_hex": hex::encode(LOG_SEED),
        "log_key": log.signer.verifier_key().to_string(),
        "entries_hex": log.entries.iter().map(hex::encode).collect::<Vec<_>>(),
        "leaf_hashes": log.entries.iter().map(|e| leaf_hash(e).to_string()).collect::<Vec<_>>(),
        "roots": sizes.clone().map(|size| log.root(size).to_string()).collect::<Vec<_>>(),
        "checkpoints": sizes.map(|size| log.checkpoint(size)).collect::<Vec<_>>(),
        "resources": resources,
        "inclusion": inclusion,
        "consistency": consistency,
        "layouts": layouts,
        "paths": paths,
    })
}

fn resource(log: &Log, path: TilePath) -> Vec<u8> {
    match path {
        TilePath::Tile { level, index, .. } => log.tree.partial_tile(level, index, path.width(), &NoTiles).unwrap(),
        TilePath::Entries { .. } => {
            let entries = log.entries.iter().take(usize::from(path.width()));
            EntryBundle::new(entries.map(Vec::as_slice).collect()).unwrap().encode()
        }
        TilePath::Checkpoint => unreachable!("only tiles and bundles are listed"),
    }
}

fn layout(size: u64) -> Value {
    let mut levels: Vec<(u64, u16)> = Vec::new();
    for path in tiles_for_size(size) {
        let TilePath::Tile { level, partial, .. } = path else { unreachable!("tiles only") };
        levels.resize(usize::from(level) + 1, (0, 0));
        match partial {
            None => levels[usize::from(level)].0 += 1,
            Some(width) => levels[usize::from(level)].1 = u16::from(width.get()),
        }
    }
    json!({ "size": size, "full_and_partial_width_by_level": levels })
}

fn receipts_file(log: &Log) -> Value {
    let mut with_extra = log.receipt(0, log.checkpoint(5), 5);
    with_extra.extra = Some(b"not authenticated".to_vec());
    let stranger = Signer::new("stranger.example", &[9; 32]).unwrap();
    let signed = log.checkpoint(4);
    let text = &signed[..=signed.rfind("\n\n").unwrap()];
    let extra_line = stranger.sign(text).unwrap();
    let cases = [
        ("an entry of five, no witness", "none", log.receipt(2, log.checkpoint(5), 5), 2),
        ("the last entry: its path is one hash", "none", log.receipt(4, log.checkpoint(5), 5), 4),
        ("the only entry: the path is empty", "none", log.receipt(0, log.checkpoint(1), 1), 0),
        ("extra data, which proves nothing", "none", with_extra, 0),
        ("a stranger's signature is ignored", "none", log.receipt(1, signed.clone() + &extra_line, 4), 1),
        ("cosigned, and the quorum asks for it", "w1", log.receipt(3, log.cosigned(5), 5), 3),
        ("cosigned, though none asks for it", "none", log.receipt(3, log.cosigned(5), 5), 3),
    ];
    let cases = cases.map(|(what, quorum, receipt, entry)| {
        let policy = log.policy(quorum);
        let entry = &log.entries[entry];
        let parsed = Policy::parse(policy.as_bytes()).unwrap();
        let verified = receipt.verify(entry, &parsed).unwrap();
        json!({
            "what": what,
            "policy": policy,
            "entry_hex": hex::encode(entry),
            "receipt": receipt.format(),
            "index": verified.index,
            "size": verified.checkpoint.size,
            "cosigned_at": verified.cosigned_by.iter().map(|by| by.time).collect::<Vec<_>>(),
        })
    });
    json!({
        "what": "Receipts that MUST verify (spec/receipts.md).",
        "witness_seed_hex": hex::encode(WITNESS_SEED),
        "witness_key": log.witness.verifier_key().to_string(),
        "receipts": cases,
        "policies": good_policies(log),
        "own_times": own_times(log),
        "keys": good_keys(log),
    })
}

/// Checkpoints with lines of the log's own time, and for each the latest time that holds.
fn own_times(log: &Log) -> Value {
    let text = |size| {
        let signed = log.checkpoint(size);
        signed[..=signed.rfind("\n\n").unwrap()].to_owned()
    };
    let at = |size, time| log.signer.sign_own_time(&text(size), time);
    let of_stranger = Signer::new(ORIGIN, &[9; 32]).unwrap().sign_own_time(&text(5), COSIGNED_AT);
    let as_another = Signer::new("another.example", &LOG_SEED).unwrap().sign_own_time(&text(5), COSIGNED_AT);
    let cases = [
        ("none", log.checkpoint(5)),
        ("one", log.checkpoint(5) + &at(5, COSIGNED_AT)),
        ("two: the latest counts", log.checkpoint(5) + &at(5, COSIGNED_AT) + &at(5, COSIGNED_AT - 1)),
        ("beside a witness's line", log.cosigned(5) + &at(5, COSIGNED_AT - 60)),
        ("the greatest time that there can be", log.checkpoint(5) + &at(5, MAX_COSIGNATURE_TIME)),
        ("of another checkpoint: it does not hold, and says nothing", log.checkpoint(5) + &at(4, COSIGNED_AT)),
        ("one that does not hold, before one that does", log.checkpoint(5) + &at(4, COSIGNED_AT) + &at(5, 7)),
        ("by another key of the log's name", log.checkpoint(5) + &of_stranger),
        ("by the log's key under another name", log.checkpoint(5) + &as_another),
        ("a witness's line alone", log.cosigned(5)),
    ];
    let key = log.signer.verifier_key();
    let cases = cases.map(|(what, checkpoint)| {
        let own_time = own_time(&checkpoint, key);
        json!({ "what": what, "checkpoint": checkpoint, "log_key": key.to_string(), "own_time": own_time.map(|time| time.to_string()) })
    });
    json!(cases)
}

/// Policies with every item a line may hold; the last quorum needs just the one witness.
fn good_policies(log: &Log) -> Value {
    let (key, w1) = (log.signer.verifier_key(), log.witness.verifier_key());
    let w2 = Cosigner::new("witness.example/w2", &[3; 32]).unwrap();
    let w2 = w2.verifier_key();
    let two = format!("log {key}\nwitness w1 {w1}\nwitness w2 {w2}\n");
    let cases = [
        (
            "blanks, tabs, comments, empty lines, addresses",
            format!("\t# a comment\n\n  log\t{key}  https://log.example/ \nwitness w1 {w1} https://w.example\n \n#\nquorum  w1\t\n")
                .into_bytes(),
        ),
        ("any of a group", format!("{two}group g any w1 w2\nquorum g\n").into_bytes()),
        ("a group of groups", format!("{two}group a all w1\ngroup b 1 w2 a\nquorum b\n").into_bytes()),
        ("a quorum line before what it does not need", format!("quorum none\n{two}").into_bytes()),
        (
            "names that are no UTF-8, compared octet by octet",
            [
                format!("log {key}\nwitness ").into_bytes(),
                vec![0xff, 0x80],
                format!(" {w1}\nquorum ").into_bytes(),
                vec![0xff, 0x80, b'\n'],
            ]
            .concat(),
        ),
        ("names that are words elsewhere", format!("log {key}\nwitness any {w1}\ngroup quorum all any\nquorum quorum\n").into_bytes()),
        ("no log at all", format!("witness w1 {w1}\nquorum w1\n").into_bytes()),
    ];
    let read = cases.map(|(what, input)| {
        Policy::parse(&input).unwrap_or_else(|e| panic!("{what}: {e}"));
        json!({ "what": what, "hex": hex::encode(input) })
    });
    json!(read)
}

fn broken_policies(log: &Log) -> Value {
    let (key, w1) = (log.signer.verifier_key(), log.witness.verifier_key());
    let w2 = Cosigner::new("witness.example/w2", &[3; 32]).unwrap();
    let w2 = w2.verifier_key();
    let one = format!("log {key}\nwitness w1 {w1}\n");
    let two = format!("{one}witness w2 {w2}\n");
    let many = |what: fn(u8) -> String| (0..65).map(what).collect::<String>();
    let witnesses = many(|n| {
        format!("witness n{n} {}\n", Cosigner::new(&format!("w{n}.example"), &[100 + n; 32]).unwrap().verifier_key())
    });
    let logs =
        many(|n| format!("log {}\n", Signer::new(&format!("l{n}.example"), &[100 + n; 32]).unwrap().verifier_key()));
    let renamed = Cosigner::new("another.example", &[2; 32]).unwrap();
    let renamed_log = Signer::new("another.example", &LOG_SEED).unwrap();
    let own_witness = Cosigner::new("log.example/own", &LOG_SEED).unwrap();
    let ml_dsa = key_of(WITNESS, &[vec![ML_DSA_44], vec![7; 1312]].concat());
    let cases: Vec<(&str, Vec<u8>)> = [
        ("no quorum line", one.clone()),
        ("an empty file", String::new()),
        ("two quorum lines, the second weaker", format!("{one}quorum w1\nquorum none\n")),
        ("a quorum that is not defined", format!("{one}quorum w2\n")),
        ("a quorum that is defined on a later line", format!("log {key}\nquorum w1\nwitness w1 {w1}\n")),
        ("a quorum of two names", format!("{two}quorum w1 w2\n")),
        ("a member that is defined on a later line", format!("log {key}\ngroup g any w1\nwitness w1 {w1}\nquorum g\n")),
        ("a group that is its own member", format!("{one}group g any g\nquorum g\n")),
        ("a group of nobody", format!("{one}group g any\nquorum g\n")),
        ("none of a group", format!("{two}group g 0 w1 w2\nquorum g\n")),
        ("three of two", format!("{two}group g 3 w1 w2\nquorum g\n")),
        ("a count with a leading zero", format!("{two}group g 01 w1 w2\nquorum g\n")),
        ("a count with a sign", format!("{two}group g +1 w1 w2\nquorum g\n")),
        ("one member twice", format!("{two}group g 2 w1 w1\nquorum g\n")),
        ("a member of two groups", format!("{two}group a any w1\ngroup b any w1 w2\nquorum b\n")),
        ("one name for two witnesses", format!("{one}witness w1 {w2}\nquorum w1\n")),
        ("one name for a witness and a group", format!("{two}group w1 any w2\nquorum w1\n")),
        ("a witness of the name none", format!("log {key}\nwitness none {w1}\nquorum none\n")),
        ("one key under two witnesses' names", format!("{one}witness w2 {w1}\nquorum w1\n")),
        ("one public key in two witnesses' keys", format!("{one}witness w2 {}\nquorum w1\n", renamed.verifier_key())),
        ("one public key in two logs' keys", format!("{one}log {}\nquorum w1\n", renamed_log.verifier_key())),
        (
            "the log's own key as its witness's",
            format!("log {key}\nwitness w1 {}\nquorum w1\n", own_witness.verifier_key()),
        ),
        (
            "the witness of one line is the log of a later one",
            format!("witness w1 {}\nlog {key}\nquorum w1\n", own_witness.verifier_key()),
        ),
        ("a witness's key for a log", format!("log {w1}\nquorum none\n")),
        ("a log's key for a witness", format!("log {key}\nwitness w1 {key}\nquorum w1\n")),
        (OF_ANOTHER_TYPE, format!("log {key}\nwitness w1 {ml_dsa}\nquorum w1\n")),
        ("a key with another ID", one.replacen("+df1c0a35+", "+df1c0a36+", 1) + "quorum w1\n"),
        ("a log line without a key", "log\nquorum none\n".into()),
        ("a log line with two addresses", format!("log {key} https://a.example https://b.example\nquorum none\n")),
        ("a witness without a name", format!("log {key}\nwitness {w1}\nquorum none\n")),
        ("a word that is none", format!("{one}threshold 1\nquorum none\n")),
        ("a word in capitals", format!("LOG {key}\nquorum none\n")),
        ("the last line cut short", format!("{one}quorum w1")),
        ("carriage returns", format!("{one}quorum w1\n").replace('\n', "\r\n")),
        ("a delete character", format!("{one}# \u{7f}\nquorum w1\n")),
        ("a zero octet in a comment", format!("{one}# \0\nquorum w1\n")),
        ("65 witnesses", witnesses + "quorum none\n"),
        ("65 logs", logs + "quorum none\n"),
    ]
    .into_iter()
    .map(|(why, input)| (why, input.into_bytes()))
    .chain([("a key that is not UTF-8", [b"log \xff".to_vec(), format!("{key}\nquorum none\n").into_bytes()].concat())])
    .collect();
    let broken = cases.into_iter().map(|(why, input)| {
        let error = Policy::parse(&input).expect_err(why);
        let mut case = json!({ "why": why, "hex": hex::encode(input), "error": error.to_string() });
        if why == OF_ANOTHER_TYPE {
            case["type"] = ML_DSA_44.into();
        }
        case
    });
    broken.collect()
}

fn broken_file(log: &Log) -> Value {
    json!({
        "what": "Inputs that MUST be refused; `error` is this implementation's wording, not part of the format.",
        "log_key": log.signer.verifier_key().to_string(),
        "checkpoints": broken_checkpoints(log),
        "consistency": broken_consistency(log),
        "receipts": broken_receipts(log),
        "bundles": broken_bundles(),
        "paths": [
            "tile/0/0", "tile/0/1000", "tile/00/000", "tile/64/000", "tile/0/x000/001", "tile/0/001/067",
            "tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/05", "tile/entries/000.p/", "/checkpoint",
            "tile/0/x018/x446/x744/x073/x709/x551/616",
        ],
        "keys": broken_keys(log),
        "policies": broken_policies(log),
    })
}

fn broken_checkpoints(log: &Log) -> Value {
    let good = log.checkpoint(5);
    // S = k·a for R = 1: the equation holds, though no honest signer makes it. Computed from the seed.
    let mut identity_r = [0; 64];
    identity_r[0] = 1;
    hex::decode_to_slice(IDENTITY_S, &mut identity_r[32..]).unwrap();
    let text = &good[..=good.rfind("\n\n").unwrap()];
    let (origin, root) = (ORIGIN, log.root(5));
    let resigned = |text: &str| format!("{text}\n{}", log.signer.sign(text).unwrap());
    let foreign = Signer::new(ORIGIN, &[7; 32]).unwrap();
    let mut bad_line = log.signer.sign("another text\n").unwrap();
    bad_line.insert_str(0, &good);
    let cases = [
        ("the size was changed after signing", good.replacen("\n5\n", "\n6\n", 1)),
        ("signed by another key of the same name", format!("{text}\n{}", foreign.sign(text).unwrap())),
        ("a second, false signature of the log beside the true one", bad_line),
        ("signed, but a size with a leading zero", resigned(&format!("{origin}\n05\n{root}\n"))),
        ("signed, but a root without padding", resigned(&text.replace('=', ""))),
        ("signed, but an empty extension line", resigned(&format!("{text}\nextension\n"))),
        ("signed, but another log's origin", resigned(&text.replacen(ORIGIN, "fairshoe.example/other", 1))),
        ("the signature's S raised by the group order", with_signature(&good, plus_group_order)),
        ("the signature's R is the identity point", with_signature(&good, |blob| blob.copy_from_slice(&identity_r))),
        ("no signature", text.to_owned() + "\n"),
        ("carriage returns", good.replace('\n', "\r\n")),
        ("a hyphen for the dash", good.replacen('\u{2014}', "-", 1)),
        ("two blanks after the name", good.replacen(&format!("{ORIGIN} "), &format!("{ORIGIN}  "), 1)),
        ("a line after the signature that is none", good.clone() + "end\n"),
        ("a stranger's line that is malformed, beside the true one", good.clone() + "\u{2014} stranger.example AAAA\n"),
        (
            "a stranger's signature of nothing, beside the true one",
            good.clone() + "\u{2014} stranger.example AAAAAA==\n",
        ),
        ("a stranger's name with a plus, beside the true one", good.clone() + "\u{2014} stranger+example AAAAAAAA\n"),
        (
            "an empty line and the true signature above the last one",
            good.clone() + "\n\u{2014} stranger.example AAAAAAAA\n",
        ),
        ("129 signatures", good.clone() + &"\u{2014} stranger.example AAAAAAAA\n".repeat(128)),
        ("the last newline is missing", good.trim_end().to_owned()),
    ];
    let broken = cases.map(|(why, input)| {
        let error = verify_checkpoint(&input, log.signer.verifier_key()).expect_err(why);
        json!({ "why": why, "input": input, "error": error.to_string() })
    });
    json!(broken)
}

/// The signed note with the 64 bytes of its last signature changed.
fn with_signature(signed: &str, change: impl Fn(&mut [u8])) -> String {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let (head, encoded) = signed.trim_end().rsplit_once(' ').unwrap();
    let mut blob = STANDARD.decode(encoded).unwrap();
    let start = blob.len() - 64;
    change(&mut blob[start..]);
    format!("{head} {}\n", STANDARD.encode(blob))
}

fn plus_group_order(signature: &mut [u8]) {
    // 2^252 + 27742317777372353535851937790883648493, little-endian.
    let mut order = [0; 32];
    hex::decode_to_slice("edd3f55c1a631258d69cf7a2def9de14", &mut order[..16]).unwrap();
    order[31] = 0x10;
    let mut carry = 0;
    for (byte, more) in signature[32..].iter_mut().zip(order) {
        carry += u16::from(*byte) + u16::from(more);
        *byte = carry as u8;
        carry >>= 8;
    }
}

fn broken_consistency(log: &Log) -> Value {
    let good = log.tree.consistency_proof(3, 5, &NoTiles).unwrap();
    let (old, new) = (log.root(3), log.root(5));
    let swapped: Vec<Hash> = good.iter().rev().copied().collect();
    let mut longer = good.clone();
    longer.push(new);
    let rewritten = leaf_hash(b"another history");
    let cases = [
        ("the old root is of another history", 3, 5, rewritten, new, good.clone()),
        ("the new root is of another history", 3, 5, old, rewritten, good.clone()),
        ("the log shrank", 5, 3, new, old, good.clone()),
        ("two hashes swapped", 3, 5, old, new, swapped),
        ("one hash too many", 3, 5, old, new, longer),
        ("one hash too few", 3, 5, old, new, good[1..].to_vec()),
        ("no hash at all", 3, 5, old, new, vec![]),
        ("one size, two roots", 5, 5, rewritten, new, vec![]),
        ("one size, and a proof nobody needs", 5, 5, new, new, good.clone()),
        ("an empty log whose root is not the empty root", 0, 5, rewritten, new, vec![]),
    ];
    let broken = cases.map(|(why, old_size, size, old_root, root, proof)| {
        let error = verify_consistency(old_size, size, &old_root, &root, &proof).expect_err(why);
        json!({
            "why": why, "old": old_size, "size": size, "proof": texts(&proof),
            "old_root": old_root.to_string(), "root": root.to_string(), "error": error.to_string(),
        })
    });
    json!(broken)
}

fn broken_receipts(log: &Log) -> Value {
    let good = log.receipt(2, log.checkpoint(5), 5);
    let text = good.format();
    let hash = good.path[0].to_string();
    let entry = &log.entries[2];
    let with = |change: &dyn Fn(&mut TlogProof)| {
        let mut receipt = good.clone();
        change(&mut receipt);
        receipt.format()
    };
    let mut deep = good.clone();
    deep.path = vec![Hash([0; 32]); 65];
    // An inner node passed off as a leaf: without the leaf prefix this would verify.
    let inner = [good.path[0].0, leaf_hash(entry).0].concat();
    let inner_receipt = with(&|receipt| {
        receipt.path.remove(0);
        receipt.index = 0;
    });
    let cases = [
        ("another entry", "none", b"entry 3".to_vec(), text.clone()),
        ("another index", "none", entry.clone(), with(&|receipt| receipt.index = 3)),
        ("an index the log has not reached", "none", entry.clone(), with(&|receipt| receipt.index = 5)),
        ("two siblings swapped", "none", entry.clone(), with(&|receipt| receipt.path.swap(0, 1))),
        (
            "a sibling too few",
            "none",
            entry.clone(),
            with(&|receipt| {
                receipt.path.pop();
            }),
        ),
        ("a sibling too many", "none", entry.clone(), with(&|r| r.path.push(log.root(5)))),
        ("more siblings than any tree has levels", "none", entry.clone(), deep.format()),
        ("an inner node passed off as an entry", "none", inner, inner_receipt),
        ("the checkpoint of an earlier size", "none", entry.clone(), with(&|r| r.checkpoint_text = log.checkpoint(4))),
        ("no cosignature where one is asked for", "w1", entry.clone(), text.clone()),
        ("another version", "none", entry.clone(), text.replacen("@v1", "@v2", 1)),
        ("an index with a leading zero", "none", entry.clone(), text.replacen("index 2", "index 02", 1)),
        ("an empty extra line", "none", entry.clone(), text.replacen("index", "extra \nindex", 1)),
        ("a second blank line before the checkpoint", "none", entry.clone(), text.replacen("\n\n", "\n\n\n", 1)),
        ("a hash of 31 bytes", "none", entry.clone(), text.replacen(&hash, &hash_of_31_bytes(), 1)),
        ("the cosignature of another time", "w1", entry.clone(), cosigned_at_another_time(log)),
    ];
    let cases = cases.map(|(why, quorum, entry, input)| (why, log.policy(quorum), entry, input));
    let (twins, of_twins) = under_twins(log);
    let twins = ("a cosignature under two witnesses' keys of one name and ID", twins, entry.clone(), of_twins);
    let broken = cases.into_iter().chain([twins]).map(|(why, policy, entry, input)| {
        let parsed = Policy::parse(policy.as_bytes()).unwrap();
        let outcome = TlogProof::parse(input.as_bytes()).and_then(|r| r.verify(&entry, &parsed));
        let error = outcome.expect_err(why).to_string();
        json!({
            "why": why, "policy": policy, "entry_hex": hex::encode(entry),
            "input": input, "error": error,
        })
    });
    broken.collect()
}

/// Base64 of one byte too few for a hash.
fn hash_of_31_bytes() -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode([7; 31])
}

/// A policy with two witnesses' keys that have one name and one ID, and a receipt that one of them cosigned: nobody can
/// tell whose the line is. The seeds are found by search: the ID has four bytes.
fn under_twins(log: &Log) -> (String, String) {
    let twins = [61_601_u32, 94_312].map(|found| {
        let mut seed = [0; 32];
        seed[28..].copy_from_slice(&found.to_be_bytes());
        Cosigner::new(WITNESS, &seed).unwrap()
    });
    let [one, other] = twins.each_ref().map(Cosigner::verifier_key);
    assert_eq!(one.key_id(), other.key_id());
    let signed = log.checkpoint(5);
    let line = twins[0].cosign(&signed[..=signed.rfind("\n\n").unwrap()], COSIGNED_AT).unwrap();
    let key = log.signer.verifier_key();
    let policy = format!("log {key}\nwitness w1 {one}\nwitness w2 {other}\nquorum w1\n");
    (policy, log.receipt(2, signed + &line, 5).format())
}

fn cosigned_at_another_time(log: &Log) -> String {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let receipt = log.receipt(2, log.cosigned(5), 5).format();
    let (head, encoded) = receipt.trim_end().rsplit_once(' ').unwrap();
    let mut blob = STANDARD.decode(encoded).unwrap();
    // The last byte of the time, after four of key ID.
    blob[11] ^= 1;
    format!("{head} {}\n", STANDARD.encode(blob))
}

fn broken_bundles() -> Value {
    let cases = [
        ("empty", vec![]),
        ("half a length", vec![0x00]),
        ("an entry cut short", vec![0x00, 0x03, b'a', b'b']),
        ("a byte after the last entry", vec![0x00, 0x01, b'a', 0x00]),
        ("257 entries", vec![0x00; 2 * 257]),
    ];
    let broken = cases.map(|(why, input)| {
        let error = EntryBundle::decode(&input).expect_err(why);
        json!({ "why": why, "hex": hex::encode(input), "error": error.to_string() })
    });
    json!(broken)
}

fn broken_keys(log: &Log) -> Value {
    let good = log.signer.verifier_key().to_string();
    let id = format!("{:08x}", log.signer.verifier_key().key_id());
    let cases = [
        ("another key ID", good.replacen(&id, "00000000", 1)),
        ("the key ID in upper case", good.replacen(&id, &id.to_uppercase(), 1)),
        ("a name with a blank", good.replacen("example", "exa mple", 1)),
        ("no name", good.replacen(ORIGIN, "", 1)),
        ("no plus", ORIGIN.to_owned()),
        ("one plus", good.replacen('+', "", 1)),
        ("a key anyone can sign with (the identity point)", key_of(ORIGIN, &identity_point())),
        ("a key of 31 bytes", key_of(ORIGIN, &identity_point()[..32])),
    ];
    let names = [
        ("a name with U+007F", "a\u{7f}b".to_owned()),
        ("a name with U+0080", "a\u{80}b".to_owned()),
        ("a name with U+009F", "a\u{9f}b".to_owned()),
        ("a name with U+0085, white space", "a\u{85}b".to_owned()),
        ("a name with U+00A0, white space", "a\u{a0}b".to_owned()),
        ("a name with U+2003, white space", "a\u{2003}b".to_owned()),
        ("a name with U+2028, white space", "a\u{2028}b".to_owned()),
        ("a name with U+3000, white space", "a\u{3000}b".to_owned()),
        ("a name of 256 bytes in 128 characters", "\u{e9}".repeat(128)),
    ];
    let names = names.map(|(why, name)| (why, key_named(log, &name)));
    let broken = cases.into_iter().chain(names).map(|(why, input)| {
        let error = input.parse::<VerifierKey>().expect_err(why);
        json!({ "why": why, "input": input, "error": error.to_string() })
    });
    broken.collect()
}

/// Keys with unusual names.
fn good_keys(log: &Log) -> Value {
    let names = [
        ("a name with U+200B, which is no white space", "a\u{200b}b".to_owned()),
        ("a name with U+FEFF, which is no white space", "a\u{feff}b".to_owned()),
        ("a name with U+180E, which is no white space", "a\u{180e}b".to_owned()),
        ("a name beyond U+FFFF", "\u{1f0a1}".to_owned()),
        ("a name of 255 bytes", "a".repeat(255)),
    ];
    let keys = names.map(|(what, name)| {
        let key = key_named(log, &name);
        assert_eq!(key.parse::<VerifierKey>().unwrap().name(), name);
        json!({ "what": what, "key": key, "name": name })
    });
    json!(keys)
}

/// The log's key under another name, with the key ID that follows.
fn key_named(log: &Log, name: &str) -> String {
    use base64::Engine as _;
    let good = log.signer.verifier_key().to_string();
    let encoded = good.splitn(3, '+').nth(2).unwrap();
    key_of(name, &base64::engine::general_purpose::STANDARD.decode(encoded).unwrap())
}

/// The key of this type and these bytes, with the key ID that follows.
fn key_of(name: &str, typed: &[u8]) -> String {
    use base64::Engine as _;
    use sha2::Digest as _;
    let hash = sha2::Sha256::new().chain_update(name).chain_update("\n").chain_update(typed).finalize();
    let encoded = base64::engine::general_purpose::STANDARD.encode(typed);
    format!("{name}+{}+{encoded}", hex::encode(&hash[..4]))
}

/// A key's type and bytes that anyone can sign with.
fn identity_point() -> [u8; 33] {
    let mut typed = [0; 33];
    (typed[0], typed[1]) = (0x01, 0x01);
    typed
}
