"""The package as the README installs it: what is in it, and the README's bot, run from there as it is printed."""

from __future__ import annotations

import pathlib
import pydoc
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator

import pytest
from conftest import PACKAGE, REPOSITORY
from house import House

import fairshoe

README = (PACKAGE / "README.md").read_text()
PIP = ["--disable-pip-version-check", "--retries", "1", "--timeout", "15", "-q"]
LONGEST_BOT = 40


def run(*command: str | pathlib.Path, seconds: float = 300.0) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(one) for one in command], capture_output=True, text=True, timeout=seconds)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    """A folder with the sdist, and the wheel that was built from it: what `python -m build` makes."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (sdist,) = folder.glob("*.tar.gz")
    done = run(sys.executable, "-m", "pip", "wheel", *PIP, "--no-deps", "--no-build-isolation", "-w", folder, sdist)
    assert done.returncode == 0, done.stderr
    yield folder


def wheel_in(folder: pathlib.Path) -> pathlib.Path:
    (wheel,) = folder.glob("fairshoe-*.whl")
    return wheel


def test_the_licence_is_the_repositorys() -> None:
    assert (PACKAGE / "LICENSE").read_bytes() == (REPOSITORY / "LICENSE").read_bytes()


def test_what_is_in_the_package(built: pathlib.Path) -> None:
    wheel = wheel_in(built)
    assert wheel.name in README
    with zipfile.ZipFile(wheel) as found:
        names = set(found.namelist())
        metadata = next(name for name in names if name.endswith("/METADATA"))
        about = found.read(metadata).decode()
    sources = {f"fairshoe/{path.name}" for path in (PACKAGE / "src" / "fairshoe").iterdir() if path.is_file()}
    assert {name for name in names if name.startswith("fairshoe/")} == sources
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert "License-Expression: Apache-2.0" in about and "# fairshoe for Python" in about
    # No home is named before there is one.
    assert "Project-URL" not in about and "Home-page" not in about
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        inside = {name.partition("/")[2] for name in packed.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "PKG-INFO", "src/fairshoe/py.typed"} <= inside
    assert not any(name.startswith("tests") for name in inside)


def test_the_bot_of_the_readme_runs_as_printed_from_the_wheel(
    house: House, built: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    blocks = re.findall(r"<!-- bot -->\n```python\n(.*?)```", README, re.S)
    assert len(blocks) == 1 and len(blocks[0].splitlines()) <= LONGEST_BOT
    fresh = tmp_path / "fresh"
    made = run(sys.executable, "-m", "venv", fresh)
    assert made.returncode == 0, made.stderr
    python = fresh / "bin" / "python"
    installed = run(python, "-m", "pip", "install", *PIP, wheel_in(built))
    if installed.returncode:
        # A requirement that is wrong has to fail where PyPI answers.
        if run(python, "-m", "pip", "download", *PIP, "--no-deps", "-d", tmp_path / "probe", "idna").returncode:
            pytest.skip("skipped: PyPI cannot be reached, and the wheel needs httpx and cryptography from there")
        pytest.fail(installed.stderr)
    bot = tmp_path / "bot.py"
    bot.write_text(blocks[0])
    environment = {"FAIRSHOE_URL": house.address, "FAIRSHOE_LOG_KEY": house.key}
    done = subprocess.run([python, bot], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len([line for line in lines if "proven" in line]) == 20, done.stdout
    assert (tmp_path / "bot.json").stat().st_mode & 0o077 == 0


def test_help_tells_of_a_call_without_a_client() -> None:
    for told in (fairshoe.Client.credit_player, fairshoe.AsyncClient.credit_player):
        text = pydoc.plain(pydoc.render_doc(told))
        assert re.search(r"credit_player\(.*amount: '?int", text), text
        with pytest.raises(TypeError, match="credit_player is a method of a client"):
            told("alice", 1)
