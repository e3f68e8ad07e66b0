//! The witnesses, and what follows when they do not cosign: the options and the policy file, read at the start
//! (spec/receipts.md, "Policy").

use fairshoe_tlog::{MAX_POLICY, Policy};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// How often the newest checkpoint is submitted again while nothing is logged, where nothing else is asked for.
const USUAL_IDLE: u64 = 30;

/// The longest time that any of the options may name, in seconds: a day.
const MOST_SECONDS: u64 = 86_400;

/// The witnesses that are asked, and what follows when they do not cosign.
#[derive(Clone)]
pub struct Settings {
    /// The witnesses and their quorum; each has an address.
    pub policy: Policy,
    /// Fail-closed: no bet is taken once nothing was witnessed for longer than that.
    pub limit: Option<Duration>,
    /// After that long without a new entry the newest checkpoint is submitted again.
    pub idle: Duration,
}

impl Settings {
    /// From the options: none without a file of witnesses.
    pub fn read(file: Option<&Path>, limit: Option<u64>, idle: Option<u64>) -> Result<Option<Self>, String> {
        let Some(file) = file else {
            return match (limit, idle) {
                (None, None) => Ok(None),
                _ => {
                    Err("--unwitnessed-limit and --witness-idle need the witnesses: name their file by --witnesses"
                        .into())
                }
            };
        };
        // A third of the limit, so that one lost submission does not close the house.
        let idle = idle.unwrap_or_else(|| limit.map_or(USUAL_IDLE, |limit| (limit / 3).clamp(1, USUAL_IDLE)));
        if !(1..=MOST_SECONDS).contains(&idle) {
            return Err(format!("--witness-idle is from 1 to {MOST_SECONDS} seconds"));
        }
        if limit.is_some_and(|limit| limit < idle + 2 || limit > MOST_SECONDS) {
            return Err(format!(
                "--unwitnessed-limit is at most {MOST_SECONDS} seconds and at least 2 more than --witness-idle, which is {idle}: a quiet \
                 log is witnessed that often"
            ));
        }
        let policy = read_policy(file).map_err(|e| format!("the file of witnesses {}: {e}", file.display()))?;
        Ok(Some(Settings { policy, limit: limit.map(Duration::from_secs), idle: Duration::from_secs(idle) }))
    }
}

fn read_policy(file: &Path) -> Result<Policy, String> {
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(|e| e.to_string())?;
    opened.take(MAX_POLICY as u64 + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    let policy = Policy::parse(&bytes).map_err(|e| e.to_string())?;
    if policy.quorum_met(|_| false) {
        return Err("its quorum asks for no cosignature: name a witness or a group, or leave --witnesses out".into());
    }
    for witness in policy.witnesses() {
        let name = std::str::from_utf8(&witness.name).map_err(|_| "a witness's name is not UTF-8".to_owned())?;
        let url = witness.url.as_deref().ok_or_else(|| {
            format!(
                "witness {name} has no address; the service must know where to submit: `witness {name} {} https://…`",
                witness.key
            )
        })?;
        address(url).ok_or_else(|| {
            let url = String::from_utf8_lossy(url);
            format!("witness {name}: `{url}` is no address; it begins with http:// or https://, names a host and has no `?` or `#`")
        })?;
    }
    Ok(policy)
}

/// A witness's submission prefix, without a slash at its end.
pub fn address(url: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(url).ok()?;
    let uri: ureq::http::Uri = text.parse().ok()?;
    let known = matches!(uri.scheme_str(), Some("http" | "https"));
    let plain =
        known && uri.host().is_some_and(|host| !host.is_empty()) && uri.query().is_none() && !text.contains('#');
    plain.then(|| text.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_tlog::Cosigner;

    fn key(name: &str) -> String {
        Cosigner::new(name, &[name.len() as u8; 32]).unwrap().verifier_key().to_string()
    }

    fn read(text: &str) -> Result<Policy, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read_policy(file.path())
    }

    #[test]
    fn a_file_of_witnesses_has_an_address_for_each_and_a_quorum_that_asks_for_something() {
        let (a, bb) = (key("a"), key("bb"));
        let both =
            format!("witness a {a} https://a.example/log/\nwitness b {bb} http://127.0.0.1:80\ngroup g all a b\n");
        assert_eq!(read(&format!("{both}quorum g\n")).unwrap().witnesses().len(), 2);
        for (text, words) in [
            (format!("witness a {a}\nquorum a\n"), "witness a has no address"),
            (format!("{both}quorum none\n"), "asks for no cosignature"),
            (both.clone(), "no quorum line"),
            (format!("witness a {a} a.example\nquorum a\n"), "is no address"),
            (format!("witness a {a} ftp://a.example\nquorum a\n"), "is no address"),
            (format!("witness a {a} http://\nquorum a\n"), "is no address"),
            (format!("witness a {a} http://a.example/?x=1\nquorum a\n"), "is no address"),
            ("nonsense\n".into(), "line 1"),
        ] {
            assert!(read(&text).unwrap_err().contains(words), "{text}: {}", read(&text).unwrap_err());
        }
        assert_eq!(address(b"https://a.example/log/").as_deref(), Some("https://a.example/log"));
    }

    #[test]
    fn times_that_cannot_work_are_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("witness a {} http://a.example\nquorum a\n", key("a"))).unwrap();
        let with = |limit, idle| Settings::read(Some(file.path()), limit, idle).map(|s| s.unwrap().idle.as_secs());
        assert_eq!((with(None, None), with(Some(6), None), with(Some(3), None)), (Ok(30), Ok(2), Ok(1)));
        assert_eq!((with(Some(600), None), with(None, Some(5)), with(Some(7), Some(5))), (Ok(30), Ok(5), Ok(5)));
        for (limit, idle) in [
            (Some(6), Some(5)),
            (Some(2), None),
            (Some(0), None),
            (None, Some(0)),
            (None, Some(90_000)),
            (Some(90_000), None),
        ] {
            assert!(with(limit, idle).is_err(), "{limit:?} {idle:?}");
        }
        assert!(Settings::read(None, Some(5), None).is_err_and(|e| e.contains("--witnesses")));
        assert!(Settings::read(None, None, None).is_ok_and(|none| none.is_none()));
        assert!(
            Settings::read(Some(Path::new("/nowhere/at/all")), None, None)
                .is_err_and(|e| e.contains("/nowhere/at/all"))
        );
    }
}
