# SPDX-License-Identifier: Apache-2.0
"""What minisign does, without it: keys and signatures of every form, also of forms that must be refused.

Ed25519 is that of RFC 8032, for tests alone: its times tell the secret key."""

import base64
import hashlib
import struct

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
BASE_Y = 4 * pow(5, -1, P) % P


def x_of(y, odd):
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x % 2 != odd else x


def point(x, y):
    return x, y, 1, x * y % P


BASE = point(x_of(BASE_Y, 0), BASE_Y)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number, p):
    total = point(0, 1)
    while number:
        if number & 1:
            total = add(total, p)
        p, number = add(p, p), number >> 1
    return total


def compressed(p):
    inverse = pow(p[2], -1, P)
    x, y = p[0] * inverse % P, p[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def number(data):
    return int.from_bytes(data, "little")


def expanded(seed):
    half = hashlib.sha512(seed).digest()
    return number(half[:32]) & (2**254 - 8) | 2**254, half[32:]


def public_of(seed):
    return compressed(times(expanded(seed)[0], BASE))


def ed25519(seed, message):
    secret, prefix = expanded(seed)
    public = compressed(times(secret, BASE))
    r = number(hashlib.sha512(prefix + message).digest()) % ORDER
    point_of_r = compressed(times(r, BASE))
    k = number(hashlib.sha512(point_of_r + public + message).digest()) % ORDER
    return point_of_r + ((r + k * secret) % ORDER).to_bytes(32, "little")


def text_of(data):
    return base64.b64encode(data)


class Key:
    """A pair; `salt` tells pairs apart."""

    def __init__(self, salt=0, id_of=None):
        self.seed = hashlib.sha256(b"seed %d" % salt).digest()
        self.id = id_of.id if id_of else hashlib.sha256(b"number %d" % salt).digest()[:8]
        self.public = public_of(self.seed)

    @property
    def id_text(self):
        return self.id[::-1].hex().upper()

    @property
    def line(self):
        return text_of(b"Ed" + self.id + self.public).decode()

    @property
    def public_file(self):
        return b"untrusted comment: minisign public key %s\n%s\n" % (self.id_text.encode(), self.line.encode())

    def secret_file(self, password=None, operations=32768, memory=1 << 20):
        """As `minisign -G` writes it; with a password it derives the key at a lower cost than minisign's least."""
        keys = self.id + self.seed + self.public
        keys += hashlib.blake2b(b"Ed" + keys, digest_size=32).digest()
        salt, kdf = bytes(32), b"\0\0"
        if password is not None:
            salt, kdf = hashlib.sha256(password).digest(), b"Sc"
            n = 1
            while 2 * n <= memory // 1024:
                n *= 2
            p = min(operations // 4 // n, 0x3FFFFFFF) // 8
            if operations < memory // 32:
                p, n = 1, 1
                while 2 * n <= operations // 32:
                    n *= 2
            stream = hashlib.scrypt(password, salt=salt, n=n, r=8, p=p, dklen=len(keys), maxmem=1 << 30)
            keys = bytes(a ^ b for a, b in zip(keys, stream, strict=True))
        else:
            operations = memory = 0
        data = b"Ed" + kdf + b"B2" + salt + struct.pack("<QQ", operations, memory) + keys
        return b"untrusted comment: minisign encrypted secret key\n" + text_of(data) + b"\n"

    def signature(self, data, comment=b"timestamp:1\tfile:x\thashed", legacy=False):
        """Of a file's bytes, as `minisign -S` writes it, or with -l."""
        message = data if legacy else hashlib.blake2b(data).digest()
        first = ed25519(self.seed, message)
        return minisig(b"Ed" if legacy else b"ED", self.id, first, comment, ed25519(self.seed, first + comment))


def minisig(algorithm, key_id, first, comment, second, untrusted=b"signature from minisign secret key"):
    lines = (b"untrusted comment: " + untrusted, text_of(algorithm + key_id + first), b"trusted comment: " + comment)
    return b"\n".join((*lines, text_of(second))) + b"\n"


def parts(signature):
    """(algorithm, key's number, first signature, trusted comment, second) of a FILE.minisig."""
    lines = signature.split(b"\n")
    first = base64.b64decode(lines[1])
    return first[:2], first[2:10], first[10:], lines[2][len(b"trusted comment: ") :], base64.b64decode(lines[3])
