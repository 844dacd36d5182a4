// SPDX-License-Identifier: Apache-2.0
/// Bytes as the file of an LMDB environment of any program, of which the first byte says what is
/// taken: refused, or every entry is read, and one build input gives what another did.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "crivo/progress.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;

using Entries = std::vector<std::pair<std::string, std::string>>;

Entries read(const std::filesystem::path& environment, const LmdbInput& how) {
  Entries all;
  Progress progress;
  KeyInput input = lmdb_entries(environment, how);
  input.format.allow_empty = true;
  const bool with_values = how.take != LmdbTake::keys;
  const auto keep = [&](const KeyBlock& block) {
    for (std::size_t i = 0; i < block.keys.size(); ++i)
      all.emplace_back(block.keys[i], with_values ? block.records[i] : std::string_view());
  };
  with_values ? read_records(input, progress, keep) : read_keys(input, progress, keep);
  return all;
}

/// Nothing is told of an environment that is damaged, or has not what is asked for.
std::optional<Entries> read_or_refuse(const std::filesystem::path& path, const LmdbInput& how) {
  try {
    return read(path, how);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input && error.kind() != ErrorKind::usage) std::abort();
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::TempDirectory directory;
  static const std::filesystem::path path = directory.path() / "data.mdb";
  if (size == 0) return 0;
  {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(data) + 1, static_cast<std::streamsize>(size - 1));
    if (!file.flush()) std::abort();
  }
  const std::string database = (data[0] & 2) != 0 ? "named" : "";
  const auto keys = read_or_refuse(path, {.database = database, .take = LmdbTake::keys});
  const auto take = (data[0] & 1) != 0 ? LmdbTake::records : LmdbTake::keys;
  // The directory is an environment, too.
  const auto again = read_or_refuse(directory.path(), {.database = database, .take = take});
  if (keys && again && keys->size() != again->size()) std::abort();
  if (keys && again) {
    for (std::size_t i = 0; i < keys->size(); ++i)
      if ((*keys)[i].first != (*again)[i].first) std::abort();
  }
  return 0;
}
