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
    facts(report, &mut body);
    if report.first_failure.is_none() {
        limits(report, &mut body);
        drawings(report, &mut body);
        tests(report, &mut body);
        returns(report, &mut body);
        voids(report, &mut body);
        repeats(report, &mut body);
        explanations(report, &mut body);
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Statistics of {}</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>\n",
        escape(origin)
    )
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
    body.push_str("<dl class=\"facts\">");
    for (name, value) in rows {
        let _ = write!(body, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
    }
    body.push_str("</dl>");
}

fn limits(report: &StatsReport, body: &mut String) {
    body.push_str("<section><h2>What this page cannot show</h2><ul class=\"limits\">");
    for limit in report.cannot_show {
        // The first words, up to the full stop or the colon, carry it.
        let end = limit.find([':', '.']).map_or(0, |at| at + 1);
        let (head, rest) = limit.split_at(end);
        let _ = write!(body, "<li><b>{}</b>{}</li>", escape(head), escape(rest));
    }
    body.push_str("</ul></section>");
}

fn drawings(report: &StatsReport, body: &mut String) {
    let plots = plots(report);
    if plots.is_empty() {
        return;
    }
    body.push_str("<section><h2>At a glance</h2><div class=\"plots\">");
    for plot in plots {
        let (title, caption) = (escape(&plot.title), escape(plot.caption));
        let _ = write!(
            body,
            "<figure id=\"{}\"><h3>{title}</h3>{}<figcaption>{caption}</figcaption></figure>",
            plot.name, plot.svg
        );
    }
    body.push_str("</div></section>");
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

fn tests(report: &StatsReport, body: &mut String) {
    let _ = write!(
        body,
        "<section><h2>The tests</h2><p>A <i>chance</i> is how often an honest book would show as much or more. With so many tests some \
         small chances are to be expected, so each is corrected for all of them (Holm); below {} it is called unusual. \
         Of a hundred honest books one is.</p>",
        report.bound
    );
    let row = |test: &Test| {
        let statistic = match (test.statistic, test.degrees) {
            (Some(value), Some(degrees)) => format!("χ² {value:.1} / {degrees}"),
            (Some(value), None) => format!("z {value:+.2}").replace('-', "\u{2212}"),
            _ => String::new(),
        };
        let number = |chance: Option<f64>| chance.map(chance_text).unwrap_or_else(|| "–".into());
        let what = test
            .note
            .as_ref()
            .map_or_else(|| test.about.what.to_owned(), |note| format!("{} ({note})", test.about.what));
        let class = if test.unusual { "look" } else { "" };
        (
            class,
            vec![
                what,
                test.over.clone(),
                statistic,
                number(test.chance),
                number(test.corrected),
                test_words(test).to_owned(),
            ],
        )
    };
    table(body, &["Test", "Over", "#Statistic", "#Chance", "#Corrected", "Verdict"], report.tests.iter().map(row));
    body.push_str("</section>");
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
    body.push_str(
        "<section><h2>What the house kept</h2><p>The <i>edge</i> is what the players lost, as a share of their opening stakes; a negative \
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
    body.push_str("</section>");
}

fn voids(report: &StatsReport, body: &mut String) {
    let voids = &report.voids;
    let _ = write!(
        body,
        "<section><h2>Void rounds and withheld seeds</h2><p>{} of {} void ({}); a seed was withheld in {} ({}).",
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
    body.push_str("</section>");
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
    body.push_str(
        "<section><h2>Seeds and shoes used twice</h2><p>A root or a seed of the house that comes a second time is a shoe whose cards somebody \
         could know. A player's seed that does is a weak program of his, or a house that chose it for him.</p>",
    );
    let all = report.repeats;
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
    body.push_str("</section>");
}

fn explanations(report: &StatsReport, body: &mut String) {
    body.push_str("<section><h2>What each test is for</h2><dl class=\"tests\">");
    for test in &report.tests {
        let about = test.about;
        let _ = write!(
            body,
            "<dt>{}</dt><dd><b>Shows:</b> {} <b>Cannot show:</b> {}</dd>",
            escape(about.what),
            escape(about.shows),
            escape(about.cannot)
        );
    }
    body.push_str("</dl></section>");
}
