#!/usr/bin/env python3
"""Holds the schema of the configuration file against config.rs, the shipped file, and the service itself."""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src/server/src/ops/config.rs"
SHIPPED = HERE / "debian/config.toml"
SCHEMA = HERE / "config.schema.json"
# An address for examples: nothing of this machine listens there, so that a service whose options are right ends with
# exit code 1 before it makes a folder. 2 says that they are wrong.
NOWHERE = 'listen = "192.0.2.1:8080"\n'
ORDER = """order = ["nats://a:1", "nats://b:1", "nats://c:1"]
order_monitor = ["http://a:2", "http://b:2", "http://c:2"]
"""

# What the file says, and whether it is right.
TRIED = [
    ("", True),
    ("workers = 1", True),
    ("workers = 0", False),
    ("workers = 512", True),
    ("workers = 513", False),
    ("workers = '2'", False),
    ("max_connections = 0", False),
    ("memory_budget = 15", False),
    ("memory_budget = 16", True),
    ("write_timeout = 0", False),
    ("write_timeout = 3601", False),
    ("token_rate = -1", False),
    ("token_rate = 4294967295", True),
    ("token_rate = 4294967296", False),
    ("trusted_proxy = ['10.0.0.1', '2001:db8::1']", True),
    ("trusted_proxy = ['10.0.0']", False),
    ("trusted_proxy = '10.0.0.1'", False),
    ("proxy_header = 'forwarded'", True),
    ("proxy_header = 'x-real-ip'", False),
    ("guests = true", True),
    ("guests = 'yes'", False),
    ("currency = 'EUR:2'", True),
    ("currency = 'EUR'", False),
    ("currency = 'EUR:9'", False),
    ("cors_origins = ['https://example.com:8443']", True),
    ("cors_origins = ['https://example.com/']", False),
    ("cors_origins = ['https://Example.com']", False),
    ("log_format = 'text'", True),
    ("log_format = 'xml'", False),
    ("wallet_style = 'both'", False),
    (ORDER + "shard = 'main'", True),
    (ORDER + "shard = 'ma in'", False),
    (ORDER + "shard = 'main'\nlease = 499", False),
    (ORDER + "shard = 'main'\nlease = 500", True),
    (ORDER + "shard = 'main'\nadvertise = 'https://a.example.com/'", False),
    (ORDER.replace(', "nats://c:1"', "") + "shard = 'main'", False),
    (ORDER.replace("nats", "http") + "shard = 'main'", False),
    (ORDER.replace("nats://", "tls://dealer:pass%40word@") + "shard = 'main'", True),
    (ORDER + "shard = 'main'\norder_ca = true", False),
    ("trusted_proxies = ['10.0.0.1']", False),
    ("min_free_mib = 1.5", False),
]


def options():
    """The names and types of config.rs that a file may have."""
    body = SOURCE.read_text().split("pub struct ServeArgs {")[1].split("\n}\n")[0]
    fields, skipped = {}, False
    for line in map(str.strip, body.splitlines()):
        if line == "#[serde(skip)]":
            skipped = True
        elif found := re.match(r"pub (\w+): (?:Option<)?([\w:]+(?:<\w+>)?)", line):
            if not skipped:
                fields[found.group(1)] = found.group(2)
            skipped = False
    return fields


def kind(about):
    """What a property of the schema is."""
    return about.get("type", "string")


def right_kind(rust):
    """What serde takes for a type of config.rs."""
    if rust.startswith("Vec"):
        return "array"
    return {"u32": "integer", "u64": "integer", "usize": "integer", "bool": "boolean"}.get(rust, "string")


def with_examples(text):
    """The shipped file with every example in it switched on."""
    return re.sub(r"^# (?=\w+ = )", "", text, flags=re.MULTILINE)


def check_names(schema):
    """The schema has the options of config.rs, and no others; the shipped file names none that is not there."""
    known, said = options(), schema["properties"]
    wrong = [f"config.rs has `{name}`, the schema has not" for name in known.keys() - said.keys()]
    wrong += [f"the schema has `{name}`, config.rs has not" for name in said.keys() - known.keys()]
    for name in known.keys() & said.keys():
        if kind(said[name]) != right_kind(known[name]):
            wrong.append(f"`{name}` is {known[name]} in config.rs and {kind(said[name])} in the schema")
    shown = tomllib.loads(with_examples(SHIPPED.read_text()))
    wrong += [f"the shipped file shows `{name}`, config.rs has not" for name in shown.keys() - known.keys()]
    if wrong:
        sys.exit("config: " + "\nconfig: ".join(sorted(wrong)))
    print(f"{len(known)} options: config.rs, the schema and the shipped file name the same")


def check_schema(schema):
    """The shipped file fits the schema, with and without its examples, and so does what is right of TRIED alone."""
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        print("skipped: files against the schema, for there is no Python package jsonschema")
        return
    Draft202012Validator.check_schema(schema)
    judge = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    for text in (SHIPPED.read_text(), with_examples(SHIPPED.read_text())):
        judge.validate(tomllib.loads(text))
    for text, is_right in TRIED:
        if judge.is_valid(tomllib.loads(text)) != is_right:
            sys.exit(f"config: the schema says the opposite of: {text!r} is {is_right}")
    print(f"the shipped file fits the schema, and it judges {len(TRIED)} others as it should")


def check_service(program):
    """The service judges them alike."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.toml"
        for text, is_right in TRIED:
            file.write_text(NOWHERE + text)
            command = [program, "serve", "--config", file, "--data", Path(folder) / "data"]
            ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            if ended.returncode != (1 if is_right else 2):
                sys.exit(f"config: the service ends with {ended.returncode} at {text!r}: {ended.stderr}")
    print(f"the service takes and refuses the same {len(TRIED)}")


def main():
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="?", help="the program fairshoe, to try the same files with")
    args = parser.parse_args()
    schema = json.loads(SCHEMA.read_text())
    check_names(schema)
    check_schema(schema)
    if args.program:
        check_service(args.program)


if __name__ == "__main__":
    main()
