// SPDX-License-Identifier: Apache-2.0
/// Bytes as a manifest beside sound parts, once every checksum fits (mended_file.hpp): refused, or
/// any key gets the same answer one at a time and in batches.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "file/kind.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/mended_file.hpp"
#include "fuzz/served_sets.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;

constexpr std::size_t kKeys = 64;

/// Keys of all sets, of the larger ones alone, and of none.
const std::vector<std::string_view>& keys() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> some;
    for (std::size_t i = 0; i < kKeys; ++i) some.push_back("key " + std::to_string(i * i * 8));
    return some;
  }();
  static const std::vector<std::string_view> views(texts.begin(), texts.end());
  return views;
}

void expect(bool same) {
  if (!same) std::abort();
}

void ask(const Mphf& mphf) {
  std::array<std::uint64_t, kKeys> ranks{};
  mphf.lookup(keys(), ranks);
  for (std::size_t i = 0; i < kKeys; ++i) expect(mphf.lookup(keys()[i]) == ranks[i]);
}

void ask(const Filter& filter) {
  std::array<bool, kKeys> answers{};
  filter.contains(keys(), answers);
  for (std::size_t i = 0; i < kKeys; ++i) expect(filter.contains(keys()[i]) == answers[i]);
}

void ask(const Map& map) {
  std::array<std::uint64_t, kKeys> values{};
  std::array<bool, kKeys> present{};
  map.lookup(keys(), values, present);
  for (std::size_t i = 0; i < kKeys; ++i) {
    const auto value = map.lookup(keys()[i]);
    expect(value.has_value() == present[i] && value.value_or(values[i]) == values[i]);
  }
}

/// What a key got: whatever a hostile manifest leads to, an answer is of the key's own record.
void ask(const Store& store) {
  Store::Reader reader(store);
  std::vector<Store::Status> statuses;
  reader.find(keys(), [&](std::size_t, const Store::Answer& answer) {
    statuses.push_back(answer.status);
    expect(answer.status != Store::Status::found || answer.record == "and its record");
  });
  for (std::size_t i = 0; i < kKeys; ++i) expect(reader.find(keys()[i]).status == statuses[i]);
  store.find_all(
      keys(),
      [&](std::size_t i, const Store::Answer& answer) { expect(answer.status == statuses[i]); }, 1);
  // Of so many some are bumped keys, whose records lie in the manifest.
  constexpr std::size_t kMore = 1000;
  for (std::size_t i = 0; i < kMore; ++i) {
    const Store::Answer answer = reader.find("key " + std::to_string(3 * i));
    expect(answer.status != Store::Status::found || answer.record == "and its record");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::TempDirectory directory;
  static const auto sets = [] {
    const auto made = fuzz::make_served_sets(directory.path());
    std::filesystem::copy_file(made.at(0), directory.path() / "set0-partm");  // no part
    return made;
  }();
  const std::string path = directory.path() / "input";
  fuzz::FileParts parts = fuzz::take_apart(std::as_bytes(std::span(data, size)));
  parts.header.kind = static_cast<std::uint32_t>(file::Kind::manifest);
  const base::Bytes whole = fuzz::put_together(parts);
  {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << base::as_text(whole);
    if (!out.flush()) std::abort();
  }
  for (const OpenMode mode : {OpenMode::mapped, OpenMode::copy, OpenMode::preload}) {
    fuzz::expect_use_or_refusal([&] {
      const std::string kind = inspect(path).kind;
      if (kind == "mphf") ask(Mphf::open(path, {mode}));
      if (kind == "filter") ask(Filter::open(path, {mode}));
      if (kind == "map") ask(Map::open(path, {mode}));
      if (kind == "store") ask(Store::open(path, {mode}));
      verify(path);
    });
  }
  return 0;
}
