// SPDX-License-Identifier: Apache-2.0
#include "structures/tables/build/build_lists.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/refuse_option.hpp"
#include "base/spool.hpp"
#include "crivo/error.hpp"
#include "structures/bits/packed.hpp"
#include "structures/tables/row_lists.hpp"

namespace crivo::tables {
namespace {

constexpr std::uint64_t kPartitionPlaces = std::uint64_t{1} << 15;  ///< at most, in the mean

/// Returns how many of the hashes from `i` on are like the one there.
std::size_t equal_from(std::span<const Hash128> hashes, std::size_t i) noexcept {
  std::size_t end = i + 1;
  while (end != hashes.size() && hashes[end] == hashes[i]) ++end;
  return end - i;
}

/// The body of a part has for each key its hash, how many places it has, and the numbers of their
/// rows, in 8 bytes each.
class ListsAssembly final : public Assembly {
 public:
  ListsAssembly(const ListTotals& totals, unsigned width, unsigned signature_bits)
      : totals_(totals), width_(width), signature_bits_(signature_bits) {
    while (totals.places >> bits_ > kPartitionPlaces) ++bits_;
  }

  unsigned partition_bits() const noexcept override { return bits_; }
  stream::PartCost cost() const noexcept override { return {40, 32}; }

  Part build_part(unsigned /*bits*/, std::uint64_t /*index*/,
                  const stream::KeySlice& keys) const override {
    base::FieldWriter body;
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < keys.size(); i += numbers.size()) {
      const auto own = keys.values.subspan(i, equal_from(keys.hashes, i));
      numbers.assign(own.begin(), own.end());
      std::ranges::sort(numbers);  // files have their order only now
      body.u64(keys.hashes[i].hi).u64(keys.hashes[i].lo).u64(numbers.size());
      for (const std::uint64_t number : numbers) body.u64(number);
    }
    return {.body = body.take(), .notes = {}};
  }

  void begin(const base::BuildContext& context, base::Sink& sink) override {
    spool_.emplace(context.scratch);
    base::FieldWriter head;
    head.u64(totals_.keys).u64(totals_.places).u8(static_cast<std::uint8_t>(width_));
    sink.append(head.u8(static_cast<std::uint8_t>(signature_bits_)).align(kRowListsHead).take());
    rows_.emplace(sink, width_);
  }

  void join(const PartView& part, base::Sink& /*sink*/) override {
    base::FieldReader fields(part.body, "part of row lists");
    base::FieldWriter kept;
    while (fields.remaining() != 0) {
      const std::uint64_t hi = fields.u64();
      const Hash128 hash{hi, fields.u64()};
      if (joined_.keys != 0 && !(last_ < hash)) fields.fail("has hashes that do not ascend");
      note_alike(hash);
      kept.u64(hi).u64(joined_.places);
      const std::uint64_t count = fields.u64();
      if (count == 0 || count > fields.remaining() / 8) fields.fail("has a list that ends early");
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t number = fields.u64();
        if (number >> width_ != 0) fields.fail("has a row that there is not");
        rows_->put(number);
      }
      joined_.places += count;
      ++joined_.keys;
    }
    spool_->append(kept.view());
  }

  void finish(const base::BuildContext& /*context*/, base::Sink& sink) override {
    if (joined_.keys != totals_.keys || joined_.places != totals_.places)
      throw Error(ErrorKind::corrupt, "parts of row lists: have another number of keys or places");
    rows_->finish();
    bits::EliasFano::write(
        totals_.keys,
        [&](const auto& use) {
          for_each_key([&](std::uint64_t, std::uint64_t first) { use(first); });
        },
        totals_.places, sink);
    bits::EliasFano::write(
        totals_.keys, [&](const auto& use) { for_each_bucket(use); }, totals_.keys + 1, sink);
    bits::PackedSink signatures(sink, signature_bits_);
    for_each_key([&](std::uint64_t hi, std::uint64_t) {
      signatures.put(KeyMark({hi, 0}, totals_.keys, signature_bits_).signature);
    });
    signatures.finish();
    base::FieldWriter alike;
    alike.u64(alike_.size());
    for (const Alike& key : alike_) alike.u64(key.hash.hi).u64(key.hash.lo).u64(key.number);
    sink.append(alike.view());
    spool_.reset();
  }

  std::uint64_t place_in_page(std::uint64_t /*partition*/) const noexcept override { return 0; }

 private:
  struct Alike {
    Hash128 hash;
    std::uint64_t number;  ///< of the key
  };

  /// Notes the key that comes next, and the one before it, if they have one mark.
  void note_alike(Hash128 hash) {
    const auto mark = [&](Hash128 one) { return KeyMark(one, totals_.keys, signature_bits_); };
    if (joined_.keys != 0 && mark(last_) == mark(hash)) {
      if (alike_.empty() || alike_.back().number + 1 != joined_.keys)
        alike_.push_back({last_, joined_.keys - 1});
      alike_.push_back({hash, joined_.keys});
    }
    last_ = hash;
  }
  /// Calls use(hi, first place) for all keys, in order.
  template <typename Use>
  void for_each_key(Use&& use) const {
    spool_->for_each([&](base::ByteView bytes) {
      for (std::size_t at = 0; at < bytes.size(); at += 16)
        use(base::load_le<std::uint64_t>(bytes.data() + at),
            base::load_le<std::uint64_t>(bytes.data() + at + 8));
    });
  }
  /// Calls use(first key) for all buckets, in order.
  template <typename Use>
  void for_each_bucket(Use&& use) const {
    std::uint64_t bucket = 0;
    std::uint64_t key = 0;
    for_each_key([&](std::uint64_t hi, std::uint64_t) {
      const std::uint64_t own = KeyMark({hi, 0}, totals_.keys, signature_bits_).bucket;
      for (; bucket <= own; ++bucket) use(key);
      ++key;
    });
    for (; bucket < totals_.keys; ++bucket) use(key);
  }

  ListTotals totals_;
  unsigned width_;
  unsigned signature_bits_;
  unsigned bits_ = 0;
  ListTotals joined_;  ///< so far
  Hash128 last_{};     ///< of the keys that were joined
  std::vector<Alike> alike_;
  std::optional<bits::PackedSink> rows_;
  std::optional<base::Spool> spool_;  ///< of each key its `hi` and its first place
};

}  // namespace

unsigned number_bits(std::uint64_t rows) noexcept {
  return std::max(1U,
                  static_cast<unsigned>(std::bit_width(rows - std::min<std::uint64_t>(rows, 1))));
}

std::unique_ptr<Assembly> plan_lists(const ListTotals& totals, unsigned width,
                                     unsigned signature_bits) {
  if (signature_bits != 8 && signature_bits != 16 && signature_bits != 32)
    base::refuse_option("signature_bits", signature_bits,
                        "is not 8, 16 or 32, by which keys in several rows are told apart");
  if (width > kMostNumberBits)
    throw Error(ErrorKind::bad_input, "the files have more than 2^56 rows");
  return std::make_unique<ListsAssembly>(totals, width, signature_bits);
}

double bits_of_lists(const ListTotals& totals, std::uint64_t rows, unsigned signature_bits) {
  if (totals.keys == 0) return 0;
  const auto keys = static_cast<double>(totals.keys);
  const auto places = static_cast<double>(totals.places);
  return places * number_bits(rows) +
         keys * (5 + signature_bits + std::log2(std::max(1.0, places / keys)));
}

}  // namespace crivo::tables
