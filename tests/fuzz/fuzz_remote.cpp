// SPDX-License-Identifier: Apache-2.0
/// Bytes as a file that is read by ranges, or as changes of long files that are (remote_files.hpp),
/// once every checksum and hash fits (mended_file.hpp): refused, or answered. Where the whole file
/// is sound it answers as when it is read whole, and so does one whose source lies: with an error,
/// or as without a lie. It is the same with a cache on disk, whatever that holds.
///
/// A byte below kRemoteSets chooses such files. Then byte 1 is a Flag, and each 6 bytes are a
/// change: the number of the file, u32 the place, and what is added to its byte bit by bit.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
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
#include "fuzz/remote_files.hpp"
#include "lookup/store_files.hpp"
#include "support/read_file.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;

using Found = std::vector<std::optional<std::string>>;

enum Flag : std::uint8_t {
  kDamagedSlots = 1,  ///< of the cache on disk
  kOldPlaces = 2,     ///< what it has was not used for long
  kOtherSize = 4,
};

/// Ranges of bytes, in each of which one bit is wrong, or one byte lacks, but in the first few
/// calls.
class MemorySource final : public ByteSource {
 public:
  MemorySource(base::ByteView bytes, std::uint64_t lie)
      : bytes_(bytes), lie_(lie), honest_(lie >> 40 & 3) {}

  FileEnds ends(std::uint64_t head, std::uint64_t tail) override {
    const std::size_t first = std::min<std::size_t>(head, bytes_.size());
    const std::size_t last = std::min<std::size_t>(tail, bytes_.size());
    honest_ -= std::min<std::uint64_t>(honest_, 1);
    return {bytes_.size(), given(bytes_.first(first)), given(bytes_.last(last))};
  }
  std::vector<std::vector<std::byte>> read(std::span<const ByteRange> ranges) override {
    std::vector<std::vector<std::byte>> all;
    honest_ -= std::min<std::uint64_t>(honest_, 1);
    for (const ByteRange& range : ranges) {
      if (range.offset > bytes_.size() || range.length > bytes_.size() - range.offset) std::abort();
      all.push_back(given(bytes_.subspan(range.offset, range.length)));
    }
    return all;
  }

 private:
  std::vector<std::byte> given(base::ByteView bytes) {
    std::vector<std::byte> copy(bytes.begin(), bytes.end());
    if (honest_ != 0 || copy.empty()) return copy;
    if ((lie_ >> 44 & 3) == 3) {
      copy.pop_back();
      return copy;
    }
    if (lie_ != 0) copy[lie_ % copy.size()] ^= std::byte{1} << (lie_ >> 32) % 8;
    lie_ = lie_ == 0 ? 0 : lie_ * 6364136223846793005U + 1;
    return copy;
  }

  base::ByteView bytes_;
  std::uint64_t lie_;
  std::uint64_t honest_;  ///< calls that are left of these
};

/// Asked in two halves, of which the second finds what was kept, and by a walk where keys have an
/// order.
Found ask(OpenIndex& index) {
  Found found;
  const auto keep = [&](std::string_view, const Answer& answer) {
    if (answer.is_further) return;
    found.push_back(answer.found ? std::optional(std::string(answer.text)) : std::nullopt);
  };
  const std::span<const std::string_view> keys = fuzz::keys();
  index.answer(keys.first(keys.size() / 2), keep);
  index.answer(keys.subspan(keys.size() / 2), keep);
  if (index.kind() != "dictionary" && index.kind() != "store") return found;
  const std::string prefix = "http://host3.example/1";
  try {
    index.query("prefix", {&prefix, 1}, [&](std::string_view key, const Answer& answer) {
      found.push_back(std::string(key) + " " + std::string(answer.text));
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;  // of a store without an order
  }
  return found;
}

/// Nothing where the file is refused.
std::optional<Found> answers(const fuzz::RemoteFiles& files, std::uint64_t lie,
                             const std::filesystem::path& cache = {}, bool is_other = false) {
  std::optional<Found> all;
  const auto open = [&](const std::string& name) -> std::unique_ptr<ByteSource> {
    const auto file = files.all.find(name);
    if (file == files.all.end()) return nullptr;
    return std::make_unique<MemorySource>(file->second, lie);
  };
  const auto use = [&] {
    Remote remote = Remote::open(open(files.first),
                                 {.cache_bytes = lie % 4 << 16,
                                  .cache_folder = cache,
                                  .cache_folder_bytes = std::uint64_t{is_other ? 1U : 2U} << 19,
                                  .open_sibling = open});
    all = ask(remote.index());
    (void)remote.index().info();
    remote.index().verify();
  };
  try {
    use();
  } catch (const Error& error) {
    // Files of kinds that are not read by ranges are sound, too; a source may give too little.
    const bool is_short = error.kind() == ErrorKind::io && lie != 0;
    if (error.kind() != ErrorKind::usage && !is_short) fuzz::expect_use_or_refusal([] { throw; });
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
std::optional<Found> answers_of_whole(const fuzz::RemoteFiles& files) {
  std::optional<Found> all;
  fuzz::expect_use_or_refusal([&] {
    const base::ByteView first = files.all.at(files.first);
    const file::Container container = file::Container::over(first, "file");
    container.verify(1, [](std::uint64_t) {});
    expect_same_directory(container);
    static const test::TempDirectory directory;
    for (const auto& old : std::filesystem::directory_iterator(directory.path()))
      std::filesystem::remove(old);
    for (const auto& [name, bytes] : files.all)
      std::ofstream(directory.path() / name, std::ios::binary) << base::as_text(bytes);
    const file::Kind kind = container.header().kind;
    const bool is_store = kind == file::Kind::store;
    if (file::is_step(kind) || kind == file::Kind::manifest || kind == file::Kind::records) return;
    all = ask(*OpenIndex::open(is_store ? directory.path() : directory.path() / files.first));
  });
  return all;
}

/// One of the sets with the changes, put right around them.
fuzz::RemoteFiles changed(unsigned which, std::span<const std::uint8_t> changes) {
  static std::map<unsigned, fuzz::RemoteFiles> sets;
  if (!sets.contains(which)) sets[which] = fuzz::RemoteSet(which).files();
  fuzz::RemoteFiles files = sets[which];
  constexpr std::size_t kChange = 6;
  std::set<std::string> others;
  for (; changes.size() >= kChange; changes = changes.subspan(kChange)) {
    auto& [name, bytes] = *std::next(files.all.begin(), changes[0] % files.all.size());
    const auto place =
        base::load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(changes.data()) + 1);
    bytes[place % bytes.size()] ^= std::byte{changes[5]};
    others.insert(name);
  }
  for (const std::string& name : others)
    files.all[name] = fuzz::put_together(fuzz::take_apart(files.all[name]));
  if (files.first != index::kIndexName || !others.contains(files.first)) return files;
  fuzz::expect_use_or_refusal([&] {  // the name of the records follows from the index
    const auto index = file::Container::over(files.all[files.first], "index");
    const bool is_first = files.all.begin()->first == files.first;
    auto records = files.all.extract(std::next(files.all.begin(), is_first ? 1 : 0));
    records.key() = index::records_name(records::backend_of(index), index);
    files.all.insert(std::move(records));
  });
  return files;
}

/// Makes of what the cache holds what one does that was not used for long, or is damaged.
void change_cache(const std::filesystem::path& cache, std::uint8_t flags) {
  constexpr std::size_t kPlace = 16;
  for (const auto& file : std::filesystem::directory_iterator(cache)) {
    const bool has_places = file.path().filename().string().starts_with("crivo-places-");
    const std::uint8_t flag = has_places ? kOldPlaces : kDamagedSlots;
    if ((flags & flag) == 0) continue;
    base::Bytes bytes = test::read_file(file.path());
    const std::size_t step = has_places ? kPlace : file::layout::kChunkBytes;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      if (has_places) base::store_le(&bytes[at + 12], std::uint32_t{1});
      if (!has_places) bytes[at] ^= std::byte{1};
    }
    std::ofstream(file.path(), std::ios::binary) << base::as_text(bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::TempDirectory temporary;
  const std::filesystem::path cache = temporary.path() / "cache";
  fuzz::RemoteFiles files{"file", {}};
  std::uint8_t flags = 0;
  if (size >= 2 && data[0] < fuzz::kRemoteSets) {
    flags = data[1];
    files = changed(data[0], {data + 2, size - 2});
  } else {
    const fuzz::Input given(data, size);
    files.all["file"] = fuzz::put_together(fuzz::take_apart(given.view()));
  }
  const auto whole = answers_of_whole(files);
  const auto read = answers(files, 0);
  if (whole && read && *whole != *read) std::abort();
  if (size == 2 && data[0] < fuzz::kRemoteSets && (!whole || !read)) std::abort();  // is sound
  std::uint64_t lie = size;
  for (std::size_t i = 0; i < size; ++i) lie = base::mix64(lie * 31 + data[i]);
  const auto lied = answers(files, lie | 1);
  if (read && lied && *read != *lied) std::abort();
  if (answers(files, 0, cache) != read) std::abort();
  change_cache(cache, flags);
  if (answers(files, 0, cache, (flags & kOtherSize) != 0) != read) std::abort();
  return 0;
}
