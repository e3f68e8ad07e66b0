"""`Client` and `AsyncClient`: the same methods, the one plain, the other awaited."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import Generic, TypeVar

import httpx

from .core import OnKey, OnNote, SigningKey
from .drivers import AsyncDriver, PlainDriver
from .kept import Notes
from .methods import Methods
from .notes import Checkpoint
from .owed import OwedEntry, Proofs
from .store import Store
from .stream import Streams

LIMITS = httpx.Limits(max_connections=16, max_keepalive_connections=8)


Http = TypeVar("Http", httpx.Client, httpx.AsyncClient)


class _Shared(Methods, Generic[Http]):
    _flows: Streams
    _store: Store

    def __init__(
        self,
        addresses: str | Sequence[str],
        *,
        token: str | None = None,
        player: str | None = None,
        log_key: str | None = None,
        store: str | os.PathLike[str] | Store | None = None,
        signing_key: SigningKey = "own",
        patience: float = 30.0,
        proofs: Proofs | None = None,
        notes: Notes | None = None,
        on_note: OnNote | None = None,
        on_key: OnKey | None = None,
        http: Http | None = None,
    ) -> None:
        self._store = store if isinstance(store, Store) else Store(store)
        try:
            self._flows = Streams(
                addresses,
                token=token,
                player=player,
                log_key=log_key,
                store=self._store,
                signing_key=signing_key,
                patience=patience,
                proofs=proofs,
                notes=notes,
                on_note=on_note,
                on_key=on_key,
            )
        except BaseException:
            self._store.close()
            raise
        self._http: Http = http if http is not None else self._new_http()

    def _new_http(self) -> Http:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._flows.addresses!r}, player={self._flows.player!r})"

    @property
    def player(self) -> str | None:
        """Who this client plays as."""
        return self._flows.player

    @property
    def log_key(self) -> str | None:
        """The log's key that everything is verified under; None before the first call that needs it."""
        return self._flows.key.text if self._flows.key else None

    @property
    def key_was_given(self) -> bool:
        """False: the key was taken from the log at first use, so that nobody vouched for whose log it is."""
        return self._flows.key_was_given

    @property
    def checkpoint(self) -> Checkpoint | None:
        """The newest checkpoint that was verified and is held against all others."""
        return self._flows.checkpoint

    @property
    def owed(self) -> list[OwedEntry]:
        """Entries that came without their proofs, as this client asked, and are not proven yet: the service's word."""
        return self._flows.owed.all()


class Client(_Shared[httpx.Client], PlainDriver):
    """A client of one service, or of the nodes of one shard.

    `addresses`: where the service is, one or several. `token` and `player`: who plays; without them `admit_guest`
    makes a guest. `log_key`: the log's key (`NAME+hex8+BASE64`) as somebody you trust told it; without it the key
    is taken from the log at first use and pinned, in the store where there is one. `store`: a path of a small file
    that keeps seeds, pins, a guest's token and the player's key. `signing_key`: `"own"`, a key of the player's own,
    kept in the store's file, made and named at their first command where they have none (without a file for a guest
    alone); None, nothing is signed; or the 32 secret bytes of another key. `on_key`: is called with the public half
    of a key that was named just now: save it (`key_file`). `patience`: for how many seconds a call is repeated
    where no answer comes or the service says to wait. `proofs`: with `"later"` replies to seeds and choices come
    without their proofs; `owed` is what is not proven yet. `notes`: the house is asked to sign that each command came
    before it decides it, and what it signed is kept in the store until the log has the command (`kept_notes`); with
    `"asked-for"` it is not asked. `on_note`: is called with each signed note of what the house received or refused,
    read and as it came, once it verifies. `http`: an httpx client of your own.
    """

    def _new_http(self) -> httpx.Client:
        return httpx.Client(limits=LIMITS)

    def close(self) -> None:
        self._http.close()
        self._store.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient(_Shared[httpx.AsyncClient], AsyncDriver):
    """The same as `Client`, with every method awaited and streams iterated with `async for`."""

    def _new_http(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(limits=LIMITS)

    async def close(self) -> None:
        await self._http.aclose()
        self._store.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
