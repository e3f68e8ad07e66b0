//! One round on paper: `round --html` and `--only` (spec/audit.md, "A round on paper"). The verdict and the words are the
//! judge's; here they are laid out.

use crate::legend::codes_in;
use crate::rule::stated;
use crate::stats::escape;
use crate::zone::Zone;
use fairshoe_api::Currency;
use fairshoe_fairness::Card;
use fairshoe_games::RoundEvent;
use fairshoe_house::{Entry, Event, is_for_play};
use fairshoe_judge::bundle::{Bundle, RoundFacts, RoundPhase, Soundness, Verdict};
use fairshoe_judge::{Money, Narrator, utc};
use fairshoe_tlog::leaf_hash;
use serde_json::Value;
use std::fmt::Write as _;

const STYLE: &str = include_str!("sheet.css");

/// Words longer than this are hashes and keys: in the running text their first digits do.
const LONG_WORD: usize = 40;

/// An entry of the round.
struct Own<'b> {
    index: u64,
    text: &'b str,
    entry: Entry,
    /// Its lines, in plain English.
    words: Vec<String>,
}

/// The round's own entries, told one after another; and who told them, as the cards lay at its end.
struct Course<'b> {
    own: Vec<Own<'b>>,
    end: Narrator,
    money: Money,
}

/// What amounts on the page stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Amounts {
    Money,
    TournamentChips,
    PlayChips,
}

impl Amounts {
    /// As the table's name and its opening say.
    fn of(bundle: &Bundle) -> Amounts {
        let openings = bundle.context.iter().filter_map(|proven| Entry::decode(proven.entry.as_bytes()).ok());
        let is_of_event = |event: &Event| matches!(event, Event::TableOpened { event: Some(_), .. });
        if is_for_play(&bundle.round.table) {
            Amounts::PlayChips
        } else if openings.flat_map(|entry| entry.events).any(|event| is_of_event(&event)) {
            Amounts::TournamentChips
        } else {
            Amounts::Money
        }
    }
}

/// Whether a part of an entry is about the round of this number.
fn is_about(value: &Value, round_no: u64) -> bool {
    match value {
        Value::Object(fields) => {
            fields.get("round_no").and_then(Value::as_u64) == Some(round_no)
                || fields.values().any(|inner| is_about(inner, round_no))
        }
        Value::Array(all) => all.iter().any(|inner| is_about(inner, round_no)),
        _ => false,
    }
}

/// How the table stood, and which shoe is next, is said of rounds that are not there yet.
fn begins_elsewhere(event: &Value) -> bool {
    ["table_noted", "shoe_committed"].iter().any(|word| event.get(word).is_some())
}

fn ends(entry: &Entry, round_no: u64) -> bool {
    entry.events.iter().any(|event| match event {
        Event::RoundSettled { round_no: of, .. } | Event::RoundVoided { round_no: of, .. } => *of == round_no,
        _ => false,
    })
}

impl<'b> Course<'b> {
    /// From the first word on the round to its end, and whatever names it later.
    fn of(bundle: &'b Bundle, money: Money) -> Course<'b> {
        let mut narrator = Narrator::default().with_money(money.clone());
        // The table's opening says by which rules, and so what the cards come to.
        for proven in &bundle.context {
            if let Ok(entry) = Entry::decode(proven.entry.as_bytes()) {
                narrator.entry(&entry);
            }
        }
        let (mut own, mut end) = (Vec::new(), narrator.clone());
        let (mut is_on, mut is_over) = (false, false);
        let round_no = bundle.round.round_no;
        for proven in &bundle.entries {
            let Ok(entry) = Entry::decode(proven.entry.as_bytes()) else { break };
            let words = narrator.entry(&entry);
            let value: Value = serde_json::from_str(&proven.entry).unwrap_or_default();
            let events = value["events"].as_array().map(Vec::as_slice).unwrap_or_default();
            let names = is_about(&value["command"], round_no)
                || events.iter().any(|event| !begins_elsewhere(event) && is_about(event, round_no));
            is_on = !is_over && (is_on || names);
            if !is_on && !names {
                continue;
            }
            is_over |= ends(&entry, round_no);
            if is_on {
                end = narrator.clone();
            }
            own.push(Own { index: proven.index, text: &proven.entry, entry, words });
        }
        Course { own, end, money }
    }
}

/// The story with nothing of the shoe's other rounds: what is said of the log, the round's own entries, the verdict.
pub fn only(bundle: &Bundle, verdict: &Verdict) -> Vec<String> {
    let own: Vec<String> =
        Course::of(bundle, Money::default()).own.iter().map(|own| format!("[{}] ", own.index)).collect();
    let mut is_told = true;
    let told = verdict.story.iter().filter(|line| {
        if line.starts_with('[') {
            is_told = own.iter().any(|index| line.starts_with(index.as_str()));
        } else if !line.starts_with(' ') {
            is_told = true;
        }
        is_told
    });
    told.cloned().collect()
}

/// The page. Whatever the log says is escaped; the page's own policy forbids scripts and fetching on top of that.
pub fn page(bundle: &Bundle, verdict: &Verdict, zone: Zone, currency: Option<&Currency>) -> String {
    let amounts = Amounts::of(bundle);
    let money = match currency.filter(|_| amounts == Amounts::Money) {
        Some(Currency { code, decimals }) => Money::of(code, *decimals),
        None => Money::default(),
    };
    let course = Course::of(bundle, money);
    let mut body = String::new();
    head(bundle, verdict, &course, zone, &mut body);
    if let Some(round) = &verdict.round {
        players(round, &course.money, amounts, &mut body);
    }
    drawn(&course, &mut body);
    outcome(&course, zone, &mut body);
    happened(&course, zone, &mut body);
    how_to_check(bundle, verdict, &course.money, &mut body);
    rules(&mut body);
    appendix(bundle, &course, zone, &mut body);
    let title = escape(&format!("Round {}", bundle.round));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>{title}</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>\n"
    )
}

fn verdict_words(verdict: &Verdict) -> (&'static str, &'static str) {
    match verdict.verdict {
        Soundness::Sound if !verdict.key_trusted => {
            ("so-far", "SOUND, by a key that nobody named. Everything in this round holds, whoever's log it is.")
        }
        Soundness::Sound => ("sound", "SOUND. Everything in this round holds."),
        Soundness::SoundSoFar if !verdict.key_trusted => {
            ("so-far", "SOUND SO FAR, by a key that nobody named. Something is still to come out (below).")
        }
        Soundness::SoundSoFar => {
            ("so-far", "SOUND SO FAR. Everything shown holds; something is still to come out (below).")
        }
        Soundness::NotSound => ("not-sound", "NOT SOUND. Something in this round does not hold."),
    }
}

fn phase_words(round: &RoundFacts) -> String {
    match (round.phase, round.cause) {
        (RoundPhase::AwaitingReveals, _) => "seeds are awaited".into(),
        (RoundPhase::Open, _) => "in play".into(),
        (RoundPhase::Settled, _) => "settled".into(),
        (RoundPhase::Voided, Some(cause)) => format!("void: {}", fairshoe_judge::void_words(cause)),
        (RoundPhase::Voided, None) => "void".into(),
    }
}

fn head(bundle: &Bundle, verdict: &Verdict, course: &Course<'_>, zone: Zone, body: &mut String) {
    let (mood, words) = verdict_words(verdict);
    let origin = bundle.vkey.split('+').next().unwrap_or_default();
    let _ = write!(
        body,
        "<header><p class=\"kind\">fairshoe, a round in dispute</p><h1>Round {}</h1><p class=\"verdict {mood}\">{words}</p>",
        escape(&bundle.round.to_string())
    );
    for finding in &verdict.findings {
        let _ = write!(body, "<p class=\"finding\">{}</p>", escape(&zone.tell(&finding.to_string())));
    }
    // Day and time apart, so that a narrow column breaks between them.
    let told = |time: u64| zone.tell(&utc(time)).replacen('T', " ", 1);
    let time = |own: Option<&Own<'_>>| own.map_or_else(|| "–".into(), |own| told(own.entry.time));
    let mut rows = vec![("Log", origin.to_owned()), ("Table", bundle.round.table.to_string())];
    if let Some(round) = &verdict.round {
        rows.push(("Rules", round.rules.clone()));
        rows.push(("Shoe", round.shoe_no.to_string()));
        rows.push(("Outcome", phase_words(round)));
    }
    rows.push(("Begun", time(course.own.first())));
    rows.push(("Ended", time(course.own.iter().find(|own| ends(&own.entry, bundle.round.round_no)))));
    let _ = write!(body, "<dl class=\"facts\">");
    for (name, value) in rows {
        let _ = write!(body, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
    }
    let _ = write!(body, "</dl></header>");
}

fn players(round: &RoundFacts, money: &Money, amounts: Amounts, body: &mut String) {
    let _ = write!(
        body,
        "<section><h2>Who played, and for what</h2><table><thead><tr><th>Player</th><th class=\"number\">Staked</th>\
         <th class=\"number\">Returned</th><th class=\"number\">Net</th></tr></thead><tbody>"
    );
    for player in &round.players {
        let (staked, returned) = (i128::from(player.staked.units()), i128::from(player.returned.units()));
        // What comes back of a round in play nobody knows yet.
        let (returned, net) = match round.phase {
            RoundPhase::Settled | RoundPhase::Voided => {
                (money.digits(returned), money.signed_digits(returned - staked))
            }
            _ => ("–".into(), "–".into()),
        };
        let staked = money.digits(staked);
        let _ = write!(
            body,
            "<tr><td>{}</td><td class=\"number\">{staked}</td><td class=\"number\">{returned}</td><td class=\"number\">{net}</td></tr>",
            escape(player.player.as_ref())
        );
    }
    let unit = match (amounts, money.code()) {
        (Amounts::TournamentChips, _) => "chips of the tournament".to_owned(),
        (Amounts::PlayChips, _) => "play chips".to_owned(),
        (Amounts::Money, Some(code)) => code.to_owned(),
        (Amounts::Money, None) => "the house's smallest unit".to_owned(),
    };
    let _ = write!(body, "</tbody></table><p class=\"small\">In {}.</p></section>", escape(&unit));
}

/// What the codes on the page stand for: whoever holds the paper has no other page beside it.
fn rules(body: &mut String) {
    let named: Vec<String> = codes_in(body)
        .into_iter()
        .filter_map(|code| {
            let stated = stated(code).into_iter().next()?;
            let words = stated.words.replace("**", "").replace('`', "");
            Some(format!("<dt>{code}</dt><dd>{} ({})</dd>", escape(&words), escape(stated.page)))
        })
        .collect();
    if !named.is_empty() {
        let _ = write!(body, "<section><h2>Rules that are named above</h2><dl>{}</dl></section>", named.join(""));
    }
}

fn card(card: Option<Card>) -> String {
    let Some(card) = card else { return "<span class=\"card back\" title=\"face-down\">&nbsp;</span>".into() };
    let text = card.to_string();
    let (rank, suit) = text.split_at(text.len() - 1);
    let (sign, colour) = match suit {
        "s" => ("♠", "black"),
        "h" => ("♥", "red"),
        "d" => ("♦", "red"),
        _ => ("♣", "black"),
    };
    let rank = if rank == "T" { "10" } else { rank };
    format!("<span class=\"card {colour}\">{rank}<span>{sign}</span></span>")
}

/// Where a wheel stopped.
fn pockets<'c>(course: &'c Course<'_>) -> impl Iterator<Item = String> + 'c {
    course.own.iter().flat_map(|own| &own.entry.events).filter_map(|event| match event {
        Event::Play(RoundEvent::Spun { pocket, .. }) => Some(pocket.to_string()),
        _ => None,
    })
}

fn drawn(course: &Course<'_>, body: &mut String) {
    let pockets: Vec<String> = pockets(course).collect();
    let lying = course.end.hands();
    if lying.values().all(Vec::is_empty) && pockets.is_empty() {
        return;
    }
    let _ = write!(body, "<section><h2>What was drawn</h2><table class=\"cards\"><tbody>");
    for (place, cards) in lying.iter().filter(|(_, cards)| !cards.is_empty()) {
        let total = course.end.total_words(*place).unwrap_or_default();
        let (place, cards) = (course.end.place_words(*place), cards.iter().copied().map(card).collect::<String>());
        let _ = write!(body, "<tr><th>{}</th><td>{cards}</td><td>{}</td></tr>", escape(&place), escape(&total));
    }
    for pocket in pockets {
        let _ =
            write!(body, "<tr><th>wheel</th><td><span class=\"card\">{}</span></td><td></td></tr>", escape(&pocket));
    }
    let _ = write!(body, "</tbody></table></section>");
}

/// Who won and why: the lines that pay or decide, settle, or call the round void.
fn outcome(course: &Course<'_>, zone: Zone, body: &mut String) {
    let mut lines = Vec::new();
    for own in &course.own {
        // After the line of the command comes one for each event.
        for (event, line) in own.entry.events.iter().zip(own.words.iter().skip(1)) {
            let tells = match event {
                Event::Play(play) => play.decides(),
                Event::RoundSettled { .. } | Event::RoundVoided { .. } => true,
                _ => false,
            };
            if tells {
                lines.extend(line.trim().split("; ").map(str::to_owned));
            }
        }
    }
    if lines.is_empty() {
        return;
    }
    let _ = write!(body, "<section><h2>Who won, and why</h2><ul>");
    for line in lines {
        let _ = write!(body, "<li>{}</li>", escape(&short(&zone.tell(&line))));
    }
    let _ = write!(body, "</ul></section>");
}

fn happened(course: &Course<'_>, zone: Zone, body: &mut String) {
    let _ = write!(body, "<section><h2>What happened</h2><ol class=\"course\">");
    for own in &course.own {
        let mut lines = own.words.iter().map(|line| escape(&short(&zone.tell(line.trim()))));
        let _ = write!(body, "<li><b>[{}]</b> {}<ul>", own.index, lines.next().unwrap_or_default());
        lines.for_each(|line| {
            let _ = write!(body, "<li>{line}</li>");
        });
        let _ = write!(body, "</ul></li>");
    }
    let _ = write!(
        body,
        "</ol><p class=\"small\">In brackets each entry's place in the log. Times are {}.</p></section>",
        { if zone == Zone::default() { "UTC".to_owned() } else { format!("of the zone {zone}") } }
    );
}

fn how_to_check(bundle: &Bundle, verdict: &Verdict, money: &Money, body: &mut String) {
    let round = escape(&bundle.round.to_string());
    let trust = if verdict.key_trusted {
        "It was named by whoever made this page."
    } else {
        "Nobody vouched for it here: compare it with the key that you know the log by."
    };
    // The judge tells sums in the house's smallest unit.
    let told = |line: &str| {
        let sums = verdict.round.as_ref().map(|round| [&Money::default(), money].map(|of| round.sums_in_words(of)));
        let [plain, told] = sums.unwrap_or_default();
        let same = plain.iter().position(|sum| sum == line).and_then(|at| told.get(at).cloned());
        same.unwrap_or_else(|| line.to_owned())
    };
    let said = verdict.story.iter().filter(|line| !line.starts_with(['[', ' '])).map(|line| told(line));
    let _ = write!(body, "<section><h2>How to check this</h2>");
    for line in said {
        let _ = write!(body, "<p>{}</p>", escape(&short(&line)));
    }
    let _ = write!(
        body,
        "<p>The log's key is in the appendix. {trust} With it anybody can check the round's bundle, without the house:</p>\
         <pre>fairshoe-audit round BUNDLE.json --key KEY\nnode fairshoe-verify.js bundle BUNDLE.json --key KEY</pre>\
         <p class=\"small\">The bundle is at <code>/v1/rounds/{round}/bundle</code> of the service. The two programs were written apart \
         from each other.</p></section>"
    );
}

/// Text of several lines, as it was signed.
fn lines(text: &str) -> String {
    text.trim_end().split('\n').map(escape).collect::<Vec<_>>().join("\n")
}

fn appendix(bundle: &Bundle, course: &Course<'_>, zone: Zone, body: &mut String) {
    let _ = write!(
        body,
        "<section class=\"appendix\"><h2>Appendix: keys and hashes</h2><h3>The log's key</h3><pre>{}</pre><h3>The signed checkpoint</h3><pre>{}</pre>",
        escape(&bundle.vkey),
        lines(&bundle.checkpoint)
    );
    let _ =
        write!(body, "<h3>The entries' leaf hashes, and what is shortened above</h3><table class=\"hashes\"><tbody>");
    for own in &course.own {
        let leaf = leaf_hash(own.text.as_bytes());
        let _ = write!(body, "<tr><th>[{}]</th><td><code>{leaf}</code>", own.index);
        for line in own.words.iter().filter(|line| short(line) != **line) {
            let _ = write!(body, "<br>{}", escape(&zone.tell(line.trim())));
        }
        let _ = write!(body, "</td></tr>");
    }
    let _ = write!(body, "</tbody></table></section>");
}

/// The text with hashes, keys and seeds by their first digits.
fn short(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_digit(c) != is_digit(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if is_digit(first) && word.len() >= LONG_WORD {
            told.push_str(word.get(..8).unwrap_or(word));
            told.push('…');
        } else {
            told.push_str(word);
        }
        rest = after;
    }
    told
}
