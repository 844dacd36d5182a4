// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "records/backends/flat/build/flat_writer.hpp"
#include "records/backends/lmdb/build/environment_writer.hpp"
#include "records/build/backend_writer.hpp"

namespace crivo::records {

namespace {

constexpr std::array kWriters{BackendWriter{.name = "lmdb", .writer = write_lmdb},
                              BackendWriter{.name = "flat", .writer = write_flat}};

}  // namespace

const BackendWriter& writer_of(const Backend& backend) noexcept {
  return *std::ranges::find(kWriters, backend.name, &BackendWriter::name);
}

}  // namespace crivo::records
