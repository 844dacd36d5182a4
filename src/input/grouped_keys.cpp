// SPDX-License-Identifier: Apache-2.0
#include "input/grouped_keys.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "hashing/batch_hash.hpp"
#include "hashing/key_hash.hpp"
#include "input/for_each_chunk.hpp"
#include "input/hash_passes.hpp"

namespace crivo::input {
namespace {

UnitFraming framing_of(const KeyFormat& format, const Grouping& grouping) {
  return UnitFraming::of(format, grouping.is_of_pairs());
}

void check_group(std::string_view group, const Place& place) {
  if (group.find(hashing::kGroupEnd) != std::string_view::npos)
    throw InputFault(place, "the name of the key's group has a NUL");
}

/// The names of groups of a chunk's keys, one after the other: those of many keys are the same.
class NameCheck {
 public:
  /// Whether the name is another than the last.
  bool is_new(std::string_view name, const Chunk& chunk, std::uint64_t index, std::size_t offset) {
    if (last_ && are_same(*last_, name)) return false;
    check_group(name, place_in(chunk, index, offset));
    last_ = name;
    return true;
  }

 private:
  /// Names of 8 to 16 bytes without a call, once for each key of a universe.
  static bool are_same(std::string_view one, std::string_view other) noexcept {
    if (one.size() != other.size()) return false;
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    if (one.size() < kWord || one.size() > 2 * kWord) return one == other;
    const auto differ = [&](std::size_t at) {
      return base::load_le<std::uint64_t>(one.data() + at) ^
             base::load_le<std::uint64_t>(other.data() + at);
    };
    return (differ(0) | differ(one.size() - kWord)) == 0;
  }

  std::optional<std::string_view> last_;
};

/// Calls visit(group, is_new, key, index, offset) for each key of the chunk; is_new says whether
/// the group is another than that of the key before, or there is none before.
template <typename Visit>
void for_each_grouped_key(const Chunk& chunk, const KeyFormat& format, const Grouping& grouping,
                          Visit&& visit) {
  NameCheck names;
  if (!grouping.of_files.empty()) {
    const std::string_view group = grouping.of_files[chunk.start.file];
    bool is_new = true;
    return for_each_key(chunk, format,
                        [&](std::string_view key, std::uint64_t index, std::size_t offset) {
                          visit(group, std::exchange(is_new, false), key, index, offset);
                        });
  }
  if (grouping.delimiter.empty()) {
    for_each_record(
        chunk, format,
        [&](std::string_view key, std::string_view group, std::uint64_t index, std::size_t offset) {
          const bool is_new = names.is_new(group, chunk, index, offset);
          visit(group, is_new, key, index, offset);
        },
        "group");
    return;
  }
  const char delimiter = grouping.delimiter.front();
  for_each_key(chunk, format, [&](std::string_view text, std::uint64_t index, std::size_t offset) {
    const std::size_t end = text.find(delimiter);
    if (end == std::string_view::npos) {
      throw InputFault(place_in(chunk, index, offset), std::string("the key has no ") +
                                                           quote(grouping.delimiter) +
                                                           " behind the name of its group");
    }
    const bool is_new = names.is_new(text.substr(0, end), chunk, index, offset);
    const std::string_view key = text.substr(end + 1);
    check_key(key, format, chunk, index, offset);
    visit(text.substr(0, end), is_new, key, index, offset);
  });
}

/// Texts that grouped() hashes, in a chunk's room.
class JoinedTexts {
 public:
  explicit JoinedTexts(const Chunk& chunk) : room_(chunk.joined) {
    // A unit has a delimiter, or two lengths, beside group and key.
    room_.resize(chunk.bytes.size() + 1);
  }
  std::string_view join(std::string_view group, std::string_view key) {
    char* const text = room_.data() + used_;
    std::ranges::copy(group, text);
    text[group.size()] = hashing::kGroupEnd;
    std::ranges::copy(key, text + group.size() + 1);
    used_ += group.size() + 1 + key.size();
    return {text, group.size() + 1 + key.size()};
  }

 private:
  std::vector<char>& room_;
  std::size_t used_ = 0;
};

/// A unit of HashPasses.
struct GroupedKeys {
  using HashedKey = stream::HashedValue;
  using Rest = std::size_t;  ///< of the text, the bytes of the group's name

  template <typename Add>
  void take(const Chunk& chunk, const Add& add) const {
    JoinedTexts texts(chunk);
    for_each_grouped_key(chunk, format, grouping,
                         [&](std::string_view group, bool, std::string_view key, std::uint64_t,
                             std::size_t) { add(texts.join(group, key), group.size()); });
  }
  stream::HashedValue hashed(unsigned, Hash128 hash, std::string_view text,
                             std::size_t group) const noexcept {
    return {hash, hashing::group_hash(names(text.substr(0, group))).hi};
  }

  const KeyFormat& format;
  const Grouping& grouping;
  /// The hash of names, with the seed of the pass at hand.
  const hashing::SeededHash& names;
};

}  // namespace

KeyFormat grouped_format(const KeyFormat& format, const Grouping& grouping) {
  KeyFormat resolved = format;
  const bool is_named = format.key_column != 0 || format.value_column != 0 ||
                        !format.key_name.empty() || !format.value_name.empty() ||
                        !format.json_key.empty();
  if (!grouping.is_of_pairs() || format.framing != KeyFormat::Framing::lines || is_named)
    return resolved;
  resolved.value_column = 1;
  resolved.key_column = 2;
  return resolved;
}

void hash_grouped_keys(const KeyInput& input, const Grouping& grouping, const HashOptions& options,
                       const base::BuildContext& context, const UseKeys& use) {
  if (!grouping.grouped) return hash_keys(input, options, context, use);
  const KeyFormat format = grouped_format(input.format, grouping);
  hashing::SeededHash names(options.hash, options.seed);
  HashOptions of_texts = options;
  of_texts.hash = hashing::HashFamily(hashing::HashFamily::Prepare([&](std::uint64_t seed) {
    names = hashing::SeededHash(options.hash, seed);
    return hashing::grouped_hash(names);
  }));
  const ParseKeys parse = [&](const Chunk& chunk, const VisitKey& visit) {
    JoinedTexts texts(chunk);
    for_each_grouped_key(
        chunk, format, grouping,
        [&](std::string_view group, bool, std::string_view key, std::uint64_t index,
            std::size_t offset) { visit(texts.join(group, key), index, offset); });
  };
  HashPasses<GroupedKeys>(input, framing_of(format, grouping), GroupedKeys{format, grouping, names},
                          parse, of_texts, context)
      .run({}, use);
}

void for_each_grouped_text(const KeyInput& input, const Grouping& grouping,
                           const base::BuildContext& context, const VisitGroupedText& visit) {
  const KeyFormat format = grouped_format(input.format, grouping);
  const UnitFraming framing = framing_of(format, grouping);
  ChunkReader reader(input, framing, {});
  for_each_chunk(reader, input, framing, context, [&](unsigned thread, const Chunk& chunk) {
    for_each_grouped_key(chunk, format, grouping,
                         [&](std::string_view group, bool, std::string_view key,
                             std::uint64_t index, std::size_t offset) {
                           visit(thread, {group, key, place_in(chunk, index, offset)});
                         });
  });
}

RepeatedInput::RepeatedInput(const KeyInput& input, Grouping grouping, hashing::SeededHash hash,
                             base::Scratch* scratch, bool again, const HashLogPlace& log)
    : input_(input),
      format_(grouped_format(input.format, grouping)),
      grouping_(std::move(grouping)),
      hash_(std::move(hash)),
      keeps_(again && log.directory == nullptr && !regular_input_bytes(input)),
      spool_(scratch),
      log_place_(log) {}

void RepeatedInput::for_each(const base::BuildContext& context, const Visit& visit) {
  if (log_place_.directory != nullptr) {
    if (log_ == nullptr) fill_log(context);
    return log_->for_each(context, visit);
  }
  if (kept_) return read_kept(context, visit);
  read(context, visit);
  kept_ = keeps_;
}

/// The room of a thread: keys that wait to be hashed, and those that were hashed and not kept
/// yet.
struct alignas(64) RepeatedInput::Room {
  std::array<std::string_view, hashing::BatchHash::kMostKeys> keys;
  std::array<Hash128, hashing::BatchHash::kMostKeys> hashes;
  std::array<Hash128, hashing::BatchHash::kMostKeys> groups;
  std::array<std::uint64_t, hashing::BatchHash::kMostKeys> halves;
  std::size_t size = 0;
  Hash128 last_group;
  base::Bytes kept;
};

void RepeatedInput::hash_all(const hashing::BatchHash& together, unsigned thread,
                             const Visit& visit, Room& room) const {
  const std::size_t size = std::exchange(room.size, 0);
  if (size == 0) return;
  const bool grouped = grouping_.grouped;
  hash_batch(std::span(room.keys).first(size), hash_, together, room.hashes.data());
  for (std::size_t i = 0; grouped && i < size; ++i) {
    room.hashes[i] = hashing::in_group(room.groups[i], room.hashes[i]);
    room.halves[i] = room.groups[i].hi;
  }
  const auto hashes = std::span<const Hash128>(room.hashes).first(size);
  const auto halves = std::span<const std::uint64_t>(room.halves).first(grouped ? size : 0);
  visit(thread, hashes, halves);
  if (!keeps_) return;
  const auto keep = [&](std::uint64_t number) {
    room.kept.resize(room.kept.size() + sizeof number);
    base::store_le(room.kept.data() + room.kept.size() - sizeof number, number);
  };
  for (std::size_t i = 0; i < size; ++i) {
    keep(hashes[i].hi);
    keep(hashes[i].lo);
    if (grouped) keep(halves[i]);
  }
}

void RepeatedInput::hash_chunk(const Chunk& chunk, const hashing::BatchHash& together,
                               unsigned thread, const Visit& visit, Room& room) const {
  room.size = 0;
  const auto add = [&](std::string_view key) {
    room.keys[room.size] = key;
    if (++room.size == room.keys.size()) hash_all(together, thread, visit, room);
  };
  if (grouping_.grouped) {
    for_each_grouped_key(
        chunk, format_, grouping_,
        [&](std::string_view group, bool is_new, std::string_view key, std::uint64_t, std::size_t) {
          if (is_new) room.last_group = hashing::group_hash(hash_(group));
          room.groups[room.size] = room.last_group;
          add(key);
        });
  } else {
    for_each_key(chunk, format_,
                 [&](std::string_view key, std::uint64_t, std::size_t) { add(key); });
  }
  hash_all(together, thread, visit, room);
}

void RepeatedInput::read(const base::BuildContext& context, const Visit& visit) {
  const UnitFraming framing = framing_of(format_, grouping_);
  const hashing::BatchHash together(hash_.seed());
  std::vector<Room> rooms(context.threads);
  std::mutex mutex;
  context.progress.begin("universe", regular_input_bytes(input_).value_or(0),
                         Progress::Unit::bytes);
  ChunkReader reader(input_, framing, {});
  for_each_chunk(reader, input_, framing, context, [&](unsigned thread, const Chunk& chunk) {
    Room& room = rooms[thread];
    hash_chunk(chunk, together, thread, visit, room);
    if (room.kept.empty()) return;
    const std::scoped_lock lock(mutex);
    spool_.append(room.kept);
    room.kept.clear();
  });
}

void RepeatedInput::fill_log(const base::BuildContext& context) {
  auto log = open_hash_log(log_place_, grouping_.grouped, hash_.seed(), context.threads);
  const hashing::BatchHash together(hash_.seed());
  std::vector<Room> rooms(context.threads);
  context.progress.begin("universe", regular_input_bytes(input_).value_or(0),
                         Progress::Unit::bytes);
  log->fill(
      input_, framing_of(format_, grouping_),
      [&](unsigned thread, const Chunk& chunk, const Visit& visit) {
        hash_chunk(chunk, together, thread, visit, rooms[thread]);
      },
      context);
  log_ = std::move(log);
}

void RepeatedInput::read_kept(const base::BuildContext& context, const Visit& visit) const {
  const std::size_t words = grouping_.grouped ? 3 : 2;
  const std::size_t unit = 8 * words;
  std::vector<Hash128> hashes;
  std::vector<std::uint64_t> groups;
  constexpr std::size_t kKeys = 4096;
  base::Bytes bytes(kKeys * unit);
  context.progress.begin("universe", spool_.size(), Progress::Unit::bytes);
  for (std::uint64_t at = 0; at < spool_.size(); at += bytes.size()) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), spool_.size() - at));
    spool_.read(at, std::span(bytes).first(size));
    hashes.clear();
    groups.clear();
    for (std::size_t i = 0; i < size; i += unit) {
      hashes.push_back({base::load_le<std::uint64_t>(bytes.data() + i),
                        base::load_le<std::uint64_t>(bytes.data() + i + 8)});
      if (words == 3) groups.push_back(base::load_le<std::uint64_t>(bytes.data() + i + 16));
    }
    visit(0, hashes, groups);
    context.progress.add(size);
  }
}

}  // namespace crivo::input
