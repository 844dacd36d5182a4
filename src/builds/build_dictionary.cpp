// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/as_error.hpp"
#include "builds/build_file.hpp"
#include "builds/dictionary_memory.hpp"
#include "crivo/dictionary.hpp"
#include "crivo/text.hpp"
#include "input/duplicates.hpp"
#include "input/for_each_chunk.hpp"
#include "input/places.hpp"
#include "input/stream_texts.hpp"
#include "input/text_signs.hpp"
#include "input/value_text.hpp"
#include "input/valued_text.hpp"
#include "opening/dictionary_file.hpp"
#include "opening/key_hash.hpp"
#include "stream/sorted_pieces.hpp"

namespace crivo {
namespace {

using dictionary::Builder;
using stream::TextStream;

/// What is known of the keys that were read.
struct ReadKeys {
  stream::KeySums sums;
  std::uint64_t repeats = 0;
  std::uint64_t temp_bytes = 0;
  std::vector<Warning> warnings;
};

void add_to(stream::KeySums& sums, const Hash128& hash, std::uint64_t value = 0) noexcept {
  sums.hi += hash.hi;
  sums.lo += hash.lo;
  sums.values += value * (hash.lo | 1);
}

/// Keys that are there more than once.
class RepeatedKeys {
 public:
  void add(std::string_view key, const Hash128& hash, std::uint64_t times) {
    constexpr std::size_t kMost = std::size_t{1} << 16;
    if (count_ == 0) first_ = key;
    count_ += times;
    if (hashes_.size() < kMost) hashes_.push_back(hash);
  }
  std::uint64_t count() const noexcept { return count_; }
  /// Throws Error(bad_input) that names them by their lines, of keys or of pairs.
  [[noreturn]] void refuse(const KeyInput& input, bool pairs, const hashing::SeededHash& hash) {
    const input::Sources sources(input);
    std::sort(hashes_.begin(), hashes_.end());
    input::Repeats repeats = look_at_repeats(
        hashes_, count_, sources, input::UnitFraming::of(input.format, pairs),
        [&](const input::KeyVisitor& visit) {
          return input::replay_keys(input, pairs, hash, visit);
        },
        first_);
    throw Error(ErrorKind::bad_input, repeats.message, std::move(repeats.place));
  }

 private:
  std::string first_;
  std::uint64_t count_ = 0;
  std::vector<Hash128> hashes_;
};

void join_text(std::string_view shared, std::string_view rest, std::string& to) {
  to.assign(shared);
  to.append(rest);
}

/// Keys of any order: sorted within the memory.
ReadKeys add_unsorted(const KeyInput& input, const BuildOptions& options,
                      const hashing::SeededHash& hash, const input::TextOptions& memory,
                      const base::BuildContext& context, Builder& builder) {
  struct Room {
    stream::SortedTexts texts;
    std::vector<std::string_view> rests;  ///< that differ
    std::vector<std::uint64_t> repeats;   ///< of them: their numbers
    stream::KeySums sums;
  };
  ReadKeys read;
  RepeatedKeys repeated;
  input::ReadTexts texts = input::stream_texts(input, memory, context);
  read.warnings = std::move(texts.warnings);
  context.progress.begin("sort", texts.texts->texts());
  std::string key;
  stream::SortedPieces<Room> pieces(context.threads, memory.memory_bytes);
  pieces.for_each(
      *texts.texts,
      [&](const TextStream& some, std::size_t piece, Room& room) {
        room.rests.clear();
        room.repeats.clear();
        room.sums = {};
        std::string text;
        for (std::size_t i = 0; i != room.texts.size(); ++i) {
          const std::string_view rest = room.texts.rest(i);
          if (!room.rests.empty() && room.rests.back() == rest) {
            room.repeats.push_back(room.rests.size() - 1);
            continue;
          }
          room.rests.push_back(rest);
          join_text(some.shared(piece), rest, text);
          add_to(room.sums, hash(text));
        }
      },
      [&](const TextStream& some, std::size_t piece, const Room& room) {
        for (const std::string_view rest : room.rests) {
          join_text(some.shared(piece), rest, key);
          builder.add(key);
        }
        for (const std::uint64_t i : room.repeats) {
          join_text(some.shared(piece), room.rests[i], key);
          repeated.add(key, hash(key), 1);
        }
        read.sums += room.sums;
        context.progress.add(some.size(piece).texts);
      },
      [&](std::string_view text, std::uint64_t times) {
        builder.add(text);
        add_to(read.sums, hash(text));
        if (times > 1) repeated.add(text, hash(text), times - 1);
        context.progress.add(times);
      });
  if (repeated.count() != 0 && !options.ignore_duplicates) repeated.refuse(input, false, hash);
  read.repeats = repeated.count();
  read.temp_bytes = texts.texts->temp_bytes() + pieces.temp_bytes();
  return read;
}

/// Pairs of any order. Their texts say in which order equal keys came.
ReadKeys add_unsorted_pairs(const KeyInput& input, const ValueForm& form,
                            const BuildOptions& options, const hashing::SeededHash& hash,
                            const input::TextOptions& memory, const base::BuildContext& context,
                            Builder& builder) {
  struct Room {
    stream::SortedTexts texts;
  };
  ReadKeys read;
  RepeatedKeys repeated;
  input::ReadTexts texts = input::stream_valued_texts(input, form, memory, context);
  read.warnings = std::move(texts.warnings);
  context.progress.begin("sort", texts.texts->texts());
  std::string key;
  const auto add = [&](std::string_view text) {
    const input::BesideKey beside = input::read_valued_text(text, key);
    const Hash128 hashed = hash(key);
    if (builder.keys() != 0 && key == builder.last()) return repeated.add(key, hashed, 1);
    builder.add(key, beside.value);
    add_to(read.sums, hashed, beside.value);
  };
  std::string text;
  stream::SortedPieces<Room> pieces(context.threads, memory.memory_bytes);
  pieces.for_each(
      *texts.texts, [](const TextStream&, std::size_t, Room&) {},
      [&](const TextStream& some, std::size_t piece, const Room& room) {
        for (std::size_t i = 0; i != room.texts.size(); ++i) {
          join_text(some.shared(piece), room.texts.rest(i), text);
          add(text);
        }
        context.progress.add(room.texts.size());
      },
      [&](std::string_view same, std::uint64_t times) {
        for (; times != 0; --times) add(same);
      });
  if (repeated.count() != 0 && !options.ignore_duplicates) repeated.refuse(input, true, hash);
  read.repeats = repeated.count();
  read.temp_bytes = texts.texts->temp_bytes() + pieces.temp_bytes();
  return read;
}

/// Keys in byte order, as they come.
ReadKeys add_sorted(const KeyInput& input, const DictionaryOptions& dictionary,
                    const BuildOptions& options, const hashing::SeededHash& hash,
                    base::BuildContext context, Builder& builder) {
  ReadKeys read;
  const input::Sources sources(input);
  const input::UnitFraming framing = input::UnitFraming::of(input.format, dictionary.values);
  if (dictionary.values) input::check_value_format(input.format);
  input::TextSigns signs(sources, framing);
  context.progress.begin("read", input::regular_input_bytes(sources).value_or(0),
                         Progress::Unit::bytes);
  context.threads = 1;
  const auto add = [&](const input::Chunk& chunk, std::string_view key, std::uint64_t value,
                       std::uint64_t index, std::size_t offset) {
    if (builder.keys() != 0 && key <= builder.last()) {
      const input::Place place = input::place_in(chunk, index, offset);
      if (key < builder.last()) {
        throw input::InputFault(place,
                                "the key " + quote(key) + " is out of order, below " +
                                    quote(builder.last()) + " before it",
                                "sorted");
      }
      if (!options.ignore_duplicates)
        throw input::InputFault(place, "duplicate key " + quote(key), "ignore_duplicates");
      ++read.repeats;
      return;
    }
    builder.add(key, value);
    add_to(read.sums, hash(key), value);
  };
  input::ChunkReader reader(sources, framing, {.in_order = true});
  input::for_each_chunk(
      reader, sources, framing, context, [&](unsigned, const input::Chunk& chunk) {
        signs.see(chunk);
        input::for_each_unit(chunk, input.format, dictionary.values, dictionary.form,
                             [&](std::string_view key, std::uint64_t value, std::uint64_t index,
                                 std::size_t offset) { add(chunk, key, value, index, offset); });
      });
  read.warnings = signs.warnings();
  return read;
}

/// Reads the keys into a builder, within the memory of the frame.
index::FileBuild::Texts read_texts(const KeyInput& input, const DictionaryOptions& dictionary,
                                   const BuildOptions& options, const hashing::SeededHash& hash,
                                   index::BuildFrame& frame) {
  using index::DictionaryMemory;
  frame.set_scratch_bytes(DictionaryMemory::most_kept(frame.budget()));
  const base::BuildContext context = frame.context();
  const auto builder = std::make_shared<Builder>(dictionary::shape_of(dictionary), context);
  const input::TextOptions memory{DictionaryMemory::most_streamed(frame.budget()),
                                  frame.temp_dir()};
  ReadKeys read =
      dictionary.sorted ? add_sorted(input, dictionary, options, hash, context, *builder)
      : dictionary.values
          ? add_unsorted_pairs(input, dictionary.form, options, hash, memory, context, *builder)
          : add_unsorted(input, options, hash, memory, context, *builder);
  return {{.keys = builder->keys(),
           .collected = builder->keys() + read.repeats,
           .seed = hash.seed(),
           .temp_bytes = read.temp_bytes,
           .warnings = std::move(read.warnings)},
          read.sums,
          index::plan(dictionary, builder, context)};
}

}  // namespace

BuildSummary build_dictionary(const KeyInput& input, const Output& output,
                              const DictionaryOptions& dictionary,
                              const BuildOptions& options) try {
  (void)dictionary::shape_of(dictionary);  // refuses unsound options before the output is looked at
  index::FileBuild build{.units = index::Units::texts,
                         .memory = index::dictionary_need(),
                         .phases = {{"read", 1}, {"sort", 1.5}, {"build", 2}, {"write", 0.3}},
                         .resumes = false};
  build.header.kind = file::Kind::dictionary;
  build.header.key_hash = index::built_hash(hashing::KeyHashId::xxh3, options);
  const hashing::SeededHash hash(hashing::hash_family(build.header.key_hash), options.seed);
  build.read_texts = [&](const KeyInput& texts, index::BuildFrame& frame) {
    return read_texts(texts, dictionary, options, hash, frame);
  };
  return index::build_file(input, output, build, options, hash_key);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
