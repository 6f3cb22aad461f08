"""The algebra of CRC-32 (the one of zip and zlib): joins and remainders without the bytes.

A CRC is a polynomial over GF(2) modulo P, with its bits reversed. To append n zero bytes is to
multiply by x^(8n); so the CRC of a text joined of two follows from theirs and one length, and the
CRC of an end follows from that of the whole and of its beginning. Cost: the logarithm of a length.
"""

__all__ = ("combine", "remainder")

_POLYNOMIAL = 0xEDB88320
_ONE = 1 << 31
_X = 1 << 30


def combine(first: int, second: int, second_length: int) -> int:
    """The CRC of a text followed by another of `second_length` bytes."""
    return _shifted(first, second_length) ^ second


def remainder(whole: int, beginning: int, length: int) -> int:
    """The CRC of the last `length` bytes of a text, by those of the whole and of what precedes."""
    return whole ^ _shifted(beginning, length)


def _shifted(crc: int, length: int) -> int:
    """Multiply by x^(8 * length), one squared power of x^8 for each bit of the length."""
    power = 0
    while length:
        if length & 1:
            crc = _product(_BYTE_POWERS[power], crc)
        length >>= 1
        power += 1
    return crc


def _product(left: int, right: int) -> int:
    """Multiply modulo P; the highest bit is the coefficient of x^0."""
    total = 0
    bit = _ONE
    while left:
        if left & bit:
            total ^= right
            left ^= bit
        bit >>= 1
        right = (right >> 1) ^ (_POLYNOMIAL if right & 1 else 0)
    return total


def _squares() -> tuple[int, ...]:
    """x^8, x^16, x^32, ...: enough for any length below 2^64."""
    powers = [_X]
    for _ in range(66):
        powers.append(_product(powers[-1], powers[-1]))
    return tuple(powers[3:])


_BYTE_POWERS = _squares()
