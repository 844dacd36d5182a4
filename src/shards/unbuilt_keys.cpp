// SPDX-License-Identifier: Apache-2.0
#include "shards/unbuilt_keys.hpp"

#include <type_traits>
#include <utility>

#include "crivo/error.hpp"
#include "stream/key_spread.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::index {
namespace {

[[noreturn]] void fail_unbuilt(const std::string& name) {
  throw Error(ErrorKind::corrupt, name + ": damaged: its keys are not those of its shard",
              {.file = name});
}

}  // namespace

HashRange unbuilt_range(const Share& shard) noexcept {
  using Wide = unsigned __int128;
  const auto border = [&](std::uint64_t index) {
    return ((Wide{index} << 64) + shard.count - 1) / shard.count;
  };
  return {static_cast<std::uint64_t>(border(shard.index)),
          static_cast<std::uint64_t>(border(shard.index + 1) - 1)};
}

void for_each_unbuilt(const stream::HashSource& keys, const HashRange& range, bool with_values,
                      const base::BuildContext& context,
                      const std::function<void(base::Bytes keys)>& use) {
  constexpr double kKeyBytes = 24;
  keys.for_each_partition(
      stream::partition_bits_for(keys.size()), {kKeyBytes, kKeyBytes}, context,
      [&](std::uint64_t, const stream::KeySlice& some) {
        base::FieldWriter unbuilt;
        for (std::size_t i = 0; i < some.size(); ++i) {
          const Hash128& hash = some.hashes[i];
          if (hash.hi < range.least || hash.hi > range.most) continue;
          unbuilt.u64(hash.hi).u64(hash.lo);
          if (with_values) unbuilt.u64(some.values[i]);
        }
        context.progress.add(some.size());
        return unbuilt.take();
      },
      [&](std::uint64_t, base::Bytes unbuilt) {
        if (!unbuilt.empty()) use(std::move(unbuilt));
      });
}

UnbuiltParts::UnbuiltParts(const Parts& parts, std::size_t index, const Recipe& recipe,
                           const base::BuildContext& context)
    : context_{context.threads, silent_, context.scratch}, name_(parts.front()->name()) {
  if (has_values(recipe.header.kind)) {
    gather<stream::HashedValue>(parts, index, recipe);
  } else {
    gather<Hash128>(parts, index, recipe);
  }
  built_ = std::make_unique<BuiltParts>(recipe, *keys_, context_);
}

template <typename HashedKey>
void UnbuiltParts::gather(const Parts& parts, std::size_t index, const Recipe& recipe) {
  const std::uint64_t n = recipe.header.keys;
  auto gathered = std::make_shared<stream::GatheredKeys<HashedKey>>(n, context_.scratch);
  auto& writer = gathered->writer(0);
  std::uint64_t count = 0;
  for (const auto& part : parts) {
    const HashRange range = unbuilt_range(part->head().shard);
    part->for_each_piece(index, [&](const PartFile::Piece& piece) {
      base::FieldReader r(piece.part.notes, part->name());
      while (r.remaining() != 0) {
        HashedKey hashed{};
        Hash128 hash{r.u64(), 0};
        hash.lo = r.u64();
        if constexpr (stream::kHasValue<HashedKey>) {
          hashed = {hash, r.u64()};
          if (recipe.value_width < 64 && hashed.value >> recipe.value_width != 0)
            fail_unbuilt(part->name());
        } else {
          hashed = hash;
        }
        if (hash.hi < range.least || hash.hi > range.most || ++count > n)
          fail_unbuilt(part->name());
        writer.add(hashed);
      }
    });
  }
  if (count != n) fail_unbuilt(name_);
  stream::StreamedKeys<HashedKey>& keys = gathered->finish();
  try {
    keys.expect_spread(n, hashing::keys_alike(recipe.header.key_hash));
  } catch (const stream::UnevenHashes&) {
    fail_unbuilt(name_);
  }
  keys_ = std::shared_ptr<const stream::HashSource>(std::move(gathered), &keys);
}

void UnbuiltParts::for_each_part(std::size_t index, const Step& step,
                                 const PartSource::UsePart& use) try {
  built_->for_each_part(index, step, [&](MadePart part) {
    part.file = MadePart::kNoFile;
    use(part);
  });
} catch (const stream::RepeatedHashes&) {
  fail_unbuilt(name_);
} catch (const stream::UnevenHashes&) {
  fail_unbuilt(name_);
}

}  // namespace crivo::index
