// SPDX-License-Identifier: Apache-2.0
#include "shards/key_exchange.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/file_descriptor.hpp"
#include "file/build/new_file.hpp"
#include "file/layout.hpp"
#include "file/section_types.hpp"

namespace crivo::index {
namespace {

namespace layout = file::layout;

/// A slice has 2^3 pieces: about a shard's keys, as Crivo lays out pieces.
constexpr unsigned kSliceBits = 3;

std::string frame_name(std::uint64_t task) {
  return "keys-" + std::to_string(task);
}

std::string slice_name(std::uint64_t task, std::uint64_t slice) {
  return frame_name(task) + "." + std::to_string(slice);
}

/// A range of bytes.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const noexcept { return end - begin; }
  bool overlaps(const ByteRange& other) const noexcept {
    return begin < other.end && other.begin < end;
  }
};

/// Where the slices of a file of keys are.
class KeyCut {
 public:
  explicit KeyCut(const KeyFile& file) : file_(file) {
    const KeyTable& table = file.table();
    const std::uint64_t key_bytes = table.values == KeyValues::none ? 16 : 24;
    std::vector<std::uint64_t> bytes;
    bytes.reserve(table.counts.size());
    for (const std::uint64_t count : table.counts) bytes.push_back(count * key_bytes);
    add(file::kKeyPiecesSection, bytes);
    if (file.has_records()) add(file::kRecordPiecesSection, table.record_bytes);
  }

  std::uint64_t size() const noexcept {
    return std::uint64_t{1} << (file_.table().piece_bits - bits());
  }
  /// The places of a slice in the file: one in each section that has pieces.
  std::vector<ByteRange> places(std::uint64_t slice) const {
    std::vector<ByteRange> places;
    places.reserve(sections_.size());
    for (const Section& section : sections_) {
      const ByteRange in_section = pieces(section, slice << bits(), (slice + 1) << bits());
      places.push_back({section.offset + in_section.begin, section.offset + in_section.end});
    }
    return places;
  }
  /// The slices in which the keys of a range are, with all of the chunks that they are checked by.
  std::vector<std::uint64_t> of_range(const HashRange& range) const {
    const unsigned piece_bits = file_.table().piece_bits;
    const std::uint64_t first = base::top_bits(range.least, piece_bits);
    const std::uint64_t end = base::top_bits(range.most, piece_bits) + 1;
    std::vector<std::uint64_t> slices;
    for (std::uint64_t slice = 0; slice != size(); ++slice) {
      const bool is_wanted = std::ranges::any_of(sections_, [&](const Section& section) {
        ByteRange chunks = pieces(section, first, end);
        chunks.begin -= chunks.begin % layout::kChunkBytes;
        chunks.end = layout::chunks_of(chunks.end) * layout::kChunkBytes;
        return pieces(section, slice << bits(), (slice + 1) << bits()).overlaps(chunks);
      });
      if (is_wanted) slices.push_back(slice);
    }
    return slices;
  }
  /// Where the file goes on behind its pieces.
  std::uint64_t end() const noexcept {
    const Section& last = sections_.back();
    const std::uint64_t end = last.offset + last.begins.back();
    return end + (layout::kAlignment - end % layout::kAlignment) % layout::kAlignment;
  }

 private:
  struct Section {
    std::uint64_t offset = 0;
    std::vector<std::uint64_t> begins{};  ///< of the pieces, and where the last one ends
  };

  unsigned bits() const noexcept { return std::min(kSliceBits, file_.table().piece_bits); }
  static ByteRange pieces(const Section& section, std::uint64_t first, std::uint64_t end) {
    return {section.begins[first], section.begins[end]};
  }
  void add(std::uint32_t type, const std::vector<std::uint64_t>& bytes) {
    Section section;
    for (const file::SectionEntry& entry : file_.container().sections()) {
      if (entry.type == type) section.offset = entry.offset;
    }
    section.begins.reserve(bytes.size() + 1);
    section.begins.push_back(0);
    for (const std::uint64_t some : bytes) section.begins.push_back(section.begins.back() + some);
    sections_.push_back(std::move(section));
  }

  const KeyFile& file_;
  std::vector<Section> sections_;
};

/// A file of keys as it stands in a directory, to write into.
base::FileDescriptor open_to_fill(const std::filesystem::path& path, int flags) {
  base::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666));
  if (!file.is_open()) base::throw_file_error(path.string(), "cannot open", errno);
  return file;
}

[[noreturn]] void fail_fetched(const std::string& name, const std::string& problem) {
  throw Error(ErrorKind::corrupt, name + ": " + problem, {.file = name});
}

}  // namespace

void put_keys(const PartExchange& exchange, const std::filesystem::path& path) {
  if (!exchange.puts()) return;
  const KeyFile file(path);
  const KeyCut slices(file);
  const base::ByteView bytes = file.container().file_bytes();
  const std::uint64_t task = file.table().task;
  for (const file::SectionEntry& section : file.container().sections()) {
    if (section.type == file::kKeyTableSection && section.offset < slices.end())
      file.container().fail("its pieces do not come first, so it cannot be put");
  }
  const auto forget = [&] { file.forget(); };
  for (std::uint64_t slice = 0; slice != slices.size(); ++slice) {
    std::vector<base::ByteView> views;
    std::uint64_t size = 0;
    for (const ByteRange& place : slices.places(slice)) {
      views.push_back(bytes.subspan(place.begin, place.size()));
      size += place.size();
    }
    if (size != 0) exchange.put(slice_name(task, slice), views, forget);
  }
  const std::array frame{bytes.first(layout::kHeaderBytes), bytes.subspan(slices.end())};
  exchange.put(frame_name(task), frame, forget);
}

FetchedKeys::FetchedKeys(const PartExchange& exchange, const std::filesystem::path& parent,
                         const std::string& name)
    : exchange_(exchange), path_(parent / name) {
  std::filesystem::remove_all(path_);
  (void)file::make_directory(path_);
  try {
    const std::uint64_t tasks = get_frame(0);
    for (std::uint64_t task = 1; task < tasks; ++task) {
      if (get_frame(task) != tasks)
        fail_fetched(frame_name(task), "belongs to another partition than " + frame_name(0));
    }
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    throw;
  }
}

FetchedKeys::~FetchedKeys() {
  std::error_code ignored;  // what is left is removed by the next of its name
  std::filesystem::remove_all(path_, ignored);
}

std::uint64_t FetchedKeys::get_frame(std::uint64_t task) const {
  const std::string name = frame_name(task);
  constexpr std::uint64_t kLengthAt = 32;  // in the header
  constexpr std::uint64_t kMostTableBytes = std::uint64_t{1} << 25;
  base::Bytes frame;
  std::uint64_t length = 0;
  exchange_.get(name, [&](base::ByteView some) {
    frame.insert(frame.end(), some.begin(), some.end());
    if (frame.size() < layout::kHeaderBytes) return;
    length = base::load_le<std::uint64_t>(frame.data() + kLengthAt);
    if (frame.size() > kMostTableBytes + length / (layout::kChunkBytes / 16))
      fail_fetched(name, "is no frame of a file of keys");
  });
  if (frame.size() < layout::kHeaderBytes + layout::kFooterBytes || frame.size() > length)
    fail_fetched(name, "is no frame of a file of keys, or was cut short");
  const std::filesystem::path path = path_ / name;
  {
    const base::FileDescriptor file = open_to_fill(path, O_CREAT | O_TRUNC);
    const base::ByteView bytes(frame);
    if (::ftruncate(file.get(), static_cast<off_t>(length)) != 0)
      base::throw_file_error(path.string(), "cannot make a file of its length", errno);
    const base::ByteView behind = bytes.subspan(layout::kHeaderBytes);
    file.write_at(0, bytes.first(layout::kHeaderBytes));
    file.write_at(length - behind.size(), behind);
  }
  const KeyFile file(path);
  if (file.table().task != task) fail_fetched(name, "has the keys of another task");
  std::filesystem::rename(path, path_ / keys_file_name(task, file.table().tasks));
  return file.table().tasks;
}

void FetchedKeys::get_range(const KeyDirectory& directory, const HashRange& range) {
  if (range.empty()) return;
  for (const auto& file : directory.files) {
    const KeyCut slices(*file);
    const base::FileDescriptor local = open_to_fill(file->name(), 0);
    for (const std::uint64_t slice : slices.of_range(range)) {
      const std::string name = slice_name(file->table().task, slice);
      if (present_.contains(name)) continue;
      std::vector<ByteRange> places = slices.places(slice);
      std::erase_if(places, [](const ByteRange& place) { return place.size() == 0; });
      if (places.empty()) continue;
      auto place = places.begin();
      exchange_.get(name, [&](base::ByteView some) {
        while (!some.empty()) {
          while (place != places.end() && place->size() == 0) ++place;
          if (place == places.end()) fail_fetched(name, "is longer than it was made");
          const base::ByteView here =
              some.first(std::min<std::uint64_t>(some.size(), place->size()));
          local.write_at(place->begin, here);
          place->begin += here.size();
          some = some.subspan(here.size());
        }
      });
      if (std::ranges::any_of(places, [](const ByteRange& left) { return left.size() != 0; }))
        fail_fetched(name, "was cut short");
      present_.insert(name);
    }
  }
}

void FetchedSample::read(unsigned bits, std::uint64_t begin, std::uint64_t end,
                         records::RecordBatch& to) const {
  keys_.get_range(KeyDirectory::open(keys_.path()), HashRange::of(bits, {begin, end}));
  directory_ = KeyDirectory::open(keys_.path());
  DirectoryRecords(directory_.files).read(bits, begin, end, to);
  to.set_source(*this);
}

std::unique_ptr<FetchedKeys> get_tables(const PartExchange& exchange,
                                        const std::filesystem::path& path, const Share& shard) {
  if (!exchange.gets()) return nullptr;
  auto fetched = std::make_unique<FetchedKeys>(
      exchange, path,
      ".shard-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count));
  fetched->get_totals();
  return fetched;
}

void get_keys(FetchedKeys& fetched, const HashRange& range, KeyDirectory& directory) {
  fetched.get_range(directory, range);
  directory = KeyDirectory::open_finished(fetched.path());
}

}  // namespace crivo::index
