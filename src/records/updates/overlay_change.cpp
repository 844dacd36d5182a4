// SPDX-License-Identifier: Apache-2.0
/// What a writer does to updates: a transaction of LMDB's.
#include <lmdb.h>

#include <cerrno>
#include <utility>

#include "records/updates/overlay.hpp"

namespace crivo::records {

namespace {

MDB_val value_of(base::ByteView bytes) {
  return {bytes.size(), const_cast<std::byte*>(bytes.data())};
}
base::ByteView bytes_of(const MDB_val& value) {
  return {static_cast<const std::byte*>(value.mv_data), value.mv_size};
}

}  // namespace

Overlay::Change::Change(std::shared_ptr<Overlay> overlay) : overlay_(std::move(overlay)) {
  if (overlay_->copy_)
    base::throw_system_error(overlay_->path_.string() + ": cannot write", EACCES);
  int dead = 0;
  (void)mdb_reader_check(overlay_->environment_, &dead);  // their pages can be used again
  {
    View view(overlay_);
    view.check_free_pages();
    state_ = view.state();
    const std::scoped_lock lock(overlay_->mutex_);
    overlay_->make_room();
  }
  const int result = mdb_txn_begin(overlay_->environment_, nullptr, 0, &transaction_);
  if (result != 0) overlay_->fail(result);
}

Overlay::Change::~Change() {
  if (transaction_ != nullptr) mdb_txn_abort(transaction_);
}

Overlay::View::Found Overlay::Change::find(std::uint64_t rank) noexcept {
  using What = View::Found::What;
  MDB_val key{sizeof rank, &rank};
  MDB_val value{};
  const int result = mdb_get(transaction_, overlay_->database_, &key, &value);
  if (result == MDB_NOTFOUND) return {};
  if (result != 0) return {What::damaged, {}};
  const auto entry = UpdateEntry::decode(bytes_of(value), rank);
  return entry ? View::Found{What::entry, *entry} : View::Found{What::damaged, {}};
}

void Overlay::Change::put(std::uint64_t rank, const UpdateEntry& entry) {
  MDB_val key{sizeof rank, &rank};
  MDB_val old{};
  int result = mdb_get(transaction_, overlay_->database_, &key, &old);
  if (result == 0) {
    state_.totals.remove(bytes_of(old));
  } else if (result != MDB_NOTFOUND) {
    overlay_->fail(result);
  }
  const base::Bytes bytes = entry.encode(rank);
  MDB_val value = value_of(bytes);
  result = mdb_put(transaction_, overlay_->database_, &key, &value, 0);
  if (result != 0) overlay_->fail(result);
  state_.totals.add(bytes);
  overlay_->mark(rank);
}

int Overlay::Change::put_state(base::ByteView state) noexcept {
  std::uint64_t rank = kIdentityKey;
  MDB_val key{sizeof rank, &rank};
  MDB_val value = value_of(state);
  const int result = mdb_put(transaction_, overlay_->database_, &key, &value, 0);
  return result != 0 ? result : mdb_txn_commit(std::exchange(transaction_, nullptr));
}

void Overlay::Change::commit() {
  ++state_.commits;
  const base::Bytes state = state_.encode();
  const std::uint64_t transaction = mdb_txn_id(transaction_);
  if (const int result = put_state(state); result != 0) overlay_->fail(result);
  // Once more, so that both of LMDB's meta pages, which have no checksum, lead to the same entries.
  // That this fails is no error of the commit, which is done.
  const bool is_twice = mdb_txn_begin(overlay_->environment_, nullptr, 0, &transaction_) == 0 &&
                        put_state(state) == 0;
  overlay_->note(transaction + (is_twice ? 1 : 0), state_);
}

}  // namespace crivo::records
