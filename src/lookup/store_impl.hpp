// SPDX-License-Identifier: Apache-2.0
/// What an open Store is made of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "base/once.hpp"
#include "crivo/store.hpp"
#include "lookup/check_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/store_files.hpp"
#include "lookup/updated_order.hpp"

namespace crivo {

struct Store::Impl {
  Impl(const std::filesystem::path& opened, const OpenOptions& how)
      : path(std::filesystem::absolute(opened)),
        options(how),
        files(std::make_shared<const index::StoreFiles>(index::open_store_files(opened, how))),
        hash_function(index::hash_function(files->index.header())),
        last_update(files->last_update()),
        as_opened(files->records()),
        size(index::present_records(*as_opened)) {
    index::check_if_asked(*files, how);
  }
  /// The same files, with updates that came since.
  Impl(const Impl& before)
      : path(before.path),
        options(before.options),
        files(before.files),
        hash_function(before.hash_function),
        last_update(files->last_update()),
        as_opened(files->records()),
        size(index::present_records(*as_opened)) {}

  /// The order of the keys, which is made when it is first asked for. Throws Error(usage) if there
  /// is none, Error(corrupt).
  const index::UpdatedOrder& order() const;
  /// Gives `visit` every record in that order, and checks all. Throws the same, and what it throws.
  void visit_in_order(
      const std::function<void(std::string_view key, std::string_view record)>& visit) const;

  std::filesystem::path path;
  OpenOptions options;
  std::shared_ptr<const index::StoreFiles> files;
  HashFunction hash_function;
  std::uint64_t last_update;  ///< that was there, at least, when this was made
  std::shared_ptr<const records::RecordFile> as_opened;  ///< when this was made
  std::uint64_t size;

 private:
  mutable base::Once order_made_;
  mutable std::unique_ptr<const index::UpdatedOrder> order_;
};

}  // namespace crivo
