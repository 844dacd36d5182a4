// SPDX-License-Identifier: Apache-2.0
/// Lookups in a file that a server has, by ranges of its bytes, each checked before it is used.
///
///     const auto remote = crivo::Remote::open(source, {.trust = {{.keys = {key}}}});
///
/// A program derives the source, a ByteSource, from its own HTTP client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/detail/export.hpp"
#include "crivo/index.hpp"
#include "crivo/open.hpp"

namespace crivo {

/// `length` bytes from `offset` on.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// Both ends of a file.
struct FileEnds {
  std::uint64_t length = 0;  ///< of the file
  std::vector<std::byte> head;
  std::vector<std::byte> tail;
  /// The text of the file's .minisig, from a source that reads it at the same time.
  std::string signature{};
  bool is_there = true;  ///< false: there is no such file
};

/// Reads a file by ranges. Each call should take one round trip, however many ranges it is asked
/// for. What it gives is not trusted: Remote checks every byte. It throws whatever it likes, such
/// as Error(io); the exception goes through. Called by one thread at a time.
class CRIVO_API ByteSource {
 public:
  virtual ~ByteSource();

  /// Returns the length of the file, its first `head` bytes and its last `tail`; all of it twice
  /// where it is shorter.
  virtual FileEnds ends(std::uint64_t head, std::uint64_t tail) = 0;
  /// Returns the bytes of each range, in their order. All lie within the file.
  virtual std::vector<std::vector<std::byte>> read(std::span<const ByteRange> ranges) = 0;

  /// Returns a file of this machine: for tests, and for file systems of others. Throws Error(io).
  static std::unique_ptr<ByteSource> of_file(const std::filesystem::path& path);
};

struct RemoteOptions {
  std::string name = "(remote file)";  ///< what messages call the file, such as its URL
  /// Whose signature the file must have; `signature` is then the text of its .minisig, which must
  /// name the root of the hash tree, as those of sign() do. Empty: it is FileEnds::signature.
  std::optional<Trust> trust{};
  std::string signature{};
  /// Chunks of 64 KiB that were read are kept, about so many bytes of them of each file.
  std::uint64_t cache_bytes = std::uint64_t{64} << 20;
  /// A folder in which they are kept on disk, too, at most about so many bytes, for the next open()
  /// of this file or of another that shares chunks with it; empty: nowhere. It is made if it is not
  /// there. Processes share it; it may be removed at any time. What it has is compared as what the
  /// source gives is, so that it need not be trusted. open() throws Error(io) if it cannot be used.
  std::filesystem::path cache_folder{};
  std::uint64_t cache_folder_bytes = std::uint64_t{1} << 30;
  /// Opens a file beside the one that is opened, by its name: those that a chain names, and the
  /// records of a store, of which the one that is opened is the index. Not set, or null: there is
  /// none. Their bytes are checked against what the first file says of them.
  std::function<std::unique_ptr<ByteSource>(const std::string& name)> open_sibling{};
  /// Opens the file once more after a source threw an Error whose ErrorPlace::system_error is
  /// ESTALE, as it should where the server has another file by now: keys that have no answer yet
  /// are then asked of that one. Not set: the error goes through, as it does where a query or a
  /// walk has told something of the old file.
  std::function<std::unique_ptr<ByteSource>()> open_again{};
};

/// Asks an index of any kind, open through a ByteSource. Of what is read every chunk is checked by
/// the hash tree before it is looked at; with RemoteOptions::trust, up to the signed root. So a
/// source that lies, cuts, or goes over to another file leads to an Error and to no wrong answer.
/// Without trust only accidents are found: who makes the bytes can make the tree.
///
/// To open takes one call of ByteSource::ends() (some 40 KiB), and as many of read() as there are
/// steps from one place that is looked at to the next: none for what the file's directory has.
/// Lookups take a call for each step, too, a batch as many as one key. Only the chunks that are
/// touched are read, but of these all, which are decoded at once or have no pages of their own:
/// MPHFs, filters but those of type `ribbon`, maps that are not of `ribbon`, deltas.
///
/// open(path, trust) is the lazy form of OpenOptions::trust: after the signature only those chunks
/// are checked that lookups touch, each at its first touch.
class CRIVO_API Remote {
 public:
  /// Throws Error(corrupt, too_new) for what is no sound file, or has not the signature;
  /// Error(usage) for a manifest, a file without a hash tree, one of a store that is not flat or
  /// has updates, and a signature that names no root; and what the source throws.
  static Remote open(std::unique_ptr<ByteSource> source, const RemoteOptions& options = {});
  /// Opens a file of this machine, which is mapped, and those beside it; with `trust`, FILE.minisig
  /// must be its signature. The first touch of a chunk takes about 40 us, and 40 us of two
  /// neighbours. Whoever may write to the file can change what was checked before. Throws the same,
  /// and Error(io).
  static Remote open(const std::filesystem::path& path, const std::optional<Trust>& trust = {});
  ~Remote();
  Remote(Remote&& other) noexcept;
  Remote& operator=(Remote&& other) noexcept;

  /// Returns the index, whose functions throw as they read: Error(corrupt) for a chunk that is not
  /// what the hash tree says, and what the source throws; then it can be asked again. Its verify()
  /// reads every byte, and compares it with the tree. Of one thread; valid as long as this.
  OpenIndex& index() noexcept { return *index_; }
  /// Returns the texts of the answers of index(), the first for each key; nothing where it is
  /// absent.
  std::vector<std::optional<std::string>> find(std::span<const std::string_view> keys);
  std::optional<std::string> find(std::string_view key);
  /// Returns what the signature says, with RemoteOptions::trust.
  const std::optional<Signature>& signature() const noexcept;

 private:
  CRIVO_LOCAL explicit Remote(std::shared_ptr<detail::RemoteFiles> files);

  std::unique_ptr<OpenIndex> index_;
};

}  // namespace crivo
