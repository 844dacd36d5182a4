#include "filter/filter_file.hpp"

#include <string>

#include "crivo/error.hpp"

namespace crivo::filter {

FilterFile::FilterFile(const file::Container& container) {
  for (const file::SectionEntry& section : container.sections()) {
    for (const Type& candidate : types()) {
      if (candidate.section_type != section.type || membership) continue;
      const file::ByteView bytes = container.require(section.type, candidate.name);
      membership = file::naming(container.name(), [&] { return candidate.open(bytes); });
      type = candidate.name;
    }
  }
  if (!membership) container.fail("damaged: there is no filter section");
  if (membership->size() != container.header().keys) {
    container.fail("damaged: the header and the filter disagree on n");
  }
}

const Type& find_type(std::string_view name) {
  std::string names;
  for (const Type& candidate : types()) {
    if (candidate.name == name) return candidate;
    names += (names.empty() ? "" : ", ") + std::string(candidate.name);
  }
  throw Error(ErrorKind::usage,
              "unknown filter type '" + std::string(name) + "'; there are: " + names);
}

}  // namespace crivo::filter
