/// Sections of MPHFs for tests.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "file/sink.hpp"
#include "mphf/function.hpp"
#include "stream/sorted_hashes.hpp"
#include "util/hash128.hpp"
#include "util/progress.hpp"

namespace crivo::test {

inline const mphf::Algorithm& fast() {
  return mphf::algorithms().front();
}

inline file::Bytes build_section(const stream::SortedHashes& hashes, unsigned threads = 1,
                                 const mphf::Algorithm& algorithm = fast(),
                                 const mphf::BuildChoices& choices = {}) {
  util::Progress progress;
  file::MemorySink sink;
  algorithm.build(hashes, choices, {threads, progress}, sink);
  return sink.take();
}

inline file::Bytes build_section(std::vector<Hash128> hashes, unsigned threads = 1,
                                 const mphf::Algorithm& algorithm = fast(),
                                 const mphf::BuildChoices& choices = {}) {
  return build_section(stream::SortedHashes::from_unsorted(std::move(hashes)), threads, algorithm,
                       choices);
}

}  // namespace crivo::test
