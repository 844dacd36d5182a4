// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "records/backends/lmdb/build/lmdb_entries.hpp"
#include "records/backends/lmdb/build/lmdb_snapshot.hpp"

namespace crivo {
namespace {

using records::LmdbSnapshot;
namespace lmdb = records::lmdb;

/// What is damaged is not ours, but the input.
template <typename Work>
decltype(auto) of_input(const std::string& name, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    throw Error(ErrorKind::bad_input, name + ": " + error.what());
  }
}

/// So many names of databases a message lists.
constexpr std::size_t kMostNames = 8;

/// The database of that name; the unnamed one holds the descriptions of those with a name.
lmdb::Table find_table(const LmdbSnapshot& snapshot, const std::string& name,
                       const std::string& environment) {
  const lmdb::Table& main = snapshot.meta().main;
  std::vector<std::string> names;
  lmdb::Table found{};
  bool is_found = false;
  lmdb::for_each_leaf(snapshot.file(), snapshot.meta(), main, [&](const lmdb::Page& page) {
    const std::size_t nodes = page.nodes();
    for (std::size_t i = 0; i < nodes; ++i) {
      const lmdb::LeafEntry entry =
          lmdb::leaf_entry(page, i, snapshot.meta().last_page, snapshot.file().page_size());
      const bool is_table =
          (entry.flags & lmdb::kTableNodeFlag) != 0 && (entry.flags & lmdb::kRepeatedNodeFlag) == 0;
      if (!is_table) continue;
      const std::string_view its_name = base::as_text(entry.key);
      if (names.size() < kMostNames) names.push_back(quote(its_name));
      if (its_name != name) continue;
      if (entry.value.size() != lmdb::kTableBytes) lmdb::fail("a database has no description");
      found = lmdb::decode_table(entry.value);
      is_found = true;
    }
  });
  if (name.empty() && names.empty()) return main;
  if (is_found) return found;
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
  if (names.size() == kMostNames) list += ", ...";
  const std::string problem = name.empty() ? "holds several databases, choose one of " + list
                                           : "has no database " + quote(name) + ", only " +
                                                 (names.empty() ? "its unnamed one" : list);
  throw Error(ErrorKind::usage, environment + ": " + problem, {.remedy = "database"});
}

class LmdbSource final : public KeySource {
 public:
  LmdbSource(const std::filesystem::path& environment, const LmdbInput& input)
      : name_(environment.string()),
        snapshot_(environment),
        entries_(snapshot_.file(), snapshot_.meta(), find_table(snapshot_, input.database, name_)),
        takes_values_(input.take != LmdbTake::keys) {
    if (takes_values_ && entries_.has_repeated_keys()) {
      throw Error(ErrorKind::bad_input,
                  name_ + ": has keys with several values each; only the keys can be taken");
    }
  }

  std::string name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return entries_.size(); }
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const override {
    return entries_.bytes(begin, end);
  }
  void write(std::uint64_t begin, std::uint64_t end, KeyWriter& writer) const override {
    std::vector<char> value;
    of_input(name_, [&] {
      entries_.read(begin, end, [&](const lmdb::LeafEntry& entry) {
        if (!takes_values_) return writer.key(base::as_text(entry.key));
        // Of what is too long, so much that it is seen to be.
        value.resize(std::min<std::uint64_t>(entry.size, kMaxRecordBytes + 1));
        snapshot_.file().read_value(entry, std::as_writable_bytes(std::span(value)));
        writer.record(base::as_text(entry.key), {value.data(), value.size()});
      });
    });
  }

 private:
  std::string name_;
  LmdbSnapshot snapshot_;
  lmdb::EntryTable entries_;
  bool takes_values_;
};

}  // namespace

KeyInput lmdb_entries(const std::filesystem::path& environment, const LmdbInput& input) try {
  return of_input(environment.string(), [&] {
    KeyInput keys = input_of(std::make_shared<LmdbSource>(environment, input));
    keys.format.text_values = input.take == LmdbTake::text_values;
    return keys;
  });
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
