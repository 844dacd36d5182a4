// SPDX-License-Identifier: Apache-2.0
/// What an open Store is made of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "crivo/store.hpp"
#include "lookup/check_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/store_files.hpp"

namespace crivo {

struct Store::Impl {
  Impl(const std::filesystem::path& opened, const OpenOptions& how)
      : path(std::filesystem::absolute(opened)),
        options(how),
        files(std::make_shared<const index::StoreFiles>(index::open_store_files(opened, how))),
        hash_function(index::hash_function(files->index.header())),
        last_update(files->last_update()),
        size(index::present_records(*files->records())) {
    index::check_if_asked(*files, how);
  }
  /// The same files, with updates that came since.
  Impl(const Impl& before)
      : path(before.path),
        options(before.options),
        files(before.files),
        hash_function(before.hash_function),
        last_update(files->last_update()),
        size(index::present_records(*files->records())) {}

  std::filesystem::path path;
  OpenOptions options;
  std::shared_ptr<const index::StoreFiles> files;
  HashFunction hash_function;
  std::uint64_t last_update;  ///< that was there, at least, when this was made
  std::uint64_t size;
};

}  // namespace crivo
