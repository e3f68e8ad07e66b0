//! Tells an address that a monitor found something, a few times if need be. The evidence is in the monitor's folder
//! before.

use super::evidence::Evidence;
use crate::http::agent_for;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// How long one attempt may take.
const LIMIT: Duration = Duration::from_secs(5);

/// Waits before the second and each further attempt.
const AGAIN_AFTER: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// Tells an address of a finding; the reason if it does not take it.
pub fn call(url: &str, evidence: &Evidence, file: Option<&Path>) -> Result<(), String> {
    let agent: ureq::Agent =
        agent_for(url).timeout_global(Some(LIMIT)).http_status_as_error(false).max_redirects(0).build().into();
    let body = serde_json::json!({
        "fairshoe_finding": 1,
        "origin": evidence.vkey.split('+').next(),
        "vkey": evidence.vkey,
        "time": evidence.time,
        "finding": evidence.finding,
        "addresses": evidence.addresses,
        "evidence": file,
    })
    .to_string();
    let attempt = || match agent.post(url).header("Content-Type", "application/json").send(&body) {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => Err(format!("status {}", answer.status().as_u16())),
        Err(e) => Err(e.to_string()),
    };
    AGAIN_AFTER.iter().fold(attempt(), |done, pause| {
        done.or_else(|_| {
            sleep(*pause);
            attempt()
        })
    })
}
