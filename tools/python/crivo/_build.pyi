# SPDX-License-Identifier: Apache-2.0
# Made by make_stub.py.
import builtins
from dataclasses import dataclass
from typing import Any, Callable, Dict, Literal, Optional, Tuple

from ._input import Input
from ._options import Notes
from ._resources import Progress, resources
from ._texts import Path

OnProgress = Optional[Callable[[Progress], Any]]

@dataclass(frozen=True)
class Summary:
    keys: int
    duplicates: int
    bytes: int
    seed: int
    fpr: Optional[float]
    measured_fpr: Optional[float]
    seconds: float
    temp_bytes: int
    threads: int
    value_bits: int
    digest: str
    warnings: Tuple[str, ...]
    data: 'builtins.bytes'
    def _repr_html_(self) -> str: ...

def empty_summary() -> Any: ...

def summary_of(summary: Any, given: resources, data: "builtins.bytes" = b"") -> Summary: ...

def build_dictionary(
    keys: Input,
    output: Optional[Path] = None,
    *,
    values: Any = None,
    seed: int = 0,
    keyed_hash: bool = False,
    ignore_duplicates: bool = False,
    allow_empty: bool = False,
    replace: bool = False,
    notes: Notes = None,
    threads: int = 0,
    memory: int = 0,
    temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
    token_bits: Literal['auto', '8', '10', '12'] = 'auto',
    block_keys: int = 64,
    sorted: bool = False,
    value_type: Literal['unsigned', 'signed', 'decimal'] = 'unsigned',
    scale: int = 0,
    hashed: bool = False,
    hashed_signature_bits: int = 8,
    no_tree: bool = False,
) -> Summary: ...

def build_exact(
    members: Input,
    universe: Input,
    output: Optional[Path] = None,
    *,
    groups: Any = None,
    universe_groups: Any = None,
    seed: int = 0,
    keyed_hash: bool = False,
    ignore_duplicates: bool = False,
    allow_empty: bool = False,
    replace: bool = False,
    notes: Notes = None,
    threads: int = 0,
    memory: int = 0,
    temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
    algorithm: Literal['ribbon'] = 'ribbon',
    group_delimiter: str = '',
    fpr: Optional[float] = None,
    covers: str = '',
    strict: bool = False,
    no_tree: bool = False,
) -> Summary: ...

def build_filter(
    keys: Input,
    output: Optional[Path] = None,
    *,
    seed: int = 0,
    keyed_hash: bool = False,
    ignore_duplicates: bool = False,
    allow_empty: bool = False,
    replace: bool = False,
    notes: Notes = None,
    threads: int = 0,
    memory: int = 0,
    temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
    type: Literal['ribbon', 'fuse', 'split-block-bloom', 'bloom', 'counting-bloom', 'cuckoo', 'hash-compaction', 'range'] = 'ribbon',
    fpr: Optional[float] = None,
    bits: Optional[float] = None,
    capacity: int = 0,
    hashes: int = 0,
    counter_bits: int = 4,
    arity: int = 4,
    semi_sorted: bool = False,
    count_duplicates: bool = False,
    longest_range: int = 1,
    prefixes: str = '',
    no_tree: bool = False,
) -> Summary: ...

def build_filterset(
    keys: Input,
    output: Optional[Path] = None,
    *,
    seed: int = 0,
    keyed_hash: bool = False,
    ignore_duplicates: bool = False,
    allow_empty: bool = False,
    replace: bool = False,
    notes: Notes = None,
    threads: int = 0,
    memory: int = 0,
    temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
    type: Literal['ribbon', 'fuse', 'split-block-bloom', 'bloom'] = 'ribbon',
    layout: Literal['rows', 'blocks'] = 'rows',
    fpr: Optional[float] = None,
    no_tree: bool = False,
) -> Summary: ...

def build_map(
    keys: Input,
    output: Optional[Path] = None,
    *,
    values: Any = None,
    seed: int = 0,
    keyed_hash: bool = False,
    ignore_duplicates: bool = False,
    allow_empty: bool = False,
    replace: bool = False,
    notes: Notes = None,
    threads: int = 0,
    memory: int = 0,
    temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
    algorithm: Literal['ribbon', 'fuse', 'mwhc2', 'mwhc3'] = 'ribbon',
    value_type: Literal['unsigned', 'signed', 'decimal'] = 'unsigned',
    scale: int = 0,
    value_bits: int = 0,
    arity: int = 4,
    compress: bool = False,
    signature_bits: int = 0,
    no_tree: bool = False,
) -> Summary: ...

def build_mphf(
    keys: Input,
    output: Optional[Path] = None,
    *,
    seed: int = 0,
    keyed_hash: bool = False,
    ignore_duplicates: bool = False,
    allow_empty: bool = False,
    replace: bool = False,
    notes: Notes = None,
    threads: int = 0,
    memory: int = 0,
    temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
    algorithm: Literal['fast', 'compact', 'tiny', 'mwhc2', 'mwhc3', 'fch', 'bmz', 'bdz'] = 'fast',
    effort: int = 0,
    signature_bits: int = 0,
    hash: Literal['xxh3', 'universal', 'zobrist', 'jenkins'] = 'xxh3',
    unbiased: bool = False,
    no_tree: bool = False,
) -> Summary: ...

def build_rows(
    keys: Input,
    output: Optional[Path] = None,
    *,
    seed: int = 0,
    keyed_hash: bool = False,
    ignore_duplicates: bool = False,
    allow_empty: bool = False,
    replace: bool = False,
    notes: Notes = None,
    threads: int = 0,
    memory: int = 0,
    temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
    signature_bits: int = 16,
    many: bool = False,
    null_text: str = '',
    fixed: int = 0,
    row_groups: str = '',
    check_files: bool = False,
    no_tree: bool = False,
) -> Summary: ...

def build_store(
    keys: Input,
    output: Path,
    *,
    records: Any = None,
    seed: int = 0,
    keyed_hash: bool = False,
    ignore_duplicates: bool = False,
    allow_empty: bool = False,
    replace: bool = False,
    notes: Notes = None,
    threads: int = 0,
    memory: int = 0,
    temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
    algorithm: Literal['fast', 'compact', 'tiny', 'mwhc2', 'mwhc3', 'fch', 'bmz', 'bdz'] = 'fast',
    signature_bits: int = 16,
    backend: Literal['lmdb', 'flat'] = 'lmdb',
    codec: Literal['auto', 'none', 'tokens12', 'tokens16', 'zstd', 'neighbours'] = 'auto',
    goal: Literal['smallest', 'size', 'balanced', 'speed'] = 'balanced',
    block_bytes: int = 2048,
    repeated: Literal['first', 'last', 'all'] = 'first',
    ordered: bool = False,
    no_tree: bool = False,
) -> Summary: ...

@dataclass(frozen=True)
class Estimate:
    keys: int
    memory_bytes: int
    minimum_memory_bytes: int
    temp_bytes: int
    output_bytes: int
    partitions: int
    seconds: float
    would_be_refused: bool

def estimate(
    kind: str,
    keys: Input,
    *,
    values: Any = None,
    records: Any = None,
    seed: int = 0,
    keyed_hash: bool = False,
    ignore_duplicates: bool = False,
    allow_empty: bool = False,
    threads: int = 0,
    memory: int = 0,
    temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
    **options: Any
) -> Estimate: ...

def random_seed(
) -> int: ...
