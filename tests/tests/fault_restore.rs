//! `fairshoe restore`: the folder is lost; a mirror and the saved secrets are left.

use crate::faults;

use fairshoe_games::Chips;
use fairshoe_house::{Command as HouseCommand, Entry, Event, OldLog, PlayerKey, State};
use fairshoe_tests::{Json, Player, Service, binary};
use fairshoe_tlog::{
    EntryBundle, NoTiles, SecretKey, Signer, TilePath, Tree, bundles_for_size, edge_of_size, leaf_hash,
};
use faults::load::Casino;
use faults::process::{Process, refused};
use faults::{Dice, audit, copy_folder, require_sound, samples};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) const OPEN: &[&str] = &["--token-rate", "0", "--address-rate", "0"];

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn command(source: &Path, data: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(binary("fairshoe"));
    command.arg("restore").arg(source).arg("--data").arg(data).arg("--json").args(more);
    command
}

/// Restores, and returns its JSON report.
pub(crate) fn restored(source: &Path, data: &Path, more: &[&str]) -> Value {
    let output = command(source, data, more).output().unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &said["restored"]), (Some(0), &Value::Bool(true)), "{said}");
    said
}

/// A restore that must be refused with this label; returns its words.
pub(crate) fn not_restored(source: &Path, data: &Path, more: &[&str], label: &str) -> String {
    let output = command(source, data, more).output().unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said["label"].as_str()), (Some(1), Some(label)), "{said} {errors}");
    said["error"].text()
}

pub(crate) fn mirror(address: &str, dir: &Path) {
    let made = audit(&["mirror", address, text(dir)]);
    assert_eq!(made.code, Some(0), "{} {}", made.out, made.err);
}

pub(crate) fn size(service: &Service) -> u64 {
    service.anyone().get("/v1/log").expect_status(200)["size"].int()
}

/// A house that was lost after play, and its saved parts.
struct Lost {
    _dir: tempfile::TempDir,
    root: PathBuf,
    /// The rest of the data folder.
    data: PathBuf,
    /// A copy of `secrets/` with the operator's token, made after the first start.
    secrets: PathBuf,
    /// A mirror of all acknowledged entries.
    mirror: PathBuf,
    /// A mirror made during play: it lacks later entries.
    earlier: PathBuf,
    casino: Casino,
    /// A reply with receipts of entries after the earlier mirror.
    reply: PathBuf,
}

const MONTH_MS: u64 = 30 * 86_400_000;

fn lost() -> Lost {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().to_owned();
    let [data, secrets, whole, earlier] = ["data", "secrets", "mirror", "earlier"].map(|name| root.join(name));
    let service = Service::start(&data, OPEN);
    copy_folder(&data.join("secrets"), &secrets);
    fs::copy(data.join("operator.token"), secrets.join("operator.token")).unwrap();
    let mut casino = Casino::open(&service, 4, &mut Dice::new());
    let (operator, limit) = (service.operator(), json!({ "of": "play_time", "per": "month", "most": MONTH_MS }));
    operator.post("/v1/players/gambler-0/limits", &limit).expect_status(200);
    operator.post("/v1/players", &json!({ "player": "absent" })).expect_status(201);
    let until = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64 + MONTH_MS;
    operator.post("/v1/players/absent/exclusion", &json!({ "until": until })).expect_status(200);
    let url = service.url.clone();
    casino.play_while(&url, || {
        let reach = |least: u64| {
            while size(&service) < least {
                std::thread::sleep(Duration::from_millis(20))
            }
        };
        reach(700);
        mirror(&service.url, &earlier);
        let mirrored =
            fs::read_to_string(earlier.join("checkpoint")).unwrap().lines().nth(1).unwrap().parse::<u64>().unwrap();
        reach(mirrored + 200);
        assert_eq!(service.stop(), Some(0));
    });
    // The last mirror is made after play: it would lack entries that the clock causes later.
    for number in 0..5 {
        let service = Service::start(&data, OPEN);
        mirror(&service.url, &whole);
        let reply = service.operator().post("/v1/players", &json!({ "player": format!("later-{number}") }));
        assert_eq!(reply.status, 201, "{}", reply.text());
        fs::write(root.join("reply.json"), &reply.body).unwrap();
        mirror(&service.url, &whole);
        let all = size(&service);
        service.kill();
        if fs::read_to_string(whole.join("checkpoint")).unwrap().lines().nth(1) == Some(&all.to_string()) {
            break;
        }
    }
    let reply = root.join("reply.json");
    Lost { _dir: dir, root, data, secrets, mirror: whole, earlier, casino, reply }
}

/// The drill: a mirror, the folder lost, restored, and play goes on under the same log.
#[test]
fn a_lost_folder_is_restored_from_a_mirror_and_play_goes_on_under_the_same_log() {
    let Lost { _dir, root, data, secrets, mirror, earlier, mut casino, reply } = lost();
    let new = root.join("new");
    let keys = ["--keys", text(&secrets)];

    // It is unknown whether the mirror is complete.
    let words = not_restored(&mirror, &new, &keys, "nobody says that nothing is missing");
    assert!(words.contains("--nothing-missing") && words.contains("--lost"), "{words}");
    // It is known that this one is not.
    for evidence in
        [["--lost", text(&data)], ["--signed", text(&reply)], ["--signed", text(&mirror.join("checkpoint"))]]
    {
        let words = not_restored(&earlier, &new, &[keys, evidence].concat(), "signed entries are missing");
        assert!(words.contains("--continue-as NAME"), "{words}");
        let insisting = [&keys[..], &evidence, &["--nothing-missing"]].concat();
        not_restored(&earlier, &new, &insisting, "signed entries are missing");
    }
    assert!(!new.exists(), "a refusal makes nothing");
    // A holder of a receipt for a missing entry can show it.
    let judged = audit(&["log", text(&earlier), "--kept", text(&reply), "--json"]);
    assert_eq!(judged.code, Some(1), "{} {}", judged.out, judged.err);
    assert!(judged.out.contains("ack_missing") || judged.out.contains("truncated"), "{}", judged.out);
    require_sound(&["log", text(&earlier), "--json"]);

    let said = restored(&mirror, &new, &[keys, ["--lost", text(&data)]].concat());
    assert_eq!((&said["operator_token_kept"], &said["tokens"]), (&json!(true), &json!(0)));
    let checked = Command::new(binary("fairshoe")).arg("check").arg(&new).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));

    let service = Service::start(&new, OPEN);
    casino.watch.follow(&service.operator());
    assert!(casino.watch.size() > said["entries"].int(), "the same log, longer by its start");
    // The mirror has no tokens.
    let token = service.operator().post("/v1/players/gambler-0/tokens", &json!({})).expect_status(201)["token"].clone();
    let token = token.text();
    let name = faults::load::player_id("gambler-0");
    let player = Player { name, client: service.client(Some(&token)), token };
    let table = player.open_table();
    for _ in 0..10 {
        assert_eq!(player.play(&table, 5)["round"]["phase"], "settled");
    }
    casino.watch.follow(&service.operator());
    casino.judge(service);
}

/// A copy of a data folder also brings data outside the log: tokens, and earlier requests.
#[test]
fn a_copy_of_the_folder_is_restored_with_its_tokens_and_repeats() {
    let Lost { _dir, root, data, mut casino, .. } = lost();
    let new = root.join("new");
    let said = restored(&data, &new, &["--nothing-missing"]);
    assert!(said["tokens"].int() > 4, "{said}");
    let service = Service::start(&new, OPEN);
    casino.check(&service);
    casino.judge(service);
}

/// A kill under load leaves an unacknowledged append after the anchor. The folder itself proves that no signed entry is
/// missing, and its entries come back as at a start. An anchor that is not the last proves nothing.
#[test]
fn a_folder_with_entries_behind_its_anchor_is_restored_with_them() {
    let dir = tempfile::tempdir().unwrap();
    let [data, whole, stale, new, other] =
        ["data", "mirror", "stale", "new", "other"].map(|name| dir.path().join(name));
    let service = Service::start(&data, OPEN);
    let alice = service.player("alice", 1_000);
    let old = fs::read(data.join("anchor")).unwrap();
    alice.play("joy-1", 5);
    let before = fs::read(data.join("anchor")).unwrap();
    let reply = service.operator().post("/v1/players", &json!({ "player": "last" }));
    fs::write(dir.path().join("reply.json"), &reply.body).unwrap();
    mirror(&service.url, &whole);
    let (all, balance) = (size(&service), alice.balance());
    // While it runs, its anchor is not its last.
    let keys = ["--keys", text(&data), "--lost", text(&data)];
    not_restored(&whole, &other, &keys, "the folder is in use by a running service");
    service.kill();
    copy_folder(&data, &stale);
    fs::write(stale.join("anchor"), old).unwrap();
    // As if the kill had come between the last append and its anchor.
    fs::write(data.join("anchor"), before).unwrap();
    let unproven = "nobody says that nothing is missing";
    not_restored(&whole, &other, &keys, unproven);
    let (lost, saved) = (["--lost", text(&data)], dir.path().join("reply.json"));
    not_restored(&data, &other, &[&lost[..], &["--signed", text(&saved)]].concat(), unproven);
    // The anchor alone, without the log that shows how far behind it is.
    let alone = dir.path().join("alone");
    fs::create_dir(&alone).unwrap();
    fs::copy(data.join("anchor"), alone.join("anchor")).unwrap();
    not_restored(&data, &other, &["--lost", text(&alone)], unproven);
    let stale = ["--lost", text(&stale)];
    not_restored(&data, &other, &stale, "the anchor does not fit the log");
    let said = restored(&data, &new, &lost);
    assert_eq!(said["entries"].as_u64(), Some(all), "{said}");
    let service = Service::start(&new, OPEN);
    let again = Player { client: service.client(Some(&alice.token)), ..alice };
    assert_eq!(again.balance(), balance);
    again.play("joy-1", 5);
    require_sound(&["log", &service.url, "--kept", text(&saved)]);
}

fn flip(path: &Path, at: impl FnOnce(usize) -> usize) {
    let mut bytes = fs::read(path).unwrap();
    let place = at(bytes.len());
    bytes[place] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// Another character in place of this one, which keeps the text's form.
fn misspell(path: &Path, at: impl FnOnce(usize) -> usize) {
    let mut bytes = fs::read(path).unwrap();
    let place = at(bytes.len());
    bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
    fs::write(path, bytes).unwrap();
}

/// Adds one entry more than it signs.
fn raise_size(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let size = text.lines().nth(1).unwrap();
    let raised = (size.parse::<u64>().unwrap() + 1).to_string();
    fs::write(path, text.replacen(&format!("\n{size}\n"), &format!("\n{raised}\n"), 1)).unwrap();
}

/// The damaged part, the damage, and the label of the refusal.
type Spoiled = (&'static str, fn(&Path), &'static str);

const SPOILED: &[Spoiled] = &[
    (
        "an entry",
        |dir| flip(&dir.join("tile/entries/001"), |len| len / 2),
        "the entries of the source are not those that were signed",
    ),
    ("an entry's length", |dir| flip(&dir.join("tile/entries/000"), |_| 1), "the source is damaged"),
    ("a bundle is gone", |dir| fs::remove_file(dir.join("tile/entries/001")).unwrap(), "the source is damaged"),
    (
        "a bundle in another's place",
        |dir| assert!(fs::copy(dir.join("tile/entries/000"), dir.join("tile/entries/001")).unwrap() > 0),
        "the entries of the source are not those that were signed",
    ),
    (
        "the checkpoint's size",
        |dir| raise_size(&dir.join("checkpoint")),
        "the checkpoint of the source is not signed by this key",
    ),
    (
        "the checkpoint's signature",
        // Its first signature line: the log's own time comes after it.
        |dir| {
            let path = dir.join("checkpoint");
            let note = fs::read_to_string(&path).unwrap();
            let (text, lines) = note.rsplit_once("\n\n").unwrap();
            let end = text.len() + 2 + lines.find('\n').unwrap();
            misspell(&path, |_| end - 10);
        },
        "the checkpoint of the source is not signed by this key",
    ),
    ("the key", |dir| flip(&dir.join("log.vkey"), |_| 40), "the source is damaged"),
];

#[test]
fn a_damaged_mirror_is_refused_in_words_and_a_damaged_tile_is_told() {
    let Lost { _dir, root, data, secrets, mirror, .. } = lost();
    let options = ["--keys", text(&secrets), "--lost", text(&data)];
    let new = root.join("new");
    for (what, spoil, label) in SPOILED {
        let copy = root.join("copy");
        faults::replace(&mirror, &copy);
        spoil(&copy);
        let words = not_restored(&copy, &new, &options, label);
        println!("{what}: {words}");
        if new.exists() {
            let words = refused(&new, &[], 1);
            assert!(words.contains("repeat `fairshoe restore`"), "{what}: {words}");
        }
    }
    // Tiles follow from the entries: the restore does not use this one.
    flip(&mirror.join("tile/0/000"), |len| len / 3);
    let said = restored(&mirror, &new, &options);
    assert_eq!(said["wrong_files"], json!(["tile/0/000"]));
    not_restored(&mirror, &new, &options, "the folder is not empty");
    let other = root.join("other");
    assert_eq!(Service::start(&other, &[]).stop(), Some(0));
    let again = root.join("again");
    not_restored(
        &mirror,
        &again,
        &["--keys", text(&other), "--nothing-missing"],
        "the checkpoint of the source is not signed by this key",
    );
    faults::replace(&other.join("secrets/master.key"), &secrets.join("master.key"));
    not_restored(&mirror, &again, &options, "another master key");
    let service = Service::start(&new, OPEN);
    require_sound(&["log", &service.url, "--json"]);
    assert_eq!(service.stop(), Some(0));
}

/// A restore that dies leaves a folder that is refused, and that a repeat completes.
#[test]
fn a_restore_that_is_killed_is_completed_by_a_repeat_and_never_served_by_half() {
    let mut dice = Dice::new();
    let Lost { _dir, root, data, secrets, mirror, .. } = lost();
    let options = ["--keys", text(&secrets), "--lost", text(&data)];
    let begun = std::time::Instant::now();
    let whole = restored(&mirror, &root.join("whole"), &options);
    let most = u64::try_from(begun.elapsed().as_millis()).unwrap();
    let mut unfinished = 0;
    for number in 0..samples(8, 80) {
        let new = root.join(format!("new-{number}"));
        for _ in 0..=dice.below(3) {
            let process = Process::spawn(command(&mirror, &new, &options));
            // Every other one dies as soon as it has begun to write, on a fast or slow machine.
            let begun = std::time::Instant::now();
            while number % 2 == 0
                && !new.join("restoring").exists()
                && !new.join("format").exists()
                && begun.elapsed() < Duration::from_secs(10)
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(dice.pause(if number % 2 == 0 { most / 4 } else { most }));
            process.kill();
            if new.join("restoring").exists() {
                unfinished += 1;
                assert!(refused(&new, &[], 1).contains("repeat `fairshoe restore`"));
            }
        }
        if new.join("restoring").exists() || !new.join("format").exists() {
            assert_eq!(restored(&mirror, &new, &options)["root"], whole["root"]);
        }
        let checked = Command::new(binary("fairshoe")).arg("check").arg(&new).arg("--json").output().unwrap();
        let checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
        assert_eq!((&checked["whole"], &checked["root"]), (&json!(true), &whole["root"]), "{checked}");
        assert_eq!(Service::start(&new, &[]).stop(), Some(0));
    }
    println!("{unfinished} kills left a restore unfinished");
    assert!(unfinished > 0, "no kill came in time");
}

/// A log's entries, from a mirror.
pub(crate) fn entries_of(dir: &Path) -> Vec<Vec<u8>> {
    let size = fs::read_to_string(dir.join("checkpoint")).unwrap().lines().nth(1).unwrap().parse().unwrap();
    let read = |path: TilePath| fs::read(dir.join(path.to_string())).unwrap();
    let split = |bytes: Vec<u8>| {
        EntryBundle::decode(&bytes).unwrap().entries().iter().map(|entry| entry.to_vec()).collect::<Vec<_>>()
    };
    bundles_for_size(size).flat_map(|path| split(read(path))).collect()
}

/// A mirror of any entries, signed.
pub(crate) fn write_mirror(dir: &Path, entries: &[Vec<u8>], signer: &Signer) {
    let put = |path: &str, bytes: &[u8]| {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    let mut tree = Tree::new();
    for entry in entries {
        for tile in tree.append(leaf_hash(entry)) {
            put(&TilePath::Tile { level: tile.level, index: tile.index, partial: None }.to_string(), &tile.bytes());
        }
    }
    for path in edge_of_size(tree.size()) {
        let TilePath::Tile { level, index, .. } = path else { unreachable!() };
        put(&path.to_string(), &tree.partial_tile(level, index, path.width(), &NoTiles).unwrap());
    }
    for (path, bundle) in bundles_for_size(tree.size()).zip(entries.chunks(256)) {
        let bundle = bundle.iter().map(Vec::as_slice).collect();
        put(&path.to_string(), &EntryBundle::new(bundle).unwrap().encode());
    }
    put("checkpoint", signer.sign_checkpoint(tree.size(), tree.root()).as_bytes());
    put("log.vkey", format!("{}\n", signer.verifier_key()).as_bytes());
}

pub(crate) fn seed_in(secrets: &Path) -> [u8; 32] {
    let mut seed = [0; 32];
    hex::decode_to_slice(fs::read_to_string(secrets.join("log.key")).unwrap().trim(), &mut seed).unwrap();
    seed
}

type Cheat = fn(&mut Vec<Entry>, &OldLog, &SecretKey);

/// The last credit that transfers balances: no later entry depends on its balances.
fn last_credit(entries: &[Entry]) -> usize {
    entries.iter().rposition(|entry| matches!(entry.command, HouseCommand::Credit { .. })).unwrap()
}

/// Puts another claim in place of the log's own, or after it.
pub(crate) fn claim(entries: &mut Vec<Entry>, old: &OldLog, secret: &SecretKey, again: bool) {
    let HouseCommand::StartDealer { origin: new, .. } = entries[0].command.clone() else { unreachable!() };
    let OldLog { origin, key, size, root, new_key } = old.clone();
    let mut entry = entries[1].clone();
    let signature = old.sign(secret, &new);
    let (of, its_root) = (origin.clone(), root.clone());
    entry.command = HouseCommand::ContinueLog { origin: of, key, size, root: its_root, new_key, signature };
    entry.events = vec![Event::LogContinues { origin, key, size, root, new_key }];
    if again { entries.insert(2, entry) } else { entries[1] = entry }
}

const CHEATS: &[(&str, &str, Cheat)] = &[
    ("a player left out", "carried_over", |entries, _, _| {
        let at = last_credit(entries);
        entries.drain(at - 1..=at);
    }),
    ("too little carried over", "carried_over", |entries, _, _| {
        let at = last_credit(entries);
        let HouseCommand::Credit { amount, .. } = &mut entries[at].command else { unreachable!() };
        *amount = amount.minus(Chips::new(1).unwrap()).unwrap();
        let Event::Posted { lines } = &mut entries[at].events[0] else { unreachable!() };
        for line in lines {
            let one = line.1.signum();
            (line.1, line.2) = (line.1 - one, line.2 - one);
        }
    }),
    ("a table left out", "carried_over", |entries, _, _| {
        let at = entries.iter().rposition(|entry| matches!(entry.command, HouseCommand::OpenTable { .. })).unwrap();
        let table = entries.remove(at).at.unwrap().table;
        entries.retain(|entry| entry.at.as_ref().is_none_or(|at| at.table != table));
    }),
    ("an earlier end named", "continues", |entries, old, secret| {
        claim(entries, &OldLog { size: old.size - 1, ..old.clone() }, secret, false);
    }),
    ("another root named", "continues", |entries, old, secret| {
        claim(entries, &OldLog { root: leaf_hash(b"another").to_string(), ..old.clone() }, secret, false);
    }),
    ("a claim for another key", "continues", |entries, old, secret| {
        let new_key = PlayerKey::from_bytes(SecretKey::from_seed(&[7; 32]).public_key());
        claim(entries, &OldLog { new_key, ..old.clone() }, secret, false);
    }),
    ("a claim that the old key did not sign", "refused", |entries, old, _| {
        claim(entries, old, &SecretKey::from_seed(&[7; 32]), false);
    }),
    ("two claims", "refused", |entries, old, secret| claim(entries, old, secret, true)),
    ("no claim", "continues", |entries, _, _| drop(entries.remove(1))),
];

/// The other half of the drill: no copy has the last acknowledged entries. A new log continues from the old one, and an
/// auditor follows.
#[test]
fn where_signed_entries_are_missing_a_new_log_goes_on_and_an_auditor_follows() {
    let Lost { _dir, root, data, secrets, earlier, .. } = lost();
    let new = root.join("new");
    let keys = ["--keys", text(&secrets)];
    let lost = [&keys[..], &["--lost", text(&data)]].concat();
    not_restored(&earlier, &new, &lost, "signed entries are missing");
    let same = fs::read_to_string(secrets.join("origin")).unwrap();
    not_restored(
        &earlier,
        &new,
        &[keys, ["--continue-as", same.trim()]].concat(),
        "the log cannot go on under this name",
    );
    let said = restored(&earlier, &new, &[keys, ["--continue-as", "localhost/next"]].concat());
    assert!(said["key"].as_str().unwrap().starts_with("localhost/next+"), "{said}");

    // The players' chips at the old log's end, with the stakes of open bets given back.
    let old_entries = entries_of(&earlier);
    let mut state = State::new();
    for bytes in &old_entries {
        state.apply(&Entry::decode(bytes).unwrap()).unwrap();
    }
    let service = Service::start(&new, OPEN);
    let carried = state.carried_over().unwrap();
    assert!(carried.players.len() == 6 && carried.tables.len() > 9, "{carried:?}");
    let there = |player: &str| service.operator().get(&format!("/v1/players/{player}")).expect_status(200);
    assert_eq!(there("gambler-0")["limits"][0]["most"], MONTH_MS);
    assert_eq!(there("absent")["excluded"], state.excluded_until(&faults::load::player_id("absent"), 0).unwrap());
    for fairshoe_house::CarriedPlayer { player, chips: amount, .. } in &carried.players {
        let there = service.operator().get(&format!("/v1/players/{player}")).expect_status(200);
        assert_eq!(there["balance"], amount.units(), "{player}");
        let staked: i64 = state
            .tables()
            .filter_map(|table| table.live_round())
            .flat_map(|round| &round.contributors)
            .filter(|contributor| contributor.placed.player == *player)
            .map(|contributor| contributor.staked.signed() - contributor.returned.signed())
            .sum();
        assert_eq!(amount.signed(), state.funds(player).signed() + staked, "{player}");
    }
    let token = service.operator().post("/v1/players/gambler-0/tokens", &json!({})).expect_status(201)["token"].clone();
    let token = token.text();
    let player = Player { name: faults::load::player_id("gambler-0"), client: service.client(Some(&token)), token };
    let table = player.open_table();
    assert_eq!(player.play(&table, 5)["round"]["phase"], "settled");
    require_sound(&["log", &service.url, "--json"]);
    require_sound(&["log", &service.url, "--continues", text(&earlier), "--json"]);
    // An old log with more entries than the new one knows: the lost folder is found again.
    let judged = audit(&["log", &service.url, "--continues", text(&data), "--json"]);
    assert!(judged.code == Some(1) && judged.out.contains("\"continues\""), "{} {}", judged.out, judged.err);
    assert_eq!(service.stop(), Some(0));

    let mirrored = root.join("mirrored");
    let written = root.join("written");
    let fresh = root.join("fresh");
    restored(&earlier, &fresh, &[keys, ["--continue-as", "localhost/next"]].concat());
    let again = Service::start(&fresh, OPEN);
    mirror(&again.url, &mirrored);
    again.kill();
    let signer = Signer::new("localhost/next", &seed_in(&fresh.join("secrets"))).unwrap();
    let honest: Vec<Entry> = entries_of(&mirrored).iter().map(|bytes| Entry::decode(bytes).unwrap()).collect();
    let HouseCommand::ContinueLog { origin, key, size, root: hash, new_key, .. } = honest[1].command.clone() else {
        panic!("{:?}", honest[1])
    };
    let old = OldLog { origin, key, size, root: hash, new_key };
    let secret = SecretKey::from_seed(&seed_in(&secrets));
    let judge = |entries: &[Entry]| {
        if written.exists() {
            fs::remove_dir_all(&written).unwrap();
        }
        let bytes: Vec<Vec<u8>> = entries.iter().map(|entry| entry.encode().unwrap()).collect();
        write_mirror(&written, &bytes, &signer);
        audit(&["log", text(&written), "--continues", text(&earlier), "--json"])
    };
    let judged = judge(&honest);
    assert_eq!(judged.code, Some(0), "{} {}", judged.out, judged.err);
    for (what, check, cheat) in CHEATS {
        let mut entries = honest.clone();
        cheat(&mut entries, &old, &secret);
        let judged = judge(&entries);
        let report: Value = serde_json::from_str(&judged.out).unwrap_or_default();
        assert_eq!(report["first_failure"]["check"], *check, "{what}: {} {}", report["first_failure"], judged.err);
        println!("{what}: {}", report["first_failure"]["message"]);
    }
}
