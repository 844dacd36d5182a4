// SPDX-License-Identifier: Apache-2.0
#include "shards/part_set.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "build/choices.hpp"
#include "build/recipe.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "records/backend.hpp"

namespace crivo::index {
namespace {

[[noreturn]] void refuse_parts(const std::string& name, const std::string& problem) {
  throw Error(ErrorKind::usage, name + ": " + problem);
}

/// "0, 3, 4 and 17 more".
std::string list(const std::vector<std::uint64_t>& numbers) {
  constexpr std::size_t kNamed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, numbers.size()); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  if (numbers.size() > kNamed) text += " and " + std::to_string(numbers.size() - kNamed) + " more";
  return text;
}

}  // namespace

Parts open_parts(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) throw Error(ErrorKind::usage, "no parts were given");
  Parts parts;
  for (const std::filesystem::path& path : paths) {
    auto part = std::make_unique<const PartFile>(path);
    const PartFile& first = parts.empty() ? *part : *std::ranges::find_if(parts, [](const auto& p) {
                                                       return p != nullptr;
                                                     })->get();
    const std::uint64_t shards = first.head().shard.count;
    if (part->container().header().build_id != first.container().header().build_id)
      refuse_parts(part->name(), "belongs to a different build than " + first.name() +
                                     ": of other keys, or of other options");
    if (part->head().shard.count != shards)
      refuse_parts(part->name(), "is one of " + std::to_string(part->head().shard.count) +
                                     " parts, and " + first.name() + " one of " +
                                     std::to_string(shards));
    if (parts.empty()) parts.resize(shards);
    auto& place = parts[part->head().shard.index];
    if (place != nullptr)
      refuse_parts(part->name(), "is shard " + std::to_string(part->head().shard.index) +
                                     ", as is " + place->name());
    place = std::move(part);
  }
  std::vector<std::uint64_t> missing;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == nullptr) missing.push_back(i);
  }
  if (!missing.empty())
    throw Error(ErrorKind::usage, "of " + std::to_string(parts.size()) +
                                      " shards, the parts of these are missing: " + list(missing));
  return parts;
}

std::uint64_t bytes_of(const Parts& parts) noexcept {
  std::uint64_t bytes = 0;
  for (const auto& part : parts) bytes += part->container().bytes();
  return bytes;
}

namespace {

/// Whether a part has records beside the function, of the same partitions.
bool has_records_of(const StoreOptions& store, const PartHead& head) {
  const SectionShare& records = head.sections.back();
  return records.type == records::find_backend(store.backend).section_type &&
         records.partition_bits == head.sections.front().partition_bits;
}

/// Adds the files of parts of an index of rows to its recipe, which the parts outlive. Throws
/// Error(usage) where shards found them otherwise than others.
void add_files_of(const Parts& parts, Recipe& recipe) {
  const file::Container& first = parts.front()->container();
  (void)first.require(file::kRowFilesSection, "row files");
  for (const auto& part : parts) {
    const file::Container& other = part->container();
    const auto is_same = [&](std::uint32_t type) {
      const auto a = first.find(type);
      const auto b = other.find(type);
      return a.has_value() == b.has_value() && (!a || std::ranges::equal(*a, *b));
    };
    if (!is_same(file::kRowFilesSection)) other.fail("damaged: its files are not those of others");
    if (!is_same(file::kRowStampsSection))
      refuse_parts(part->name(), "found a file of the table otherwise than " + first.name() +
                                     " did: one was rewritten between the shards; make its pairs "
                                     "and all parts anew");
  }
  add_row_files(first, recipe);
}

}  // namespace

Recipe common_plan(const Parts& parts) {
  const PartFile& first = *parts.front();
  const PartHead& head = first.head();
  const file::Header& header = first.container().header();
  std::optional<csf::Histogram> counts;
  if (!first.counts().empty())
    counts = csf::decode_histogram(first.counts(), header.keys, first.name());
  Recipe plan = file::naming(first.name(), [&] {
    return plan_of_metadata(head.kind, head.choices,
                            {.keys = header.keys,
                             .value_bits = head.value_width,
                             .places = head.places,
                             .counts = std::move(counts)});
  });
  if (head.kind == file::Kind::rows) add_files_of(parts, plan);
  for (const auto& part : parts) {
    const PartHead& other = part->head();
    const auto is_same = [&](const Step& step, const SectionShare& share) {
      return step.section_type == share.type &&
             step.assembly()->partition_bits() == share.partition_bits;
    };
    const bool agrees = other.kind == head.kind && other.choices == head.choices &&
                        other.value_width == head.value_width && other.places == head.places &&
                        std::ranges::equal(part->counts(), first.counts()) &&
                        part->container().header().keys == header.keys &&
                        part->container().header().seed == header.seed &&
                        part->container().header().key_hash == header.key_hash &&
                        std::ranges::equal(plan.in_parts(), other.functions(), is_same) &&
                        (!plan.store || has_records_of(*plan.store, other));
    if (!agrees) part->container().fail("damaged: its plan differs from that of the other parts");
  }
  plan.header.seed = header.seed;
  plan.header.key_hash = header.key_hash;
  plan.header.build_id = header.build_id;
  return plan;
}

records::CodecSection common_codec(const Parts& parts) {
  std::optional<records::CodecSection> common;
  for (const auto& part : parts) {
    const base::ByteView bytes = part->container().require(file::kCodecSection, "codec");
    const records::CodecSection own =
        file::naming(part->name(), [&] { return records::CodecSection::decode(bytes); });
    if (!common) common = own;
    if (own.codec != common->codec || own.block_bytes != common->block_bytes ||
        own.dictionary != common->dictionary)
      part->container().fail("damaged: its records are encoded differently");
    common->longest_raw = std::max(common->longest_raw, own.longest_raw);
  }
  return *std::move(common);
}

Recipe in_parts(Recipe recipe) {
  if (std::ranges::none_of(recipe.steps, [](const Step& step) {
        const auto* const whole = std::get_if<StepOfAll>(&step.form);
        return whole != nullptr && !whole->is_of_shards;
      }))
    return recipe;
  throw Error(
      ErrorKind::usage,
      recipe.algorithm + " needs the whole set of keys at once and cannot be built in shards");
}

Recipe plan_of_metadata(file::Kind kind, const file::Metadata& metadata, KeyTotals totals) {
  try {
    std::optional<Recipe> recipe =
        plan_of_kind(kind, recorded_choices(metadata), std::move(totals));
    if (recipe) {
      Recipe parts = in_parts(*std::move(recipe));
      if (parts.metadata == metadata) return parts;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
  }
  throw Error(ErrorKind::corrupt, "damaged: it holds choices that no build makes");
}

}  // namespace crivo::index
