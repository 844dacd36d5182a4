// SPDX-License-Identifier: Apache-2.0

#include "crivo/build/reproduce.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "build/build_frame.hpp"
#include "build/choices.hpp"
#include "build/kind_builder.hpp"
#include "build/notes.hpp"
#include "build/store_output.hpp"
#include "crivo/build/build.hpp"
#include "file/build/new_file.hpp"
#include "file/container.hpp"
#include "file/directory.hpp"
#include "file/layout.hpp"
#include "file/mapped_file.hpp"
#include "file/names.hpp"
#include "file/section_types.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/store_files.hpp"

namespace crivo {

class BytesComparison {
 public:
  /// Compares with the file `path`; `container` is what it holds, or null where it is none. Throws
  /// Error(io).
  BytesComparison(const std::filesystem::path& path, const file::Container* container);

  /// Compares the next bytes.
  void look_at(base::ByteView bytes);
  /// Returns the difference found, once all bytes were seen.
  std::optional<Difference> finish() const;

 private:
  /// A section, or what is before or behind all of them.
  struct Range {
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::optional<std::uint64_t> found{};  ///< the first byte of it that differs
  };
  void note(std::uint64_t byte);

  std::string path_;
  file::MappedFile file_;
  std::vector<Range> ranges_;  ///< in their order in the file, with no holes between them
  std::uint64_t seen_ = 0;
  std::uint64_t kept_ = 0;  ///< bytes seen since pages were let go
};

namespace {

using index::KindBuilder;

/// A directory of its own among the temporary ones, gone with all in it when the object dies. It is
/// locked until then: one that is not was left by a process that was killed, and the next removes
/// it.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::filesystem::path& parent) : parent_(parent) {
    remove_leftovers();
    std::string path;
    do {
      path = (parent / (std::string(kPrefix) + "XXXXXX")).string();
      if (::mkdtemp(path.data()) == nullptr)
        base::throw_file_error(path, "cannot make the directory", errno);
      name_ = std::filesystem::path(path).filename().string();
      lock_ = locked(name_);
      // Between the two calls it may be taken for one that was left.
    } while (!lock_.is_open() && !parent_.find(name_));
  }
  ~TemporaryDirectory() { remove(name_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::filesystem::path path() const { return parent_.path() / name_; }

 private:
  static constexpr std::string_view kPrefix = "crivo-reproduce-";

  /// A directory of this user, with its lock; closed where a process has that.
  base::FileDescriptor locked(const std::string& name) const noexcept {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    base::FileDescriptor directory(::openat(parent_.get(), name.c_str(), kFlags));
    struct stat status {};
    const bool is_free = directory.is_open() && ::fstat(directory.get(), &status) == 0 &&
                         status.st_uid == ::geteuid() && file::lock_at_once(directory.get());
    return is_free ? std::move(directory) : base::FileDescriptor();
  }
  /// Removes a folder; one that cannot be removed stays for the next run.
  void remove(const std::string& name) const noexcept try {
    file::remove_tree(parent_, name);
  } catch (const std::exception&) {
  }
  void remove_leftovers() const {
    std::vector<std::string> names;
    try {
      names = parent_.names();
    } catch (const Error&) {
      return;  // it may be one that is written and not read
    }
    for (const std::string& name : names) {
      if (!name.starts_with(kPrefix)) continue;
      const base::FileDescriptor left = locked(name);
      if (left.is_open()) remove(name);
    }
  }

  file::Directory parent_;
  std::string name_;
  base::FileDescriptor lock_;
};

/// Throws Error(usage) unless one build wrote the file.
void require_built(const file::Container& container) {
  const auto refuse = [&](const char* why) {
    throw Error(ErrorKind::usage, container.name() + ": " + why);
  };
  if (container.parts() != nullptr)
    refuse("is a manifest of parts; only the file that they are merged to can be built again");
  if (container.header().kind == file::Kind::chain)
    refuse("is a chain, which no build makes; its base and its deltas may be built again");
  if (container.header().build_id == file::ContentId{})
    refuse("was changed or united after it was built, and no build makes it again");
}

/// The choices of a file, with those that its header has.
Choices choices_in(const file::Container& container, const KindBuilder& kind,
                   const Choices& unrecorded) {
  Choices choices = index::recorded_choices(container.metadata());
  const hashing::KeyHashId hash = container.header().key_hash;
  const std::vector<Choice> rows = kind.choices();
  const auto structure = choices.find(rows.front().name);
  for (const Choice& row : rows) {
    // A keyed hash is no choice of the kind.
    if (row.recorded == Recorded::in_header && hash != hashing::KeyHashId::siphash &&
        structure != choices.end() && index::takes(row, structure->second))
      choices[std::string(row.name)] = hashing::key_hash_name(hash);
    const auto asked = unrecorded.find(row.name);
    if (row.recorded == Recorded::nowhere && asked != unrecorded.end()) choices.insert(*asked);
  }
  for (const auto& [name, value] : unrecorded) {
    if (!choices.contains(name))
      throw Error(ErrorKind::usage,
                  name + " is not an option of " + std::string(kind.name) + ", or the file has it",
                  {.remedy = name});
  }
  return choices;
}

BuildOptions options_in(const file::Container& container, const ReproduceOptions& options) {
  BuildOptions build = index::recorded_options(container, options.resources);
  const file::Header& header = container.header();
  build.expected = ExpectedBuild{header.keys, file::to_hex(header.build_id)};
  return build;
}

/// Where libraries other than these made the store.
void warn_of_libraries(const index::StoreFiles& files, std::vector<Warning>& warnings) {
  const file::Metadata now = index::libraries_of(files.backend, files.sealed->codec().head());
  const file::Metadata then = files.index.metadata();
  for (const auto& [name, version] : now) {
    const auto found = then.find(name);
    if (found != then.end() && found->second == version) continue;
    std::string text = name.substr(file::kLibraryPrefix.size());
    text.append(" is ").append(version).append(" here, and was ");
    text.append(found != then.end() ? found->second : "another version");
    text.append(" when the store was built: it may make other bytes");
    warnings.push_back({std::move(text), {}});
  }
  if (files.updates != nullptr) {
    warnings.push_back(
        {"the store was changed since it was built: its updates are not compared", {}});
  }
}

/// The comparisons to make, one for each file.
class Comparisons {
 public:
  explicit Comparisons(Reproduction& result) : result_(result) {}

  BytesComparison begin(const std::filesystem::path& path, const file::Container* container) {
    result_.compared.push_back(path.string());
    return {path, container};
  }
  void end(const BytesComparison& comparison) {
    if (!result_.difference) result_.difference = comparison.finish();
  }
  /// A file that was built again beside `path`.
  void compare(const std::filesystem::path& path, const file::Container* container,
               const std::filesystem::path& again) {
    BytesComparison comparison = begin(path, container);
    const file::MappedFile made(again, file::Loading::for_a_pass);
    constexpr std::size_t kPiece = std::size_t{1} << 24;
    for (std::size_t at = 0; at < made.bytes().size(); at += kPiece) {
      comparison.look_at(made.bytes().subspan(at, std::min(kPiece, made.bytes().size() - at)));
      made.forget();
    }
    end(comparison);
  }

 private:
  Reproduction& result_;
};

const KindBuilder& kind_in(const file::Container& container) {
  require_built(container);
  const KindBuilder* const kind = index::find_kind_builder(container.header().kind);
  if (kind != nullptr && kind->build != nullptr) return *kind;
  (void)index::index_kind_of(container);  // of some it says more
  throw Error(ErrorKind::usage, container.name() + ": " + index::noun_of(container.header().kind) +
                                    " is not built from keys alone");
}

Reproduction begin(const file::Container& container) {
  return {.kind = std::string(kind_in(container).name),
          .build_id = file::to_hex(container.header().build_id),
          .keys = container.header().keys};
}

Reproduction reproduce_store(const std::filesystem::path& path, const KeyInput& keys,
                             const ReproduceOptions& options) {
  const auto files = index::StoreFiles::open(path, file::Loading::mapped);
  const KindBuilder& kind = kind_in(files.index);
  Reproduction result = begin(files.index);
  warn_of_libraries(files, result.warnings);
  const TemporaryDirectory directory(index::temp_directory(options.resources.temp_dir));
  const std::filesystem::path again = directory.path() / "store";
  kind.build(keys, again, choices_in(files.index, kind, options.choices),
             options_in(files.index, options));
  const file::Container made = file::Container::open(again / index::kIndexName);
  const auto data_of = [&](const std::filesystem::path& store, const file::Container& index) {
    return store / file::generation_name(files.backend.family, index.digest());
  };
  Comparisons comparisons(result);
  // The index names the data's content: a difference there is told first.
  comparisons.compare(data_of(path, files.index), files.sealed->container(), data_of(again, made));
  comparisons.compare(path / index::kIndexName, &files.index, again / index::kIndexName);
  return result;
}

Reproduction reproduce_file(const std::filesystem::path& path, const KeyInput& keys,
                            const ReproduceOptions& options) {
  const file::Container container = file::Container::open(path);
  const KindBuilder& kind = kind_in(container);
  if (kind.kind == file::Kind::store) index::index_kind_of(container);  // names the directory
  Reproduction result = begin(container);
  Comparisons comparisons(result);
  BytesComparison comparison = comparisons.begin(path, &container);
  const auto output =
      Output::to([&](std::span<const std::byte> bytes) { comparison.look_at(bytes); });
  kind.build(keys, output, choices_in(container, kind, options.choices),
             options_in(container, options));
  comparisons.end(comparison);
  return result;
}

}  // namespace

Reproduction reproduce(const std::filesystem::path& path, const KeyInput& keys,
                       const ReproduceOptions& options) try {
  return index::is_store(path) ? reproduce_store(path, keys, options)
                               : reproduce_file(path, keys, options);
} catch (...) {
  base::rethrow_as_error();
}

BytesComparison::BytesComparison(const std::filesystem::path& path,
                                 const file::Container* container)
    : path_(path.string()), file_(path, file::Loading::for_a_pass) {
  std::uint64_t end = 0;
  const auto add = [&](std::string name, std::uint64_t to) {
    ranges_.push_back({.name = std::move(name), .begin = end, .end = to});
    end = to;
  };
  if (container != nullptr) {
    for (const file::SectionEntry& section : container->sections()) {
      add({}, section.offset);
      const file::SectionType* const type = file::find_section_type(section.type);
      add(std::string(type != nullptr ? type->name : "unknown"), section.offset + section.length);
    }
  }
  add({}, UINT64_MAX);
}

void BytesComparison::note(std::uint64_t byte) {
  const auto range =
      std::ranges::find_if(ranges_, [byte](const Range& one) { return byte < one.end; });
  if (!range->found) range->found = byte;
}

void BytesComparison::look_at(base::ByteView bytes) {
  constexpr std::uint64_t kForget = std::uint64_t{64} << 20;
  const base::ByteView own = file_.bytes();
  for (const Range& range : ranges_) {
    // The part of the range in these bytes and in the file.
    const std::uint64_t begin = std::max(range.begin, seen_);
    const std::uint64_t end =
        std::min({range.end, seen_ + bytes.size(), std::uint64_t{own.size()}});
    if (range.found || begin >= end) continue;
    const auto mine = own.subspan(begin, end - begin);
    const auto other = bytes.subspan(begin - seen_, end - begin);
    const auto at = std::ranges::mismatch(mine, other).in1;
    if (at != mine.end()) note(begin + static_cast<std::uint64_t>(at - mine.begin()));
  }
  seen_ += bytes.size();
  kept_ += bytes.size();
  if (kept_ < kForget) return;
  file_.forget();
  kept_ = 0;
}

std::optional<Difference> BytesComparison::finish() const {
  const auto difference = [&](const Range& range) {
    const std::uint64_t begin = range.name.empty() ? 0 : range.begin;
    return Difference{.file = path_,
                      .section = range.name,
                      .chunk = (*range.found - begin) / file::layout::kChunkBytes,
                      .byte = *range.found};
  };
  // A section's bytes also decide about the header.
  for (const bool is_section : {true, false}) {
    for (const Range& range : ranges_)
      if (range.found && range.name.empty() != is_section) return difference(range);
  }
  if (const std::uint64_t own = file_.bytes().size(); own != seen_) {
    const std::uint64_t byte = std::min(own, seen_);
    return Difference{.file = path_, .chunk = byte / file::layout::kChunkBytes, .byte = byte};
  }
  return std::nullopt;
}

}  // namespace crivo
