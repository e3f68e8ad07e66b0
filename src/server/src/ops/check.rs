//! `fairshoe check DIR`: a stopped service's folder, read whole.
//!
//! A start looks at the newest seals alone, and at what it replays. Owns: looking at the rest, and saying what was
//! found. Does not own: the checks themselves (`fairshoe_store`, [`crate::write::recovery`]), nor whether the house was honest
//! (`fairshoe-audit log`).

use crate::ops::restore;
use crate::ops::startup::StartError;
use crate::write::published::Tiles;
use crate::write::recovery;
use fairshoe_store::Store;
use fairshoe_tlog::VerifierKey;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// What a folder holds that passed every check.
struct Whole {
    entries: u64,
    sealed: u64,
    root: String,
    key: VerifierKey,
    /// One of the anchor's two slots cannot be read.
    torn: bool,
}

/// Checks the folder, and says what came of it: 0 where it is whole, 1 where not.
pub fn run(dir: &Path, as_json: bool) -> ExitCode {
    let checked = check(dir);
    match (&checked, as_json) {
        (Ok(Whole { entries, sealed, root, key, torn }), true) => {
            let key = key.to_string();
            println!(
                "{}",
                json!({ "whole": true, "entries": entries, "sealed": sealed, "root": root, "key": key, "torn_anchor": torn })
            );
        }
        (Ok(Whole { entries, sealed, root, key, torn }), false) => {
            println!(
                "WHOLE: {entries} entries, {sealed} of them sealed. Every seal holds, each entry follows from those before it, and they \
                 are those that {} signed, under root {root}.\nWhether the house kept its rules with them says `fairshoe-audit log {}`.",
                key.name(),
                dir.display()
            );
            if *torn {
                println!(
                    "One of the anchor's two slots cannot be read: a write that a crash cut short, or damage. The next write mends it."
                );
            }
        }
        (Err(failure), true) => {
            println!("{}", json!({ "whole": false, "label": failure.label(), "error": failure.to_string() }))
        }
        (Err(failure), false) => eprintln!("NOT WHOLE: {failure}"),
    }
    if checked.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn check(dir: &Path) -> Result<Whole, StartError> {
    restore::refuse_unfinished(dir)?;
    let store = Store::open_copy(dir)?;
    let bar = bar("bundles");
    store.verify_sealed(|done, all| {
        bar.set_length(all);
        bar.set_position(done);
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();

    let key = verifier_key(dir)?;
    let reader = Arc::new(store.reader());
    let tiles = Tiles::new(reader.clone());
    let bar = self::bar("entries");
    bar.set_length(reader.size());
    let tree =
        recovery::fold(reader.as_ref(), &tiles, store.anchored(), &key, &mut |state| bar.set_position(state.size()))?;
    bar.finish_and_clear();
    Ok(Whole {
        entries: tree.size(),
        sealed: reader.sealed(),
        root: tree.root().to_string(),
        key,
        torn: store.anchored().torn,
    })
}

fn verifier_key(dir: &Path) -> Result<VerifierKey, StartError> {
    let path = dir.join("log.vkey");
    let refuse = |e: &dyn std::fmt::Display| {
        StartError::refuse("the log's public key cannot be used", format!("{}: {e}", path.display()))
    };
    let text = fs::read_to_string(&path).map_err(|e| refuse(&e))?;
    text.trim_end().parse::<VerifierKey>().map_err(|e| refuse(&e))
}

/// A bar on standard error where that is a terminal.
pub fn bar(of: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar.with_message(of)
}
