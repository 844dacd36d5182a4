// SPDX-License-Identifier: Apache-2.0
/// The algorithms of minimal perfect hash functions, as a reader sees them.
#include <array>

#include "file/section_types.hpp"
#include "structures/classic/functions.hpp"
#include "structures/consensus/consensus.hpp"
#include "structures/mphf.hpp"
#include "structures/phast/shape.hpp"

namespace crivo::mphf {
namespace {

/// Opens what does not touch what lookups read: all of it is touched now.
template <std::unique_ptr<const Function> (*kOpen)(base::ByteView section)>
std::unique_ptr<const Function> open_whole(const base::CheckedBytes& section) {
  return kOpen(base::FieldReader(section, "mphf section").take_touched(section.bytes.size()));
}

constexpr std::array kAlgorithms{
    Algorithm{.name = "fast", .section_type = file::kPhastSection, .open = phast::open_phast},
    Algorithm{.name = "compact", .section_type = file::kPhastSection, .open = phast::open_phast},
    Algorithm{.name = "tiny",
              .section_type = file::kConsensusSection,
              .open = open_whole<consensus::open>},
    Algorithm{.name = "mwhc2",
              .section_type = file::kMwhcSection,
              .of_seeds = true,
              .open = open_whole<classic::open_mwhc>},
    Algorithm{.name = "mwhc3",
              .section_type = file::kMwhcSection,
              .of_seeds = true,
              .open = open_whole<classic::open_mwhc>},
    Algorithm{.name = "fch",
              .section_type = file::kFchSection,
              .of_seeds = true,
              .open = open_whole<classic::open_fch>},
    Algorithm{.name = "bmz",
              .section_type = file::kBmzSection,
              .of_seeds = true,
              .open = open_whole<classic::open_bmz>},
    Algorithm{.name = "bdz",
              .section_type = file::kBdzSection,
              .of_seeds = true,
              .open = open_whole<classic::open_bdz>},
};

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return kAlgorithms;
}

}  // namespace crivo::mphf
