#include "filter/ribbon.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "crivo/error.hpp"
#include "ribbon/builder.hpp"
#include "ribbon/table.hpp"
#include "util/bits.hpp"

namespace crivo::filter {
namespace {

constexpr unsigned kMaxBits = 32;

/// The value that the ribbon gives the keys of the set. No linear function of `lo`, as the
/// coefficients are.
std::uint64_t fingerprint(Hash128 hash, unsigned bits) noexcept {
  return util::mix64(hash.lo ^ 0xc2b2ae3d27d4eb4fU) >> (64 - bits);
}

class RibbonFilter final : public Membership {
 public:
  explicit RibbonFilter(file::ByteView section) : table_(section) {
    if (table_.width() > kMaxBits) {
      throw Error(ErrorKind::corrupt, "ribbon section: has fingerprints of more than 32 bits");
    }
  }

  std::uint64_t size() const noexcept override { return table_.size(); }
  double fpr() const noexcept override {
    return table_.size() == 0 ? 0 : std::ldexp(1.0, -static_cast<int>(table_.width()));
  }

  bool contains(Hash128 hash) const noexcept override {
    return table_.size() != 0 && table_.value(hash) == fingerprint(hash, table_.width());
  }

  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    std::array<std::uint64_t, 256> values;
    while (!hashes.empty()) {
      const std::size_t count = std::min(values.size(), hashes.size());
      table_.values(hashes.first(count), values.data());
      for (std::size_t i = 0; i < count; ++i) {
        answers[i] = table_.size() != 0 && values[i] == fingerprint(hashes[i], table_.width());
      }
      hashes = hashes.subspan(count);
      answers += count;
    }
  }

 private:
  ribbon::Table table_;
};

}  // namespace

void build_ribbon(const keys::SortedHashes& hashes, unsigned bits,
                  const util::BuildContext& context, file::Sink& sink) {
  context.progress.begin("filter", hashes.size());
  ribbon::build(
      hashes, bits,
      [bits](std::span<const Hash128> keys, std::uint64_t, std::span<std::uint64_t> values) {
        std::ranges::transform(keys, values.begin(),
                               [bits](Hash128 hash) { return fingerprint(hash, bits); });
      },
      context, sink);
}

std::unique_ptr<const Membership> open_ribbon(file::ByteView section) {
  return std::make_unique<RibbonFilter>(section);
}

}  // namespace crivo::filter
