//! The report as one page: style and plots inside it, no script, nothing fetched from anywhere.

use super::judge::{Test, grouped, number_of};
use super::plots::plots;
use super::report::{
    ReturnReport, SHOWN, StatsReport, Verdict, chance_text, interval_words, percent, rate_words, test_words,
};
use super::svg::escape;
use fairshoe_judge::utc;
use std::fmt::Write as _;

const STYLE: &str = include_str!("page.css");

/// The page. Whatever the log says is escaped; the page's own policy forbids scripts and fetching on top of that.
pub fn page(report: &StatsReport) -> String {
    let origin = if report.log.origin.is_empty() { "a log" } else { &report.log.origin };
    let mut body = String::new();
    let _ = write!(body, "<header><p class=\"kind\">fairshoe statistics</p><h1>{}</h1>", escape(origin));
    let mood = match report.verdict {
        Verdict::NothingUnusual => "calm",
        Verdict::TooLittle => "grey",
        Verdict::Unusual | Verdict::NotSound => "look",
    };
    let _ = write!(body, "<p class=\"verdict {mood}\">{}</p></header>", escape(&report.verdict_words()));
    if report.first_failure.is_none() {
        stands_out(report, &mut body);
    }
    facts(report, &mut body);
    if report.first_failure.is_none() {
        tests(report, &mut body);
        returns(report, &mut body);
        voids(report, &mut body);
        repeats(report, &mut body);
        drawings(report, &mut body);
        limits(report, &mut body);
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Statistics of {}</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>\n",
        escape(origin)
    )
}

/// A part that a phone shows folded, under its heading and a hint of its contents; wide screens and paper show it open.
fn part(body: &mut String, title: &str, hint: &str, inside: impl FnOnce(&mut String)) {
    let (title, hint) = (escape(title), escape(hint));
    let _ =
        write!(body, "<details class=\"fold\"><summary><h2>{title}</h2> <span class=\"hint\">{hint}</span></summary>");
    inside(body);
    body.push_str("</details>");
}

/// What a reader in a hurry is to see: each test that is out of bounds, and what must never happen.
fn stands_out(report: &StatsReport, body: &mut String) {
    let chances = report.tests.iter().filter_map(|test| Some((test, test.chance?, test.corrected?)));
    let furthest = chances.clone().min_by(|(_, a, _), (_, b, _)| a.total_cmp(b));
    let mut lines: Vec<(String, String)> = Vec::new();
    for (test, _, corrected) in chances.filter(|(test, ..)| test.unusual) {
        let note = test.note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
        lines.push((
            test.about.what.to_owned(),
            format!("corrected chance {} over {}{note}", chance_text(corrected), test.over),
        ));
    }
    for (what, seen) in
        [("roots used twice", report.repeats.roots), ("seeds of the house used twice", report.repeats.server_seeds)]
    {
        if seen.repeated > 0 {
            lines.push((what.to_owned(), format!("{} of {}", grouped(seen.repeated), grouped(seen.counted))));
        }
    }
    if lines.is_empty() && furthest.is_none() {
        return;
    }
    body.push_str("<section><h2>What stands out</h2>");
    if let Some((test, _, corrected)) = furthest.filter(|_| lines.is_empty()) {
        let (what, chance) = (escape(test.about.what), chance_text(corrected));
        let _ = write!(body, "<p>Nothing. The furthest out is: {what}; its corrected chance is {chance}.</p>");
    } else {
        body.push_str("<ul class=\"out\">");
        for (what, why) in lines {
            let _ = write!(body, "<li><b>{}</b>: {}</li>", escape(&what), escape(&why));
        }
        body.push_str("</ul>");
    }
    body.push_str("</section>");
}

fn facts(report: &StatsReport, body: &mut String) {
    let log = &report.log;
    let vouched =
        if log.key_trusted { "named by the reader" } else { "unverified: compare it with the one you know the log by" };
    let rows = [
        ("Entries", format!("{} under the checkpoint, {} audited", grouped(log.size), grouped(report.entries))),
        ("Last entry", if report.entries == 0 { "–".into() } else { utc(report.last_time) }),
        (
            "Revealed",
            format!("{} of cards, {}", number_of(report.card_shoes, "shoe"), number_of(report.wheels, "wheel")),
        ),
        (
            "Rounds",
            format!("{} ended, {} of them void", grouped(report.voids.rounds), grouped(report.voids.voids.count)),
        ),
        ("Root", log.root.clone()),
        ("Key", format!("{} ({vouched})", log.key)),
    ];
    let hint = if log.key_trusted { "" } else { "its key is unverified" };
    part(body, "The log", hint, |body| {
        body.push_str("<dl class=\"facts\">");
        for (name, value) in rows {
            let _ = write!(body, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
        }
        body.push_str("</dl>");
    });
}

fn limits(report: &StatsReport, body: &mut String) {
    part(body, "What this page cannot show", "grinding, above all", |body| {
        body.push_str("<ul class=\"limits\">");
        for limit in report.cannot_show {
            // The first words, up to the full stop or the colon, carry it.
            let end = limit.find([':', '.']).map_or(0, |at| at + 1);
            let (head, rest) = limit.split_at(end);
            let _ = write!(body, "<li><b>{}</b>{}</li>", escape(head), escape(rest));
        }
        body.push_str("</ul>");
    });
}

fn drawings(report: &StatsReport, body: &mut String) {
    let plots = plots(report);
    if plots.is_empty() {
        return;
    }
    part(body, "Drawings", &number_of(plots.len() as u64, "drawing"), |body| {
        body.push_str("<div class=\"plots\">");
        for plot in plots {
            let (title, caption) = (escape(&plot.title), escape(plot.caption));
            let _ = write!(
                body,
                "<figure id=\"{}\"><h3>{title}</h3>{}<figcaption>{caption}</figcaption></figure>",
                plot.name, plot.svg
            );
        }
        body.push_str("</div>");
    });
}

/// A table: headings, of which those with a `#` before them stand over numbers, and rows of escaped cells.
fn table(body: &mut String, headings: &[&str], rows: impl IntoIterator<Item = (&'static str, Vec<String>)>) {
    let class = |heading: &str| if heading.starts_with('#') { " class=\"number\"" } else { "" };
    body.push_str("<div class=\"scroll\"><table><thead><tr>");
    for heading in headings {
        let _ = write!(body, "<th{}>{}</th>", class(heading), escape(heading.trim_start_matches('#')));
    }
    body.push_str("</tr></thead><tbody>");
    for (row_class, cells) in rows {
        let _ = write!(body, "<tr class=\"{row_class}\">");
        for (heading, cell) in headings.iter().zip(cells) {
            let label = escape(heading.trim_start_matches('#'));
            let _ = write!(body, "<td{} data-label=\"{label}\">{}</td>", class(heading), escape(&cell));
        }
        body.push_str("</tr>");
    }
    body.push_str("</tbody></table></div>");
}

/// Each test is a line that opens: on a phone its name and its corrected chance, on a wide screen its figures, too.
fn tests(report: &StatsReport, body: &mut String) {
    let _ = write!(
        body,
        "<section><h2>The tests</h2><p>A corrected chance below {} is called unusual. <span class=\"wide screen\">Each line opens.</span></p>\
         <div class=\"tests\"><p class=\"heads\"><span>Test</span> <span class=\"wide\">Over</span> <span class=\"wide number\">Statistic</span> \
         <span class=\"wide number\">Chance</span> <span class=\"number\">Corrected</span> <span class=\"wide\">Verdict</span></p>",
        report.bound
    );
    report.tests.iter().for_each(|test| one_test(test, body));
    body.push_str(
        "</div><details class=\"fold plain\"><summary><span class=\"hint\">How to read a chance</span></summary>\
         <p>A <i>chance</i> is how often an honest book would show as much or more. With so many tests some small chances are to be \
         expected, so each is corrected for all of them (Holm). Of a hundred honest books one is called unusual.</p></details></section>",
    );
}

fn one_test(test: &Test, body: &mut String) {
    let statistic = match (test.statistic, test.degrees) {
        (Some(value), Some(degrees)) => format!("χ² {value:.1} / {degrees}"),
        (Some(value), None) => format!("z {value:+.2}").replace('-', "\u{2212}"),
        _ => String::new(),
    };
    let number = |chance: Option<f64>| chance.map(chance_text).unwrap_or_else(|| "–".into());
    let class = match (test.unusual, test.chance) {
        (true, _) => " look",
        (false, None) => " faint",
        (false, Some(_)) => "",
    };
    let (what, over, verdict) = (escape(test.about.what), escape(&test.over), test_words(test));
    let (chance, corrected) = (number(test.chance), number(test.corrected));
    let _ = write!(
        body,
        "<details class=\"test{class}\"><summary><span class=\"what\">{what}</span> <span class=\"wide\">{over}</span> \
         <span class=\"wide number\">{statistic}</span> <span class=\"wide number\">{chance}</span> \
         <span class=\"number\">{corrected}</span> <span class=\"wide\">{verdict}</span></summary><dl>"
    );
    let mut say = |class: &str, name: &str, value: &str| {
        if !value.is_empty() {
            let _ = write!(body, "<div{class}><dt>{name}</dt> <dd>{}</dd></div>", escape(value));
        }
    };
    let narrow = " class=\"narrow\"";
    say(narrow, "Verdict", verdict);
    say(narrow, "Over", &test.over);
    say(narrow, "Statistic", &statistic);
    say(narrow, "Chance", &chance);
    say("", "Where", test.note.as_deref().unwrap_or_default());
    say("", "Shows", test.about.shows);
    say("", "Cannot show", test.about.cannot);
    body.push_str("</dl></details>");
}

fn return_row(
    name: String,
    class: &'static str,
    returns: &ReturnReport,
    compare: String,
) -> (&'static str, Vec<String>) {
    let edge = returns.edge.as_ref();
    let cells = vec![
        name,
        grouped(returns.rounds),
        grouped(returns.staked),
        grouped(returns.returned),
        edge.map_or_else(|| "–".into(), |edge| percent(edge.observed)),
        edge.map(interval_words).unwrap_or_default(),
        compare,
    ];
    (class, cells)
}

fn returns(report: &StatsReport, body: &mut String) {
    let played: Vec<_> = report.rule_sets.iter().filter(|set| set.all.rounds > 0).collect();
    if played.is_empty() {
        return;
    }
    let hint = number_of(report.voids.rounds, "round");
    part(body, "What the house kept", &hint, |body| {
        body.push_str(
        "<p>The <i>edge</i> is what the players lost, as a share of their opening stakes; a negative \
         one favoured them. The interval is normal, its variance from the rounds themselves: where a few rounds carry most of the \
         stakes it is too narrow. Where nobody decides anything, bets have an exact edge however one bets, worked out here at the very stakes \
         that were placed. Where players decide, the exact figures are a reference: they hold for one who plays so.</p>",
    );
        let rows = played.iter().take(SHOWN).flat_map(|set| {
            let references: Vec<String> =
                set.references.iter().map(|one| format!("{} {}", percent(one.edge), one.play)).collect();
            let compare =
                if references.is_empty() { "not worked out for these options".into() } else { references.join("; ") };
            let bets = set.bets.iter().map(|(kind, bets)| {
                let exact = bets.exact_edge.map(percent).unwrap_or_default();
                let chance = bets
                    .chance
                    .map_or("; too few rounds to judge".into(), |chance| format!("; chance {}", chance_text(chance)));
                return_row((*kind).to_owned(), "part", bets, exact + &chance)
            });
            std::iter::once(return_row(set.name.clone(), "", &set.all, compare)).chain(bets).collect::<Vec<_>>()
        });
        table(body, &["Rule set", "#Rounds", "#Staked", "#Returned", "#Edge", "#95 %", "Exact"], rows);
        more(body, report.rule_sets_total, played.len().min(SHOWN) as u64, "rule set");
    });
}

fn voids(report: &StatsReport, body: &mut String) {
    let voids = &report.voids;
    let [void, withheld] = [voids.voids.count, voids.withheld.count].map(grouped);
    part(body, "Void rounds and withheld seeds", &format!("{void} void, {withheld} of them for a seed"), |body| {
        void_rounds(report, body);
        withholders(report, body);
    });
}

fn void_rounds(report: &StatsReport, body: &mut String) {
    let voids = &report.voids;
    let _ = write!(
        body,
        "<p>{} of {} void ({}); a seed was withheld in {} ({}).",
        voids.voids.count,
        number_of(voids.rounds, "round"),
        rate_words(&voids.voids),
        voids.withheld.count,
        rate_words(&voids.withheld)
    );
    if voids.piles_failed > 0 {
        let _ = write!(body, " {} of a new pile did not come about.", number_of(voids.piles_failed, "shuffle"));
    }
    body.push_str("</p>");
    if voids.voids.count > 0 {
        let causes: Vec<String> =
            voids.by_cause.iter().map(|(cause, count)| format!("{} {count}", cause.replace('_', " "))).collect();
        let ended = voids.default_play;
        let _ = write!(
            body,
            "<p>By cause: {}. Finished by default play on the committed cards, the players would have won {}, the house {}, {} stood level \
             and {} cannot be computed; {:+} units for the players in all. How players would really have played is not known, so that this \
             is not judged.</p>",
            escape(&causes.join(", ")),
            ended.players,
            ended.house,
            ended.level,
            ended.not_computable,
            ended.net
        );
        let ahead = [
            ("voids of the house's side", voids.by_house),
            ("voids for a missing player", voids.by_absence),
            ("as rounds stood from entry to entry", voids.standing),
        ];
        let rows = ahead.map(|(name, counts)| {
            (
                "",
                vec![
                    name.to_owned(),
                    counts.players.to_string(),
                    counts.house.to_string(),
                    counts.level.to_string(),
                    counts.nobody.to_string(),
                ],
            )
        });
        table(body, &["Who was ahead, by public faces", "#Players", "#House", "#Level", "#Nobody yet"], rows);
        let shown: Vec<_> = report.tables.iter().filter(|table| table.voids.count > 0).take(SHOWN).collect();
        let rows = shown.iter().map(|table| {
            let counts = [table.rounds, table.voids.count].map(grouped);
            let [rounds, count] = counts;
            let interval = format!("{} to {}", percent(table.voids.from), percent(table.voids.to));
            (
                "",
                vec![
                    table.table.clone(),
                    table.rule_set.clone(),
                    rounds,
                    count,
                    percent(table.voids.share),
                    interval,
                    grouped(table.withheld.count),
                ],
            )
        });
        table(body, &["Table", "Rule set", "#Rounds", "#Void", "#Share", "#95 %", "#Withheld"], rows);
        let _ = write!(
            body,
            "<p class=\"small\">{} had rounds; those with voids are listed, {SHOWN} at most.</p>",
            number_of(report.tables_total, "table")
        );
    }
}

fn withholders(report: &StatsReport, body: &mut String) {
    if report.withholders.is_empty() {
        return;
    }
    body.push_str(
        "<p>Players whose seeds were missing, of rounds and of shuffles of a new pile, those with the most first. A player who stays away \
         and a house that drops their message look the same in a log.</p>",
    );
    let rows = report.withholders.iter().take(SHOWN).map(|one| {
        let interval = format!("{} to {}", percent(one.withheld.from), percent(one.withheld.to));
        let [withheld, asked, late] = [one.withheld.count, one.asked, one.late].map(grouped);
        ("", vec![one.player.clone(), withheld, asked, percent(one.withheld.share), interval, late])
    });
    table(body, &["Player", "#Withheld", "#Seeds asked", "#Share", "#95 %", "#Came later"], rows);
    if let Some(more) = report.more_withholders() {
        let _ = write!(body, "<p class=\"small\">{more}.</p>");
    }
}

fn more(body: &mut String, total: u64, shown: u64, what: &str) {
    if total > shown {
        let _ = write!(
            body,
            "<p class=\"small\">{} in all; the {shown} with the greatest stakes are shown.</p>",
            number_of(total, what)
        );
    }
}

fn repeats(report: &StatsReport, body: &mut String) {
    let all = report.repeats;
    let twice = all.roots.repeated + all.server_seeds.repeated + all.client_seeds.repeated;
    let hint = if twice == 0 { "none".to_owned() } else { grouped(twice) };
    part(body, "Seeds and shoes used twice", &hint, |body| {
        body.push_str(
            "<p>A root or a seed of the house that comes a second time is a shoe whose cards somebody could know. A player's seed that \
             does is a weak program of theirs, or a house that chose it for them.</p>",
        );
        let rows = [
            ("Committed roots", all.roots),
            ("Published seeds of the house", all.server_seeds),
            ("Revealed seeds of players", all.client_seeds),
        ];
        let rows = rows.map(|(name, seen)| {
            let class = if seen.repeated > 0 { "look" } else { "" };
            (class, vec![name.to_owned(), grouped(seen.counted), grouped(seen.remembered), grouped(seen.repeated)])
        });
        table(body, &["What", "#Seen", "#Remembered", "#Had come before"], rows);
    });
}
