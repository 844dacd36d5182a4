// SPDX-License-Identifier: Apache-2.0
#include "records/updates/updated_records.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/idle_pool.hpp"
#include "crivo/error.hpp"

namespace crivo::records {

namespace {

using What = Overlay::View::Found::What;

class UpdatedReader final : public RecordReader {
 public:
  UpdatedReader(std::unique_ptr<RecordReader> base, std::shared_ptr<Overlay> overlay)
      : base_(std::move(base)), overlay_(std::move(overlay)), view_(overlay_) {}

  Lookup find(std::uint64_t rank, std::uint64_t half, std::string_view key) noexcept override {
    Lookup found;
    return is_updated(rank, key, found) ? found : base_->find(rank, half, key);
  }
  Lookup read(std::uint64_t rank, std::string_view key) noexcept override {
    Lookup found;
    return is_updated(rank, key, found) ? found : base_->read(rank, key);
  }
  void find(std::span<const std::uint64_t> ranks, std::span<const std::uint64_t> halves,
            std::span<const std::string_view> keys, const Visit& visit) override {
    base_->find(ranks, halves, keys, [&](std::size_t i, const Lookup& sealed) {
      Lookup found;
      const bool updated = ranks[i] != kNoRank && is_updated(ranks[i], keys[i], found);
      visit(i, updated ? found : sealed);
    });
  }

 private:
  /// Whether the rank's record was changed or removed: then what is found of it.
  bool is_updated(std::uint64_t rank, std::string_view key, Lookup& found) noexcept {
    if (!overlay_->may_hold(rank)) return false;
    const Overlay::View::Found update = view_.find(rank);
    if (update.what == What::nothing) return false;
    if (update.what == What::damaged) {
      found = {Outcome::damaged, {}};
    } else if (update.entry.kind == UpdateEntry::Kind::changed && update.entry.key == key) {
      found = {Outcome::found, update.entry.record};
    }
    return true;
  }

  std::unique_ptr<RecordReader> base_;
  std::shared_ptr<Overlay> overlay_;
  Overlay::View view_;
};

class UpdatedRecords final : public RecordFile {
 public:
  UpdatedRecords(std::shared_ptr<const RecordFile> base, std::shared_ptr<Overlay> overlay)
      : base_(std::move(base)), overlay_(std::move(overlay)) {}

  const ContentId& content_id() const noexcept override { return base_->content_id(); }
  std::uint64_t records() const noexcept override { return base_->records(); }
  std::uint64_t key_seed() const noexcept override { return base_->key_seed(); }
  std::uint64_t file_bytes() const noexcept override { return base_->file_bytes(); }
  const CodecSection& codec() const noexcept override { return base_->codec(); }
  bool may_hold(std::uint64_t rank, std::uint64_t half) const noexcept override {
    return base_->may_hold(rank, half);
  }

  Updates updates() const override {
    const UpdateState state = Overlay::View(overlay_).state();
    return {.commits = state.commits,
            .changed = state.totals.entries - state.totals.removed,
            .removed = state.totals.removed,
            .bytes = overlay_->bytes()};
  }

  std::unique_ptr<RecordReader> reader() const override {
    return std::make_unique<UpdatedReader>(base_->reader(), overlay_);
  }

  std::vector<Progress::Phase> verify_phases(unsigned threads) const override {
    return base_->verify_phases(threads);
  }
  void verify(const base::BuildContext& context, const Visit& visit) const override {
    Overlay::View(overlay_).check_free_pages();
    base::IdlePool<Overlay::View> views([&] { return std::make_unique<Overlay::View>(overlay_); });
    base_->verify(context, [&](std::uint64_t rank, std::string_view key, std::string_view record) {
      if (overlay_->may_hold(rank)) {
        visit_updated(*views.take(), rank, key, record, visit);
      } else if (visit) {
        visit(rank, key, record);
      }
    });
  }
  std::uint64_t visit_some(std::uint64_t begin, const Visit& visit) const override {
    Overlay::View view(overlay_);
    return base_->visit_some(
        begin, [&](std::uint64_t rank, std::string_view key, std::string_view record) {
          visit_updated(view, rank, key, record, visit);
        });
  }

 private:
  /// Visits what has become of a rank's record, if it is there still.
  void visit_updated(Overlay::View& view, std::uint64_t rank, std::string_view key,
                     std::string_view record, const Visit& visit) const {
    const Overlay::View::Found update = view.find(rank);
    if (update.what == What::nothing) {
      if (visit) visit(rank, key, record);
      return;
    }
    if (update.what == What::damaged || update.entry.key != key) {
      overlay_->fail_damaged("the update of rank " + std::to_string(rank) + " is damaged");
    }
    if (visit && update.entry.kind == UpdateEntry::Kind::changed) {
      visit(rank, key, update.entry.record);
    }
  }

  std::shared_ptr<const RecordFile> base_;
  std::shared_ptr<Overlay> overlay_;
};

}  // namespace

std::shared_ptr<const RecordFile> with_updates(std::shared_ptr<const RecordFile> base,
                                               std::shared_ptr<Overlay> overlay) {
  return std::make_shared<const UpdatedRecords>(std::move(base), std::move(overlay));
}

}  // namespace crivo::records
