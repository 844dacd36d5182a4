// SPDX-License-Identifier: Apache-2.0
#include "lookup/dictionary_file.hpp"

#include <utility>

#include "file/section_types.hpp"
#include "structures/phast/shape.hpp"

namespace crivo::dictionary {

Reader open_dictionary(const file::Container& container) {
  const auto section = [&](std::uint32_t type) {
    return container.require(type, "a section of the dictionary");
  };
  Sections sections{section(file::kDictionaryHeadSection), section(file::kDictionaryTokensSection),
                    section(file::kDictionaryOffsetsSection),
                    section(file::kDictionaryDirectorySection),
                    section(file::kDictionaryBlocksSection)};
  sections.values = container.find(file::kDictionaryValuesSection);
  sections.checks = container.page_checks();
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
    container.fail("damaged: its MPHF or its hashed ids are missing");
  if (!section) return std::nullopt;
  auto function = file::naming(
      container.name(), [&] { return phast::open_phast(container.touched(*function_section)); });
  if (function->size() != container.header().keys)
    container.fail("damaged: the header and the MPHF disagree on n");
  return file::naming(container.name(),
                      [&] { return HashedIds(std::move(function), container.touched(*section)); });
}

}  // namespace crivo::dictionary
