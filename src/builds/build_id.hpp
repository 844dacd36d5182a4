// SPDX-License-Identifier: Apache-2.0
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

/// The options that have those choices. Throws Error(usage) where none have.
MphfOptions mphf_options(const file::Metadata& choices);
FilterOptions filter_options(const file::Metadata& choices);
MapOptions map_options(const file::Metadata& choices);
StoreOptions store_options(const file::Metadata& choices);

/// The metadata of a file.
file::Metadata metadata_of(const MphfOptions& mphf);
file::Metadata metadata_of(const FilterOptions& filter);
file::Metadata metadata_of(const MapOptions& map);
file::Metadata metadata_of(const StoreOptions& store);

/// A double with every digit that tells it from others.
std::string exact_text(double value);

}  // namespace crivo::index
