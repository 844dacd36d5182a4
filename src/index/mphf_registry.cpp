#include <algorithm>
#include <array>

#include "file/section_types.hpp"
#include "structures/classic/bdz.hpp"
#include "structures/classic/bmz.hpp"
#include "structures/classic/fch.hpp"
#include "structures/classic/mwhc.hpp"
#include "structures/consensus/consensus.hpp"
#include "structures/mphf.hpp"
#include "structures/phast/phast.hpp"

namespace crivo::mphf {
namespace {

std::vector<Hash128> build_fast(const stream::KeySource& hashes, const BuildChoices& choices,
                                const base::BuildContext& context, base::Sink& sink) {
  return phast::build_phast(phast::kFast, hashes, choices.wants_strays, context, sink);
}

std::vector<Hash128> build_compact(const stream::KeySource& hashes, const BuildChoices& choices,
                                   const base::BuildContext& context, base::Sink& sink) {
  return phast::build_phast(phast::kCompact[choices.effort], hashes, choices.wants_strays, context,
                            sink);
}

void build_tiny(const stream::KeySource& hashes, const BuildChoices& choices,
                const base::BuildContext& context, base::Sink& sink) {
  consensus::build(consensus::kEfforts[choices.effort], hashes, context, sink);
}

/// An algorithm that has no strays.
template <auto kBuild>
std::vector<Hash128> whole(const stream::KeySource& hashes, const BuildChoices& choices,
                           const base::BuildContext& context, base::Sink& sink) {
  kBuild(hashes, choices, context, sink);
  return {};
}

// Bits a key are measured, rounded up; those of FCH, 3.5 * 32 / (log2 n + 1), are of 10^6 keys.
constexpr std::array kAlgorithms{
    Algorithm{"fast", file::kPhastSection, 0, false, false, 1.95, 0.4, build_fast,
              phast::open_phast},
    Algorithm{"compact", file::kPhastSection, phast::kCompact.size() - 1, false, false, 1.95, 0.4,
              build_compact, phast::open_phast},
    Algorithm{"tiny", file::kConsensusSection, consensus::kEfforts.size() - 1, false, false, 1.95,
              0.1, whole<build_tiny>, consensus::open},
    Algorithm{"mwhc2", file::kMwhcSection, 0, true, true, 67, 57, whole<classic::build_mwhc2>,
              classic::open_mwhc},
    Algorithm{"mwhc3", file::kMwhcSection, 0, true, true, 39.5, 54, whole<classic::build_mwhc3>,
              classic::open_mwhc},
    Algorithm{"fch", file::kFchSection, 0, true, false, 5.4, 30, whole<classic::build_fch>,
              classic::open_fch},
    Algorithm{"bmz", file::kBmzSection, 0, true, false, 37, 53, whole<classic::build_bmz>,
              classic::open_bmz},
    Algorithm{"bdz", file::kBdzSection, 0, true, false, 2.7, 33, whole<classic::build_bdz>,
              classic::open_bdz},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kAlgorithms.size()> names;
  std::ranges::transform(kAlgorithms, names.begin(), &Algorithm::name);
  return names;
}();

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return kAlgorithms;
}

std::span<const std::string_view> algorithm_names() noexcept {
  return kNames;
}

}  // namespace crivo::mphf
