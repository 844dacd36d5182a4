// SPDX-License-Identifier: Apache-2.0
#include "lookup/exact_file.hpp"

#include <algorithm>
#include <string>

#include "base/refuse_option.hpp"
#include "base/text.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"

namespace crivo::exact {
namespace {

std::uint64_t number_of(std::string_view digits, std::string_view text) {
  const auto number = base::number_in<std::uint64_t>(digits);
  if (!number)
    base::refuse_option("covers", "'" + std::string(text) + "' is not of the form NAME=LOW:HIGH");
  return *number;
}

Coverage parse_one(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t colon = text.find(':', equals == std::string_view::npos ? 0 : equals);
  if (equals == 0 || equals == std::string_view::npos || colon == std::string_view::npos)
    return {{}, number_of({}, text), 0};
  Coverage covered{std::string(text.substr(0, equals)),
                   number_of(text.substr(equals + 1, colon - equals - 1), text),
                   number_of(text.substr(colon + 1), text)};
  if (covered.low > covered.high)
    base::refuse_option("covers", "'" + std::string(text) + "' ends before it begins");
  return covered;
}

}  // namespace

std::vector<Coverage> covers_of(const file::Container& container) {
  const file::Metadata metadata = container.metadata();
  const auto found = metadata.find("crivo.covers");
  if (found == metadata.end()) return {};
  try {  // free text in a file is none of a user's options
    return parse_covers(found->second);
  } catch (const Error&) {
    container.fail("damaged: the bytes that it covers cannot be read");
  }
}

std::vector<Coverage> parse_covers(std::string_view text) {
  std::vector<Coverage> covers;
  for (bool is_more = !text.empty(); is_more;) {
    const std::size_t end = text.find(',');
    is_more = end != std::string_view::npos;
    covers.push_back(parse_one(text.substr(0, end)));
    if (is_more) text.remove_prefix(end + 1);
  }
  return covers;
}

ExactFile::ExactFile(const file::Container& container) : covers(covers_of(container)) {
  const base::ByteView groups = container.require(file::kGroupSection, "groups");
  const auto find = [&](std::uint32_t type, unsigned tag) -> std::optional<base::CheckedBytes> {
    const auto section = container.find(type, tag);
    return section ? std::optional(container.touched(*section)) : std::nullopt;
  };
  set = file::naming(container.name(), [&] {
    return std::make_unique<const ExactSet>(Sections{
        container.touched(groups), [&](unsigned tag) { return find(file::kRibbonSection, tag); },
        find(file::kRibbonFunctionSection, 0)});
  });
  if (set->totals().members != container.header().keys)
    container.fail("damaged: the header and the groups disagree on n");
}

}  // namespace crivo::exact
