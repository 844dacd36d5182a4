// SPDX-License-Identifier: Apache-2.0
// Crivo's minimal perfect hash functions, built as `crivo build mphf` builds them, and read through
// the public interface from the mapped file. A build ends with that file in the page cache.

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
#include "bench/value_array.hpp"
#include "crivo/mphf.hpp"
#include "file/section_types.hpp"
#include "lookup/lookup_blocks.hpp"
#include "structures/build/mphf.hpp"
#include "structures/mphf.hpp"

namespace crivo::bench {
namespace {

struct MphfRow {
  std::string name;
  const mphf::Builder& algorithm;
  bool hashed;  ///< see NumberAsHash
};

/// Every algorithm with its keys hashed, the default first; and those of the PHast family, whose
/// lookups by a hash are compiled into their caller, for prepared hashes, too.
const std::vector<MphfRow>& mphf_rows() {
  static const std::vector<MphfRow> kRows = [] {
    std::vector<MphfRow> rows;
    for (const mphf::Builder& algorithm : mphf::builders()) {
      const std::string name(algorithm.name);
      rows.push_back({name, algorithm, false});
      if (algorithm.section_type == file::kPhastSection) {
        rows.push_back({name + " hashed", algorithm, true});
      }
    }
    return rows;
  }();
  return kRows;
}

class CrivoMphf {
 public:
  static std::unique_ptr<CrivoMphf> build(std::size_t row, const crivo_bench_keys& keys,
                                          unsigned threads) {
    if (mphf_rows()[row].hashed) refuse_texts(keys);
    auto built = std::make_unique<CrivoMphf>(row, keys, threads);
    built->write(Keys::leased);
    return built;
  }
  CrivoMphf(std::size_t row, const crivo_bench_keys& keys, unsigned threads)
      : row_(row), keys_(keys), threads_(threads), hashed_(mphf_rows()[row].hashed) {}

  /// By the default algorithm.
  static std::unique_ptr<CrivoMphf> build(const crivo_bench_keys& keys, unsigned threads,
                                          const char*&) {
    return build(0, keys, threads);
  }

  std::uint64_t bits() const { return bits_; }
  /// Of another build.
  double cpu_ns_from_hashes() const { return CrivoMphf(row_, keys_, threads_).write(Keys::sorted); }

  template <typename Use>
  void with_lookup(const crivo_bench_keys& keys, Use&& use) const {
    const Mphf& mphf = *mphf_;
    if (hashed_) {
      use([&](std::size_t i) { return mphf.lookup(prepared_hash(mphf, keys, i)); });
    } else if (keys.numbers != nullptr) {
      use([&](std::size_t i) { return mphf.lookup(keys.numbers[i]); });
    } else {
      use([&](std::size_t i) { return mphf.lookup(text(keys, i)); });
    }
  }

  void look_up_batch(const crivo_bench_keys& keys, std::uint64_t* ranks) const {
    if (hashed_) {
      in_blocks<KeyHash>(
          keys.count, [&](std::size_t i) { return prepared_hash(*mphf_, keys, i); }, ranks);
    } else if (keys.numbers != nullptr) {
      mphf_->lookup(std::span(keys.numbers, keys.count), {ranks, keys.count});
    } else {
      in_blocks<std::string_view>(
          keys.count, [&](std::size_t i) { return text(keys, i); }, ranks);
    }
  }

 private:
  /// Builds it; returns the CPU time from the point at which the keys are in a key stream on.
  double write(Keys how) {
    const mphf::Builder& algorithm = mphf_rows()[row_].algorithm;
    Progress progress;
    const base::BuildContext context{threads_, progress};
    double begin = 0;
    const auto write_hashes = [&](const stream::HashSource& hashes) {
      begin = process_cpu_ns();
      const file::Header header{.kind = file::Kind::mphf, .keys = hashes.size()};
      mphf_ = written<Mphf>(header, [&](file::ContainerWriter& writer) {
        base::Sink& section = writer.begin_section(algorithm.section_type);
        algorithm.build(hashes, {}, context, section);
        bits_ = 8 * section.size();
      });
    };
    const auto with = [&](auto hash) { with_keys(keys_.count, hash, how, context, write_hashes); };
    if (hashed_) {
      with(NumberAsHash{keys_.numbers});
    } else {
      with_hash(keys_, with);
    }
    return process_cpu_ns() - begin;
  }

  /// Asks for keys key(0) to key(count - 1), some at a time.
  template <typename Key, typename KeyAt>
  void in_blocks(std::size_t count, KeyAt key, std::uint64_t* ranks) const {
    std::array<Key, index::kLookupBlock> keys;
    for (std::size_t begin = 0; begin < count; begin += keys.size()) {
      const std::size_t size = std::min(keys.size(), count - begin);
      for (std::size_t i = 0; i < size; ++i) keys[i] = key(begin + i);
      mphf_->lookup(std::span<const Key>(keys).first(size), {ranks + begin, size});
    }
  }

  std::size_t row_;
  crivo_bench_keys keys_;
  unsigned threads_;
  bool hashed_;
  std::unique_ptr<const Mphf> mphf_;
  std::uint64_t bits_ = 0;
};

}  // namespace

std::vector<Method> crivo_mphfs() {
  std::vector<std::string> names;
  for (const MphfRow& row : mphf_rows()) names.push_back(row.name);
  return crivo_rows<CrivoMphf>(names);
}

std::vector<Method> crivo_array_maps() {
  return {{method_of<ValueArray<CrivoMphf>>("Crivo MPHF + array"), "Crivo"}};
}

}  // namespace crivo::bench
