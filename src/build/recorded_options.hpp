// SPDX-License-Identifier: Apache-2.0
/// The options of a build, as the file that it wrote records them.
#pragma once

#include "crivo/build/build.hpp"
#include "file/container.hpp"

namespace crivo::index {

/// Seed, key hash and notes are those of the file. Equal keys are taken once, and a set may be
/// empty.
BuildOptions recorded_options(const file::Container& container, const Resources& resources);

}  // namespace crivo::index
