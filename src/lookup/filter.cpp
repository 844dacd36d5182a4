// SPDX-License-Identifier: Apache-2.0
#include "crivo/filter.hpp"

#include <algorithm>
#include <array>
#include <concepts>

#include "base/as_error.hpp"
#include "crivo/error.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/open_trusted.hpp"

namespace crivo {

struct Filter::Impl {
  Impl(file::Container opened, const OpenOptions& options) : file(std::move(opened), options) {
    index::check_if_asked(file.own(), options);
  }

  const filter::LinkedFilter& linked() const noexcept { return file.linked(); }
  const filter::Membership& membership() const noexcept { return linked().membership(); }

  template <typename Key>
  void contains(std::span<const Key> keys, const HashFunction& function,
                std::span<bool> answers) const {
    detail::check_batch(keys.size(), answers.size());
    const auto resolve = [&](std::span<const Hash128> hashes, std::size_t begin) {
      membership().contains(hashes, answers.data() + begin);
    };
    index::for_each_hashed_block(keys, function, resolve,
                                 takes_first_half ? index::Halves::first : index::Halves::both);
  }

  filter::LayeredFilter file;
  /// Whether the filter looks at no second half of a hash.
  bool takes_first_half = detail::FilterLookup::takes_first_half(membership().lookup().form);
};

namespace {

/// How a filter of `form` is asked for keys: by a part of their hash where that is the usual one's,
/// or split-block-bloom's.
detail::FilterLookup::Form key_form(const HashFunction& function,
                                    detail::FilterLookup::Form form) noexcept {
  using Form = detail::FilterLookup::Form;
  if (detail::HashAccess::is_usual(function)) return form;
  const bool is_xxh64 = detail::HashAccess::id(function) == hashing::KeyHashId::xxh64;
  return is_xxh64 && form == Form::whole_hash ? Form::xxh64 : Form::whole_hash;
}

/// Longer ranges are not looked into.
constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 24;

void check_ranges(const Filter& filter) {
  if (filter.takes_ranges()) return;
  throw Error(ErrorKind::usage, "only filters of type range answer ranges", {.remedy = "type"});
}

/// Calls visit(run) for each part of a range that lies in one run of numbers.
template <typename Visit>
void for_each_run(std::uint64_t low, std::uint64_t high, const HashFunction& function,
                  Visit&& visit) {
  for (;; ++low) {
    const std::uint64_t last = std::min(high, low | (hashing::kRunNumbers - 1));
    visit(filter::NumberRun{detail::HashAccess::raw(function, low), last});
    if (last == high) return;
    low = last;
  }
}

/// Runs of many ranges, which are asked for together.
class RangeBatch {
 public:
  RangeBatch(const filter::Membership& filter, std::span<bool> answers)
      : filter_(filter), answers_(answers) {}

  void add(const filter::NumberRun& run, std::size_t range) {
    runs_[size_] = run;
    ranges_[size_] = range;
    if (++size_ == runs_.size()) finish();
  }
  void finish() {
    filter_.contains_runs(std::span<const filter::NumberRun>(runs_).first(size_), found_.data());
    for (std::size_t i = 0; i < size_; ++i) answers_[ranges_[i]] |= found_[i];
    size_ = 0;
  }

 private:
  static constexpr std::size_t kRuns = 256;

  const filter::Membership& filter_;
  std::span<bool> answers_;
  std::array<filter::NumberRun, kRuns> runs_;
  std::array<std::size_t, kRuns> ranges_;
  std::array<bool, kRuns> found_;
  std::size_t size_ = 0;
};

}  // namespace

Filter::Filter(std::unique_ptr<const Impl> impl)
    : lookup_(impl->membership().lookup()),
      hash_function_(index::hash_function(impl->linked().base().header())),
      takes_ranges_((impl->linked().type().can & filter::kRanges) != 0),
      key_form_(key_form(hash_function_, lookup_.form)),
      seed_(impl->linked().base().header().seed),
      impl_(std::move(impl)) {}
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

Filter Filter::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return Filter(std::make_unique<const Impl>(exact::open_layered(path, file::Kind::filter, options),
                                             options));
} catch (...) {
  base::rethrow_as_error();
}
Filter Filter::open(std::span<const std::byte> bytes, const OpenOptions& options) try {
  return Filter(
      std::make_unique<const Impl>(index::open_kind(bytes, file::Kind::filter, options), options));
} catch (...) {
  base::rethrow_as_error();
}

FileInfo Filter::info() const try {
  return index::describe(impl_->file.own(), impl_->file.links());
} catch (...) {
  base::rethrow_as_error();
}
void Filter::verify(const Resources& resources) const try {
  index::check_file(impl_->file.own(), resources);
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t Filter::size() const noexcept {
  return impl_->linked().members();
}
double Filter::fpr() const noexcept {
  return impl_->membership().fpr();
}
bool Filter::counts() const noexcept {
  return !impl_->file.is_chain() && (impl_->linked().type().can & filter::kCounts) != 0;
}

bool Filter::contains_any(std::string_view key) const noexcept {
  return contains_raw(raw(key));
}
bool Filter::contains_any(std::span<const std::byte> key) const noexcept {
  return contains_raw(raw(key));
}
bool Filter::contains_any(std::uint64_t key) const noexcept {
  const bool is_xxh64 = detail::HashAccess::id(hash_function_) == hashing::KeyHashId::xxh64;
  return contains_raw(is_xxh64 ? Hash128{hashing::xxh64(key), 0} : raw(key));
}

std::uint64_t Filter::count_raw(Hash128 hash) const noexcept {
  return impl_->membership().count(hash);
}

bool Filter::contains_range(std::uint64_t low, std::uint64_t high) const {
  check_ranges(*this);
  if (low > high) return false;
  if (high - low >= kMostNumbers) return true;
  bool found = false;
  for_each_run(low, high, hash_function_, [&](const filter::NumberRun& run) {
    found = found || impl_->membership().contains_run(run);
  });
  return found;
}

void Filter::contains_ranges(std::span<const std::uint64_t> lows,
                             std::span<const std::uint64_t> highs, std::span<bool> answers) const {
  check_ranges(*this);
  detail::check_batch(lows.size(), highs.size());
  detail::check_batch(lows.size(), answers.size());
  RangeBatch batch(impl_->membership(), answers);
  for (std::size_t i = 0; i < lows.size(); ++i) {
    answers[i] = lows[i] <= highs[i] && highs[i] - lows[i] >= kMostNumbers;
    if (lows[i] > highs[i] || answers[i]) continue;
    for_each_run(lows[i], highs[i], hash_function_,
                 [&](const filter::NumberRun& run) { batch.add(run, i); });
  }
  batch.finish();
}

void Filter::contains(std::span<const std::string_view> keys, std::span<bool> answers) const {
  impl_->contains(keys, hash_function_, answers);
}
void Filter::contains(std::span<const std::span<const std::byte>> keys,
                      std::span<bool> answers) const {
  impl_->contains(keys, hash_function_, answers);
}
void Filter::contains(std::span<const std::uint64_t> keys, std::span<bool> answers) const {
  impl_->contains(keys, hash_function_, answers);
}
void Filter::contains(std::span<const KeyHash> hashes, std::span<bool> answers) const {
  impl_->contains(hashes, hash_function_, answers);
}

}  // namespace crivo
