// SPDX-License-Identifier: Apache-2.0
/// Bytes as a directory in which an output is to appear, the way it is written, and the system
/// calls that fail meanwhile (failing_calls.hpp): the output is refused, and what was there is as
/// it was; or it is there, whole, and read back in every way. No hidden name is left beside it.
///
/// Byte 0: the way; byte 1: flags; then the faults; then the number of things in the directory, two
/// bytes each; what is left is the content.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "file/build/new_file.hpp"
#include "file/build/pending_generation.hpp"
#include "file/container.hpp"
#include "file/names.hpp"
#include "file/section_types.hpp"
#include "fuzz/failing_calls.hpp"
#include "fuzz/fuzz_input.hpp"
#include "hashing/sha256.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;
using Path = std::filesystem::path;
using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kFaultBytes = fuzz::Faults::kFaults * fuzz::Faults::kFaultBytes;
constexpr const char* kPointer = "index.crv";
constexpr const char* kDataFamily = "data.crv";

enum class Way : std::uint8_t {
  file,
  locked_file,
  generation,
  into_locked_directory,
  function,
  count
};
enum Flag : std::uint8_t {
  kReplace = 1,
  kOutputIsInput = 2,
  kMemberIsInput = 4,
  kRestarts = 8,
  kAsksWhyFull = 16,
  kBelowNewFolders = 32,
};

bool is_directory(Way way) {
  return way == Way::generation || way == Way::into_locked_directory;
}

std::string text_of(const Path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put_text(const Path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

void expect(bool holds) {
  if (!holds) std::abort();
}

/// Where all happens: anew for each input.
class Folder {
 public:
  Folder() {
    static const test::TempDirectory kept;
    path_ = kept.path() / "folder";
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }

  const Path& path() const noexcept { return path_; }
  Path output() const { return path_ / "out.crv"; }
  static const std::string& old_text() {
    static const std::string text = "what was there before";
    return text;
  }

  /// A thing of a kind, under a name, of which some are only possible after others.
  void add(std::uint8_t kind, std::uint8_t name) {
    const Path at = place(name);
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::symlink_status(at, ignored))) return;
    switch (kind % 8) {
      case 0:
        put_text(at, old_text());
        break;
      case 1:
        std::filesystem::create_directory(at, ignored);
        break;
      case 2:
        std::filesystem::create_symlink(path_ / "other", at, ignored);
        break;
      case 3:
        std::filesystem::create_symlink(at, at, ignored);  // to itself
        break;
      case 4:
        (void)::mkfifo(at.c_str(), 0600);
        break;
      case 5:  // of another owner, where that may be
        put_text(at, old_text());
        (void)::chown(at.c_str(), 1, 1);
        break;
      case 6:  // somebody is writing it
        put_text(at, old_text());
        held_ = base::FileDescriptor(::open(at.c_str(), O_RDONLY | O_CLOEXEC));
        (void)::flock(held_.get(), LOCK_EX | LOCK_NB);
        if (at.filename().string().front() != '.') held_ = {};  // a build would wait for it
        break;
      default:
        std::filesystem::create_directory(at, ignored);
        ::chmod(at.c_str(), 0500);
    }
  }

  /// What another process does meanwhile.
  void act(unsigned action) const {
    std::error_code ignored;
    switch (action) {
      case 0:
        std::filesystem::remove_all(output(), ignored);
        break;
      case 1:
        std::filesystem::remove_all(output(), ignored);
        put_text(output(), "another's");
        break;
      default:
        std::filesystem::create_directory(output(), ignored);
    }
  }

  /// The hidden names, sorted.
  std::vector<std::string> hidden() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      const std::string name = entry.path().filename();
      if (name.front() == '.') names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
  }

 private:
  Path place(std::uint8_t name) const {
    switch (name % 8) {
      case 0:
        return output();
      case 1:
        return output() / kPointer;
      case 2:
        return output() / "data-0123456789abcdef.crv";
      case 3:
        return output() / "foreign";
      case 4:
        return path_ / "other";
      case 5:
      case 6:
        return path_ / leftover(name % 8 == 5 ? 'a' : 'b');
      default:
        return path_ / leftover('a') / kPointer;
    }
  }
  /// A temporary name of the output, as a killed process would have left.
  static std::string leftover(char digit) {
    static const std::string name = [] {
      const test::TempDirectory empty;
      return file::temporary_name(
          file::OutputTarget::file(empty.path() / "out.crv", file::IfExists::refuse));
    }();
    std::string changed = name;
    const std::size_t random = changed.find('-', 8) + 1;  // after ".crivo-" and the name's hash
    changed[random] = digit;
    return changed;
  }

  Path path_;
  base::FileDescriptor held_;
};

/// One output: of a container whose sections the content makes, and for a directory, of two.
class Writing {
 public:
  Writing(const Folder& folder, Way way, std::uint8_t flags, Bytes content)
      : folder_(folder), way_(way), flags_(flags), content_(content) {}

  /// Throws what the library does.
  void run() {
    const auto if_exists = has(kReplace) ? file::IfExists::replace : file::IfExists::refuse;
    Path output = folder_.output();
    if (has(kBelowNewFolders)) {
      output = folder_.path() / "new" / "folders" / "out.crv";
      file::make_directory(output.parent_path());
    }
    place_ = output;
    const auto target = way_ == Way::function
                            ? file::OutputTarget::function(
                                  [this](base::ByteView bytes) { handed_ += base::as_text(bytes); },
                                  "function", folder_.path())
                        : is_directory(way_) ? file::OutputTarget::directory(
                                                   output, if_exists, {kPointer, kDataFamily})
                                             : file::OutputTarget::file(output, if_exists);
    std::vector<std::string> inputs{"-", (folder_.path() / "nowhere").string()};
    if (has(kOutputIsInput)) inputs.push_back(output.string());
    if (has(kMemberIsInput)) inputs.push_back((output / kPointer).string());
    target.refuse_inputs(inputs);
    if (way_ == Way::generation) return write_generation(target);
    std::optional<file::OutputLock> lock;
    if (way_ != Way::file && way_ != Way::function) lock.emplace(target);
    file::PendingFile pending(target);
    fill(pending);
    if (way_ == Way::into_locked_directory) {
      if (!lock->replaced()) return;  // only a store that is there gets another file
      pending.publish_in(*lock, "data-1.crv");
      place_ = output / "data-1.crv";
    } else {
      published_in_spite_of(lock ? pending.publish(*lock) : pending.publish());
    }
    is_published_ = true;
  }

  bool is_published() const noexcept { return is_published_; }
  /// Where it is, and what it holds.
  const Path& place() const noexcept { return place_; }
  const std::string& handed() const noexcept { return handed_; }
  const std::string& written() const noexcept { return written_; }

 private:
  bool has(Flag flag) const noexcept { return (flags_ & flag) != 0; }

  static void published_in_spite_of(const file::Warnings& warnings) {
    for (const Warning& warning : warnings) expect(!warning.text.empty());
  }

  void write_generation(const file::OutputTarget& target) {
    file::PendingFile data(target);
    file::PendingFile pointer(target);
    fill(data);
    fill(pointer);
    const std::string name =
        file::generation_name(kDataFamily, hashing::sha256(base::as_bytes(written_)));
    expect(file::family_of(name) == kDataFamily && file::is_member(name, {kDataFamily}));
    file::PendingGeneration generation(target, {{name, &data}, {kPointer, &pointer}});
    published_in_spite_of(generation.publish());
    place_ /= kPointer;
    is_published_ = true;
  }

  void fill(file::PendingFile& pending) {
    if (has(kRestarts)) {
      file::Appender discarded(pending);
      discarded.append(base::as_bytes(std::string(100, 'x')));
      discarded.flush();
      pending.restart();
    }
    file::ContainerWriter writer(pending);
    file::Metadata metadata;
    Bytes rest = content_;
    for (std::uint64_t tag = 0; !rest.empty() && tag < 4; ++tag) {
      // A long section is of more than a piece that is written at once.
      const std::size_t repeats = rest[0] == 0xff ? std::size_t{3} << 20 : 1;
      const std::size_t size = std::min<std::size_t>(rest[0], rest.size() - 1);
      std::string bytes(reinterpret_cast<const char*>(rest.data()) + 1, size);
      if (repeats > 1) bytes.assign(repeats, bytes.empty() ? ' ' : bytes[0]);
      const auto alignment =
          rest[0] % 2 == 1 ? file::layout::kPageAlignment : file::layout::kAlignment;
      writer.begin_section(file::kFirstSkippable + 100, tag, alignment)
          .append(base::as_bytes(bytes));
      if (rest[0] % 3 == 0) expect(base::as_text(writer.map_section().bytes) == bytes);
      metadata["name " + std::to_string(tag)] = "value";
      rest = rest.subspan(1 + size);
    }
    (void)writer.finish(file::Header{}, metadata);
    written_ = text_of(pending.path_to_open());
    if (has(kAsksWhyFull)) {
      (void)pending.why_full();
      written_.clear();  // spoilt
    }
  }

  const Folder& folder_;
  Way way_;
  std::uint8_t flags_;
  Bytes content_;
  Path place_;
  std::string handed_;
  std::string written_;
  bool is_published_ = false;
};

/// Opens what may have any shape, in every way; with `is_sound`, without a refusal.
void read_back(const Path& path, bool is_sound) {
  using file::Loading;
  for (const Loading loading :
       {Loading::mapped, Loading::preload, Loading::lock, Loading::copy, Loading::for_a_pass}) {
    try {
      const auto container = file::Container::open(path, loading);
      for (const auto& [name, value] : container.metadata()) expect(value == "value");
      container.verify(1, [](std::uint64_t) {});
    } catch (const Error& error) {
      expect(!is_sound);
      expect(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::io);
    }
  }
}

/// What of the old output is to stay until the new one is there: null where there is none.
std::optional<Path> old_file(const Folder& folder) {
  for (const Path& path : {folder.output(), folder.output() / kPointer}) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(path, ignored)))
      return path;
  }
  return std::nullopt;
}

void use(Way way, std::uint8_t flags, std::span<const std::uint8_t, kFaultBytes> fault_bytes,
         Folder& folder, Bytes content) {
  const std::vector<std::string> hidden = folder.hidden();
  const std::optional<Path> old = old_file(folder);
  fuzz::Faults& faults = fuzz::Faults::now();
  Writing writing(folder, way, flags, content);
  faults.begin(fault_bytes, [&](unsigned action) { folder.act(action); });
  try {
    writing.run();
  } catch (const Error& error) {
    expect(error.kind() == ErrorKind::usage || error.kind() == ErrorKind::io);
  }
  const unsigned faults_of_writing = faults.happened();
  read_back(folder.path() / "other", false);
  read_back(writing.place(), false);
  faults.end();

  const bool alone = !faults.others_acted();
  if (alone && faults_of_writing <= 1 && !faults.happened(fuzz::Call::unlinkat)) {
    const std::vector<std::string> now = folder.hidden();
    expect(std::ranges::includes(hidden, now));
  }
  if (alone && old && !writing.is_published()) expect(text_of(*old) == Folder::old_text());
  if (!writing.is_published() || writing.written().empty()) return;
  if (way == Way::function) return expect(writing.handed() == writing.written());
  if (!alone) return;
  expect(text_of(writing.place()) == writing.written());
  read_back(writing.place(), true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHead = 2 + kFaultBytes + 1;
  if (size < kHead) return 0;
  const Bytes bytes(data, size);
  const auto way = static_cast<Way>(bytes[0] % static_cast<unsigned>(Way::count));
  const std::size_t things = std::min<std::size_t>(bytes[kHead - 1] % 8, (size - kHead) / 2);
  Folder folder;
  for (std::size_t i = 0; i < things; ++i)
    folder.add(bytes[kHead + 2 * i], bytes[kHead + 2 * i + 1]);
  use(way, bytes[1], bytes.subspan<2, kFaultBytes>(), folder, bytes.subspan(kHead + 2 * things));
  return 0;
}
