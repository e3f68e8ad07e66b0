"""Where the repository's files are, and the service that the tests share."""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = PACKAGE.parents[2]
sys.path.insert(0, str(PACKAGE / "tests"))


def vectors(name: str) -> Any:
    return json.loads((REPOSITORY / "spec" / "vectors" / name).read_text())


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A service that all tests may play at; those that stop it make one of their own."""
    from house import IS_THERE, House

    if not IS_THERE:
        pytest.skip("skipped: no target/release/fairshoe, and FAIRSHOE_BIN names no program")
    running = House(tmp_path_factory.mktemp("house")).start()
    yield running
    running.stop()


@pytest.fixture
def own(house: Any, tmp_path: pathlib.Path) -> Iterator[Any]:
    """A service that a test may kill."""
    running = type(house)(tmp_path).start()
    yield running
    running.stop()


@pytest.fixture
def proxy(house: Any) -> Iterator[Callable[..., Any]]:
    """Makes proxies before the service, each with a rule of its own."""
    from house import Proxy

    made: list[Proxy] = []

    def make(rule: Any, forwards: bool = True) -> Proxy:
        made.append(Proxy(house.address, rule, forwards))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Waits pass at once: the clock of the flows goes on by what they would have slept, which is what this lists."""
    waited: list[float] = []

    async def passes(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("fairshoe.drivers.time.sleep", waited.append)
    monkeypatch.setattr("fairshoe.drivers.asyncio.sleep", passes)
    monkeypatch.setattr("fairshoe.core.time.monotonic", lambda: sum(waited))
    return waited
