// SPDX-License-Identifier: Apache-2.0
/// Sections of MPHFs for tests.
#pragma once

#include <span>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "hashing/hash128.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/build/mphf.hpp"
#include "structures/mphf.hpp"

namespace crivo::test {

inline const mphf::Builder& fast() {
  return mphf::builders().front();
}

inline base::Bytes build_section(const stream::SortedHashes& hashes, unsigned threads = 1,
                                 const mphf::Builder& algorithm = fast(),
                                 const mphf::BuildChoices& choices = {}) {
  base::Progress progress;
  base::MemorySink sink;
  algorithm.build(hashes, choices, {threads, progress}, sink);
  return sink.take();
}

inline base::Bytes build_section(std::span<const Hash128> hashes, unsigned threads = 1,
                                 const mphf::Builder& algorithm = fast(),
                                 const mphf::BuildChoices& choices = {}) {
  return build_section(stream::SortedHashes::from_unsorted(hashes), threads, algorithm, choices);
}

}  // namespace crivo::test
