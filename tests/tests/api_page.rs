//! The service's replies to a browser (spec/page.md, 1): rooms, files, and the headers that keep foreign text from
//! running.

use crate::api_log::raw;
use fairshoe_tests::{Reply, Service, binary};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

/// Addresses of each kind of room; the page itself says whether the table or round exists.
const ROOMS: [&str; 8] = [
    "/",
    "/log",
    "/docs",
    "/play/joy-1",
    "/play/not-there",
    "/round/joy-1:0",
    "/round/not-there:18446744073709551615",
    "/tournament/friday",
];

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn unpacked(reply: &Reply) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(reply.body.as_slice()).read_to_end(&mut plain).unwrap();
    plain
}

/// The addresses of the document's files.
fn files(document: &str) -> BTreeSet<String> {
    let named = document.split("\"/page/").skip(1).filter_map(|rest| rest.split('"').next());
    named.map(|name| format!("/page/{name}")).collect()
}

fn is_guarded(reply: &Reply, path: &str) {
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("vary", "accept-encoding"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{path}: {name}");
    }
}

/// Long texts of the interface are packed for clients that accept it: the text is the same, and caches are told.
#[test]
fn long_replies_are_packed_for_who_takes_it() {
    let service = Service::fresh(&[]);
    for path in ["/v1/tables", "/v1/tables/joy-1", "/openapi.yaml", "/verify"] {
        let plain = raw(&service, "GET", path, "");
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None), "{path}");
        assert_eq!(plain.header("vary"), Some("accept-encoding"), "{path}");
        let packed = raw(&service, "GET", path, "accept-encoding: gzip\r\n");
        assert_eq!((packed.status, packed.header("content-encoding")), (200, Some("gzip")), "{path}");
        assert_eq!(packed.header("content-length"), Some(packed.body.len().to_string().as_str()), "{path}");
        assert!(packed.body.len() < plain.body.len(), "{path}");
        assert_eq!(unpacked(&packed), plain.body, "{path}");
    }
    // A short reply, or one that is no text, is sent unpacked.
    for path in ["/healthz", "/v1/tables/nowhere"] {
        assert_eq!(raw(&service, "GET", path, "accept-encoding: gzip\r\n").header("content-encoding"), None, "{path}");
    }
}

/// The page's rooms, and one of its files under the version that the document names.
pub fn open_the_page(service: &Service) {
    let nobody = service.anyone();
    let document = nobody.get("/").text();
    let (_, named) = document.split_once("src=\"/page/").expect("the document names its script");
    let script = format!("/page/{}", named.split('"').next().unwrap());
    nobody.get(&script);
    for path in ["/", "/docs", "/log", "/play/joy-1", "/round/joy-1:0", "/tournament/friday", &script] {
        assert_eq!(nobody.send("HEAD", path, None, &[]).unwrap().status, 200, "{path}");
    }
    nobody.post("/v1/guests", &json!({})).expect_status(201);
}

#[test]
fn every_room_is_one_document_that_is_asked_for_anew_and_seldom_sent_twice() {
    let service = Service::fresh(&[]);
    let document = service.anyone().get("/").body;
    for path in ROOMS {
        let reply = raw(&service, "GET", path, "");
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/html; charset=utf-8")), "{path}");
        assert_eq!((reply.header("cache-control"), reply.header("content-encoding")), (Some("no-cache"), None));
        assert!(reply.body == document, "{path} is another document");
        is_guarded(&reply, path);
        let tag = reply.header("etag").unwrap().to_owned();
        let known = raw(&service, "GET", path, &format!("if-none-match: {tag}\r\n"));
        assert_eq!((known.status, known.body.len(), known.header("etag")), (304, 0, Some(tag.as_str())), "{path}");
        is_guarded(&known, path);
        assert_eq!(raw(&service, "GET", path, "if-none-match: \"another\"\r\n").status, 200);
        let packed = raw(&service, "GET", path, "accept-encoding: gzip\r\n");
        assert_eq!(packed.header("content-encoding"), Some("gzip"));
        assert!(unpacked(&packed) == document && packed.header("etag") != Some(tag.as_str()));
    }
    let text = String::from_utf8(document).unwrap();
    assert!(text.starts_with("<!DOCTYPE html>"));
    // The document holds nothing that the policy would block.
    for forbidden in ["<style", " style=", " onclick", " onload", "http://", "https://", "javascript:"] {
        assert!(!text.contains(forbidden), "the document has {forbidden}");
    }
    // Every script is a file of the page's own.
    for script in text.split("<script").skip(1) {
        let (tag, rest) = script.split_once('>').unwrap();
        assert!(tag.starts_with(" type=\"module\"") && tag.contains(" src=\"/page/"), "{tag}");
        assert!(rest.starts_with("</script>"), "{tag}");
    }
}

#[test]
fn files_lie_under_the_version_of_all_and_never_change_there() {
    let service = Service::fresh(&[]);
    let named = files(&service.anyone().get("/").text());
    assert!(named.len() >= 2, "{named:?}");
    let version = named.first().unwrap().split('/').nth(2).unwrap().to_owned();
    let script = format!("/page/{version}/fairshoe-verify.js");
    for path in named.iter().chain([&script]) {
        assert_eq!(path.split('/').nth(2), Some(version.as_str()), "{path}");
        let plain = raw(&service, "GET", path, "");
        let kind = match path.rsplit('.').next() {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            _ => "image/svg+xml",
        };
        assert_eq!((plain.status, plain.header("content-type")), (200, Some(kind)), "{path}");
        assert_eq!(plain.header("cache-control"), Some("public, max-age=31536000, immutable"));
        is_guarded(&plain, path);
        let packed = raw(&service, "GET", path, "accept-encoding: gzip\r\n");
        assert!(packed.body.len() < plain.body.len() && unpacked(&packed) == plain.body, "{path}");
        let tag = packed.header("etag").unwrap();
        let again = format!("accept-encoding: gzip\r\nif-none-match: {tag}\r\n");
        assert_eq!(raw(&service, "GET", path, &again).status, 304, "{path}");
        let length = plain.body.len().to_string();
        let head = raw(&service, "HEAD", path, "");
        assert_eq!((head.status, head.header("content-length")), (200, Some(length.as_str())), "{path}");
    }
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/verifier/fairshoe-verify.js");
    assert!(service.anyone().get(&script).body == std::fs::read(built).unwrap());
    for path in [
        &format!("/page/{}/dom.js", "0".repeat(16)),
        &format!("/page/{version}/nothing.js"),
        &format!("/page/{version}/index.html"),
        &format!("/page/{version}/"),
        &format!("/page/{version}/..%2fsrc%2flib.rs"),
        "/page/dom.js",
        "/round/joy-1",
        "/round/joy-1:x",
        "/play/No%20Table",
        "/play/%3Cscript%3E",
        "/tournament/A",
    ] {
        let reply = raw(&service, "GET", path, "");
        assert_eq!((reply.status, reply.problem(404).as_str()), (404, "not_found"), "{path}");
    }
}

#[test]
fn a_start_says_which_address_to_open() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Command::new(binary("fairshoe"));
    service.args(["serve", "--listen", "0.0.0.0:0", "--log-level", "error", "--data"]).arg(folder.path());
    let mut child = service.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let said: Vec<String> = lines.take(2).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    let port = said[0].strip_prefix("fairshoe deals at http://0.0.0.0:").unwrap().split(' ').next().unwrap();
    // A service that listens everywhere is reached from here only by this machine's address.
    assert_eq!(said[1], format!("open http://127.0.0.1:{port}/ in a browser to play"));
}
