/// What a record store holds at most. See formats/store.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace crivo::store {

inline constexpr std::uint64_t kMaxKeyBytes = std::uint64_t{1} << 20;      ///< 1 MiB
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{64} << 20;  ///< 64 MiB

/// Throws Error(bad_input) that names the limit if the key or the record is over it.
void check_limits(std::string_view key, std::string_view record);

}  // namespace crivo::store
