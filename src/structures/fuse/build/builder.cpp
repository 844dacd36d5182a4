// SPDX-License-Identifier: Apache-2.0
#include "structures/fuse/build/builder.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/idle_pool.hpp"
#include "crivo/error.hpp"
#include "structures/fuse/build/shard.hpp"
#include "structures/fuse/header.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::fuse {
namespace {

using retrieval::ValueSource;

static_assert(kSmallSetKeys <= ribbon::kSmallSetKeys);

/// Of kSmallSetKeys keys and more. The body of a part is the slots of its shard; its notes, the
/// shard's entry in the table.
template <typename Value>
class ShardedAssembly final : public Assembly {
 public:
  ShardedAssembly(const Header& header, ValueSource source, HashPart part)
      : header_(header), source_(std::move(source)), builders_([this, part] {
          return std::make_unique<ShardBuilder<Value>>(header_.shape, header_.width, part);
        }) {}

  unsigned partition_bits() const noexcept override { return header_.shape.shard_bits; }
  stream::PartCost cost() const noexcept override {
    // At most 5/4 slots a key, but for shards that had to grow.
    return {23 + 2.25 * sizeof(Value), 1.25 / 8 * header_.width};
  }

  Part build_part(unsigned, std::uint64_t, const stream::KeySlice& keys) const override {
    std::optional<ShardImage> image;
    if (keys.size() <= kMaxShardKeys) {
      image = builders_.take()->build(keys.hashes, retrieval::values_of<Value>(keys, source_),
                                      choose_segments(header_.n, header_.shape.arity, keys.size()));
    }
    if (!image) {
      throw Error(ErrorKind::bad_input,
                  "the hashes of the keys are not random enough for fuse graphs; build with "
                  "another seed",
                  {.remedy = "keyed_hash"});
    }
    return {std::move(image->slots),
            base::FieldWriter().u32(encode_shard(image->segments, image->seed)).take()};
  }

  void begin(const base::BuildContext&, base::Sink& sink) override { sink.append(encode(header_)); }
  void join(const PartView& part, base::Sink& sink) override {
    base::FieldReader notes(part.notes, "part of a fuse section");
    const std::uint32_t entry = notes.u32();
    notes.expect_end();
    sink.append(part.body);
    table_.u32(entry | (apart_ ? kApart : 0));
    apart_ = false;
  }
  std::uint64_t place_in_page(std::uint64_t) const noexcept override { return kHeaderBytes; }
  void begin_page(base::Sink& sink) override {
    const std::uint64_t unit = kApartSlots / 8 * header_.width;
    const std::uint64_t beyond = (sink.size() - kHeaderBytes) % unit;
    if (beyond != 0) sink.append(base::Bytes(unit - beyond));
    apart_ = true;
  }
  void finish(const base::BuildContext&, base::Sink& sink) override {
    sink.append(table_.zeros(kEndPadding).view());
  }

 private:
  Header header_;
  ValueSource source_;
  mutable base::IdlePool<ShardBuilder<Value>> builders_;
  bool apart_ = false;  ///< the next part's shard
  base::FieldWriter table_;
};

/// Of fewer: a small set of ribbon's behind the header.
class SmallAssembly final : public Assembly {
 public:
  SmallAssembly(const Header& header, ValueSource source, HashPart part)
      : header_(header), ribbon_(ribbon::plan(header.n, header.width, std::move(source), part)) {}

  unsigned partition_bits() const noexcept override { return 0; }
  stream::PartCost cost() const noexcept override { return {}; }
  Part build_part(unsigned bits, std::uint64_t index, const stream::KeySlice& keys) const override {
    return ribbon_->build_part(bits, index, keys);
  }
  void begin(const base::BuildContext&, base::Sink& sink) override { sink.append(encode(header_)); }
  void join(const PartView& part, base::Sink& sink) override { sink.append(part.body); }
  std::uint64_t place_in_page(std::uint64_t) const noexcept override { return kHeaderBytes; }
  void finish(const base::BuildContext&, base::Sink&) override {}

 private:
  Header header_;
  std::unique_ptr<Assembly> ribbon_;
};

}  // namespace

std::unique_ptr<Assembly> plan(std::uint64_t n, unsigned width, unsigned arity,
                               retrieval::ValueSource values, HashPart part) {
  if (n < kSmallSetKeys)
    return std::make_unique<SmallAssembly>(Header{width, n, {arity, 0, 0}}, std::move(values),
                                           part);
  const Header header{width, n, choose_shape(n, arity)};
  if (width <= 8)
    return std::make_unique<ShardedAssembly<std::uint8_t>>(header, std::move(values), part);
  if (width <= 16)
    return std::make_unique<ShardedAssembly<std::uint16_t>>(header, std::move(values), part);
  if (width <= 32)
    return std::make_unique<ShardedAssembly<std::uint32_t>>(header, std::move(values), part);
  return std::make_unique<ShardedAssembly<std::uint64_t>>(header, std::move(values), part);
}

double bits_per_key(std::uint64_t n, unsigned width, unsigned arity) {
  if (n == 0) return 0;
  if (n < kSmallSetKeys) return ribbon::bits_per_key(n, width);
  const Shape shape = choose_shape(n, arity);
  const std::uint64_t segments = choose_segments(n, arity, n >> shape.shard_bits);
  const double shard = static_cast<double>(shape.slots(segments)) * width + 8 * kTableEntryBytes;
  return shard * static_cast<double>(shape.shards()) / static_cast<double>(n);
}

}  // namespace crivo::fuse
