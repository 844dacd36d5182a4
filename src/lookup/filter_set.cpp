// SPDX-License-Identifier: Apache-2.0
#include "crivo/filter_set.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "crivo/suffixes.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/chain_opener.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/filter_set_layers.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/opened.hpp"
#include "lookup/queries.hpp"

namespace crivo {

struct FilterSet::Impl {
  Impl(file::Container opened, const OpenOptions& options)
      : Impl(std::move(opened), exact::ChainOpener(options)) {
    index::check_if_asked(own, options);
  }
  Impl(file::Container opened, exact::ChainOpener&& opener)
      : own(std::move(opened)),
        links(exact::links_of(own, file::Kind::filter_set, opener)),
        layers(own, links) {
    if (!links.empty()) opener.note_seen();  // now that they belong together
  }

  const file::Header& header() const noexcept { return own.header(); }

  file::Container own;
  std::vector<file::Container> links;  ///< of a chain
  filter_set::FilterSetLayers layers;
};

FilterSet::FilterSet(std::unique_ptr<const Impl> impl)
    : hash_function_(index::hash_function(impl->header())), impl_(std::move(impl)) {}
FilterSet::~FilterSet() = default;
FilterSet::FilterSet(FilterSet&&) noexcept = default;
FilterSet& FilterSet::operator=(FilterSet&&) noexcept = default;

FilterSet FilterSet::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return FilterSet(std::make_unique<const Impl>(
      exact::open_layered(path, file::Kind::filter_set, options), options));
} catch (...) {
  base::rethrow_as_error();
}
FilterSet FilterSet::open(std::span<const std::byte> bytes, const OpenOptions& options) try {
  return FilterSet(std::make_unique<const Impl>(
      index::open_kind(bytes, file::Kind::filter_set, options), options));
} catch (...) {
  base::rethrow_as_error();
}

FileInfo FilterSet::info() const try {
  return index::describe(impl_->own, impl_->links);
} catch (...) {
  base::rethrow_as_error();
}
void FilterSet::verify(const Resources& resources) const try {
  index::check_file(impl_->own, resources);
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t FilterSet::size() const noexcept {
  return impl_->layers.names().keys();
}
double FilterSet::fpr() const noexcept {
  return impl_->layers.rate();
}
std::uint64_t FilterSet::groups() const noexcept {
  return impl_->layers.groups();
}
std::string_view FilterSet::name(std::uint64_t group) const noexcept {
  return group < groups() ? impl_->layers.name(group) : std::string_view();
}
std::optional<std::uint64_t> FilterSet::find(std::string_view name) const noexcept {
  return impl_->layers.find(name);
}
std::size_t FilterSet::bitmap_words() const noexcept {
  return (groups() + 63) / 64;
}

bool FilterSet::contains_hash(std::uint64_t group, const KeyHash& hash) const {
  return impl_->layers.contains(group, detail::HashAccess::checked(hash_function_, hash));
}

void FilterSet::contains(std::uint64_t group, std::span<const KeyHash> hashes,
                         std::span<bool> answers) const {
  detail::check_batch(hashes.size(), answers.size());
  index::for_each_hashed_block(hashes, hash_function_,
                               [&](std::span<const Hash128> some, std::size_t begin) {
                                 impl_->layers.contains(group, some, answers.data() + begin);
                               });
}
void FilterSet::groups_of(std::span<const KeyHash> hashes, std::span<std::uint64_t> bitmaps) const {
  detail::check_batch(hashes.size() * bitmap_words(), bitmaps.size());
  index::for_each_hashed_block(
      hashes, hash_function_, [&](std::span<const Hash128> some, std::size_t begin) {
        impl_->layers.groups_of(some, bitmaps.data() + begin * bitmap_words());
      });
}
void FilterSet::count(std::span<const KeyHash> hashes, std::span<std::uint32_t> counts) const {
  detail::check_batch(groups(), counts.size());
  index::for_each_hashed_block(hashes, hash_function_,
                               [&](std::span<const Hash128> some, std::size_t) {
                                 impl_->layers.count(some, counts.data());
                               });
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
  const filter_set::FilterSetLayers layers(container, {});
  const filter_set::FilterSetFile& set = layers.layers().front().set;
  info.algorithm = built_as(info, "crivo.type", "ribbon");
  info.algorithm_name = "type";
  info.fpr = layers.rate();
  add_count("groups", "groups", layers.groups(), info);
  unsigned hashes = 0;
  if (const filter_set::FilterBlocks* const blocks = set.blocks()) {
    info.parameters.push_back({"blocks", blocks->header().blocks});
    info.parameters.push_back({"name_bytes", blocks->header().name_bytes});
    hashes = blocks->header().hashes;
  } else {
    const filter_set::Header& header = set.rows()->header();
    info.parameters.push_back({"cells", header.cells});
    info.parameters.push_back({"name_bytes", header.name_bytes});
    hashes = header.hashes;
  }
  if (hashes != 0) info.parameters.push_back({"hashes", std::uint64_t{hashes}});
}

void describe_filter_set_chain(const file::Container& container,
                               const std::vector<file::Container>& files, FileInfo& info) {
  const filter_set::FilterSetLayers layers(container, files);
  info.algorithm = "filterset";
  info.state = file::to_hex(layers.names().state());
  info.fpr = layers.rate();
  add_count("groups", "groups", layers.groups(), info);
  add_count("removed_groups", "removed groups", layers.names().removed().count(), info);
  for (const auto& layer : layers.layers()) {
    info.layers.push_back(
        {layer.container->header().keys, layer.container->bytes(), layers.rate()});
    info.bytes += layer.container->bytes();
  }
  // Keys asked of the chain are made as the keys of its first layer were.
  const file::Metadata metadata = files.front().metadata();
  if (const auto form = metadata.find(keys::kFormName); form != metadata.end())
    info.metadata.insert(*form);
}

void verify_filter_set(const file::Container& container, unsigned /*threads*/,
                       const std::function<void(std::uint64_t)>& /*progress*/) {
  const filter_set::FilterSetFile set(container);
  file::naming(container.name(), [&] { set.check(); });
}

}  // namespace index
}  // namespace crivo
