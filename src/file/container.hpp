// SPDX-License-Identifier: Apache-2.0
/// The container that every Crivo file is: a header, sections, the checksums of their chunks, a
/// table of the sections, a footer. The bytes are specified in formats/crivo-1.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "base/sink.hpp"
#include "crivo/error.hpp"
#include "file/content_id.hpp"
#include "file/hash_tree.hpp"
#include "file/kind.hpp"
#include "file/layout.hpp"
#include "file/mapped_file.hpp"
#include "file/metadata.hpp"
#include "file/page_sums.hpp"
#include "file/pending_file.hpp"
#include "hashing/key_hash.hpp"

namespace crivo::file {

/// The version that is written. A reader takes any minor version.
inline constexpr std::uint16_t kMajorVersion = 0;
inline constexpr std::uint16_t kMinorVersion = 1;
/// The version that drafts said before that: no file of a release will.
inline constexpr std::uint16_t kDraftMajorVersion = 1;
inline constexpr std::uint16_t kDraftMinorVersion = 0;

/// "0.1" and the like.
inline std::string version_text(std::uint16_t major, std::uint16_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

/// A limit of the format.
inline constexpr std::uint32_t kMaxSections = 1024;

/// Whether files of the kind may have the hash.
bool may_have(Kind kind, hashing::KeyHashId hash) noexcept;

/// The meanings of the bits of a map's values.
enum class ValueTypeId : std::uint16_t {
  none = 0,  ///< of files of other kinds
  unsigned_integer = 1,
  signed_integer = 2,
  decimal = 3,  ///< a signed integer over 10^scale
};

/// The fields of the header beside the layout.
struct Header {
  Kind kind = Kind::mphf;
  std::uint64_t keys = 0;
  std::uint64_t seed = 0;
  hashing::KeyHashId key_hash = hashing::KeyHashId::xxh3;
  ValueTypeId value_type = ValueTypeId::none;
  std::uint16_t value_scale = 0;  ///< of decimals
  ContentId content_id{};         ///< all zero where no other file must match this one
  ContentId build_id{};           ///< file::build_id(); all zero of what is not as a build wrote it
};

struct SectionEntry {
  std::uint32_t type = 0;
  std::uint64_t tag = 0;  ///< tells sections of one type apart
  std::uint64_t alignment = layout::kAlignment;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;     ///< XXH3-64 of its chunks' checksums
  std::uint64_t first_chunk = 0;  ///< so many chunks are in the sections before
  Digest hash{};                  ///< of its leaves; all zero where there is no tree
  std::uint64_t lists_at = 0;     ///< where the section of leaves has its lists, if it has any
  std::uint64_t list_check = 0;   ///< of page sums: page_sums::check_of()
};

/// Whether a writer sums pages: of a file whose sections have checks of their own it need not.
enum class PageSums { none, written };

/// Writes a container into a pending file, section by section.
class ContainerWriter {
 public:
  /// `file` must be empty and outlive the writer. Files without a tree, and those of records, have
  /// no page sums.
  explicit ContainerWriter(PendingFile& file, HashTree tree = HashTree::sha256,
                           PageSums sums = PageSums::written);
  ~ContainerWriter();

  /// Ends the section before and begins one, at the next multiple of `alignment`:
  /// layout::kAlignment or kPageAlignment. No two sections have the same type and tag. The sink is
  /// valid until the next call on this writer.
  base::Sink& begin_section(std::uint32_t type, std::uint64_t tag = 0,
                            std::uint64_t alignment = layout::kAlignment);

  /// A section that is written, mapped from the file. What is written later changes none of it.
  struct MappedSection {
    MappedFile file;
    base::ByteView bytes;
  };
  /// Ends the open section and maps it: for lookups in it while others are written. Throws
  /// Error(io).
  MappedSection map_section();

  /// Copies the first and the last bytes of the section that was written last into the directory,
  /// if the file may have one: into a file with a hash tree, of a section of several chunks. Throws
  /// Error(io).
  void copy_ends(std::uint64_t head, std::uint64_t tail);

  struct Written {
    std::uint64_t bytes;
    Digest digest;
  };
  /// Writes metadata (unless empty), leaves and directory (if there are any to write), checksums,
  /// table, footer and header. Call once, last; then publish the file.
  Written finish(const Header& header, const Metadata& metadata);

 private:
  class SectionSink;

  void end_section();
  /// Adds a section whose list of leaves is given; returns its hash.
  Digest add_lists(std::uint64_t section_bytes, base::Bytes leaves);
  /// Appends zero bytes up to a multiple of `unit`.
  void align(std::uint64_t unit);
  void add_page_sums(Kind kind);

  PendingFile& file_;
  Appender output_;
  HashTree tree_;
  std::vector<SectionEntry> sections_;
  base::Bytes checksums_;  ///< of the sections' chunks: 8 bytes for 64 KiB
  base::Bytes leaves_;     ///< of the sections with more than one: 32 bytes for 64 KiB
  base::Bytes directory_;
  std::optional<page_sums::Writer> page_sums_;  ///< of what was written so far; nothing: no more
  std::unique_ptr<SectionSink> open_section_;
};

class ServedParts;

/// A mapped container whose layout and header were checked. Immutable; safe for any number of
/// threads.
class Container {
 public:
  /// Maps `path` and checks magic, version, features, length, footer, the header's checksum and the
  /// section table: O(sections), whatever their length. A copy is verified whole. With
  /// Loading::read, files of records and those that check_what_is_touched() is for are paged, and
  /// that is called; others are copied. Throws
  /// Error(corrupt, too_new, too_old or io); messages begin with the path. A manifest is opened
  /// with its parts (file/manifest.hpp), and then is as the merged file would be, but for layout
  /// and digest.
  static Container open(const std::filesystem::path& path, Loading loading = Loading::for_a_pass);
  /// The same of a file that is open, called `name` in messages.
  static Container open(const base::FileDescriptor& file, const std::string& name, Loading loading);
  /// The same of bytes, called `name` in messages: where `loading` is a copy, of a copy of them;
  /// otherwise they must outlive the container.
  static Container open(base::ByteView bytes, const std::string& name, Loading loading);
  /// `forget` is what forget() calls.
  static Container over(base::ByteView bytes, std::string name, std::function<void()> forget = {});
  /// Bytes of which header and table are there, and others come when they were touched, as `checks`
  /// and `awaited` are told; both are of the bytes. Throws what open() does.
  static Container awaited(base::ByteView bytes, std::string name, AwaitedBytes& awaited,
                           std::shared_ptr<const base::PageChecks> checks);
  /// A manifest, which is open as `file`, with its parts, whose names count from `folder`.
  static Container with_parts(Container manifest, const base::FileDescriptor& file,
                              const std::filesystem::path& folder, Loading loading);

  ~Container();
  Container(Container&&) noexcept;
  Container& operator=(Container&&) noexcept;

  const std::string& name() const noexcept { return name_; }
  /// Where it was opened from; empty of bytes.
  const std::filesystem::path& path() const noexcept { return path_; }
  const Header& header() const noexcept { return header_; }
  const std::vector<SectionEntry>& sections() const noexcept { return sections_; }
  /// The length of the file; of a manifest, of all files.
  std::uint64_t bytes() const noexcept;
  /// The bytes of the file, unless it is a manifest.
  base::ByteView file_bytes() const noexcept { return bytes_; }
  /// The paged bytes: only header and table are in memory before the rest is loaded, or touched.
  PagedBytes paged() const noexcept { return mapping_ ? mapping_->paged() : awaited_; }
  /// A copy of what is paged. Throws Error(corrupt, io).
  Container copied() const { return open(paged().file(), name_, Loading::copy); }
  /// The sums of pages, in a file that has them.
  const std::optional<page_sums::Checker>& page_sums() const noexcept { return page_sums_; }
  /// The parts of a manifest, null of other files.
  const ServedParts* parts() const noexcept { return parts_.get(); }
  /// "0.1" and the like.
  std::string version() const { return version_text(kMajorVersion, minor_); }
  /// The root of the hash tree: of header, table and footer, and so of every byte that has a leaf.
  const Digest& digest() const noexcept { return digest_; }
  HashTree hash_tree() const noexcept { return tree_; }

  /// The bytes of one of sections().
  base::ByteView bytes_of(const SectionEntry& section) const noexcept {
    return bytes_.subspan(section.offset, section.length);
  }
  /// The bytes of the section of a type and tag: nothing if there is none.
  std::optional<base::ByteView> find(std::uint32_t type, std::uint64_t tag = 0) const noexcept;
  /// The same where the file must have it: Error(corrupt) if it has none.
  base::ByteView require(std::uint32_t type, std::string_view what) const;
  /// The metadata; empty if the file has none. Throws Error(corrupt).
  Metadata metadata() const;

  /// For those who read a few bytes all over the file, as they go: whoever opened it may let go of
  /// the pages that were read, lest they count as memory that this process takes.
  void forget() const {
    if (forget_) forget_();
  }

  /// Has what lookups read checked from now on: the pages that they touch, by their sums; where the
  /// file has none, all of it at once, by its checksums. Call it before a structure is opened.
  /// Throws Error(corrupt).
  void check_what_is_touched();
  /// Whose damage lookups ask for: null unless pages are checked where they are touched.
  const base::PageChecks* page_checks() const noexcept { return page_checks_.get(); }
  /// Bytes of a section, for a structure that touches what its lookups read.
  base::CheckedBytes touched(base::ByteView section) const noexcept {
    return {section, page_checks_.get()};
  }

  /// Checks every chunk of every section by its checksum, and that all padding is zero, on up to
  /// `threads` threads, each of which may tell `progress` of bytes done. Throws Error(corrupt) that
  /// names the first bad section, chunk and bytes. O(bytes).
  void check_sums(unsigned threads, const std::function<void(std::uint64_t)>& progress) const;
  /// The same of a section's chunks in which `length` of its bytes from `begin` on are. O(length).
  void check_sums(const SectionEntry& section, std::uint64_t begin, std::uint64_t length) const;
  /// All that check_sums() checks, and the hash tree and the directory if there are any.
  void verify(unsigned threads, const std::function<void(std::uint64_t)>& progress) const;

  /// Throws Error(corrupt): "NAME: problem".
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  Container(base::ByteView bytes, std::string name);
  /// Opens the sections of a manifest's parts.
  explicit Container(std::shared_ptr<const ServedParts> parts);
  static Container open(MappedFile mapping, const std::string& name, Loading loading);
  static Container open_by_pages(const base::FileDescriptor& file, const std::string& name);
  void read_header();
  void read_version(base::FieldReader& r);
  void check_layout(std::uint64_t length, std::uint32_t sections, std::uint64_t checksum) const;
  void check_numbers() const;
  void check_values() const;
  void read_table(std::uint32_t count);
  void check_sections() const;
  void check_type(const SectionEntry& section) const;
  void read_tree();
  void read_page_sums();
  void check_padding() const;
  void check_page_sums(unsigned threads) const;
  void check_list_of_page_sums() const;
  void touch_what_is_read_at_open() const;
  void check_sums_of_chunks() const;
  void check_lists() const;
  void check_directory() const;
  enum class Proof { sums, sums_and_leaves };
  void check_chunks(unsigned threads, const std::function<void(std::uint64_t)>& progress,
                    Proof proof) const;
  bool has_its_sum(std::uint64_t chunk) const noexcept;
  bool has_its_leaf(std::uint64_t chunk) const;
  /// The lists of a section with more than one chunk.
  base::ByteView lists_of(const SectionEntry& section) const noexcept;
  /// Throws Error(corrupt) that names the chunk; `fault` is what is wrong with it.
  [[noreturn]] void fail_chunk(std::uint64_t chunk, const std::string& fault) const;
  /// The same of damage that begins at a byte of the file, in a section or (null) between them.
  [[noreturn]] void fail_at(std::uint64_t byte, const SectionEntry* section,
                            const std::string& problem) const;
  const SectionEntry& section_of(std::uint64_t chunk) const noexcept;
  base::ByteView chunk_bytes(const SectionEntry& section, std::uint64_t chunk) const noexcept;
  std::uint64_t chunk_sum(std::uint64_t chunk) const noexcept;
  std::string describe(const SectionEntry& section) const;

  std::string name_;
  std::filesystem::path path_;
  std::optional<MappedFile> mapping_;
  PagedBytes awaited_;  ///< of awaited(); else none
  base::ByteView bytes_;
  std::function<void()> forget_;
  Header header_;
  std::uint16_t minor_ = 0;
  std::uint64_t table_offset_ = 0;
  std::uint64_t checksums_offset_ = 0;
  Digest digest_{};
  HashTree tree_ = HashTree::none;
  std::vector<SectionEntry> sections_;
  base::ByteView leaves_;                        ///< section 2
  std::optional<page_sums::Checker> page_sums_;  ///< of section 4
  std::shared_ptr<const base::PageChecks> page_checks_;
  std::shared_ptr<const ServedParts> parts_;  ///< bytes_ and sections_ are theirs
};

/// Throws `error` with "NAME: " before its message.
[[noreturn]] void fail_naming(const std::string& name, const Error& error);

/// Returns parse(), and puts "NAME: " before the message of an Error that it throws.
template <typename Parse>
auto naming(const std::string& name, Parse&& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    fail_naming(name, error);
  }
}

/// The row of `rows`, which name a `section_type` each, whose section the container holds; null if
/// it holds none of them. Of rows with one type, the first. Throws Error(corrupt) for a container
/// that holds sections of two of these types: nothing says which of them answers
/// (formats/crivo-1.md). Two of one type have other tags, which the kind allows.
template <std::ranges::forward_range Rows>
const std::ranges::range_value_t<Rows>* only_structure(const Container& container,
                                                       const Rows& rows) {
  const std::ranges::range_value_t<Rows>* found = nullptr;
  for (const SectionEntry& section : container.sections()) {
    const auto row =
        std::ranges::find(rows, section.type, [](const auto& some) { return some.section_type; });
    if (row == std::ranges::end(rows)) continue;
    if (found == &*row) continue;  // one more layer
    if (found != nullptr) container.fail("damaged: it holds two structures that would answer");
    found = &*row;
  }
  return found;
}

}  // namespace crivo::file
