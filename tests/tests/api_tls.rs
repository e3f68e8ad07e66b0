//! TLS by setting (spec/operating.md, "TLS"): a client that trusts the certificate reads everything, one without TLS
//! nothing, and a renewed certificate is used without a restart.

use fairshoe_tests::tls::{certificate, certificate_by, options, start};
use fairshoe_tests::{Service, binary};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

fn curl(trusted: &Path, args: &[&str]) -> Output {
    Command::new("curl").args(["--silent", "--show-error", "--cacert"]).arg(trusted).args(args).output().unwrap()
}

#[test]
fn a_service_under_tls_is_read_by_whoever_trusts_it_and_by_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    if !certificate(folder.path()) || Command::new("curl").arg("--version").output().is_err() {
        return println!("skipped: no openssl, or no curl");
    }
    let service = start(folder.path(), &[]).unwrap();
    assert!(service.url.starts_with("https://127.0.0.1:"), "{}", service.url);
    let trusted = folder.path().join("trusted.pem");
    std::fs::copy(folder.path().join("cert.pem"), &trusted).unwrap();
    let read = |path: &str, more: &[&str]| curl(&trusted, &[more, &[&format!("{}{path}", service.url)]].concat());
    let log = read("/v1/log", &[]);
    assert!(log.status.success(), "{}", String::from_utf8_lossy(&log.stderr));
    assert!(String::from_utf8_lossy(&log.stdout).contains("\"vkey\""));
    // Large replies at once, and small ones.
    let contract = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi.yaml")).unwrap();
    assert!(read("/openapi.yaml", &[]).stdout == contract, "a long reply comes whole");
    let events = read("/v1/tables/joy-1/events", &["--max-time", "2"]);
    assert!(!events.stdout.is_empty(), "a stream's events come as they happen");
    let stored = std::fs::read_to_string(folder.path().join("data/address")).unwrap();
    assert_eq!(stored.trim(), service.url);

    // A client without TLS gets no reply, and is closed within the time for a request's head.
    let address = service.url.strip_prefix("https://").unwrap();
    let begun = Instant::now();
    let said: [&[u8]; 3] = [b"", b"GET /v1/log HTTP/1.1\r\nhost: a\r\n\r\n", &[0x16, 3, 1, 0xff, 0xff, 1, 2, 3]];
    let mut streams = said.map(|said| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(said).unwrap();
        stream
    });
    for stream in &mut streams {
        let mut told = Vec::new();
        let _ = stream.read_to_end(&mut told);
        assert!(!told.windows(4).any(|four| four == b"HTTP"), "{}", String::from_utf8_lossy(&told));
    }
    assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());

    // New connections get a renewed certificate; an unreadable one changes nothing.
    assert!(certificate(folder.path()));
    let renewed = folder.path().join("cert.pem");
    let end = Instant::now() + Duration::from_secs(20);
    while !curl(&renewed, &[&format!("{}/healthz", service.url)]).status.success() {
        assert!(Instant::now() < end, "the old certificate is shown on");
        std::thread::sleep(Duration::from_millis(300));
    }
    assert!(!read("/healthz", &[]).status.success(), "and the one before is not");
    let kept = folder.path().join("kept.pem");
    std::fs::copy(&renewed, &kept).unwrap();
    std::fs::write(&renewed, "not a certificate").unwrap();
    std::thread::sleep(Duration::from_secs(3));
    for _ in 0..2 {
        assert!(curl(&kept, &[&format!("{}/healthz", service.url)]).status.success());
    }
    // *A renewal whose key cannot be read at first*: the repair changes no file's time.
    assert!(certificate(folder.path()));
    let (key, hidden) = (folder.path().join("key.pem"), folder.path().join("hidden.pem"));
    std::fs::rename(&key, &hidden).unwrap();
    std::fs::create_dir(&key).unwrap();
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until {
        assert!(curl(&kept, &[&format!("{}/healthz", service.url)]).status.success());
        std::thread::sleep(Duration::from_millis(500));
    }
    std::fs::remove_dir(&key).unwrap();
    std::fs::rename(&hidden, &key).unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while !curl(&renewed, &[&format!("{}/healthz", service.url)]).status.success() {
        assert!(Instant::now() < end, "it is not tried again");
        std::thread::sleep(Duration::from_millis(300));
    }
    // The metrics show its expiry, and a supervisor gets answers with any certificate.
    let metrics = curl(&renewed, &[&format!("{}/metrics", service.url)]);
    let metrics = String::from_utf8_lossy(&metrics.stdout).into_owned();
    let ends = metrics.lines().find_map(|line| line.strip_prefix("fairshoe_certificate_end_seconds ")).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert!((now + 86_400..now + 3 * 86_400).contains(&ends.parse().unwrap()), "{ends}");
    let data = folder.path().join("data");
    let alive = || Command::new(binary("fairshoe")).args(["alive", "--data"]).arg(&data).output().unwrap();
    assert!(alive().status.success(), "{:?}", alive());
    drop(service);
    assert_eq!(alive().status.code(), Some(1), "{:?}", alive());
}

/// *A stranger greets again and again, and each greeting costs a signature*: an address has a limit of handshakes a
/// second, the same as for requests; more are closed before any work.
#[test]
fn an_address_has_no_more_handshakes_than_requests() {
    let folder = tempfile::tempdir().unwrap();
    if !certificate(folder.path()) || Command::new("curl").arg("--version").output().is_err() {
        return println!("skipped: no openssl, or no curl");
    }
    let service = start(folder.path(), &["--address-rate", "2"]).unwrap();
    let trusted = folder.path().join("cert.pem");
    let begun = Instant::now();
    let url = format!("{}/healthz", service.url);
    let answered = (0..20).filter(|_| curl(&trusted, &[&url]).status.success()).count() as u64;
    let most = 4 + 2 * begun.elapsed().as_secs() + 2;
    assert!((1..=most).contains(&answered) && answered < 20, "{answered} in {:?}", begun.elapsed());
    // Later there is room again.
    std::thread::sleep(Duration::from_secs(2));
    assert!(curl(&trusted, &[&url]).status.success());
}

#[test]
fn the_doctor_knows_a_certificate_that_is_over_and_a_key_that_others_can_read() {
    let folder = tempfile::tempdir().unwrap();
    let doctor = || {
        let output = Command::new(binary("fairshoe"))
            .args(["doctor", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("none"))
            .args(options(folder.path()))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        said.lines().find(|line| line.contains(" certificate ")).unwrap().to_owned()
    };
    if !certificate(folder.path()) {
        return println!("skipped: no openssl");
    }
    let said = doctor();
    assert!(said.starts_with("note") && said.contains("days left: 1"), "{said}");
    let key = folder.path().join("key.pem");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(doctor().starts_with("BAD") && doctor().contains("chmod 600"), "{}", doctor());
    let mut past = Command::new("faketime");
    past.args(["2020-03-01 12:00:00", "openssl"]);
    if Command::new("faketime").arg("--version").output().is_err() || !certificate_by(past, folder.path()) {
        return println!("skipped: no faketime");
    }
    assert!(doctor().starts_with("BAD") && doctor().contains("ended"), "{}", doctor());
}

#[test]
fn files_that_are_no_certificate_are_refused_by_name_before_anything_is_begun() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let refused = |what: &str| {
        let said = start(folder.path(), &[]).err().expect("it starts");
        assert!(said.contains(what), "{said}");
        assert!(!path("data").join("log.vkey").exists(), "nothing is made");
    };
    refused("cert.pem");
    std::fs::write(path("cert.pem"), "nothing").unwrap();
    std::fs::write(path("key.pem"), "nothing").unwrap();
    refused("it holds no certificate");
    if certificate(folder.path()) {
        std::fs::write(path("key.pem"), "nothing").unwrap();
        refused("no private key");
    }
    let options = options(folder.path());
    let said = Service::try_start(&path("data"), &[&options[0], &options[1]]).err().expect("it starts");
    assert!(said.contains("belong together"), "{said}");
}
