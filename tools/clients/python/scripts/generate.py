"""Writes four modules of src/fairshoe from openapi.yaml. contract.py: the types of what the calls reply and of the
words in it; forms.py: the fields of each command and event, in the order of an entry, which is the contract's
(spec/words.md); made_calls.py: the calls to which calls.py, beside this, adds a word at most; methods.py: all calls.

`python scripts/generate.py` writes; with `--check` it exits 1 if a file is not what the contract makes. `ruff format`
has the last word on its lines, so it must be there.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from typing import Any

import calls
import yaml

HERE = pathlib.Path(__file__).resolve().parent
CONTRACT = yaml.safe_load((HERE.parents[3] / "openapi.yaml").read_text(encoding="utf-8"))
SCHEMAS = CONTRACT["components"]["schemas"]
PACKAGE = HERE.parent / "src/fairshoe"

HEADER = '''"""The types of openapi.yaml: made by scripts/generate.py. Change the contract, and run that again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired  # For Python 3.10; never imported when the program runs.

JsonObject = dict[str, Any]
"""A document of its own whose fields stand in spec/: an entry's command and events, a rule set, a structure."""

Action = Union[str, Mapping[str, Any]]
"""`"hit"`, `{"raise": {"to": 400}}` and so on: spec/entries.md, "Actions"."""
'''
HAND_WRITTEN = {"Action": "Action"}
# Documents: what a program knows of them it reads by spec/, not by a type.
DOCUMENTS = {"Command", "Event", "RuleSet", "Structure", "PokerRules", "BlackjackRules"}
# Inline objects under the name that a program knows them by; any other is named after where it stands.
KNOWN_AS = {"LogInfoCurrency": "Currency"}
PLAIN = {"string": "str", "integer": "int", "boolean": "bool", "null": "None"}


class Types:
    """Python's text of each type, by name, in the order in which they were met."""

    def __init__(self) -> None:
        self.words: dict[str, str] = {}
        self.objects: dict[str, str] = {}
        self.unions: dict[str, str] = {}
        self.begun: set[str] = set()

    def named(self, name: str) -> str:
        """The type of a schema of the contract."""
        if name in DOCUMENTS:
            return "JsonObject"
        if name in HAND_WRITTEN:
            return HAND_WRITTEN[name]
        if name not in self.begun:
            self.begun.add(name)
            schema = SCHEMAS[name]
            if "properties" in schema:
                self.object(name, schema)
            elif "oneOf" in schema or "anyOf" in schema or schema.get("type") == "array":
                self.unions[name] = self.text(schema, name)
            else:
                self.words[name] = self.text(schema, name)
        return name

    def object(self, name: str, schema: dict[str, Any]) -> None:
        properties, required = schema["properties"], set(schema.get("required", ()))
        lines = []
        for field, its in properties.items():
            kind = self.text(its, name + "".join(part.capitalize() for part in field.split("_")))
            lines.append(f"    {field}: {kind if field in required else f'NotRequired[{kind}]'}")
        fields = "\n".join(lines)
        if all(re.fullmatch(r"[a-z_0-9]+", field) and field not in RESERVED for field in properties):
            self.objects[name] = f"class {name}(TypedDict):\n{fields}\n"
        else:
            pairs = ", ".join("{!r}: {!r}".format(*line.strip().split(": ", 1)) for line in lines)
            self.objects[name] = f'{name} = TypedDict("{name}", {{{pairs}}})\n'

    def text(self, schema: dict[str, Any], place: str) -> str:
        """How Python writes this type; `place` names an object that has no name of its own."""
        if "$ref" in schema:
            return self.named(schema["$ref"].rsplit("/", 1)[1])
        if "const" in schema:
            return f"Literal[{literal(schema['const'])}]"
        if "enum" in schema:
            return f"Literal[{', '.join(literal(one) for one in schema['enum'])}]"
        if several := schema.get("oneOf") or schema.get("anyOf"):
            return self.union([self.text(one, f"{place}{index or ''}") for index, one in enumerate(several)])
        kind = schema.get("type")
        if isinstance(kind, list):
            return self.union([self.text({**schema, "type": one}, place) for one in kind])
        if kind == "array":
            if "prefixItems" in schema or "items" not in schema:
                return "list[Any]"
            return f"list[{self.text(schema['items'], one_of(place))}]"
        if "properties" in schema:
            name = KNOWN_AS.get(place, place)
            self.object(name, schema)
            return name
        if kind == "object":
            more = schema.get("additionalProperties")
            return f"dict[str, {self.text(more, place)}]" if isinstance(more, dict) and more else "JsonObject"
        return PLAIN.get(kind or "", "Any")

    @staticmethod
    def union(parts: list[str]) -> str:
        return " | ".join(dict.fromkeys(parts))


def one_of(name: str) -> str:
    """The name of one of those that stand under this one."""
    for plural, singular in (("ies", "y"), ("sses", "ss"), ("s", "")):
        if name.endswith(plural):
            return name.removesuffix(plural) + singular
    return name


# Words of the language, which no field of a class may have for a name.
RESERVED = {"from", "class", "import", "in", "is", "not", "or", "and", "for", "if"}


def literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def replies() -> list[tuple[str, dict[str, Any]]]:
    """The schemas of what the operations reply, and of the lines of lists, with a name for those that have none."""
    found = []
    for methods in CONTRACT["paths"].values():
        for operation in methods.values():
            if not isinstance(operation, dict) or "operationId" not in operation:
                continue
            name = operation["operationId"][0].upper() + operation["operationId"][1:]
            for status, reply in operation["responses"].items():
                if not str(status).startswith("2"):
                    continue
                content = reply.get("content", {})
                if schema := content.get("application/json", {}).get("schema"):
                    found.append((f"{name}Reply", schema))
                if schema := content.get("application/x-ndjson", {}).get("x-item-schema"):
                    found.append((f"{name}Line", schema))
    return found


def made() -> str:
    types = Types()
    for name, schema in replies():
        types.text(schema, name)
    # What requests are made of, and streams tell.
    for name in "Bet ClientKind ComeIn DealMethod LimitOf LimitPer Pay WalletCall ErrorCode SeenCheckpoint".split():
        types.named(name)
    parts = [HEADER]
    parts += [f"{name} = {text}\n" for name, text in types.words.items()]
    parts += ["\n" + text for text in types.objects.values()]
    # A union is evaluated where it stands, so behind all that it names; of classes `|` is none in Python 3.10.
    for name, text in types.unions.items():
        parts.append(f"{name} = {'Union[' + text.replace(' | ', ', ') + ']' if ' | ' in text else text}\n")
    return "\n".join(parts)


FORMS = '''"""Which fields each command and event has, in the order of an entry: made by scripts/generate.py.

One line a word: the word, then its fields; `?` marks those that may be left out.
"""

from __future__ import annotations


def _forms(text: str) -> dict[str, tuple[tuple[str, ...], frozenset[str]]]:
    """word -> (all fields in order, those that may be left out)."""
    forms = {}
    for line in text.split("\\n"):
        if words := line.split():
            fields = tuple(field.rstrip("?") for field in words[1:])
            forms[words[0]] = (fields, frozenset(field[:-1] for field in words[1:] if field.endswith("?")))
    return forms

'''


def forms() -> str:
    """The tables of forms.py; a word whose value is a document of its own, or play, is in none."""
    parts = [FORMS]
    for name, choice in (("COMMANDS", "Command"), ("EVENTS", "Event"), ("PLAY_EVENTS", "RoundEvent")):
        rows = []
        for variant in SCHEMAS[choice]["oneOf"]:
            ((word, its),) = SCHEMAS[variant["$ref"].rsplit("/", 1)[1]]["properties"].items()
            if "$ref" not in its:
                needed = its.get("required", ())
                fields = [field if field in needed else f"{field}?" for field in its.get("properties", ())]
                rows.append("    " + " ".join([word, *fields]))
        parts.append('{} = _forms(\n    """\n{}\n    """\n)\n'.format(name, "\n".join(rows)))
    return "\n".join(parts)


def formatted(text: str) -> str:
    ruff = pathlib.Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--no-cache", "--stdin-filename", str(PACKAGE / "contract.py"), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=HERE.parent).stdout


def main() -> int:
    aged = False
    texts = {
        "contract.py": made(),
        "forms.py": forms(),
        "made_calls.py": calls.made_calls(CONTRACT, Types().text),
        "methods.py": calls.methods(CONTRACT),
    }
    for name, text in texts.items():
        file, text = PACKAGE / name, formatted(text)
        if "--check" not in sys.argv[1:]:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"src/fairshoe/{name} is not what openapi.yaml makes: run scripts/generate.py")
            aged = True
    return int(aged)


if __name__ == "__main__":
    sys.exit(main())
