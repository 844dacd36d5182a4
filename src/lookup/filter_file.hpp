// SPDX-License-Identifier: Apache-2.0
/// A filter as a section of a file.
#pragma once

#include <memory>

#include "file/container.hpp"
#include "structures/filter.hpp"

namespace crivo::filter {

/// A filter over a container that must outlive it.
struct FilterFile {
  /// Finds and checks the section; throws Error(corrupt), named after the container.
  explicit FilterFile(const file::Container& container);

  const Type* type = nullptr;
  base::ByteView section;    ///< of the first layer, which has the tag 0
  std::uint64_t layers = 1;  ///< whose sections have the tags from 0 on
  std::unique_ptr<const Membership> membership;
};

}  // namespace crivo::filter
