# SPDX-License-Identifier: Apache-2.0
"""Texts and the keys that they become, for whatever makes them: (form, text, key)."""

ACGTTTGA = int("0001101111111000", 2).to_bytes(8, "little")  # less than that of TCAAACGT

KEY_FORMS = [
    ("lines", b" As it is ", b" As it is "),
    ("docnos", b"GX-1", b"GX-1"),
    ("terms", b"Word", b"Word"),
    ("terms fold", b"Word\xc3\x84Z", b"word\xc3\x84z"),
    ("urls", b"\t<http://A.example/b c> ", b"http://A.example/b%20c"),
    ("urls", b"<", b"<"),
    ("kmers 8", b"ACGTTTGA", ACGTTTGA),
    ("kmers 8", b"tcaaacgt", ACGTTTGA),
    ("kmers 8", b"ACGTTTGN", b""),
    ("kmers 8", b"ACGTTTG", b""),
    ("kmers 8", b"ACGTTT!A", b""),
    *(
        ("urls surt", url, surt)
        for url, surt in (
            (b"http://www.Example.com:80/A?b=2&a=1#c", b"com,example)/a?a=1&b=2"),
            (b" <http://archive.org/goo/?> ", b"org,archive)/goo"),
            (b"http://archive.org/goo/?b&a", b"org,archive)/goo?a&b"),
            (b"http://www2.archive.org/x", b"org,archive)/x"),
            (b"http://wwwx.archive.org/x", b"org,archive,wwwx)/x"),
            (b"archive.org:8080/x", b"org,archive:8080)/x"),
            (b"https://user:pass@archive.org:443/x", b"org,archive)/x"),
            (b"https://archive.org:80/x", b"org,archive:80)/x"),
            (b"http://archive.org./x//", b"org,archive)/x"),
            (b"http://192.0.2.1/x", b"192.0.2.1)/x"),
            (b"http://[2001:DB8::1]:8080/x", b"[2001:db8::1]:8080)/x"),
            (b"dns:Archive.org", b"dns:Archive.org"),
            (b"mailto:Someone@archive.org", b"mailto:Someone@archive.org"),
            (b"http://a.example?x=\xff&b", b"example,a)/?b&x=\xff"),
            (b"", b")/"),
            (b":", b")/"),
            (b"http:", b"http:"),
            (b"http://", b")/"),
            (b"http://[", b"[)/"),
            (b"http://www.", b"www)/"),
            (b"...", b")/"),
        )
    ),
]
