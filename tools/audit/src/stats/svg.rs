//! Small plots as SVG: bars, squares, intervals, chances. Each is a whole file of its own and fits into a page as it
//! is.
#![allow(clippy::float_arithmetic)] // places on paper

use std::fmt::Write as _;

const INK: &str = "#1c2430";
const FAINT: &str = "#667080";
const RULE: &str = "#c9d0d8";
const BAND: &str = "#e6eaef";
const CALM: &str = "#2a6fb0";
const ALARM: &str = "#b3261e";
const OUTSIDE: &str = "#b06a00";

/// The width of every plot; its height follows from what it shows.
const WIDTH: f64 = 480.0;

/// A plot: a file's name without its ending, a title, and the drawing.
#[derive(Clone, Debug)]
pub struct Plot {
    /// `[a-z-]`.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// How it is to be read.
    pub caption: &'static str,
    /// The drawing, as a whole SVG file.
    pub svg: String,
}

/// Text as it may stand in HTML and in SVG, in quotes too; nothing in it can become a tag, an attribute or an entity.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // What XML forbids, and what turns a line's direction round.
            letter if letter.is_control() => safe.push('\u{fffd}'),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}

/// A name that fits its place: cut in its middle, with a mark, since what tells rule sets apart is at the end.
fn fitted(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let end = kept * 3 / 5;
    let (start, end) = (text.chars().take(kept - end), text.chars().skip(count - end));
    start.chain(std::iter::once('…')).chain(end).collect()
}

struct Drawing {
    body: String,
}

impl Drawing {
    fn new() -> Drawing {
        Drawing { body: String::new() }
    }

    fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        let _ =
            write!(self.body, r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"/>"#);
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), ink: &str, width: f64) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = write!(
            self.body,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{ink}" stroke-width="{width}"/>"#
        );
    }

    fn dot(&mut self, x: f64, y: f64, radius: f64, fill: &str) {
        let _ = write!(self.body, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{fill}"/>"#);
    }

    fn diamond(&mut self, x: f64, y: f64, ink: &str) {
        let _ = write!(
            self.body,
            r##"<path d="M{x:.1} {:.1}l4.5 4.5l-4.5 4.5l-4.5 -4.5z" fill="#fff" stroke="{ink}" stroke-width="1.5"/>"##,
            y - 4.5
        );
    }

    fn text(&mut self, x: f64, y: f64, size: f64, anchor: &str, ink: &str, text: &str) {
        let _ = write!(
            self.body,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}" fill="{ink}">{}</text>"#,
            escape(text)
        );
    }

    fn finish(self, title: &str, height: f64) -> String {
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0}" role="img" font-family="system-ui, sans-serif"><title>{}</title><rect width="{WIDTH}" height="{height:.0}" fill="#fff"/>{}</svg>"##,
            escape(title),
            self.body
        )
    }
}

/// One bar: how far a count is from its due, and how far chance takes it, both as shares of the due.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Under the bar.
    pub label: String,
    /// Count over due, less one.
    pub off: f64,
    /// Half the width of the 95 % band.
    pub band: f64,
}

impl Bar {
    /// A count against what was due; nothing where nothing was.
    pub fn new(label: impl Into<String>, count: u64, due: f64) -> Option<Bar> {
        (due > 0.0).then(|| Bar {
            label: label.into(),
            off: count as f64 / due - 1.0,
            band: crate::chance::Z_95 / due.sqrt(),
        })
    }
}

/// Bars around a zero line, each with its band of chance; one outside the band in another colour.
pub fn bars(title: &str, bars: &[Bar]) -> String {
    let (left, right, top, bottom) = (48.0, WIDTH - 6.0, 10.0, 190.0);
    let reach = bars.iter().flat_map(|bar| [bar.off.abs(), bar.band]).fold(0.001, f64::max) * 1.1;
    let middle = (top + bottom) / 2.0;
    let y = |share: f64| middle - share / reach * (bottom - top) / 2.0;
    let mut drawing = Drawing::new();
    let step = (right - left) / bars.len().max(1) as f64;
    let places = || bars.iter().enumerate().map(|(index, bar)| (left + step * index as f64, bar));
    for (x, bar) in places() {
        drawing.rect(x, y(bar.band), step, y(-bar.band) - y(bar.band), BAND);
    }
    for share in [reach / 1.1, -reach / 1.1] {
        drawing.line((left, y(share)), (right, y(share)), RULE, 0.5);
        drawing.text(left - 5.0, y(share) + 4.0, 11.0, "end", FAINT, &percent_short(share));
    }
    for (x, bar) in places() {
        let ink = if bar.off.abs() > bar.band { OUTSIDE } else { CALM };
        let (from, to) = (y(bar.off.max(0.0)), y(bar.off.min(0.0)));
        drawing.rect(x + step * 0.2, from, step * 0.6, to - from, ink);
        let size = if bars.len() > 20 { 8.5 } else { 12.0 };
        drawing.text(x + step / 2.0, bottom + 14.0, size, "middle", INK, &bar.label);
    }
    drawing.line((left, middle), (right, middle), INK, 1.0);
    drawing.text(left - 5.0, middle + 4.0, 11.0, "end", FAINT, "due");
    drawing.finish(title, bottom + 22.0)
}

fn percent_short(share: f64) -> String {
    let percent = share * 100.0;
    let digits = if percent.abs() < 1.0 { 2 } else { usize::from(percent.abs() < 10.0) };
    format!("{percent:+.digits$} %").replace('-', "\u{2212}")
}

/// Squares coloured by how many standard deviations a count is from its due.
pub fn squares(title: &str, rows: &[String], columns: &[String], values: &[Vec<f64>]) -> String {
    let (left, top, height) = (40.0, 22.0, 19.0);
    let width = (WIDTH - left - 4.0) / columns.len().max(1) as f64;
    let mut drawing = Drawing::new();
    for (index, column) in columns.iter().enumerate() {
        drawing.text(left + width * (index as f64 + 0.5), top - 7.0, 12.0, "middle", INK, column);
    }
    for (index, (row, values)) in rows.iter().zip(values).enumerate() {
        let y = top + height * index as f64;
        drawing.text(left - 6.0, y + 14.0, 11.0, "end", FAINT, row);
        for (column, value) in values.iter().enumerate() {
            drawing.rect(left + width * column as f64, y, width - 1.0, height - 1.0, &shade(*value));
        }
    }
    let legend = top + height * rows.len() as f64 + 8.0;
    for (index, value) in [-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0].into_iter().enumerate() {
        let x = left + 36.0 * index as f64;
        drawing.rect(x, legend, 35.0, 12.0, &shade(value));
        drawing.text(
            x + 17.0,
            legend + 26.0,
            11.0,
            "middle",
            FAINT,
            &format!("{value:+.0}").replace('-', "\u{2212}").replace("+0", "0"),
        );
    }
    drawing.text(left + 36.0 * 9.0 + 4.0, legend + 10.0, 11.0, "start", FAINT, "deviations");
    drawing.finish(title, legend + 34.0)
}

/// White at nought, blue below, red above, full at four.
fn shade(value: f64) -> String {
    let depth = (value.abs() / 4.0).min(1.0);
    let end = if value < 0.0 { [33.0, 102.0, 172.0] } else { [178.0, 24.0, 43.0] };
    let [red, green, blue] = end.map(|channel: f64| (245.0 + (channel - 245.0) * depth) as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// An observed share with its interval, and exact figures beside it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub label: String,
    /// What was observed.
    pub observed: f64,
    /// The ends of the interval around it; none where it was not worked out.
    pub interval: Option<(f64, f64)>,
    /// Exact figures.
    pub exact: Vec<f64>,
}

/// Intervals, one below the other, over one axis.
pub fn intervals(title: &str, rows: &[Row]) -> String {
    let (left, right, top, step) = (150.0, WIDTH - 16.0, 10.0, 26.0);
    let seen = rows.iter().flat_map(|row| {
        let (from, to) = row.interval.unwrap_or((row.observed, row.observed));
        [from, to].into_iter().chain(row.exact.iter().copied())
    });
    let (low, high) =
        seen.fold((-0.01, 0.03f64), |(low, high), value: f64| (value.clamp(-0.5, low), value.clamp(high, 0.5)));
    let (low, high) = (low - (high - low) * 0.05, high + (high - low) * 0.05);
    let x = |share: f64| left + (share.clamp(low, high) - low) / (high - low) * (right - left);
    let bottom = top + step * rows.len() as f64;
    let mut drawing = Drawing::new();
    for tick in ticks(low, high) {
        let ink = if tick == 0.0 { FAINT } else { RULE };
        drawing.line((x(tick), top), (x(tick), bottom), ink, 0.8);
        drawing.text(x(tick), bottom + 16.0, 11.0, "middle", FAINT, &tick_words(tick));
    }
    for (index, row) in rows.iter().enumerate() {
        let y = top + step * (index as f64 + 0.5);
        drawing.text(left - 10.0, y + 4.0, 12.0, "end", INK, &fitted(&row.label, 21));
        if let Some((from, to)) = row.interval {
            drawing.line((x(from), y), (x(to), y), CALM, 2.5);
        }
        for exact in &row.exact {
            drawing.diamond(x(*exact), y, INK);
        }
        drawing.dot(x(row.observed), y, 3.5, CALM);
    }
    drawing.finish(title, bottom + 24.0)
}

fn tick_words(tick: f64) -> String {
    let percent = tick * 100.0;
    format!("{} %", (percent * 100.0).round() / 100.0 + 0.0).replace('-', "\u{2212}")
}

/// Round numbers within a range, about five of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough)
        .unwrap_or(power * 10.0);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).take(20).map(|index| index as f64 * step).collect()
}

/// Chances, one below the other, on a scale of powers of ten: each as it is and as it stands among all of them. Of the
/// second, what is left of the bound is to be looked at.
pub fn chances(title: &str, rows: &[(&str, f64, f64)], bound: f64) -> String {
    let (left, right, top, step) = (262.0, WIDTH - 14.0, 24.0, 19.0);
    let floor = 1e-6;
    let x = |chance: f64| right + chance.max(floor).log10() / -floor.log10() * (right - left);
    let bottom = top + step * rows.len() as f64;
    let mut drawing = Drawing::new();
    drawing.rect(left - 6.0, top, x(bound) - left + 6.0, bottom - top, "#fbeceb");
    drawing.text((left + x(bound)) / 2.0, top - 8.0, 11.0, "middle", ALARM, "look");
    for (tick, words) in [(1.0, "1"), (0.01, "0.01"), (1e-4, "0.0001"), (1e-6, "10⁻⁶")] {
        drawing.line((x(tick), top), (x(tick), bottom), RULE, 0.8);
        drawing.text(x(tick), bottom + 15.0, 11.0, "middle", FAINT, words);
    }
    for (index, (label, alone, corrected)) in rows.iter().enumerate() {
        let y = top + step * (index as f64 + 0.5);
        let ink = if *corrected < bound { ALARM } else { CALM };
        drawing.text(left - 12.0, y + 4.0, 10.0, "end", INK, &fitted(label, 50));
        drawing.line((x(*corrected), y), (x(*alone), y), RULE, 2.0);
        drawing.dot(x(*alone), y, 2.5, FAINT);
        drawing.dot(x(*corrected), y, 4.0, ink);
    }
    drawing.finish(title, bottom + 22.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_becomes_markup() {
        let hostile = "<script>alert('\"&\u{202e}\u{0}</script>";
        let safe = escape(hostile);
        assert_eq!(safe, "&lt;script&gt;alert(&#39;&quot;&amp;\u{fffd}\u{fffd}&lt;/script&gt;");
        let row = Row { label: hostile.into(), observed: 0.1, interval: None, exact: vec![] };
        for svg in [
            intervals(hostile, &[row]),
            chances(hostile, &[(hostile, 0.5, 1.0)], 0.01),
            bars(hostile, &[Bar::new(hostile, 3, 2.0).unwrap()]),
        ] {
            assert!(!svg.contains("<script") && !svg.contains('\u{202e}'), "{svg}");
        }
    }

    #[test]
    fn colours_and_ticks() {
        assert_eq!((shade(0.0).as_str(), shade(9.0).as_str(), shade(-4.0).as_str()), ("#f5f5f5", "#b2182b", "#2166ac"));
        assert_eq!(ticks(-0.011, 0.031).len(), 5);
        assert!(Bar::new("A", 3, 0.0).is_none());
        assert_eq!((fitted("abcd", 4), fitted("abcdef", 4)), ("abcd".to_owned(), "ab…f".to_owned()));
        let apart = fitted("joy (NOT the shipped one: 0123abcd…)", 21);
        assert_eq!((apart.as_str(), apart.chars().count()), ("joy (NOT…: 0123abcd…)", 21));
    }
}
