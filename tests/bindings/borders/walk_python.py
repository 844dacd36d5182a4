# SPDX-License-Identifier: Apache-2.0
"""walk_python.py FOLDER: every public name of the package `crivo` with what no caller should give it, a line for each: the call,
the parameter, what it is given, and what comes of it.

It walks the signatures: what is hostile for a parameter follows from its name and annotation."""

import dataclasses
import gc
import inspect
import os
import pathlib
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import ItemsView, KeysView, ValuesView

import numpy as np

import crivo

FOLDER = pathlib.Path(sys.argv[1])
WORDS = ["a", "b", "b.a", "c", "numbers!"]
NUMBERS = [1, 2, 3, 2**40, 2**63]
ODD = "\udcff\n odd \N{GRINNING FACE}"  # a name that the system has, and no text in UTF-8

#: A server of the folder, in a process of its own: forks of this one are to have no threads of it.
SERVE = """
import pathlib, sys
sys.path.insert(0, sys.argv[2])
import web
with web.liar(pathlib.Path(sys.argv[1])) as (url, _):
    print(url, flush=True)
    sys.stdin.read()
"""
SERVER = subprocess.Popen(  # pylint: disable=consider-using-with
    [sys.executable, "-c", SERVE, FOLDER, pathlib.Path(__file__).resolve().parents[2] / "cli"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}, text=True)
URL = SERVER.stdout.readline().strip()

#: What is refused is one of these.
REFUSALS = (TypeError, ValueError, OverflowError, OSError, crivo.Error, KeyError, IndexError)


def make_files():
    files = crivo.Files
    (FOLDER / "lines").write_bytes(b"a\nb\n")
    crivo.build_mphf(WORDS, FOLDER / "mphf", signature_bits=16)
    crivo.build_filter(NUMBERS, FOLDER / "filter", type="range")
    crivo.build_filter(WORDS, FOLDER / "counting", type="counting-bloom", capacity=1000)
    crivo.build_map(WORDS, FOLDER / "map", values=NUMBERS, signature_bits=16)
    crivo.build_dictionary(WORDS, FOLDER / "dictionary", values=NUMBERS, hashed=True)
    crivo.build_store(WORDS, FOLDER / "updated", records=WORDS)
    crivo.build_store(WORDS, FOLDER / "store", records=WORDS, backend="flat", ordered=True)
    crivo.build_exact(WORDS[:2], WORDS, FOLDER / "exact", groups=["x", "x"], universe_groups=["x"] * 5)
    (FOLDER / "rows-lines").write_bytes(b"a\tf\t0\nb\tf\t1\n")
    crivo.build_rows(files(FOLDER / "rows-lines"), FOLDER / "rows")
    (FOLDER / "more-rows-lines").write_bytes(b"c\tg\t0\n")
    crivo.add_rows(FOLDER / "rows", files(FOLDER / "more-rows-lines"), FOLDER / "rows-chain")
    (FOLDER / "group-lines").write_bytes(b"f\ta\ng\tb\n")
    crivo.build_filterset(files(FOLDER / "group-lines", column=2, value_column=1), FOLDER / "filterset")
    (FOLDER / "more-group-lines").write_bytes(b"h\ta\n")
    crivo.add_groups(FOLDER / "filterset", files(FOLDER / "more-group-lines", column=2, value_column=1), FOLDER / "groups-chain")
    crivo.build_delta(FOLDER / "exact", WORDS[:3], WORDS, FOLDER / "delta", groups=["x"] * 3, universe_groups=["x"] * 5)
    crivo.apply_deltas(FOLDER / "exact", FOLDER / "delta", FOLDER / "chain")
    crivo.build_delta(FOLDER / "chain", WORDS[:1], WORDS, FOLDER / "delta2", groups=["x"], universe_groups=["x"] * 5)
    crivo.partition_keys(WORDS, FOLDER / "dealt")
    crivo.finish_partition(FOLDER / "dealt")
    crivo.partition_keys(WORDS[:2], FOLDER / "members", universe=WORDS, groups=["x"] * 2, universe_groups=["x"] * 5)
    crivo.finish_partition(FOLDER / "members")
    crivo.build_part("mphf", FOLDER / "dealt", (0, 1), FOLDER / "part")
    assert files(FOLDER / "lines")


#: What is right for a call, beside what is right for a parameter of a name.
GIVEN = {
    "verify": {"path": "map"}, "inspect": {"path": "map"}, "notes": {"path": "map"}, "open": {"path": "map"},
    "sign": {"path": "mphf", "replace": True}, "add_to_filter": {"path": "counting"}, "remove_from_filter": {"path": "counting"},
    "set_records": {"path": "updated", "records": WORDS[:2]}, "remove_records": {"path": "updated"}, "compact_store": {"path": "updated"},
    "Writer": {"path": "updated"}, "build_delta": {"groups": ["x"] * 2, "universe_groups": ["x"] * 5}, "estimate": {"kind": "mphf"},
    "build_filter_delta": {"filter": "counting"}, "build_delta_part": {"directory": "members"}, "partition_keys": {"directory": "anew"},
    "build_part": {"kind": "mphf"}, "Filter.contains_ranges": {"lows": NUMBERS, "highs": NUMBERS},
    "Exact.get": {"group": "x"}, "Exact.get_many": {"group": "x"}, "Exact.longest_suffix": {"key": ("x", "b.a")}, "Dictionary.key_many": {"numbers": [0, 1]},
    "Dictionary.value_many": {"numbers": [0, 1]}, "Writer.set": {"record": "r"}, "Exact.covers": {"name": "log"}, "keys.kmer": {"bases": "ACGT"},
    "Mphf": {"source": "mphf"}, "Filter": {"source": "filter"}, "Map": {"source": "map"}, "Dictionary": {"source": "dictionary"},
    "Store": {"source": "store"}, "Exact": {"source": "exact"}, "Rows": {"source": "rows"}, "FilterSet": {"source": "filterset"}, "FilterSet.contains": {"group": "f"}, "FilterSet.contains_many": {"group": "f"}, "FilterSet.number": {"group": "f"}, "build_filterset": {"keys": crivo.Files(FOLDER / "group-lines", column=2, value_column=1), "output": "built-groups"}, "build_rows": {"keys": crivo.Files(FOLDER / "rows-lines"), "output": "built-rows"}, "build_filter_hashes": {"hashes": [1, 2]}, "add_rows": {"pairs": crivo.Files(FOLDER / "more-rows-lines"), "chain": "rows-chain-anew"}, "remove_rows": {"removed": ["f"], "chain": "rows-chain-anew"}, "compact_rows": {"chain": "rows-chain", "pairs": crivo.Files(FOLDER / "rows-lines", FOLDER / "more-rows-lines")}, "add_groups": {"pairs": crivo.Files(FOLDER / "more-group-lines", column=2, value_column=1), "chain": "groups-chain-anew"}, "remove_groups": {"removed": ["f"], "chain": "groups-chain-anew"}, "compact_groups": {"chain": "groups-chain"}, "HashFilter": {"data": crivo.build_filter_hashes([1, 2])}, "HashFilter.__contains__": {"item": 1}, "HashFilter.get_many": {"hashes": [1]}, "Filter.count": {"key": 1}, "Filter.__contains__": {"key": 1},
    "Exact.__contains__": {"key": ("x", "a")}, "build_store": {"records": WORDS[:2], "output": "built"}, "apply_deltas": {"output": "chain2", "deltas": ["delta"]}, "build_map": {"values": [1, 2]},
    "build_dictionary": {"values": [1, 2]}, "Trust": {"public_keys": ["key.pub"]}, "Remote": {"url": f"{URL}/dictionary", "trust": None},
    "Remote.query": {"query": "prefix", "values": "a"},
}  # fmt: skip
BY_NAME = {
    "keys": WORDS[:2], "members": WORDS[:2], "added": WORDS[:2], "universe": WORDS, "key": "a", "text": "a", "name": "x", "record": "r",
    "output": "output", "exact": "exact", "directory": "dealt", "shard": (0, 1), "parts": ["part"], "deltas": ["delta", "delta2"],
    "low": 1, "high": 2, "number": 1, "numbers": [0], "edits": 1, "secret_key": "key", "form": "urls surt", "records": WORDS[:2], "value": 1,
    "paths": "lines", "path": "map", "replace": True, "rows": "rows", "filters": "filterset",
}  # fmt: skip
ARE_PATHS = {"path", "source", "rows", "filters", "chain", "row_groups", "output", "exact", "filter", "directory", "secret_key", "parts", "deltas", "temp_dir", "paths", "state", "public_keys"}
MANY = {"keys", "members", "added", "universe", "lows", "highs", "numbers", "groups", "universe_groups", "records", "values"}


def there(value):
    """A path, or a list of them, in the folder."""
    return [there(each) for each in value] if isinstance(value, list) else FOLDER / value if isinstance(value, str) else value


def right_for(call, signature):
    """The arguments that are given by name, and those that are given by place."""
    given = {}
    for name, parameter in signature.parameters.items():
        value = GIVEN.get(call, {}).get(name, inspect.Parameter.empty)
        if value is inspect.Parameter.empty and (parameter.default is inspect.Parameter.empty or name == "replace"):
            value = BY_NAME.get(name, inspect.Parameter.empty)
        if value is not inspect.Parameter.empty and parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            given[name] = there(value) if name in ARE_PATHS and call != "Exact.covers" else value
    return given


def array_of(values):
    return np.array(values, np.uint64 if isinstance(values[0], int) else None)


def strided(values):
    return np.repeat(array_of(values), 2)[::2]


#: Many keys: what they are, how they are made of a list, and whether they must answer as the list does.
SHAPES = (
    ("a tuple", tuple, True), ("a strided array", strided, True), ("an array of objects", lambda some: np.array(some, object), True),
    ("the other byte order", lambda some: array_of(some).astype(array_of(some).dtype.newbyteorder(">")), True),
    ("a read-only array", lambda some: np.frombuffer(array_of(some).tobytes(), array_of(some).dtype), True),
    ("a masked array", lambda some: np.ma.masked_array(np.array(some), [True] + [False] * (len(some) - 1)), False),
    ("two dimensions", lambda some: np.array(some).reshape(-1, 1), False), ("no dimension", lambda some: np.array(some[0]), False),
    ("floats", lambda some: [1.5] * len(some), False), ("an array of floats", lambda some: np.full(len(some), 1.5), False),
    ("one text", lambda some: "ab", False), ("bytes", lambda some: b"ab", False), ("a number", lambda some: 7, False),
    ("lone surrogates", lambda some: ["\ud800"] * len(some), False), ("None in it", lambda some: [None] * len(some), False),
    ("an object", lambda some: object(), False),
)


def hostile(name, parameter):
    """What a value is, and the value."""
    kind = str(parameter.annotation)
    is_optional = "Optional" in kind or parameter.default is None or "None" in kind or "Any" in kind and name not in ("key",)
    yield "an object", object()
    if not is_optional:
        yield "None", None
    if name in ("part", "shard", "epoch"):
        yield from (("one number", 1), ("a negative one", (-1, 1)), ("texts", ("a", "b")), ("three", (1, 2, 3)))
    elif name in ARE_PATHS:
        yield from (("a number", 1), ("NUL", "a\0b"), ("a lone surrogate", "\ud800"), ("another type", 1.5))
    elif "Callable" in kind or name == "progress":
        yield "a number", 1
    elif kind in ("bool", "<class 'bool'>"):
        yield from (("a text", "no"), ("a fraction", 2.5), ("2", 2))
    elif kind in ("int", "<class 'int'>") or name in ("low", "high", "number", "value", "seed"):
        yield from (("a text", "1"), ("a fraction", 1.5), ("-1", -1), ("2**64", 2**64))
    elif "float" in kind:
        yield from (("a text", "x"), ("not a number", float("nan")), ("infinite", float("inf")), ("-1", -1.0))
    elif name in ("key", "text", "record", "group", "default", "bases"):
        if name != "default":
            yield from (("a fraction", 1.5), ("a lone surrogate", "\ud800"), ("2**64", 2**64), ("a list", ["a"]))
    elif kind in ("str", "<class 'str'>") or "str" in kind:
        yield from (("bytes", b"x"), ("a number", 1), ("NUL", "a\0b"), ("a lone surrogate", "\ud800"))


def shown(result):
    """An answer, to be compared."""
    if isinstance(result, np.ndarray):
        return (str(result.dtype), result.tolist())
    if isinstance(result, tuple) and any(isinstance(each, np.ndarray) for each in result):
        return [shown(each) for each in result]
    if isinstance(result, (ItemsView, KeysView, ValuesView)) or inspect.isgenerator(result) or type(result).__name__ in ("takewhile", "generator", "list_iterator"):
        return list(result)
    if isinstance(result, crivo.Summary):
        return (result.keys, result.digest)
    if isinstance(result, (crivo.Estimate, crivo.Partition, crivo.Totals)):
        return repr(dataclasses.replace(result, seconds=0))
    return repr(result) if not repr(result).startswith("<crivo") and " at 0x" not in repr(result) else type(result).__name__


def outcome_of(call, *arguments, **named):
    """The answer, or None, and what came of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return shown(call(*arguments, **named)), "taken"
    except REFUSALS as error:
        text = str(error)
        if not text:
            return None, f"{type(error).__name__} WITHOUT A TEXT"
        if any(word in text for word in ("cdata", "initializer for ctype", "crivo_py", "_native", "positional argument", "unpack")):
            return None, f"SPEAKS OF THE INSIDE {type(error).__name__}: {text}"
        return None, f"refused {type(error).__name__}: {text}"
    except BaseException as error:  # pylint: disable=broad-except
        return None, f"{type(error).__name__} LEAKS: {error}"


def row(call, parameter, what, outcome):
    print(call, parameter, what, " ".join(outcome.split())[:300].encode("utf-8", "backslashreplace").decode(), sep="\t", flush=True)


def walk(call, function, signature, closed=None):
    """Calls with each parameter hostile, and where they are made."""
    given = right_for(call, signature)
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    by_place = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL)]

    def made(**changed):
        named = {**given, **changed}
        places = [named.pop(name) for name in by_place if name in named]
        return outcome_of(function, *places, **named)

    right, outcome = made()
    if call == "random_seed":  # another each time
        function = lambda: None  # noqa: E731
        right = "None"
    if call in ("remove_records", "set_records", "Writer.remove", "Writer.__delitem__"):
        right, outcome = made()
    row(call, "", "right", outcome)
    for what, run in (("on another thread", on_another_thread), ("after fork", after_fork), ("beside signals", beside_signals)):
        answer, outcome = run(made)
        row(call, "", what, outcome if outcome != "taken" or answer == right else f"ANOTHER ANSWER: {answer} {right}")
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            row(call, parameter.name, "another name", made(another_name=1)[1])
            continue
        for what, value in hostile(parameter.name, parameter):
            row(call, parameter.name, what, made(**{parameter.name: value})[1])
        if parameter.name in MANY and isinstance(given.get(parameter.name), list):
            if call == "set_records":  # it says what had been set before
                made()
                right, outcome = made()
            for what, make, is_same in SHAPES:
                answer, outcome = made(**{parameter.name: make(given[parameter.name])})
                row(call, parameter.name, what, outcome if not is_same or outcome == "taken" and answer == right else f"NOT AS THE LIST: {outcome} {answer}")
    if closed is not None:
        closed.close()
        row(call, "", "closed", made()[1])


def on_another_thread(made):
    answers = []
    thread = threading.Thread(target=lambda: answers.append(made()))
    thread.start()
    thread.join()
    return answers[0]


def after_fork(made):
    """AddressSanitizer's allocator may be locked by another thread at the moment of a fork, and then stays so in the child: one
    that hangs is tried again."""
    for _ in range(2):
        outcome = after_one_fork(made)
        if outcome[1] != "ENDED THE CHILD":
            break
    return outcome


def after_one_fork(made):
    source, target = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            os.write(target, repr(made()).encode("utf-8", "backslashreplace")[:60000])
        finally:
            os._exit(0)
    os.close(target)
    with os.fdopen(source, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return eval(said.decode(), {"Row": crivo.Row}) if said else (None, "ENDED THE CHILD")  # pylint: disable=eval-used


def beside_signals(made):
    old = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        return made()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


#: Of what is open; others are those of the language, or of what is frozen.
SPECIAL = ("__getitem__", "__contains__", "__len__", "__iter__", "__setitem__", "__delitem__", "__repr__", "__reversed__")
OPENED = {name: name.lower() for name in ("Mphf", "Filter", "Map", "Dictionary", "Store", "Exact", "Rows")}


def removed(writer):
    """Puts back what is to be removed."""
    def remove(key):
        writer.set("a", "r")
        del writer[key]
    return remove


def walk_class(name, kind):
    walk(name, kind, inspect.signature(kind))
    for member, what in inspect.getmembers(kind):
        if member.startswith("_") and member not in SPECIAL or member in ("close",):
            continue
        if what is None:
            continue

        def opened():
            if name == "Writer":
                return crivo.Writer(FOLDER / "updated")
            if name == "ExactGroup":
                with crivo.open(FOLDER / "exact") as exact:
                    return exact.group("x")
            if name == "Remote":
                return crivo.Remote(f"{URL}/dictionary", trust=None)
            return kind(FOLDER / OPENED[name])

        instance = opened()
        call = f"{name}.{member}"
        closes = instance if hasattr(instance, "close") else None
        if isinstance(what, property):
            walk(call, lambda: getattr(instance, member), inspect.Signature(), closes)
        elif callable(what):
            signature = inspect.signature(what)
            if member.startswith("__"):  # by place
                parameters = [p.replace(kind=p.POSITIONAL_ONLY) for p in list(signature.parameters.values())[1:]]
            else:
                parameters = [p for p in signature.parameters.values() if p.name != "self"]
            walk(call, removed(instance) if call == "Writer.__delitem__" else getattr(instance, member),
                 signature.replace(parameters=parameters), closes)
        if closes is not None:
            closes.close()
        del instance
        gc.collect()


def main():
    make_files()
    for name in sorted(crivo.__all__):
        what = getattr(crivo, name)
        if name in OPENED or name in ("Writer", "ExactGroup", "Remote"):
            if name == "ExactGroup":
                continue
            walk_class(name, what)
        elif name in ("Files", "Trust", "ProgressBar"):
            walk(name, what, inspect.signature(what))
        elif inspect.isfunction(what):
            walk(name, what, inspect.signature(what))
    walk_class_of_groups()
    for name in sorted(crivo.keys.__all__):
        walk(f"keys.{name}", getattr(crivo.keys, name), inspect.signature(getattr(crivo.keys, name)))
    SERVER.communicate()


def walk_class_of_groups():
    with crivo.open(FOLDER / "exact") as exact:
        group = exact.group("x")
    for member in ("get", "get_many", "__contains__"):
        signature = inspect.signature(getattr(group, member))
        parameters = [p.replace(kind=p.POSITIONAL_ONLY) for p in signature.parameters.values()]
        walk(f"ExactGroup.{member}", getattr(group, member), signature.replace(parameters=parameters))


if __name__ == "__main__":
    main()
