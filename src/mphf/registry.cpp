#include <array>

#include "consensus/consensus.hpp"
#include "file/section_types.hpp"
#include "mphf/function.hpp"
#include "mphf/phast.hpp"

namespace crivo::mphf {
namespace {

void build_fast(const keys::SortedHashes& hashes, const util::BuildContext& context,
                file::Sink& sink) {
  build_phast(kFast, hashes, context, sink);
}

void build_compact(const keys::SortedHashes& hashes, const util::BuildContext& context,
                   file::Sink& sink) {
  build_phast(kCompact, hashes, context, sink);
}

void build_tiny(const keys::SortedHashes& hashes, const util::BuildContext& context,
                file::Sink& sink) {
  consensus::build(consensus::kEfforts[0], hashes, context, sink);
}

constexpr std::array kAlgorithms{
    Algorithm{"fast", file::kPhastSection, build_fast, open_phast},
    Algorithm{"compact", file::kPhastSection, build_compact, open_phast},
    Algorithm{"tiny", file::kConsensusSection, build_tiny, consensus::open},
};

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return kAlgorithms;
}

}  // namespace crivo::mphf
