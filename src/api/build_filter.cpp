#include <cmath>
#include <string>
#include <vector>

#include "api/build_frame.hpp"
#include "api/builds.hpp"
#include "crivo/error.hpp"
#include "filter/filter_file.hpp"

namespace crivo {
namespace {

constexpr unsigned kMaxFingerprintBits = 32;

void check_fingerprint_bits(unsigned bits) {
  if (bits == 0 || bits > kMaxFingerprintBits) {
    throw Error(ErrorKind::usage, "fingerprints have 1 to 32 bits");
  }
}

}  // namespace

unsigned fingerprint_bits_for(double fpr) {
  if (!(fpr < 1) || !(fpr >= std::ldexp(1.0, -static_cast<int>(kMaxFingerprintBits)))) {
    throw Error(ErrorKind::usage, "the false-positive rate must be below 1 and at least 2^-32");
  }
  unsigned bits = 1;
  while (std::ldexp(1.0, -static_cast<int>(bits)) > fpr) ++bits;
  return bits;
}

namespace api {

BuildSummary build_filter(const KeyInput& input, const std::filesystem::path& output,
                          const FilterOptions& filter, const BuildOptions& options,
                          keys::HashFunction hash) {
  const filter::Type& type = filter::find_type(filter.type);
  check_fingerprint_bits(filter.fingerprint_bits);
  BuildFrame frame(options, hash);
  file::check_output_file(output, frame.if_exists());
  file::PendingFile file(output);
  file::ContainerWriter writer(file);

  const keys::HashedKeys hashed = keys::hash_keys(input, frame.hash_options(), frame.context());
  frame.note_read(hashed);
  type.build(hashed.hashes, filter.fingerprint_bits, frame.context(),
             writer.begin_section(type.section_type));
  frame.note_built();

  file::Header header;
  header.kind = file::Kind::filter;
  header.keys = hashed.hashes.size();
  header.seed = hashed.seed;
  const auto written = writer.finish(header, {{"crivo.type", filter.type}});
  file.publish(output, frame.if_exists());

  BuildSummary summary = frame.finish(header, filter.type, written);
  summary.fpr = header.keys == 0 ? 0 : std::ldexp(1.0, -static_cast<int>(filter.fingerprint_bits));
  return summary;
}

}  // namespace api

BuildSummary build_filter(const KeyInput& input, const std::filesystem::path& output,
                          const FilterOptions& filter, const BuildOptions& options) {
  return api::build_filter(input, output, filter, options, hash_key);
}

std::span<const std::string_view> filter_types() noexcept {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> all;
    for (const filter::Type& type : filter::types()) all.push_back(type.name);
    return all;
  }();
  return kNames;
}

}  // namespace crivo
