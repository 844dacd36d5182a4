// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "build/build_file.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/dictionary_memory.hpp"
#include "build/keys_in_order.hpp"
#include "build/spooled_records.hpp"
#include "crivo/dictionary.hpp"
#include "crivo/error.hpp"
#include "input/duplicates.hpp"
#include "input/first_page.hpp"
#include "input/for_each_chunk.hpp"
#include "input/hash_keys.hpp"
#include "input/places.hpp"
#include "input/stream_texts.hpp"
#include "input/value_text.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/key_hash.hpp"
#include "stream/sorted_pieces.hpp"

namespace crivo {
namespace {

using dictionary::Builder;
using stream::TextStream;

/// Facts about the keys that were read.
struct ReadKeys {
  stream::KeySums sums{};
  std::uint64_t repeats = 0;
  std::uint64_t temp_bytes = 0;
  std::uint64_t resumed_bytes = 0;
  std::vector<Warning> warnings{};
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

/// Texts of any order, to be sorted.
struct Unsorted {
  std::unique_ptr<TextStream> texts;
  ReadKeys read{};  ///< but for what the texts are found to be
};

/// As input::stream_texts() and its like read them; with `hashing`, which has a directory for that,
/// so that a build that was killed goes on.
Unsorted read_unsorted(const KeyInput& input, const DictionaryOptions& dictionary,
                       const std::optional<input::HashOptions>& hashing,
                       const input::TextOptions& memory, index::BuildFrame& frame) {
  const base::BuildContext context = frame.context();
  const ValueForm* const form = dictionary.values ? &dictionary.form : nullptr;
  if (!hashing) {
    input::ReadTexts read = form == nullptr
                                ? input::stream_texts(input, memory, context)
                                : input::stream_valued_texts(input, *form, memory, context);
    return {std::move(read.texts), {.warnings = std::move(read.warnings)}};
  }
  Unsorted unsorted;
  index::SpooledRecords records(frame, hashing->resume->record_log());
  input::hash_texts(input, form, *hashing, records, context, [&](const input::KeySet& set) {
    const records::RecordSpool& spool = records.finish(context);
    const unsigned bits = spool.piece_bits();
    unsorted.texts = index::texts_of(spool, bits, {0, std::uint64_t{1} << bits}, form != nullptr,
                                     memory, context);
    unsorted.read.temp_bytes = set.temp_bytes + spool.temp_bytes();
    unsorted.read.resumed_bytes = set.resumed_bytes;
    unsorted.read.warnings = set.warnings;
  });
  return unsorted;
}

/// Keys of any order: sorted within the memory.
ReadKeys add_unsorted(Unsorted unsorted, const KeyInput& input, const BuildOptions& options,
                      const hashing::SeededHash& hash, std::uint64_t memory_bytes,
                      const base::BuildContext& context, Builder& builder) {
  struct Room {
    stream::SortedTexts texts;
    std::vector<std::string_view> rests;  ///< that differ
    std::vector<std::uint64_t> repeats;   ///< of them: their numbers
    stream::KeySums sums;
  };
  ReadKeys read = std::move(unsorted.read);
  const TextStream& texts = *unsorted.texts;
  RepeatedKeys repeated;
  context.progress.begin("sort", texts.texts());
  std::string key;
  stream::SortedPieces<Room> pieces(context.threads, memory_bytes);
  pieces.for_each(
      texts,
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
          index::join_text(some.shared(piece), rest, text);
          add_to(room.sums, hash(text));
        }
      },
      [&](const TextStream& some, std::size_t piece, const Room& room) {
        for (const std::string_view rest : room.rests) {
          index::join_text(some.shared(piece), rest, key);
          builder.add(key);
        }
        for (const std::uint64_t i : room.repeats) {
          index::join_text(some.shared(piece), room.rests[i], key);
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
  read.temp_bytes += texts.temp_bytes() + pieces.temp_bytes();
  return read;
}

/// Pairs of any order. Their texts say in which order equal keys came.
ReadKeys add_unsorted_pairs(Unsorted unsorted, const KeyInput& input, const BuildOptions& options,
                            const hashing::SeededHash& hash, std::uint64_t memory_bytes,
                            const base::BuildContext& context, Builder& builder) {
  ReadKeys read = std::move(unsorted.read);
  RepeatedKeys repeated;
  read.temp_bytes += index::for_each_in_order(*unsorted.texts, true, memory_bytes, context,
                                              [&](std::string_view key, std::uint64_t value) {
                                                const Hash128 hashed = hash(key);
                                                if (builder.keys() != 0 && key == builder.last())
                                                  return repeated.add(key, hashed, 1);
                                                builder.add(key, value);
                                                add_to(read.sums, hashed, value);
                                              });
  if (repeated.count() != 0 && !options.ignore_duplicates) repeated.refuse(input, true, hash);
  read.repeats = repeated.count();
  read.temp_bytes += unsorted.texts->temp_bytes();
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
        input::for_each_unit(chunk, input.format, dictionary.values, dictionary.form,
                             [&](std::string_view key, std::uint64_t value, std::uint64_t index,
                                 std::size_t offset) { add(chunk, key, value, index, offset); });
        signs.look_at(chunk);
      });
  read.warnings = signs.warnings();
  return read;
}

/// Reads the keys into a builder, within the memory of the frame.
index::FileBuild::Texts read_texts(const index::PreparedInput& prepared,
                                   const DictionaryOptions& dictionary, const BuildOptions& options,
                                   const hashing::SeededHash& hash, const file::Header& header,
                                   index::BuildFrame& frame) {
  using index::DictionaryMemory;
  const KeyInput& input = *prepared;
  std::optional<input::HashOptions> hashing;
  if (!options.resume_dir.empty()) {
    hashing = frame.hash_options(prepared, header, index::every_choice(index::chosen(dictionary)));
    hashing->duplicates = input::DuplicatePolicy::count;  // equal keys are found when sorted
    hashing->parts = 0;
  }
  frame.set_scratch_bytes(DictionaryMemory::most_kept(frame.memory().budget()));
  const base::BuildContext context = frame.context();
  const auto builder = std::make_shared<Builder>(dictionary::shape_of(dictionary), context);
  const input::TextOptions memory{DictionaryMemory::most_streamed(frame.memory().budget()),
                                  frame.temp_dir()};
  ReadKeys read;
  if (dictionary.sorted) {
    read = add_sorted(input, dictionary, options, hash, context, *builder);
  } else {
    const auto add = dictionary.values ? add_unsorted_pairs : add_unsorted;
    read = add(read_unsorted(input, dictionary, hashing, memory, frame), input, options, hash,
               memory.memory_bytes, context, *builder);
  }
  return {{.keys = builder->keys(),
           .collected = builder->keys() + read.repeats,
           .seed = hash.seed(),
           .temp_bytes = read.temp_bytes,
           .resumed_bytes = read.resumed_bytes,
           .warnings = std::move(read.warnings)},
          read.sums,
          index::plan(dictionary, builder, hash, context)};
}

}  // namespace

BuildSummary build_dictionary(const KeyInput& input, const Output& output,
                              const DictionaryOptions& dictionary,
                              const BuildOptions& options) try {
  (void)dictionary::shape_of(dictionary);  // refuses unsound options before the output is looked at
  const bool resumes = !options.resume_dir.empty();
  if (resumes && dictionary.sorted)
    throw Error(ErrorKind::usage,
                "the build of a dictionary of sorted keys keeps nothing that it has read, and "
                "cannot be resumed",
                {.remedy = "resume_dir"});
  index::FileBuild build{.units = !resumes            ? index::Units::texts
                                  : dictionary.values ? index::Units::values
                                                      : index::Units::keys,
                         .keeps_keys = resumes,
                         .memory = index::dictionary_need(),
                         .phases = {{"read", 1}, {"sort", 1.5}, {"build", 2}, {"write", 0.3}}};
  if (dictionary.hashed)
    build.phases = {{"read", 1},   {"sort", 1.5}, {"build", 2},  {"hash", 0.2},
                    {"mphf", 0.2}, {"ids", 0.2},  {"write", 0.3}};
  build.header.kind = file::Kind::dictionary;
  build.header.key_hash = index::built_hash(hashing::KeyHashId::xxh3, options);
  const hashing::SeededHash hash(hashing::hash_family(build.header.key_hash), options.seed);
  build.read_texts = [&](const index::PreparedInput& texts, index::BuildFrame& frame) {
    return read_texts(texts, dictionary, options, hash, build.header, frame);
  };
  return index::build_file(input, output, build, options, hash_key);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
