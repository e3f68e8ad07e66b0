//! Starts that must be refused, with advice, and without changing possible evidence; and first starts that were cut
//! off.

use crate::faults;

use fairshoe_tests::Service;
use faults::process::{Process, refused};
use faults::watch::Watch;
use faults::{Dice, copy_folder, files, replace, samples, snapshot};
use std::fs;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// sled writes in its own folder as it opens; all other files must stay the same.
const OPENING_TOUCHES: &[&str] = &["log", "lock"];
/// A refusal before the store is opened may change no file.
const NOTHING: &[&str] = &[];

struct Originals {
    _dir: tempfile::TempDir,
    /// A stopped service's folder.
    now: PathBuf,
    /// The same folder some rounds earlier.
    earlier: PathBuf,
    /// Another service's folder.
    other: PathBuf,
    /// A new service's folder.
    fresh: PathBuf,
}

fn originals() -> Originals {
    let dir = tempfile::tempdir().unwrap();
    let [now, earlier, other, fresh] = ["now", "earlier", "other", "fresh"].map(|name| dir.path().join(name));
    let play = |folder: &Path, player: &str| {
        let service = Service::start(folder, &[]);
        let player = service.player(player, 1000);
        for _ in 0..20 {
            player.play("joy-1", 5);
        }
        assert_eq!(service.stop(), Some(0));
    };
    play(&now, "alice");
    copy_folder(&now, &earlier);
    play(&now, "bob");
    play(&other, "alice");
    assert_eq!(Service::start(&fresh, &[]).stop(), Some(0));
    Originals { _dir: dir, now, earlier, other, fresh }
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

fn expose(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A way to damage a folder, the refusal's required words, and the files that the attempt may change.
type Case = (&'static str, fn(&Path, &Originals), &'static [&'static str], &'static [&'static str]);

const KEEP: &str = "keep a copy as evidence";

const CASES: &[Case] = &[
    (
        "the log's folder emptied",
        |dir, _| files(&dir.join("log")).iter().for_each(|name| fs::remove_file(dir.join("log").join(name)).unwrap()),
        &["missing", KEEP],
        NOTHING,
    ),
    ("the log's folder deleted", |dir, _| fs::remove_dir_all(dir.join("log")).unwrap(), &["missing", KEEP], NOTHING),
    (
        "the log's data deleted",
        |dir, _| fs::remove_file(dir.join("log/db")).unwrap(),
        &["log/db is missing", KEEP],
        NOTHING,
    ),
    ("the log's data emptied", |dir, _| edit(&dir.join("log/db"), Vec::clear), &[KEEP], OPENING_TOUCHES),
    ("the second half of the log's data cut off", cut_half, &[KEEP], OPENING_TOUCHES),
    ("a chunk of the log's data zeroed", zero_chunk, &[KEEP], OPENING_TOUCHES),
    (
        "an older log under a newer anchor",
        |dir, o| replace(&o.earlier.join("log"), &dir.join("log")),
        &["were acknowledged", KEEP],
        OPENING_TOUCHES,
    ),
    (
        "a new, empty log under the anchor",
        |dir, o| replace(&o.fresh.join("log"), &dir.join("log")),
        &["were acknowledged", KEEP],
        OPENING_TOUCHES,
    ),
    (
        "an older anchor over a newer log",
        |dir, o| replace(&o.earlier.join("anchor"), &dir.join("anchor")),
        &["the anchor vouches for", "compare the log with the last checkpoint"],
        OPENING_TOUCHES,
    ),
    (
        "the anchor deleted",
        |dir, _| fs::remove_file(dir.join("anchor")).unwrap(),
        &["anchor is missing", KEEP],
        NOTHING,
    ),
    (
        "the anchor zeroed",
        |dir, _| edit(&dir.join("anchor"), |bytes| bytes.fill(0)),
        &["anchor are damaged", KEEP],
        OPENING_TOUCHES,
    ),
    (
        "the marker deleted",
        |dir, _| fs::remove_file(dir.join("format")).unwrap(),
        &["marker", "its marker was lost"],
        NOTHING,
    ),
    (
        "a later format",
        |dir, _| fs::write(dir.join("format"), "fairshoe-store 9\n").unwrap(),
        &["fairshoe-store 9", "use the version of the program"],
        NOTHING,
    ),
    ("another service's log and anchor", other_store, &["log key"], OPENING_TOUCHES),
    (
        "no secrets",
        |dir, _| fs::remove_dir_all(dir.join("secrets")).unwrap(),
        &["no secrets/ folder", "Restore secrets/ from your backup"],
        NOTHING,
    ),
    (
        "another master key",
        |dir, o| replace(&o.other.join("secrets/master.key"), &dir.join("secrets/master.key")),
        &["the master key is not the one", "restore it"],
        &["log", "lock", "anchor"],
    ),
    (
        "another log key",
        |dir, o| replace(&o.other.join("secrets/log.key"), &dir.join("secrets/log.key")),
        &["not signed by this folder's log key"],
        OPENING_TOUCHES,
    ),
    (
        "another name",
        |dir, o| replace(&o.other.join("secrets/origin"), &dir.join("secrets/origin")),
        &["not signed by this folder's log key"],
        OPENING_TOUCHES,
    ),
    ("no master key", |dir, _| fs::remove_file(dir.join("secrets/master.key")).unwrap(), &["master.key"], NOTHING),
    (
        "a master key that is none",
        |dir, _| fs::write(dir.join("secrets/master.key"), "secret\n").unwrap(),
        &["master.key", "64 hexadecimal digits"],
        NOTHING,
    ),
    (
        "an endless key file",
        |dir, _| fs::write(dir.join("secrets/log.key"), vec![b'a'; 1 << 20]).unwrap(),
        &["log.key", "64 hexadecimal digits"],
        NOTHING,
    ),
    (
        "the master key readable by all",
        |dir, _| expose(&dir.join("secrets/master.key"), 0o644),
        &["master.key", "chmod 600"],
        NOTHING,
    ),
    (
        "the log key readable by the group",
        |dir, _| expose(&dir.join("secrets/log.key"), 0o640),
        &["log.key", "chmod 600"],
        NOTHING,
    ),
    (
        "the operator's token readable by all",
        |dir, _| expose(&dir.join("operator.token"), 0o604),
        &["operator.token", "chmod 600"],
        NOTHING,
    ),
    (
        "no operator's token",
        |dir, _| fs::remove_file(dir.join("operator.token")).unwrap(),
        &["operator.token"],
        NOTHING,
    ),
];

fn cut_half(dir: &Path, _: &Originals) {
    let path = dir.join("log/db");
    let used = fs::read(&path).unwrap().iter().rposition(|byte| *byte != 0).unwrap() as u64;
    fs::File::options().write(true).open(&path).unwrap().set_len(used / 2).unwrap();
}

fn zero_chunk(dir: &Path, _: &Originals) {
    let path = dir.join("log/db");
    let used = fs::read(&path).unwrap().iter().rposition(|byte| *byte != 0).unwrap() as u64;
    fs::File::options().write(true).open(&path).unwrap().write_all_at(&vec![0; 16384], used / 2).unwrap();
}

fn other_store(dir: &Path, originals: &Originals) {
    for name in ["log", "anchor", "format"] {
        replace(&originals.other.join(name), &dir.join(name));
    }
}

#[test]
fn a_folder_that_cannot_be_served_from_is_refused_and_left_as_it_was() {
    let originals = originals();
    for (story, spoil, words, touches) in CASES {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("data");
        copy_folder(&originals.now, &dir);
        spoil(&dir, &originals);
        let before = snapshot(&dir, touches);
        let said = refused(&dir, &[], 1);
        for word in *words {
            assert!(said.contains(word), "{story}: the refusal does not say `{word}`: {said}");
        }
        let mut after = snapshot(&dir, touches);
        // The refusal itself is noted for the log, if the folder was in use before.
        after.retain(|name, _| !name.ends_with("refused-starts"));
        let names: Vec<_> = after.keys().collect();
        assert_eq!(before.keys().collect::<Vec<_>>(), names, "{story}");
        assert!(before == after, "{story}: the refused start changed a file");
        // It is refused again: it did not silently repair itself.
        refused(&dir, &[], 1);
    }
    println!("{} ways to spoil a folder, each refused twice", CASES.len());
}

/// Repairs the damage, and the service continues as before: a refused start does no harm.
#[test]
fn after_a_refusal_the_restored_folder_serves_the_same_log() {
    let originals = originals();
    let mut known = Watch::default();
    let service = Service::start(&originals.now, &[]);
    known.follow(&service.operator());
    assert_eq!(service.stop(), Some(0));
    for name in ["secrets", "secrets/master.key", "secrets/log.key", "anchor", "log", "format"] {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("data");
        copy_folder(&originals.now, &dir);
        if dir.join(name).is_dir() {
            fs::remove_dir_all(dir.join(name)).unwrap();
        } else {
            replace(&originals.other.join(name), &dir.join(name));
        }
        if name == "format" {
            fs::remove_file(dir.join(name)).unwrap();
        }
        refused(&dir, &[], 1);
        replace(&originals.now.join(name), &dir.join(name));
        let service = Service::start(&dir, &[]);
        let mut watch = Watch::default();
        watch.follow(&service.operator());
        let size = known.leaves.len();
        assert_eq!(watch.leaves[..size], known.leaves[..], "{name}");
        assert_eq!(watch.starts, known.starts + 1, "{name}: refused starts are no starts");
    }
}

#[test]
fn a_folder_or_address_in_use_is_refused_and_nobodys_round_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let running = Service::start(&data, &[]);
    let said = refused(&data, &[], 1);
    assert!(said.contains("is in use by a running service") && said.contains(&running.url), "{said}");

    // Another service's stopped folder, with an open round at a table that would roll it back.
    let second = folder.path().join("second");
    let service = Service::start(&second, &[]);
    let alice = service.player("alice", 100);
    let body = serde_json::json!({ "table": "careful", "rules": "joy", "options": { "crash": "rollback" } });
    service.operator().post("/v1/tables", &body).expect_status(201);
    alice.bet("careful", 10);
    service.kill();
    // The refusal is noted there for the log; no other file changes.
    let before = snapshot(&second, &["refused-starts"]);
    let address = running.url.strip_prefix("http://").unwrap();
    let ended = {
        let mut command = std::process::Command::new(fairshoe_tests::binary("fairshoe"));
        command.args(["serve", "--listen", address, "--data"]).arg(&second);
        Process::spawn(command).end(Duration::from_secs(60))
    };
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.said.contains(&format!("cannot listen on {address}")) && ended.said.contains("--listen"),
        "{}",
        ended.said
    );
    assert!(before == snapshot(&second, &["refused-starts"]), "a start that cannot listen changed the folder");

    let player = running.player("bob", 100);
    player.play("joy-1", 5);
    assert_eq!(running.stop(), Some(0), "the running service was not disturbed");
}

#[test]
fn a_bad_command_line_or_configuration_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let config = folder.path().join("fairshoe.toml");
    let config_name = config.to_str().unwrap();
    let huge = "#".repeat(70_000);
    let files: [(&str, &[&str]); 13] = [
        ("lisen = \"127.0.0.1:0\"\n", &["lisen", "fairshoe.toml"]),
        ("listen = \"nowhere\"\n", &["listen", "fairshoe.toml"]),
        ("listen = \n", &["fairshoe.toml"]),
        ("min_free_mib = -1\n", &["min_free_mib", "fairshoe.toml"]),
        ("log_format = \"xml\"\n", &["text", "json"]),
        ("log_level = \"fairshoe=loud\"\n", &["--log-level", "fairshoe=loud"]),
        // The option's former name.
        ("log = \"fairshoe=loud\"\n", &["--log-level", "fairshoe=loud"]),
        (&huge, &["70000 bytes are too many"]),
        // The file may contain a password, and messages go to logs.
        ("\norder = \"nats://dealer:Geheim1@127.0.0.1:1\"\n", &["line 2 (`order`)", "a sequence"]),
        ("ordr = [\"nats://dealer:Geheim1@127.0.0.1:1\"]\n", &["line 1 (`ordr`)", "unknown field `ordr`"]),
        ("order = [\"nats://dealer:Geheim1@127.0.0.1:1\n", &["line "]),
        ("order = [\ngeheim\n]\n", &["line 2"]),
        ("max_streams = \"Geheim1 \\\" Geheim1\"\n", &["line 1 (`max_streams`)", "invalid type"]),
    ];
    for (text, words) in files {
        fs::write(&config, text).unwrap();
        let arguments = ["serve", "--config", config_name, "--data", data.to_str().unwrap()];
        let said = refused_arguments(&arguments, 2);
        assert!(words.iter().all(|word| said.contains(word)), "{text:.40}: {said}");
        assert!(!said.to_lowercase().contains("geheim"), "{text}: {said}");
    }
    let missing = folder.path().join("none.toml");
    // Reading a device may never end, and opening a pipe without a writer may not either.
    let pipe = folder.path().join("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let lines: [(&[&str], &str); 11] = [
        (&["serve", "--config", "/dev/zero"], "no regular file"),
        (&["serve", "--config", "/dev/stdin"], "no regular file"),
        (&["serve", "--config", pipe.to_str().unwrap()], "no regular file"),
        (&["serve", "--config", folder.path().to_str().unwrap()], "no regular file"),
        (&["serve", "--config", missing.to_str().unwrap()], "none.toml"),
        (&["serve", "--lisen", "127.0.0.1:0"], "--lisen"),
        (&["serve", "--listen", "localhost"], "localhost"),
        (&["serve", "--workers", "0", "--data", data.to_str().unwrap()], "--workers"),
        (&["serve", "--log-level", "fairshoe=loud", "--data", data.to_str().unwrap()], "--log-level"),
        (&["serve", "--log", "fairshoe=loud", "--data", data.to_str().unwrap()], "--log-level"),
        (&["deal"], "deal"),
    ];
    for (arguments, word) in lines {
        let said = refused_arguments(arguments, 2);
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
    let bad_name = ["serve", "--listen", "127.0.0.1:0", "--origin", "Not A Name", "--data", data.to_str().unwrap()];
    assert!(refused_arguments(&bad_name, 1).contains("Not A Name"));
    // The name can be corrected: the first start is begun again.
    let service = Service::start(&data, &["--origin", "example.com/shoe"]);
    assert_eq!(service.operator().get("/v1/log").json()["origin"], "example.com/shoe");
    // After that it stays, and no other is accepted; the refusal is printed for any filter of the log.
    assert_eq!(service.stop(), Some(0));
    for filter in ["info", "off", "", "fairshoe::wallet=debug"] {
        let another = ["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap(), "--log-level", filter];
        let said = refused_arguments(&[&another[..], &["--origin", "example.com/other"]].concat(), 1);
        assert!(said.contains("example.com/other") && said.contains("example.com/shoe"), "{filter}: {said}");
    }
    assert_eq!(Service::start(&data, &["--origin", "example.com/shoe"]).stop(), Some(0));
    let monitors = "http://me:Geheim1@127.0.0.1:1,http://127.0.0.1:2,http://127.0.0.1:3";
    let order = ["serve", "--order", "nats://127.0.0.1:1,nats://127.0.0.1:2,nats://127.0.0.1:3", "--shard", "east"];
    let said = refused_arguments(&[&order[..], &["--order-monitor", monitors]].concat(), 2);
    assert!(said.contains("without a user and a password") && !said.contains("Geheim1"), "{said}");
}

fn refused_arguments(arguments: &[&str], code: i32) -> String {
    let mut command = std::process::Command::new(fairshoe_tests::binary("fairshoe"));
    command.args(arguments);
    let ended = Process::spawn(command).end(Duration::from_secs(30));
    assert_eq!(ended.code, Some(code), "{arguments:?}: {ended:?}");
    ended.said
}

/// A folder with other content is never treated as new, and never cleared.
#[test]
fn a_folder_of_somebody_elses_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.txt"), "years of work").unwrap();
    let before = snapshot(folder.path(), NOTHING);
    let said = refused(folder.path(), &[], 1);
    assert!(said.contains("empty folder"), "{said}");
    assert!(before == snapshot(folder.path(), NOTHING));
}

#[test]
fn a_first_start_that_was_killed_is_begun_again() {
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let (mut kills, mut unfinished) = (0, 0);
    for number in 0..samples(6, 60) {
        let data = folder.path().join(number.to_string());
        for _ in 0..5 {
            let first = Process::serve(&data, &[]);
            std::thread::sleep(dice.pause(if kills % 2 == 0 { 20 } else { 160 }));
            first.kill();
            kills += 1;
            unfinished += u64::from(data.join("first-start").exists());
        }
        let service = Service::start(&data, &[]);
        let player = service.player("alice", 100);
        assert_eq!(player.play("joy-1", 10)["round"]["phase"], "settled");
        let mut watch = Watch::default();
        watch.follow(&service.operator());
        assert_eq!(service.stop(), Some(0));
        assert!(!data.join("first-start").exists());
        for secret in ["secrets/master.key", "secrets/log.key", "operator.token"] {
            assert_eq!(fs::metadata(data.join(secret)).unwrap().permissions().mode() & 0o777, 0o600, "{secret}");
        }
    }
    println!("{kills} kills of a first start, {unfinished} of them before it was finished");
    assert!(unfinished > 0, "no kill came in time");
}

/// Two starts at once in a new folder: one serves, and its acknowledged entries are not removed by the other.
#[test]
fn two_first_starts_at_once_leave_one_service_and_its_log() {
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let mut both = 0;
    for number in 0..samples(8, 80) {
        let data = folder.path().join(number.to_string());
        let mut one = Process::serve(&data, &[]);
        std::thread::sleep(dice.pause(160));
        let mut two = Process::serve(&data, &[]);
        let limit = Duration::from_secs(60);
        let urls: Vec<String> = [one.url(limit), two.url(limit)].into_iter().flatten().collect();
        assert_eq!(urls.len(), 1, "one and one alone serves: {} {}", one.said(), two.said());
        let token = fs::read_to_string(data.join("operator.token")).unwrap();
        let operator = fairshoe_tests::Client::new(&urls[0], Some(token.trim()));
        operator.post("/v1/players", &serde_json::json!({ "player": "alice" })).expect_status(201);
        let mut watch = Watch::default();
        watch.follow(&operator);
        let words = [one.kill().said, two.kill().said].concat();
        both += u64::from(words.contains("another process is making"));
        let service = Service::start(&data, &[]);
        watch.follow(&service.operator());
        service.operator().get("/v1/players/alice").expect_status(200);
    }
    println!("{both} refused while the other one's first start was under way");
}

/// Programs that read the log skip what is no JSON (spec/operating.md, "Start"): that may be nothing which they want to
/// know.
#[test]
fn of_a_log_in_json_only_the_two_lines_of_a_start_are_words() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/operating.md")).unwrap();
    let words = |said: &str| -> Vec<String> {
        let is_json = |line: &&str| serde_json::from_str::<serde_json::Value>(line).is_ok_and(|line| line.is_object());
        said.lines().filter(|line| !is_json(line)).map(str::to_owned).collect()
    };
    for end in [Process::kill, Process::stop] {
        let mut process = Process::serve(&data, &[]);
        let url = process.url(Duration::from_secs(60)).unwrap_or_else(|| panic!("{}", process.said()));
        assert_eq!(words(&refused(&data, &[], 1)), Vec::<String>::new(), "a refused start has its log");
        let ended = end(process);
        let said = words(&ended.said);
        assert_eq!(said.len(), 2, "{said:#?}");
        assert!(said[0].starts_with(&format!("fairshoe deals at {url} ")), "{said:#?}");
        assert_eq!(said[1], format!("open {url}/ in a browser to play"));
        let listening = format!("\"address\":\"{url}\"");
        assert!(ended.said.contains(&listening) && ended.said.contains("\"listening\""), "{}", ended.said);
    }
    for line in ["fairshoe deals at http://", "open http://"] {
        assert!(page.contains(&format!("\n{line}")), "the page shows: {line}");
    }
    let wrong = refused(&folder.path().join("other"), &["--log-level", "fairshoe=loud"], 2);
    assert!(wrong.starts_with("fairshoe: --log-level "), "before there is a log: {wrong}");
}
