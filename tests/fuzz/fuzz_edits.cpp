// SPDX-License-Identifier: Apache-2.0
/// Filters that change: bytes choose a type that can be edited and what is added to it and removed,
/// beginning with a filter that was built, or with one that bytes claim to be; or they are two
/// filters to be united or intersected. What is written is a filter again, and lacks no key that
/// was added and not removed.
///
/// Byte 0 is the mode, byte 1 the type. Mode 0: six bytes of options, then a change a byte. Mode 1:
/// the number of changes, the changes, the section. Mode 2 (union) and 3 (intersection): u16 length
/// of the first section, then both.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include "build/choices.hpp"
#include "crivo/build/options.hpp"
#include "fuzz/fuzz_input.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/filter.hpp"
#include "support/hashes.hpp"

namespace {

using namespace crivo;

constexpr std::size_t kKeys = 64;
using Held = std::array<std::uint64_t, kKeys>;  ///< how often each key was added and not removed

/// Keys that have nothing in common, and from the middle on keys of one `hi`, which meet in a
/// cuckoo filter's bucket.
const std::vector<Hash128>& keys() {
  static const std::vector<Hash128> hashes = [] {
    std::vector<Hash128> all = test::random_hashes(kKeys);
    for (std::size_t i = kKeys / 2; i < kKeys; ++i) all[i].hi = all[0].hi;
    return all;
  }();
  return hashes;
}

const filter::Builder& type_of(std::uint8_t byte, unsigned can) {
  std::vector<const filter::Builder*> types;
  for (const filter::Builder& type : filter::builders()) {
    if ((type.type().can & can) == can) types.push_back(&type);
  }
  return *types[byte % types.size()];
}

FilterOptions options_of(const filter::Builder& type, std::span<const std::uint8_t, 6> bytes) {
  FilterOptions options;
  options.type = type.name;
  if (index::takes<FilterOptions>("capacity", type.name)) options.capacity = bytes[0];
  if (index::takes<FilterOptions>("hashes", type.name)) options.hashes = bytes[1] % 65;
  if (index::takes<FilterOptions>("counter_bits", type.name))
    options.counter_bits = 1 + bytes[2] % 32;
  if (index::takes<FilterOptions>("semi_sorted", type.name))
    options.semi_sorted = bytes[3] % 2 == 1;
  if (bytes[4] != 0) options.bits = bytes[4] % 33;
  return options;
}

/// A filter of the first `count` keys; nothing where there is none under such options.
std::optional<base::Bytes> build(const filter::Builder& type, const FilterOptions& options,
                                 std::size_t count) {
  static base::Progress progress;
  const auto hashes = stream::SortedHashes::from_unsorted(
      {keys().begin(), keys().begin() + static_cast<std::ptrdiff_t>(count)});
  base::MemorySink sink;
  try {
    type.build(hashes, options, {1, progress}, sink);
  } catch (const Error& error) {
    // Options out of range; or keys of one `hi` that no cuckoo table holds.
    if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::bad_input) std::abort();
    return std::nullopt;
  }
  return sink.take();
}

/// Adds and removes as `changes` say; a key is only removed where it was added. False if the filter
/// was full.
bool change(filter::Editor& editor, const filter::Builder& type,
            std::span<const std::uint8_t> changes, Held& held) {
  for (const std::uint8_t byte : changes) {
    const std::size_t key = byte % kKeys;
    if ((byte & 128) == 0) {
      if (!editor.add(keys()[key])) return false;
      ++held[key];
    } else if ((type.type().can & filter::kRemoves) != 0 && held[key] != 0) {
      if (!editor.remove(keys()[key])) std::abort();
      --held[key];
    }
  }
  return true;
}

void expect_held(const filter::Membership& membership, const Held& held) {
  std::array<bool, kKeys> answers{};
  membership.contains(keys(), answers.data());
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (membership.contains(keys()[i]) != answers[i]) std::abort();
    if (held[i] != 0 && !answers[i]) std::abort();
  }
}

/// What the editor holds, as a section that opens.
base::Bytes written(filter::Editor& editor, const filter::Builder& type, const Held& held) {
  base::MemorySink sink;
  editor.write(sink);
  const fuzz::Input section(sink.view());
  const auto membership = type.type().open(section.view());
  if (membership->size() != editor.size()) std::abort();
  if (!(membership->fpr() >= 0 && membership->fpr() <= 1)) std::abort();
  expect_held(*membership, held);
  return sink.take();
}

void edit_built(const filter::Builder& type, std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 6) return;
  const FilterOptions options = options_of(type, bytes.first<6>());
  const std::size_t count = bytes[5] % kKeys;
  const std::optional<base::Bytes> section = build(type, options, count);
  if (!section) return;
  Held held{};
  std::fill_n(held.begin(), count, 1);
  const auto changes = bytes.subspan(6);
  base::Bytes last = *section;
  // In two halves, as two commands would.
  for (const auto part : {changes.first(changes.size() / 2), changes.subspan(changes.size() / 2)}) {
    const auto editor = type.edit(last);
    if (!change(*editor, type, part, held)) return;
    last = written(*editor, type, held);
  }
  base::MemorySink again;
  type.edit(last)->write(again);
  if (!std::ranges::equal(again.view(), last)) std::abort();
  if ((type.type().can & filter::kCounts) == 0) return;
  const auto membership = type.type().open(last);
  const std::uint64_t most = (std::uint64_t{1} << options.counter_bits) - 1;
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (membership->count(keys()[i]) < std::min(held[i], most)) std::abort();
  }
}

void edit_claimed(const filter::Builder& type, std::span<const std::uint8_t> bytes) {
  if (bytes.empty() || bytes.size() < 1U + bytes[0]) return;
  const auto changes = bytes.subspan(1, bytes[0]);
  const fuzz::Input section(bytes.subspan(1U + bytes[0]));
  fuzz::expect_use_or_refusal([&] {
    (void)type.type().open(section.view());
    const auto editor = type.edit(section.view());
    Held held{};
    if (change(*editor, type, changes, held)) written(*editor, type, held);
  });
}

void combine(const filter::Builder& type, filter::SetOperation operation,
             std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 2) return;
  const std::size_t length = bytes[0] | bytes[1] << 8;
  if (bytes.size() - 2 < length) return;
  const fuzz::Input first(bytes.subspan(2, length));
  const fuzz::Input second(bytes.subspan(2 + length));
  fuzz::expect_use_or_refusal([&] {
    const auto a = type.type().open(first.view());
    const auto b = type.type().open(second.view());
    const filter::NamedSection sections[] = {{"first", first.view()}, {"second", second.view()}};
    base::MemorySink sink;
    filter::Combined combined;
    try {
      combined = type.combine(std::span(sections), operation, sink);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) std::abort();
      return;  // of two shapes
    }
    const fuzz::Input section(sink.view());
    const auto result = type.type().open(section.view());
    if (result->size() != combined.keys) std::abort();
    for (const Hash128 hash : keys()) {
      const bool expected = operation == filter::SetOperation::unite
                                ? a->contains(hash) || b->contains(hash)
                                : a->contains(hash) && b->contains(hash);
      if (expected && !result->contains(hash)) std::abort();
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::span<const std::uint8_t> bytes(data + 2, size - 2);
  switch (data[0] % 4) {
    case 0:
      edit_built(type_of(data[1], filter::kAdds), bytes);
      break;
    case 1:
      edit_claimed(type_of(data[1], filter::kAdds), bytes);
      break;
    case 2:
      combine(type_of(data[1], filter::kUnites), filter::SetOperation::unite, bytes);
      break;
    default:
      combine(type_of(data[1], filter::kUnites), filter::SetOperation::intersect, bytes);
  }
  return 0;
}
