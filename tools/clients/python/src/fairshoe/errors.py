"""What can go wrong, as exceptions. None of them shows a token or a seed that is not out yet."""

from __future__ import annotations

from typing import Any

from .codes import WHAT_TO_DO


class FairshoeError(Exception):
    """Every exception of this package is one of these.

    Where one comes out of a call that changes something, what was asked may have been done. `idempotency_key` is then
    the key under which it was sent, made by the client or given: the same call with it again does its work once.
    `reply` is what the service answered, where it did; not all of it need be proven.
    """

    idempotency_key: str | None = None
    reply: Any = None


class BadInput(FairshoeError, ValueError):
    """An argument is not what the call takes. Nothing was sent."""


class StoreError(FairshoeError):
    """The file that keeps seeds and the checkpoint cannot be read or written."""


class NoAnswer(FairshoeError):
    """No address answered in time. A call that changes something may have been carried out, or not.

    Send the same call with the same `idempotency_key` again: the service does its work once.
    """

    def __init__(self, call: str, attempts: int, reason: str) -> None:
        super().__init__(f"{call}: no answer after {attempts} attempts ({reason})")
        self.call, self.attempts, self.reason = call, attempts, reason


class BrokenOff(NoAnswer):
    """A list that is sent as it is made broke off after so many lines: what came of it is not the whole."""

    def __init__(self, call: str, lines: int, reason: str) -> None:
        super().__init__(call, 1, reason)
        self.args = (f"{call}: the list broke off after {lines} lines ({reason})",)
        self.lines = lines


class BadReply(FairshoeError):
    """A reply is not what openapi.yaml says it is."""


class ApiError(FairshoeError):
    """The service refused. `code` is stable (openapi.yaml, `ErrorCode`); `what_to_do` says how to go on."""

    def __init__(self, status: int, problem: dict[str, Any], retry_after: int | None = None) -> None:
        self.status = status
        self.code: str = problem["code"]
        self.text: str = problem["detail"]
        self.what_to_do = WHAT_TO_DO.get(self.code, "See the status and the text.")
        self.retry_after = retry_after
        self.leader: str | None = problem.get("leader")
        self.replaced_by: str | None = problem.get("replaced_by")
        self.refused_note: str | None = problem.get("refused")
        """The house's signed word that it refused this command (spec/receipts.md); keep it for a dispute."""
        super().__init__(f"{status} {self.code}: {self.text.rstrip('.')}. {self.what_to_do}")


class Invalid(ApiError):
    """400, 408, 413, 415, 422, 431: the request itself is not one that the service takes."""


class Unauthorized(ApiError):
    """401: no token, or one that is not in force."""


class Forbidden(ApiError):
    """403: not this caller's to do or to read."""


class NotFound(ApiError):
    """404, 405: there is nothing of that name."""


class Conflict(ApiError):
    """409: not as things stand now."""


class NotLeader(ApiError):
    """421: this node follows, and no other address took the call."""


class TooMany(ApiError):
    """429: a rate or a bound; `retry_after` says for how many seconds."""


class Unavailable(ApiError):
    """500, 503: the service cannot do it now."""


BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: NotFound,
    409: Conflict,
    421: NotLeader,
    429: TooMany,
}


def api_error(status: int, problem: dict[str, Any], retry_after: int | None) -> ApiError:
    kind = BY_STATUS.get(status, Unavailable if status >= 500 else Invalid)
    return kind(status, problem, retry_after)


class Unproven(FairshoeError):
    """A proof could not be had: an outage, or an answer that is no proof. It accuses nobody.

    Nothing is taken over from what was not proven: what the client kept stands as before. Ask again, or at another
    address. Of two checkpoints that want a proof `kept_checkpoint` and `shown_checkpoint` are the signed notes.
    """

    def __init__(self, message: str, kept: str | None = None, shown: str | None = None) -> None:
        super().__init__(message)
        self.kept_checkpoint, self.shown_checkpoint = kept, shown


class NotProven(FairshoeError):
    """Something that the house said does not hold. Keep what you have: it is evidence.

    `check` is the auditor's name for the check (spec/audit.md); `entry` is the log's index where one is at fault.
    """

    def __init__(self, check: str, message: str, entry: int | None = None) -> None:
        where = "" if entry is None else f"entry {entry}: "
        super().__init__(f"{where}{message} [{check}]")
        self.check, self.entry, self.message = check, entry, message


class AnotherLog(NotProven):
    """Two checkpoints that one key signed and no single history has: proof of a fork. Keep both of them."""

    def __init__(self, check: str, message: str, kept: str, shown: str) -> None:
        super().__init__(check, message)
        self.kept_checkpoint, self.shown_checkpoint = kept, shown
