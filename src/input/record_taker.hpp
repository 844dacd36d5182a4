// SPDX-License-Identifier: Apache-2.0
/// Where records go as they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hashing/hash128.hpp"
#include "stream/run_log.hpp"

namespace crivo::input {

/// Where a record stands in the files of an input.
struct InputPlace {
  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t file = kNone;
  std::uint64_t offset = 0;
};

class RecordTaker {
 public:
  virtual ~RecordTaker() = default;

  /// Before the first record; and again where all is done again with another seed: then those that
  /// were taken before count no more.
  virtual void begin() = 0;
  /// A record with its key's hash; `order` ascends in the order of the input. `in_input` is where
  /// it can be read again, if its file is plain. From all threads at once, each with a number of
  /// its own below BuildContext::threads.
  virtual void take(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
                    std::string_view record, const InputPlace& in_input) = 0;

  /// With HashOptions::resume: writes all that was taken so that another process can go on from it,
  /// durably, and says where it is. No thread takes meanwhile. Throws Error(io).
  virtual stream::LoggedRuns log_all() = 0;
  /// After begin(): goes on from what log_all() said. Throws Error(corrupt, io).
  virtual void go_on_from(const stream::LoggedRuns& logged) = 0;
};

}  // namespace crivo::input
