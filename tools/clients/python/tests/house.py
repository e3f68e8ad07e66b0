"""A running service for the tests, and a proxy before it that loses, changes or holds back what passes."""

from __future__ import annotations

import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
from conftest import REPOSITORY

from fairshoe import Client

BINARY = pathlib.Path(os.environ.get("FAIRSHOE_BIN") or REPOSITORY / "target" / "release" / "fairshoe")
IS_THERE = BINARY.is_file() and os.access(BINARY, os.X_OK)
START_SECONDS = 20.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class House:
    """One process of the service, on a port and in a folder of its own."""

    def __init__(self, folder: pathlib.Path, *options: str) -> None:
        self._options = options
        self.data = folder / "data"
        self.address = f"http://127.0.0.1:{free_port()}"
        self._errors = folder / "errors.txt"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> House:
        listen = self.address.removeprefix("http://")
        command = [str(BINARY), "serve", "--data", str(self.data), "--listen", listen, "--guests-per-address", "0"]
        command += self._options
        with self._errors.open("ab") as errors:
            self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            try:
                if httpx.get(self.address + "/readyz", timeout=1.0).status_code == 200:
                    return self
            except httpx.HTTPError:
                time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"the service did not start: {self._errors.read_text()[-2000:]}")

    def stop(self, by: signal.Signals = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(by)
            try:
                self._process.wait(START_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def kill(self) -> None:
        """Ends it in the middle of whatever it does, and starts it again."""
        self.stop(signal.SIGKILL)
        self.start()

    def copy_to(self, folder: pathlib.Path) -> None:
        """A copy of the stopped service's folder."""
        shutil.copytree(self.data, folder)

    def put_back(self, folder: pathlib.Path) -> None:
        shutil.rmtree(self.data)
        shutil.copytree(folder, self.data)

    def new_player(self, chips: int = 1_000_000) -> tuple[str, str]:
        """Their name and token."""
        name = f"player-{uuid.uuid4().hex[:12]}"
        with Client(self.address, token=self.operator, log_key=self.key) as operator:
            token = operator.create_player(name)["token"]
            operator.credit_player(name, chips)
        return name, token

    @property
    def operator(self) -> str:
        return (self.data / "operator.token").read_text().strip()

    @property
    def key(self) -> str:
        return (self.data / "log.vkey").read_text().strip()


@dataclass
class Passing:
    """A request and the reply that the service gave to it; a proxy's rule may change the reply, or lose it."""

    method: str
    path: str
    status: int
    headers: dict[str, str]
    body: bytes
    is_lost: bool = field(default=False)

    def replace(self, old: bytes, new: bytes) -> None:
        self.body = self.body.replace(old, new)


Rule = Callable[[Passing], None]


def unfolded(reply: httpx.Response) -> tuple[bytes | None, httpx.Response]:
    """Of a reply to `received=first` what stands before the second line, and what that says; else None, and it."""
    if reply.headers.get("content-type") != "application/x-ndjson":
        return None, reply
    before, _, line = reply.content.rstrip(b"\n").rpartition(b"\n")
    told = json.loads(line)
    if "reply" not in told:
        return None, reply
    inner = httpx.Response(told["status"], content=json.dumps(told["reply"], separators=(",", ":")))
    return before + b"\n" if before else b"", inner


class Proxy:
    """Forwards every request to the house, then does with the reply what its rule says."""

    def __init__(self, house: str, rule: Rule, forwards: bool = True) -> None:
        """`forwards` false: the house is never asked, and the rule alone makes the reply."""
        self.rule = rule
        self.seen: list[tuple[str, str]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:
                pass

            def pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                skipped = {"host", "connection", "content-length", "accept-encoding"}
                headers = {key: value for key, value in self.headers.items() if key.lower() not in skipped}
                reply = httpx.Response(200)
                if forwards:
                    reply = outer.http.request(self.command, house + self.path, headers=headers, content=body)
                kept = {"content-type", "retry-after"}
                told = {key: value for key, value in reply.headers.items() if key.lower() in kept}
                # As if no note had been asked for: most tests do not care.
                path = self.path.replace("&received=first", "").replace("?received=first", "")
                note, inner = unfolded(reply)
                passing = Passing(self.command, path, inner.status_code, told, inner.content)
                outer.seen.append((self.command, path))
                outer.rule(passing)
                if passing.is_lost:
                    self.close_connection = True
                    return
                if note is not None:
                    told_in = json.dumps({"status": passing.status, "reply": json.loads(passing.body)})
                    passing.status, passing.body = 200, b"".join([note, told_in.encode(), b"\n"])
                self.send_response(passing.status)
                for key, value in {**passing.headers, "Content-Length": str(len(passing.body))}.items():
                    self.send_header(key, value)
                self.end_headers()
                self.wfile.write(passing.body)

            do_GET = do_POST = do_DELETE = pass_on

        self.http = httpx.Client(timeout=60.0)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self.http.close()
