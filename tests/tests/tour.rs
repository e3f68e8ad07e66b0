//! The README's tour, run as it stands there against a fresh service.

use fairshoe_tests::{Service, binary};
use std::path::Path;
use std::process::Command;

/// The shell blocks that the README marks as its tour, with this test's port and folders.
fn script(service: &Service) -> String {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let blocks: Vec<&str> =
        readme.split("<!-- tour -->\n```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 3, "the tour has three blocks: play, check, tamper");
    let binaries = binary("fairshoe-audit").parent().unwrap().display().to_string();
    blocks
        .join("\n")
        .replace("http://127.0.0.1:8080", &service.url)
        .replace("data/operator.token", &service.data.join("operator.token").display().to_string())
        .replace("PATH=target/release:", &format!("PATH={binaries}:"))
}

#[test]
fn the_tour_in_the_readme_works_as_printed() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("data"), &[]);
    let output = Command::new("bash").arg("-euc").arg(script(&service)).current_dir(folder.path()).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("\nSOUND").count(), 3, "round over HTTP, round from the file, whole log:\n{said}");
    assert_eq!(said.matches("NOT SOUND").count(), 1, "{said}");
    assert!(said.contains("exit code 1"), "{said}");
}
