/// Builds one level of a coded section.
#pragma once

#include <memory>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/key_source.hpp"
#include "structures/csf/plan.hpp"
#include "structures/csf/section.hpp"
#include "structures/retrieval/value_source.hpp"

namespace crivo::csf {

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
                       const base::BuildContext& context, base::Sink& sink);

}  // namespace crivo::csf
