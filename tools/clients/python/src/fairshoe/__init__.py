"""A client of fairshoe that plays, and checks every card, receipt and checkpoint it is shown."""

from .bundle import CheckedFace, CheckedPlayer, CheckedRound, check_bundle
from .client import AsyncClient, Client
from .contract import (
    Accepted,
    Action,
    Bet,
    Bundle,
    Currency,
    Decision,
    PartInRound,
    PlayerList,
    RoundView,
    TableView,
    Transaction,
    TrialCommitment,
)
from .display import format_chips
from .errors import (
    AnotherLog,
    ApiError,
    BadInput,
    BadReply,
    BrokenOff,
    Conflict,
    FairshoeError,
    Forbidden,
    Invalid,
    NoAnswer,
    NotFound,
    NotLeader,
    NotProven,
    StoreError,
    TooMany,
    Unauthorized,
    Unavailable,
    Unproven,
)
from .keys import KeyState
from .notes import HouseNote, LogKey
from .owed import OwedEntry
from .play import Choose, NoRound, PlayedRound, Situation, cautious
from .store import Store
from .stream import TableEvent

__version__ = "0.1.0"

__all__ = [
    "Accepted",
    "Action",
    "AnotherLog",
    "ApiError",
    "AsyncClient",
    "BadInput",
    "BadReply",
    "Bet",
    "BrokenOff",
    "Bundle",
    "CheckedFace",
    "CheckedPlayer",
    "CheckedRound",
    "Choose",
    "Client",
    "Conflict",
    "Currency",
    "Decision",
    "FairshoeError",
    "Forbidden",
    "HouseNote",
    "Invalid",
    "KeyState",
    "LogKey",
    "NoAnswer",
    "NoRound",
    "NotFound",
    "NotLeader",
    "NotProven",
    "OwedEntry",
    "PartInRound",
    "PlayedRound",
    "PlayerList",
    "RoundView",
    "Situation",
    "Store",
    "StoreError",
    "TableEvent",
    "TableView",
    "TooMany",
    "Transaction",
    "TrialCommitment",
    "Unauthorized",
    "Unavailable",
    "Unproven",
    "cautious",
    "check_bundle",
    "format_chips",
]
