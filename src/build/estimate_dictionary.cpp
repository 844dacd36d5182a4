// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "base/as_error.hpp"
#include "base/processor_time.hpp"
#include "base/text.hpp"
#include "build/build_frame.hpp"
#include "build/chosen.hpp"
#include "build/dictionary_memory.hpp"
#include "build/trial_builds.hpp"
#include "crivo/dictionary.hpp"
#include "input/count_keys.hpp"
#include "input/stream_texts.hpp"
#include "input/value_text.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/rank_index.hpp"
#include "structures/dictionary/build/builder.hpp"

namespace crivo {
namespace {

/// A key, and the number beside it.
struct Unit {
  std::string_view key;
  std::uint64_t value;
};
using Units = std::vector<Unit>;

/// A dictionary of some keys.
struct Tried {
  double keys = 0;
  double token_bytes = 0;  ///< about the same for any number of keys
  double bytes = 0;        ///< of all else
  double kept_bytes = 0;
  double rest_bytes = 0;
  unsigned token_bits = 0;
  double training_seconds = 0;  ///< likewise
  double seconds = 0;           ///< of all else, on one thread
};

void sort_distinct(Units& units) {
  const auto same = [](const Unit& one, const Unit& other) { return one.key == other.key; };
  std::ranges::sort(units, {}, &Unit::key);
  units.erase(std::unique(units.begin(), units.end(), same), units.end());
}

/// Sorts the units, of which the build takes a share of the time, or none where they come in order.
Tried try_build(Units& units, const dictionary::Shape& shape, double sorting_share) {
  const base::WorkClock sorting;
  sort_distinct(units);
  const double sorted = sorting.undisturbed_seconds(1);
  const base::WorkClock clock;
  Progress progress;
  dictionary::Builder builder(shape, {1, progress, nullptr});
  for (const Unit& unit : units) builder.add(unit.key, unit.value);
  const auto kept = static_cast<double>(builder.kept_bytes());
  base::MemorySink tokens;
  base::MemorySink others;
  const base::WorkClock training;
  double trained = 0;
  builder.finish([&](dictionary::Builder::Part part) -> base::Sink& {
    if (part != dictionary::Builder::Part::tokens) return others;
    trained = training.undisturbed_seconds(1);  // the tokens are the first to be written
    return tokens;
  });
  return {.keys = static_cast<double>(units.size()),
          .token_bytes = static_cast<double>(tokens.size()),
          .bytes = static_cast<double>(others.size()),
          .kept_bytes = kept,
          .rest_bytes = static_cast<double>(builder.rest_bytes()),
          .token_bits = builder.token_bits(),
          .training_seconds = trained,
          .seconds = sorting_share * sorted + clock.undisturbed_seconds(1) - trained};
}

/// Predicts what all keys take from what some take, and a part of these: the more there are, the
/// more each has in common with the one before. The bytes of a key fall by the same share with each
/// doubling, as the nodes of a tree of random keys do.
class Growing {
 public:
  /// Grows by units in the order of their hashes, which are sorted; as try_build() has it.
  Growing(Units& units, const dictionary::Shape& shape, double sorting_share) {
    constexpr std::size_t kFew = 4;
    Units some(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(units.size() / kFew));
    few_ = try_build(some, shape, sorting_share);
    many_ = try_build(units, shape, sorting_share);
  }

  const Tried& many() const noexcept { return many_; }
  double of(double keys, double Tried::*bytes) const {
    if (many_.keys == 0) return 0;
    const double of_many = many_.*bytes / many_.keys;
    if (keys <= many_.keys || few_.keys == 0 || many_.keys == few_.keys || of_many == 0)
      return of_many * keys;
    const double power =
        std::log(of_many / (few_.*bytes / few_.keys)) / std::log(many_.keys / few_.keys);
    return keys * of_many * std::pow(keys / many_.keys, std::min(0.0, power));
  }
  /// On so many threads, of which one trains. What a key takes goes with the bytes of its own.
  double seconds(double keys, unsigned threads) const {
    if (many_.keys == 0) return many_.training_seconds;
    return many_.training_seconds + many_.seconds * of(keys, &Tried::bytes) / many_.bytes / threads;
  }

 private:
  Tried few_;
  Tried many_;
};

input::KeyCount count_units(const KeyInput& input, const DictionaryOptions& dictionary,
                            const base::BuildContext& context, input::KeptUnits& kept) {
  if (!dictionary.values) return input::count_keys(input, context, &kept);
  const input::ValueCount valued = input::count_values(input, dictionary.form, context, &kept);
  return {.keys = valued.keys, .bytes = valued.bytes};
}

/// The bytes of hashed ids, if they are asked for.
std::uint64_t hashed_bytes(const DictionaryOptions& dictionary, std::uint64_t keys) {
  if (!dictionary.hashed) return 0;
  const double bits = index::find_algorithm("fast").bits_per_key[0] +
                      dictionary.hashed_signature_bits + dictionary::id_bits(keys);
  return static_cast<std::uint64_t>(bits / 8 * static_cast<double>(keys));
}
double hashing_seconds(const DictionaryOptions& dictionary, double keys, unsigned threads) {
  constexpr double kKey = 150e-9;  // hashed, ranked and put in the order of ranks
  return dictionary.hashed ? kKey * keys / threads : 0;
}

/// Bytes of sorted keys that their pieces have in common, on average.
double shared_in_pieces(const Units& sorted, std::size_t pieces) {
  if (pieces < 3 || sorted.size() < pieces) return 0;
  std::size_t shared = 0;
  for (std::size_t piece = 1; piece + 1 != pieces; ++piece) {
    shared += base::shared_bytes(sorted[piece * sorted.size() / pieces].key,
                                 sorted[(piece + 1) * sorted.size() / pieces].key);
  }
  return static_cast<double>(shared) / static_cast<double>(pieces);
}

}  // namespace

BuildEstimate estimate_dictionary(const KeyInput& input, const DictionaryOptions& dictionary,
                                  const BuildOptions& options) try {
  index::check_input(input, file::Kind::dictionary);
  index::BuildFrame frame(options);
  const input::InputSample sample =
      index::sample_of(input, dictionary.values ? index::Units::values : index::Units::keys);
  input::KeptUnits kept(sample.units.value_or(0), index::mean_unit_bytes(sample));
  const base::WorkClock counting;
  const input::KeyCount count = count_units(input, dictionary, frame.context(), kept);
  const double counted = counting.undisturbed_seconds(frame.memory().threads());
  const std::vector<input::KeptUnits::Unit> sampled = kept.sorted();
  const double keeping =
      index::keeping_seconds(sampled, kept.wanted(count.keys)) / frame.memory().threads();
  Units units;
  for (const input::KeptUnits::Unit& unit : sampled) units.push_back({unit.key, unit.value});
  // Pieces that fit the caches are sorted in half of the time.
  const Growing growing(units, dictionary::shape_of(dictionary), dictionary.sorted ? 0 : 0.5);

  const auto n = static_cast<double>(count.keys);
  const auto whole = [](double bytes) { return static_cast<std::uint64_t>(bytes); };
  index::DictionaryMemory memory{.keys = count.keys,
                                 .kept_bytes = whole(growing.of(n, &Tried::kept_bytes)),
                                 .rest_bytes = whole(growing.of(n, &Tried::rest_bytes)),
                                 .token_bits = growing.many().token_bits,
                                 .hashed = dictionary.hashed};
  if (!dictionary.sorted) {
    const std::size_t pieces = input::text_pieces(input::regular_input_bytes(input));
    const double length = static_cast<double>(count.bytes) / std::max(n, 1.0) +
                          (dictionary.values ? input::kTextValueBytes : 0);
    memory.streamed_bytes = whole(n * std::max(1.0, length + 1 - shared_in_pieces(units, pieces)));
  }
  BuildEstimate estimate;
  estimate.keys = count.keys;
  estimate.output_bytes = index::kFrameBytes +
                          whole(growing.many().token_bytes + growing.of(n, &Tried::bytes)) +
                          hashed_bytes(dictionary, count.keys);
  estimate.memory_bytes = memory.peak(frame.memory().threads(), frame.memory().budget());
  estimate.minimum_memory_bytes = index::dictionary_need().least(0);
  estimate.temp_bytes = memory.spilled(frame.memory().threads(), frame.memory().budget());
  estimate.partitions = 1;
  const index::DiskSpeed disk = index::measure_disk(frame.temp_dir());
  const double moved =
      2.0 * static_cast<double>(estimate.temp_bytes) + growing.of(n, &Tried::bytes);
  const double building = growing.seconds(n, frame.memory().threads()) +
                          hashing_seconds(dictionary, n, frame.memory().threads());
  estimate.seconds = index::rounded_seconds(std::max(0.0, counted - keeping) + building +
                                            moved * disk.seconds_per_byte + 2 * disk.sync_seconds);
  estimate.warning =
      index::memory_problem(0, index::dictionary_need(), frame.memory().budget(), "a build");
  return estimate;
} catch (...) {
  base::rethrow_as_error();
}

namespace index {

std::uint64_t dictionary_bytes(std::span<const std::string_view> sample, std::uint64_t keys) {
  std::vector<Unit> units;
  for (const std::string_view key : sample) units.push_back({key, 0});
  const Growing growing(units, {}, 0);
  return static_cast<std::uint64_t>(growing.many().token_bytes +
                                    growing.of(static_cast<double>(keys), &Tried::bytes));
}

}  // namespace index

}  // namespace crivo
