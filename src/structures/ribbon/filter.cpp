#include "structures/ribbon/filter.hpp"

#include "structures/retrieval/fingerprint_filter.hpp"
#include "structures/ribbon/builder.hpp"
#include "structures/ribbon/table.hpp"

namespace crivo::filter {
Plan plan_ribbon(std::uint64_t n, const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  return {ribbon::bits_per_key(n, bits), fingerprint_fpr(n, bits)};
}

void build_ribbon(const stream::KeySource& hashes, const FilterOptions& options,
                  const base::BuildContext& context, base::Sink& sink) {
  const unsigned bits = fingerprint_bits(options);
  context.progress.begin("filter", hashes.size());
  ribbon::build(hashes, bits, fingerprint_source(bits), context, sink,
                ribbon::Layout::blocks_of_64);
}

std::unique_ptr<const Membership> open_ribbon(base::ByteView section) {
  return std::make_unique<FingerprintFilter<ribbon::Table>>(
      ribbon::Table(section, ribbon::Layout::blocks_of_64));
}

}  // namespace crivo::filter
