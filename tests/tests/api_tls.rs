//! TLS by setting (spec/operating.md, "TLS"): a client that trusts the certificate reads everything, one that speaks no TLS
//! nothing, and a certificate that is renewed is shown without a start.

use fairshoe_tests::Service;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// A certificate for 127.0.0.1 and its key, made by openssl; false where there is none.
fn certificate(folder: &Path) -> bool {
    let (key, cert) = (folder.join("key.new"), folder.join("cert.new"));
    let mut command = Command::new("openssl");
    command.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]);
    command.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout"]).arg(&key);
    let Ok(output) = command.arg("-out").arg(&cert).output() else { return false };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The key first: a service that looks in between sees two files that do not fit, and looks again.
    std::fs::rename(key, folder.join("key.pem")).unwrap();
    std::fs::rename(cert, folder.join("cert.pem")).unwrap();
    true
}

fn curl(trusted: &Path, args: &[&str]) -> Output {
    Command::new("curl").args(["--silent", "--show-error", "--cacert"]).arg(trusted).args(args).output().unwrap()
}

fn options(folder: &Path) -> Vec<String> {
    let name = |file: &str| folder.join(file).to_str().unwrap().to_owned();
    vec!["--tls-certificate".into(), name("cert.pem"), "--tls-key".into(), name("key.pem")]
}

fn start(folder: &Path) -> Result<Service, String> {
    let options = options(folder);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    Service::try_start(&folder.join("data"), &options)
}

#[test]
fn a_service_under_tls_is_read_by_whoever_trusts_it_and_by_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    if !certificate(folder.path()) || Command::new("curl").arg("--version").output().is_err() {
        return println!("skipped: no openssl, or no curl");
    }
    let service = start(folder.path()).unwrap();
    assert!(service.url.starts_with("https://127.0.0.1:"), "{}", service.url);
    let trusted = folder.path().join("trusted.pem");
    std::fs::copy(folder.path().join("cert.pem"), &trusted).unwrap();
    let read = |path: &str, more: &[&str]| curl(&trusted, &[more, &[&format!("{}{path}", service.url)]].concat());
    let log = read("/v1/log", &[]);
    assert!(log.status.success(), "{}", String::from_utf8_lossy(&log.stderr));
    assert!(String::from_utf8_lossy(&log.stdout).contains("\"vkey\""));
    // Much at once, and a little at a time.
    let contract = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi.yaml")).unwrap();
    assert!(read("/openapi.yaml", &[]).stdout == contract, "a long reply comes whole");
    let events = read("/v1/tables/joy-1/events", &["--max-time", "2"]);
    assert!(!events.stdout.is_empty(), "a stream's events come as they happen");
    let stored = std::fs::read_to_string(folder.path().join("data/address")).unwrap();
    assert_eq!(stored.trim(), service.url);

    // Whoever does not speak TLS is told nothing, and ends within the time that a request's head may take.
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

    // A renewed certificate is shown to new connections; one that cannot be read changes nothing.
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
}

#[test]
fn files_that_are_no_certificate_are_refused_by_name_before_anything_is_begun() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let refused = |what: &str| {
        let said = start(folder.path()).err().expect("it starts");
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
