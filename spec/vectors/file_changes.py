"""Changes of a log among the vectors that its checker must notice: check_transfers.py and check_wallet.py make them for
their self-tests, with those of their own (transfer_changes.py, wallet_changes.py)."""

import json

from check_entries import compact


def places(thing, path=()):
    """Where integers are in a parsed text."""
    if type(thing) is int:
        yield path
    elif isinstance(thing, (dict, list)):
        for at in thing if isinstance(thing, dict) else range(len(thing)):
            yield from places(thing[at], (*path, at))


def raised(text, path):
    thing = json.loads(text)
    at = thing
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] += 1
    return compact(thing)


def flipped(text, at):
    """Another letter or digit in the place of one."""
    return text[:at] + ("B" if text[at] == "A" else "A") + text[at + 1:]


def respelled(text):
    thing = json.loads(text)
    yield "a blank", text.replace(",", ", ", 1)
    yield "fields in another order", compact(dict(reversed(thing.items())))
    yield "a field twice", text.replace('{"v":1,', '{"v":1,"v":1,')
    by = thing["by"]
    yield "a letter escaped", text.replace('"by":"%s"' % by, '"by":"\\u%04x%s"' % (ord(by[0]), by[1:]), 1)
    yield "one more field", text[:-1] + ',"note":1}'
    yield "no events", compact({**thing, "events": []})
    yield "by a stranger", compact({**thing, "by": "player:nobody"})


def with_(file, key, at, values):
    """The file, with these values in the place of the one at `at` of a list of it."""
    return {**file, key: file[key][:at] + values + file[key][at + 1:]}


def log_changes(file, codes):
    """Changed copies of the file, of which each must be noticed; with what was changed. `codes` are some of its
    refusals': each refused command is said to be refused with others, each accepted one with the first."""
    def rooted(at, end, order):
        """Entries from `at` to `end` in another order, or fewer or more, and their roots with them."""
        roots = file["state_roots"]
        return {
            **file,
            "entries": file["entries"][:at] + [file["entries"][i] for i in order] + file["entries"][end:],
            "state_roots": roots[:at] + [roots[i] for i in order] + roots[end:],
        }

    for at, text in enumerate(file["entries"]):
        entry = json.loads(text)
        for path in places(entry):
            yield "entry: a number raised", with_(file, "entries", at, [raised(text, path)])
        for what, other in respelled(text):
            yield "entry: " + what, with_(file, "entries", at, [other])
        yield "entry: left out", rooted(at, at + 1, [])
        yield "entry: twice", rooted(at, at + 1, [at, at])
        if at + 1 < len(file["entries"]):
            yield "entries: two swapped", rooted(at, at + 2, [at + 1, at])
        yield "root: another", with_(file, "state_roots", at, [file["state_roots"][at - 1]])
        case = {"after_entries": at, "by": entry["by"], "command": entry["command"], "now": entry["time"]}
        if "signed" in entry:
            case["signed"] = entry["signed"]
        for code in ("malformed", "amount_out_of_range", codes[0]):
            yield "refusal: accepted", {**file, "refused": [*file["refused"], {**case, "code": code}]}
    for at, case in enumerate(file["refused"]):
        for code in [code for code in ("not_allowed", *codes) if code != case["code"]][:2]:
            yield "refusal: another code", with_(file, "refused", at, [{**case, "code": code}])
        yield "refusal: after no entry", with_(file, "refused", at, [{**case, "after_entries": 9999}])
        yield "refusal: by nobody", with_(file, "refused", at, [{**case, "by": "somebody"}])
    for name, balance in file["balances"].items():
        yield "balance: raised", {**file, "balances": {**file["balances"], name: balance + 1}}
        yield "balance: left out", {**file, "balances": {n: b for n, b in file["balances"].items() if n != name}}
    yield "balance: one more", {**file, "balances": {**file["balances"], "transfers:nowhere": 0}}
    for at, line in enumerate(file["state_lines"]):
        for path in places(json.loads(line)):
            yield "line: a number raised", with_(file, "state_lines", at, [raised(line, path)])
        yield "line: left out", with_(file, "state_lines", at, [])
        yield "line: twice", with_(file, "state_lines", at, [line, line])
