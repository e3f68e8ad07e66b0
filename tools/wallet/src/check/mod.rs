//! `check`: every rule of spec/wallet.md, "The wallet's side", against a running wallet, over HTTP alone.
//!
//! One list holds the checks in their order; each has a stable name and reports what it did and received. The required
//! answers are written here again from the page, independently of the sample.

mod at_once;
mod funds;
mod names;
mod outage;
mod refusals;
mod report;
mod standing;
mod statements;
mod table;
mod tester;

use crate::cli::CheckArgs;
use crate::client::Client;
use crate::{Unusable, print};
use report::{Report, Tried, Verdict};
use tester::Tester;

/// The result of a check that holds, or why it fails or could not be tried.
type Came = Result<String, Failed>;

/// Why a check does not hold.
#[derive(Debug)]
enum Failed {
    /// The wallet breaks the rule.
    Fails(String),
    /// This wallet cannot be brought into the state; that breaks no rule.
    NotTried(String),
}

impl From<String> for Failed {
    fn from(words: String) -> Failed {
        Failed::Fails(words)
    }
}

/// One check.
struct Check {
    name: String,
    did: String,
    /// Whether the player's money must be known before.
    moves: bool,
    run: Box<dyn Fn(&mut Tester) -> Came>,
}

impl Check {
    /// A check that moves the player's money.
    fn new(name: impl Into<String>, did: impl Into<String>, run: impl Fn(&mut Tester) -> Came + 'static) -> Check {
        Check { name: name.into(), did: did.into(), moves: true, run: Box::new(run) }
    }

    /// A check that moves no money.
    fn still(name: &str, did: &str, run: impl Fn(&mut Tester) -> Came + 'static) -> Check {
        Check { moves: false, ..Check::new(name, did, run) }
    }
}

/// After so many checks in a row without an answer the rest is skipped.
const MOST_SILENT: u32 = 3;

/// The checks in their order; those at the end look at the state that all others left.
fn all(args: &CheckArgs) -> Vec<Check> {
    let mut checks = refusals::tokens();
    checks.extend(funds::checks());
    checks.extend(table::checks());
    checks.extend(standing::checks());
    checks.extend(names::checks());
    checks.extend(at_once::checks());
    checks.extend(refusals::bodies());
    if args.outage > 0 {
        checks.push(outage::check(args.outage));
    }
    checks.extend(statements::checks());
    checks.extend(funds::last(args.hold));
    checks
}

/// Runs the checks and prints the outcome. Returns whether every check that was tried holds.
///
/// # Errors
/// If the wallet cannot be reached at all.
pub fn run(args: &CheckArgs) -> Result<bool, Unusable> {
    let client = Client::new(&args.wallet.url, &args.wallet.token_file)?;
    client.get("/readyz").map_err(|why| {
        Unusable::new(format!("{} cannot be asked: {why}: is the wallet running, and --url right?", args.wallet.url))
    })?;
    let mut tester = Tester::new(client, &args.player)?;
    let mut report = Report::new(&args.wallet.url, &args.player, tester.log());
    let mut no_money = false;
    for check in all(args) {
        let came = if tester.silent() >= MOST_SILENT {
            Err(Failed::NotTried("the wallet does not answer any more".to_owned()))
        } else if check.moves && no_money {
            Err(Failed::NotTried("what the player can spend is not known".to_owned()))
        } else {
            (check.run)(&mut tester)
        };
        no_money |= check.name == funds::FIRST && came.is_err();
        if check.moves && !no_money {
            tester.settle(came.is_err());
        }
        let (verdict, came) = match came {
            Ok(came) => (Verdict::Holds, came),
            Err(Failed::Fails(came)) => (Verdict::Fails, came),
            Err(Failed::NotTried(why)) => (Verdict::NotTried, why),
        };
        report.add(Tried { name: check.name, verdict, did: check.did, came });
    }
    print(&if args.json { report.json() } else { report.text() })?;
    Ok(report.holds())
}
