//! The result of a run of the checks: as a table for people, or as JSON.

use serde::Serialize;
use serde_json::json;
use std::fmt::Write as _;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    Holds,
    Fails,
    NotTried,
}

/// A check that was run.
#[derive(Debug, Serialize)]
pub(super) struct Tried {
    pub name: String,
    pub verdict: Verdict,
    pub did: String,
    pub came: String,
}

/// The results of all checks.
#[derive(Debug)]
pub(super) struct Report {
    wallet: String,
    player: String,
    log: String,
    checks: Vec<Tried>,
}

impl Report {
    pub fn new(wallet: &str, player: &str, log: &str) -> Report {
        Report { wallet: wallet.to_owned(), player: player.to_owned(), log: log.to_owned(), checks: Vec::new() }
    }

    pub fn add(&mut self, tried: Tried) {
        self.checks.push(tried);
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.checks.iter().filter(|tried| tried.verdict == verdict).count()
    }

    /// Whether no check fails.
    pub fn holds(&self) -> bool {
        self.count(Verdict::Fails) == 0
    }

    pub fn json(&self) -> String {
        let Report { wallet, player, log, checks } = self;
        let holds = self.holds();
        format!("{}\n", json!({ "wallet": wallet, "player": player, "log": log, "holds": holds, "checks": checks }))
    }

    pub fn text(&self) -> String {
        let mut text = format!("{} with the money of {}, as the log {}\n\n", self.wallet, self.player, self.log);
        for Tried { name, verdict, did, came } in &self.checks {
            let word = match verdict {
                Verdict::Holds => "holds",
                Verdict::Fails => "FAILS",
                Verdict::NotTried => "not tried",
            };
            let _ = writeln!(text, "{word:<10} {name:<34} {came}");
            if *verdict == Verdict::Fails {
                let _ = writeln!(text, "{:<10} {:<34} (it did: {did})", "", "");
            }
        }
        let (hold, fail, not) = (Verdict::Holds, Verdict::Fails, Verdict::NotTried);
        let (hold, fail, not) = (self.count(hold), self.count(fail), self.count(not));
        let _ = writeln!(text, "\n{} checks: {hold} hold, {fail} fail, {not} not tried", self.checks.len());
        text
    }
}
