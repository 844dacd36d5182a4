// SPDX-License-Identifier: Apache-2.0
/// Recipes of files: the same for who builds a file on one machine, who builds a part of it, and
/// who puts its parts together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "build/memory_need.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/options.hpp"
#include "crivo/dictionary.hpp"
#include "file/container.hpp"
#include "lookup/map_file.hpp"
#include "lookup/rank_index.hpp"
#include "structures/build/mphf.hpp"
#include "structures/csf/build/histogram.hpp"
#include "structures/dictionary/build/builder.hpp"
#include "structures/exact/build/builder.hpp"

namespace crivo::hashing {
class SeededHash;
}  // namespace crivo::hashing

namespace crivo::input {
struct RowFile;
}  // namespace crivo::input

namespace crivo::index {

/// Begins a section, and gives its sink, which is valid until the next one begins.
using BeginSection = std::function<base::Sink&(std::uint32_t type, std::uint64_t tag)>;

/// Makes a section of its keys, in parts.
struct StepInParts {
  std::unique_ptr<Assembly> assembly{};
  /// Says which keys it is made of, by what the steps before it answer, and its assembly. None:
  /// there is no such section. Null: all keys of the source.
  std::function<exact::SectionKeys()> choose{};
  std::shared_ptr<const stream::HashSource> keys{};  ///< as they were chosen
  /// Is told of the section, whose bytes stay where they are, for the choices of later steps.
  std::function<void(base::ByteView section)> answer{};
};

/// Makes a section of all keys at once.
struct StepOfAll {
  std::function<void(const stream::HashSource& keys, const base::BuildContext& context,
                     base::Sink& sink)>
      build{};
  /// A shard makes it of its keys, and the merge puts what they made together.
  bool is_of_shards = false;
};

/// Makes a section of the keys' signatures, in the order of the ranks that the first step gives.
struct StepOfSignatures {
  unsigned bits = 0;
};

/// Writes what was gathered on the way, in sections of any types.
struct StepWritten {
  std::function<void(const BeginSection& begin)> write{};
};

/// Makes a section, in one of four ways. Steps in parts of all keys come before all others, so that
/// the number of one is that of its pieces in a part.
struct Step {
  std::uint32_t section_type = 0;
  const char* phase = nullptr;  ///< of the progress; null: the structure begins phases of its own
  std::uint64_t tag = 0;        ///< of the section
  std::variant<StepInParts, StepOfAll, StepOfSignatures, StepWritten> form{};

  /// Returns that of a step in parts whose keys are known; null for any other.
  Assembly* assembly() const noexcept {
    const auto* const parts = std::get_if<StepInParts>(&form);
    return parts != nullptr ? parts->assembly.get() : nullptr;
  }
};

/// The facts found beside the keys of the source.
struct FoundLater {
  std::uint64_t sum = 0;         ///< of the build id, modulo 2^64
  std::uint64_t temp_bytes = 0;  ///< beside the scratch's
  std::vector<Warning> warnings{};
};

struct Recipe {
  file::Header header;      ///< kind, number of keys, type of values
  std::string algorithm;    ///< or type of filter
  file::Metadata metadata;  ///< of the file: all choices, as they are in the build id
  file::HashTree tree = file::HashTree::sha256;
  unsigned value_width = 0;  ///< of a map
  MemoryNeed memory;         ///< of the build on one machine
  /// How often each of its values occurs, if that is what its sections are planned by.
  std::optional<csf::Histogram> counts;
  std::vector<Step> steps;  ///< in the order of their sections
  /// Asked when all steps are done. Throws Error(bad_input) for what is refused.
  std::function<FoundLater()> found_later{};
  /// The builder of the first step, where it is an MPHF, whose parts have the signatures; its
  /// assembly, if it has one.
  const mphf::Builder* ranked = nullptr;
  mphf::FunctionAssembly* function = nullptr;
  /// The options of a store, which has its records beside: the partitions are those of the
  /// function.
  std::optional<StoreOptions> store;

  /// The steps in parts of all keys.
  std::span<const Step> in_parts() const noexcept;
  /// The bits of signatures by rank; 0: there are none.
  unsigned signature_bits() const noexcept {
    const auto* const last =
        steps.empty() ? nullptr : std::get_if<StepOfSignatures>(&steps.back().form);
    return last != nullptr ? last->bits : 0;
  }
  /// Whether lookups in the function say where other things are.
  bool ranks_are_needed() const noexcept { return signature_bits() != 0 || store; }
};

/// The totals that a recipe is planned by, beside what was chosen.
struct KeyTotals {
  std::uint64_t keys = 0;
  unsigned value_bits = 0;                 ///< of a map's largest value, or the numbers of rows
  std::uint64_t places = 0;                ///< of an index of rows: those that keys are in
  std::optional<csf::Histogram> counts{};  ///< of a map's values, if it compresses them
  unsigned cell_bits = 0;                  ///< of a store (mphf::PartContents)
  retrieval::ValueSource ranks{};          ///< of an MPHF that keeps an order
};

/// Throws Error(usage) for options that are unsound.
Recipe plan(const MphfOptions& mphf, KeyTotals totals);
Recipe plan(const FilterOptions& filter, KeyTotals totals);
Recipe plan(const MapOptions& map, KeyTotals totals);
Recipe plan(const StoreOptions& store, KeyTotals totals);
/// Plans an index of rows, without the files that these are in (add_row_files()).
Recipe plan(const RowsOptions& rows, KeyTotals totals);
/// Plans an ordered store, which is written at once, with its records.
Recipe plan_in_order(const StoreOptions& store, std::uint64_t keys);
/// Plans an exact set of so many members.
Recipe plan(const ExactOptions& exact, std::uint64_t members,
            const std::shared_ptr<exact::Builder>& builder);
/// Plans a dictionary of the keys that the builder has, whose hashes are those of `hash`, which
/// outlives the recipe.
Recipe plan(const DictionaryOptions& dictionary,
            const std::shared_ptr<dictionary::Builder>& builder, const hashing::SeededHash& hash,
            const base::BuildContext& context);

/// Adds the files that rows are in, as they were read: sections that are written behind the others,
/// and counted in the build id.
void add_row_files(const RowsOptions& rows, std::span<const input::RowFile> files, bool has_groups,
                   std::uint64_t nulls, Recipe& recipe);
/// The same of those sections as they stand in a part, which outlives the recipe.
void add_row_files(const file::Container& part, Recipe& recipe);

/// The bits of a map's values as it has them, where the largest one has `value_bits`.
unsigned width_of_values(const MapOptions& map, unsigned value_bits) noexcept;

/// Nothing for a kind of which no section has parts. Throws Error(usage) for choices that are
/// unsound.
std::optional<Recipe> plan_of_kind(file::Kind kind, const Choices& choices, KeyTotals totals);

}  // namespace crivo::index
