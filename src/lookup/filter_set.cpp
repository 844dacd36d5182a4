// SPDX-License-Identifier: Apache-2.0
#include "crivo/filter_set.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/opened.hpp"
#include "lookup/queries.hpp"
#include "structures/filter_set/filter_set.hpp"

namespace crivo {
namespace {

/// Over a container that must outlive it. Throws Error(corrupt), named after that.
filter_set::GroupedFilters set_of(const file::Container& container) {
  return file::naming(container.name(), [&] {
    return filter_set::GroupedFilters(container.require(file::kFilterGroupsSection, "groups"),
                                      container.require(file::kFiltersSection, "filters"));
  });
}

double rate_of(const filter_set::GroupedFilters& set) noexcept {
  return set.header().groups == 0 ? 0 : std::ldexp(static_cast<double>(set.header().rate), -64);
}

}  // namespace

struct FilterSet::Impl {
  Impl(file::Container opened, const OpenOptions& options)
      : file(std::move(opened)), set(set_of(file)) {
    index::check_if_asked(file, options);
  }

  file::Container file;
  filter_set::GroupedFilters set;
};

FilterSet::FilterSet(std::unique_ptr<const Impl> impl)
    : hash_function_(index::hash_function(impl->file.header())), impl_(std::move(impl)) {}
FilterSet::~FilterSet() = default;
FilterSet::FilterSet(FilterSet&&) noexcept = default;
FilterSet& FilterSet::operator=(FilterSet&&) noexcept = default;

FilterSet FilterSet::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return FilterSet(std::make_unique<const Impl>(
      index::open_kind(path, file::Kind::filter_set, options), options));
} catch (...) {
  base::rethrow_as_error();
}
FilterSet FilterSet::open(std::span<const std::byte> bytes, const OpenOptions& options) try {
  return FilterSet(std::make_unique<const Impl>(
      index::open_kind(bytes, file::Kind::filter_set, options), options));
} catch (...) {
  base::rethrow_as_error();
}

FileInfo FilterSet::info() const try { return index::describe(impl_->file); } catch (...) {
  base::rethrow_as_error();
}
void FilterSet::verify(const Resources& resources) const try {
  index::check_file(impl_->file, resources);
  file::naming(impl_->file.name(), [&] { impl_->set.check(); });
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t FilterSet::size() const noexcept {
  return impl_->file.header().keys;
}
double FilterSet::fpr() const noexcept {
  return rate_of(impl_->set);
}
std::uint64_t FilterSet::groups() const noexcept {
  return impl_->set.header().groups;
}
std::string_view FilterSet::name(std::uint64_t group) const noexcept {
  return group < groups() ? impl_->set.name(group) : std::string_view();
}
std::optional<std::uint64_t> FilterSet::find(std::string_view name) const noexcept {
  return impl_->set.find(name);
}
std::size_t FilterSet::bitmap_words() const noexcept {
  return (groups() + 63) / 64;
}

bool FilterSet::contains_hash(std::uint64_t group, const KeyHash& hash) const {
  return impl_->set.contains(group, detail::HashAccess::checked(hash_function_, hash));
}

void FilterSet::contains(std::uint64_t group, std::span<const KeyHash> hashes,
                         std::span<bool> answers) const {
  detail::check_batch(hashes.size(), answers.size());
  index::for_each_hashed_block(hashes, hash_function_,
                               [&](std::span<const Hash128> some, std::size_t begin) {
                                 impl_->set.contains(group, some, answers.data() + begin);
                               });
}
void FilterSet::groups_of(std::span<const KeyHash> hashes, std::span<std::uint64_t> bitmaps) const {
  detail::check_batch(hashes.size() * bitmap_words(), bitmaps.size());
  index::for_each_hashed_block(
      hashes, hash_function_, [&](std::span<const Hash128> some, std::size_t begin) {
        impl_->set.groups_of(some, bitmaps.data() + begin * bitmap_words());
      });
}
void FilterSet::count(std::span<const KeyHash> hashes, std::span<std::uint32_t> counts) const {
  detail::check_batch(groups(), counts.size());
  index::for_each_hashed_block(
      hashes, hash_function_,
      [&](std::span<const Hash128> some, std::size_t) { impl_->set.count(some, counts.data()); });
}

namespace index {
namespace {

class OpenedFilterSet final : public Opened<FilterSet> {
 public:
  using Opened::Opened;

  void answer(const Key& key, const Visit& visit) override {
    const std::string_view text = key.text();
    answer({&text, 1}, visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for (const std::string_view key : keys) {
      if (group_) {
        const bool found = structure().contains(*group_, key);
        visit(key, {.found = found, .text = found ? "maybe" : ""});
        continue;
      }
      bool is_further = false;
      structure().visit_groups(key, [&](std::uint64_t group) {
        visit(key, {.found = true,
                    .is_further = std::exchange(is_further, true),
                    .text = structure().name(group)});
      });
      if (!is_further) visit(key, {});
    }
  }

  void query(std::string_view name, std::span<const std::string> values,
             const Visit& visit) override {
    if (name != kFilterSetQueries[0].name) return Opened::query(name, values, visit);
    group_ = structure().find(values[0]);
    if (!group_) base::refuse_option("group", quote(values[0]) + " is not a group of the set");
  }

  std::uint64_t count_one_by_one(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for (const std::string_view key : keys)
      answer({&key, 1}, [&](std::string_view, const Answer& answer) {
        found += answer.found && !answer.is_further ? 1 : 0;
      });
    return found;
  }
  std::uint64_t count_in_batches(std::span<const std::string_view> keys) override {
    if (group_) return count_one_by_one(keys);
    constexpr std::size_t kAtOnce = 8;
    const std::size_t words = structure().bitmap_words();
    std::vector<std::uint64_t> bitmaps(kAtOnce * words);
    std::uint64_t found = 0;
    for (std::size_t begin = 0; begin < keys.size(); begin += kAtOnce) {
      std::vector<KeyHash> hashes;
      for (const std::string_view key : keys.subspan(begin, std::min(kAtOnce, keys.size() - begin)))
        hashes.push_back(structure().hash_function()(key));
      const std::span all = std::span(bitmaps).first(hashes.size() * words);
      structure().groups_of(hashes, all);
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        found += std::ranges::any_of(all.subspan(i * words, words),
                                     [](std::uint64_t word) { return word != 0; });
      }
    }
    return found;
  }

 private:
  std::optional<std::uint64_t> group_;  ///< that alone is asked
};

}  // namespace

std::unique_ptr<OpenIndex> open_filter_set(const std::filesystem::path& path,
                                           const OpenOptions& options) {
  return std::make_unique<OpenedFilterSet>("filterset", path, options);
}

void describe_filter_set(const file::Container& container, FileInfo& info) {
  const filter_set::GroupedFilters set = set_of(container);
  const filter_set::Header& header = set.header();
  info.algorithm = built_as(info, "crivo.type", "ribbon");
  info.algorithm_name = "type";
  info.fpr = rate_of(set);
  info.rows.push_back({"groups", header.groups, "groups", std::to_string(header.groups)});
  info.parameters.push_back({"cells", header.cells});
  info.parameters.push_back({"name_bytes", header.name_bytes});
  if (header.type == filter_set::Type::bloom)
    info.parameters.push_back({"hashes", std::uint64_t{header.hashes}});
}

void verify_filter_set(const file::Container& container, unsigned /*threads*/,
                       const std::function<void(std::uint64_t)>& /*progress*/) {
  const filter_set::GroupedFilters set = set_of(container);
  file::naming(container.name(), [&] { set.check(); });
}

}  // namespace index
}  // namespace crivo
