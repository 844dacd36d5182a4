// SPDX-License-Identifier: Apache-2.0
/// Manifests: small files that stand for an index whose parts are served unmerged
/// (formats/manifest.md).
///
///     manifest   names and digests of the parts | sections: runs of pages | pages of its own
///     opened     | own | part 0 ...... | own | part 1 ...... | own |    one range of addresses
///
/// A merged file's sections are made of the parts' bodies, one after the other, with little between
/// them. So a manifest says of each page of such a section which file has it, and an open maps the
/// parts' pages side by side, with the manifest's own where bodies meet and for all that is global
/// (tables, what the parts' keys left over). What comes of it is the section as a merged file has
/// it, in one range of addresses: every structure's reader and every lookup, inlined or in batches,
/// is that of a single file, without a branch for manifests. The alternatives, a lookup that goes
/// to one of several open files by the hash, would have been a second reader of each structure, as
/// a part of most cannot be asked without what is global. What it costs: parts keep their bodies at
/// a page's begin, and an open takes two mappings a part and section (the system allows some
/// 65,530). Where the system's pages are larger than 4096 bytes the parts are read into memory
/// instead.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "base/sink.hpp"
#include "base/temp_file.hpp"
#include "file/container.hpp"
#include "file/mapped_file.hpp"

namespace crivo::file {

/// A range of pages of layout::kPageAlignment bytes, each zero until it is given those of a file:
/// so that what is written for one run of bytes reads bytes that lie in many files. Where the
/// system's pages are larger, and where a copy is asked for, pages are memory of its own.
class PageImage {
 public:
  /// Makes an image of so many pages, for an index file called `name` in messages. Throws
  /// Error(io).
  PageImage(std::uint64_t pages, Loading loading, const std::string& name);
  ~PageImage();
  PageImage(const PageImage&) = delete;
  PageImage& operator=(const PageImage&) = delete;

  /// Whether pages are copied, by put(), and otherwise mapped.
  bool copies() const noexcept { return copies_; }
  /// Puts `pages` pages of a file, from `page` on, in the place of those from `at` on. All of them
  /// are in the file. Throws Error(io).
  void map(std::uint64_t at, const base::FileDescriptor& file, const std::string& name,
           std::uint64_t page, std::uint64_t pages);
  /// The same of bytes, whole pages.
  void put(std::uint64_t at, base::ByteView bytes);
  /// Call once, last: makes of it what the loading asks for. Throws Error(io) where it cannot be
  /// locked.
  void finish();

  base::ByteView bytes() const noexcept { return bytes_; }

 private:
  std::byte* address(std::uint64_t page) const noexcept;

  base::ByteView bytes_;
  Loading loading_;
  std::string name_;
  bool copies_;
};

struct ManifestTable {
  /// Where pages come from: nowhere (zeros), the manifest, or part `source - kFirstPart`.
  static constexpr std::uint32_t kNothing = 0;
  static constexpr std::uint32_t kOwn = 1;
  static constexpr std::uint32_t kFirstPart = 2;
  /// A run of zeros is no longer.
  static constexpr std::uint64_t kMostZeroPages = 64;

  struct Part {
    std::string name;  ///< below the manifest's folder: see is_part_name()
    Digest digest{};
    std::uint64_t bytes = 0;
  };
  struct Run {
    std::uint32_t source = kNothing;
    std::uint64_t page = 0;  ///< of the part's file, or of section 113
    std::uint64_t pages = 0;
  };
  struct Section {
    std::uint32_t type = 0;
    std::uint64_t tag = 0;
    std::uint64_t bytes = 0;
    std::vector<Run> runs{};

    std::uint64_t pages() const noexcept;
  };

  Kind kind = Kind::mphf;  ///< of the whole
  std::vector<Part> parts{};
  std::vector<Section> sections{};
};

/// Whether a name is that of a file in the manifest's folder or below it, on any system: no empty,
/// "." or ".." component, no backslash, no control character.
bool is_part_name(std::string_view name) noexcept;

base::Bytes encode(const ManifestTable& table);
/// Decodes the table of a manifest called `name` in messages, with so many pages of its own. Throws
/// Error(corrupt) for names, runs and lengths that cannot be; Error(too_new) for an unknown kind of
/// sections.
ManifestTable decode_manifest(base::ByteView bytes, std::uint64_t own_pages,
                              const std::string& name);

/// ManifestTable::kind, of the container of a manifest. Throws Error(corrupt).
Kind kind_of_whole(const Container& manifest);

/// A manifest with its parts, opened. Immutable.
class ServedParts {
 public:
  /// `manifest` is the container of one, which is open as `file`; names of parts count from
  /// `folder`. A copy has each part verified. Throws Error(corrupt) that names a part that is
  /// missing, damaged, of another build, or another file than the manifest was made of; Error(io).
  ServedParts(Container manifest, const base::FileDescriptor& file,
              const std::filesystem::path& folder, Loading loading);

  const Container& manifest() const noexcept { return manifest_; }
  Kind kind() const noexcept { return table_.kind; }
  std::uint64_t parts() const noexcept { return table_.parts.size(); }
  /// The bytes of all files.
  std::uint64_t file_bytes() const noexcept { return file_bytes_; }
  /// The sections, and what their offsets count from.
  const std::vector<SectionEntry>& sections() const noexcept { return sections_; }
  base::ByteView bytes() const noexcept { return image_.bytes(); }

  /// Checks of the pages of bytes(), each by the sum that it has in its file; files without sums
  /// are checked whole. Of copies, which were verified, null. Throws Error(corrupt).
  std::shared_ptr<const base::PageChecks> page_checks() const;

  /// Container::verify() of all files. Of parts that were copied, done when they were.
  void verify(unsigned threads, const std::function<void(std::uint64_t)>& progress) const;

 private:
  Container open_part(const ManifestTable::Part& part, const base::FileDescriptor& file,
                      const std::string& name, Loading loading) const;
  /// The runs of each source, and the page of the image where each begins.
  struct Placed {
    std::uint64_t at = 0;
    ManifestTable::Run run;
  };
  using Places = std::vector<std::vector<Placed>>;
  /// Lays the sections out side by side: fills sections_, and returns the number of all pages.
  std::uint64_t lay_out();
  Places places() const;
  /// Puts pages of an open file, whose bytes are `bytes` and which begin at its page `first`, where
  /// they belong.
  void place(const std::vector<Placed>& places, const base::FileDescriptor& file,
             const std::string& name, std::uint64_t first, base::ByteView bytes);

  Container manifest_;
  ManifestTable table_;
  std::vector<SectionEntry> sections_;
  PageImage image_;
  std::vector<Container> parts_;  ///< for verify(); none where they were copied
  std::uint64_t file_bytes_ = 0;
};

/// Collects the sections of a manifest from what would be written for those of a merged file.
class ManifestSections {
 public:
  /// Pages that none of the parts has go to `own`, which is empty and outlives this.
  explicit ManifestSections(base::TempFile& own) : sink_(*this), own_(own) {}
  ManifestSections(const ManifestSections&) = delete;
  ManifestSections& operator=(const ManifestSections&) = delete;

  /// Ends the section before and begins one.
  base::Sink& begin_section(std::uint32_t type, std::uint64_t tag = 0);
  using Check = std::function<void(base::ByteView)>;
  /// From now on whole pages that are appended out of these bytes, the file of part number `part`,
  /// are left there (they are told by their addresses); `check` is called with what else of it is
  /// copied.
  void set_part(std::uint32_t part, base::ByteView file, Check check);
  /// Likewise for what is no part's.
  void set_no_part();

  /// The sections. Ends the last one.
  const std::vector<ManifestTable::Section>& finish();

 private:
  class SectionSink final : public base::Sink {
   public:
    explicit SectionSink(ManifestSections& all) : all_(all) {}
    void append(base::ByteView bytes) override { all_.append(bytes); }
    std::uint64_t size() const noexcept override { return all_.sections_.back().bytes; }

   private:
    ManifestSections& all_;
  };

  void append(base::ByteView bytes);
  void end_page();
  void check_borrowed();
  void add_run(std::uint32_t source, std::uint64_t page, std::uint64_t pages);
  /// The place of bytes in the part's file, if they are there.
  std::optional<std::uint64_t> place_of(base::ByteView bytes) const noexcept;

  SectionSink sink_;
  std::vector<ManifestTable::Section> sections_;
  base::TempFile& own_;
  std::uint32_t source_ = 0;
  base::ByteView file_;
  Check check_;
  base::Bytes page_;                      ///< what there is of the page that is not whole yet
  std::vector<base::ByteView> borrowed_;  ///< of that, what is the part's
  std::optional<std::uint64_t> same_;     ///< the page of the part that it is so far, if it is one
};

}  // namespace crivo::file
