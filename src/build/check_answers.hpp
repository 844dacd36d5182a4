// SPDX-License-Identifier: Apache-2.0
/// Whether an MPHF, filter or map answers rightly for the keys of an input.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "crivo/build/keys.hpp"
#include "file/container.hpp"

namespace crivo::index {

/// Marks ranks, from any thread.
class RankBits {
 public:
  explicit RankBits(std::uint64_t ranks) : bits_(ranks / 64 + 1) {}

  /// False if the rank was marked before.
  bool mark(std::uint64_t rank) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (rank % 64);
    const std::atomic_ref word(bits_[rank / 64]);
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  /// Asks for the memory that mark() will touch.
  void prefetch(std::uint64_t rank) const noexcept { __builtin_prefetch(&bits_[rank / 64], 1); }

 private:
  std::vector<std::uint64_t> bits_;
};

struct CheckOptions {
  bool values = false;             ///< the input is of pairs
  std::string group_delimiter{};   ///< of an exact set, as of ExactOptions
  std::uint64_t memory_bytes = 0;  ///< to take; what does not fit goes to temp_dir
  std::filesystem::path temp_dir{};
};

/// Throws Error(mismatch) where a key of the input is answered wrongly, or the file was built over
/// another number of keys (of filters: where one is absent). Returns the number of distinct keys;
/// of a filter, of keys given.
///
/// Nothing is kept of the keys where that can be: each of a filter's is asked by itself; and of
/// files, which can be read again, those of an MPHF take a bit a rank and those of a map of line
/// numbers nothing. Where n keys have n ranks, or the numbers of their lines, they are all
/// different, and there is no more to prove. Otherwise keys are there twice, or something is wrong:
/// then, for pipes and for maps of other values hashes are sorted in a KeyStream, 16 to 24 bytes a
/// key of memory or temporary disk.
std::uint64_t check_mphf(const file::Container& container, const KeyInput& input,
                         const CheckOptions& options, const base::BuildContext& context);
std::uint64_t check_filter(const file::Container& container, const KeyInput& input,
                           const CheckOptions& options, const base::BuildContext& context);
std::uint64_t check_map(const file::Container& container, const KeyInput& input,
                        const CheckOptions& options, const base::BuildContext& context);
/// Checks an index of rows: the keys with their rows, of which no two may be equal.
std::uint64_t check_filter_set(const file::Container& container, const KeyInput& input,
                               const CheckOptions& options, const base::BuildContext& context);
std::uint64_t check_rows(const file::Container& container, const KeyInput& input,
                         const CheckOptions& options, const base::BuildContext& context);

/// Checks an exact set: the keys are its members, each of which must be answered so; and where
/// there is a KeyInput::universe no other key of that.
std::uint64_t check_exact(const file::Container& container, const KeyInput& input,
                          const CheckOptions& options, const base::BuildContext& context);
/// Checks a chain as its base is checked.
std::uint64_t check_chain(const file::Container& container, const KeyInput& input,
                          const CheckOptions& options, const base::BuildContext& context);

/// Checks a dictionary, with a bit of memory for each id.
std::uint64_t check_dictionary(const file::Container& container, const KeyInput& input,
                               const CheckOptions& options, const base::BuildContext& context);

}  // namespace crivo::index
