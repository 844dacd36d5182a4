// SPDX-License-Identifier: Apache-2.0
/// Bytes as a file that is read by ranges, once every checksum and hash fits (mended_file.hpp):
/// refused, or answered. Where the whole file is sound it answers as when it is read whole, and so
/// does one whose source lies: with an error, or as without a lie.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crivo/index.hpp"
#include "crivo/remote.hpp"
#include "file/container.hpp"
#include "file/copied_ends.hpp"
#include "file/section_types.hpp"
#include "fuzz/asked_keys.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/mended_file.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;

using Found = std::vector<std::optional<std::string>>;

/// Ranges of bytes, in each of which after the first `honest` calls one bit is wrong.
class MemorySource final : public ByteSource {
 public:
  MemorySource(base::ByteView bytes, std::uint64_t lie) : bytes_(bytes), lie_(lie) {}

  FileEnds ends(std::uint64_t head, std::uint64_t tail) override {
    const std::size_t first = std::min<std::size_t>(head, bytes_.size());
    const std::size_t last = std::min<std::size_t>(tail, bytes_.size());
    return {bytes_.size(), given(bytes_.first(first)), given(bytes_.last(last))};
  }
  std::vector<std::vector<std::byte>> read(std::span<const ByteRange> ranges) override {
    std::vector<std::vector<std::byte>> all;
    for (const ByteRange& range : ranges) {
      if (range.offset > bytes_.size() || range.length > bytes_.size() - range.offset) std::abort();
      all.push_back(given(bytes_.subspan(range.offset, range.length)));
    }
    return all;
  }

 private:
  std::vector<std::byte> given(base::ByteView bytes) {
    std::vector<std::byte> copy(bytes.begin(), bytes.end());
    if (lie_ != 0 && !copy.empty()) copy[lie_ % copy.size()] ^= std::byte{1} << (lie_ >> 32) % 8;
    lie_ = lie_ == 0 ? 0 : lie_ * 6364136223846793005U + 1;
    return copy;
  }

  base::ByteView bytes_;
  std::uint64_t lie_;
};

/// Nothing where the file is refused. Asked in two halves, of which the second finds what was kept.
std::optional<Found> answers(base::ByteView bytes, std::uint64_t lie) {
  std::optional<Found> all;
  const auto ask = [&] {
    Remote remote =
        Remote::open(std::make_unique<MemorySource>(bytes, lie), {.cache_bytes = lie % 2});
    const std::span<const std::string_view> keys = fuzz::keys();
    Found found = remote.find(keys.first(keys.size() / 2));
    const Found more = remote.find(keys.subspan(keys.size() / 2));
    found.insert(found.end(), more.begin(), more.end());
    all = std::move(found);
  };
  try {
    ask();
  } catch (const Error& error) {
    // Files of kinds that are not read by ranges are sound, too.
    if (error.kind() != ErrorKind::usage) fuzz::expect_use_or_refusal([] { throw; });
  }
  return all;
}

/// A directory that was read is written again as it was.
void expect_same_directory(const file::Container& container) {
  const auto directory = container.find(file::kDirectorySection);
  if (!directory) return;
  base::Bytes again;
  for (const auto& ends : file::decode_directory(*directory, container.sections()))
    file::append(ends, again);
  if (!std::ranges::equal(again, *directory)) std::abort();
}

/// What is said of the whole file; nothing unless all of it is sound.
std::optional<Found> answers_of_whole(base::ByteView bytes) {
  std::optional<Found> all;
  fuzz::expect_use_or_refusal([&] {
    const file::Container container = file::Container::over(bytes, "file");
    container.verify(1, [](std::uint64_t) {});
    expect_same_directory(container);
    static const test::TempDirectory directory;
    const std::filesystem::path path = directory.path() / "file";
    std::ofstream(path, std::ios::binary) << base::as_text(bytes);
    Found found;
    OpenIndex::open(path)->answer(fuzz::keys(), [&](std::string_view, const Answer& answer) {
      if (answer.is_further) return;
      found.push_back(answer.found ? std::optional(std::string(answer.text)) : std::nullopt);
    });
    all = std::move(found);
  });
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input given(data, size);
  const base::Bytes mended = fuzz::put_together(fuzz::take_apart(given.view()));
  const fuzz::Input input{base::ByteView(mended)};
  const auto whole = answers_of_whole(input.view());
  const auto read = answers(input.view(), 0);
  if (whole && read && *whole != *read) std::abort();
  std::uint64_t lie = size;
  for (std::size_t i = 0; i < size; ++i) lie = lie * 31 + data[i];
  const auto lied = answers(input.view(), lie | 1);
  if (read && lied && *read != *lied) std::abort();
  return 0;
}
