/// A filter as a section of a file.
#pragma once

#include <memory>

#include "crivo/filter_options.hpp"
#include "file/container.hpp"
#include "filter/filter.hpp"

namespace crivo::filter {

/// A filter over a container that must outlive it.
struct FilterFile {
  /// Finds and checks the section; throws Error(corrupt), named after the container.
  explicit FilterFile(const file::Container& container);

  const Type* type = nullptr;
  file::ByteView section;
  std::unique_ptr<const Membership> membership;
};

/// The type that the options name. Throws Error(usage): there is none (the message lists the
/// names), or an option is out of its range or not one of the type's.
const Type& find_type(const FilterOptions& options);

/// The designed false-positive rate that the options allow at most; 1/256 where they name none.
double asked_fpr(const FilterOptions& options);

}  // namespace crivo::filter
