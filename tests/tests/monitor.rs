//! The monitor against a running service and a witness: an operator's players can run it to watch them.

use fairshoe_tests::wire::eventually;
use fairshoe_tests::witness::WitnessProcess;
use fairshoe_tests::{Json, Service, binary};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

fn look(state: &Path, addresses: &[&str], policy: &Path) -> Value {
    let mut command = Command::new(binary("fairshoe-audit"));
    command.arg("monitor").args(addresses).args(["--once", "--json", "--state"]).arg(state).arg("--policy").arg(policy);
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(0), "{out}\n{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_service_and_its_witness_are_followed_across_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (data, state) = (folder.path().join("data"), folder.path().join("monitor"));
    assert_eq!(Service::start(&data, &[]).stop(), Some(0));
    let log = fs::read_to_string(data.join("log.vkey")).unwrap().trim().to_owned();
    let witness = WitnessProcess::start(&folder.path().join("w1"), "witness.example/w1", &log);
    let (witnesses, policy) = (folder.path().join("witnesses"), folder.path().join("policy"));
    let lines = format!("{}quorum w1\n", witness.line("w1"));
    fs::write(&witnesses, &lines).unwrap();
    fs::write(&policy, format!("log {log}\n{lines}")).unwrap();

    let mut seen = 0;
    for name in ["ann", "ben"] {
        let service = Service::start(&data, &["--witnesses", witnesses.to_str().unwrap()]);
        service.player(name, 1_000).play("joy-1", 10);
        // The same service at two addresses.
        let other = service.url.replace("127.0.0.1", "localhost");
        let addresses = [service.url.as_str(), other.as_str()];
        let mut last = Value::Null;
        eventually("the quorum's cosignature", || {
            last = look(&state, &addresses, &policy);
            last["quorum"] == true && last["witnesses"][0]["size"].as_u64() > Some(0)
        });
        assert!(["sound", "sound_so_far"].contains(&last["verdict"].as_str().unwrap()), "{last}");
        let entries = last["entries"].int();
        assert!(entries > seen, "the log grew from {seen}: {last}");
        assert_eq!(look(&state, &addresses, &policy)["new_entries"], 0);
        seen = entries;
        assert_eq!(service.stop(), Some(0));
    }

    // The stopped service's folder is audited from the monitor's last size, and compared with its history.
    let (kept, history) = (state.join("audit.state"), state.join("checkpoints.jsonl"));
    let audit = |more: &[&str]| {
        let mut command = Command::new(binary("fairshoe-audit"));
        let output =
            command.arg("log").arg(&data).args(["--json", "--policy"]).arg(&policy).args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let report = audit(&["--state", kept.to_str().unwrap()]);
    assert_eq!(report["resumed_from"], seen);
    assert!(report["entries"].as_u64() > Some(seen), "the stop is on the log: {report}");
    let report = audit(&["--kept", history.to_str().unwrap()]);
    assert!(report["kept"]["witnessed"].as_u64() > Some(0), "{report}");
}
