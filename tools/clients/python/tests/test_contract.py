"""The package against openapi.yaml: every call, parameter, type, code and form of an entry."""

from __future__ import annotations

import inspect
import json
import re
import typing
from typing import Any

import pytest
import yaml
from conftest import REPOSITORY, vectors

import fairshoe
from fairshoe import contract, forms, shape
from fairshoe.codes import WHAT_TO_DO
from fairshoe.entries import BadEntry, read_entry
from fairshoe.flow import OpenStream, Request, Response
from fairshoe.methods import Methods
from fairshoe.stream import Streams

CONTRACT = yaml.safe_load((REPOSITORY / "openapi.yaml").read_text())
SCHEMAS = CONTRACT["components"]["schemas"]
FOR_A_BROWSER = frozenset({"Page"})
NOT_A_METHOD = frozenset({"getVerifier"})
"""A page in a browser, beside those of the tag Page."""
OWN_METHODS = frozenset(
    {"play_round", "play_hand", "sit", "leave", "verify_round", "prove_entry", "prove_owed", "house_note", "kept_notes"}
    | {"sign_withdrawal", "signs", "key_state", "key_file", "take_key_file", "next_key"}
)
AS_CSV = frozenset({"list_transactions_csv", "find_rounds_csv"})
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, methods in CONTRACT["paths"].items()
    for method, operation in methods.items()
    if isinstance(operation, dict)
    and "operationId" in operation
    and method != "head"
    and not FOR_A_BROWSER & set(operation.get("tags", []))
    and operation["operationId"] not in NOT_A_METHOD
}


def resolved(value: dict[str, Any]) -> dict[str, Any]:
    """What stands there, or in the components that it names."""
    while "$ref" in value:
        _, kind, name = value["$ref"].rsplit("/", 2)
        value = CONTRACT["components"][kind][name]
    return value


def snake(text: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", text).lower()


def test_every_operation_is_a_method_of_both_clients() -> None:
    methods = {name for name in vars(Methods) if not name.startswith("_")}
    assert methods - OWN_METHODS - AS_CSV == {snake(operation) for operation in OPERATIONS}
    for kind in (fairshoe.Client, fairshoe.AsyncClient):
        assert methods <= set(dir(kind))


SAMPLES: dict[str, Any] = {
    "round": "t:3",
    "player": "alice",
    "table": "t",
    "tournament": "friday",
    "seller": "bob",
    "chips": 5,
    "value": 5,
    "bets": [{"spot": "1", "stake": 5}],
    "commitment": "ab" * 32,
    "epoch": "cd" * 32,
    "digest": "ab" * 32,
    "seed": "ab" * 32,
    "rules": "joy",
    "structure": "sit-and-go",
    "auditor": "carol",
    "ticket": "ab" * 32,
    "bundle": {},
    "index": 1,
    "level": 0,
    "no": 7,
    "size": 65536,
    "to": "other.example/log",
    "log": "other.example/log",
    "sender": "other.example/log",
    "accept": True,
    "want": True,
    "has": True,
    "decision": 0,
    "action": "stand",
    "method": "icm",
}


def arguments_of(flow: Any) -> dict[str, Any]:
    given = {}
    for parameter in list(inspect.signature(flow).parameters.values())[1:]:
        if parameter.default is not inspect.Parameter.empty and parameter.name not in ("buy_in", "seat", "revoke"):
            continue
        if parameter.name in SAMPLES:
            given[parameter.name] = SAMPLES[parameter.name]
        elif parameter.name == "revoke":
            given["revoke"] = True
        elif "int" in str(parameter.annotation):
            given[parameter.name] = 2
        else:
            given[parameter.name] = "reason"
    return given


def answered(value: Any) -> Any:
    """A flow that asks for nothing."""

    def flow(*given: Any) -> Any:
        yield from ()
        return value

    return flow


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_a_call_sends_what_the_contract_takes(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # What two calls ask for before they send.
    if operation != "getRuleSet":
        monkeypatch.setattr(Streams, "get_rule_set", answered({"rules": {}}))
    monkeypatch.setattr(Streams, "prove_draw", answered(None))
    method, path, described = OPERATIONS[operation]
    flow = getattr(Streams, snake(operation))
    core = Streams("http://house.example", token="0" * 64, player="alice", patience=0)
    running = flow(core, **arguments_of(flow))
    step = next(running)
    request: Request = step.request if isinstance(step, OpenStream) else step
    running.close()
    sent = re.sub(r"^http://house\.example", "", request.url)
    pattern = re.sub(r"\\\{[a-z_]+\\\}", "[^?]+", re.escape(path))
    assert request.method.lower() == method
    assert re.fullmatch(pattern + r"(\?.*)?", sent), (sent, path)
    names = {one["name"]: one for one in map(resolved, described.get("parameters", []))}
    if "Idempotency-Key" in names:
        pattern = resolved(names["Idempotency-Key"]["schema"])["pattern"]
        assert re.fullmatch(pattern, request.headers["Idempotency-Key"])
    else:
        assert "Idempotency-Key" not in request.headers
    for part in (sent.split("?") + [""])[1].split("&"):
        assert not part or part.split("=")[0] in names
    assert ("Content-Type" in request.headers) is ("requestBody" in described)


OTHERWISE_CALLED = {
    **dict.fromkeys(("round", "rules", "structure", "auditor"), "an `id` or a `name` in the contract, of what it says"),
    **dict.fromkeys(("since", "until", "sender"), "`from` is a word of Python, and `to` goes with it"),
    **dict.fromkeys(("width", "prove", "for_hand"), "the call makes its address, its body or its checks of it"),
    "bundle": "the whole body",
    "signature": "the header Fairshoe-Signature",
}


def named_in(schema: dict[str, Any]) -> set[str]:
    schema = resolved(schema)
    parts = [part for many in ("oneOf", "anyOf", "allOf") for part in schema.get(many, [])]
    return set(schema.get("properties", {})).union(*map(named_in, parts))


def test_an_argument_is_called_what_the_contract_calls_it() -> None:
    others = set()
    for operation, (_, _, described) in OPERATIONS.items():
        names = {one["name"].lower().replace("-", "_") for one in map(resolved, described.get("parameters", []))}
        for content in resolved(described.get("requestBody", {})).get("content", {}).values():
            names |= named_in(content["schema"])
        arguments = list(inspect.signature(getattr(Streams, snake(operation))).parameters)[1:]
        others |= {(operation, one) for one in arguments if one not in names and one not in OTHERWISE_CALLED}
    assert others == set()


def fields_of(schema: dict[str, Any]) -> tuple[set[str], set[str]]:
    return set(schema.get("properties", {})), set(schema.get("required", []))


def typed_dicts() -> dict[str, Any]:
    modules = (contract,)
    return {
        name: kind
        for module in modules
        for name, kind in vars(module).items()
        if typing.is_typeddict(kind) and kind.__module__ == module.__name__
    }


def test_every_type_has_the_fields_of_its_schema() -> None:
    compared = 0
    for name, kind in typed_dicts().items():
        schema = SCHEMAS.get(name)
        if schema is None:
            continue
        compared += 1
        mine = shape._fields(kind)
        everything, required = fields_of(schema)
        assert set(mine) == everything, name
        assert {field for field, (_, may_be_absent) in mine.items() if not may_be_absent} == required, name
    assert compared >= 80


def schema_of_reply(operation: str) -> dict[str, Any] | None:
    for status, reply in OPERATIONS[operation][2]["responses"].items():
        if str(status).startswith("2"):
            content = reply.get("content", {})
            if "application/json" in content:
                schema: dict[str, Any] = content["application/json"]["schema"]
                return schema
    return None


def examples() -> list[tuple[str, Any]]:
    found = []
    for operation, (_, _, described) in sorted(OPERATIONS.items()):
        for status, reply in described["responses"].items():
            if not str(status).startswith("2"):
                continue
            content = reply.get("content", {}).get("application/json", {})
            for one in content.get("examples", {}).values():
                while "$ref" in one:
                    one = CONTRACT["components"]["examples"][one["$ref"].split("/")[-1]]
                found.append((operation, one["value"]))
    return found


def test_every_example_of_a_reply_has_the_shape_of_its_type() -> None:
    checked = 0
    kinds = typed_dicts()
    for operation, value in examples():
        schema = schema_of_reply(operation) or {}
        kind = kinds.get(schema.get("$ref", "").split("/")[-1])
        if kind is not None:
            shape.check(value, kind, operation)
            checked += 1
    assert checked >= 40


def listed() -> dict[str, Any]:
    """operation -> what it says of its JSON Lines."""
    return {
        operation: content["application/x-ndjson"]
        for operation, (_, _, described) in sorted(OPERATIONS.items())
        if "application/x-ndjson" in (content := described["responses"].get("200", {}).get("content", {}))
    }


def test_every_line_of_a_list_has_the_shape_of_its_type() -> None:
    found = listed()
    for operation in ("listTransactions", "findRounds", "exportRounds"):
        told = found[operation]
        kind = typed_dicts()[told["x-item-schema"]["$ref"].split("/")[-1]]
        for example in told.get("examples", {}).values():
            lines = resolved(example)["value"].splitlines()
            assert lines, operation
            for line in lines:
                shape.check(json.loads(line), kind, operation)


@pytest.mark.parametrize("flow", [Streams.list_transactions_csv, Streams.find_rounds_csv])
def test_csv_is_asked_for_by_the_contracts_parameter(flow: Any) -> None:
    is_find = "find" in flow.__name__
    step = next(flow(Streams("http://house.example", patience=0), **({} if is_find else {"player": "a"})))
    assert isinstance(step, OpenStream) and step.request.headers["Accept"] == "text/csv"
    described = OPERATIONS["findRounds" if is_find else "listTransactions"][2]
    asked = next(one for one in map(resolved, described["parameters"]) if one["name"] == "format")
    assert "csv" in asked["schema"]["enum"] and step.request.url.endswith("?format=csv")


def test_what_a_bet_says_of_its_epoch_is_not_in_the_signed_command() -> None:
    """The log's command has no such field (spec/entries.md): a signature over it would be of another command."""
    for word in ("bet", "commit_seed", "commit_hand_seed"):
        assert "epoch" not in forms.COMMANDS[word][0]
    for body in ("BetRequest", "Commit"):
        assert "epoch" in SCHEMAS[body]["properties"]


def test_a_reply_of_another_shape_is_refused() -> None:
    sound = {"staked": 5, "returned": 0, "player": "alice"}
    shape.check(sound, contract.BundleVerdictRoundPlayer)
    wrongs: list[Any] = [
        {**sound, "staked": 5.0},
        {**sound, "staked": True},
        {"player": "alice"},
        {**sound, "player": None},
        [],
    ]
    for wrong in wrongs:
        with pytest.raises(fairshoe.BadReply):
            shape.check(wrong, contract.BundleVerdictRoundPlayer)
    shape.check({**sound, "new_in_a_later_version": 1}, contract.BundleVerdictRoundPlayer)


def test_every_code_says_what_to_do() -> None:
    codes = set(SCHEMAS["ErrorCode"]["enum"])
    assert codes == set(WHAT_TO_DO) == set(typing.get_args(contract.ErrorCode))


@pytest.mark.parametrize("choice", ["Command", "Event", "RoundEvent"])
def test_the_words_of_the_log_are_read_and_nothing_else_is(choice: str) -> None:
    file = vectors("words.json")
    for word, sample in file["words"][choice].items():
        for fields in sample["read"] if sample else []:
            read_entry(file["entries"][choice].replace("%", f'{{"{word}":{fields}}}'))
        for fields in sample["refused"] if sample else []:
            with pytest.raises(BadEntry):
                read_entry(file["entries"][choice].replace("%", f'{{"{word}":{fields}}}'))


def test_errors_have_the_kind_of_their_status() -> None:
    core = Streams("http://house.example")
    for status, kind in {
        400: fairshoe.Invalid,
        401: fairshoe.Unauthorized,
        403: fairshoe.Forbidden,
        404: fairshoe.NotFound,
        409: fairshoe.Conflict,
        421: fairshoe.NotLeader,
        422: fairshoe.Invalid,
        429: fairshoe.TooMany,
        500: fairshoe.Unavailable,
        503: fairshoe.Unavailable,
    }.items():
        body = b'{"type":"about:blank","title":"t","status":%d,"detail":"d","code":"busy"}' % status
        error = core._error(Response(status, {"retry-after": "3"}, body))
        assert type(error) is kind
        assert (error.status, error.code, error.text, error.retry_after) == (status, "busy", "d", 3)
        assert error.what_to_do in str(error)
