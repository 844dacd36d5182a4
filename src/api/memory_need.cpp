#include "api/memory_need.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string_view>

#include "filter/filter_file.hpp"
#include "mphf/rank_index.hpp"

namespace crivo::api {
namespace {

// Measured: the peak resident memory of builds of 10^6 and 10^7 keys on 1, 4 and 16 threads.
constexpr double kFixed = 6e6;
constexpr double kThread = 3.2e6;
constexpr double kStore = 77e6;  // the log of the records, and their compression
constexpr double kHash = 16.3;   // of a key; what follows is of a key too
constexpr double kNumber = 8;    // beside the hash, while values are collected
constexpr double kPlace = 8;     // and their places

/// Of retrieval tables with `out` bytes a key in the file.
double ribbon_bytes(double out) {
  return 8 + 2 * out;
}
double fuse_bytes(double out) {
  return 10 + 1.5 * out;
}

std::uint64_t total(double fixed, unsigned threads, double bytes, std::uint64_t keys) {
  return static_cast<std::uint64_t>(fixed + kThread * threads + bytes * static_cast<double>(keys));
}

double mphf_bytes(std::string_view algorithm, unsigned signature_bits) {
  return kHash + static_cast<double>(mphf::find_algorithm(algorithm).build_bytes) +
         signature_bits / 8.0;
}

}  // namespace

MemoryNeed mphf_memory(const MphfOptions& mphf, unsigned threads) {
  const double bytes = mphf_bytes(mphf.algorithm, mphf.signature_bits);
  return [=](std::uint64_t keys) { return total(kFixed, threads, bytes, keys); };
}

MemoryNeed filter_memory(const FilterOptions& filter, unsigned threads) {
  return [filter, threads](std::uint64_t keys) {
    const double out =
        filter::find_type(filter).plan(std::max<std::uint64_t>(keys, 1), filter).bits_per_key / 8;
    const double beside = filter.type == "ribbon"              ? ribbon_bytes(out)
                          : filter.type == "fuse"              ? fuse_bytes(out)
                          : filter.type == "split-block-bloom" ? 0.5
                          : filter.type == "cuckoo"            ? 0.3 * out
                                                               : out;
    return total(kFixed, threads, kHash + beside, keys);
  };
}

MemoryNeed map_memory(const MapOptions& map, unsigned value_bits, bool ignore_duplicates,
                      unsigned threads) {
  return [=](std::uint64_t keys) {
    const unsigned bits =
        value_bits != 0 ? value_bits : static_cast<unsigned>(std::bit_width(keys | 1));
    const double out = bits / 8.0;
    const double value = std::bit_ceil((bits + 7U) / 8U);
    const double table = map.algorithm == "ribbon" ? ribbon_bytes(out)
                         : map.algorithm == "fuse"
                             ? fuse_bytes(out)
                             : static_cast<double>(mphf::find_algorithm(map.algorithm).build_bytes);
    const double collecting = kHash + kNumber + (map.values && ignore_duplicates ? kPlace : 0);
    return total(kFixed, threads, std::max(collecting, kHash + value + table), keys);
  };
}

MemoryNeed store_memory(const StoreOptions& store, unsigned threads) {
  const double bytes = mphf_bytes(store.algorithm, store.signature_bits);
  return [=](std::uint64_t keys) { return total(kStore, threads, bytes, keys); };
}

std::string memory_problem(std::uint64_t keys, std::uint64_t need,
                           const util::AvailableMemory& available) {
  constexpr double kClearly = 1.15;  // the estimate may be so much too high
  if (static_cast<double>(need) <= kClearly * static_cast<double>(available.bytes)) return {};
  const auto megabytes = [](std::uint64_t bytes) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.0f MB", static_cast<double>(bytes) / 1e6);
    return std::string(text.data());
  };
  return "a build of " + std::to_string(keys) + " keys or more takes about " + megabytes(need) +
         " of memory, and " + megabytes(available.bytes) + " can be had (" + available.limit +
         "); raise that limit, or build fewer keys at once";
}

}  // namespace crivo::api
