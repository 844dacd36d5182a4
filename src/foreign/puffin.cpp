// SPDX-License-Identifier: Apache-2.0
/// Filters in a Puffin file as they are looked up: which of them may hold a key.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "file/mapped_file.hpp"
#include "foreign/formats.hpp"
#include "foreign/puffin_file.hpp"
#include "lookup/queries.hpp"

namespace crivo::foreign {
namespace {

class OpenedPuffin final : public OpenIndex {
 public:
  OpenedPuffin(const std::filesystem::path& path, const OpenOptions& options)
      : OpenIndex(path.string(), "filterset"), bytes_(path, file::loading(options.mode)) {
    for (const puffin::Blob& blob : puffin::read_blobs(bytes_.bytes(), name())) {
      ++blobs_;
      if (blob.type != puffin::kFilterType) continue;
      if (blob.is_compressed)
        throw Error(ErrorKind::usage, name() + ": a filter is compressed, which is not read");
      filters_.emplace_back(blob.name, open_filter(blob, options));
    }
  }

  std::uint64_t size() const noexcept override {
    std::uint64_t keys = 0;
    for (const auto& [name, filter] : filters_) keys += filter.size();
    return keys;
  }
  FileInfo info() const override {
    FileInfo info;
    info.kind = kind();
    info.algorithm = "puffin";
    info.algorithm_name = "format";
    info.bytes = bytes_.bytes().size();
    info.format_version = "1";
    info.rows.push_back({"blobs", blobs_, "blobs", std::to_string(blobs_)});
    const std::uint64_t filters = filters_.size();
    info.rows.push_back({"groups", filters, "filters", std::to_string(filters)});
    info.rows.push_back({"keys", size(), "keys", std::to_string(size())});
    return info;
  }
  void verify(const Resources& resources) const override {
    for (const auto& [name, filter] : filters_) filter.verify(resources);
  }

  void answer(const Key& key, const Visit& visit) override { tell(key.text(), visit); }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for (const std::string_view key : keys) tell(key, visit);
  }
  void query(std::string_view name, std::span<const std::string> values,
             const Visit& visit) override {
    if (name != index::kFilterSetQueries[0].name) return OpenIndex::query(name, values, visit);
    const auto found =
        std::ranges::find(filters_, values[0], &std::pair<std::string, Filter>::first);
    if (found == filters_.end())
      base::refuse_option("group", "'" + values[0] + "' is no filter of the file");
    asked_ = &*found;
  }

 private:
  Filter open_filter(const puffin::Blob& blob, const OpenOptions& options) const try {
    return Filter::open(blob.bytes, {.verify = options.verify, .check = options.check});
  } catch (const Error& error) {
    throw Error(error.kind(), name() + ": the filter '" + blob.name + "': " + error.what(),
                {.file = name()});
  }

  void tell(std::string_view key, const Visit& visit) const {
    if (asked_ != nullptr) {
      const bool found = asked_->second.contains(key);
      return visit(key, {.found = found, .text = found ? "maybe" : ""});
    }
    bool is_further = false;
    for (const auto& [name, filter] : filters_) {
      if (!filter.contains(key)) continue;
      visit(key, {.found = true, .is_further = std::exchange(is_further, true), .text = name});
    }
    if (!is_further) visit(key, {});
  }

  file::MappedFile bytes_;
  std::uint64_t blobs_ = 0;
  std::vector<std::pair<std::string, Filter>> filters_;
  const std::pair<std::string, Filter>* asked_ = nullptr;  ///< alone
};

}  // namespace

std::unique_ptr<OpenIndex> open_puffin(const std::filesystem::path& path,
                                       const OpenOptions& options) {
  return std::make_unique<OpenedPuffin>(path, options);
}

}  // namespace crivo::foreign
