#include "api/store_files.hpp"

#include "api/kinds.hpp"
#include "file/section_types.hpp"

namespace crivo::api {

std::vector<std::string> store_file_names() {
  return {kIndexName, kEnvironmentName, "lock.mdb"};
}

namespace {

file::Container open_index(const std::filesystem::path& directory) {
  if (std::filesystem::exists(directory) && !std::filesystem::is_directory(directory)) {
    throw Error(ErrorKind::usage, directory.string() + ": is no store, which is a directory");
  }
  return open_kind(directory / kIndexName, file::Kind::store);
}

}  // namespace

StoreFiles::StoreFiles(const std::filesystem::path& directory)
    : index(open_index(directory)),
      ranks(index),
      environment(directory, index.require(file::kEnvironmentSection, "environment"),
                  index.find(file::kDictionarySection).value_or(file::ByteView{})) {
  const store::EnvironmentSection& described = environment.description();
  if (described.content_id != index.header().content_id ||
      described.records != index.header().keys || described.key_seed != index.header().seed) {
    index.fail("damaged: its header and its description of the environment disagree");
  }
}

}  // namespace crivo::api
