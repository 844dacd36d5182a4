// SPDX-License-Identifier: Apache-2.0
/// Fingerprints that add up for each key: slots that one key has alone are peeled off, one after
/// the other, and filled in the other way round.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/memory.hpp"
#include "base/refuse_option.hpp"
#include "build/build_frame.hpp"
#include "crivo/error.hpp"
#include "file/pending_file.hpp"
#include "foreign/build/builds.hpp"
#include "foreign/fingerprint_filter.hpp"
#include "input/places.hpp"

namespace crivo::foreign {
namespace {

/// A slot with the hashes of the keys that have it, added up.
struct Slot {
  std::uint64_t sum = 0;
  std::uint32_t keys = 0;
};

/// A key that was peeled, and the slot that it had alone.
struct Peeled {
  std::uint64_t hash;
  std::uint64_t slot;
};

/// The keys in the order in which they come off, or fewer if some are left that share all of their
/// slots.
std::vector<Peeled> peel(const FingerprintShape& shape, std::span<const std::uint64_t> keys) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(keys.size());
  for (const std::uint64_t key : keys) hashes.push_back(mixed(key, shape.seed));
  std::ranges::sort(hashes);  // those of a segment follow each other
  std::vector<Slot> slots(shape.slots());
  for (const std::uint64_t hash : hashes) {
    for (const std::uint64_t at : shape.slots_of(hash)) {
      slots[at].sum ^= hash;
      ++slots[at].keys;
    }
  }
  base::free_memory(hashes);
  std::vector<Peeled> order;
  order.reserve(keys.size());
  std::vector<std::uint64_t> alone;
  for (std::uint64_t at = 0; at < slots.size(); ++at) {
    alone.push_back(at);
    while (!alone.empty()) {
      const std::uint64_t own = alone.back();
      alone.pop_back();
      if (slots[own].keys != 1) continue;
      const std::uint64_t hash = slots[own].sum;
      order.push_back({hash, own});
      for (const std::uint64_t other : shape.slots_of(hash)) {
        slots[other].sum ^= hash;
        if (--slots[other].keys == 1) alone.push_back(other);
      }
    }
  }
  return order;
}

base::Bytes fill_in(const FingerprintShape& shape, const std::vector<Peeled>& order) {
  base::Bytes fingerprints(shape.slots() * shape.bytes);
  const auto put = [&](std::uint64_t at, std::uint32_t value) {
    if (shape.bytes == 1) {
      fingerprints[at] = static_cast<std::byte>(value);
    } else {
      base::store_le(fingerprints.data() + 2 * at, static_cast<std::uint16_t>(value));
    }
  };
  for (auto each = order.rbegin(); each != order.rend(); ++each) {
    std::uint32_t value = shape.fingerprint_of(each->hash);
    for (const std::uint64_t at : shape.slots_of(each->hash))
      value ^= fingerprint_at(shape, fingerprints, at);
    put(each->slot, value);  // which was 0
  }
  return fingerprints;
}

[[noreturn]] void fail_too_many() {
  throw Error(ErrorKind::bad_input, "the format does not hold so many keys");
}

/// As xor_singleheader has it: parameters that its authors found by trial.
FingerprintShape fuse_shape(std::uint64_t keys) {
  constexpr std::uint32_t kMostSegment = 262144;
  const auto n = static_cast<double>(keys);
  FingerprintShape shape;
  shape.segment = 4;
  if (keys > 1) {
    const double bits = std::floor(std::log(n) / std::log(3.33) + 2.25);
    shape.segment =
        std::min(kMostSegment, std::uint32_t{1} << static_cast<unsigned>(std::min(bits, 18.0)));
    const double factor = std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(n));
    const auto slots = static_cast<std::uint64_t>(std::round(n * factor));
    const std::uint64_t segments = base::div_ceil(slots, shape.segment);
    shape.segment_count = static_cast<std::uint32_t>(segments > 2 ? segments - 2 : 1);
  }
  return shape;
}

/// The shape that the format's own builder would choose for so many keys, without a seed. Throws
/// Error(bad_input) for more keys than it holds.
FingerprintShape shape_for(FingerprintLayout layout, unsigned bytes, std::uint64_t keys) {
  if (keys > std::numeric_limits<std::uint32_t>::max() / 2) fail_too_many();
  FingerprintShape shape;
  if (layout == FingerprintLayout::binary_fuse) {
    shape = fuse_shape(keys);
  } else {
    const auto slots = 32 + static_cast<std::uint64_t>(1.23 * static_cast<double>(keys));
    shape.segment = static_cast<std::uint32_t>(slots / 3);
  }
  shape.layout = layout;
  shape.bytes = bytes;
  shape.keys = static_cast<std::uint32_t>(keys);
  // DataSketches counts bytes and slots in 31 bits.
  const std::uint64_t most = layout == FingerprintLayout::binary_fuse
                                 ? std::numeric_limits<std::uint32_t>::max()
                                 : std::numeric_limits<std::int32_t>::max() / bytes;
  if (shape.slots() > most) fail_too_many();
  return shape;
}

constexpr std::uint64_t kPeeledKeyBytes = 48;

/// The fingerprints of keys, of which no two are equal; draws shape.seed from `seed`. Memory: some
/// kPeeledKeyBytes a key. Throws Error(bad_input) where no seed is found, cancelled.
base::Bytes fingerprints_of(FingerprintShape& shape, std::span<const std::uint64_t> keys,
                            std::uint64_t seed, Progress& progress) {
  constexpr unsigned kTries = 100;
  for (unsigned i = 0; i < kTries; ++i) {
    progress.begin("build", keys.size());
    progress.add(0);
    shape.seed = base::mix64(seed + (i + 1) * 0x9e3779b97f4a7c15U);
    const std::vector<Peeled> order = peel(shape, keys);
    progress.add(keys.size());
    if (order.size() == keys.size()) return fill_in(shape, order);
  }
  throw Error(ErrorKind::bad_input, "no fingerprints were found for the keys under 100 seeds",
              {.remedy = "seed"});
}

/// Throws Error(bad_input), with file and line, for the second of two equal keys of some whose
/// numbers repeat: there may be none, as keys that differ can have one hash.
void refuse_repeats(FingerprintLayout layout, const KeyInput& input,
                    const std::vector<std::uint64_t>& repeated, Progress& progress) {
  if (!input::regular_input_bytes(input)) {
    throw Error(ErrorKind::bad_input, input::input_name(input, 0) + ": some keys come twice",
                {.remedy = "ignore_duplicates"});
  }
  std::unordered_map<std::uint64_t, std::string> first;
  read_keys(input, progress, [&](const KeyBlock& block) {
    for (std::size_t i = 0; i < block.keys.size(); ++i) {
      const std::uint64_t number = number_of_key(layout, block.keys[i], i + 1);
      if (!std::ranges::binary_search(repeated, number)) continue;
      const auto [at, is_new] = first.emplace(number, block.keys[i]);
      if (!is_new && at->second == block.keys[i])
        throw Error(ErrorKind::bad_input, "duplicate key " + quote(block.keys[i]),
                    {.line = i + 1, .remedy = "ignore_duplicates"});
    }
  });
}

}  // namespace

BuildSummary build_fingerprints(FingerprintLayout layout, unsigned bytes, const KeyInput& input,
                                const Output& output, const Choices& choices,
                                const BuildOptions& options) {
  for (const auto& [name, value] : choices)
    base::refuse_option(name, "the format leaves no choice but the width in its name");
  index::BuildFrame frame(options);
  const base::BuildContext context = frame.context();
  file::PendingFile file(frame.outputs().file(output, input));
  constexpr Progress::Phase kPhases[] = {{"read", 1}, {"build", 4}, {"write", 1}};
  context.progress.plan(kPhases);
  context.progress.begin("read", input::regular_input_bytes(input).value_or(0),
                         Progress::Unit::bytes);
  std::vector<std::uint64_t> keys;
  read_keys(input, context.progress, [&](const KeyBlock& block) {
    for (std::size_t i = 0; i < block.keys.size(); ++i)
      keys.push_back(number_of_key(layout, block.keys[i], i + 1));
    if (keys.size() * kPeeledKeyBytes > frame.memory().budget().bytes)
      throw Error(ErrorKind::io,
                  "the format's filters are built in memory, of " +
                      std::to_string(kPeeledKeyBytes) + " bytes a key",
                  {.remedy = "memory"});
  });
  const std::size_t read = keys.size();
  std::ranges::sort(keys);
  std::vector<std::uint64_t> repeated;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i] == keys[i - 1]) repeated.push_back(keys[i]);
  }
  if (!repeated.empty() && !options.ignore_duplicates)
    refuse_repeats(layout, input, repeated, context.progress);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());

  frame.summary().end_reading_parts(keys.size());
  FingerprintShape shape = shape_for(layout, bytes, keys.size());
  const base::Bytes fingerprints = fingerprints_of(shape, keys, options.seed, context.progress);
  const base::Bytes head = encode_head(shape);
  frame.end_building();
  file.write_at(0, head);
  file.write_at(head.size(), fingerprints);
  BuildSummary summary = frame.summary().so_far();
  summary.format_version = "1";
  summary.duplicates = options.ignore_duplicates ? read - keys.size() : 0;
  summary.bytes = head.size() + fingerprints.size();
  summary.seed = options.seed;
  summary.threads = 1;
  summary.fpr = bytes == 1 ? 0x1p-8 : 0x1p-16;
  frame.summary().warn_of_no_keys(input::input_name(input, 0), read, summary.warnings);
  file::add_warnings(summary.warnings, file.publish());
  frame.end(summary);
  return summary;
}

}  // namespace crivo::foreign
