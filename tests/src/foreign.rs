//! Python packages of other authors, in a folder of the build.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Places of a Python 3.12 or newer: named, on the path, or among pyenv's versions.
fn pythons() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::env::var_os("FAIRSHOE_PYTHON").map(PathBuf::from).into_iter().collect();
    found.extend(["python3.14", "python3.13", "python3.12", "python3"].map(PathBuf::from));
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".pyenv"));
    for root in std::env::var_os("PYENV_ROOT").map(PathBuf::from).into_iter().chain(home) {
        let mut versions: Vec<_> =
            fs::read_dir(root.join("versions")).into_iter().flatten().flatten().map(|e| e.path()).collect();
        versions.sort();
        found.extend(versions.into_iter().rev().map(|version| version.join("bin/python3")));
    }
    found
}

/// Runs a program to its end; returns its output or its error.
///
/// # Errors
/// Its words, if it failed or is missing.
pub fn run(program: &Path, args: &[&str]) -> Result<String, String> {
    let out = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", program.display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if out.status.success() { Ok(text(&out.stdout)) } else { Err(text(&out.stderr)) }
}

/// The Python of a folder with the packages of a requirements file; the folder is made once. `imports` checks that the
/// packages are there.
///
/// # Errors
/// Why they are not available: no Python 3.12, no registry.
pub fn with_packages(requirements: &Path, folder: &Path, imports: &str) -> Result<PathBuf, String> {
    with_packages_of(12, requirements, folder, imports)
}

/// The same with a Python 3 of this minor version or a newer one.
///
/// # Errors
/// Why they are not available.
pub fn with_packages_of(minor: u8, requirements: &Path, folder: &Path, imports: &str) -> Result<PathBuf, String> {
    // Each test is its own process: the first makes the folder, the others wait.
    let lock = folder.with_extension("lock");
    let lock = fs::File::create(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    lock.lock().map_err(|e| e.to_string())?;
    let wanted = fs::read_to_string(requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    let (python, mark) = (folder.join("bin/python3"), folder.join("installed.txt"));
    if fs::read_to_string(&mark).is_ok_and(|known| known == wanted) && run(&python, &["-c", imports]).is_ok() {
        return Ok(python);
    }
    let is_new = |python: &&PathBuf| {
        let check = format!("import sys, venv, ensurepip; sys.exit(sys.version_info < (3, {minor}))");
        run(python, &["-c", &check]).is_ok()
    };
    let base = pythons();
    let base = base.iter().find(is_new).ok_or_else(|| format!("there is no Python 3.{minor} or newer with venv"))?;
    let name = |path: &Path| path.to_string_lossy().into_owned();
    run(base, &["-m", "venv", "--clear", &name(folder)])?;
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "20", "-r"];
    run(&python, &[&pip[..], &[&name(requirements)]].concat())?;
    fs::write(&mark, wanted).map_err(|e| format!("{}: {e}", mark.display()))?;
    Ok(python)
}
