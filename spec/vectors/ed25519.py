"""Ed25519 as ../log.md, "Signature rule", wants it verified: RFC 8032 section 5.1 with what it leaves open refused.
Standard library only; slow, and for public data alone."""

import functools
import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # of -1
NEUTRAL = (0, 1, 1, 0)


def add(p, q):
    """Extended coordinates (X, Y, Z, T), RFC 8032 section 5.1.4."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n, p):
    out = NEUTRAL
    while n:
        if n & 1:
            out = add(out, p)
        p, n = add(p, p), n >> 1
    return out


def is_neutral(p):
    return p[0] % P == 0 and (p[1] - p[2]) % P == 0


def point(text):
    """The point of 32 bytes, or None: y at or above the prime, or no x for it."""
    y, sign = int.from_bytes(text, "little") & (2**255 - 1), text[31] >> 7
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def spelled(p):
    z = pow(p[2], P - 2, P)
    x, y = p[0] * z % P, p[1] * z % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


# A self-test verifies the same signatures a thousand times.
@functools.lru_cache(maxsize=None)
def usable(key):
    """Whether these 32 bytes are a key that may sign: a point, spelled canonically, not of small order."""
    p = point(key)
    return p is not None and not is_neutral(times(8, p))


@functools.lru_cache(maxsize=None)
def verifies(key, message, signature):
    if not usable(key) or len(signature) != 64:
        return False
    r, s = point(signature[:32]), int.from_bytes(signature[32:], "little")
    if r is None or is_neutral(times(8, r)) or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    minus = lambda p: (-p[0] % P, p[1], p[2], -p[3] % P)
    return spelled(add(times(s, BASE), minus(times(k, point(key))))) == signature[:32]
