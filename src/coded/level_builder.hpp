/// Builds one level of a coded section.
#pragma once

#include <memory>

#include "coded/plan.hpp"
#include "coded/section.hpp"
#include "file/sink.hpp"
#include "retrieval/value_source.hpp"
#include "stream/key_source.hpp"
#include "util/progress.hpp"

namespace crivo::coded {

struct BuiltLevel {
  LevelEntry entry;
  /// The keys that escaped, which bring their values along; null if there are no escapes. Few are
  /// in memory; many are leased from the level's own keys, which must then outlive them.
  std::unique_ptr<const stream::KeySource> escaped;
};

/// Appends the level with number `index` of `keys` to `sink`, from a multiple of 64 on. Values are
/// below 2^`width`.
BuiltLevel build_level(const stream::KeySource& keys, const retrieval::ValueSource& values,
                       const LevelPlan& plan, unsigned index, unsigned width,
                       const util::BuildContext& context, file::Sink& sink);

}  // namespace crivo::coded
