// SPDX-License-Identifier: Apache-2.0
/// A message's body that was sent in chunks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crivo::extract {

/// Takes the sizes of chunks (RFC 9112, 7.1) out of a body that comes piece by piece. Archives also
/// have bodies whose header says chunked and which are not, or no longer: from the first line that
/// is no size where one should stand, all is taken as it is. O(1) memory.
class ChunkedBody {
 public:
  /// A body begins.
  void begin();
  /// The next bytes of the body that stand in `input`, which is moved on behind them; empty when
  /// there is nothing more in it. Valid until the next call.
  std::string_view next(std::string_view& input);
  /// The body has ended: what was kept of it.
  std::string_view end();

 private:
  enum class Place { line, chunk, whole, ended };

  /// Reads the line: false if it is no size.
  bool read_size();

  Place place_ = Place::line;
  std::string line_;        ///< the beginning of the one at hand
  std::uint64_t left_ = 0;  ///< of the chunk at hand
  bool is_behind_ = false;  ///< a chunk, which a line end follows
};

}  // namespace crivo::extract
