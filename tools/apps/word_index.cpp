#include "apps/word_index.hpp"

#include "apps/program.hpp"
#include "crivo/build.hpp"
#include "crivo/error.hpp"

namespace crivo::apps {

void WordIndex::build(const std::map<std::string, std::string>& records,
                      const std::filesystem::path& directory, const FilterOptions& filter) {
  std::string words;
  std::string pairs;
  for (const auto& [word, record] : records) {
    words.append(word).append("\n");
    pairs.append(word).append("\t").append(record).append("\n");
  }
  const TemporaryDirectory text;
  write_file(text.path() / "words", words);
  write_file(text.path() / "pairs", pairs);
  make_directory(directory, [&](const std::filesystem::path& made) {
    build_filter({.paths = {text.path() / "words"}, .format = {}}, made / "filter.crv", filter);
    build_store({.paths = {text.path() / "pairs"}, .format = {}}, made / "store");
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
