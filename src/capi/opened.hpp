// SPDX-License-Identifier: Apache-2.0
/// An open index of any kind, as C sees it.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>

#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "crivo/open.hpp"
#include "crivo/shared.hpp"
#include "crivo/store.hpp"

struct crivo_store {
  crivo::Shared<crivo::Store> shared;
};

namespace crivo::capi {

/// Writes as much as the program's structure has room for.
void give_info(const FileInfo& file, crivo_info* room);
void give_signature(const Signature& signature, crivo_signature* room);

inline std::span<const std::byte> bytes_at(const void* data, std::size_t size) noexcept {
  return {static_cast<const std::byte*>(data), size};
}

/// Opens a file, or bytes, as a Structure in a new handle, which messages call `name`.
template <typename Structure, typename Handle>
crivo_status open(const char* name, Handle** handle, const char* path,
                  const crivo_open_options* options) {
  return call({{name, handle}}, [&] {
    *handle = new Handle{Structure::open(needed(path, "the path"), open_options(options))};
  });
}
template <typename Structure, typename Handle>
crivo_status open(const char* name, Handle** handle, std::span<const std::byte> bytes,
                  const crivo_open_options* options) {
  return call({{"data", bytes.data(), bytes.size()}, {name, handle}},
              [&] { *handle = new Handle{Structure::open(bytes, open_options(options))}; });
}

/// Runs verify(resources) for a handle that is one.
inline crivo_status verify_opened(Given handle, const crivo_resources* resources,
                                  const std::function<void(const Resources&)>& verify) noexcept {
  return call({handle}, [&] { with_resources(resources, verify); });
}

/// for_each_block() as a call of its own.
template <typename Use>
crivo_status for_each_block_of(std::initializer_list<Given> given, const crivo_keys* keys,
                               Use&& use) noexcept {
  return call(given, [&] { for_each_block(needed_keys(keys), use); });
}

/// Calls batch(), and where that comes upon damage, which is kept, one(i) for each of `count` in
/// its place.
template <typename Batch, typename One>
void ask_with_care(std::size_t count, std::optional<Error>& damage, Batch&& batch, One&& one) {
  try {
    batch();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    damage = error;
    for (std::size_t i = 0; i < count; ++i) one(i);
  }
}

}  // namespace crivo::capi
