//! `refund` and `prizes`: a tournament's money from a file (spec/games/refunds.md, section 9). The arithmetic is that of
//! `fairshoe-tournament`; here the file is read, and the result printed. Audits nothing.

use crate::cli::{PrizesArgs, RefundArgs};
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use fairshoe_tournament::Fraction;
use fairshoe_tournament::file::{CancelledOut, FileError, MAX_FILE_BYTES, PaymentOut, cancelled, prizes_of};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// `refund`: what a cancelled event pays back.
pub fn refund(args: &RefundArgs) -> Result<Outcome, UnusableInput> {
    let out = cancelled(&read(&args.file)?).map_err(refused)?;
    if args.words {
        say_words(&out);
    } else {
        say_json(&out)?;
    }
    Ok(Outcome::Sound)
}

/// `prizes`: what an event pays that is played to its end.
pub fn prizes(args: &PrizesArgs) -> Result<Outcome, UnusableInput> {
    say_json(&prizes_of(&read(&args.file)?).map_err(refused)?)?;
    Ok(Outcome::Sound)
}

fn refused(error: FileError) -> UnusableInput {
    UnusableInput::new(format!("{}: {error}", error.code()))
}

/// A file, or standard input; one byte more than is allowed is enough to refuse it.
fn read(path: &Path) -> Result<Vec<u8>, UnusableInput> {
    let failed = |error: std::io::Error| UnusableInput::new(format!("{}: {error}", path.display()));
    let most = (MAX_FILE_BYTES as u64).saturating_add(1);
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes).map_err(failed)?;
    } else {
        File::open(path).map_err(failed)?.take(most).read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok(bytes)
}

fn say_words(out: &CancelledOut) {
    say(format!("Case {} ({}): {}.", u8::from(out.case), out.rule, out.words));
    say(format!("n = {}, P = {}, C = {}, of {} entries.", out.remaining, out.pool, out.chips, out.entries));
    let nothing = |payment: &&PaymentOut| payment.why == "eliminated" && payment.total == 0 && payment.stakes.is_none();
    out.payments.iter().filter(|payment| !nothing(payment)).for_each(say_payment);
    say(format!("{} more eliminated: 0.", out.payments.iter().filter(nothing).count()));
    let sum = &out.sum;
    say(format!("To rounding_residual {}, fees to the house {}.", out.residual, out.rest.fees_to_house));
    say(format!(
        "{} + {} = {} + {} + {} + {}: payments and residual, pool, buy-ins, fees, bounties.",
        sum.payments, sum.residual, sum.pool, sum.buy_ins, sum.fees, sum.bounties
    ));
}

fn say_payment(payment: &PaymentOut) {
    let name = payment.player.as_ref().map_or_else(String::new, |player| format!(" ({player})"));
    let exact = fraction(&payment.exact);
    let PaymentOut { entry_no, why, pool, fee, bounty, buy_in, total, cash, t_dollars, ticket, .. } = payment;
    say(format!(
        "entry {entry_no}{name}, {why}: {total} = pool {pool} (of {exact}) + fee {fee} + bounty {bounty} + buy-in {buy_in}; \
         cash {cash}, T$ {t_dollars}, ticket {ticket}"
    ));
    let Some(stakes) = &payment.stakes else { return };
    for buyer in &stakes.buyers {
        say(format!("  {} ({} bp, paid {}): {}", buyer.buyer, buyer.basis_points, buyer.price, buyer.paid));
    }
    say(format!("  seller: {}, and {} of the escrow of {}", stakes.seller, stakes.seller_escrow, stakes.escrow));
}

fn fraction(exact: &Fraction) -> String {
    let (over, under) = exact.parts();
    if under.to_string() == "1" { over.to_string() } else { format!("{over}/{under}") }
}
