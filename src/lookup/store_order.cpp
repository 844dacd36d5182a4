// SPDX-License-Identifier: Apache-2.0
/// Ordered stores: what is asked of the order of keys.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "base/page_checks.hpp"
#include "crivo/error.hpp"
#include "crivo/store.hpp"
#include "lookup/store_impl.hpp"

namespace crivo {

bool Store::is_ordered() const noexcept {
  return impl_->files->ranks.in_order != nullptr;
}

namespace {

[[noreturn]] void fail_damaged(const index::StoreFiles& files) {
  files.index.fail("damaged: the bytes that tell the ranks of keys fail their sums");
}

/// Returns what find(texts) finds. Throws Error(corrupt) if it touches damaged bytes, or finds
/// nothing because of them.
template <typename Find>
auto find_in(const index::StoreFiles& files, const index::UpdatedOrder& order,
             const records::RecordFile& records, const Find& find) {
  const auto texts = order.has_added() ? records.reader() : nullptr;
  const base::DamageWatch watch(files.index.page_checks());
  const auto found = find(texts.get());
  if (!found || watch.has_seen()) fail_damaged(files);
  return *found;
}

}  // namespace

const index::UpdatedOrder& Store::Impl::order() const {
  const auto& keys = files->ranks.in_order;
  if (keys == nullptr)
    throw Error(ErrorKind::usage,
                files->index.name() + ": its records are not in the order of their keys",
                {.remedy = "ordered"});
  order_made_.call([&] {
    const base::DamageWatch watch(files->index.page_checks());
    auto made = std::make_unique<const index::UpdatedOrder>(*as_opened, *keys);
    if (watch.has_seen()) fail_damaged(*files);
    order_ = std::move(made);
  });
  return *order_;
}

void Store::Impl::visit_in_order(
    const std::function<void(std::string_view key, std::string_view record)>& visit) const {
  const std::uint64_t sealed = files->sealed->records();
  const auto reader = as_opened->reader();
  const index::UpdatedOrder& all = order();
  index::UpdatedOrder::Place next;
  const auto visit_added = [&](std::uint64_t rank) {  // those before the key of the build
    next.sealed = rank;
    for (; all.is_added(next); ++next.added) {
      std::string_view key;
      const records::Lookup found = reader->read_added(all.rank_of(next), key);
      if (found.outcome != records::Outcome::found) fail_damaged(*files);
      visit(key, found.record);
    }
  };
  Progress progress;
  as_opened->verify({1, progress},
                    [&](std::uint64_t rank, std::string_view key, std::string_view record) {
                      if (rank >= sealed) return;
                      visit_added(rank);
                      visit(key, record);
                    });
  visit_added(sealed);
}

std::uint64_t Store::lower_bound(std::string_view text) const try {
  const index::UpdatedOrder& order = impl_->order();
  return find_in(*impl_->files, order, *impl_->as_opened,
                 [&](records::RecordReader* texts) { return order.below(text, texts); });
} catch (...) {
  base::rethrow_as_error();
}

Store::Range Store::prefix(std::string_view text) const try {
  const index::UpdatedOrder& order = impl_->order();
  const auto range =
      find_in(*impl_->files, order, *impl_->as_opened,
              [&](records::RecordReader* texts) { return order.prefix(text, texts); });
  return {range.begin, range.end};
} catch (...) {
  base::rethrow_as_error();
}

struct Store::Cursor::Impl {
  explicit Impl(std::shared_ptr<const Store::Impl> opened)
      : store(std::move(opened)),
        order(store->order()),
        walk(*store->files->ranks.in_order),
        records(store->as_opened->reader()) {}

  /// Reads the record that it is at, if there is one.
  bool read() noexcept {
    is_begun = true;
    const base::PageChecks* const checks = store->files->index.page_checks();
    is_damaged = checks != nullptr && checks->is_lost();
    if (is_damaged || position >= order.size()) return false;
    records::Lookup found{records::Outcome::damaged, {}};
    if (order.is_added(place)) {
      found = records->read_added(order.rank_of(place), key);
    } else if (walk.go_to(place.sealed)) {
      key = walk.key();
      found = records->read(place.sealed, key);
    }
    is_damaged = found.outcome != records::Outcome::found;
    record = found.record;
    return !is_damaged;
  }
  bool seek(std::uint64_t rank) noexcept {
    position = std::min(rank, order.size());
    place = order.at(position);
    return read();
  }
  bool seek(std::string_view text) noexcept {
    const base::DamageWatch watch(store->files->index.page_checks());
    const std::optional<std::uint64_t> rank = order.below(text, records.get());
    if (rank && !watch.has_seen()) return seek(*rank);
    is_damaged = true;
    return false;
  }
  bool next() noexcept {
    if (!is_begun) return seek(std::uint64_t{0});
    if (position >= order.size()) return read();
    ++position;
    order.advance(place);
    return read();
  }

  std::shared_ptr<const Store::Impl> store;
  const index::UpdatedOrder& order;
  dictionary::Walk walk;
  std::unique_ptr<records::RecordReader> records;
  std::uint64_t position = 0;
  index::UpdatedOrder::Place place;
  std::string_view key;
  std::string_view record;
  bool is_begun = false;
  bool is_damaged = false;
};

Store::Cursor::Cursor(const Store& store) try : impl_(std::make_unique<Impl>(store.impl_)) {
} catch (...) {
  base::rethrow_as_error();
}
Store::Cursor::~Cursor() = default;
Store::Cursor::Cursor(Cursor&&) noexcept = default;
Store::Cursor& Store::Cursor::operator=(Cursor&&) noexcept = default;

bool Store::Cursor::seek(std::uint64_t rank) noexcept {
  return impl_->seek(rank);
}
bool Store::Cursor::seek(std::string_view text) noexcept {
  return impl_->seek(text);
}
bool Store::Cursor::next() noexcept {
  return impl_->next();
}
std::uint64_t Store::Cursor::rank() const noexcept {
  return impl_->position;
}
std::string_view Store::Cursor::key() const noexcept {
  return impl_->key;
}
std::string_view Store::Cursor::record() const noexcept {
  return impl_->record;
}
bool Store::Cursor::is_damaged() const noexcept {
  return impl_->is_damaged;
}

}  // namespace crivo
