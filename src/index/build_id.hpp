/// The names of what is built.
#pragma once

#include <string>

#include "crivo/build.hpp"
#include "file/container.hpp"
#include "stream/key_sums.hpp"

namespace crivo::index {

/// The build id (formats/crivo-1.md) of a file with this header, whose keys have those sums. The
/// choices are names and values of all that decides about its bytes beside.
file::ContentId build_id(const file::Header& header, const stream::KeySums& sums,
                         const file::Metadata& choices);

/// All that is chosen of a file, but its key hash and seed.
file::Metadata choices_of(const MphfOptions& mphf);
file::Metadata choices_of(const FilterOptions& filter);
file::Metadata choices_of(const MapOptions& map);
file::Metadata choices_of(const StoreOptions& store);

/// A double with every digit that tells it from others.
std::string exact_text(double value);

}  // namespace crivo::index
