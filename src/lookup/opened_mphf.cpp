// SPDX-License-Identifier: Apache-2.0
#include "crivo/mphf.hpp"
#include "lookup/opened.hpp"

namespace crivo::index {
namespace {

class OpenedMphf final : public OpenedRanks<Mphf> {
 public:
  using OpenedRanks::OpenedRanks;

  bool tells_absent() const noexcept override { return structure().signature_bits() != 0; }
};

}  // namespace

std::unique_ptr<OpenIndex> open_mphf(const std::filesystem::path& path,
                                     const OpenOptions& options) {
  return std::make_unique<OpenedMphf>("mphf", path, options);
}

}  // namespace crivo::index
