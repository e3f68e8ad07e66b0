#!/usr/bin/env python3
"""Holds the alerts and the dashboard against the metrics that the service has.

`names` reads files alone; `ask` asks a Prometheus that has scraped a service; `grafana` holds the dashboard against
Grafana's own schema, as the Python package grafana-foundation-sdk has it."""

import argparse
import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src/server/src/ops/metrics.rs"
BOARD = HERE / "grafana/fairshoe.json"
ALERTS = HERE / "prometheus/alerts.yml"
TESTS = HERE / "prometheus/alerts_test.yml"
# What the data source of Prometheus takes of an annotation, and the schema of dashboards leaves to data sources.
OF_THE_DATA_SOURCE = {"titleFormat", "textFormat"}


def registered():
    """The names that metrics.rs registers, as Prometheus sees them: counters and histograms have endings."""
    source = SOURCE.read_text()
    kinds = dict(re.findall(r"^    (?:pub )?(\w+): (?:Family<\w+, )?(Counter|Gauge|Histogram)", source, re.MULTILINE))
    names = set()
    calls = re.findall(r'registry\.register\(\s*"(\w+)",.*?metrics\.(\w+)\.clone\(\)', source, re.DOTALL)
    for name, field in calls:
        endings = {"Counter": ["_total"], "Gauge": [""], "Histogram": ["_bucket", "_sum", "_count"]}[kinds[field]]
        names |= {f"fairshoe_{name}{ending}" for ending in endings}
    if len(calls) != source.count("registry.register("):
        sys.exit("monitoring: metrics.rs registers metrics in a way that this does not read")
    return names


def used(text):
    """The metrics that a text names."""
    return set(re.findall(r"\bfairshoe_\w+", text))


def queries(board):
    """Every query of the dashboard, with where it stands."""
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield f"{panel['title']} {target['refId']}", target["expr"]


def check_names(scraped):
    """Every name that is used is registered; what a service showed was registered; each alert is tested."""
    known = registered()
    board = json.loads(BOARD.read_text())
    in_board = used(" ".join(expr for _, expr in queries(board)))
    in_alerts = used(re.sub(r"#.*", "", ALERTS.read_text()))
    wrong = sorted((in_board | in_alerts) - known)
    # Prometheus' own series of a histogram or a counter in the text of a service.
    strange = sorted(used(scraped) - known - {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in known})
    forgotten = sorted(n for n in known - in_board - in_alerts if not n.endswith(("_bucket", "_sum", "_count")))
    alerts = re.findall(r"- alert: (\w+)", ALERTS.read_text())
    fired = set(re.findall(r'alertname="(\w+)"', TESTS.read_text()))
    problems = [
        *(f"no such metric: {name}" for name in wrong),
        *(f"the service shows what metrics.rs was not read to have: {name}" for name in strange),
        *(f"neither an alert nor the dashboard looks at {name}" for name in forgotten),
        *(f"no test lets the alert {name} fire" for name in alerts if name not in fired),
        *layout(board),
    ]
    if problems:
        sys.exit("monitoring: " + "\nmonitoring: ".join(problems))
    print(f"{len(known)} series, {len(alerts)} alerts, {sum(1 for _ in queries(board))} queries: every name is there")


def layout(board):
    """Panels that share a number or a place."""
    numbers, places = set(), {}
    for panel in board["panels"]:
        if panel["id"] in numbers:
            yield f"two panels have the number {panel['id']}"
        numbers.add(panel["id"])
        at = panel["gridPos"]
        if at["x"] + at["w"] > 24:
            yield f"the panel {panel['title']} is beyond the right edge"
        for spot in [(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])]:
            if spot in places:
                yield f"the panels {panel['title']} and {places[spot]} overlap"
                break
            places[spot] = panel["title"]


def get(address, path, **parameters):
    """Asks Prometheus; what it answers."""
    with urllib.request.urlopen(f"{address}{path}?{urllib.parse.urlencode(parameters)}", timeout=20) as reply:
        return json.load(reply)["data"]


def check_running(address):
    """Every query of the dashboard and every alert is taken by a Prometheus, and the service is seen."""
    board = json.loads(BOARD.read_text())
    empty = []
    for where, expr in queries(board):
        asked = expr.replace("$__rate_interval", "10s").replace("$instance", ".*")
        try:
            found = get(address, "/api/v1/query", query=asked)["result"]
        except urllib.error.HTTPError as failure:
            sys.exit(f"monitoring: {where}: {failure.read().decode()}")
        if not found:
            empty.append(where)
    groups = get(address, "/api/v1/rules")["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    ill = [rule["name"] for rule in rules if rule["health"] == "err"]
    if ill or len(rules) != len(re.findall("- alert: ", ALERTS.read_text())):
        sys.exit(f"monitoring: of {len(rules)} alerts Prometheus cannot evaluate {ill}")
    print(f"{len(rules)} alerts and {sum(1 for _ in queries(board))} queries run; without a value here: {empty}")


def check_fires(address, name):
    """An alert fires, and its words have no hole."""
    firing = [a for a in get(address, "/api/v1/alerts")["alerts"] if a["labels"]["alertname"] == name]
    if not firing:
        sys.exit(1)
    words = json.dumps(firing[0]["annotations"])
    if "<no value>" in words or "{{" in words or "error" in words:
        sys.exit(f"monitoring: {words}")
    print(f"{name}: {firing[0]['annotations']['summary']}")


def lost(ours, theirs, path=""):
    """What a dashboard says that is not there any more once Grafana's own types have read and written it."""
    if isinstance(ours, dict):
        for key, value in ours.items():
            if isinstance(theirs, dict) and key in theirs:
                yield from lost(value, theirs[key], f"{path}/{key}")
            elif key not in OF_THE_DATA_SOURCE:
                yield f"{path}/{key}"
    elif isinstance(ours, list):
        if not isinstance(theirs, list) or len(ours) != len(theirs):
            yield path
        else:
            for at, (mine, other) in enumerate(zip(ours, theirs)):
                yield from lost(mine, other, f"{path}[{at}]")
    elif ours != theirs:
        yield path


def check_grafana():
    """Reads the dashboard with Grafana's types."""
    try:
        from grafana_foundation_sdk.cog.encoder import JSONEncoder
        from grafana_foundation_sdk.models.dashboard import Dashboard
    except ImportError:
        print("skipped: the dashboard against Grafana's types, for there is no package grafana-foundation-sdk")
        return
    board = json.loads(BOARD.read_text())
    again = json.loads(JSONEncoder().encode(Dashboard.from_json(board)))
    wrong = list(lost(board, again))
    if wrong:
        sys.exit(f"monitoring: Grafana's types do not have {wrong}")
    print(f"{len(board['panels'])} panels: Grafana's types know every field of the dashboard")


def main():
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    names = commands.add_parser("names", help="files alone")
    names.add_argument("--scraped", type=Path, action="append", default=[], help="what a service said at /metrics")
    commands.add_parser("grafana", help="the dashboard against Grafana's types")
    ask = commands.add_parser("ask", help="a running Prometheus")
    ask.add_argument("address")
    fires = commands.add_parser("fires", help="whether an alert fires there; exit code 1: not yet")
    fires.add_argument("address")
    fires.add_argument("alert")
    args = parser.parse_args()
    if args.command == "names":
        check_names("\n".join(path.read_text() for path in args.scraped))
    elif args.command == "grafana":
        check_grafana()
    elif args.command == "ask":
        check_running(args.address)
    else:
        check_fires(args.address, args.alert)


if __name__ == "__main__":
    main()
