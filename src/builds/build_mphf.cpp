// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "builds/build_frame.hpp"
#include "builds/build_id.hpp"
#include "builds/builds.hpp"
#include "builds/built_file.hpp"
#include "builds/notes.hpp"
#include "input/key_order.hpp"
#include "opening/choices.hpp"
#include "opening/key_hash.hpp"
#include "opening/rank_index.hpp"

namespace crivo {

namespace {

/// The dissertation's own range for each of its hashes, unless another is asked for.
classic::Range chosen_range(const MphfOptions& mphf, hashing::KeyHash hash) noexcept {
  if (mphf.unbiased) return classic::Range::unbiased;
  return hash == hashing::KeyHash::jenkins ? classic::Range::mask_xor : classic::Range::modulo;
}

/// The ranks in the order of the input; `set` must outlive them.
retrieval::ValueSource ranks_in_order(const input::KeySet& set, const base::BuildContext& context) {
  const std::span<const std::uint64_t> numbers = set.keys.whole(context).values;
  return [numbers, order = input::KeyOrder(numbers, set.collected)](
             std::span<const Hash128>, std::uint64_t first, std::span<std::uint64_t> ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = order.place(numbers[first + i]);
  };
}

}  // namespace

namespace index {

BuildSummary build_mphf(const KeyInput& input, const Output& output, const MphfOptions& mphf,
                        const BuildOptions& options, const hashing::HashFamily& hash) {
  const mphf::Algorithm& algorithm = index::find_algorithm(mphf);
  const hashing::KeyHash key_hash = built_hash(hashing::find_key_hash(mphf.hash), options);
  BuildFrame frame(options, hash);
  frame.refuse_counting();
  file::PendingFile file(frame.output_file(output, input));

  KeyInput limited = input;
  limited.format.max_key_bytes =
      std::min(limited.format.max_key_bytes, hashing::max_key_bytes(key_hash));
  frame.prepare(limited, Units::keys, mphf_memory(mphf),
                mphf_phases(mphf.algorithm, mphf.effort, mphf.signature_bits));
  const auto hash_all = algorithm.preserves_order ? input::hash_numbered_keys : input::hash_keys;
  file::Header header;
  header.kind = file::Kind::mphf;
  header.key_hash = key_hash;
  file::ContainerWriter::Written written;
  input::HashOptions hashing = frame.hash_options(limited, header, every_choice(chosen(mphf)));
  // The seeds' hashes do not spread all honest keys, and their functions take the whole set.
  if (!hashing::stands_for(key_hash, hashing::KeyHash::xxh3)) hashing.parts = 0;
  hash_all(limited, hashing, frame.context(), [&](const input::KeySet& set) {
    frame.note_read(set);
    file.restart();
    file::ContainerWriter writer(file);
    mphf::BuildChoices choices{.effort = mphf.effort, .range = chosen_range(mphf, key_hash)};
    if (algorithm.preserves_order) choices.ranks = ranks_in_order(set, frame.context());
    (void)index::write_rank_index(set.keys, algorithm, choices, mphf.signature_bits,
                                  frame.context(), writer);
    frame.note_built();
    header.keys = set.keys.size();
    header.seed = set.seed;
    const file::Metadata metadata = metadata_of(mphf);
    header.build_id = build_id(header, set.sums(), metadata);
    written = writer.finish(header, with_notes(metadata, options));
  });

  BuildSummary summary = frame.summarize(header, mphf.algorithm, written);
  describe_built(file, output, summary);
  frame.note_published(file.publish(), summary);
  return summary;
}

}  // namespace index

BuildSummary build_mphf(const KeyInput& input, const Output& output, const MphfOptions& mphf,
                        const BuildOptions& options) try {
  return index::build_mphf(
      input, output, mphf, options,
      hashing::hash_family(index::built_hash(hashing::find_key_hash(mphf.hash), options)));
} catch (...) {
  base::rethrow_as_error();
}

std::span<const std::string_view> key_hashes() noexcept {
  return hashing::key_hash_names();
}

std::span<const std::string_view> mphf_algorithms() noexcept {
  return mphf::algorithm_names();
}

}  // namespace crivo
