// SPDX-License-Identifier: Apache-2.0
/// Ordered stores: what is asked of the order of keys.
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

const dictionary::Reader& keys_in_order(const index::StoreFiles& files) {
  if (files.ranks.in_order == nullptr)
    throw Error(ErrorKind::usage,
                files.index.name() + ": its records are not in the order of their keys",
                {.remedy = "ordered"});
  return *files.ranks.in_order;
}

[[noreturn]] void fail_damaged(const index::StoreFiles& files) {
  files.index.fail("damaged: the bytes that tell the ranks of keys fail their sums");
}

}  // namespace

std::uint64_t Store::lower_bound(std::string_view text) const {
  const base::DamageWatch watch(impl_->files->index.page_checks());
  const std::uint64_t rank = keys_in_order(*impl_->files).find(text).id;
  if (watch.has_seen()) fail_damaged(*impl_->files);
  return rank;
}

Store::Range Store::prefix(std::string_view text) const {
  const base::DamageWatch watch(impl_->files->index.page_checks());
  const dictionary::Ids ids = keys_in_order(*impl_->files).prefix(text);
  if (watch.has_seen()) fail_damaged(*impl_->files);
  return {ids.begin, ids.end};
}

struct Store::Cursor::Impl {
  explicit Impl(std::shared_ptr<const Store::Impl> opened)
      : store(std::move(opened)),
        walk(keys_in_order(*store->files)),
        records(store->files->sealed->reader()) {}  // what has an order has no updates

  /// Reads the record of the key that the walk is at, if it went to one.
  bool read(bool is_there) noexcept {
    const base::PageChecks* const checks = store->files->index.page_checks();
    is_damaged = checks != nullptr && checks->is_lost();
    if (is_damaged) return false;
    if (is_there) {
      const records::Lookup found = records->read(walk.id(), walk.key());
      is_damaged = found.outcome != records::Outcome::found;
      record = found.record;
    } else {
      is_damaged = walk.is_malformed();
    }
    return is_there && !is_damaged;
  }

  std::shared_ptr<const Store::Impl> store;
  dictionary::Walk walk;
  std::unique_ptr<records::RecordReader> records;
  std::string_view record;
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
  return impl_->read(impl_->walk.seek(rank));
}
bool Store::Cursor::seek(std::string_view text) noexcept {
  const base::DamageWatch watch(impl_->store->files->index.page_checks());
  const std::uint64_t rank = impl_->store->files->ranks.in_order->find(text).id;
  if (!watch.has_seen()) return seek(rank);
  impl_->is_damaged = true;
  return false;
}
bool Store::Cursor::next() noexcept {
  return impl_->read(impl_->walk.next());
}
std::uint64_t Store::Cursor::rank() const noexcept {
  return impl_->walk.id();
}
std::string_view Store::Cursor::key() const noexcept {
  return impl_->walk.key();
}
std::string_view Store::Cursor::record() const noexcept {
  return impl_->record;
}
bool Store::Cursor::is_damaged() const noexcept {
  return impl_->is_damaged;
}

}  // namespace crivo
