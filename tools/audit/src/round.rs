//! `round`: one round's bundle fetched, or made out of a log, saved if wished, and judged (spec/audit.md, "The
//! bundle"). The verdict is the judge's.

use crate::cli::RoundArgs;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::receipt::receipts_in;
use crate::sheet;
use crate::source::{Source, is_address, read_file, trusted};
use crate::whole_log::{LogError, WholeLog};
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_judge::bundle::{
    Bundle, Collector, MAX_BUNDLE_BYTES, Proven, RoundId, Selection, Soundness, Target, Verdict,
};
use fairshoe_tlog::{TileNodes, Tree, VerifierKey, leaf_hash};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// `round`: fetches or makes the bundle, and judges it.
pub fn run(args: &RoundArgs) -> Result<Outcome, UnusableInput> {
    let key = trusted(args.common.key.as_deref())?;
    let judged = judged(&args.source, args.round.as_deref(), key.as_ref(), args.save.as_deref())?;
    if let Some(path) = &args.html {
        let bundle = judged.bundle.as_ref().ok_or_else(|| {
            UnusableInput::new(format!("there is no round to be shown on a page: {}", judged.verdict.story.join(" ")))
        })?;
        std::fs::write(path, sheet::page(bundle, &judged.verdict, args.zone, args.currency.as_ref()))
            .map_err(|e| UnusableInput::new(format!("{}: {e}", path.display())))?;
    }
    judge(args, &judged)
}

/// A round's bundle, where one could be had or made, with the verdict on it.
pub struct Judged {
    pub bundle: Option<Bundle>,
    pub verdict: Verdict,
}

/// Fetches or makes the bundle of a round, saves it if that is wished, and judges it.
pub fn judged(
    source: &str,
    round: Option<&str>,
    key: Option<&VerifierKey>,
    save: Option<&Path>,
) -> Result<Judged, UnusableInput> {
    let asked: Option<RoundId> = round.map(str::parse).transpose().map_err(UnusableInput::new)?;
    let named = || asked.clone().ok_or_else(|| UnusableInput::new("name the round, TABLE:NUMBER, as in joy-1:0"));
    let mut from_folder = false;
    let bundle = match Source::parse(source)? {
        Source::File(path) => {
            let bytes = read_file(&path, MAX_BUNDLE_BYTES as u64)?;
            Bundle::parse(&bytes).map_err(|e| {
                let file = path.display();
                UnusableInput::new(match receipts_in(&bytes) {
                    Some(_) => format!(
                        "{file} is a saved reply with receipts, and no bundle: check it with `fairshoe-audit receipt {file}`"
                    ),
                    None => format!("{file}: {e}"),
                })
            })?
        }
        Source::Address(client) => {
            let path = format!("v1/rounds/{}/bundle", named()?);
            Bundle::parse(&client.get_ok(&path, MAX_BUNDLE_BYTES as u64)?)
                .map_err(|e| UnusableInput::new(format!("{}/{path}: {e}", client.base())))?
        }
        folder => match from_log(WholeLog::open(folder, key.cloned()), &named()?) {
            Ok(bundle) => {
                from_folder = true;
                bundle
            }
            Err(LogError::UnusableInput(why)) => return Err(why),
            Err(LogError::Found(finding)) => return Ok(Judged { bundle: None, verdict: not_sound(finding) }),
        },
    };
    if let Some(asked) = asked.filter(|asked| *asked != bundle.round) {
        return Err(UnusableInput::new(format!("the bundle is of round {}, not of {asked}", bundle.round)));
    }
    if let Some(path) = save {
        let text = bundle.to_json().map_err(UnusableInput::new)?;
        std::fs::write(path, text).map_err(|e| UnusableInput::new(format!("{}: {e}", path.display())))?;
    }
    let verdict = bundle.verify(key);
    if is_address(source)? {
        require_signature(source, &verdict)?;
    }
    // A log holds no openings, so their absence is no fault of the house.
    if from_folder && verdict.findings.iter().any(|finding| finding.check == Check::OpeningMissing) {
        return Err(UnusableInput::new(format!(
            "the shoe of round {} is not revealed yet; its faces are opened by the running service, ask it at its address",
            bundle.round
        )));
    }
    Ok(Judged { bundle: Some(bundle), verdict })
}

/// A bundle that an address serves and the log did not sign says nothing about the log: it is no verdict.
fn require_signature(source: &str, verdict: &Verdict) -> Result<(), UnusableInput> {
    let unsigned = |finding: &&Finding| matches!(finding.check, Check::Key | Check::Checkpoint | Check::Inclusion);
    match verdict.findings.iter().find(unsigned) {
        Some(finding) => Err(UnusableInput::new(format!("{source}: this is not what the log signed: {finding}"))),
        None => Ok(()),
    }
}

fn not_sound(finding: Finding) -> Verdict {
    let story = vec![format!("NOT SOUND. {finding}")];
    Verdict {
        verdict: Soundness::NotSound,
        findings: vec![finding],
        story,
        key: String::new(),
        key_trusted: false,
        round: None,
    }
}

fn judge(args: &RoundArgs, Judged { bundle, verdict }: &Judged) -> Result<Outcome, UnusableInput> {
    if args.common.json {
        say_json(verdict)?;
    } else {
        let story = match bundle.as_ref().filter(|_| args.only) {
            Some(bundle) => sheet::only(bundle, verdict),
            None => verdict.story.clone(),
        };
        story.iter().for_each(|line| say(args.zone.tell(line)));
    }
    Ok(Outcome::when(verdict.verdict != Soundness::NotSound))
}

/// Makes a bundle out of a whole log. Openings are the dealer's to give: a round whose seed is not out has none here.
fn from_log(log: Result<WholeLog, LogError>, round: &RoundId) -> Result<Bundle, LogError> {
    let log = log?;
    let mut collector = Collector::new(Target::Round { table: round.table.clone(), round_no: round.round_no });
    let mut tree = Tree::new();
    let mut tiles: HashMap<(u8, u64), Arc<TileNodes>> = HashMap::new();
    log.each_from(0, |index, bytes| {
        collector.feed(index, bytes);
        tiles.extend(tree.append(leaf_hash(bytes)).into_iter().map(|tile| ((tile.level, tile.index), tile.nodes)));
        ControlFlow::Continue(())
    })?;
    log.check_tree(&tree)?;
    let Some(Selection { context, entries }) = collector.finish() else {
        return Err(UnusableInput::new(format!("the log has no round {round}")).into());
    };
    let prove = |raw: Vec<(u64, Vec<u8>)>| -> Result<Vec<Proven>, UnusableInput> {
        let proven = raw.into_iter().map(|(index, bytes)| {
            let path = tree.inclusion_proof(index, tree.size(), &tiles).map_err(UnusableInput::new)?;
            Proven::new(index, &bytes, &path).map_err(UnusableInput::new)
        });
        proven.collect()
    };
    let (context, entries) = (prove(context)?, prove(entries)?);
    Ok(Bundle::build(round.clone(), log.key.to_string(), log.note, context, entries, Vec::new())
        .map_err(UnusableInput::new)?)
}
