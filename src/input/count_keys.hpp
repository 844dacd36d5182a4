// SPDX-License-Identifier: Apache-2.0
/// Keys and records counted, and a sample of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/progress.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/value_form.hpp"
#include "input/kept_units.hpp"

namespace crivo::input {

/// Counts the keys of `input` and the bytes they have in all, and adds them to a sample, if any.
struct KeyCount {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  std::uint64_t longest = 0;  ///< the bytes of one

  void add(std::uint64_t size) noexcept {
    ++keys;
    bytes += size;
    longest = std::max(longest, size);
  }
};
KeyCount count_keys(const KeyInput& input, const base::BuildContext& context, KeptUnits* kept);
/// The same of key-and-value pairs, and how many bits the values take as a map keeps them. Throws
/// Error(bad_input) for a value that is none of `form`.
struct ValueCount : KeyCount {
  unsigned value_bits = 0;
};
ValueCount count_values(const KeyInput& input, const ValueForm& form,
                        const base::BuildContext& context, KeptUnits* kept);
/// The same of key-and-record pairs; bytes are those of keys and records.
KeyCount count_records(const KeyInput& input, const base::BuildContext& context, KeptUnits* kept);

}  // namespace crivo::input
