// SPDX-License-Identifier: Apache-2.0
#include "opening/dictionary_file.hpp"

#include <string>
#include <utility>

#include "crivo/error.hpp"
#include "opening/choices.hpp"
#include "structures/phast/phast.hpp"

namespace crivo::dictionary {

Reader open_dictionary(const file::Container& container) {
  const auto section = [&](Builder::Part part) {
    return container.require(section_of(part), "a section of the dictionary");
  };
  Sections sections{section(Builder::Part::head), section(Builder::Part::tokens),
                    section(Builder::Part::offsets), section(Builder::Part::directory),
                    section(Builder::Part::blocks)};
  sections.values = container.find(file::kDictionaryValuesSection);
  if (sections.values.has_value() != (container.header().value_type != file::ValueTypeId::none))
    container.fail("damaged: its header and its sections disagree on whether there are values");
  Reader reader = file::naming(container.name(), [&] { return Reader(sections); });
  if (reader.size() != container.header().keys)
    container.fail("damaged: the header and the dictionary disagree on n");
  return reader;
}

void check_directory(const Reader& reader, const file::Container& container) {
  if (!reader.has_sound_directory())
    container.fail("damaged: a node of its directory is malformed");
}

std::optional<HashedIds> open_hashed(const file::Container& container) {
  const auto function_section = container.find(file::kPhastSection);
  const auto section = container.find(file::kHashedIdsSection);
  if (function_section.has_value() != section.has_value())
    container.fail("damaged: of its MPHF and its hashed ids one is missing");
  if (!section) return std::nullopt;
  auto function =
      file::naming(container.name(), [&] { return phast::open_phast(*function_section); });
  if (function->size() != container.header().keys)
    container.fail("damaged: the header and the MPHF disagree on n");
  return file::naming(container.name(), [&] { return HashedIds(std::move(function), *section); });
}

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

}  // namespace crivo::dictionary
