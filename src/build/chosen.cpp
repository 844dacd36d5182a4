// SPDX-License-Identifier: Apache-2.0
#include "build/chosen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/named_rows.hpp"
#include "base/refuse_option.hpp"
#include "build/choices.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "lookup/exact_file.hpp"
#include "structures/ribbon/build/builder.hpp"

namespace crivo {
namespace {

constexpr std::array<std::string_view, 1> kAlgorithms{"ribbon"};

}  // namespace

std::span<const std::string_view> exact_algorithms() noexcept {
  return kAlgorithms;
}

namespace index {

const mphf::Builder& find_algorithm(std::string_view name) {
  return base::find_named(mphf::builders(), "MPHF algorithm", name);
}

const mphf::Builder& find_algorithm(const MphfOptions& options) {
  check_choices(options, "MPHFs");
  const mphf::Builder& algorithm = find_algorithm(options.algorithm);
  if (options.effort <= algorithm.max_effort) return algorithm;
  base::refuse_option("effort", options.effort,
                      "is above " + std::to_string(algorithm.max_effort) +
                          ", the highest effort of the algorithm " + options.algorithm);
}

const mphf::Builder& find_algorithm(const StoreOptions& options) {
  check_choices(options, "stores");
  return find_algorithm(options.algorithm);
}

}  // namespace index

namespace filter {

const Builder& find_type(const FilterOptions& options) {
  const Builder& type = base::find_named(builders(), "filter type", options.type);
  index::check_choices(options, "filters");
  (void)asked_fpr(options);
  if (options.prefixes.size() > 1)
    base::refuse_option("prefixes", quote(options.prefixes) + " is not one character");
  if (!options.prefixes.empty() && options.count_duplicates)
    base::refuse_option("prefixes", "cannot be used with count_duplicates");
  return type;
}

}  // namespace filter

namespace map {

const Builder& find_algorithm(const MapOptions& options) {
  const auto refuse_unless = [](bool sound, const char* option, const std::string& problem) {
    if (!sound) base::refuse_option(option, problem);
  };
  index::check_choices(options, "maps");
  refuse_unless(options.values || options.form == ValueForm{}, "values",
                "needed for signed and decimal values, since line numbers are unsigned");
  refuse_unless(
      options.form.scale <= (options.form.type == ValueType::decimal ? kMaxValueScale : 0), "scale",
      "decimal values have a scale of 0 to 18, and others have none");
  return *std::ranges::find_if(builders(), [&](const Builder& candidate) {
    return candidate.name == options.algorithm && candidate.compresses == options.compress;
  });
}

std::unique_ptr<Assembly> plan_signatures(std::uint64_t n, unsigned bits) {
  FilterOptions options;
  options.bits = bits;
  return filter::plan_ribbon(n, options);
}

double signature_bits_per_key(std::uint64_t n, unsigned bits) {
  return ribbon::bits_per_key(n, bits);
}

}  // namespace map

namespace exact {

ExactOptions checked(ExactOptions options) {
  index::check_choices(options, "exact sets");
  if (options.fpr && !(*options.fpr < 1 && *options.fpr >= std::ldexp(1.0, -33)))
    base::refuse_option("fpr", *options.fpr, "is not between 2^-33 and 1");
  if (options.group_delimiter.size() > 1)
    base::refuse_option("group_delimiter",
                        quote(options.group_delimiter) + " is not one character");
  (void)parse_covers(options.covers);
  options.grouped = options.grouped || !options.group_delimiter.empty();
  return options;
}

}  // namespace exact

namespace dictionary {

Shape shape_of(const DictionaryOptions& options) {
  index::check_choices(options, "dictionaries");
  const bool is_auto = options.token_bits == "auto";
  return {options.block_keys, is_auto ? 0 : static_cast<unsigned>(std::stoul(options.token_bits)),
          options.values};
}

std::uint32_t section_of(Builder::Part part) noexcept {
  switch (part) {
    case Builder::Part::tokens:
      return file::kDictionaryTokensSection;
    case Builder::Part::blocks:
      return file::kDictionaryBlocksSection;
    case Builder::Part::offsets:
      return file::kDictionaryOffsetsSection;
    case Builder::Part::directory:
      return file::kDictionaryDirectorySection;
    case Builder::Part::values:
      return file::kDictionaryValuesSection;
    default:
      return file::kDictionaryHeadSection;
  }
}

}  // namespace dictionary
}  // namespace crivo
