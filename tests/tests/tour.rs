//! The shell in the README's tour and in the pages for operators and integrators, run unchanged.

use fairshoe_tests::cluster::free_port;
use fairshoe_tests::{Service, binary};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// The longest README up to the first hand, in bytes.
const LONGEST_README: usize = 12 * 1024;

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap()
}

/// The shell blocks of the README's tour, with this test's port and folders.
fn script(service: &Service) -> String {
    let readme = page("README.md");
    let blocks: Vec<&str> =
        readme.split("<!-- tour -->\n```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 3, "the tour has three blocks: play, check, tamper");
    let binaries = binary("fairshoe-audit").parent().unwrap().display().to_string();
    blocks
        .join("\n")
        .replace("http://127.0.0.1:8080", &service.url)
        .replace("data/operator.token", &service.data.join("operator.token").display().to_string())
        .replace("PATH=target/release:", &format!("PATH={binaries}:"))
}

/// The README's terminal output, block by block: the lines that a program printed.
fn shown_by_the_readme() -> Vec<Vec<String>> {
    let readme = page("README.md");
    let block = |rest: &str| -> Vec<String> {
        let lines = rest.split("\n```").next().unwrap().lines();
        // A `$` begins typed lines; `[…]` stands for any lines.
        lines.filter(|line| !line.starts_with("$ ") && *line != "[…]").map(str::to_owned).collect()
    };
    readme.split("```console\n").skip(1).map(block).collect()
}

/// A line without its variable parts: a number, a card and a hash become placeholders.
fn shape(line: &str) -> String {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || "+/=-".contains(c);
    let is_card = |word: &str| matches!(word.as_bytes(), [b'A' | b'T' | b'J' | b'Q' | b'K', b'c' | b'd' | b'h' | b's']);
    let mut made = String::new();
    let mut rest = line.trim_end();
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len()));
        let (between, next) = after.split_at(after.find(is_of_word).unwrap_or(after.len()));
        let varies = word.len() > 24 || word.contains(|c: char| c.is_ascii_digit()) || is_card(word);
        made.push_str(if varies { "#" } else { word });
        made.push_str(between);
        rest = next;
    }
    // Some hands have an ace.
    made.replace("soft ", "")
}

#[test]
fn of_a_line_what_is_another_each_time_is_left_out() {
    for (line, left) in [
        ("  dealt Ad to box 1 hand 1 (box 1 hand 1 Ad: soft 11)", "  dealt # to box # hand # (box # hand # #: #)"),
        ("house 10 + rake 0 + cage -1000 = 0", "house # + rake # + cage # = #"),
        ("SOUND. Round joy-1:0 was dealt.", "SOUND. Round #:# was dealt."),
    ] {
        assert_eq!(shape(line), left);
    }
}

#[test]
fn the_tour_in_the_readme_works_as_printed() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("data"), &[]);
    let script = format!("exec 2>&1\n{}", script(&service));
    let output = Command::new("bash").arg("-euc").arg(script).current_dir(folder.path()).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("\nSOUND").count(), 3, "round over HTTP, round from the file, whole log:\n{said}");
    assert_eq!(said.matches("NOT SOUND").count(), 1, "{said}");
    assert!(said.contains("exit code 1"), "{said}");

    let shown = shown_by_the_readme();
    let (start, tour) = shown.split_first().unwrap();
    let operating = page("spec/operating.md");
    for line in start {
        assert!(
            operating.contains(line.as_str()),
            "spec/operating.md, which is run too, shows another start than {line:?}"
        );
    }
    assert_eq!(tour.len(), 2, "the README shows what a check says, and what it says of a file that was tampered with");
    let mut came = said.lines().map(shape);
    for line in tour.iter().flatten() {
        assert!(came.any(|one| one == shape(line)), "the README shows {line:?}, and what came is\n{said}");
    }
}

#[test]
fn the_readme_is_short() {
    let length = page("README.md").len();
    assert!(length <= LONGEST_README, "{length} bytes; what operators and integrators need has pages of its own");
}

/// A page's part from this heading to the next.
fn part<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(heading).unwrap_or_else(|| panic!("no {heading:?}"));
    rest.split("\n## ").next().unwrap()
}

/// Somebody reads 200 words a minute; the rest of five minutes is for the commands, or the clicks.
#[test]
fn a_desk_reads_for_less_than_four_minutes_before_it_answers() {
    let desk = page("spec/desk.md");
    let words = |heading: &&str| part(&desk, heading).split_whitespace().count();
    let terminal = ["# The dispute desk\n", "\n## 1. Find the round\n", "\n## 2. Tell it, and print it\n"];
    let browser = ["# The dispute desk\n", "\n## On the page\n"];
    for way in [terminal.as_slice(), browser.as_slice()] {
        let read: usize = way.iter().chain(&["\n## 3. The answer\n"]).map(words).sum();
        assert!(read <= 4 * 200, "{way:?}: {read} words");
    }
}

/// Shell that a page marks to be run, and the result that the page shows.
struct Block {
    shell: String,
    shown: Option<String>,
}

/// After each `<!-- run -->`: a block of `sh`, and the block of `text` after it, if there is one.
fn marked(page: &str) -> Vec<Block> {
    let block = |rest: &str| {
        let (shell, after) = rest.split_once("\n```\n").expect("a block of shell has an end");
        let shown = after.strip_prefix("\n```text\n").and_then(|rest| rest.split("\n```").next());
        Block { shell: shell.to_owned(), shown: shown.map(str::to_owned) }
    };
    page.split("<!-- run -->\n```sh\n").skip(1).map(block).collect()
}

/// The page, with each port of this machine replaced by a free one.
fn with_free_ports(page: &str) -> String {
    const HOST: &str = "127.0.0.1:";
    let mut parts = page.split(HOST);
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut ports = BTreeMap::new();
    for part in parts {
        let digits = part.chars().take_while(char::is_ascii_digit).count();
        let (named, rest) = part.split_at(digits);
        let port = *ports.entry(named).or_insert_with(free_port);
        text.push_str(&format!("{HOST}{port}{rest}"));
    }
    text
}

/// Whether the output matches the page: `…` stands for any text, including several lines.
fn is_shown(shown: &str, came: &str) -> bool {
    let mut pieces: Vec<&str> = shown.split('…').collect();
    let last = pieces.pop().unwrap_or_default();
    if pieces.is_empty() {
        return came == last;
    }
    let Some(mut rest) = came.strip_prefix(pieces[0]) else { return false };
    for piece in &pieces[1..] {
        let Some((_, after)) = rest.split_once(*piece) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[test]
fn dots_stand_for_anything_and_nothing_else_does() {
    for (shown, came) in
        [("one", "one"), ("…", ""), ("a … c", "a b c"), ("a…c", "a\nb\nc"), ("…b…", "abc"), ("a … … d", "a b c d")]
    {
        assert!(is_shown(shown, came), "{shown:?} shows {came:?}");
    }
    for (shown, came) in [("one", "one more"), ("a …", "b a "), ("a … c", "a b"), ("a…b…c", "a c"), ("a", "")] {
        assert!(!is_shown(shown, came), "{shown:?} does not show {came:?}");
    }
}

/// Runs a page's marked blocks, from first to last, in one shell and an empty folder, and compares the output with the
/// page.
fn run(name: &str) {
    let blocks = marked(&with_free_ports(&page(name)));
    assert!(!blocks.is_empty(), "{name} marks nothing to be run");
    let end = |at: usize| format!("--- the end of block {at} ---");
    // Processes left running by a block end with the script.
    let mut script = "trap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT\n".to_owned();
    for (at, block) in blocks.iter().enumerate() {
        script.push_str(&format!("{}\necho '{}'\n", block.shell, end(at)));
    }

    let folder = tempfile::tempdir().unwrap();
    let binaries = binary("fairshoe-audit").parent().unwrap().display().to_string();
    // The files that the package puts next to the programs.
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/../tools/package");
    // A file instead of a pipe: the end of a pipe comes only after every program left running has ended.
    let mut output = tempfile::tempfile().unwrap();
    let status = Command::new("timeout")
        .args(["--kill-after=10", "180", "bash", "-euc", &script])
        .env("PATH", format!("{binaries}:{scripts}:{}", std::env::var("PATH").unwrap_or_default()))
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(output.try_clone().unwrap())
        .stderr(output.try_clone().unwrap())
        .status()
        .unwrap();
    let mut bytes = Vec::new();
    output.rewind().unwrap();
    output.read_to_end(&mut bytes).unwrap();
    let said = String::from_utf8_lossy(&bytes).into_owned();

    let mut rest = said.as_str();
    for (at, Block { shell, shown }) in blocks.iter().enumerate() {
        let Some((came, after)) = rest.split_once(end(at).as_str()) else {
            panic!("{name}: block {at} did not come to its end ({status}):\n{shell}\n\nwhat came:\n{rest}")
        };
        rest = after;
        let came: Vec<&str> = came.trim().lines().map(str::trim_end).collect();
        let came = came.join("\n");
        let is_well = shown.as_deref().is_none_or(|shown| is_shown(shown.trim(), &came));
        let shown = shown.as_deref().unwrap_or_default();
        assert!(is_well, "{name}, block {at}:\n{shell}\n\nwhat came:\n{came}\n\nwhat the page shows:\n{shown}");
    }
    assert!(status.success(), "{name}: {status}\n{said}");
}

#[test]
fn what_the_page_for_operators_types_works_as_printed() {
    run("spec/operating.md");
}

#[test]
fn what_the_page_for_a_desk_types_works_as_printed() {
    run("spec/desk.md");
}

#[test]
fn what_the_page_for_integrators_types_works_as_printed() {
    run("spec/integrating.md");
}
