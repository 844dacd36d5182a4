// SPDX-License-Identifier: Apache-2.0
/// Bytes as the updates of one of four stores, which their id tells apart, as they are and with
/// every check mended: refused, or any key gets the same answer in every way of asking, what a
/// writer then commits is read, and the store answers alike when it is compacted.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "crivo/build/edit.hpp"
#include "fuzz/updated_store.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;
namespace fs = std::filesystem;

// Of the store, in the first slot of its updates.
constexpr std::size_t kIdAt = 16;
constexpr std::size_t kIdEnd = 32;

base::Bytes id_in(const fuzz::UpdatedStore& store) {
  std::ifstream file(store.updates(), std::ios::binary);
  base::Bytes front(kIdEnd);
  if (!file.read(reinterpret_cast<char*>(front.data()), kIdEnd)) std::abort();
  return {front.begin() + kIdAt, front.end()};
}

const std::string kDamaged = std::to_string(static_cast<int>(Store::Status::damaged));

std::vector<std::string> answers(const fs::path& path) {
  const Store store = Store::open(path);
  Store::Reader reader(store);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < fuzz::UpdatedStore::kKeys; ++i) {
    const Store::Answer answer = reader.find(fuzz::UpdatedStore::key(i));
    all.push_back(std::to_string(static_cast<int>(answer.status)) + std::string(answer.record));
  }
  return all;
}

/// Compacts a copy.
void compact(const fuzz::UpdatedStore& store, const fs::path& copy) {
  fs::remove_all(copy);
  fs::copy(store.path(), copy, fs::copy_options::recursive);
  try {
    const std::vector<std::string> before = answers(copy);
    compact_store(copy, {.resources = {.threads = 1}});
    const std::vector<std::string> after = answers(copy);
    for (std::size_t i = 0; i < before.size(); ++i) {
      // Where the keys that were added are found by is not copied but made anew.
      if (before[i] != kDamaged && before[i] != after[i]) std::abort();
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt && error.kind() != ErrorKind::too_new &&
        error.kind() != ErrorKind::bad_input) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::TempDirectory directory;
  static const fuzz::UpdatedStore by_record(directory.path());
  static const fuzz::UpdatedStore by_block(directory.path(), "zstd", {.codec = "zstd"});
  static const fuzz::UpdatedStore ordered(directory.path(), "ordered", fuzz::kOrdered);
  static const fuzz::UpdatedStore flat(directory.path(), "flat", fuzz::kFlat);
  static const base::Bytes id_by_block = id_in(by_block);
  static const base::Bytes id_ordered = id_in(ordered);
  static const base::Bytes id_flat = id_in(flat);
  const auto given = std::as_bytes(std::span(data, size));
  const auto has = [&](const base::Bytes& id) {
    return size > kIdEnd && std::ranges::equal(given.subspan(kIdAt, kIdEnd - kIdAt), id);
  };
  const fuzz::UpdatedStore& store = has(id_by_block)  ? by_block
                                    : has(id_ordered) ? ordered
                                    : has(id_flat)    ? flat
                                                      : by_record;
  store.put(given);
  store.use();
  base::Bytes mended(given.begin(), given.end());
  fuzz::UpdatesMender::mend(mended);
  if (!std::ranges::equal(mended, given)) {
    store.put(mended);
    store.use();
  }
  store.put(mended);
  compact(store, directory.path() / "copy");
  return 0;
}
