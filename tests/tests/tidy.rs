//! Checks beyond formatting and clippy: arrows between crates, numbers without tests, facts in documents.
#![allow(clippy::unwrap_used, clippy::panic)]

mod tidy_features;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every file of the project except the build's output.
fn files(below: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != ".git" && name != "data" && name != "node_modules" && name != "__pycache__" {
                files(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&root(), &mut found);
    let read = |path: PathBuf| fs::read_to_string(&path).ok().map(|text| (path, text));
    found.into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs")).filter_map(read).collect()
}

/// The project's own crates in a manifest section, except the one without code.
fn own_dependencies(manifest: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(manifest).unwrap();
    let section = text.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap();
    let names = section.lines().filter_map(|line| line.trim().strip_prefix("fairshoe-"));
    let names = names.map(|rest| rest.chars().take_while(|c| c.is_ascii_lowercase()).collect::<String>());
    names.filter(|name| name != "features").collect()
}

#[test]
fn arrows_between_crates_point_downwards_only() {
    let allowed: &[(&str, &[&str])] = &[
        ("src/fairness", &[]),
        ("src/tlog", &[]),
        ("src/games", &["fairness"]),
        ("src/tournament", &["fairness"]),
        ("src/words", &["fairness", "games", "tlog", "tournament"]),
        ("src/house", &["fairness", "games", "tlog", "tournament", "words"]),
        ("src/judge", &["fairness", "games", "house", "tlog", "tournament"]),
        ("src/api", &["fairness", "games", "house", "tournament"]),
        ("src/page", &[]),
        ("src/store", &[]),
        ("src/order", &["store", "tlog"]),
        ("src/server", &["api", "fairness", "games", "house", "judge", "order", "page", "store", "tlog", "tournament"]),
        ("tools/audit", &["api", "fairness", "games", "house", "judge", "store", "tlog", "tournament"]),
        ("tools/load", &["api", "fairness", "games", "house", "judge", "tlog", "tournament"]),
        ("tools/odds", &["fairness", "games"]),
        // Another party's program: it shares no code with the house that calls it.
        ("tools/wallet", &[]),
    ];
    for (folder, may) in allowed {
        let uses = own_dependencies(&root().join(folder).join("Cargo.toml"));
        let may: BTreeSet<String> = may.iter().map(ToString::to_string).collect();
        let more: Vec<_> = uses.difference(&may).collect();
        assert!(more.is_empty(), "{folder} may not depend on {more:?}");
    }
}

#[test]
fn pure_crates_know_no_clock_disk_network_or_randomness() {
    let forbidden = [
        "std::fs",
        "std::net",
        "std::time::SystemTime",
        "std::time::Instant",
        "getrandom",
        "tokio::",
        "std::thread",
        "std::env::var",
    ];
    for (path, text) in sources() {
        let inside = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let pure = ["fairness", "tlog", "games", "tournament", "words", "house", "judge", "api"]
            .iter()
            .any(|name| inside.starts_with(&format!("src/{name}/src/")));
        if !pure {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap();
        for word in forbidden {
            assert!(!code.contains(word), "{inside} is in a pure crate and names {word}");
        }
    }
}

/// The places outside its folder where a game is named, and why; `*` stands for every game.
const NAMES_GAMES: &[(&str, &str, &str)] = &[
    ("*", "src/games/src/lib.rs", "declares the folder"),
    ("*", "src/games/src/registry.rs", "has a line a game"),
    ("*", "tools/odds/src/", "works a game's expectation out, in a file of its own with a subcommand"),
    (
        "*",
        "tools/load/src/strategy/",
        "is the client's own way of playing, a file a game in which something is decided",
    ),
    ("*", "tools/load/src/args.rs", "has examples in its help"),
    ("*", "tools/audit/src/cli.rs", "has examples in its help"),
    ("blackjack", "src/games/src/event.rs", "calls an outcome so, as the log does"),
    ("poker", "src/api/src/requests.rs", CASH),
    ("poker", "src/api/src/table.rs", CASH),
    ("poker", "src/house/src/cash/", CASH),
    ("poker", "src/words/src/command.rs", CASH),
    ("poker", "src/words/src/event.rs", CASH),
    ("poker", "src/words/src/noted.rs", CASH),
    ("poker", "src/house/src/noted.rs", CASH),
    ("poker", "src/house/src/tournament/", "is about tournaments, whose hands are poker"),
    ("poker", "src/judge/src/narrate/cash.rs", CASH),
    ("poker", "src/judge/src/audit/ledger_only/", "reads the log's text and shares no type with the house"),
    ("poker", "src/judge/src/history/", "writes hands for other programs"),
    ("poker", "tools/audit/src/replay/", "reads hands of other programs"),
];

/// Poker has another kind of table than the other games.
const CASH: &str = "is about cash tables";

/// Whether code or a comment names a game: its folder in a path or a string, its types, its name with a capital. In
/// lower case it may be a common word or a term of the trade (`safe`, a `blackjack`).
fn names(text: &str, game: &str) -> bool {
    let capital: String = game.split('_').map(|word| format!("{}{}", word[..1].to_uppercase(), &word[1..])).collect();
    let ends = |rest: &str, more: fn(char) -> bool| rest.chars().next().is_none_or(|next| !more(next));
    let starts =
        |before: &str| ends(&before.chars().rev().take(1).collect::<String>(), |c| c.is_alphanumeric() || c == '_');
    let is_name = |(at, word): (usize, &str)| {
        let (before, rest) = (&text[..at], &text[at + word.len()..]);
        match word == capital {
            true => starts(before) && ends(rest, char::is_lowercase) && !before.ends_with("Outcome::"),
            false => {
                starts(before)
                    && (rest.starts_with("::")
                        || before.ends_with('"') && ends(rest, char::is_alphanumeric)
                        || before.ends_with("mod "))
            }
        }
    };
    text.match_indices(capital.as_str()).chain(text.match_indices(game)).any(is_name)
}

#[test]
fn a_game_is_named_in_its_folder_in_the_registry_and_where_it_is_said_why() {
    let (mut unexpected, mut used) = (Vec::new(), BTreeSet::new());
    for (path, text) in sources() {
        let inside = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let mut parts = inside.split('/');
        let is_source = matches!(parts.next(), Some("src" | "tools"))
            && parts.nth(1) == Some("src")
            && !inside.ends_with("/tests.rs");
        let code = text.split("#[cfg(test)]").next().unwrap();
        for game in fairshoe_games::GAMES.iter().filter(|game| is_source && names(code, game)) {
            let place = |(of, place, _): &&(&str, &str, &str)| ["*", *game].contains(of) && inside.starts_with(place);
            match NAMES_GAMES.iter().find(place) {
                _ if inside.starts_with(&format!("src/games/src/{game}/")) => {}
                Some(place) => drop(used.insert(place)),
                None => unexpected.push(format!("{inside} names {game}")),
            }
        }
    }
    assert!(unexpected.is_empty(), "what a game knows belongs in its folder: {unexpected:#?}");
    let idle: Vec<_> = NAMES_GAMES.iter().filter(|place| !used.contains(place)).collect();
    assert!(idle.is_empty(), "these name no game any more: {idle:?}");
}

/// The numbers of the rules and rulings of table games, of poker at cash tables, of tournaments, and of the rules common to all
/// (spec/games/).
fn rule_numbers() -> Vec<String> {
    let plain = |section: &str, ranges: &[(u32, u32)]| -> Vec<String> {
        ranges
            .iter()
            .flat_map(|(first, last)| (*first..=*last).map(|n| format!("R{section}.{n}")).collect::<Vec<_>>())
            .collect()
    };
    let letters = |section: &str, last: char| ('a'..=last).map(|c| format!("A{section}.{c}")).collect::<Vec<_>>();
    let of_001 =
        "a b c d e f g h i j k l m n o p q r s ss pp qq u v w x y z aa bb cc dd ee ff gg hh ii jj kk ll mm nn oo rr"
            .split(' ')
            .map(|name| format!("A001.{name}"));
    let poker_of_001 = [(1, 9), (12, 15), (26, 26), (80, 81), (83, 86), (103, 103), (111, 112)];
    let tournaments_of_001 = [(10, 11), (16, 25), (27, 32), (82, 82), (90, 102), (104, 110)];
    let tables_of_001 = [(33, 34), (40, 48), (50, 61), (70, 72), (87, 89), (113, 128), (130, 138), (140, 143)];
    // R004.20, the order of chips in a stack, is physical and cannot be tested.
    let mut numbers = plain("000", &[(1, 31)]);
    numbers.extend(plain("001", &poker_of_001));
    numbers.extend(plain("001", &tournaments_of_001));
    numbers.extend(plain("001", &tables_of_001));
    numbers.extend(plain("002", &[(1, 27)]));
    numbers.extend(plain("003", &[(1, 15)]));
    numbers.extend(plain("004", &[(1, 19), (21, 22)]));
    numbers.extend(plain("005", &[(1, 7)]));
    numbers.extend(plain("006", &[(1, 9)]));
    numbers.extend(of_001);
    numbers.extend(
        [
            letters("000", 'q'),
            letters("002", 'x'),
            letters("003", 'r'),
            letters("004", 'm'),
            letters("005", 'c'),
            letters("006", 'c'),
        ]
        .concat(),
    );
    numbers.extend((1..=22).map(|n| format!("C{n}")));
    numbers
}

#[test]
fn every_rule_and_ruling_has_a_test_of_its_number() {
    let mut names = BTreeSet::new();
    for (_, text) in sources()
        .into_iter()
        .filter(|(path, text)| path.to_string_lossy().contains("/tests/") || text.contains("#[cfg(test)]"))
    {
        let after = text
            .split("\nfn ")
            .chain(text.split("    fn "))
            .skip(1)
            .map(|rest| rest.split('(').next().unwrap_or_default().to_owned());
        names.extend(after);
    }
    let tested = |number: &String| {
        let word = number.to_lowercase().replace('.', "_");
        names.iter().any(|name| format!("_{name}_").contains(&format!("_{word}_")))
    };
    let missing: Vec<_> = rule_numbers().into_iter().filter(|number| !tested(number)).collect();
    assert!(missing.is_empty(), "no test is named after {missing:?}");
}

#[test]
fn every_test_that_the_sheets_name_is_there() {
    let mut found = Vec::new();
    files(&root().join("spec/games"), &mut found);
    let all: String = sources().into_iter().map(|(_, text)| text).collect();
    for sheet in found {
        let text = fs::read_to_string(&sheet).unwrap();
        for named in
            text.lines().filter(|line| line.starts_with("| ")).flat_map(|line| line.split('`').skip(1).step_by(2))
        {
            let Some((_, test)) = named.split_once("::") else { continue };
            if test.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
                assert!(
                    all.contains(&format!("fn {test}(")),
                    "{} names the test {named}, which is not there",
                    sheet.display()
                );
            }
        }
    }
}

/// spec/checks.json names, for each check of spec/audit.md, a test that shows it in both verifiers, or one of each; if
/// there is none, it says why.
#[test]
fn every_check_of_the_auditor_is_shown_in_both_verifiers_or_it_is_said_why_not() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let page = read("spec/audit.md");
    let table = page.split("\n## Findings\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let codes: BTreeSet<&str> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let companion: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&read("spec/checks.json")).unwrap();
    let unnamed: Vec<_> = codes.iter().filter(|code| !companion.contains_key(**code)).collect();
    assert!(codes.len() > 60 && unnamed.is_empty(), "spec/checks.json does not name {unnamed:?}");
    for (code, shown) in &companion {
        assert!(codes.contains(code.as_str()), "spec/audit.md does not have the check {code}");
        for test in ["both", "rust", "javascript"].iter().filter_map(|by| shown[*by].as_str()) {
            let (file, name) = test.split_once(' ').unwrap();
            let there = ["fn", "function"].iter().any(|word| read(file).contains(&format!("{word} {name}(")));
            assert!(there, "{code}: there is no test {test}");
        }
        let apart = shown["rust"].is_string() && shown["javascript"].is_string();
        let why = shown["why"].as_str().is_some_and(|why| why.len() > 20);
        assert!(shown["both"].is_string() || apart || why, "{code} is not shown in both verifiers");
    }
}

/// A library with its own tests is compiled and linted twice. A file whose tests need private items is compiled into a
/// test program by `#[path]`, with its tests.
#[test]
fn no_library_is_compiled_twice_for_tests() {
    let mut found = Vec::new();
    files(&root(), &mut found);
    let mut looked = 0;
    for manifest in
        found.iter().filter(|path| path.ends_with("Cargo.toml") && path.with_file_name("src/lib.rs").is_file())
    {
        let text = fs::read_to_string(manifest).unwrap();
        let library = text.split("\n[lib]\n").nth(1).unwrap_or_default().split("\n[").next().unwrap();
        let is_without = library.lines().any(|line| line == "test = false");
        assert!(is_without, "{}: [lib] lacks `test = false`", manifest.display());
        looked += 1;
    }
    assert!(looked > 15, "{looked} libraries");
}

/// cargo does not find test files by itself (`autotests = false`): a file without a reference would never run.
#[test]
fn every_file_of_tests_belongs_to_a_test_binary() {
    let declared =
        |text: &str, module: &str| text.lines().any(|line| line.trim_start_matches("pub ") == format!("mod {module};"));
    let mut found = Vec::new();
    files(&root(), &mut found);
    let packages = found.iter().filter(|path| path.ends_with("Cargo.toml")).map(|path| path.parent().unwrap());
    let mut lost = Vec::new();
    for package in packages.filter(|package| **package != root() && package.join("tests").is_dir()) {
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
        let binary = |path: &Path| {
            let path = path.strip_prefix(package).unwrap().to_string_lossy().into_owned();
            manifest.contains(&format!("path = \"{path}\""))
                || (!manifest.contains("autotests = false") && path.ends_with("main.rs"))
        };
        let (mut all, mut parents) = (Vec::new(), String::new());
        files(&package.join("tests"), &mut all);
        all.retain(|path| path.extension().is_some_and(|e| e == "rs"));
        all.iter().for_each(|path| parents.push_str(&fs::read_to_string(path).unwrap()));
        let is_lost = |path: &&PathBuf| {
            let name = if path.ends_with("mod.rs") { path.parent().unwrap() } else { path.as_path() };
            let by_path = parents.contains(&format!("\"{}\"]", path.file_name().unwrap().to_string_lossy()));
            !binary(path) && !by_path && !declared(&parents, &name.file_stem().unwrap().to_string_lossy())
        };
        lost.extend(all.iter().filter(is_lost).map(|path| path.display().to_string()));
    }
    assert!(lost.is_empty(), "run by nobody: {lost:?}");
}

/// A library is built without its tests: the tests in its files run in a test program that names the file.
#[test]
fn tests_in_the_files_of_a_library_are_run() {
    let mut found = Vec::new();
    files(&root(), &mut found);
    let name_of = |path: &Path| {
        let name = if path.ends_with("mod.rs") { path.parent().unwrap() } else { path };
        name.file_stem().unwrap().to_string_lossy().into_owned()
    };
    let mut lost = Vec::new();
    for package in found.iter().filter(|path| path.ends_with("Cargo.toml")).map(|path| path.parent().unwrap()) {
        let texts = |folder: &str| -> Vec<(PathBuf, String)> {
            let mut all = Vec::new();
            if package.join(folder).is_dir() {
                files(&package.join(folder), &mut all);
            }
            all.retain(|path| path.extension().is_some_and(|e| e == "rs"));
            all.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
        };
        if !package.join("src/lib.rs").is_file() {
            continue;
        }
        let named = |text: &str| -> Vec<String> {
            let module = |line: &str| Some(line.trim().trim_start_matches("pub ").strip_prefix("mod ")?.to_owned());
            let path = |line: &str| Some(line.trim().strip_prefix("#[path = \"")?.strip_suffix(".rs\"]")?.to_owned());
            let names = text.lines().filter_map(|line| Some(module(line)?.strip_suffix(';')?.to_owned()));
            let paths = text.lines().filter_map(|line| Some(path(line)?.rsplit('/').next()?.to_owned()));
            names.chain(paths).collect()
        };
        let mut reached: Vec<String> = texts("tests").iter().flat_map(|(_, text)| named(text)).collect();
        let mut open: Vec<(PathBuf, String)> = texts("src");
        while let Some(at) = open.iter().position(|(path, _)| reached.contains(&name_of(path))) {
            reached.extend(named(&open.remove(at).1));
        }
        lost.extend(
            open.iter().filter(|(_, text)| text.contains("#[test]")).map(|(path, _)| path.display().to_string()),
        );
    }
    assert!(lost.is_empty(), "no test program names these files, so nobody runs their tests: {lost:?}");
}

/// A file's head says what it owns, in a sentence; its name alone is not enough.
#[test]
fn every_source_begins_with_what_it_owns() {
    let mut without = Vec::new();
    for (path, text) in sources() {
        let inside = path.strip_prefix(root()).unwrap();
        if !inside.starts_with("src") && !inside.starts_with("tools") {
            continue;
        }
        let heads = text.lines().take_while(|line| line.starts_with("//!"));
        let head: String = heads.flat_map(|line| [line.trim_start_matches("//!").trim(), " "]).collect();
        let head: Vec<&str> = head.split_whitespace().collect();
        let name = path.file_stem().unwrap().to_string_lossy().replace('_', " ");
        if head.len() < 5 || head.join(" ").trim_end_matches('.').eq_ignore_ascii_case(&name) {
            without.push(inside.display().to_string());
        }
    }
    assert!(without.is_empty(), "say at the head what these own: {without:#?}");
}

#[test]
fn files_have_one_idea_each() {
    let mut long = Vec::new();
    for (path, text) in sources() {
        let lines = text.lines().count();
        if lines > 800 {
            long.push(format!("{} has {lines} lines", path.display()));
        }
    }
    assert!(long.is_empty(), "look for the second idea in: {long:#?}");
}

/// The width that rustfmt enforces for Rust. The second verifier's file is made of its parts, and the page's client of
/// the installed one.
#[test]
fn lines_of_javascript_and_python_have_a_width_too() {
    let (mut found, mut long, mut looked) = (Vec::new(), Vec::new(), 0);
    files(&root(), &mut found);
    found.retain(|path| path.extension().is_some_and(|e| e == "js" || e == "py"));
    let made = ["tools/verifier/fairshoe-verify.js", "src/page/web/client.js", "src/page/web/client-calls.js"];
    for path in found.iter().filter(|path| !made.iter().any(|made| path.ends_with(made))) {
        looked += 1;
        let text = fs::read_to_string(path).unwrap();
        let wide = text.lines().enumerate().filter(|(_, line)| line.chars().count() > 120);
        long.extend(wide.map(|(at, _)| format!("{}:{}", path.display(), at + 1)));
    }
    assert!(looked > 40 && long.is_empty(), "{looked} files; longer than 120 characters: {long:#?}");
}

#[test]
fn the_project_speaks_of_the_product_alone() {
    let mut found = Vec::new();
    files(&root(), &mut found);
    let words = ["/work/", "/root/", "/home/", "crates.io/api", "registry.npmjs", "deb.debian"];
    let me = Path::new(file!()).file_name().unwrap().to_owned();
    for path in found {
        if path.file_name() == Some(&me) || path.ends_with("Cargo.lock") {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for word in words {
            assert!(!text.contains(word), "{} names {word}", path.display());
        }
    }
}

/// *A proxy from the environment would read tokens, answer for the house, and keep a health check from this machine.*
#[test]
fn every_client_says_which_proxy_it_has() {
    let made = concat!("Agent::config_", "builder()");
    let is_said = |rest: &str| rest.split(';').next().is_some_and(|call| call.contains(".proxy("));
    for (path, text) in sources() {
        assert!(text.split(made).skip(1).all(is_said), "{}: no `.proxy(` behind `{made}`", path.display());
    }
}

#[test]
fn nothing_unfinished_is_left() {
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("unimplemented", "!("),
        concat!("todo", "!("),
        concat!("XX", "X:"),
    ];
    for (path, text) in sources() {
        for mark in marks {
            assert!(!text.contains(mark), "{} says {mark}", path.display());
        }
    }
}

#[test]
fn every_link_in_the_documents_leads_somewhere() {
    let mut found = Vec::new();
    files(&root(), &mut found);
    for path in found.into_iter().filter(|path| path.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(&path).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = target.split('#').next().unwrap();
            if target.is_empty() || target.contains("://") || target.contains(' ') {
                continue;
            }
            assert!(
                path.parent().unwrap().join(target).exists(),
                "{} links to {target}, which is not there",
                path.display()
            );
        }
    }
}

/// Where a page and a section of it are named, a reader finds the section there, or the words that begin its paragraph.
#[test]
fn every_section_that_is_named_is_there() {
    let mut found = Vec::new();
    files(&root(), &mut found);
    let texts = found.iter().filter_map(|path| fs::read_to_string(path).ok().map(|text| (path, text)));
    // As one line, without the marks of comments, of code and of emphasis.
    let marks = ["///", "//!", "//", "*", "#"];
    let flat = |text: &str| {
        let lines = text.lines().map(|line| {
            let line = line.trim();
            marks.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim()
        });
        lines.collect::<Vec<_>>().join(" ").replace(['`', '*'], "")
    };
    let texts: Vec<_> = texts.map(|(path, text)| (path, flat(&text))).collect();
    let mut pages = BTreeMap::<&str, String>::new();
    for (path, text) in texts.iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "md")) {
        pages.entry(path.file_name().unwrap().to_str().unwrap()).or_default().push_str(&text.to_lowercase());
    }
    let (mut named, mut gone) = (0, Vec::new());
    for (path, text) in &texts {
        for (before, rest) in text.match_indices(".md, \"").map(|(at, mark)| (&text[..at], &text[at + mark.len()..])) {
            let page = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c)).next().unwrap();
            let Some(page) = pages.get(format!("{page}.md").as_str()) else { continue };
            let heading = rest.split('"').next().unwrap();
            named += 1;
            if !page.contains(&heading.to_lowercase()) {
                gone.push(format!("{}: \"{heading}\"", path.display()));
            }
        }
    }
    assert!(named > 500 && gone.is_empty(), "{named} named; not there: {gone:#?}");
}

/// The package's READMEs say how its clients are installed: each file but the tests' lies beside them.
#[test]
fn the_package_holds_its_clients_whole() {
    let manifest = fs::read_to_string(root().join("src/server/Cargo.toml")).unwrap();
    let assets: Vec<(&str, &str)> = manifest
        .lines()
        .filter_map(|line| line.trim().strip_prefix("[\"../../")?.split_once("\", \""))
        .filter_map(|(from, rest)| Some((from, rest.split_once('"')?.0)))
        .collect();
    let lies_at = |file: &str| {
        assets.iter().find_map(|(from, to)| match from.split_once('*') {
            None => (*from == file).then(|| (*to).to_owned()),
            Some((begins, ends)) => {
                let name = file.strip_prefix(begins)?.strip_suffix(ends)?;
                (!name.contains('/')).then(|| format!("{to}{name}{ends}"))
            }
        })
    };
    let mut found = Vec::new();
    files(&root().join("tools/clients"), &mut found);
    let mut held = 0;
    for path in found {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let is_test = [
            "/test/",
            "/tests/",
            "clients/cases/",
            "python/check",
            "python/scripts/",
            "requirements-dev.txt",
            ".egg-info/",
            "/build/",
            "/.",
        ];
        if is_test.iter().any(|part| name.contains(part)) {
            continue;
        }
        assert_eq!(lies_at(&name), Some(format!("usr/share/doc/fairshoe/{name}")), "{name}");
        held += 1;
    }
    assert!(held > 40, "{held} files");
}

/// From a slow registry the crates take many minutes: a script for operators that fetches them says so, and shows them.
#[test]
fn no_script_fetches_crates_in_silence() {
    let mut found = Vec::new();
    files(&root().join("tools"), &mut found);
    let mut calls = Vec::new();
    for path in found {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let is_call = |at: &usize| lines[*at].starts_with("cargo fetch");
        for at in (0..lines.len()).filter(is_call) {
            let is_said = at > 0 && lines[at - 1].starts_with("echo ") && lines[at - 1].contains("minutes");
            calls.push((path.file_name().unwrap().to_owned(), is_said && !lines[at].contains("--quiet")));
        }
    }
    assert!(!calls.is_empty() && calls.iter().all(|(_, is_told)| *is_told), "{calls:?}");
}

/// The deck of a hand that the house voided is disclosed as a duty, and nobody need have looked at it: no text may say
/// that an auditor saw cards.
#[test]
fn a_disclosed_deck_is_told_with_both_its_causes() {
    for (file, from, to) in [
        ("tools/package/prometheus/alerts.yml", "- alert: FairshoeDisclosure", "\n  - name:"),
        ("tools/package/grafana/fairshoe.json", "\"description\": \"Sealed decks", "\n"),
        ("spec/operating.md", "| `fairshoe_disclosures` |", "\n"),
    ] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let told = text.split_once(from).unwrap_or_else(|| panic!("{file}: no {from}")).1.split(to).next().unwrap();
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let void = told.find("the house voided").unwrap_or_else(|| panic!("{file}: {told}"));
        assert!(told[void..].contains(" or ") && told[void..].contains("an auditor"), "{file}: {told}");
        assert!(!told.contains("auditor has seen") && !told.contains("auditor was shown"), "{file}: {told}");
    }
}

/// The words of a line of the service's log are its field `message`: another of that name would stand there twice, and a
/// program that reads the line would have the other one.
#[test]
fn no_line_of_the_log_has_its_words_twice() {
    let mut lines = 0;
    for (path, text) in sources().iter().filter(|(path, _)| path.starts_with(root().join("src"))) {
        for call in ["trace!(", "debug!(", "info!(", "warn!(", "error!("] {
            for said in text.split(call).skip(1).filter_map(|rest| rest.split(';').next()) {
                lines += 1;
                assert!(!said.contains("message ="), "{}: {call}{said}", path.display());
            }
        }
    }
    assert!(lines > 50, "{lines}");
}
