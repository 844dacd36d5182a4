// SPDX-License-Identifier: Apache-2.0
// Crivo's filters, built as `crivo build filter` builds them, and read through the public interface
// from the mapped file. Its build ends with that file in the page cache.

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
#include "bench/structure.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "crivo/filter.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/lookup_blocks.hpp"

namespace crivo::bench {
namespace {

struct FilterRow {
  std::string name;
  FilterOptions options;
  bool hashed;  ///< see NumberAsHash
};

/// Every filter type of any keys, with the variants of those that have some; each once with its
/// keys hashed and once for prepared hashes.
const std::vector<FilterRow>& filter_rows() {
  static const std::vector<FilterRow> kRows = [] {
    std::vector<FilterRow> rows;
    const auto add = [&](const std::string& name, const FilterOptions& options) {
      rows.push_back({name, options, false});
      rows.push_back({name + " hashed", options, true});
    };
    for (const filter::Builder& type : filter::builders()) {
      if ((type.type().can & filter::kRanges) != 0) continue;
      const std::string name(type.name);
      FilterOptions options;
      options.type = name;
      add(name, options);
      if (index::takes<FilterOptions>("arity", type.name)) {
        options.arity = 3;
        add(name + " 3-wise", options);
      }
      if (index::takes<FilterOptions>("semi_sorted", type.name)) {
        options.semi_sorted = true;
        add(name + " semi-sorted", options);
      }
    }
    return rows;
  }();
  return kRows;
}

class CrivoFilter {
 public:
  static std::unique_ptr<CrivoFilter> build(std::size_t row, const crivo_bench_keys& keys,
                                            unsigned threads) {
    if (filter_rows()[row].hashed) refuse_texts(keys);
    auto built = std::make_unique<CrivoFilter>(row, keys, threads);
    built->write(Keys::leased);
    return built;
  }
  CrivoFilter(std::size_t row, const crivo_bench_keys& keys, unsigned threads)
      : row_(row), keys_(keys), threads_(threads), hashed_(filter_rows()[row].hashed) {}

  std::uint64_t bits() const { return bits_; }
  double cpu_ns_from_hashes() const {
    return CrivoFilter(row_, keys_, threads_).write(Keys::sorted);
  }

  template <typename Use>
  void with_lookup(const crivo_bench_keys& keys, Use&& use) const {
    const Filter& filter = *filter_;
    if (hashed_) {
      use([&](std::size_t i) -> std::uint64_t {
        return filter.contains(prepared_hash(filter, keys, i));
      });
    } else if (keys.numbers != nullptr) {
      use([&](std::size_t i) -> std::uint64_t { return filter.contains(keys.numbers[i]); });
    } else {
      use([&](std::size_t i) -> std::uint64_t { return filter.contains(text(keys, i)); });
    }
  }

  void look_up_batch(const crivo_bench_keys& keys, std::uint64_t* answers) const {
    if (hashed_) {
      in_blocks<KeyHash>(
          keys.count, [&](std::size_t i) { return prepared_hash(*filter_, keys, i); }, answers);
    } else if (keys.numbers != nullptr) {
      in_blocks<std::uint64_t>(
          keys.count, [&](std::size_t i) { return keys.numbers[i]; }, answers);
    } else {
      in_blocks<std::string_view>(
          keys.count, [&](std::size_t i) { return text(keys, i); }, answers);
    }
  }

 private:
  /// Builds it; returns the CPU time from the point at which the keys are in a key stream on.
  double write(Keys how) {
    FilterOptions options = filter_rows()[row_].options;
    options.fpr = keys_.fpr;
    const filter::Builder& type = filter::find_type(options);
    Progress progress;
    const base::BuildContext context{threads_, progress};
    double begin = 0;
    const auto write_hashes = [&](const stream::HashSource& hashes) {
      begin = process_cpu_ns();
      const file::Header header{
          .kind = file::Kind::filter, .keys = hashes.size(), .key_hash = type.type().key_hash};
      filter_ = written<Filter>(header, [&](file::ContainerWriter& writer) {
        base::Sink& section = writer.begin_section(type.type().section_type);
        type.build(hashes, options, context, section);
        bits_ = 8 * section.size();
      });
    };
    const HashFunction function = detail::HashAccess::function(type.type().key_hash, kDefaultSeed);
    const auto with = [&](auto hash_of) {
      with_keys(keys_.count, hash_of, how, context, write_hashes);
    };
    if (hashed_) {
      with(NumberAsHash{keys_.numbers});
    } else if (keys_.numbers != nullptr) {
      with([&](std::size_t i) { return detail::HashAccess::raw(function, keys_.numbers[i]); });
    } else {
      with([&](std::size_t i) { return detail::HashAccess::raw(function, text(keys_, i)); });
    }
    return process_cpu_ns() - begin;
  }

  /// Asks for keys key(0) to key(count - 1), some at a time.
  template <typename Key, typename KeyAt>
  void in_blocks(std::size_t count, KeyAt key, std::uint64_t* answers) const {
    std::array<Key, index::kLookupBlock> keys;
    std::array<bool, index::kLookupBlock> found{};
    for (std::size_t begin = 0; begin < count; begin += keys.size()) {
      const std::size_t size = std::min(keys.size(), count - begin);
      for (std::size_t i = 0; i < size; ++i) keys[i] = key(begin + i);
      filter_->contains(std::span<const Key>(keys).first(size), std::span(found).first(size));
      std::copy_n(found.begin(), size, answers + begin);
    }
  }

  std::size_t row_;
  crivo_bench_keys keys_;
  unsigned threads_;
  bool hashed_;
  std::unique_ptr<const Filter> filter_;
  std::uint64_t bits_ = 0;
};

}  // namespace

std::vector<Method> crivo_filters() {
  std::vector<std::string> names;
  for (const FilterRow& row : filter_rows()) names.push_back(row.name);
  return crivo_rows<CrivoFilter>(names);
}

}  // namespace crivo::bench
