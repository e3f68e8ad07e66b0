//! `fairshoe check`: its report on a whole folder, and on damaged ones.

use crate::faults;

use fairshoe_tests::{Json, Service, binary};
use faults::load::Casino;
use faults::{Dice, copy_folder, snapshot};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Its exit code and its JSON report.
fn check(dir: &Path) -> (Option<i32>, Value) {
    let said = Command::new(binary("fairshoe")).arg("check").arg(dir).arg("--json").output().unwrap();
    (said.status.code(), serde_json::from_slice(&said.stdout).unwrap())
}

fn refused(dir: &Path, label: &str) {
    let (code, said) = check(dir);
    assert_eq!((code, &said["whole"], said["label"].as_str()), (Some(1), &Value::Bool(false), Some(label)), "{said}");
}

#[test]
fn a_stopped_folder_is_read_whole_and_one_that_is_not_is_told_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = Service::start(&data, &["--token-rate", "0", "--address-rate", "0"]);
    let mut casino = Casino::open(&service, 4, &mut Dice::new());
    let url = service.url.clone();
    casino.play_while(&url, || {
        let size = || service.anyone().get("/v1/log").expect_status(200)["size"].int();
        while size() < 1_000 {
            std::thread::sleep(Duration::from_millis(50));
        }
        refused(&data, "the folder is in use by a running service");
        assert_eq!(service.stop(), Some(0));
    });

    let before = snapshot(&data, &[]);
    let (code, said) = check(&data);
    assert_eq!((code, &said["whole"]), (Some(0), &Value::Bool(true)), "{said}");
    let (all, sealed) = (said["entries"].int(), said["sealed"].int());
    assert!(all > 1_000 && sealed % 256 == 0 && (256..=all).contains(&sealed), "{said}");
    assert_eq!(said["key"].as_str(), Some(fs::read_to_string(data.join("log.vkey")).unwrap().trim_end()));
    assert!(snapshot(&data, &[]) == before, "nothing is written to the folder");
    let words = Command::new(binary("fairshoe")).arg("check").arg(&data).output().unwrap();
    assert!(
        String::from_utf8(words.stdout)
            .unwrap()
            .starts_with(&format!("WHOLE: {all} entries, {sealed} of them sealed."))
    );

    let damaged = folder.path().join("damaged");
    copy_folder(&data, &damaged);
    let segment = damaged.join("sealed/00000000");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[200] ^= 1;
    fs::write(&segment, bytes).unwrap();
    refused(&damaged, "a sealed file of the store is damaged or another");

    let torn = folder.path().join("torn");
    copy_folder(&data, &torn);
    let mut bytes = fs::read(torn.join("anchor")).unwrap();
    // Damage in the older slot: the newer one vouches for the log.
    let counter = |at: usize| u64::from_be_bytes(bytes[at + 8..at + 16].try_into().unwrap());
    let older = if counter(0) < counter(4096) { 0 } else { 4096 };
    bytes[older + 20] ^= 1;
    fs::write(torn.join("anchor"), bytes).unwrap();
    let (code, said) = check(&torn);
    assert_eq!((code, &said["torn_anchor"]), (Some(0), &Value::Bool(true)), "{said}");

    // A whole one that this key did not sign.
    let other = folder.path().join("other");
    copy_folder(&data, &other);
    let stranger = Service::start(&folder.path().join("stranger"), &[]);
    fs::copy(folder.path().join("stranger/log.vkey"), other.join("log.vkey")).unwrap();
    stranger.kill();
    refused(&other, "the log is not the one that was signed");

    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    refused(&empty, "a part of the store is missing");
}
