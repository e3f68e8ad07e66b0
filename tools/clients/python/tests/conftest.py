"""Where the repository's files are, and the marks that the tests share."""

from __future__ import annotations

import json
import pathlib
from typing import Any

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = PACKAGE.parents[2]


def vectors(name: str) -> Any:
    return json.loads((REPOSITORY / "spec" / "vectors" / name).read_text())
