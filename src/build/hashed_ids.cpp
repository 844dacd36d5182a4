// SPDX-License-Identifier: Apache-2.0
#include "build/hashed_ids.hpp"

#include <mutex>
#include <utility>

#include "base/parallel.hpp"
#include "build/chosen.hpp"
#include "file/section_types.hpp"
#include "input/hash_keys.hpp"
#include "lookup/rank_index.hpp"
#include "stream/uneven_hashes.hpp"
#include "structures/build/mphf.hpp"
#include "structures/dictionary/build/hashed_ids_builder.hpp"
#include "structures/phast/phast.hpp"

namespace crivo::index {

using stream::HashedValue;

HashedIdsBuild::HashedIdsBuild(std::shared_ptr<const dictionary::Builder> builder,
                               const hashing::SeededHash& hash, unsigned signature_bits,
                               const base::BuildContext& context)
    : builder_(std::move(builder)),
      hash_(hash),
      signature_bits_(signature_bits),
      context_(context) {}

exact::SectionKeys HashedIdsBuild::hash_keys() {
  const std::uint64_t n = builder_->keys();
  context_.progress.begin("hash", n);
  gathered_ = std::make_unique<HashedKeys>(n, context_.scratch);
  base::parallel_ordered(
      context_.threads, builder_->batches(),
      [&](std::uint64_t batch) {
        std::vector<HashedValue> hashed;
        std::uint64_t id = builder_->first_id(batch);
        builder_->for_each_key(batch, [&](std::string_view key) {
          hashed.push_back({hash_(key), id++});
        });
        return hashed;
      },
      [&](std::uint64_t, const std::vector<HashedValue>& hashed) {
        for (const HashedValue& key : hashed) gathered_->writer(0).add(key);
        context_.progress.add(hashed.size());
      });
  stream::StreamedKeys<HashedValue>& keys = gathered_->finish();
  try {
    keys.expect_spread(n);
    if (!keys.drop_repeats(context_).empty()) mphf::fail_equal_hashes();
  } catch (const stream::UnevenHashes&) {
    stream::fail_uneven("the dictionary", hash_.is_hash_key());
  }
  // The keys are let go with `gathered_`, behind the last step.
  return {{std::shared_ptr<const void>(), &keys}, find_algorithm("fast").plan(n, {})};
}

void HashedIdsBuild::use_function(base::ByteView section) {
  function_ = phast::open_phast(section);
}

void HashedIdsBuild::write_ids(base::Sink& to) {
  const std::uint64_t n = builder_->keys();
  dictionary::HashedIdsBuilder writer(n, signature_bits_, context_.scratch);
  std::mutex mutex;  // of the writer
  context_.progress.begin("ids", 2 * n);
  gathered_->keys().for_each({}, context_, [&](const stream::KeySlice& keys) {
    std::vector<std::uint64_t> ranks(keys.size());
    function_->ranks(keys.hashes, ranks.data());
    const std::scoped_lock lock(mutex);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      writer.add(ranks[i], keys.hashes[i], keys.values[i]);
    context_.progress.add(ranks.size());
  });
  gathered_.reset();
  writer.finish(context_, to);
}

void add_hashed_ids(std::vector<Step>& steps, const std::shared_ptr<HashedIdsBuild>& build) {
  steps.push_back(
      {.section_type = file::kPhastSection,
       .phase = "mphf",
       .form = StepInParts{
           .choose = [build] { return build->hash_keys(); },
           .answer = [build](base::ByteView section) { build->use_function(section); }}});
  steps.push_back({.form = StepWritten{[build](const BeginSection& begin) {
                     build->write_ids(begin(file::kHashedIdsSection, 0));
                   }}});
}

}  // namespace crivo::index
