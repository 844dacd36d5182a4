// SPDX-License-Identifier: Apache-2.0
#include "apps/word_index.hpp"

#include <vector>

#include "apps/program.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"

namespace crivo::apps {

void WordIndex::build(const std::map<std::string, std::string>& records,
                      const std::filesystem::path& directory, const FilterOptions& filter) {
  std::vector<std::string_view> words;
  std::vector<std::string_view> texts;
  for (const auto& [word, record] : records) {
    words.emplace_back(word);
    texts.emplace_back(record);
  }
  make_directory(directory, [&](const std::filesystem::path& made) {
    build_filter(keys_in(words), made / "filter.crv", filter);
    build_store(records_in(words, texts), made / "store");
  });
}

WordIndex::WordIndex(const std::filesystem::path& filter, const std::filesystem::path& store)
    : store_path_(store),
      filter_(Filter::open(filter)),
      store_(Store::open(store)),
      reader_(store_) {
  if (filter_.size() < store_.size()) {
    throw Error(ErrorKind::corrupt,
                filter.string() + ": not the filter of " + store.string() + ": it has fewer words");
  }
}

std::optional<std::string_view> WordIndex::find(std::string_view word) {
  const Store::Answer answer = reader_.find(word);
  switch (answer.status) {
    case Store::Status::found:
      return answer.record;
    case Store::Status::absent:
      return std::nullopt;
    case Store::Status::damaged:
      break;
  }
  throw Error(ErrorKind::corrupt, store_path_.string() + ": a damaged record; build it again");
}

}  // namespace crivo::apps
