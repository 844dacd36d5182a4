// SPDX-License-Identifier: Apache-2.0
/// The options of each kind, and the table that they are rows of: one row serves the command line,
/// C, Python and what a file records.
///
///     crivo::build_filter(keys, "seen.crv", {.type = "ribbon", .fpr = 0.001});
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "crivo/detail/export.hpp"
#include "crivo/value_form.hpp"

namespace crivo {

/// Says what the value of a choice is, as a text.
enum class ChoiceType : std::uint8_t {
  flag,    ///< 0 or 1
  count,   ///< a whole number in decimal digits
  bytes,   ///< the same, of bytes
  rate,    ///< a number between 0 and 1
  number,  ///< a decimal number, such as 9.5
  name,    ///< one of Choice::names
  text,    ///< any text, which its structure reads
};

/// Says where a choice is recorded.
enum class Recorded : std::uint8_t {
  in_metadata,  ///< as `crivo.` and its name, if the structure takes it; so it is in the build id
  unless_default,  ///< the same of another value than the default: where files had no such choice
  in_header,       ///< the header of a file tells it, which the build id covers too
  nowhere,         ///< it is about the input: equal keys make equal files
};

/// A Choice is a row of the table.
struct Choice {
  std::string_view name;      ///< of the member of the options
  std::string_view option{};  ///< of the program, without its dashes; empty: another decides
  std::string_view help;      ///< a line
  /// The algorithms or types that take it, with a blank between each two; empty: all of the kind.
  /// For others anything but the default is Error(usage).
  std::string_view takers{};
  std::string_view value_name = "N";  ///< in --help, of what is neither a flag nor a name
  /// The range of counts, or if there are any the only numbers. A default outside is chosen by the
  /// structure, and has no name.
  std::uint64_t low = 0;
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
  std::span<const unsigned> numbers{};
  std::span<const std::string_view> (*names)() noexcept = nullptr;  ///< of ChoiceType::name
  /// The default of a choice that has none in the options: what is taken if neither this nor the
  /// choice that is instead of it is given.
  std::string_view otherwise{};
  std::string_view instead_of{};  ///< a choice that cannot be given with this one
  std::string_view needs{};       ///< a choice that must be given with this one
  Recorded recorded = Recorded::in_metadata;
  ChoiceType type = ChoiceType::name;  ///< named of bytes, rates and texts: the member tells others
  std::string initial{};               ///< the default, of the member too; empty if there is none
};

namespace detail {
/// `Options`, const or not.
template <typename T, typename Options>
concept OptionsOf = std::same_as<std::remove_const_t<T>, Options>;

inline constexpr std::array kSignatureBits{0U, 8U, 16U, 32U};
inline constexpr std::array kArities{3U, 4U};
inline constexpr std::array kNumberBytes{0U, 8U};

/// Makes the row of what answers for any key where there are no signatures.
inline Choice signature_row() {
  return {
      .name = "signature_bits",
      .option = "signature",
      .help = "refuse all but 2^-BITS of the keys outside the set: 0 (refuse none), 8, 16 or 32",
      .value_name = "BITS",
      .numbers = kSignatureBits};
}

/// Makes the row of numbers that belong to keys.
inline Choice value_type_row() {
  return {.name = "value_type",
          .option = "value-type",
          .help = "unsigned (below 2^64), signed (from -2^63), or decimal (such as -12.50)",
          .names = value_types};
}
inline Choice scale_row() {
  return {.name = "scale",
          .option = "scale",
          .help = "digits after the point of a decimal, 0 to 18",
          .high = kMaxValueScale,
          .needs = "value_type"};
}

/// Makes the row of every kind.
inline Choice tree_row() {
  return {.name = "no_tree",
          .option = "no-tree",
          .help = "no hash tree: a signature then is checked by reading the whole file",
          .recorded = Recorded::unless_default};
}
}  // namespace detail

/// Names and values of some choices of a kind; the others have their defaults.
using Choices = std::map<std::string, std::string, std::less<>>;

/// Returns the names that MphfOptions::algorithm may have; the first is the default.
CRIVO_API std::span<const std::string_view> mphf_algorithms() noexcept;
/// Returns the names that MphfOptions::hash may have; the first is the default.
CRIVO_API std::span<const std::string_view> key_hashes() noexcept;

struct MphfOptions {
  std::string algorithm = "fast";  ///< one of mphf_algorithms()
  unsigned effort = 0;  ///< 0 to the algorithm's highest: more time in the build, less space
  unsigned signature_bits = 0;  ///< 0, 8, 16 or 32: refuse all but 2^-bits of absent keys
  /// The key hash, one of key_hashes(); only the seeds' algorithms (mwhc2, mwhc3, fch, bmz, bdz)
  /// take another than xxh3. universal and zobrist refuse keys of more than 4096 bytes.
  std::string hash = "xxh3";
  /// Theirs too: whether their functions' values are made numbers below m without favouring any,
  /// and not as the dissertation does it.
  bool unbiased = false;
  bool no_tree = false;  ///< leave out the hash tree
};

/// Calls visit(row, member) for each row of an MPHF's choices.
template <typename Visit>
void visit_choices(detail::OptionsOf<MphfOptions> auto& mphf, Visit&& visit) {
  visit(Choice{.name = "algorithm",
               .option = "algorithm",
               .help = "which MPHF; with mwhc2 and mwhc3 the rank is the key's place in the input",
               .names = mphf_algorithms},
        mphf.algorithm);
  visit(Choice{.name = "effort",
               .option = "effort",
               .help = "less space for more time in the build: 0 to 2 (compact, tiny)",
               .takers = "compact tiny"},
        mphf.effort);
  visit(detail::signature_row(), mphf.signature_bits);
  visit(
      Choice{.name = "hash",
             .option = "hash",
             .help = "key hash of mwhc2, mwhc3, fch, bmz and bdz; the others use xxh3, or siphash "
                     "if it is keyed",
             .takers = "mwhc2 mwhc3 fch bmz bdz",
             .names = key_hashes,
             .recorded = Recorded::in_header},
      mphf.hash);
  visit(Choice{.name = "unbiased",
               .option = "unbiased",
               .help = "for these: map hash values to [0, m) evenly, not by the dissertation's mod "
                       "m, or mask and xor",
               .takers = "mwhc2 mwhc3 fch bmz bdz"},
        mphf.unbiased);
  visit(detail::tree_row(), mphf.no_tree);
}

/// Returns the names that FilterOptions::type may have; the first is the default.
CRIVO_API std::span<const std::string_view> filter_types() noexcept;

/// Which filter, and how large. Options beyond `type`, `fpr` and `bits` belong to some types only;
/// for another, anything but the default is Error(usage).
struct FilterOptions {
  std::string type = "ribbon";  ///< one of filter_types()
  /// The highest false-positive rate to allow, from 2^-32 to below 1. With neither this nor `bits`:
  /// 1/256.
  std::optional<double> fpr{};
  /// Instead of `fpr`: the bits of a key's fingerprint, a whole number from 1 to 32 (cuckoo: from
  /// 2, semi-sorted from 4; hash-compaction: 2 to 64); for the types that keep none (of the Bloom
  /// family, and `range`), bits per key.
  std::optional<double> bits{};
  std::uint64_t capacity = 0;  ///< room for so many keys in all, where more are to be added later
  unsigned hashes = 0;         ///< probes of a key; 0: as many as give the lowest rate
  unsigned counter_bits = 4;   ///< of a counter
  unsigned arity = 4;          ///< slots that make up a key's fingerprint
  bool semi_sorted = false;    ///< save a bit a fingerprint by sorting each bucket
  /// Count every one of equal keys, as if each were added anew: keys are then a multiset, and there
  /// is room for all of it.
  bool count_duplicates = false;
  /// Ranges (of type `range`) of at most so many numbers have no higher rate than `fpr`.
  std::uint64_t longest_range = 1;
  /// One character: each key stands for itself and for what stands before each such character in
  /// it, unless that is empty. So a lookup of "a/b" tells whether a key is it or begins with
  /// "a/b/". Equal keys are kept once.
  std::string prefixes{};
  bool no_tree = false;  ///< leave out the hash tree
};

namespace detail {
/// Visits those that are about its keys.
template <typename Visit>
void visit_key_choices(OptionsOf<FilterOptions> auto& filter, Visit&& visit) {
  visit(Choice{.name = "longest_range",
               .option = "longest-range",
               .help = "numbers in the longest range that the rate holds for, 1 to 2^24 (range)",
               .takers = "range",
               .value_name = "L",
               .low = 1,
               .high = std::uint64_t{1} << 24},
        filter.longest_range);
  visit(Choice{.name = "prefixes",
               .option = "prefixes",
               .help = "add what stands before each C in a key, too: a query then tells whether "
                       "anything lies under a prefix",
               .takers = "ribbon fuse split-block-bloom bloom counting-bloom cuckoo "
                         "hash-compaction",
               .value_name = "C",
               .recorded = Recorded::unless_default,
               .type = ChoiceType::text},
        filter.prefixes);
}
}  // namespace detail

/// Calls visit(row, member) for each row of a filter's choices.
template <typename Visit>
void visit_choices(detail::OptionsOf<FilterOptions> auto& filter, Visit&& visit) {
  visit(Choice{.name = "type", .option = "type", .help = "which filter", .names = filter_types},
        filter.type);
  visit(Choice{.name = "fpr",
               .option = "fpr",
               .help = "the highest false-positive rate to allow: 0.001, 0.1% or 1/1000; "
                       "default 1/256",
               .value_name = "P",
               .otherwise = "0.00390625",
               .type = ChoiceType::rate},
        filter.fpr);
  visit(Choice{.name = "bits",
               .option = "bits",
               .help = "instead of fpr: fingerprint bits, 1 to 32, for a rate of about 2^-BITS; "
                       "for Bloom filters, bits per key",
               .value_name = "BITS",
               .instead_of = "fpr"},
        filter.bits);
  visit(Choice{.name = "capacity",
               .option = "capacity",
               .help = "total capacity, to add keys later (bloom, counting-bloom, cuckoo)",
               .takers = "bloom counting-bloom cuckoo",
               .low = 1},
        filter.capacity);
  visit(Choice{.name = "hashes",
               .option = "hashes",
               .help = "probes per key; the default has the lowest rate (bloom, counting-bloom)",
               .takers = "bloom counting-bloom",
               .value_name = "K",
               .low = 1,
               .high = 64},
        filter.hashes);
  visit(Choice{.name = "counter_bits",
               .option = "counter-bits",
               .help = "bits per counter (counting-bloom)",
               .takers = "counting-bloom",
               .value_name = "BITS",
               .low = 1,
               .high = 32},
        filter.counter_bits);
  visit(Choice{.name = "arity",
               .option = "arity",
               .help = "slots per key: 3 or 4 (fuse)",
               .takers = "fuse",
               .numbers = detail::kArities},
        filter.arity);
  visit(Choice{.name = "semi_sorted",
               .option = "semi-sorted",
               .help = "save a bit per fingerprint; lookups are slower (cuckoo)",
               .takers = "cuckoo"},
        filter.semi_sorted);
  visit(Choice{.name = "count_duplicates",
               .help = "every one of equal keys counts (counting-bloom)",
               .takers = "counting-bloom"},
        filter.count_duplicates);
  detail::visit_key_choices(filter, visit);
  visit(detail::tree_row(), filter.no_tree);
}

/// Returns the names that MapOptions::algorithm may have; the first is the default.
CRIVO_API std::span<const std::string_view> map_algorithms() noexcept;

struct MapOptions {
  std::string algorithm = "ribbon";  ///< one of map_algorithms()
  /// The input is key-and-value pairs. Otherwise it is keys, and a key's value is its number in the
  /// input, from 0.
  bool values = false;
  ValueForm form{};  ///< of the values of pairs
  /// The bits of a value, 1 to 64; 0: as many as the largest needs. A signed one v takes those of 2
  /// v, or of -2 v - 1 if it is negative.
  unsigned value_bits = 0;
  bool compress = false;        ///< skewed values take about their entropy; `ribbon` only
  unsigned arity = 4;           ///< 3 or 4: slots that make up a value; `fuse` only
  unsigned signature_bits = 0;  ///< 0, 8, 16 or 32: refuse all but 2^-bits of absent keys
  bool no_tree = false;         ///< leave out the hash tree
};

/// Calls visit(row, member) for each row of a map's choices.
template <typename Visit>
void visit_choices(detail::OptionsOf<MapOptions> auto& map, Visit&& visit) {
  visit(Choice{.name = "algorithm",
               .option = "algorithm",
               .help = "which static function",
               .names = map_algorithms},
        map.algorithm);
  visit(Choice{.name = "values",
               .option = "values",
               .help =
                   "the input is key<TAB>value lines (key NUL value NUL where keys end with NUL); "
                   "a value is a decimal integer, or what its type says"},
        map.values);
  visit(detail::value_type_row(), map.form.type);
  visit(detail::scale_row(), map.form.scale);
  visit(Choice{.name = "value_bits",
               .option = "value-bits",
               .help = "bits per value, 1 to 64; default: as many as the largest needs",
               .value_name = "BITS",
               .low = 1,
               .high = 64},
        map.value_bits);
  visit(Choice{.name = "arity",
               .option = "arity",
               .help = "slots per value: 3 or 4 (fuse)",
               .takers = "fuse",
               .numbers = detail::kArities},
        map.arity);
  visit(Choice{.name = "compress",
               .option = "compress",
               .help = "if some values are frequent: store about their entropy, not their bits "
                       "(ribbon)",
               .takers = "ribbon"},
        map.compress);
  visit(detail::signature_row(), map.signature_bits);
  visit(detail::tree_row(), map.no_tree);
}

struct RowsOptions {
  unsigned signature_bits = 16;  ///< 0, 8, 16 or 32: refuse all but 2^-bits of absent keys
  /// Let keys stand in several rows: each has all of its rows, equal ones once. With signatures.
  bool many = false;
  /// A key that is this text, and not in quotes, is NULL: its row is left out, and counted. Where
  /// empty, of CSV (KeyFormat::quotes) the empty text is. So is null of JSON.
  std::string null_text{};
  /// 8: keys are 64-bit numbers, from -2^63 to below 2^64 in decimal digits, and are hashed as
  /// their 8 bytes, the lowest first (keys of a KeySource are these bytes). The file says so, and
  /// is asked for numbers alone. 0: keys are texts.
  unsigned fixed = 0;
  /// A file of lines file TAB row group TAB its rows, the same line any number of times: all files
  /// that rows may be in. Where the input's lines have other columns (KeyFormat::quotes,
  /// column_delimiter, skip_header), so have these. Empty: the files are those of the input, and
  /// have no row groups.
  std::string row_groups{};
  /// Look at the files, by their names as paths, and keep the length, the time and a hash of the
  /// last 64 KiB of each: so Rows::is_unchanged() can tell that one was rewritten since.
  bool check_files = false;
  bool no_tree = false;  ///< leave out the hash tree
};

/// Calls visit(row, member) for each row of an index of rows' choices.
template <typename Visit>
void visit_choices(detail::OptionsOf<RowsOptions> auto& rows, Visit&& visit) {
  visit(detail::signature_row(), rows.signature_bits);
  visit(Choice{.name = "many",
               .option = "many",
               .help = "let keys stand in several rows, each of which is answered",
               .recorded = Recorded::unless_default,
               .type = ChoiceType::flag},
        rows.many);
  visit(Choice{.name = "null_text",
               .option = "null-text",
               .help = "a key that is TEXT, not in quotes, is NULL: its row is left out, and "
                       "counted; of CSV the empty text, if none is told",
               .value_name = "TEXT",
               .recorded = Recorded::unless_default,
               .type = ChoiceType::text},
        rows.null_text);
  visit(Choice{.name = "fixed",
               .option = "fixed",
               .help = "8: keys are 64-bit numbers, written in digits and kept as 8 bytes; the "
                       "file is asked for numbers alone. 0: keys are texts",
               .value_name = "BYTES",
               .numbers = detail::kNumberBytes,
               .recorded = Recorded::unless_default},
        rows.fixed);
  visit(Choice{.name = "row_groups",
               .option = "row-groups",
               .help = "a file of lines file<TAB>row group<TAB>its rows, or of such columns as the "
                       "input has; no row may be elsewhere",
               .value_name = "FILE",
               .recorded = Recorded::nowhere,
               .type = ChoiceType::text},
        rows.row_groups);
  visit(Choice{.name = "check_files",
               .option = "check-files",
               .help = "look at the files, to tell from a query that one was rewritten since",
               .recorded = Recorded::unless_default,
               .type = ChoiceType::flag},
        rows.check_files);
  visit(detail::tree_row(), rows.no_tree);
}

/// Returns the names that FilterSetOptions::type may have; the first is the default.
CRIVO_API std::span<const std::string_view> filter_set_types() noexcept;

/// How the filters of a set lie: each by itself, or those of like sizes side by side.
enum class FilterSetLayout { rows, blocks };
CRIVO_API std::span<const std::string_view> filter_set_layouts() noexcept;

struct FilterSetOptions {
  std::string type = "ribbon";  ///< one of filter_set_types()
  /// Of type bloom: with `blocks` one key is asked of all groups ten times as fast, and a group
  /// has the rate on the average over 64 or 512 of like sizes.
  FilterSetLayout layout = FilterSetLayout::rows;
  /// The highest false-positive rate of a group to allow, from 2^-32 (split-block-bloom: 2^-24) to
  /// below 1; nothing: 1/256.
  std::optional<double> fpr{};
  bool no_tree = false;  ///< leave out the hash tree
};

/// Calls visit(row, member) for each row of a filter set's choices.
template <typename Visit>
void visit_choices(detail::OptionsOf<FilterSetOptions> auto& set, Visit&& visit) {
  visit(Choice{.name = "type",
               .option = "type",
               .help = "which filters, one for each group",
               .names = filter_set_types},
        set.type);
  visit(Choice{.name = "layout",
               .option = "layout",
               .help = "bloom: rows (each filter by itself), or blocks (side by side: one key is "
                       "asked of all groups ten times as fast)",
               .takers = "bloom",
               .names = filter_set_layouts},
        set.layout);
  visit(Choice{.name = "fpr",
               .option = "fpr",
               .help = "the highest false-positive rate of a group to allow: 0.001, 0.1% or "
                       "1/1000; default 1/256",
               .value_name = "P",
               .otherwise = "0.00390625",
               .type = ChoiceType::rate},
        set.fpr);
  visit(detail::tree_row(), set.no_tree);
}

/// Returns the names that StoreOptions::backend may have; the first is the default.
CRIVO_API std::span<const std::string_view> store_backends() noexcept;
/// Returns the names that StoreOptions::codec may have; the first is the default.
CRIVO_API std::span<const std::string_view> store_codecs() noexcept;
/// Returns the names that StoreOptions::goal may have.
CRIVO_API std::span<const std::string_view> store_goals() noexcept;

/// Which records of a repeated key a store keeps where BuildOptions::ignore_duplicates is set.
enum class RepeatedRecords {
  first,  ///< in the order of the input: number of the file, then place
  last,
  all,  ///< joined in that order, with a LF between each two
};

/// Their names, in that order: "first", "last" and "all".
CRIVO_API std::span<const std::string_view> repeated_records() noexcept;

struct StoreOptions {
  std::string algorithm = "fast";
  /// Where the records are, one of store_backends(). "lmdb": in an LMDB environment. "flat": in a
  /// file of our own, for the quickest lookups.
  std::string backend = "lmdb";
  /// 8, 16 or 32: absent keys are refused before a record is read. A flat store has fingerprints of
  /// 16 bits in its place.
  unsigned signature_bits = 16;
  /// How records are compressed: one of store_codecs(). "none": not at all; "tokens12",
  /// "tokens16": each record by itself as tokens of 12 or 16 bits, of a dictionary trained on the
  /// first of them in hash order; "zstd": blocks of records, with a dictionary; "neighbours": what
  /// differs from records with similar keys, of an ordered store. A record or block that does not
  /// shrink is kept as it is. "auto" is the one of all these that comes nearest to `goal` on a
  /// sample of the records.
  std::string codec = "auto";
  /// The goal of "auto", one of store_goals(): "size", the least bytes, for which a flat store is
  /// `ordered`; "smallest", fewer yet, of a flat store alone, where the build and hits may take
  /// longer; "speed", the least cost of a hit; "balanced", the least product of both. Costs are
  /// those of a fixed table (formats/store.md), so that the same records give the same codec
  /// anywhere.
  std::string goal = "balanced";
  RepeatedRecords repeated = RepeatedRecords::first;
  /// A dictionary of the keys takes the place of the MPHF, so that records are in the order of
  /// their keys, and can be asked for by prefixes and bounds. Of a flat store, whose `algorithm`
  /// and `signature_bits` then say nothing.
  bool ordered = false;
  /// zstd's, where it is asked for: 512 to 16384 bytes of records.
  std::uint32_t block_bytes = 2048;
  bool no_tree = false;  ///< leave out the hash tree
};

/// Calls visit(row, member) for each row of a store's choices.
template <typename Visit>
void visit_choices(detail::OptionsOf<StoreOptions> auto& store, Visit&& visit) {
  visit(Choice{.name = "algorithm",
               .option = "algorithm",
               .help = "which MPHF",
               .names = mphf_algorithms},
        store.algorithm);
  visit(Choice{.name = "signature_bits",
               .option = "signature",
               .help = "refuse all but 2^-BITS of absent keys without reading a record: 8, 16 or "
                       "32",
               .value_name = "BITS",
               .numbers = std::span(detail::kSignatureBits).subspan(1)},
        store.signature_bits);
  visit(Choice{.name = "backend",
               .option = "backend",
               .help = "where the records are: lmdb, an LMDB environment; flat, a file with the "
                       "quickest lookups, which can be signed",
               .names = store_backends},
        store.backend);
  visit(Choice{.name = "codec",
               .option = "codec",
               .help = "how records are compressed: none; tokens12 or tokens16, each record alone; "
                       "zstd, in blocks; neighbours, by what records with similar keys have; "
                       "auto, the one of these that suits the goal best",
               .names = store_codecs},
        store.codec);
  visit(Choice{.name = "goal",
               .option = "goal",
               .help = "for auto: size, the least bytes, for which a flat store is ordered; "
                       "smallest, fewer at slower hits; speed, the least cost of a hit; balanced, "
                       "the least product of both",
               .names = store_goals,
               .recorded = Recorded::unless_default},
        store.goal);
  visit(Choice{.name = "block_bytes",
               .option = "block",
               .help = "for zstd: bytes of records compressed together, 512 to 16K",
               .value_name = "SIZE",
               .low = 512,
               .high = 16384,
               .type = ChoiceType::bytes},
        store.block_bytes);
  visit(Choice{.name = "repeated",
               .help = "which records of a repeated key are kept where one is: the first or the "
                       "last of the input, or all, with a LF between each two",
               .names = repeated_records},
        store.repeated);
  visit(Choice{.name = "ordered",
               .option = "ordered",
               .help =
                   "records in the order of their keys, so that those of a prefix, or between two "
                   "bounds, can be read; with the backend flat alone",
               .recorded = Recorded::unless_default},
        store.ordered);
  visit(detail::tree_row(), store.no_tree);
}

struct DictionaryOptions {
  /// Bits of a token: "8", "10" or "12", or "auto", those with which the file is smallest.
  std::string token_bits = "auto";
  /// Keys of a block, 16 to 256: more take less space and longer to find.
  unsigned block_keys = 64;
  /// The input is in byte order, and read in constant memory; Error(bad_input) names the first line
  /// out of order. The file is the same.
  bool sorted = false;
  /// The input is key-and-value pairs, of which the value stands beside the id.
  bool values = false;
  ValueForm form{};  ///< of the values
  /// Keep what Dictionary::lookup_hashed() takes: an MPHF of the keys, and for each of its ranks a
  /// signature and an id, about (10 + log2 n) / 8 bytes a key.
  bool hashed = false;
  unsigned hashed_signature_bits = 8;  ///< 8 or 16
  bool no_tree = false;                ///< leave out the hash tree
};

namespace detail {
inline constexpr std::array<std::string_view, 4> kTokenBits{"auto", "8", "10", "12"};
inline constexpr std::array kHashedSignatureBits{8U, 16U};
inline std::span<const std::string_view> token_bits_names() noexcept {
  return kTokenBits;
}
}  // namespace detail

/// Calls visit(row, member) for each row of a dictionary's choices.
template <typename Visit>
void visit_choices(detail::OptionsOf<DictionaryOptions> auto& dictionary, Visit&& visit) {
  visit(
      Choice{.name = "token_bits",
             .option = "token-bits",
             .help = "bits per token: 8 for words, 12 for long keys; auto takes the smallest file",
             .names = detail::token_bits_names},
      dictionary.token_bits);
  visit(Choice{.name = "block_keys",
               .option = "block-keys",
               .help = "keys per block: more make a smaller file and slower lookups",
               .low = 16,
               .high = 256},
        dictionary.block_keys);
  visit(Choice{.name = "sorted",
               .option = "sorted",
               .help = "the input is in byte order: read it in constant memory",
               .recorded = Recorded::nowhere},
        dictionary.sorted);
  visit(Choice{.name = "values",
               .option = "values",
               .help = "the input is key<TAB>value lines (key NUL value NUL where keys end with "
                       "NUL): keep a number beside each id, of a type that a map's may have",
               .recorded = Recorded::unless_default},
        dictionary.values);
  Choice value_type = detail::value_type_row();
  value_type.needs = "values";
  value_type.recorded = Recorded::unless_default;
  visit(value_type, dictionary.form.type);
  Choice scale = detail::scale_row();
  scale.recorded = Recorded::unless_default;
  visit(scale, dictionary.form.scale);
  visit(Choice{.name = "hashed",
               .option = "hashed",
               .help = "keep hashes of the keys, too, by which ids are found several times "
                       "faster, and wrong ids of some absent keys",
               .recorded = Recorded::unless_default},
        dictionary.hashed);
  visit(Choice{.name = "hashed_signature_bits",
               .option = "signature",
               .help = "find wrong ids by hashes of 2^-BITS of the absent keys: 8 or 16",
               .value_name = "BITS",
               .numbers = detail::kHashedSignatureBits,
               .needs = "hashed",
               .recorded = Recorded::unless_default},
        dictionary.hashed_signature_bits);
  visit(detail::tree_row(), dictionary.no_tree);
}

/// Returns the names that ExactOptions::algorithm may have.
CRIVO_API std::span<const std::string_view> exact_algorithms() noexcept;

/// Which exact set.
struct ExactOptions {
  std::string algorithm = "ribbon";  ///< one of exact_algorithms()
  /// Keys belong to groups, and are told apart by both. A set of which each group has members at a
  /// rate of its own is smaller by groups. Units of the input are pairs, a key and its group in the
  /// place of a record or value, or, where no columns are named, lines group TAB key; or keys with
  /// a group_delimiter.
  bool grouped = false;
  /// One character, which makes the set `grouped`: the group is what stands before the first of it
  /// in the text of each key, and the key what stands behind it. Empty: units are pairs.
  std::string group_delimiter{};
  /// The rate at which keys outside the universe may be taken for members, at most: from 2^-33 to
  /// below 1. Nothing: whatever the smallest file gives, as its info says.
  std::optional<double> fpr{};
  /// Ranges of keys that the universe covers, NAME=LOW:HIGH with a comma between each two: a
  /// lookup that names an epoch outside of them is answered `outside`.
  std::string covers{};
  bool strict = false;   ///< refuse members that are not in the universe, instead of a warning
  bool no_tree = false;  ///< leave out the hash tree
};

/// Calls visit(row, member) for each row of an exact set's choices.
template <typename Visit>
void visit_choices(detail::OptionsOf<ExactOptions> auto& exact, Visit&& visit) {
  visit(Choice{.name = "algorithm", .help = "which structure", .names = exact_algorithms},
        exact.algorithm);
  visit(Choice{.name = "grouped", .help = "keys belong to groups"}, exact.grouped);
  visit(Choice{.name = "group_delimiter",
               .option = "group-delimiter",
               .help = "each key begins with the name of its group, up to the first of this "
                       "character",
               .value_name = "C",
               .recorded = Recorded::nowhere,
               .type = ChoiceType::text},
        exact.group_delimiter);
  visit(Choice{.name = "fpr",
               .option = "fpr",
               .help = "the highest rate at which keys outside the universe may be taken for "
                       "members; default: whatever the smallest file gives",
               .value_name = "P",
               .type = ChoiceType::rate},
        exact.fpr);
  visit(
      Choice{
          .name = "covers",
          .option = "covers",
          .help =
              "what the universe covers, which queries can ask for; commas stand between several",
          .value_name = "NAME=LOW:HIGH",
          .type = ChoiceType::text},
      exact.covers);
  visit(Choice{.name = "strict",
               .option = "strict",
               .help = "refuse members that are not in the universe",
               .recorded = Recorded::nowhere},
        exact.strict);
  visit(detail::tree_row(), exact.no_tree);
}

}  // namespace crivo
