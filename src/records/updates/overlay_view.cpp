// SPDX-License-Identifier: Apache-2.0
/// What readers see of updates: a transaction whose pages LMDB keeps for them.
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "crivo/error.hpp"
#include "records/lmdb.hpp"
#include "records/updates/overlay.hpp"

namespace crivo::records {

namespace {

/// What an overlay may grow to. Readers map what is there; a writer cannot map more of it in the
/// middle of a transaction, and has all of this mapped.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30;
/// A writer that commits all the time can pass the transaction that a reader is looking for.
constexpr int kViewTries = 1000;

/// What a writer maps: of an address space that is limited a part.
std::uint64_t room_of_writer() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kMostBytes;
  return std::min<std::uint64_t>(kMostBytes, limit.rlim_cur / 4);
}

}  // namespace

std::uint64_t Overlay::last_transaction() const noexcept {
  if (copy_) return copy_->walked.transaction;
  constexpr std::size_t kTransactionAt = 144;
  const auto of_page = [&](std::size_t page) {
    const std::byte* const at = first_map_->bytes().data() + page * page_size_ + kTransactionAt;
    return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(at), __ATOMIC_ACQUIRE);
  };
  return std::max(of_page(0), of_page(1));
}

void Overlay::check_rank(std::uint64_t rank) const {
  if (rank >= records_) lmdb::fail("it has an entry of no record: rank " + std::to_string(rank));
}

void Overlay::check_build(const UpdateState& state) const {
  if (state.version > UpdateState::kVersion) {
    throw Error(ErrorKind::too_new, path_.string() + ": of a later version; use a later program");
  }
  if (state.content_id != content_id_ || state.version == 0) {
    throw Error(ErrorKind::corrupt, "is of another build than the store");
  }
}

std::optional<WalkedOverlay> Overlay::walked(std::uint64_t transaction) {
  if (walked_ && walked_->transaction == transaction) return walked_;
  std::optional<WalkedOverlay> found;
  named([&] {
    found = walk_overlay(lmdb::TreeFile(file_), transaction,
                         [this](std::uint64_t rank, const lmdb::LeafNode&) {
                           check_rank(rank);
                           mark(rank);
                         });
    if (found) check_build(found->state);
  });
  if (found) walked_ = found;
  return found;
}

void Overlay::note(std::uint64_t transaction, const UpdateState& state) noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    const lmdb::TreeFile file(file_);
    const lmdb::Meta& meta = file.meta(transaction % lmdb::kMetaPages);
    if (meta.transaction != transaction) return;
    walked_ = {transaction, state, meta};
    writable_transaction_ = transaction;
  } catch (const std::exception&) {
    return;  // it is walked when it is read
  }
}

std::shared_ptr<const file::MappedFile> Overlay::mapped_to(const lmdb::Meta& meta) {
  if (!mapped_ || mapped_->bytes().size() / page_size_ <= meta.last_page) {
    mapped_ = std::make_shared<const file::MappedFile>(file_, path_.string(), file::Loading::live);
  }
  return mapped_;
}

void Overlay::map_for_lmdb(std::uint64_t size) {
  // Transactions of readers need none of the map, which is LMDB's own.
  const int result = mdb_env_set_mapsize(environment_, size);
  if (result == EINVAL) fail(result);  // a transaction is being written
  map_size_ = result == 0 ? size : 0;
  if (result != 0) fail(result);
}

MDB_txn* Overlay::begin_reading() {
  if (map_size_ == 0) fail(ENOMEM);
  MDB_txn* transaction = nullptr;
  int result = mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction);
  if (result == MDB_MAP_RESIZED) {  // it has grown
    named([&] { (void)open_overlay(file_); });
    map_for_lmdb(file_.size());
    result = mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction);
  }
  if (result == MDB_MAP_RESIZED) fail_damaged("its B+tree is damaged: it has two last pages");
  if (result != 0) fail(result);
  return transaction;
}

void Overlay::make_room() {
  if (map_size_ == 0) fail(ENOMEM);
  const std::uint64_t size = std::max(room_of_writer(), 2 * file_.size());
  if (map_size_ < size) map_for_lmdb(size);
}

Overlay::View::View(std::shared_ptr<Overlay> overlay) : overlay_(std::move(overlay)) {
  if (overlay_->copy_) {
    state_ = overlay_->copy_->walked.state;
    return;
  }
  const std::scoped_lock lock(overlay_->mutex_);
  try {
    std::optional<WalkedOverlay> walked;
    for (int left = kViewTries; !walked; --left) {
      if (left == 0) overlay_->fail_damaged("its pages disagree on its last transaction");
      if (transaction_ != nullptr) mdb_txn_abort(std::exchange(transaction_, nullptr));
      transaction_ = overlay_->begin_reading();
      walked = overlay_->walked(mdb_txn_id(transaction_));
    }
    if (walked) {  // always: so the loop ends
      state_ = walked->state;
      meta_ = walked->meta;
    }
    mapped_ = overlay_->mapped_to(meta_);
    tree_ = MappedTree(mapped_->bytes(), overlay_->page_size_, meta_.main);
  } catch (...) {
    if (transaction_ != nullptr) mdb_txn_abort(transaction_);
    throw;
  }
}

Overlay::View::~View() {
  if (transaction_ != nullptr) mdb_txn_abort(transaction_);
}

Overlay::View::Found Overlay::View::find(std::uint64_t rank) noexcept {
  base::ByteView value;
  if (overlay_->copy_) {
    value = overlay_->copy_->find(rank);
    if (value.empty()) return {};
  } else {
    const MappedTree::What what = tree_.find(rank, value);
    if (what == MappedTree::What::nothing) return {};
    if (what == MappedTree::What::damaged) return {Found::What::damaged, {}};
  }
  const auto entry = UpdateEntry::decode(value, rank);
  return entry ? Found{Found::What::entry, *entry} : Found{Found::What::damaged, {}};
}

void Overlay::View::check_free_pages() {
  if (overlay_->copy_) return;
  const std::scoped_lock lock(overlay_->mutex_);
  const std::uint64_t transaction = mdb_txn_id(transaction_);
  if (overlay_->writable_transaction_ == transaction) return;
  overlay_->named([&] { check_pages(lmdb::TreeFile(overlay_->file_), meta_); });
  overlay_->writable_transaction_ = transaction;
}

}  // namespace crivo::records
