//! The report of `fairshoe-audit log` in words, for people (spec/audit.md, "The report of a book").

use super::{Follows, LogReport, where_overdue};
use crate::continues::OldLogReport;
use crate::leaning::cause_words;
use crate::outcome::say;
use fairshoe_judge::audit::{AuditReport, Bought, ByPlayers, Door, Doors, Events, Moved, OwnStructure, Sum};
use fairshoe_judge::utc;
use std::collections::BTreeMap;

fn bought(what: &str, terms: Option<&Bought>) -> String {
    terms.map(|of| format!(", of {what} {} and {}", of.price, of.fee)).unwrap_or_default()
}

/// What was done to tournaments beyond what their structures have, and structures that are not shipped.
pub fn events_words(own: (u64, &[OwnStructure]), events: &Events) -> Vec<String> {
    let mut lines = Vec::new();
    let (own_structures, listed) = own;
    for own in listed.iter().take(MOST_NAMED) {
        let named: Vec<&str> = own.events.iter().map(|event| event.as_str()).collect();
        let more = if own.of_events > named.len() as u64 { ", …" } else { "" };
        let whose = if own.has_shipped_name {
            "has the name of a shipped structure and is NOT that one"
        } else {
            "is none of the shipped structures"
        };
        lines.push(format!(
            "structure   {} {whose}, digest {}: of an entry {} go to the pool, {} to the house, {} onto its head{}{}; {} events ({}{more})",
            own.structure,
            own.digest,
            own.buy_in,
            own.fee,
            own.bounty,
            bought("a rebuy", own.rebuy.as_ref()),
            bought("an add-on", own.add_on.as_ref()),
            own.of_events,
            named.join(", ")
        ));
    }
    if own_structures > MOST_NAMED as u64 {
        lines.push(format!(
            "            and {} structures more that are not shipped",
            own_structures - MOST_NAMED as u64
        ));
    }
    if events.is_nothing() {
        return lines;
    }
    let causes: Vec<String> =
        events.cancelled.iter().map(|(cause, count)| format!("{} {count}", cause.replace('_', " "))).collect();
    let causes = if causes.is_empty() { String::new() } else { format!(" ({})", causes.join(", ")) };
    lines.push(format!(
        "tournaments {} announced, {} begun; {} cancelled{causes}, {} of them in play, {} as of an earlier instant",
        events.announced,
        events.begun,
        events.cancelled.values().sum::<u64>(),
        events.cancelled_in_play,
        events.earlier_instants
    ));
    lines.push(format!(
        "            guarantees: the house added {}; it did not add {} since places were reached early, {} since a crash cancelled, {} since events were cancelled before their start",
        events.overlay, events.spared_by_itm, events.spared_by_crash, events.spared_before_start
    ));
    if events.t_dollars != Sum::default() {
        lines.push(format!("            {} of seats became T$, which pay entries and nothing else", events.t_dollars));
    }
    let rest = [
        (events.postponed, "starts postponed"),
        (events.times_changed, "changes of registration"),
        (events.disqualified, "players disqualified"),
        (events.bounties_set, "bounties given or denied by name"),
        (events.substitutes, "substitutes offered"),
        (events.deals, "deals made"),
    ];
    let used: Vec<String> =
        rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if !used.is_empty() {
        lines.push(format!(
            "            {}; {} of prizes went to the house for substitutes",
            used.join(", "),
            events.substituted
        ));
    }
    lines
}

pub fn say_words(report: &LogReport) {
    if let Some(checkpoint) = &report.checkpoint {
        checkpoint.say();
    }
    let book = &report.book;
    if let (Some(old), false) = (&book.goes_on_from, report.old_log_read) {
        say(format!(
            "goes on     from `{}` at its {} entries, which were not read: add `--continues` with that log",
            old.origin, old.size
        ));
    }
    report.old_log.iter().flat_map(OldLogReport::words).for_each(say);
    if let Some(next) = &book.ended {
        say(format!("ended       nothing comes after this; the house goes on as `{}`, key {}", next.origin, next.vkey));
    }
    let earlier = if report.resumed_from > 0 {
        format!(", {} of them by an earlier audit", report.resumed_from)
    } else {
        String::new()
    };
    say(format!("entries     {} checked{earlier}, the last at {}", book.entries, utc(book.last_time)));
    say(format!("tables      {}, players {}, starts of the dealer {}", book.tables, book.players, book.starts));
    say(format!(
        "shoes       {} committed, {} revealed and derived again, {} in use",
        book.shoes, book.shoes_revealed, book.open_shoes
    ));
    if book.guests > 0 || book.play_rounds > 0 {
        let (guests, rounds, out) = (book.guests, book.play_rounds, book.ledger.play);
        say(format!(
            "play chips  {guests} guests, {rounds} of the rounds; {out} are out; they are in no sum of money below"
        ));
    }
    if book.shoes_sealed > 0 {
        let disclosed = book.shoes_disclosed;
        say(format!(
            "sealed      {} private shoes, each card shown of them proven; {disclosed} disclosed to an auditor",
            book.shoes_sealed
        ));
    }
    say(format!(
        "rounds      {} ({} settled, {} void, {} in play), {} staked, {} returned",
        book.rounds, book.settled, book.voids.total, book.open_rounds, book.staked, book.returned
    ));
    if !book.shoes_by_cause.is_empty() {
        say(format!("            shoes left the table since: {}", list(&book.shoes_by_cause)));
    }
    for renamed in book.renamed_listed.iter().take(MOST_NAMED) {
        say(format!(
            "rules       {}: NOT the shipped {}, its digest is {}",
            renamed.table, renamed.rules, renamed.digest
        ));
    }
    if book.renamed > MOST_NAMED as u64 {
        say(format!(
            "            and {} more whose rule sets or structures have a shipped name and are not the shipped ones",
            book.renamed - MOST_NAMED as u64
        ));
    }
    for own in book.own_rules_listed.iter().take(MOST_NAMED) {
        let tables: Vec<&str> = own.tables.iter().map(|table| table.as_str()).collect();
        let more = if own.of_tables > tables.len() as u64 { ", …" } else { "" };
        let whose = if own.has_shipped_name {
            "has the name of a shipped rule set and is NOT that one"
        } else {
            "is none of the shipped rule sets"
        };
        say(format!(
            "rules       {} {whose}, digest {}: {} tables ({}{more}), {} rounds",
            own.rules,
            own.digest,
            own.of_tables,
            tables.join(", "),
            own.rounds
        ));
    }
    if book.own_rules > MOST_NAMED as u64 {
        say(format!("            and {} rule sets more that are not shipped", book.own_rules - MOST_NAMED as u64));
    }
    events_words((book.own_structures, &book.own_structures_listed), &book.events).into_iter().for_each(say);
    if book.keys.by_operator + book.keys.unsigned > 0 {
        say(format!(
            "keys        {} set or taken away by the operator; {} withdrawals, corrections and tokens of players with a key, unsigned by them",
            book.keys.by_operator, book.keys.unsigned
        ));
    }
    by_words(&book.by_operator, &book.by_players).into_iter().for_each(say);
    if book.voids.total > 0 {
        say(format!("voids       by cause: {}; ahead: {}", list(&book.voids.by_cause), list(&book.voids.by_ahead)));
        say(format!(
            "            {} can be finished by default play: {:+} for the players",
            book.voids.computable, book.voids.default_play_net
        ));
        for void in &book.voids.listed {
            let net = void.default_play_net.map_or_else(
                || void.not_computable.as_deref().unwrap_or_default().to_owned(),
                |net| format!("default play {net:+}"),
            );
            let cause = serde_json::to_value(void.cause).unwrap_or_default();
            let cause = cause_words(cause.as_str().unwrap_or_default());
            say(format!(
                "            entry {} {}:{} since {cause}, ahead {:?}, {net}",
                void.entry, void.table, void.round_no, void.ahead
            ));
        }
    }
    if book.hands_owed > 0 {
        let (owed, seen) = (book.hands_owed, book.hands_seen);
        say(format!(
            "disclosed   {owed} hands that the house ended: their seeds are owed to every auditor, {seen} seen by this one (--token-file)"
        ));
        if let Some(why) = &report.disclosures.refused {
            say(format!("            not given: {why}"));
        }
    }
    if let Some(given) = &report.given {
        given.say();
    }
    report.leaning.say();
    let ledger = &book.ledger;
    let accounts = ledger.accounts();
    let words: Vec<String> = accounts.iter().map(|(name, sum)| format!("{name} {sum}")).collect();
    let all = accounts.iter().fold(0i64, |sum, (_, one)| sum.saturating_add(*one));
    say(format!("ledger      {} = {all}", words.join(" + ")));
    say(format!(
        "            cage: {} credited, {} withdrawn; {} taken from players by signed corrections",
        ledger.credited, ledger.withdrawn, ledger.corrected
    ));
    doors_words(&book.out).into_iter().for_each(say);
    say_waits(book, report.read_at);
    if report.acks_checked > 0 {
        say(format!("acks        {} held against the log", report.acks_checked));
    }
    let saved = &report.saved_evidence;
    if saved.checkpoints + saved.witnessed > 0 {
        say(format!(
            "kept        {} checkpoints and {} receipts held against the log, {} of the log's checkpoints with a witness's time",
            saved.checkpoints, saved.receipts, saved.witnessed
        ));
    }
    if saved.notes > 0 {
        say(format!(
            "notes       {} of what the service received or refused, {} held against the log's state then",
            saved.notes, saved.notes_judged
        ));
        if saved.notes_lost > 0 {
            say(format!(
                "            {} were signed just before a start, which may have lost what came",
                saved.notes_lost
            ));
        }
    }
    let clocks = &saved.clocks;
    if clocks.ran_out > 0 {
        let within: Vec<String> =
            clocks.within.iter().map(|within| format!("{} to within {} s", within.clocks, within.seconds)).collect();
        let within =
            if saved.witnessed > 0 { format!("witnesses bound {}; ", within.join(", ")) } else { String::new() };
        say(format!(
            "clocks      {} turns, windows and deadlines ran out: {within}{} rest on the house's clock alone",
            clocks.ran_out, clocks.unwitnessed
        ));
    }
    let saw = report.seen_checkpoints;
    if saw.checked + saw.too_old > 0 {
        say(format!(
            "seen        {} checkpoints that players saw are this log's, {} are too old to be judged",
            saw.checked, saw.too_old
        ));
    }
    if report.checkpoint_torn {
        say(
            "torn        one of the two newest checkpoints cannot be read (a crash while it was written, or damage); the other is used",
        );
    }
    if report.beyond_checkpoint > 0 {
        let told = if report.checkpoint_torn {
            "the checkpoint that covered them may be the one lost"
        } else {
            "nobody was told of them"
        };
        say(format!("beyond      {} entries are stored after the checkpoint; {told}", report.beyond_checkpoint));
    }
    match &report.first_failure {
        None if report.verdict == "sound_so_far" => {
            say(format!("SOUND SO FAR ({:.1} s). Everything shown holds. What is still to come out:", report.seconds));
            if let Some(Follows { leader }) = &report.follows {
                say(leader.as_ref().map_or_else(
                    || {
                        "            this service does not sign now that it shows all there is (or its clock, or this one, is wrong)"
                            .to_owned()
                    },
                    |leader| {
                        format!("            this node follows {leader}, which may have more: audit the log there, too")
                    },
                ));
            }
            say_open(book, report.read_at);
            match &report.old_log {
                Some(old) if old.is_open() => {
                    say("            what the old log left open, named above: nobody goes on with it");
                }
                None if book.goes_on_from.is_some() => {
                    say("            what the log that it goes on from left open, which was not read");
                }
                _ => {}
            }
            for late in report.overdue.iter().take(MOST_NAMED) {
                say(format!("            {}; nothing says whether the house still runs", where_overdue(late)));
            }
        }
        None if report.given.is_some() => {
            say(format!(
                "SOUND FROM STATE ({:.1} s). What came after it holds; what came before is taken as given.",
                report.seconds
            ));
            say_open(book, report.read_at);
        }
        None => say(format!("SOUND ({:.1} s)", report.seconds)),
        Some(finding) => say(format!("NOT SOUND. {finding}")),
    }
}

fn list(counts: &BTreeMap<String, u64>) -> String {
    counts.iter().map(|(word, n)| format!("{} {n}", cause_words(word))).collect::<Vec<_>>().join(", ")
}

/// What was given by the operator, and in players' names without their own signature.
pub fn by_words(by_operator: &BTreeMap<String, u64>, by: &ByPlayers) -> Vec<String> {
    let mut lines = Vec::new();
    if !by_operator.is_empty() {
        lines.push(format!("operator    gave: {}", list(by_operator)));
    }
    if by.operators_keys.total() > 0 {
        lines.push(format!("keys        signed with keys that the operator named for players: {}", by.operators_keys));
    }
    if by.unsigned.total() > 0 {
        lines.push(format!(
            "unsigned    in the names of players without a key, on the house's word alone: {}",
            by.unsigned
        ));
        lines.push(format!("            beside what players signed: {}", by.signed));
    }
    lines
}

/// What left the players outside of play: who asked, and whether they signed.
pub fn doors_words(out: &Doors) -> Vec<String> {
    let mut lines = Vec::new();
    let said = |moved: &Moved, by: &str| {
        (moved.times > 0).then(|| format!("{by} {} in {}", moved.amount, plural(moved.times, "time")))
    };
    for (door, Door { operator, signed, unsigned }) in out.each() {
        let by = [said(operator, "by the operator"), said(signed, "signed by players"), said(unsigned, "unsigned")];
        let by: Vec<String> = by.into_iter().flatten().collect();
        if !by.is_empty() {
            lines.push(format!("out         {door}: {}", by.join("; ")));
        }
    }
    let Moved { times, amount } = &out.wallet_refused;
    if *times > 0 {
        lines.push(format!(
            "            of wallet_withdraw {amount} came back in {}: the wallet refused",
            plural(*times, "time")
        ));
    }
    lines
}

fn plural(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The operations of the wallet that are open, with their ages.
fn say_waits(book: &AuditReport, now: u64) {
    if book.wallet_waits > 0 {
        let (waits, late) = (book.wallet_waits, book.wallet_late);
        say(format!(
            "wallet      {waits} operations are open, {late} of them for more than three days at the log's end"
        ));
    }
    for wait in book.wallet_waits_listed.iter().take(MOST_NAMED) {
        let call = serde_json::to_value(wait.call).unwrap_or_default();
        say(format!(
            "            operation {} of {}, {}: waits for {}, {} old",
            wait.no,
            wait.player,
            wait.amount,
            call.as_str().unwrap_or_default(),
            age(now.saturating_sub(wait.since))
        ));
    }
}

/// Tables named in words, of each kind.
pub const MOST_NAMED: usize = 10;

/// The shoes that were played from and are not out, and the rounds in play: until then their faces rest on the log's
/// word.
fn say_open(book: &AuditReport, now: u64) {
    let open = book.open_shoes_listed.iter().filter(|shoe| shoe.rounds > 0 || shoe.live_round.is_some());
    for shoe in open.take(MOST_NAMED) {
        let live = shoe.live_round.map_or_else(String::new, |round| format!(", round {round} in play"));
        say(format!(
            "            table {}, shoe {}: {} rounds dealt from it, {} cards shown, {} old{live}",
            shoe.table,
            shoe.shoe_no,
            shoe.rounds,
            shoe.cards_shown,
            age(now.saturating_sub(shoe.since))
        ));
    }
    if book.used_shoes > MOST_NAMED as u64 {
        say(format!("            and {} shoes more", book.used_shoes - MOST_NAMED as u64));
    }
}

/// A time as people say it.
pub fn age(ms: u64) -> String {
    let minutes = ms / 60_000;
    match (minutes / 1_440, minutes / 60 % 24, minutes % 60) {
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}
