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

double ribbon_bits_per_key(std::uint64_t n, unsigned width) {
  if (n == 0) return 0;
  if (n >= ribbon::kSmallSetKeys) return width * (1 + kSpareSlots) + kThresholdBits;
  return width * static_cast<double>(ribbon::small_slots(n)) / static_cast<double>(n);
}

Plan plan_ribbon(std::uint64_t n, const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  return {ribbon_bits_per_key(n, bits), fingerprint_fpr(n, bits)};
}

void build_ribbon(const keys::SortedHashes& hashes, const FilterOptions& options,
                  const util::BuildContext& context, file::Sink& sink) {
  const unsigned bits = fingerprint_bits(options);
  context.progress.begin("filter", hashes.size());
  ribbon::build(hashes, bits, fingerprint_source(bits), context, sink);
}

std::unique_ptr<const Membership> open_ribbon(file::ByteView section) {
  return std::make_unique<FingerprintFilter<ribbon::Table>>(ribbon::Table(section));
}

}  // namespace crivo::filter
