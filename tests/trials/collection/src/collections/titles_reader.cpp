// SPDX-License-Identifier: Apache-2.0
/// A format of collections for tests/trials: a line "# TITLE" begins a document.
#include <memory>

#include "base/text.hpp"
#include "collections/formats.hpp"

namespace crivo::extract {
namespace {

class TitlesReader final : public RecordReader {
 public:
  explicit TitlesReader(RecordBytes& bytes) : bytes_(bytes) {}

  bool next(KeyTaker& keys) override {
    constexpr std::size_t kMostLine = std::size_t{1} << 20;
    const std::string_view line = bytes_.peek_line(kMostLine);
    if (line.empty()) return false;
    if (line.starts_with("# ")) keys.take(base::trimmed(line.substr(2)), bytes_.offset());
    bytes_.skip(line.size());
    return true;
  }

 private:
  RecordBytes& bytes_;
};

}  // namespace

bool begins_titles(std::string_view line) noexcept {
  return line.starts_with("# ");
}

std::unique_ptr<RecordReader> titles_reader(RecordBytes& bytes, const ExtractOptions& /*options*/,
                                            FaultLog& /*faults*/) {
  return std::make_unique<TitlesReader>(bytes);
}

}  // namespace crivo::extract
