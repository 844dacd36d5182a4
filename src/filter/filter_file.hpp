/// A filter as a section of a file.
#pragma once

#include <memory>
#include <string_view>

#include "file/container.hpp"
#include "filter/filter.hpp"

namespace crivo::filter {

/// A filter over a container that must outlive it.
struct FilterFile {
  /// Finds and checks the section; throws Error(corrupt), named after the container.
  explicit FilterFile(const file::Container& container);

  std::string_view type;
  std::unique_ptr<const Membership> membership;
};

/// The type of a name; throws Error(usage) that lists the names if there is none.
const Type& find_type(std::string_view name);

}  // namespace crivo::filter
