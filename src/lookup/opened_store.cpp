// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "crivo/store.hpp"
#include "lookup/opened.hpp"
#include "lookup/queries.hpp"

namespace crivo::index {
namespace {

/// The keys of a batch, which is looked up on every core: the more keys, the fewer blocks of
/// records are decompressed again.
constexpr std::size_t kKeysAtOnce = std::size_t{1} << 20;
/// Records that are found when this is full are looked up again when it is their turn.
constexpr std::size_t kRecordBytes = std::size_t{256} << 20;

class OpenedStore final : public Opened<Store> {
 public:
  OpenedStore(const std::filesystem::path& path, const OpenOptions& options)
      : Opened("store", path, options), reader_(structure()) {}

  bool has_records() const noexcept override { return true; }
  std::size_t keys_at_once() const noexcept override { return kKeysAtOnce; }

  void answer(const Key& key, const Visit& visit) override {
    answer_record(key.text(), reader_.find(key), visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    while (!keys.empty()) {
      const auto some = keys.first(std::min(kKeysAtOnce, keys.size()));
      answer_some(some, visit);
      keys = keys.subspan(some.size());
    }
  }

  void for_each(const std::function<void(std::string_view key, const std::string_view* record)>&
                    visit) const override {
    structure().for_each(
        [&](std::string_view key, std::string_view record) { visit(key, &record); });
  }

  void query(std::string_view name, std::span<const std::string> values,
             const Visit& visit) override {
    check_values(kOrderQueries, name, values.size());
    const Store& store = structure();
    if (name == "prefix") {
      for (const std::string& value : values) answer_range(store.prefix(value), visit);
    } else if (name == "range") {
      for (std::size_t i = 0; i + 1 < values.size(); i += 2)
        answer_range({store.lower_bound(values[i]), store.lower_bound(values[i + 1])}, visit);
    } else if (name == "lower-bound") {
      for (const std::string& value : values)
        answer_range({store.lower_bound(value), size()}, visit);
    } else {
      OpenIndex::query(name, values, visit);
    }
  }

  std::uint64_t count_one_by_one(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for (const std::string_view key : keys) count(found, key, reader_.find(key));
    return found;
  }
  std::uint64_t count_in_batches(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    reader_.find(
        keys, [&](std::size_t i, const Store::Answer& answer) { count(found, keys[i], answer); });
    return found;
  }

 private:
  struct Found {
    Store::Status status = Store::Status::absent;
    std::optional<std::string> record;
  };

  [[noreturn]] void fail_damaged(std::string_view key) const {
    throw Error(ErrorKind::corrupt,
                name() + ": damaged: the record of " + quote(key) + " fails its checksum");
  }
  void count(std::uint64_t& found, std::string_view key, const Store::Answer& answer) const {
    if (answer.status == Store::Status::damaged) fail_damaged(key);
    found += answer.status == Store::Status::found ? 1 : 0;
  }
  void answer_record(std::string_view key, const Store::Answer& answer, const Visit& visit) const {
    if (answer.status == Store::Status::damaged) fail_damaged(key);
    visit(key, {.found = answer.status == Store::Status::found, .text = answer.record});
  }

  void answer_range(const Store::Range& range, const Visit& visit) const {
    if (range.begin >= range.end) return;
    Store::Cursor cursor(structure());
    for (bool more = cursor.seek(range.begin); more && cursor.rank() < range.end;
         more = cursor.next())
      visit(cursor.key(), {.found = true, .text = cursor.record()});
    if (cursor.is_damaged()) {
      throw Error(ErrorKind::corrupt, name() + ": damaged: the record of rank " +
                                          std::to_string(cursor.rank()) +
                                          " or its key cannot be read");
    }
  }

  void answer_some(std::span<const std::string_view> keys, const Visit& visit) {
    std::vector<Found> found(keys.size());
    std::atomic<std::size_t> kept{0};
    structure().find_all(keys, [&](std::size_t i, const Store::Answer& answer) {
      found[i].status = answer.status;
      if (answer.status == Store::Status::found &&
          kept.fetch_add(answer.record.size(), std::memory_order_relaxed) < kRecordBytes) {
        found[i].record = answer.record;
      }
    });
    for (std::size_t i = 0; i < keys.size(); ++i) {
      Store::Answer answer{found[i].status, {}};
      if (const auto& record = found[i].record) {
        answer.record = *record;
      } else if (answer.status == Store::Status::found) {
        answer = reader_.find(keys[i]);
      }
      answer_record(keys[i], answer, visit);
    }
  }

  Store::Reader reader_;
};

}  // namespace

std::unique_ptr<OpenIndex> open_store(const std::filesystem::path& path,
                                      const OpenOptions& options) {
  return std::make_unique<OpenedStore>(path, options);
}

}  // namespace crivo::index
