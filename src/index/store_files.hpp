/// The two files of a record store, opened together.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "file/container.hpp"
#include "index/rank_index.hpp"
#include "records/environment.hpp"

namespace crivo::index {

inline constexpr const char* kIndexName = "index.crv";
inline constexpr const char* kEnvironmentName = "data.mdb";

/// What a store's directory may hold: its files, and the lock that other users of LMDB leave there.
std::vector<std::string> store_file_names();

struct StoreFiles {
  /// Opens and checks both, of the same directory: if another takes its place meanwhile and this
  /// one is removed, that is opened. Throws Error(usage) if `directory` is no store, Error(corrupt,
  /// too_new, too_old) if a file is damaged or the two are not of one build, Error(io).
  static StoreFiles open(const std::filesystem::path& directory, file::Loading loading);

  file::Container index;
  index::RankIndex ranks;
  records::Environment environment;

 private:
  /// `directory` is open, and called `name` in messages.
  StoreFiles(const base::FileDescriptor& directory, const std::filesystem::path& name,
             file::Loading loading);
};

}  // namespace crivo::index
