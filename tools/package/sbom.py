#!/usr/bin/env python3
"""Writes what the programs are made of: a CycloneDX list of every crate in Cargo.lock, and the licences' texts.

The same lock file gives the same bytes: no time (unless SOURCE_DATE_EPOCH is set), no random number."""

import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = "x86_64-unknown-linux-gnu"
# The packages that the Debian package and the container ship.
SHIPPED = ("fairshoe", "fairshoe-audit", "fairshoe-load", "fairshoe-odds", "fairshoe-wallet")
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
# Names of files with which authors say how their work may be used.
TERMS = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)


def metadata():
    """What cargo knows of every crate; it must have fetched them (`cargo fetch --locked`)."""
    command = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", TARGET]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode:
        sys.exit(f"sbom: {found.stderr.strip()}\nsbom: `cargo fetch --locked` fetches what is missing")
    return json.loads(found.stdout)


def linked(known):
    """The crates that are in a shipped program, or ran to build one; what only tests need is not."""
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    names = {package["id"]: package["name"] for package in known["packages"]}
    members = set(known["workspace_members"])
    todo = [crate for crate in members if names[crate] in SHIPPED]
    if len(todo) != len(SHIPPED):
        sys.exit(f"sbom: not every shipped package is in the workspace: {SHIPPED}")
    seen = set()
    while todo:
        crate = todo.pop()
        if crate in seen:
            continue
        seen.add(crate)
        for needed in nodes[crate]["deps"]:
            if any(kind["kind"] != "dev" for kind in needed["dep_kinds"]):
                todo.append(needed["pkg"])
    return seen


def spdx(licence):
    """A licence as SPDX writes it; older crates write a slash for OR."""
    return re.sub(r"\s*/\s*", " OR ", licence)


def purl(name, version):
    """How other programs name the crate."""
    return f"pkg:cargo/{name}@{version}"


def reference(package, versions):
    """The crate that a line `dependencies` of Cargo.lock means: its name, with the version where there are several."""
    name, *rest = package.split()
    return purl(name, rest[0] if rest else versions[name][0])


def component(entry, about, is_linked):
    """One crate."""
    name, version = entry["name"], entry["version"]
    made = {"type": "library", "bom-ref": purl(name, version), "name": name, "version": version}
    # What is in no program for this system, or only in tests, is listed too: it was on the machine that built.
    made["scope"] = "required" if is_linked else "excluded"
    if "checksum" in entry:
        made["hashes"] = [{"alg": "SHA-256", "content": entry["checksum"]}]
    if about and about["license"]:
        made["licenses"] = [{"expression": spdx(about["license"])}]
    made["purl"] = purl(name, version)
    if about and about["repository"]:
        made["externalReferences"] = [{"type": "vcs", "url": about["repository"]}]
    return made


def bill(known, lock_bytes):
    """The whole list."""
    entries = tomllib.loads(lock_bytes.decode())["package"]
    about = {(package["name"], package["version"]): package for package in known["packages"]}
    inside = {(p["name"], p["version"]) for p in known["packages"] if p["id"] in linked(known)}
    strange = [e["name"] for e in entries if e.get("source") not in (None, REGISTRY)]
    strange += [e["name"] for e in entries if ("source" in e) != ("checksum" in e)]
    if strange:
        sys.exit(f"sbom: not from crates.io, or without a checksum: {strange}")
    versions = {}
    for entry in entries:
        versions.setdefault(entry["name"], []).append(entry["version"])
    digest = hashlib.sha256(lock_bytes).hexdigest()
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    whole = "fairshoe-workspace"
    subject = {"type": "application", "bom-ref": whole, "name": "fairshoe", "version": version}
    subject["licenses"] = [{"expression": "Apache-2.0"}]
    head = {"tools": {"components": [{"type": "application", "name": "tools/package/sbom.py"}]}, "component": subject}
    head["properties"] = [{"name": "fairshoe:cargo-lock-sha256", "value": digest}]
    if "SOURCE_DATE_EPOCH" in os.environ:
        at = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
        head["timestamp"] = at.strftime("%Y-%m-%dT%H:%M:%SZ")
    components, depends = [], []
    for entry in entries:
        key = (entry["name"], entry["version"])
        components.append(component(entry, about.get(key), key in inside))
        needs = sorted({reference(package, versions) for package in entry.get("dependencies", [])})
        depends.append({"ref": purl(*key), "dependsOn": needs})
    own = sorted(purl(e["name"], e["version"]) for e in entries if e["name"] in SHIPPED)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'fairshoe:{digest}')}",
        "version": 1,
        "metadata": head,
        "components": components,
        "dependencies": [{"ref": whole, "dependsOn": own}, *depends],
    }


def notices(known):
    """The terms of every crate in a program, each text once, behind the crates that come with it."""
    inside = linked(known)
    by_text, without = {}, []
    for package in sorted(known["packages"], key=lambda p: (p["name"], p["version"])):
        if package["id"] not in inside or package["source"] is None:
            continue
        crate = f"{package['name']} {package['version']} ({spdx(package['license'] or 'no licence named')})"
        folder = Path(package["manifest_path"]).parent
        files = sorted(path for path in folder.iterdir() if path.is_file() and TERMS.search(path.name))
        # Sources in a language of their own carry theirs a folder deeper.
        files += sorted(path for path in folder.glob("*/LICENSE*") if path.is_file())
        for path in files:
            text = path.read_text(errors="replace").replace("\r\n", "\n").strip()
            by_text.setdefault(text, []).append(crate)
        if not files:
            without.append(crate)
    parts = ["The programs of fairshoe hold the crates below. Their authors' terms, each text once.\n"]
    for text, crates in by_text.items():
        parts.append("\n".join(dict.fromkeys(crates)) + "\n\n" + text + "\n")
    if without:
        parts.append("Crates whose packages hold no text of their licence:\n" + "\n".join(without) + "\n")
    return ("\n" + "=" * 100 + "\n\n").join(parts)


def check_schema(made):
    """Holds the list against CycloneDX's own JSON schema, where the library that ships it is there."""
    try:
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
    except ImportError:
        print("skipped: the list against its schema, for there is no Python package cyclonedx-python-lib")
        return
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(made)
    if wrong:
        sys.exit(f"sbom: not as CycloneDX 1.6 wants it: {wrong}")
    print("CycloneDX 1.6: the list is as its schema wants it")


def main():
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "target/package", help="[default: target/package]")
    parser.add_argument("--check", action="store_true", help="only hold the list that is there against its schema")
    args = parser.parse_args()
    target = args.output / "fairshoe.cdx.json"
    if args.check:
        check_schema(target.read_text())
        return
    known = metadata()
    made = bill(known, (ROOT / "Cargo.lock").read_bytes())
    args.output.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    (args.output / "NOTICES").write_text(notices(known))
    needed = sum(1 for c in made["components"] if c["scope"] == "required")
    print(f"{target}: {len(made['components'])} crates, {needed} of them in the programs")


if __name__ == "__main__":
    main()
