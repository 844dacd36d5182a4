// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/idle_pool.hpp"
#include "crivo/error.hpp"
#include "records/updates/overlay.hpp"

namespace crivo::records {

namespace {

class UpdatedReader final : public RecordReader {
 public:
  UpdatedReader(const RecordFile& base, std::shared_ptr<const UpdateSnapshot> updates)
      : file_(base), base_(base.reader()), view_(std::move(updates), base) {}

  Lookup find_added(const Hash128& hash, std::string_view key) noexcept override {
    return view_.find_added(hash, key);
  }
  Lookup read_added(std::uint64_t rank, std::string_view& key) noexcept override {
    Lookup found;
    switch (view_.added(rank, key, found.record)) {
      case Overlay::View::Fate::changed:
        found.outcome = Outcome::found;
        break;
      case Overlay::View::Fate::removed:
        break;
      default:
        found.outcome = Outcome::damaged;
    }
    return found;
  }
  Lookup find(std::uint64_t rank, std::uint64_t half, std::string_view key) noexcept override {
    Lookup found;
    return find_updated(rank, half, key, found) ? found : base_->find(rank, half, key);
  }
  Lookup read(std::uint64_t rank, std::string_view key) noexcept override {
    Lookup found;
    return view_.find(rank, key, found) ? found : base_->read(rank, key);
  }
  void find(std::span<const std::uint64_t> ranks, std::span<const std::uint64_t> halves,
            std::span<const std::string_view> keys, const Visit& visit) override {
    base_->find(ranks, halves, keys, [&](std::size_t i, const Lookup& sealed) {
      Lookup found;
      const bool updated = ranks[i] != kNoRank && find_updated(ranks[i], halves[i], keys[i], found);
      visit(i, updated ? found : sealed);
    });
  }

 private:
  /// Overlay::View::find(), but that the damaged update of a rank says nothing of a key that the
  /// rank cannot be of: as where may_hold() is asked first, it may be one that was added.
  bool find_updated(std::uint64_t rank, std::uint64_t half, std::string_view key,
                    Lookup& found) noexcept {
    if (!view_.find(rank, key, found)) return false;
    if (found.outcome == Outcome::damaged && !file_.may_hold(rank, half)) found = {};
    return true;
  }

  const RecordFile& file_;
  std::unique_ptr<RecordReader> base_;
  Overlay::View view_;
};

class UpdatedRecords final : public RecordFile {
 public:
  UpdatedRecords(std::shared_ptr<const RecordFile> base, std::shared_ptr<Overlay> overlay)
      : base_(std::move(base)), overlay_(std::move(overlay)), updates_(overlay_->current()) {}

  const ContentId& content_id() const noexcept override { return base_->content_id(); }
  std::uint64_t records() const noexcept override { return updates_->bounds().ranks; }
  std::uint64_t key_seed() const noexcept override { return base_->key_seed(); }
  std::uint64_t file_bytes() const noexcept override { return base_->file_bytes(); }
  const StoredCodec& codec() const noexcept override { return base_->codec(); }
  bool may_hold(std::uint64_t rank, std::uint64_t half) const noexcept override {
    return base_->may_hold(rank, half);
  }

  Updates updates() const override {
    const CommitRecord& record = updates_->record();
    const std::uint64_t added = record.added - record.added_removed;
    return {
        .commits = record.commit,
        .changed = record.entries - record.removed - added,
        .added = added,
        .removed = record.removed,
        .bytes = updates_->slot().end,
        .dead_bytes = updates_->slot().end - std::min(updates_->slot().end, record.bytes_in_use())};
  }
  bool has_added() const noexcept override { return updates_->record().added != 0; }
  Outcome added_rank(const Hash128& hash, std::uint64_t& rank) const override {
    return updates_->find_added(hash, rank);
  }
  void visit_updates(const VisitUpdate& visit) const override {
    overlay_->visit_updates(*updates_, visit);
  }

  std::unique_ptr<RecordReader> reader() const override {
    return std::make_unique<UpdatedReader>(*base_, updates_);
  }

  std::vector<Progress::Phase> verify_phases(unsigned threads) const override {
    return base_->verify_phases(threads);
  }
  void verify(const base::BuildContext& context, const Visit& visit) const override {
    overlay_->check(*updates_);
    base::IdlePool<Overlay::View> views(
        [&] { return std::make_unique<Overlay::View>(updates_, *base_); });
    base_->verify(context, [&](std::uint64_t rank, std::string_view key, std::string_view record) {
      visit_updated(*views.take(), rank, key, record, visit);
    });
    Overlay::View view(updates_, *base_);
    visit_added(view, base_->records(), records(), visit);
  }
  std::uint64_t visit_some(std::uint64_t begin, const Visit& visit) const override {
    Overlay::View view(updates_, *base_);
    if (begin >= base_->records()) {
      const std::uint64_t end = std::min(begin + kAddedAtOnce, records());
      visit_added(view, begin, end, visit);
      return end;
    }
    return base_->visit_some(
        begin, [&](std::uint64_t rank, std::string_view key, std::string_view record) {
          visit_updated(view, rank, key, record, visit);
        });
  }

 private:
  /// As many as a block of the build has, or more.
  static constexpr std::uint64_t kAddedAtOnce = 1024;

  /// Visits the records of the added keys of these ranks.
  void visit_added(Overlay::View& view, std::uint64_t begin, std::uint64_t end,
                   const Visit& visit) const {
    std::string_view key;
    std::string_view record;
    for (std::uint64_t rank = begin; rank < end; ++rank) {
      const Overlay::View::Fate fate = view.added(rank, key, record);
      if (fate == Overlay::View::Fate::damaged) fail_damaged(rank);
      if (fate == Overlay::View::Fate::changed && visit) visit(rank, key, record);
    }
  }
  [[noreturn]] void fail_damaged(std::uint64_t rank) const {
    overlay_->fail_damaged("the update of rank " + std::to_string(rank) + " is damaged");
  }

  /// Visits what has become of a rank's record, if it is there still.
  void visit_updated(Overlay::View& view, std::uint64_t rank, std::string_view key,
                     std::string_view record, const Visit& visit) const {
    switch (view.fate(rank, key, record)) {
      case Overlay::View::Fate::sealed:
      case Overlay::View::Fate::changed:
        if (visit) visit(rank, key, record);
        break;
      case Overlay::View::Fate::removed:
        break;
      case Overlay::View::Fate::damaged:
        fail_damaged(rank);
    }
  }

  std::shared_ptr<const RecordFile> base_;
  std::shared_ptr<Overlay> overlay_;
  std::shared_ptr<const UpdateSnapshot> updates_;
};

}  // namespace

std::shared_ptr<const RecordFile> with_updates(std::shared_ptr<const RecordFile> base,
                                               std::shared_ptr<Overlay> overlay) {
  return std::make_shared<const UpdatedRecords>(std::move(base), std::move(overlay));
}

}  // namespace crivo::records
