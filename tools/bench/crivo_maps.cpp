// SPDX-License-Identifier: Apache-2.0
// Crivo's static functions, built as `crivo build map` builds them, and read through the public
// interface from the mapped file. Its build ends with that file in the page cache.

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/clock.hpp"
#include "bench/crivo_rows.hpp"
#include "bench/methods.hpp"
#include "build/choices.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/map_file.hpp"
#include "structures/build/static_function.hpp"

namespace crivo::bench {
namespace {

struct MapRow {
  std::string name;
  const map::Builder& algorithm;
  unsigned arity;
};

/// Every algorithm for values of any kind, with each arity that it has.
const std::vector<MapRow>& map_rows() {
  static const std::vector<MapRow> kRows = [] {
    std::vector<MapRow> rows;
    for (const map::Builder& algorithm : map::builders()) {
      if (algorithm.compresses) continue;
      const std::string name(algorithm.name);
      rows.push_back({name, algorithm, 4});
      if (index::takes<MapOptions>("arity", name)) rows.push_back({name + " 3-wise", algorithm, 3});
    }
    return rows;
  }();
  return kRows;
}

class CrivoMap {
 public:
  static std::unique_ptr<CrivoMap> build(std::size_t row, const crivo_bench_keys& keys,
                                         unsigned threads) {
    auto built = std::make_unique<CrivoMap>(row, keys, threads);
    built->write(Keys::leased);
    return built;
  }
  CrivoMap(std::size_t row, const crivo_bench_keys& keys, unsigned threads)
      : row_(row), keys_(keys), threads_(threads) {}

  std::uint64_t bits() const {
    const std::vector<SectionInfo> sections = map_->info().sections;
    const auto of_map =
        std::ranges::find(sections, map_rows()[row_].algorithm.section_type, &SectionInfo::type);
    return 8 * of_map->bytes;
  }
  double cpu_ns_from_hashes() const { return CrivoMap(row_, keys_, threads_).write(Keys::sorted); }

  template <typename Use>
  void with_lookup(const crivo_bench_keys& keys, Use&& use) const {
    const Map& map = *map_;
    if (keys.numbers != nullptr) {
      use([&](std::size_t i) { return map.lookup(keys.numbers[i]).value_or(0); });
    } else {
      use([&](std::size_t i) { return map.lookup(text(keys, i)).value_or(0); });
    }
  }

  void look_up_batch(const crivo_bench_keys& keys, std::uint64_t* answers) const {
    std::array<std::string_view, index::kLookupBlock> texts;
    std::array<bool, index::kLookupBlock> present{};
    for (std::size_t begin = 0; begin < keys.count; begin += texts.size()) {
      const std::size_t size = std::min(texts.size(), keys.count - begin);
      const std::span<std::uint64_t> values(answers + begin, size);
      const auto found = std::span(present).first(size);
      if (keys.numbers != nullptr) {
        map_->lookup(std::span(keys.numbers + begin, size), values, found);
        continue;
      }
      for (std::size_t i = 0; i < size; ++i) texts[i] = text(keys, begin + i);
      map_->lookup(std::span<const std::string_view>(texts).first(size), values, found);
    }
  }

 private:
  /// Builds it; returns the CPU time from the point at which the keys are in a key stream on.
  double write(Keys how) {
    const MapRow& row = map_rows()[row_];
    Progress progress;
    const base::BuildContext context{threads_, progress};
    double begin = 0;
    with_hash(keys_, [&](auto hash) {
      const auto pair = [&](std::size_t i) {
        return stream::HashedValue{hash(i), keys_.values[i]};
      };
      with_keys(keys_.count, pair, how, context, [&](const stream::HashSource& hashes) {
        begin = process_cpu_ns();
        const file::Header header{.kind = file::Kind::map,
                                  .keys = hashes.size(),
                                  .value_type = file::ValueTypeId::unsigned_integer};
        map_ = written<Map>(header, [&](file::ContainerWriter& writer) {
          row.algorithm.build(hashes, {keys_.value_bits, row.arity}, {}, context,
                              writer.begin_section(row.algorithm.section_type));
        });
      });
    });
    return process_cpu_ns() - begin;
  }

  std::size_t row_;
  crivo_bench_keys keys_;
  unsigned threads_;
  std::unique_ptr<const Map> map_;
};

}  // namespace

std::vector<Method> crivo_maps() {
  std::vector<std::string> names;
  for (const MapRow& row : map_rows()) names.push_back(row.name);
  return crivo_rows<CrivoMap>(names);
}

}  // namespace crivo::bench
