// SPDX-License-Identifier: Apache-2.0
#include "input/input_parts.hpp"

#include <algorithm>

#include "crivo/error.hpp"
#include "input/parallel_bytes.hpp"

namespace crivo::input {
namespace {

/// Why a file cannot be cut, whatever is in it; empty where it may be.
std::string uncut_reason(Compression compression, const UnitFraming& framing) {
  if (framing.quotes) return "quoted columns may hold line ends";
  if (framing.has_names()) return "its columns are named by its first line";
  if (framing.delimiters != 1) return "keys and records both end with NUL";
  if (compression == Compression::none) return {};
  if (!has_known_streams(compression)) return "it is compressed by xz or bzip2";
  if (!framing.delimiter) return "it is compressed and its keys have no delimiters";
  return {};
}

/// A file in the bytes of all.
class CutFile {
 public:
  /// `in_streams`: where it is compressed it may be cut at the begins of streams.
  CutFile(const std::string& path, const UnitFraming& framing, std::uint64_t before,
          bool in_streams)
      : file_(path),
        framing_(framing),
        before_(before),
        compression_(compression_of(file_)),
        reason_(uncut_reason(compression_, framing)),
        is_cut_(reason_.empty() && (in_streams || compression_ == Compression::none)) {}

  std::uint64_t size() const noexcept { return file_.size(); }

  /// Where the file is cut for a bound in the bytes of all: 0 to its size.
  std::uint64_t cut_at(std::uint64_t bound) const {
    const std::uint64_t at = std::clamp(bound, before_, before_ + size()) - before_;
    if (at == 0 || at == size()) return at;
    if (!is_cut_) return size();
    if (compression_ != Compression::none) return next_stream(file_, compression_, at);
    return framing_.delimiter ? at : at / framing_.width * framing_.width;
  }

  /// Throws Error(usage) if the file is one piece behind a bound inside of it.
  void require_cut(std::uint64_t bound, std::size_t files) const {
    if (bound <= before_ || bound >= before_ + size() || cut_at(bound) != size()) return;
    const std::string what = compression_ == Compression::gzip ? "gzip member" : "zstd frame";
    const std::string reason =
        reason_.empty() ? "no " + what + " begins behind its first part" : reason_;
    const std::string remedy =
        reason_.empty() ? "compress it in pieces, for example with bgzip" : "split it into files";
    throw Error(ErrorKind::usage,
                file_.name() + ": cannot be cut into parts, because " + reason +
                    "; use no more parts than there are files (" + std::to_string(files) +
                    "), or " + remedy,
                {.file = file_.name()});
  }

 private:
  InputFile file_;
  const UnitFraming& framing_;
  std::uint64_t before_;  ///< bytes of the files before it
  Compression compression_;
  std::string reason_;
  bool is_cut_;
};

}  // namespace

bool is_cut_in_blocks(const InputFile& file, const UnitFraming& framing) {
  if (!file.is_regular() || framing.delimiters != 1 || framing.needs_beginning()) return false;
  return compression_of(file) == Compression::none;
}

std::uint64_t block_bytes_of(const UnitFraming& framing) noexcept {
  if (framing.delimiter) return kChunkBytes;
  return std::max<std::uint64_t>(kChunkBytes / framing.width, 1) * framing.width;
}

std::vector<InputPart> cut_input(const std::vector<std::string>& paths, const UnitFraming& framing,
                                 std::uint64_t bytes, const InputPart& whole) {
  const std::size_t last_file = std::min(paths.size() - 1, whole.last_file);
  std::vector<InputPart> parts{{.first_file = whole.first_file, .first_byte = whole.first_byte}};
  const auto end_part = [&](std::size_t file, std::uint64_t end) {
    parts.back().last_file = file;
    parts.back().end_byte = end;
    const bool ended = end == UINT64_MAX;
    parts.push_back({.first_file = ended ? file + 1 : file, .first_byte = ended ? 0 : end});
  };
  for (std::size_t f = whole.first_file; f <= last_file; ++f) {
    const InputFile file(paths[f]);
    const std::uint64_t end = std::min(file.size(), whole.end_in(f));
    std::uint64_t next = std::min(whole.begin_in(f), end);
    if (!is_cut_in_blocks(file, framing)) {
      parts.back().bytes += end - next;
    } else {
      const std::uint64_t block_bytes = block_bytes_of(framing);
      while (next < end) {
        if (parts.back().bytes >= bytes && next != whole.begin_in(f)) end_part(f, next);
        const std::uint64_t block_end = std::min(end, (next / block_bytes + 1) * block_bytes);
        parts.back().bytes += block_end - next;
        next = block_end;
      }
    }
    if (parts.back().bytes >= bytes && f < last_file) end_part(f, UINT64_MAX);
  }
  parts.back().last_file = last_file;
  parts.back().end_byte = whole.end_in(last_file);
  return parts;
}

std::optional<InputPart> share_of_input(const std::vector<std::string>& paths,
                                        const UnitFraming& framing, std::uint64_t index,
                                        std::uint64_t count) {
  using Wide = unsigned __int128;
  const std::uint64_t all = regular_input_bytes(Sources(paths)).value_or(0);
  const auto bound = [&](std::uint64_t part) {
    return static_cast<std::uint64_t>(Wide{all} * part / count);
  };
  const bool few_files = paths.size() < count;
  std::optional<InputPart> share;
  std::uint64_t before = 0;
  for (std::size_t f = 0; f < paths.size(); ++f) {
    const CutFile file(paths[f], framing, before, few_files);
    if (few_files && file.size() != 0) {
      const auto next = static_cast<std::uint64_t>((Wide{before + 1} * count + all - 1) / all);
      file.require_cut(bound(next), paths.size());
    }
    const std::uint64_t begin = file.cut_at(bound(index));
    const std::uint64_t end = file.cut_at(bound(index + 1));
    before += file.size();
    if (begin >= end) continue;
    if (!share) share = {.first_file = f, .first_byte = begin};
    share->last_file = f;
    share->end_byte = end == file.size() ? UINT64_MAX : end;
    share->bytes += end - begin;
  }
  return share;
}

}  // namespace crivo::input
