// SPDX-License-Identifier: Apache-2.0
#include "lookup/rank_index.hpp"

#include <algorithm>
#include <vector>

#include "file/container.hpp"
#include "file/section_types.hpp"

namespace crivo::index {

RankIndex::RankIndex(const file::Container& container) {
  const mphf::Algorithm* const found = file::only_structure(container, mphf::algorithms());
  if (found == nullptr) container.fail("damaged: it has no MPHF section");
  const base::ByteView bytes = container.require(found->section_type, found->name);
  function = file::naming(container.name(), [&] { return found->open(container.touched(bytes)); });
  algorithm = found->name;
  if (!found->of_seeds &&
      !hashing::stands_for(container.header().key_hash, hashing::KeyHashId::xxh3)) {
    container.fail("damaged: the header and the MPHF disagree on the key hash function");
  }
  const std::uint64_t keys = container.header().keys;
  if (function->size() != keys) container.fail("damaged: the header and the MPHF disagree on n");
  if (const auto section = container.find(file::kSignatureSection)) {
    signatures = file::naming(container.name(),
                              [&] { return mphf::Signatures(container.touched(*section), keys); });
  }
  if (const auto bumped = container.find(file::kBumpedSignaturesSection)) {
    std::vector<mphf::SignatureRun> runs;
    for (const file::SectionEntry& section : container.sections()) {
      if (section.type == file::kPartSignaturesSection)
        runs.push_back({section.tag, container.bytes_of(section)});
    }
    signatures = file::naming(container.name(), [&] {
      return mphf::Signatures(mphf::PartSignatures(runs, container.touched(*bumped), keys));
    });
  }
}

void RankIndex::lookup(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept {
  constexpr std::size_t kBlock = 256;
  if (function->size() == 0) {
    std::fill_n(ranks, hashes.size(), kAbsent);
    return;
  }
  if (signatures.bits() == 0) {
    function->ranks(hashes, ranks);
    return;
  }
  for (std::size_t begin = 0; begin < hashes.size(); begin += kBlock) {
    const auto block = hashes.subspan(begin, std::min(kBlock, hashes.size() - begin));
    function->ranks(block, ranks + begin);
    for (std::size_t i = 0; i < block.size(); ++i) signatures.prefetch(ranks[begin + i]);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (!signatures.match(ranks[begin + i], block[i])) ranks[begin + i] = kAbsent;
    }
  }
}

}  // namespace crivo::index
