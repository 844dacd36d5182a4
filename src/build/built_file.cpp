// SPDX-License-Identifier: Apache-2.0
#include "build/built_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/arithmetic.hpp"
#include "file/mapped_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/filter_file.hpp"

namespace crivo::index {
namespace {

/// So many random hashes that some 1000 are expected to pass for keys, and the measured rate has a
/// standard deviation of 3 %; at most 2^20, and at most eight a key or 2^13, as more would take
/// most of the time of a small filter's build. A power of two, as its logarithm.
unsigned probe_bits(double fpr, std::uint64_t keys) {
  constexpr unsigned kLeast = 11;
#ifdef CRIVO_SANITIZED  // where all of it takes so much longer
  constexpr unsigned kLimit = 16;
#else
  constexpr unsigned kLimit = 20;
#endif
  const auto few = static_cast<unsigned>(std::bit_width(keys)) + 3;
  const unsigned most = std::clamp(few, 13U, kLimit);
  unsigned bits = kLeast;
  while (bits < most && std::ldexp(fpr, static_cast<int>(bits)) < 1000) ++bits;
  return bits;
}

/// The part of hashes, spread evenly, for which the filter says "maybe". The same for equal files.
/// They come in ascending order, and what they touch of the file is let go of, so that it does not
/// count as memory that the build takes.
double measure_fpr(const filter::Membership& membership, const file::MappedFile& file) {
  const unsigned bits = probe_bits(membership.fpr(), membership.size());
  const std::uint64_t probes = std::uint64_t{1} << bits;
  const std::uint64_t forget_probes = std::max<std::uint64_t>(probes / 256, 256);
  std::array<Hash128, 256> hashes;
  std::array<bool, hashes.size()> answers{};
  std::uint64_t maybe = 0;
  for (std::uint64_t i = 0; i < probes; i += hashes.size()) {
    for (std::uint64_t j = 0; j < hashes.size(); ++j) {
      hashes[j] = {((i + j) << (64 - bits)) | (base::mix64(2 * (i + j)) >> bits),
                   base::mix64(2 * (i + j) + 1)};
    }
    membership.contains(hashes, answers.data());
    maybe += static_cast<std::uint64_t>(std::ranges::count(answers, true));
    if ((i + hashes.size()) % forget_probes == 0) file.forget();
  }
  return static_cast<double>(maybe) / static_cast<double>(probes);
}

}  // namespace

void add_description(FileInfo found, BuildSummary& summary) {
  found.kind = summary.kind;
  found.keys = summary.keys;
  found.algorithm = summary.algorithm;
  found.bytes = summary.bytes;
  found.digest = summary.digest;
  static_cast<FileInfo&>(summary) = std::move(found);
}

void describe_built(const file::PendingFile& file, const std::string& name, BuildSummary& summary) {
  const file::MappedFile mapped(file.path_to_open(), file::Loading::for_a_pass);
  const file::Container container =
      file::Container::over(mapped.bytes(), name, [&] { mapped.forget(); });
  add_description(describe(container), summary);
  if (container.header().kind == file::Kind::filter) {
    summary.measured_fpr = measure_fpr(*filter::FilterFile(container).membership, mapped);
  }
}

BuiltFile::BuiltFile(const file::OutputTarget& target, std::string name)
    : name_(std::move(name)), file_(target) {}

file::ContainerWriter& BuiltFile::begin_index(file::HashTree tree) {
  writer_.reset();
  file_.restart();
  writer_ = std::make_unique<file::ContainerWriter>(file_, tree);
  return *writer_;
}

void BuiltFile::finish(file::Header header, const file::Metadata& metadata) {
  written_ = writer_->finish(header, metadata);
}

BuildSummary BuiltFile::publish(BuildFrame& frame, const file::Header& header,
                                const std::string& structure) {
  UnpublishedSummary summary = frame.summarize(header, structure, written_);
  describe_built(file_, name_, *summary);
  return std::move(summary).published(file_.publish());
}

}  // namespace crivo::index
