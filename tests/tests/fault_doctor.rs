//! `fairshoe doctor` on a healthy machine, and on one where the service would break a promise.

use crate::faults;

use fairshoe_tests::witness::WitnessProcess;
use fairshoe_tests::{Json, Service, binary};
use faults::loop_disk::MemoryDisk;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

/// The doctor's report on these options, and its exit code.
fn doctor(data: &Path, options: &[&str]) -> (Value, Option<i32>) {
    let mut command = Command::new(binary("fairshoe"));
    command.args(["doctor", "--json", "--listen", "127.0.0.1:0", "--data"]).arg(data).args(options);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (serde_json::from_slice(&output.stdout).unwrap_or(Value::String(said)), output.status.code())
}

/// The state of one item.
fn state_of<'f>(found: &'f Value, what: &str) -> &'f str {
    let all = found["found"].list();
    all.iter().find(|one| one["what"] == what).unwrap_or_else(|| panic!("nothing of {what}: {found}"))["state"]
        .as_str()
        .unwrap()
}

/// Answers every request with these headers, each of which ends its line.
fn answering(headers: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = write!(stream, "HTTP/1.1 404 Not Found\r\n{headers}content-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    format!("http://{address}")
}

#[test]
fn the_doctor_says_what_is_well_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("data"), &[]);
    let (found, _) = doctor(&service.data, &[]);
    for what in ["sync", "secrets", "files", "open files"] {
        assert_eq!(state_of(&found, what), "well", "{found}");
    }
    // It asked no server.
    assert_eq!(state_of(&found, "clock"), "note");
    assert!(found.to_string().contains("nobody was asked what time it is"), "{found}");
    let left = std::fs::read_dir(&service.data).unwrap().flatten().map(|file| file.file_name());
    assert!(!left.into_iter().any(|name| name.to_string_lossy().contains("doctor")), "its file is gone");
    // The same as text, for a folder that does not exist yet; the service's address is taken.
    let address = service.url.strip_prefix("http://").unwrap();
    let output = Command::new(binary("fairshoe"))
        .args(["doctor", "--listen", address, "--data"])
        .arg(folder.path().join("not/there/yet"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("well  sync") && said.contains("note  address"), "{said}");
    assert!(!folder.path().join("not").exists());
    let wrong = Command::new(binary("fairshoe")).args(["doctor", "--workers", "0"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn the_doctor_finds_what_makes_a_promise_untrue() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = Service::start(&data, &[]);
    let key = service.data.join("secrets/log.key");
    let key = if key.exists() {
        key
    } else {
        std::fs::read_dir(data.join("secrets")).unwrap().flatten().next().unwrap().path()
    };
    drop(service);
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (found, code) = doctor(&data, &[]);
    assert_eq!((state_of(&found, "secrets"), code), ("bad", Some(1)), "{found}");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();

    // A file made by root among those of the service's user: found even if root asks.
    if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        let chown = |owner: &str, path: &Path| {
            assert!(Command::new("chown").args(["-R", owner]).arg(path).status().unwrap().success());
        };
        chown("65534", &data);
        let (found, _) = doctor(&data, &[]);
        assert_eq!(state_of(&found, "files"), "well", "{found}");
        for name in ["anchor", "sealed"] {
            chown("0", &data.join(name));
            let (found, code) = doctor(&data, &[]);
            assert_eq!((state_of(&found, "files"), code), ("bad", Some(1)), "{found}");
            assert!(found.to_string().contains(&format!("data/{name}: it is of user 0, and user 65534")), "{found}");
            chown("65534", &data);
        }
        chown("0", &data);
    }
    // Causes that make a start impossible, each repaired again.
    let moved = folder.path().join("moved");
    for name in ["secrets/master.key", "secrets", "operator.token"] {
        std::fs::rename(data.join(name), &moved).unwrap();
        let (found, code) = doctor(&data, &[]);
        assert_eq!((state_of(&found, "secrets"), code), ("bad", Some(1)), "without {name}: {found}");
        std::fs::rename(&moved, data.join(name)).unwrap();
    }
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "").unwrap();
    let new = folder.path().join("new");
    for (data, options) in
        [(&plain, &[][..]), (&data, &["--origin", "example.com/other"]), (&new, &["--origin", "has space"])]
    {
        let (found, code) = doctor(data, options);
        assert_eq!((state_of(&found, "secrets"), code), ("bad", Some(1)), "{options:?}: {found}");
    }
    let (found, code) = doctor(&data, &["--log-level", "nonsense=wat"]);
    assert_eq!((state_of(&found, "log"), code), ("bad", Some(1)), "{found}");
    assert_eq!(state_of(&doctor(&data, &[]).0, "secrets"), "well");

    let (found, code) = doctor(&data, &["--min-free-mib", "1000000000"]);
    assert_eq!((state_of(&found, "space"), code), ("bad", Some(1)), "{found}");
    let (found, code) = doctor(&data, &["--tls-certificate", "/nowhere.pem", "--tls-key", "/nowhere.pem"]);
    assert_eq!((state_of(&found, "certificate"), code), ("bad", Some(1)), "{found}");

    // Witnesses that answer, that do not, and whose clock is a year off.
    let vkey = std::fs::read_to_string(data.join("log.vkey")).unwrap();
    let witness = WitnessProcess::start(&folder.path().join("w"), "witness.example/w", vkey.trim());
    let line = witness.line("w");
    let file = folder.path().join("witnesses");
    let with = |line: &str| {
        std::fs::write(&file, format!("{line}quorum w\n")).unwrap();
        doctor(&data, &["--witnesses", file.to_str().unwrap()])
    };
    let (found, _) = with(&line);
    assert_eq!(state_of(&found, "witness"), "well", "{found}");
    let url = line.split_whitespace().last().unwrap();
    let (found, code) = with(&line.replace(url, &answering("date: Sun, 22 Nov 2020 09:00:00 GMT\r\n")));
    assert_eq!((state_of(&found, "witness"), state_of(&found, "clock"), code), ("well", "bad", Some(1)), "{found}");
    let (found, _) = with(&line.replace(url, &answering("")));
    assert_eq!((state_of(&found, "witness"), state_of(&found, "clock")), ("well", "note"), "{found}");
    assert!(found.to_string().contains("those who were asked told no time"), "{found}");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (found, _) = with(&line.replace(url, &format!("http://{free}")));
    assert_eq!(state_of(&found, "witness"), "note", "{found}");

    let memory = folder.path().join("memory");
    std::fs::create_dir(&memory).unwrap();
    let Ok(_disk) = MemoryDisk::over(&memory, 64 << 20) else { return println!("skipped: no file system in memory") };
    let (found, code) = doctor(&memory, &[]);
    assert_eq!((state_of(&found, "file system"), code), ("bad", Some(1)), "{found}");
    assert_ne!(found["well"], json!(true));
}
