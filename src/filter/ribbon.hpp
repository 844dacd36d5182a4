/// The filter type `ribbon`: a static function of a fingerprint of each key (formats/ribbon.md).
#pragma once

#include <memory>

#include "filter/filter.hpp"

namespace crivo::filter {

/// Type::build and Type::open of the ribbon filter.
void build_ribbon(const keys::SortedHashes& hashes, unsigned bits,
                  const util::BuildContext& context, file::Sink& sink);
std::unique_ptr<const Membership> open_ribbon(file::ByteView section);

}  // namespace crivo::filter
