//! `fairshoe alive`: whether the service on a data folder answers, for supervisors (spec/operating.md).

use crate::reached_at;
use std::fs::File;
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use ureq::tls::TlsConfig;

/// The longest address that is read, in bytes.
const MAX_ADDRESS: u64 = 256;

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

fn ask(data: &Path) -> Result<(), String> {
    let path = data.join("address");
    let mut told = String::new();
    File::open(&path)
        .and_then(|file| file.take(MAX_ADDRESS).read_to_string(&mut told))
        .map_err(|e| format!("{}: {e}: no service runs on this folder", path.display()))?;
    let strange = || format!("{}: this is no address", path.display());
    let (scheme, address) = told.trim().split_once("://").ok_or_else(strange)?;
    let address: SocketAddr = address.parse().map_err(|_| strange())?;
    // Whose certificate it shows is for its clients to check: here it is this machine that is asked.
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(Duration::from_secs(4)))
        .tls_config(TlsConfig::builder().disable_verification(true).build());
    let url = format!("{scheme}://{}/healthz", reached_at(address));
    ureq::Agent::new_with_config(agent.build()).get(&url).call().map_err(|e| format!("{url}: {e}"))?;
    Ok(())
}
