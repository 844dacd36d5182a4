// SPDX-License-Identifier: Apache-2.0
#include "structures/bloom/build/bloom.hpp"

#include <algorithm>
#include <bit>

#include "structures/bloom/build/cell_array.hpp"
#include "structures/bloom/build/shape.hpp"

namespace crivo::filter {
namespace {

Forecast forecast_cells(std::uint64_t n, const FilterOptions& options, unsigned cell_bits) {
  const BloomShape shape = bloom_shape(n, options, cell_bits);
  if (n == 0) return {};
  const auto cells = static_cast<double>(shape.regions.all_cells());
  return {cells * cell_bits / static_cast<double>(n),
          bloom_fpr(cells, static_cast<double>(shape.capacity), shape.hashes)};
}

/// The body of a part is the cells of its region; its notes, the counts of them.
class CellAssembly final : public Assembly {
 public:
  CellAssembly(std::uint64_t n, const FilterOptions& options, bool counts)
      : counts_(counts), region_{0, 0} {
    header_.cell_bits = counts ? options.counter_bits : 1;
    const BloomShape shape = bloom_shape(n, options, header_.cell_bits);
    header_.regions = shape.regions;
    header_.keys = n;
    header_.capacity = shape.capacity;
    header_.hashes = shape.hashes;
    region_.cells = shape.regions.cells;
  }

  unsigned partition_bits() const noexcept override { return header_.regions.bits; }
  stream::PartCost cost() const noexcept override {
    return {0, 8 * static_cast<double>(header_.words()) /
                   static_cast<double>(std::max<std::uint64_t>(header_.keys, 1))};
  }

  Part build_part(unsigned, std::uint64_t, const stream::KeySlice& keys) const override {
    CellArray cells(region_.cells, header_.cell_bits);
    for (Hash128 hash : keys.hashes) {
      hash.hi <<= header_.regions.bits;
      for_each_probe(hash, region_, 0, header_.hashes, [&](std::uint64_t cell) {
        cells.increment(cell);
        return true;
      });
    }
    BloomHeader counted;
    cells.count_into(counted);
    base::MemorySink body;
    cells.append_to(body);
    return {body.take(), base::FieldWriter().u64(counted.occupied).u64(counted.saturated).take()};
  }

  void begin(const base::BuildContext&, base::Sink& sink) override {
    sink.append(header_.encode());
  }
  void join(const PartView& part, base::Sink& sink) override {
    sink.append(part.body);
    base::FieldReader notes(part.notes, "part of a filter");
    header_.occupied += notes.u64();
    header_.saturated += notes.u64();
  }
  std::uint64_t place_in_page(std::uint64_t partition) const noexcept override {
    return (BloomHeader::kBytes + partition * (region_.cells * header_.cell_bits / 8)) % kPageBytes;
  }
  void finish(const base::BuildContext&, base::Sink& sink) override {
    if (!counts_) header_.saturated = 0;
    sink.append(header_.encode_counts());
  }

 private:
  bool counts_;
  BloomHeader header_;
  BloomRegions region_;  ///< of a part by itself
};

class BloomEditor final : public Editor {
 public:
  BloomEditor(base::ByteView section, bool counts)
      : counts_(counts), header_(BloomHeader::decode(section)), cells_(header_, section) {}

  std::uint64_t size() const noexcept override { return header_.keys; }
  std::uint64_t capacity() const noexcept override { return header_.capacity; }

  bool add(Hash128 hash) override {
    if (header_.keys == UINT64_MAX) return false;
    bool changed = false;
    for_each_probe(hash, header_.regions, 0, header_.hashes, [&](std::uint64_t cell) {
      changed |= cells_.value(cell) != cells_.limit();
      cells_.increment(cell);
      return true;
    });
    // A counting filter holds a multiset, of which any key is one more.
    header_.keys += changed || counts_ ? 1 : 0;
    return true;
  }

  bool remove(Hash128 hash) override {
    if (header_.keys == 0) return false;
    --header_.keys;
    return for_each_probe(hash, header_.regions, 0, header_.hashes, [&](std::uint64_t cell) {
      if (cells_.value(cell) == 0) return false;
      cells_.decrement(cell);
      return true;
    });
  }

  void write(base::Sink& sink) override { write_section(header_, cells_, counts_, sink); }

 private:
  bool counts_;
  BloomHeader header_;
  CellArray cells_;
};

}  // namespace

Forecast forecast_bloom(std::uint64_t n, const FilterOptions& options) {
  return forecast_cells(n, options, 1);
}

std::unique_ptr<Assembly> plan_bloom(std::uint64_t n, const FilterOptions& options) {
  return std::make_unique<CellAssembly>(n, options, false);
}

std::uint64_t bloom_bytes(std::uint64_t n, const FilterOptions& options) {
  return BloomHeader{.regions = bloom_shape(n, options, 1).regions}.section_bytes();
}

void fill_bloom(std::span<const std::uint64_t> hashes, const FilterOptions& options,
                std::span<std::byte> section) {
  const BloomShape shape = bloom_shape(hashes.size(), options, 1);
  BloomHeader header{.regions = shape.regions,
                     .keys = hashes.size(),
                     .capacity = shape.capacity,
                     .hashes = shape.hashes};
  std::ranges::fill(section, std::byte{0});
  std::byte* const cells = section.data() + BloomHeader::kBytes;
  for (const std::uint64_t hash : hashes) {
    for_each_probe(with_second_half(hash), header.regions, 0, header.hashes,
                   [&](std::uint64_t cell) {
                     cells[cell / 8] |= std::byte{1} << (cell % 8);
                     return true;
                   });
  }
  const std::uint64_t cell_bytes = 8 * header.words();
  for (std::uint64_t at = 0; at < cell_bytes; at += 8) {
    header.occupied +=
        static_cast<unsigned>(std::popcount(base::load_le<std::uint64_t>(cells + at)));
  }
  header.encode_to(section.first<BloomHeader::kBytes>());
  base::store_le(cells + cell_bytes, header.occupied);
}

std::unique_ptr<Editor> edit_bloom(base::ByteView section) {
  return std::make_unique<BloomEditor>(section, false);
}

Forecast forecast_counting_bloom(std::uint64_t n, const FilterOptions& options) {
  return forecast_cells(n, options, options.counter_bits);
}

std::unique_ptr<Assembly> plan_counting_bloom(std::uint64_t n, const FilterOptions& options) {
  return std::make_unique<CellAssembly>(n, options, true);
}

std::unique_ptr<Editor> edit_counting_bloom(base::ByteView section) {
  return std::make_unique<BloomEditor>(section, true);
}

}  // namespace crivo::filter
