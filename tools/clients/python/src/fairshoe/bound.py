"""The methods that both clients have, listed once: each is a flow, which `Client` returns from and `AsyncClient`
awaits."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, Generic, NoReturn, ParamSpec, TypeVar, overload

from .drivers import AsyncDriver, PlainDriver
from .flow import Flow

P = ParamSpec("P")
T = TypeVar("T")


class call(Generic[P, T]):
    """A flow as a method."""

    def __init__(self, flow: Callable[Concatenate[Any, P], Flow[T]]) -> None:
        self._flow = flow
        functools.update_wrapper(self, flow)

    def __call__(self, *args: P.args, **options: P.kwargs) -> NoReturn:
        """Of a class, where `help()` tells of it, there is no service to ask."""
        raise TypeError(f"{self._flow.__name__} is a method of a client: make one first")

    @overload
    def __get__(self, client: None, owner: type) -> call[P, T]: ...
    @overload
    def __get__(self, client: PlainDriver, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncDriver, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: PlainDriver | AsyncDriver | None, owner: type) -> Any:
        if client is None:
            return self

        @functools.wraps(self._flow)
        def method(*args: P.args, **options: P.kwargs) -> Any:
            return client._carry_out(self._flow(client._flows, *args, **options))

        return method


class stream(Generic[P, T]):
    """A flow that emits values of a kind, as a method that returns an iterator."""

    def __init__(self, flow: Callable[Concatenate[Any, P], Flow[None]], kind: type[T]) -> None:
        self._flow = flow
        functools.update_wrapper(self, flow)

    def __call__(self, *args: P.args, **options: P.kwargs) -> NoReturn:
        """Of a class, where `help()` tells of it, there is no service to ask."""
        raise TypeError(f"{self._flow.__name__} is a method of a client: make one first")

    @overload
    def __get__(self, client: None, owner: type) -> stream[P, T]: ...
    @overload
    def __get__(self, client: PlainDriver, owner: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, client: AsyncDriver, owner: type) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, client: PlainDriver | AsyncDriver | None, owner: type) -> Any:
        if client is None:
            return self

        @functools.wraps(self._flow)
        def method(*args: P.args, **options: P.kwargs) -> Any:
            return client._iterate(self._flow(client._flows, *args, **options))

        return method
