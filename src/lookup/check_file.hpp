// SPDX-License-Identifier: Apache-2.0
/// What verify() does, of files that are open.
#pragma once

#include "crivo/open.hpp"
#include "crivo/progress.hpp"
#include "file/container.hpp"
#include "lookup/store_files.hpp"

namespace crivo::index {

/// Reads every byte and checks it. Throws Error(corrupt) that says what is damaged.
void check_file(const file::Container& container, const Resources& resources);
void check_file(const StoreFiles& files, const Resources& resources);

/// The same, if the options ask for it.
template <typename Opened>
void check_if_asked(const Opened& opened, const OpenOptions& options) {
  if (options.verify) check_file(opened, {});
}

}  // namespace crivo::index
