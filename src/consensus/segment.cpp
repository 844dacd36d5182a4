#include "consensus/segment.hpp"

#include "crivo/error.hpp"

namespace crivo::consensus {

SegmentBuilder::SegmentBuilder(const Parameters& parameters)
    : shape_(parameters.shape),
      search_(parameters.shape, parameters.free_bits, kernel(util::cpu())),
      materials_(shape_.keys()) {}

Segment SegmentBuilder::build(std::span<const Hash128> hashes) {
  const std::uint64_t buckets = hashes.size() >> shape_.log_keys;
  Segment segment;
  segment.trees.resize(buckets * (shape_.tree_bits() / 8));
  segment.columns.resize((buckets << (shape_.log_keys - 4)) + kExtraColumnBytes);
  while (!try_salt(hashes, segment)) {
    if (segment.salt == kMaxSalt) {
      throw Error(ErrorKind::bad_input,
                  "no perfect hash function was found: some keys' hashes are too much alike; try "
                  "another --seed");
    }
    ++segment.salt;
  }
  return segment;
}

bool SegmentBuilder::try_salt(std::span<const Hash128> hashes, Segment& segment) {
  const std::uint32_t pairs = shape_.keys() / 2;
  ribbon::Band<std::uint64_t, std::uint8_t> equations(segment.columns.size() * 8);
  std::byte* tree = segment.trees.data();
  for (std::uint64_t pair = 0; !hashes.empty(); hashes = hashes.subspan(shape_.keys())) {
    for (std::uint32_t i = 0; i < shape_.keys(); ++i) {
      materials_[i] = material(hashes[i], segment.salt);
    }
    if (!search_.find(materials_, tree)) return false;
    tree += shape_.tree_bits() / 8;
    const auto order = search_.order();
    for (std::uint32_t p = 0; p < pairs; ++p, ++pair) {
      const std::uint64_t differ =
          row(materials_[order[2 * p]]) ^ row(materials_[order[2 * p + 1]]);
      if (!equations.insert(pair, differ, 1)) return false;
    }
  }
  equations.solve();
  const std::uint8_t* solution = equations.values();
  for (std::byte& eight : segment.columns) {
    std::uint64_t columns = file::load_le<std::uint64_t>(solution);
    solution += 8;
    // Each byte is 0 or 1; the product gathers them in its top byte.
    eight = static_cast<std::byte>(columns * 0x0102040810204080U >> 56);
  }
  return true;
}

}  // namespace crivo::consensus
