"""The one signature rule of spec/log.md: what passes here passes in every verifier of RFC 8032.

OpenSSL, under `cryptography`, refuses an S at or above the group order and compares R byte by byte. It takes keys
that are not canonical or of small order, under which anybody can sign anything; this module refuses those.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FIELD = 2**255 - 19
# y of the points whose order divides 8: 1, 2 and 4, then the two of order 8, which solve d·y⁴ + 2·y² = 1.
Y_OF_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
SMALL_ORDER_Y = frozenset({0, 1, FIELD - 1, Y_OF_ORDER_8, FIELD - Y_OF_ORDER_8})
D = -121665 * pow(121666, FIELD - 2, FIELD) % FIELD


def _y(encoded: bytes) -> int:
    return int.from_bytes(encoded, "little") & (2**255 - 1)


def is_usable_key(key: bytes) -> bool:
    """Whether these 32 bytes are a canonical encoding of a point that is not of small order."""
    if len(key) != 32 or (y := _y(key)) >= FIELD or y in SMALL_ORDER_Y:
        return False
    # x² = (y² − 1) / (d·y² + 1) has to be a square; Euler's criterion says whether it is.
    square = (y * y - 1) * pow(D * y * y + 1, FIELD - 2, FIELD) % FIELD
    return pow(square, (FIELD - 1) // 2, FIELD) == 1


def verifies(key: bytes, text: bytes, signature: bytes) -> bool:
    if len(signature) != 64 or not is_usable_key(key) or _y(signature[:32]) % FIELD in SMALL_ORDER_Y:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, text)
    except InvalidSignature:
        return False
    return True
