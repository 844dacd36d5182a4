// SPDX-License-Identifier: Apache-2.0
/// Keys and records counted, without hashing any.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/progress.hpp"
#include "crivo/keys.hpp"
#include "crivo/value_form.hpp"

namespace crivo::input {

/// Counts the keys of `input` and the bytes they have in all, without hashing any.
struct KeyCount {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
};
KeyCount count_keys(const KeyInput& input, const base::BuildContext& context);
/// The same of key-and-value pairs, and how many bits the values take as a map keeps
/// them.
struct ValueCount : KeyCount {
  unsigned value_bits = 0;
};
/// Throws Error(bad_input) for a value that is none of `form`.
ValueCount count_values(const KeyInput& input, const ValueForm& form,
                        const base::BuildContext& context);
/// What looks at a record that is counted. Called from all threads at once.
using SeeRecord = std::function<void(std::string_view key, std::string_view record)>;
/// The same for key-and-record pairs, each of which `see` gets; `bytes` are those of keys and
/// records.
KeyCount count_records(const KeyInput& input, const base::BuildContext& context,
                       const SeeRecord& see = {});

}  // namespace crivo::input
