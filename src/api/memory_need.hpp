/// What memory a build takes, and whether there is so much.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "crivo/build.hpp"
#include "util/memory_limit.hpp"

namespace crivo::api {

/// The peak of a build of so many keys, in bytes. Within some 15 % from 10^6 keys on.
using MemoryNeed = std::function<std::uint64_t(std::uint64_t keys)>;

/// These take options that were checked.
MemoryNeed mphf_memory(const MphfOptions& mphf, unsigned threads);
MemoryNeed filter_memory(const FilterOptions& filter, unsigned threads);
/// `value_bits` of a value as it is stored; 0: those of the last line's number.
MemoryNeed map_memory(const MapOptions& map, unsigned value_bits, bool ignore_duplicates,
                      unsigned threads);
MemoryNeed store_memory(const StoreOptions& store, unsigned threads);

/// What is wrong if `need` bytes are clearly more than `available`, and what to do; else nothing.
std::string memory_problem(std::uint64_t keys, std::uint64_t need,
                           const util::AvailableMemory& available);

}  // namespace crivo::api
