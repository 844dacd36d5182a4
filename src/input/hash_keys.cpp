// SPDX-License-Identifier: Apache-2.0
#include "input/hash_keys.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "crivo/error.hpp"
#include "crivo/suffixes.hpp"
#include "hashing/batch_hash.hpp"
#include "input/chunk_numbers.hpp"
#include "input/for_each_chunk.hpp"
#include "input/hash_passes.hpp"
#include "input/row_units.hpp"
#include "input/value_text.hpp"

namespace crivo::input {
namespace {

using stream::HashedValue;
using stream::PlacedValue;

ParseKeys key_parser(const KeyFormat& format) {
  return
      [format](const Chunk& chunk, const VisitKey& visit) { for_each_key(chunk, format, visit); };
}

ParseKeys record_parser(const KeyFormat& format) {
  return [format](const Chunk& chunk, const VisitKey& visit) {
    for_each_record(chunk, format,
                    [&](std::string_view key, std::string_view, std::uint64_t index,
                        std::size_t offset) { visit(key, index, offset); });
  };
}

// The units of HashPasses.

struct Keys {
  using HashedKey = Hash128;
  struct Rest {};
  static constexpr bool kTakesPasses = true;  ///< what is taken depends on no other unit

  template <typename Add>
  void take(const Chunk& chunk, const Add& add) const {
    for_each_key(chunk, format,
                 [&](std::string_view key, std::uint64_t, std::size_t) { add(key, {}); });
  }
  static Hash128 hashed(unsigned, Hash128 hash, std::string_view, Rest) noexcept { return hash; }

  const KeyFormat& format;
};

/// Keys and their prefixes, but for those that the key before has, too.
struct PrefixedKeys {
  using HashedKey = Hash128;
  struct Rest {};

  template <typename Add>
  void take(const Chunk& chunk, const Add& add) const {
    std::string_view before;
    for_each_key(chunk, format, [&](std::string_view key, std::uint64_t index, std::size_t offset) {
      const auto alike = std::ranges::mismatch(key, before).in1 - key.begin();
      std::size_t bytes = 0;
      for_each_prefix(
          key, delimiter, static_cast<std::size_t>(alike), [&](std::string_view prefix) {
            bytes += prefix.size();
            if (bytes > kMostBorderBytes) {
              throw InputFault(place_in(chunk, index, offset),
                               "the key has too many prefixes: they have over 16 MiB together");
            }
            add(prefix, {});
          });
      add(key, {});
      before = key;
    });
  }
  static Hash128 hashed(unsigned, Hash128 hash, std::string_view, Rest) noexcept { return hash; }

  const KeyFormat& format;
  char delimiter;
};

/// Keys whose values are their places.
struct NumberedKeys {
  using HashedKey = HashedValue;
  using Rest = std::uint64_t;

  template <typename Add>
  void take(const Chunk& chunk, const Add& add) const {
    std::uint64_t units = 0;
    const std::uint64_t first = numbers.place(chunk);
    for_each_key(chunk, format, [&](std::string_view key, std::uint64_t index, std::size_t) {
      add(key, first + index);
      units = index + 1;
    });
    numbers.note(chunk, units);
  }
  static HashedValue hashed(unsigned, Hash128 hash, std::string_view,
                            std::uint64_t place) noexcept {
    return {hash, place};
  }

  const KeyFormat& format;
  ChunkNumbers& numbers;
};

/// Keys whose values stand beside them: for_each(chunk, visit) calls visit(key, value, index,
/// offset) for each.
template <typename ForEach>
struct Values {
  using HashedKey = HashedValue;
  using Rest = std::uint64_t;
  static constexpr bool kTakesPasses = true;

  template <typename Add>
  void take(const Chunk& chunk, const Add& add) const {
    for_each(chunk, [&](std::string_view key, std::uint64_t value, std::uint64_t, std::size_t) {
      add(key, value);
    });
  }
  static HashedValue hashed(unsigned, Hash128 hash, std::string_view,
                            std::uint64_t value) noexcept {
    return {hash, value};
  }

  const ForEach& for_each;
};

template <typename ForEach>
struct PlacedValues {
  using HashedKey = PlacedValue;
  struct Rest {
    std::uint64_t place;
    std::uint64_t value;
  };

  template <typename Add>
  void take(const Chunk& chunk, const Add& add) const {
    const std::uint64_t first = numbers.place(chunk);
    for_each(chunk,
             [&](std::string_view key, std::uint64_t value, std::uint64_t index, std::size_t) {
               add(key, {first + index, value});
             });
  }
  static PlacedValue hashed(unsigned, Hash128 hash, std::string_view, const Rest& rest) noexcept {
    return {hash, rest.place, rest.value};
  }

  const ForEach& for_each;
  const ChunkNumbers& numbers;
};

/// Where a record of the chunk stands in its file, unless it was written otherwise.
InputPlace in_input(const Chunk& chunk, std::string_view record) noexcept {
  const std::less_equal<const char*> is_up_to;
  const char* const begin = chunk.bytes.data();
  const char* const end = record.data() + record.size();
  if (!chunk.is_plain || !is_up_to(begin, record.data()) ||
      !is_up_to(end, begin + chunk.bytes.size()))
    return {};
  return {chunk.start.file, chunk.start.offset + static_cast<std::uint64_t>(record.data() - begin)};
}

/// Keys with records, which are handed on.
struct Records {
  using HashedKey = Hash128;
  struct Rest {
    std::uint64_t place;
    std::string_view record;
    InputPlace in_input;
  };

  template <typename Add>
  void take(const Chunk& chunk, const Add& add) const {
    const std::uint64_t first = numbers.place(chunk);
    for_each_record(
        chunk, format,
        [&](std::string_view key, std::string_view record, std::uint64_t index, std::size_t) {
          add(key, {first + index, record, in_input(chunk, record)});
        });
  }
  Hash128 hashed(unsigned thread, Hash128 hash, std::string_view key, const Rest& rest) const {
    taker.take(thread, hash, rest.place, key, rest.record, rest.in_input);
    return hash;
  }

  const KeyFormat& format;
  const ChunkNumbers& numbers;
  RecordTaker& taker;
};

/// Keys that are handed on.
struct Texts {
  using HashedKey = Hash128;
  using Rest = std::uint64_t;

  template <typename Add>
  void take(const Chunk& chunk, const Add& add) const {
    const std::uint64_t first = numbers.place(chunk);
    for_each_key(chunk, format, [&](std::string_view key, std::uint64_t index, std::size_t) {
      add(key, first + index);
    });
  }
  Hash128 hashed(unsigned thread, Hash128 hash, std::string_view key, std::uint64_t place) const {
    taker.take(thread, hash, place, key, {}, {});
    return hash;
  }

  const KeyFormat& format;
  const ChunkNumbers& numbers;
  RecordTaker& taker;
};

/// The same with their values.
template <typename ForEach>
struct ValuedTexts {
  using HashedKey = PlacedValue;
  using Rest = typename PlacedValues<ForEach>::Rest;

  template <typename Add>
  void take(const Chunk& chunk, const Add& add) const {
    values.take(chunk, add);
  }
  PlacedValue hashed(unsigned thread, Hash128 hash, std::string_view key, const Rest& rest) const {
    taker.take(thread, hash, rest.place, key, TextRecord(rest.value).view(), {});
    return {hash, rest.place, rest.value};
  }

  PlacedValues<ForEach> values;
  RecordTaker& taker;
};

/// Calls visit(key, value, index, offset) for each key of a chunk with its number.
auto numbers_of(const KeyFormat& format, const ValueForm& form, unsigned bits) {
  return [&format, &form, bits](const Chunk& chunk, auto&& visit) {
    for_each_value(chunk, format, form, bits, visit);
  };
}

/// Keys whose values `for_each` finds. Only of equal keys that may be, places say which is first.
template <typename ForEach>
void hash_valued_keys(const KeyInput& input, const ForEach& for_each, const HashOptions& options,
                      const base::BuildContext& context, const PassHooks& hooks,
                      const UseKeys& use) {
  const UnitFraming framing = UnitFraming::of_records(input.format);
  const ParseKeys parse = record_parser(input.format);
  if (options.duplicates == DuplicatePolicy::refuse ||
      options.duplicates == DuplicatePolicy::differing)
    return HashPasses<Values<ForEach>>(input, framing, {for_each}, parse, options, context)
        .run(hooks, use);
  const ChunkNumbers places(Sources(input).size());
  HashPasses<PlacedValues<ForEach>>(input, framing, {for_each, places}, parse, options, context)
      .run(hooks, use);
}

void hash_prefixed_keys(const KeyInput& input, char delimiter, HashOptions options,
                        const base::BuildContext& context, const UseKeys& use) {
  options.duplicates = DuplicatePolicy::ignore_hashes;
  HashPasses<PrefixedKeys>(input, UnitFraming::of_keys(input.format),
                           PrefixedKeys{input.format, delimiter}, key_parser(input.format), options,
                           context)
      .run({}, [&](const KeySet& set) {
        KeySet distinct = set;
        distinct.collected = set.keys.size();
        use(distinct);
      });
}

}  // namespace

void hash_keys(const KeyInput& input, const HashOptions& options, const base::BuildContext& context,
               const UseKeys& use) {
  if (options.prefixes) return hash_prefixed_keys(input, *options.prefixes, options, context, use);
  HashPasses<Keys>(input, UnitFraming::of_keys(input.format), Keys{input.format},
                   key_parser(input.format), options, context)
      .run({}, use);
}

void hash_numbered_keys(const KeyInput& input, const HashOptions& options,
                        const base::BuildContext& context, const UseKeys& use) {
  ChunkNumbers numbers(Sources(input).size());
  HashPasses<NumberedKeys>(input, UnitFraming::of_keys(input.format),
                           NumberedKeys{input.format, numbers}, key_parser(input.format), options,
                           context)
      .run({[&] { numbers.clear(); }, [&] { numbers.finish(); },
            [&](std::span<std::uint64_t> places) { numbers.number(places); }, &numbers},
           use);
}

void hash_values(const KeyInput& input, const ValueForm& form, unsigned value_bits,
                 const HashOptions& options, const base::BuildContext& context,
                 const UseKeys& use) {
  check_value_format(input.format);
  hash_valued_keys(input, numbers_of(input.format, form, value_bits), options, context, {}, use);
}

void hash_rows(const KeyInput& input, RowFiles& files, const HashOptions& options,
               const base::BuildContext& context, const UseKeys& use) {
  const auto rows = [&](const Chunk& chunk, auto&& visit) {
    for_each_row(chunk, input.format, files, visit);
  };
  hash_valued_keys(input, rows, options, context,
                   {.begin = [&] { files.clear(); },
                    .end = [&] { files.finish(); },
                    .number = [&](std::span<std::uint64_t> places) { files.number(places); },
                    .names = &files},
                   use);
}

void hash_records(const KeyInput& input, const HashOptions& options, RecordTaker& taker,
                  const base::BuildContext& context, const UseKeys& use) {
  const ChunkNumbers places(Sources(input).size());
  HashPasses<Records>(input, UnitFraming::of_records(input.format),
                      Records{input.format, places, taker}, record_parser(input.format), options,
                      context)
      .run({.begin = [&] { taker.begin(); }, .records = &taker}, use);
}

void hash_texts(const KeyInput& input, const ValueForm* form, const HashOptions& options,
                RecordTaker& taker, const base::BuildContext& context, const UseKeys& use) {
  const ChunkNumbers places(Sources(input).size());
  const PassHooks hooks{.begin = [&] { taker.begin(); }, .records = &taker};
  if (form == nullptr) {
    HashPasses<Texts>(input, UnitFraming::of_keys(input.format), Texts{input.format, places, taker},
                      key_parser(input.format), options, context)
        .run(hooks, use);
    return;
  }
  check_value_format(input.format);
  const auto values = numbers_of(input.format, *form, 64);
  HashPasses<ValuedTexts<decltype(values)>>(input, UnitFraming::of_records(input.format),
                                            {{values, places}, taker}, record_parser(input.format),
                                            options, context)
      .run(hooks, use);
}

void visit_hashes(const KeyInput& input, const hashing::SeededHash& hash,
                  const base::BuildContext& context, const VisitHashes& visit) {
  struct alignas(64) Room {
    std::array<std::string_view, hashing::BatchHash::kMostKeys> keys;
    std::size_t size = 0;  ///< of those that are not hashed yet
    std::vector<Hash128> hashes;
  };
  const UnitFraming framing = UnitFraming::of_keys(input.format);
  const hashing::BatchHash together(hash.seed());
  std::vector<Room> rooms(context.threads);
  ChunkReader reader(input, framing, {});
  for_each_chunk(reader, input, framing, context, [&](unsigned thread, const Chunk& chunk) {
    Room& room = rooms[thread];
    const auto hash_all = [&] {
      const std::size_t hashed = room.hashes.size();
      room.hashes.resize(hashed + room.size);
      hash_batch(std::span(room.keys).first(room.size), hash, together, &room.hashes[hashed]);
      room.size = 0;
    };
    room.hashes.clear();
    room.size = 0;
    for_each_key(chunk, input.format, [&](std::string_view key, std::uint64_t, std::size_t) {
      room.keys[room.size] = key;
      if (++room.size == room.keys.size()) hash_all();
    });
    hash_all();
    visit(chunk, room.hashes);
  });
}

bool replay_keys(const KeyInput& input, bool pairs, const hashing::SeededHash& hash,
                 const KeyVisitor& visit) {
  if (!regular_input_bytes(input)) return false;
  const UnitFraming framing = UnitFraming::of(input.format, pairs);
  const ParseKeys parse = pairs ? record_parser(input.format) : key_parser(input.format);
  return replay_files(input, framing, parse, hash, visit);
}

}  // namespace crivo::input
