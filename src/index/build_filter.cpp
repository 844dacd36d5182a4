#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/as_error.hpp"
#include "bits/arithmetic.hpp"
#include "crivo/error.hpp"
#include "index/build_frame.hpp"
#include "index/build_id.hpp"
#include "index/builds.hpp"
#include "index/filter_file.hpp"
#include "index/key_hash.hpp"

namespace crivo {
namespace {

/// So many random hashes that some 1000 are expected to pass for keys, and the measured rate has a
/// standard deviation of 3 %; at most 2^20. A power of two, as its logarithm.
unsigned probe_bits(double fpr) {
  constexpr unsigned kLeast = 11;
  constexpr unsigned kMost = 20;
  unsigned bits = kLeast;
  while (bits < kMost && std::ldexp(fpr, static_cast<int>(bits)) < 1000) ++bits;
  return bits;
}

/// The part of hashes, spread evenly, for which the filter says "maybe". The same for equal files.
/// They come in ascending order, and what they touch of the file is let go of, so that it does not
/// count as memory that the build takes.
double measure_fpr(const filter::Membership& membership, const file::MappedFile& file) {
  const unsigned bits = probe_bits(membership.fpr());
  const std::uint64_t probes = std::uint64_t{1} << bits;
  const std::uint64_t forget_probes = std::max<std::uint64_t>(probes / 256, 256);
  std::array<Hash128, 256> hashes;
  std::array<bool, hashes.size()> answers{};
  std::uint64_t maybe = 0;
  for (std::uint64_t i = 0; i < probes; i += hashes.size()) {
    for (std::uint64_t j = 0; j < hashes.size(); ++j) {
      hashes[j] = {((i + j) << (64 - bits)) | (bits::mix64(2 * (i + j)) >> bits),
                   bits::mix64(2 * (i + j) + 1)};
    }
    membership.contains(hashes, answers.data());
    maybe += static_cast<std::uint64_t>(std::ranges::count(answers, true));
    if ((i + hashes.size()) % forget_probes == 0) file.forget();
  }
  return static_cast<double>(maybe) / static_cast<double>(probes);
}

}  // namespace

namespace index {

BuildSummary build_filter(const KeyInput& input, const std::filesystem::path& output,
                          const FilterOptions& filter, const BuildOptions& options,
                          const hashing::HashFamily& hash) {
  const filter::Type& type = filter::find_type(filter);
  (void)type.plan(0, filter);  // refuses what it cannot meet before the keys are read
  BuildFrame frame(options, hash);
  file::PendingFile file(frame.output_file(output, input));

  frame.prepare(input, Units::keys, filter_memory(filter), filter_phases(filter));
  file::Header header;
  header.kind = file::Kind::filter;
  header.key_hash = built_hash(type.key_hash, options);
  file::Metadata metadata{{"crivo.type", filter.type}};
  if (filter.fpr) metadata["crivo.asked_fpr"] = exact_text(*filter.fpr);
  file::ContainerWriter::Written written;
  const input::HashOptions hashing = frame.hash_options(input, header, choices_of(filter));
  input::hash_keys(input, hashing, frame.context(), [&](const input::KeySet& set) {
    frame.note_read(set);
    file.restart();
    file::ContainerWriter writer(file);
    type.build(set.keys, filter, frame.context(), writer.begin_section(type.section_type));
    frame.note_built();
    header.keys = set.keys.size();
    header.seed = set.seed;
    header.build_id = build_id(header, set.sums(), choices_of(filter));
    written = writer.finish(header, metadata);
  });

  BuildSummary summary = frame.summarize(header, filter.type, written);
  const file::MappedFile mapped(file.path_to_open(), file::Loading::for_a_pass);
  const file::Container container = file::Container::over(mapped.bytes(), output.string());
  const filter::FilterFile built(container);
  summary.fpr = built.membership->fpr();
  summary.asked_fpr = filter.fpr;
  summary.parameters = built.membership->parameters();
  summary.measured_fpr = measure_fpr(*built.membership, mapped);
  frame.note_published(file.publish(), summary);
  return summary;
}

}  // namespace index

BuildSummary build_filter(const KeyInput& input, const std::filesystem::path& output,
                          const FilterOptions& filter, const BuildOptions& options) try {
  return index::build_filter(
      input, output, filter, options,
      hashing::hash_family(index::built_hash(filter::find_type(filter).key_hash, options)));
} catch (...) {
  base::rethrow_as_error();
}

std::span<const std::string_view> filter_types() noexcept {
  return filter::type_names();
}

}  // namespace crivo
