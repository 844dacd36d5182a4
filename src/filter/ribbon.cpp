#include "filter/ribbon.hpp"

#include "filter/fingerprints.hpp"
#include "ribbon/builder.hpp"
#include "ribbon/rows.hpp"
#include "ribbon/table.hpp"

namespace crivo::filter {
namespace {

/// Measured from 20,000 keys on: slots that stay empty, and thresholds (formats/ribbon.md).
constexpr double kSpareSlots = 0.001;
constexpr double kThresholdBits = 0.016;

}  // namespace

Plan plan_ribbon(std::uint64_t n, const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  if (n == 0) return {};
  const double keys = static_cast<double>(n);
  const double bits_per_key = n < ribbon::kSmallSetKeys
                                  ? bits * static_cast<double>(ribbon::small_slots(n)) / keys
                                  : bits * (1 + kSpareSlots) + kThresholdBits;
  return {bits_per_key, fingerprint_fpr(n, bits)};
}

void build_ribbon(const keys::SortedHashes& hashes, const FilterOptions& options,
                  const util::BuildContext& context, file::Sink& sink) {
  const unsigned bits = fingerprint_bits(options);
  context.progress.begin("filter", hashes.size());
  ribbon::build(hashes, bits, fingerprint_source(bits), context, sink,
                ribbon::Layout::blocks_of_64);
}

std::unique_ptr<const Membership> open_ribbon(file::ByteView section) {
  return std::make_unique<FingerprintFilter<ribbon::Table>>(
      ribbon::Table(section, ribbon::Layout::blocks_of_64));
}

}  // namespace crivo::filter
