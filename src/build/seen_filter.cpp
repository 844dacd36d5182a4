// SPDX-License-Identifier: Apache-2.0
#include "build/seen_filter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "build/choices.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/key_hash.hpp"
#include "structures/cuckoo/build/cuckoo.hpp"
#include "structures/layers.hpp"

namespace crivo::index {
namespace {

constexpr const char* kPart = "crivo.part";
constexpr const char* kTexts = "crivo.texts";

/// Layers have no lower rate: their fingerprints would have more than 32 bits.
constexpr double kLeastFpr = 0x1p-28;

std::string part_text(const DedupOptions& options) {
  return std::to_string(options.part) + "/" + std::to_string(options.parts);
}

const char* texts_name(bool paragraphs) noexcept {
  return paragraphs ? "paragraphs" : "lines";
}

FilterOptions filter_options(const DedupOptions& options) {
  if (options.capacity == 0) {
    throw Error(ErrorKind::usage,
                options.seen.string() +
                    ": does not exist yet; to create it, say for how many lines; "
                    "give a capacity",
                {.remedy = "capacity"});
  }
  return {.type = "cuckoo", .fpr = options.fpr.value_or(kDedupFpr), .capacity = options.capacity};
}

std::string value_of(const file::Metadata& metadata, const std::string& name,
                     const std::string& otherwise) {
  const auto found = metadata.find(name);
  return found == metadata.end() ? otherwise : found->second;
}

/// Throws Error(usage) unless the file was made with what is asked for.
void check_alike(const std::string& name, const file::Metadata& metadata,
                 const DedupOptions& options) {
  const auto check = [&](const char* entry, const std::string& otherwise, const std::string& asked,
                         const char* option) {
    const std::string made = value_of(metadata, entry, otherwise);
    if (made == asked) return;
    throw Error(ErrorKind::usage, name + ": was made with " + option + " " + made + ", not " +
                                      asked + "; use another filter, or the same options");
  };
  check(kPart, "0/1", part_text(options), "part");
  check(kTexts, "lines", texts_name(options.paragraphs), "texts:");
  if (options.capacity != 0)
    check("crivo.capacity", "0", std::to_string(options.capacity), "capacity");
  if (options.fpr) check("crivo.fpr", "none", exact_text(*options.fpr), "fpr");
}

}  // namespace

SeenFilter::SeenFilter(const DedupOptions& options, const MemoryBudget& budget)
    : name_(options.seen.string()),
      may_grow_(options.grow),
      budget_(budget),
      header_{.kind = file::Kind::filter, .key_hash = hashing::KeyHashId::xxh3},
      metadata_(metadata_of(filter_options(options))),
      hash_(hash_function(header_)),
      fpr_(options.fpr.value_or(kDedupFpr)) {
  metadata_[kPart] = part_text(options);
  metadata_[kTexts] = texts_name(options.paragraphs);
  check_memory(options.capacity, fpr_);
  layers_.push_back(filter::new_seen_layer(options.capacity, fpr_));
  bytes_ += filter::seen_layer_bytes(options.capacity, fpr_);
}

SeenFilter::SeenFilter(const file::Container& container, const DedupOptions& options,
                       const MemoryBudget& budget)
    : name_(container.name()),
      may_grow_(options.grow),
      budget_(budget),
      header_(container.header()),
      metadata_(container.metadata()),
      hash_(hash_function(header_)),
      fpr_(base::number_in<double>(value_of(metadata_, "crivo.fpr", "")).value_or(kDedupFpr)) {
  const filter::FilterFile filter(container);
  if (filter.type->section_type != file::kCuckooSection) {
    throw Error(ErrorKind::usage, name_ + ": is a " + std::string(filter.type->name) +
                                      " filter; lines that were seen are kept in one of type "
                                      "cuckoo");
  }
  check_alike(name_, metadata_, options);
  bytes_ = container.bytes();
  check_memory(0, fpr_);
  for (std::uint64_t tag = 0; tag != filter.layers; ++tag) {
    const std::optional<base::ByteView> layer = container.find(file::kCuckooSection, tag);
    if (layer) layers_.push_back(filter::open_seen_layer(*layer));
  }
}

void SeenFilter::check_memory(std::uint64_t capacity, double fpr) const {
  const std::uint64_t more = capacity == 0 ? 0 : filter::seen_layer_bytes(capacity, fpr);
  if (bytes_ + more <= budget_.bytes) return;
  throw Error(ErrorKind::io,
              name_ + ": takes " + needed_memory_text(bytes_ + more) + " of memory, and may have " +
                  memory_text(budget_.bytes) +
                  "; raise it, or split the input and use a filter for each part",
              {.remedy = "memory"});
}

bool SeenFilter::grow() {
  if (!may_grow_ || layers_.size() == filter::kMostLayers) return false;
  const double fpr = std::max(std::ldexp(fpr_, -static_cast<int>(layers_.size())), kLeastFpr);
  const std::uint64_t more = capacity();
  check_memory(more, fpr);
  layers_.push_back(filter::new_seen_layer(more, fpr));
  bytes_ += filter::seen_layer_bytes(more, fpr);
  return true;
}

std::size_t SeenFilter::add_new(std::span<const Hash128> hashes, bool* held) {
  std::size_t done = 0;
  while (done != hashes.size()) {
    const auto rest = hashes.subspan(done);
    for (std::size_t i = 0; i + 1 != layers_.size(); ++i) layers_[i]->contains(rest, held + done);
    done += layers_.back()->add_new(rest, held + done);
    if (done != hashes.size() && !grow()) break;
  }
  return done;
}

std::uint64_t SeenFilter::keys() const noexcept {
  std::uint64_t keys = 0;
  for (const auto& layer : layers_) keys += layer->size();
  return keys;
}

std::uint64_t SeenFilter::capacity() const noexcept {
  std::uint64_t capacity = 0;
  for (const auto& layer : layers_) capacity += layer->capacity();
  return capacity;
}

void SeenFilter::write(file::PendingFile& file) const {
  file::ContainerWriter writer(file);
  for (std::size_t layer = 0; layer != layers_.size(); ++layer)
    layers_[layer]->write(writer.begin_section(file::kCuckooSection, layer));
  file::Header header = header_;
  header.keys = keys();
  header.build_id = {};  // of no build
  (void)writer.finish(header, metadata_);
}

}  // namespace crivo::index
