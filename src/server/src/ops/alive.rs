//! `fairshoe alive`: whether the service on a data folder answers, for supervisors (spec/operating.md).

use crate::ops::run::reached_at;
use crate::read::asking::direct;
use fairshoe_tlog::{MAX_NOTE, VerifierKey, verify_checkpoint};
use std::fs::File;
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use ureq::http::header::CONTENT_TYPE;
use ureq::tls::TlsConfig;

/// The longest file that is read, in bytes.
const MAX_FILE: u64 = 1_024;

/// Asks, and says why not where it does not answer.
pub fn run(data: &Path) -> ExitCode {
    match ask(data) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("fairshoe: {why}");
            ExitCode::from(1)
        }
    }
}

/// *A process that was killed left its address behind, and another program may have taken it since*: what answers there must
/// have signed with the key of this folder's log.
fn ask(data: &Path) -> Result<(), String> {
    let address = read(data, "address", "no service runs on this folder")?;
    let key = read(data, "log.vkey", "no service has begun in this folder")?;
    let strange = |name: &str| format!("{}: it does not hold what the service writes there", data.join(name).display());
    let key: VerifierKey = key.trim().parse().map_err(|_| strange("log.vkey"))?;
    let (scheme, at) = address.trim().split_once("://").ok_or_else(|| strange("address"))?;
    let at: SocketAddr = at.parse().map_err(|_| strange("address"))?;
    // Clients check whose certificate it shows. Here, this machine itself is asked.
    let agent = direct()
        .timeout_global(Some(Duration::from_secs(4)))
        .http_status_as_error(false)
        .max_redirects(0)
        .tls_config(TlsConfig::builder().disable_verification(true).build());
    let url = format!("{scheme}://{}/checkpoint", reached_at(at));
    let failed = |why: ureq::Error| format!("{url}: {why}");
    let mut reply = ureq::Agent::new_with_config(agent.build()).get(&url).call().map_err(failed)?;
    // A service that has too much to do says so, and is not to be killed for it.
    let is_problem = reply.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/problem+json");
    if is_problem && matches!(reply.status().as_u16(), 429 | 503) {
        return Ok(());
    }
    let note = reply.body_mut().with_config().limit(MAX_NOTE as u64).read_to_string().map_err(failed)?;
    let other = |_| format!("{url}: something else than the service on {} answers there", data.display());
    verify_checkpoint(&note, &key).map(drop).map_err(other)
}

fn read(data: &Path, name: &str, missing: &str) -> Result<String, String> {
    let (path, mut text) = (data.join(name), String::new());
    File::open(&path)
        .and_then(|file| file.take(MAX_FILE).read_to_string(&mut text))
        .map_err(|e| format!("{}: {e}: {missing}", path.display()))?;
    Ok(text)
}
