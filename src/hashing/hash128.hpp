// SPDX-License-Identifier: Apache-2.0
/// The raw 128-bit hash of a key, by the name that every layer of the library uses.
#pragma once

#include "crivo/detail/hash128.hpp"

namespace crivo {

using detail::Hash128;
using detail::hash_key;

}  // namespace crivo
