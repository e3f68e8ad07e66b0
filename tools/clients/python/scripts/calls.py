"""Methods that are all in the contract: path, arguments and reply are openapi.yaml's; what each adds stands here."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

# What a request makes is called like it on the log, where nothing else is said.
PLAIN = """
    getCluster listLogs getPlayerWallet getWalletOperation getPlayer listPlayerRounds recallPlayer listTables
    getTable closeTable leaveSeat sitOut wantSeat unseat addChips listTableRounds getRound listActions
    voidRound getBundle recallRound listTournaments getTournament listStandings listTournamentTables
    unregister rebuy declineRebuy addOn offerStake buyStake wantDeal answerDeal setBounty disqualify
    changeRegistration postpone
"""
# The operation; the log's word, or `-` (`a|b`: either; `a.b`: of its fields b alone shows which entry it is); arguments
# that differ: `mine:theirs` is called otherwise here, `it=` may be left out and has a place all the same, `it='x'` is x
# where nothing is said, `it$` is money. Below it, what its help says.
TABLE = """
knowLog know_log.log policy=
claimTransfer transfer_in sender:from
    Hands in a transfer that another log sent; the chips come once, however often it is handed in.
sendTransfer transfer_out
depositFromWallet wallet_deposit
withdrawToWallet wallet_withdraw
cancelDeposit wallet_cancel
listPlayers
    Players whose names hold `search`. A page may be empty and have a `next` all the same: only null ends.
creditPlayer credit reference=
correctPlayer correct
setLimit - most=
    What a player allows themselves, in minor units, of play time in milliseconds; without `most` no limit.
        What is more than before waits a day.
exclude - until$
    Shuts a player out until this time, in UTC milliseconds. Nobody shortens it.
getRuleSet - rules:name
getTableBundle
    The bundle of the table's latest round; `verify_round` fetches one and checks it.
closeBets close_bets|close_call
shuffle retire_shoe
getStructure - structure:name
register - pay='cash'
substitutePrize - value$
    The operator offers it for a prize; a player who is left accepts it by naming the same.
cancelTournament cancel
"""

HEADER = '''"""The calls to which nothing is added by hand, each as a flow: made by scripts/generate.py."""

from __future__ import annotations

from .asking import Asking, hex32, round_id, without_none
from .contract import {types}
from .core import OPERATOR, name, path
from .core import amount as units
from .flow import Flow


class MadeCalls(Asking):
    """The flows of the calls to which nothing is added by hand."""
'''
CHECKS = {"Name": "name({0}, '{0}')", "Chips": "units({0}, '{0}')", "Hex32": "hex32({0}, '{0}')"}
OWN = """prove_entry prove_owed house_note kept_notes sign_withdrawal signs key_state key_file take_key_file next_key
    play_round play_hand sit leave verify_round""".split()
STREAMS = {
    "list_transactions": "Transaction",
    "list_transactions_csv": "str",
    "find_rounds": "PartInRound",
    "find_rounds_csv": "str",
    "stream_table": "TableEvent",
    "stream_tournament": "TableEvent",
}
METHODS = '''"""The methods that both clients have, each once: made by scripts/generate.py."""

from __future__ import annotations

from .bound import call, stream
from .contract import PartInRound, Transaction
from .stream import Streams, TableEvent


class Methods:
    """What can be asked of a service: the calls of openapi.yaml by their operationId, rounds played whole, checks."""

'''


def snake(text: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", text).lower()


class Contract:
    """The contract as far as methods are made of it."""

    def __init__(self, contract: dict[str, Any], type_of: Callable[[dict[str, Any], str], str]) -> None:
        self.contract, self.type_of = contract, type_of
        self.operations = {
            operation["operationId"]: (method, path, operation)
            for path, methods in contract["paths"].items()
            for method, operation in methods.items()
            if isinstance(operation, dict) and "operationId" in operation
        }
        self.types: set[str] = set()

    def resolved(self, value: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in value:
            _, kind, name = value["$ref"].rsplit("/", 2)
            value = self.contract["components"][kind][name]
        return value

    def fields_of(self, choice: str, word: str) -> list[str]:
        """The fields of one of the log's commands, in its order: a player's signature has them so."""
        for variant in self.contract["components"]["schemas"][choice]["oneOf"]:
            ((name, its),) = self.resolved(variant)["properties"].items()
            if name == word:
                return list(its.get("properties", ()))
        raise KeyError(word)

    def python(self, schema: dict[str, Any], name: str) -> str:
        """The type of an argument; words that are no closed list are texts."""
        found, plain = self.type_of(schema, name), self.type_of(self.resolved(schema), name)
        if plain in ("str", "int", "bool"):
            return plain
        self.types.add(found)
        return found

    def method(self, line: str, said: str) -> str:
        operation, word, *tweaks = [*line.split(), "-"]
        http, at, its = self.operations[operation]
        if word == "-":
            word = "" if http == "get" else snake(operation)
        renamed = {theirs: mine for mine, _, theirs in (one.partition(":") for one in tweaks if ":" in one)}
        money = {one[:-1] for one in tweaks if one.endswith("$")}
        placed = {one.partition("=")[0]: one.partition("=")[2] or "None" for one in tweaks if "=" in one}
        parameters = [self.resolved(one) for one in its.get("parameters", ())]
        body = self.resolved(its.get("requestBody", {})).get("content", {}).get("application/json")
        schema = self.resolved(body["schema"]) if body else {}
        told: dict[str, tuple[str, dict[str, Any], bool]] = {}
        for one in parameters:
            if one["in"] == "path" or (one["in"] == "query" and http == "get"):
                told[one["name"]] = (one["in"], one["schema"], one["in"] == "path")
        for field, inner in schema.get("properties", {}).items():
            told[field] = ("body", inner, field in schema.get("required", ()))
        mine = {field: renamed.get(field, "round" if field == "id" else field) for field in told}
        needed, named = ["self"], []
        for field, (_, inner, is_needed) in sorted(told.items(), key=lambda one: not one[1][2]):
            kind = self.python(inner, field)
            default = placed.get(mine[field])
            kind += " | None" if not is_needed else ""
            if default or is_needed:
                needed.append(f"{mine[field]}: {kind}" + (f" = {default}" if default else ""))
            else:
                named.append(f"{mine[field]}: {kind} = None")
        is_keyed = any(one["name"] == "Idempotency-Key" for one in parameters)
        named += ["idempotency_key: str | None = None"] if is_keyed else []

        def checked(field: str) -> str:
            """The argument, once it is held to be of its kind."""
            ref = told[field][1].get("$ref", "").rpartition("/")[2]
            of = "Chips" if mine[field] in money else ref
            text = CHECKS.get(of, "{0}").format(mine[field])
            is_open = not told[field][2] and of in CHECKS
            return f"None if {mine[field]} is None else {text}" if is_open else text

        parts = [mine[field] if field == "id" else checked(field) for field, one in told.items() if one[0] == "path"]
        template = re.sub(r"\{\w+\}", "{}", at)
        lines = ["table, number = round_id(round)" if word else "round_id(round)"] if "id" in told else []
        reply = its["responses"].get("200") or its["responses"]["201"]
        kind = self.type_of(reply["content"]["application/json"]["schema"], operation)
        self.types.add(kind)
        if http == "get":
            where = f'path("{template}", {", ".join(parts)})' if parts else f'"{template}"'
            query = "".join(f", {field}={mine[field]}" for field, one in told.items() if one[0] == "query")
            lines.append(f'return (yield from self._get("{operation}", {kind}, {where}{query}))')
        else:
            lines += self.asks(operation, word, told, mine, checked, is_keyed)
        arguments = ", ".join([*needed, *(["*", *named] if named else [])])
        help_text = [f'"""{said}"""'] if said else []
        inner = "\n".join(f"        {one}" for one in [*help_text, *lines])
        return f"    def {snake(operation)}({arguments}) -> Flow[{kind}]:\n{inner}\n"

    def asks(self, operation: str, word: str, told: Any, mine: Any, checked: Any, is_keyed: bool) -> list[str]:
        """What a call that makes an entry sends, and which entry answers it."""
        http, at, its = self.operations[operation]
        is_event = at.startswith("/v1/tournaments/")
        key = "idempotency_key" if is_keyed else "False"
        by = '"*"' if "x-roles" not in its else "OPERATOR" if its["x-roles"] == ["operator"] else None
        sent = [(field, checked(field)) for field, one in told.items() if one[0] == "body"]
        is_whole = all(told[field][2] for field, _ in sent)
        has_body = http != "delete"
        values = {field: mine[field] for field in told}
        if "id" in told:
            values |= {"table": "table", "round_no": "number"}
        if is_event:
            values["event"] = values["tournament"]

        def document(pairs: list[tuple[str, str]], is_whole: bool) -> str:
            if is_whole:
                return "{" + ", ".join(f'"{field}": {value}' for field, value in pairs) + "}"
            return "without_none(" + ", ".join(f"{field}={value}" for field, value in pairs) + ")"

        lines = [f"body: JsonObject = {document(sent, is_whole)}"] if has_body else []
        choice = "TournamentCommand" if is_event else "Command"
        texts = []
        for one in word.split("|"):
            one, _, only = one.partition(".")
            its_fields = [field for field in self.fields_of(choice, one) if field in ([only] if only else values)]
            pairs = [(field, values[field]) for field in its_fields]
            texts.append(f'"{one}": {document(pairs, all(told.get(f, (0, 0, 1))[2] for f in its_fields))}')
        command = "{" + ", ".join(texts) + "}"
        path_parts = [(field, checked(field)) for field, one in told.items() if one[0] == "path"]
        body = "body" if has_body else "None"
        more = f", by={by}" if by else ""
        more += ', method="DELETE"' if http == "delete" else ""
        if is_event:
            rest, parts = at.removeprefix("/v1/tournaments/{tournament}"), [text for _, text in path_parts[1:]]
            rest = re.sub(r"\{\w+\}", "{}", rest)
            where = f'path("{rest}", {", ".join(parts)})' if parts else f'"{rest}"'
            lines.append(f"command = {command}")
            asked = f'"{operation}", tournament, {where}, {body}, command, key={key}{more}'
            return [*lines, f"return (yield from self._in_event({asked}))"]
        parts = ["round" if field == "id" else text for field, text in path_parts]
        template = re.sub(r"\{\w+\}", "{}", at)
        lines.append("at = " + (f'path("{template}", {", ".join(parts)})' if parts else f'"{template}"'))
        lines.append(f"command = {command}")
        more = f", key={key}, {'expects' if by else 'command'}=command{more}"
        more += ", repeats_by_content=True" if not is_keyed else ""
        return [*lines, f'return (yield from self._do("{operation}", at, {body}{more}))']


def made_calls(contract: dict[str, Any], type_of: Callable[[dict[str, Any], str], str]) -> str:
    of = Contract(contract, type_of)
    methods = [of.method(operation, "") for operation in PLAIN.split()]
    for line, said in re.findall(r"^(\w.*)\n((?: .*\n)*)", TABLE, re.MULTILINE):
        methods.append(of.method(line, said.strip("\n").removeprefix("    ")))
    types = ", ".join(sorted({"JsonObject"} | {kind for kind in of.types if kind.isidentifier()}))
    return HEADER.format(types=types) + "\n" + "\n".join(methods)


def methods(contract: dict[str, Any]) -> str:
    """Every call of the contract but those that a browser makes, and what is made of several."""
    of = Contract(contract, lambda *given: "")
    names = [
        snake(operation)
        for operation, (method, _, its) in of.operations.items()
        if method != "head" and "Page" not in its.get("tags", ()) and operation != "getVerifier"
    ]
    lines = []
    for name in dict.fromkeys([*names, *STREAMS, *OWN]):
        kind = f"stream(Streams.{name}, {STREAMS[name]})" if name in STREAMS else f"call(Streams.{name})"
        lines.append(f"    {name} = {kind}\n")
    return METHODS + "".join(lines)
