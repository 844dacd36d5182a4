// SPDX-License-Identifier: Apache-2.0
/// Bytes as a file that is longer than what is read at once, with sums of its pages, once every
/// checksum fits (mended_file.hpp). It is opened in one of the modes, its pages checked where they
/// are touched, and damaged or cut short before or after that: refused, or each answer is that of
/// the sound file, until one says that it rests on damage.
///
/// Byte 0: Flag, or what the file says that is not so, whatever its checksums say: no verify()
/// passes it over; byte 1: the mode; i32: the place of the damage, from the end if negative; then
/// the file.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "file/container.hpp"
#include "file/section_types.hpp"
#include "fuzz/asked_keys.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/mended_file.hpp"

namespace {

using namespace crivo;

enum Flag : std::uint8_t {
  kFlipBefore = 1,  ///< a bit, before the file is opened
  kFlipAfter = 2,   ///< one, after that
  kCutAfter = 4,    ///< the end from some page on
  kManyPages = 8,   ///< their sums are several pieces
  kLies = 16,       ///< the place of a Lie
};
constexpr std::uint8_t kDamage = kFlipBefore | kFlipAfter | kCutAfter;

constexpr OpenMode kModes[] = {OpenMode::mapped, OpenMode::preload, OpenMode::lock, OpenMode::copy,
                               OpenMode::read};
constexpr std::size_t kHead = 1 + 1 + 4;
constexpr std::size_t kFewBytes = 66'000;
constexpr std::size_t kManyBytes = (std::size_t{4} << 20) + 10'000;

/// Nobody knows the section, which makes the file long.
fuzz::FileSection padding(std::uint8_t flags) {
  fuzz::FileSection section{.type = file::kFirstSkippable + 100};
  section.bytes.resize((flags & kManyPages) != 0 ? kManyBytes : kFewBytes);
  return section;
}

/// A file in memory, which others may change.
class SharedFile {
 public:
  explicit SharedFile(base::ByteView bytes)
      : size_(bytes.size()), file_(::memfd_create("fuzz-touched", MFD_CLOEXEC)) {
    if (!file_.is_open()) std::abort();
    file_.write_at(0, bytes);
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }
  void flip(std::int32_t place) {
    std::byte byte{};
    if (!file_.read_at(at(place), {&byte, 1})) std::abort();
    byte ^= std::byte{1} << (place & 7);
    file_.write_at(at(place), {&byte, 1});
  }
  void cut(std::int32_t place) {
    constexpr std::uint64_t kPage = 4096;
    if (::ftruncate(file_.get(), static_cast<off_t>(at(place) / kPage * kPage)) != 0) std::abort();
  }

 private:
  std::uint64_t at(std::int32_t place) const {
    const auto size = static_cast<std::int64_t>(size_);
    return static_cast<std::uint64_t>((place % size + size) % size);
  }

  std::uint64_t size_;
  base::FileDescriptor file_;
};

/// What was said, up to where it ended.
struct Said {
  std::vector<std::string> answers;
  bool is_whole = false;
};

/// Adds what `ask(visit)` is told; whether it came to its end.
template <typename Ask>
bool add(std::vector<std::string>& answers, Ask&& ask) {
  bool is_whole = false;
  fuzz::expect_use_or_refusal([&] {
    ask([&](std::string_view key, const Answer& answer) {
      answers.push_back(std::string(key) + (answer.found ? "+" : "-") + std::string(answer.text) +
                        " " + std::string(answer.value));
    });
    is_whole = true;
  });
  return is_whole;
}

/// Each way of asking by itself: of a batch, of one key after the other, and of all keys.
std::array<Said, 3> ask(OpenIndex& index) {
  std::array<Said, 3> said;
  said[0].is_whole =
      add(said[0].answers, [&](const auto& visit) { index.answer(fuzz::keys(), visit); });
  said[1].is_whole = add(said[1].answers, [&](const auto& visit) {
    for (const std::string_view key : fuzz::keys()) index.answer(Key(key), visit);
  });
  if (index.kind() == "dictionary") {
    said[2].is_whole = add(said[2].answers, [&](const auto& visit) {
      constexpr std::size_t kMostKeys = 2000;
      std::size_t left = kMostKeys;
      const std::string prefix = "http";
      try {
        index.query("prefix", {&prefix, 1}, [&](std::string_view key, const Answer& answer) {
          if (left-- == 0) throw std::size_t{0};
          visit(key, answer);
        });
      } catch (std::size_t) {
      }
    });
  }
  return said;
}

void expect_no_other(const std::array<Said, 3>& sound, const std::array<Said, 3>& said) {
  for (std::size_t way = 0; way < said.size(); ++way) {
    const auto& answers = said[way].answers;
    const auto& expected = sound[way].answers;
    if (said[way].is_whole && answers.size() != expected.size()) std::abort();
    if (answers.size() > expected.size() ||
        !std::equal(answers.begin(), answers.end(), expected.begin()))
      std::abort();
  }
}

/// Whether damage of a kind is told from then on.
bool tells_damage(file::Kind kind, OpenMode mode, std::uint8_t flags) {
  if ((flags & kCutAfter) != 0 && mode != OpenMode::copy && mode != OpenMode::read)
    return file::find_kind(kind)->touches;
  // What is mapped is the file: a page may have been compared before.
  return (flags & kFlipAfter) == 0 || mode == OpenMode::copy || mode == OpenMode::read;
}

void use(base::ByteView bytes, std::uint8_t flags, OpenMode mode, std::int32_t place) {
  std::array<Said, 3> sound;
  fuzz::expect_use_or_refusal([&] {
    SharedFile file(bytes);
    sound = ask(*OpenIndex::open(file.path(), {.check = OpenCheck::unchecked}));
  });
  SharedFile file(bytes);
  if ((flags & kFlipBefore) != 0) file.flip(place);
  fuzz::expect_use_or_refusal([&] {
    const auto index = OpenIndex::open(file.path(), {.mode = mode, .check = OpenCheck::checked});
    if ((flags & kFlipAfter) != 0) file.flip(place);
    if ((flags & kCutAfter) != 0) file.cut(place);
    const auto said = ask(*index);
    expect_no_other(sound, said);
    if ((flags & kDamage) == 0) index->verify();
  });
}

/// The file has an empty section, too.
void find_lie(fuzz::FileParts parts, std::uint8_t flags) {
  constexpr unsigned kLastLie = static_cast<unsigned>(fuzz::Lie::piece);
  parts.lie = static_cast<fuzz::Lie>(1 + (flags / kLies - 1U) % kLastLie);
  if (parts.lie == fuzz::Lie::piece) flags |= kManyPages;
  parts.sections.push_back({.type = file::kFirstSkippable + 101});
  parts.sections.push_back(padding(flags));
  const base::Bytes bytes = fuzz::put_together(parts);
  bool is_found = false;
  try {
    const auto container = file::Container::over(bytes, "input");
    container.verify(1, [](std::uint64_t) {});
  } catch (const Error&) {
    is_found = true;
  }
  if (!is_found) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool is_guarded = [] {
    guard_reads();
    return true;
  }();
  if (!is_guarded || size < kHead) return 0;
  const std::uint8_t flags = data[0];
  const OpenMode mode = kModes[data[1] % std::size(kModes)];
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  const fuzz::Input given(data + kHead, size - kHead);
  fuzz::FileParts parts = fuzz::take_apart(given.view());
  const file::Kind kind{parts.header.kind};
  const auto* const row = file::find_kind(kind);
  if (row == nullptr || row->is_step || kind == file::Kind::store || kind == file::Kind::records ||
      kind == file::Kind::manifest || kind == file::Kind::chain || kind == file::Kind::delta)
    return 0;
  if (flags >= kLies) {
    find_lie(std::move(parts), flags);
    return 0;
  }
  if (!tells_damage(kind, mode, flags)) return 0;
  parts.sections.push_back(padding(flags));
  use(fuzz::put_together(parts), flags, mode,
      static_cast<std::int32_t>(base::load_le<std::uint32_t>(bytes + 2)));
  return 0;
}
