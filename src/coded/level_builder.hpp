/// Builds one level of a coded section.
#pragma once

#include "coded/members.hpp"
#include "coded/plan.hpp"
#include "coded/section.hpp"
#include "file/sink.hpp"
#include "retrieval/value_source.hpp"
#include "stream/key_source.hpp"
#include "util/progress.hpp"

namespace crivo::coded {

/// Appends the level with number `index` of `keys` to `sink`, from a multiple of 64 on, and
/// returns its entry. `escaped` receives the keys of the next level. Values are below 2^`width`.
LevelEntry build_level(const stream::KeySource& keys, const retrieval::ValueSource& values,
                       const LevelPlan& plan, unsigned index, unsigned width,
                       const util::BuildContext& context, file::Sink& sink, Members& escaped);

}  // namespace crivo::coded
