/// The container that every Crivo file is: a header, sections, a table of them, a footer. The bytes
/// are specified in formats/crivo-1.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/sink.hpp"
#include "crivo/error.hpp"
#include "file/mapped_file.hpp"
#include "file/pending_file.hpp"

namespace crivo::file {

inline constexpr std::uint16_t kMajorVersion = 1;

/// "1.0" and the like.
inline std::string version_text(std::uint16_t minor_version) {
  return std::to_string(kMajorVersion) + "." + std::to_string(minor_version);
}

/// Limits of the format.
inline constexpr std::uint32_t kMaxSections = 1024;
inline constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{1} << 20;

/// What a file is for.
enum class Kind : std::uint32_t { mphf = 1, filter = 2, map = 3, store = 4 };

/// The minor version of the format that brought a kind.
constexpr std::uint16_t minor_version_of(Kind kind) noexcept {
  return kind == Kind::map ? 2 : 0;
}

/// What makes the 128-bit hash that keys are looked up by.
enum class KeyHash : std::uint32_t {
  xxh3_128 = 1,  ///< hash_key(): XXH3_128bits_withSeed
  xxh64 = 2,  ///< `hi` is XXH64 with seed 0; `lo`, XXH3-64 with the file's seed, is not looked at
  universal = 3,  ///< the seeds' (formats/seeds.md): four words of 32 bits
  zobrist = 4,
  jenkins = 5,
  siphash = 6,  ///< SipHash-2-4 of 128 bits, keyed with the seed, in the place of xxh3_128
};

/// The minor version of the format that brought a key hash, as far as a kind or a section's type
/// does not say it.
constexpr std::uint16_t minor_version_of(KeyHash hash) noexcept {
  return hash == KeyHash::siphash ? 2 : 0;
}

/// Whether files of the kind may have the hash.
bool may_have(Kind kind, KeyHash hash) noexcept;
/// Whether a structure that is made for `own` may be over hashes of `hash`.
constexpr bool stands_for(KeyHash hash, KeyHash own) noexcept {
  return hash == own || (hash == KeyHash::siphash && own == KeyHash::xxh3_128);
}

/// The name that users see; empty for a number that is not a kind.
std::string_view kind_name(Kind kind) noexcept;

/// 16 bytes that identify a set of keys (and records) with the parameters of its build.
using ContentId = std::array<std::byte, 16>;

std::string to_hex(const ContentId& id);

/// Sorted UTF-8 names to UTF-8 values. Names that begin with "crivo." are the format's own.
using Metadata = std::map<std::string, std::string, std::less<>>;

/// What the header says beside the layout.
struct Header {
  Kind kind = Kind::mphf;
  std::uint64_t keys = 0;
  std::uint64_t seed = 0;
  ContentId content_id{};  ///< all zero where no other file must match this one
  KeyHash key_hash = KeyHash::xxh3_128;
};

struct SectionEntry {
  std::uint32_t type = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;  ///< XXH3-64
};

/// Writes a container into a pending file, section by section.
class ContainerWriter {
 public:
  /// `file` must be empty and outlive the writer.
  explicit ContainerWriter(PendingFile& file);
  ~ContainerWriter();

  /// Ends the section before and begins one. The sink is valid until the next call on this writer.
  base::Sink& begin_section(std::uint32_t type);

  /// A section that is written, mapped from the file. What is written later changes none of it.
  struct MappedSection {
    MappedFile file;
    base::ByteView bytes;
  };
  /// Ends the open section and maps it: for lookups in it while others are written. Throws
  /// Error(io).
  MappedSection map_section();

  struct Written {
    std::uint64_t bytes;
    ContentId digest;
    std::uint16_t minor_version;
  };
  /// Writes metadata (unless empty), table, footer and header. Call once, last; then publish the
  /// file.
  Written finish(const Header& header, const Metadata& metadata);

 private:
  class SectionSink;

  void end_section();

  PendingFile& file_;
  Appender output_;
  std::vector<SectionEntry> sections_;
  std::unique_ptr<SectionSink> open_section_;
};

/// A mapped container whose layout and header were checked. Immutable; safe for any number of
/// threads.
class Container {
 public:
  /// Maps `path` and checks magic, version, features, length, footer, the header's checksum and the
  /// section table: O(sections). A copy is verified whole. Throws Error(corrupt, too_new, too_old
  /// or io); messages begin with the path.
  static Container open(const std::filesystem::path& path, Loading loading = Loading::for_a_pass);
  /// The same of a file that is open, called `name` in messages.
  static Container open(const base::FileDescriptor& file, const std::string& name, Loading loading);
  /// The same over bytes that outlive the container, called `name` in messages.
  static Container over(base::ByteView bytes, std::string name);

  const std::string& name() const noexcept { return name_; }
  const Header& header() const noexcept { return header_; }
  const std::vector<SectionEntry>& sections() const noexcept { return sections_; }
  std::uint64_t bytes() const noexcept { return bytes_.size(); }
  std::uint16_t minor_version() const noexcept { return minor_; }
  /// A digest of header and table, and so of every section's checksum.
  const ContentId& digest() const noexcept { return digest_; }

  /// The bytes of the only section of a type: nothing if there is none, Error(corrupt) if several.
  std::optional<base::ByteView> find(std::uint32_t type) const;
  /// The same where the file must have it: Error(corrupt) if it has none.
  base::ByteView require(std::uint32_t type, std::string_view what) const;
  /// The metadata; empty if the file has none. Throws Error(corrupt).
  Metadata metadata() const;

  /// Checks every section's checksum and that all padding is zero; `progress` hears of bytes done.
  /// Throws Error(corrupt) that names the first bad section. O(bytes).
  void verify(const std::function<void(std::uint64_t)>& progress) const;

  /// Throws Error(corrupt): "NAME: problem".
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  Container(base::ByteView bytes, std::string name);
  static Container open(MappedFile mapping, const std::string& name, Loading loading);

  std::string name_;
  std::optional<MappedFile> mapping_;
  base::ByteView bytes_;
  Header header_;
  std::uint16_t minor_ = 0;
  std::uint64_t table_offset_ = 0;
  ContentId digest_{};
  std::vector<SectionEntry> sections_;
};

/// Returns parse(), and puts "NAME: " before the message of an Error that it throws.
template <typename Parse>
auto naming(const std::string& name, Parse&& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw Error(error.kind(), name + ": " + error.what());
  }
}

}  // namespace crivo::file
