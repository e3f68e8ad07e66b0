//! Lists the files of `web/` for the crate, so that none is forgotten: each with its media type and its bytes. Beside
//! them it makes the legend to which codes on a page lead, of the pages of `spec` that state them.

#[path = "../../tools/audit/src/legend.rs"]
mod legend;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// The media type of a file, by the end of its name.
const KINDS: &[(&str, &str)] = &[
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("svg", "image/svg+xml"),
];

fn main() -> Result<(), Box<dyn Error>> {
    // cargo watches the whole folder: files that are added, changed or removed.
    println!("cargo::rerun-if-changed=web");
    println!("cargo::rerun-if-changed=build.rs");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("web");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().into_string().map_err(|name| format!("src/page/web: {name:?} is not UTF-8"))?;
        // Skips files that editors leave while a file is being changed.
        if !name.starts_with('.') && !name.ends_with('~') {
            names.push(name);
        }
    }
    names.sort();
    let mut table = String::from("&[\n");
    for name in names {
        let kind = name.rsplit_once('.').and_then(|(_, end)| KINDS.iter().find(|(known, _)| *known == end));
        let (_, kind) = kind.ok_or_else(|| format!("src/page/web/{name}: build.rs does not know what kind this is"))?;
        writeln!(table, "    ({name:?}, {kind:?}, include_bytes!({:?})),", folder.join(&name))?;
    }
    println!("cargo::rerun-if-changed=../../spec");
    println!("cargo::rerun-if-changed=../../tools/audit/src/legend.rs");
    let out = env::var("OUT_DIR")?;
    let made = Path::new(&out).join("legend.json");
    fs::write(&made, legend_json())?;
    writeln!(table, "    (\"legend.json\", \"application/json\", include_bytes!({made:?})),")?;
    table.push_str("]\n");
    fs::write(Path::new(&out).join("files.rs"), table)?;
    Ok(())
}

/// `{CODE: [[PAGE, LINE, WORDS], …], …}`.
fn legend_json() -> String {
    let mut all = BTreeMap::new();
    for (code, stated) in legend::all() {
        let lines = stated.iter().map(|one| format!("[{},{},{}]", quoted(one.page), one.line, quoted(&one.words)));
        all.insert(quoted(&code), lines.collect::<Vec<_>>().join(","));
    }
    let rows: Vec<String> = all.into_iter().map(|(code, lines)| format!("{code}:[{lines}]")).collect();
    format!("{{{}}}\n", rows.join(",\n"))
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut made = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => made.extend(['\\', letter]),
            control if control < ' ' => made.push(' '),
            other => made.push(other),
        }
    }
    made.push('"');
    made
}
