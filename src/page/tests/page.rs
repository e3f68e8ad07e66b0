//! The files for a browser: every file of the folder, complete, under one version.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use fairshoe_page::{PAGE, VERIFIER};
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

/// The files that build.rs found, in the library's form.
const FOUND: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

#[test]
fn every_file_of_the_folder_is_carried_and_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
    let there: BTreeSet<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let carried: BTreeSet<String> = FOUND.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let made: BTreeSet<String> = carried.difference(&there).cloned().collect();
    assert!(carried.is_superset(&there) && made == BTreeSet::from(["legend.json".to_owned()]), "{made:?}");
    assert!(carried.contains("index.html") && carried.contains("main.js"));
}

/// Every file address in the document, and every import between modules, leads to an existing file.
#[test]
fn what_the_document_and_the_modules_name_is_there() {
    let document = String::from_utf8(PAGE.document.bytes.to_vec()).unwrap();
    let mut named = 0;
    for address in document.split("\"/page/").skip(1).filter_map(|rest| rest.split('"').next()) {
        let (version, name) = address.split_once('/').unwrap();
        assert!(PAGE.file(version, name).is_some(), "index.html names {name}");
        named += 1;
    }
    assert!(named >= 2, "a script and a style at least");
    for (name, _, bytes) in FOUND.iter().filter(|(name, ..)| name.ends_with(".js")) {
        let text = std::str::from_utf8(bytes).unwrap();
        let imports = ["from './", "import('./", "new URL('./"];
        for import in imports.iter().flat_map(|mark| text.split(mark).skip(1)) {
            let import = import.split('\'').next().unwrap();
            assert!(PAGE.file(&PAGE.version, import).is_some(), "{name} imports {import}");
        }
    }
}

#[test]
fn a_file_is_found_under_its_own_version_and_unpacks_to_itself() {
    let file = PAGE.file(&PAGE.version, "fairshoe-verify.js").unwrap();
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(file.packed()).read_to_end(&mut plain).unwrap();
    assert!(plain == VERIFIER.as_bytes() && file.packed().len() * 3 < plain.len());
    assert!(
        PAGE.file("0000000000000000", "fairshoe-verify.js").is_none()
            && PAGE.file(&PAGE.version, "index.html").is_none()
    );
}
