// SPDX-License-Identifier: Apache-2.0
/// The content id: one hash of everything that a record store answers from.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "base/progress.hpp"
#include "records/identity.hpp"

namespace crivo::records {

/// XXH3-64 of the first `size` bytes. `progress` (if given) counts bytes. Throws Error(corrupt) if
/// the file is shorter, Error(io) if it cannot be read.
std::uint64_t hash_file(const base::FileDescriptor& file, std::uint64_t size,
                        base::Progress* progress = nullptr);

}  // namespace crivo::records

struct XXH3_state_s;

namespace crivo::records {

/// XXH3-128 of: every group's bytes in rank order; the codec section; then u64 that section's
/// length, u64 the number of records, u64 the key seed.
class ContentHash {
 public:
  ContentHash();
  void add_group(base::ByteView group) noexcept;
  ContentId finish(base::ByteView codec_section, std::uint64_t records,
                   std::uint64_t key_seed) noexcept;

 private:
  struct FreeState {
    void operator()(XXH3_state_s* state) const noexcept;
  };
  std::unique_ptr<XXH3_state_s, FreeState> state_;
};

}  // namespace crivo::records
