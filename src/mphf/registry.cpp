#include <array>

#include "consensus/consensus.hpp"
#include "file/section_types.hpp"
#include "mphf/function.hpp"
#include "mphf/phast.hpp"

namespace crivo::mphf {
namespace {

void build_fast(const keys::SortedHashes& hashes, unsigned /*effort*/,
                const util::BuildContext& context, file::Sink& sink) {
  build_phast(kFast, hashes, context, sink);
}

void build_compact(const keys::SortedHashes& hashes, unsigned effort,
                   const util::BuildContext& context, file::Sink& sink) {
  build_phast(kCompact[effort], hashes, context, sink);
}

void build_tiny(const keys::SortedHashes& hashes, unsigned effort,
                const util::BuildContext& context, file::Sink& sink) {
  consensus::build(consensus::kEfforts[effort], hashes, context, sink);
}

constexpr std::array kAlgorithms{
    Algorithm{"fast", file::kPhastSection, 0, build_fast, open_phast},
    Algorithm{"compact", file::kPhastSection, kCompact.size() - 1, build_compact, open_phast},
    Algorithm{"tiny", file::kConsensusSection, consensus::kEfforts.size() - 1, build_tiny,
              consensus::open},
    Algorithm{"fast", file::kOldPhastSection, 0, nullptr, open_old_phast},
};
constexpr std::size_t kReadOnly = 1;

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return std::span(kAlgorithms).first(kAlgorithms.size() - kReadOnly);
}

std::span<const Algorithm> readable_algorithms() noexcept {
  return kAlgorithms;
}

}  // namespace crivo::mphf
