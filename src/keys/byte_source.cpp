#include "keys/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <vector>

#include "crivo/error.hpp"

namespace crivo::keys {
namespace {

constexpr std::size_t kInputBuffer = std::size_t{256} << 10;
constexpr int kPipeBytes = 1 << 20;

[[noreturn]] void fail_io(const std::string& name, const char* action) {
  util::throw_system_error(name + ": " + action, errno);
}

/// The file's own bytes; a few of them were read already, to see what they are.
class PlainSource final : public ByteSource {
 public:
  PlainSource(InputFile& file, std::span<const char> head)
      : file_(file), head_(head.begin(), head.end()) {}

  std::size_t read(std::span<char> room) override {
    std::size_t count = 0;
    if (taken_ < head_.size()) {
      count = std::min(room.size(), head_.size() - taken_);
      std::copy_n(head_.data() + taken_, count, room.data());
      taken_ += count;
    } else {
      count = file_.read(room);
    }
    consumed_ += count;
    return count;
  }

  std::uint64_t consumed() const noexcept override { return consumed_; }

 private:
  InputFile& file_;
  std::vector<char> head_;
  std::size_t taken_ = 0;
  std::uint64_t consumed_ = 0;
};

/// Compressed bytes on their way to a decoder: a buffer that refills itself.
class CompressedInput {
 public:
  CompressedInput(InputFile& file, std::span<const char> head)
      : plain_(file, head), buffer_(kInputBuffer) {}

  /// The bytes not yet decoded; empty only at the end of the file.
  std::span<const char> pending() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = plain_.read(buffer_);
    }
    return std::span<const char>(buffer_).subspan(begin_, end_ - begin_);
  }
  void consume(std::size_t count) { begin_ += count; }
  std::uint64_t consumed() const noexcept { return plain_.consumed(); }

 private:
  PlainSource plain_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(InputFile& file, std::span<const char> head) : name_(file.name()), input_(file, head) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) {
      throw Error(ErrorKind::io, name_ + ": no memory to decompress gzip");
    }
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(std::span<char> room) override {
    const std::size_t wanted = std::min<std::size_t>(room.size(), std::numeric_limits<uInt>::max());
    while (true) {
      const std::span<const char> pending = input_.pending();
      if (pending.empty()) {
        if (inside_member_)
          throw Error(ErrorKind::bad_input, name_ + ": the gzip data is cut short");
        return 0;
      }
      if (!inside_member_) inflateReset(&stream_);  // a gzip file may have several members
      inside_member_ = true;
      stream_.next_in =
          reinterpret_cast<Bytef*>(const_cast<char*>(pending.data()));  // zlib does not write to it
      stream_.avail_in = static_cast<uInt>(pending.size());
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = static_cast<uInt>(wanted);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      input_.consume(pending.size() - stream_.avail_in);
      if (status == Z_STREAM_END) {
        inside_member_ = false;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw Error(ErrorKind::bad_input, name_ + ": the gzip data is damaged");
      }
      const std::size_t produced = wanted - stream_.avail_out;
      if (produced != 0) return produced;
    }
  }

  std::uint64_t consumed() const noexcept override { return input_.consumed(); }

 private:
  std::string name_;
  CompressedInput input_;
  z_stream stream_{};
  bool inside_member_ = false;
};

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(InputFile& file, std::span<const char> head)
      : name_(file.name()), input_(file, head), context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw Error(ErrorKind::io, name_ + ": no memory to decompress zstd");
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kWindowLogMax);
  }
  ~ZstdSource() override { ZSTD_freeDCtx(context_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  std::size_t read(std::span<char> room) override {
    while (true) {
      const std::span<const char> pending = input_.pending();
      if (pending.empty() && !inside_frame_) return 0;
      ZSTD_inBuffer in{pending.data(), pending.size(), 0};
      ZSTD_outBuffer out{room.data(), room.size(), 0};
      const std::size_t status = ZSTD_decompressStream(context_, &out, &in);
      if (ZSTD_isError(status) != 0) {
        throw Error(ErrorKind::bad_input,
                    name_ + ": the zstd data is damaged (" + ZSTD_getErrorName(status) + ")");
      }
      input_.consume(in.pos);
      inside_frame_ = status != 0;
      if (out.pos != 0) return out.pos;
      if (pending.empty() && inside_frame_) {
        throw Error(ErrorKind::bad_input, name_ + ": the zstd data is cut short");
      }
    }
  }

  std::uint64_t consumed() const noexcept override { return input_.consumed(); }

 private:
  static constexpr int kWindowLogMax = 27;  // 128 MiB, what `zstd -d` accepts by default

  std::string name_;
  CompressedInput input_;
  ZSTD_DCtx* context_;
  bool inside_frame_ = false;
};

}  // namespace

InputFile::InputFile(const std::string& path)
    : name_(path == "-" ? "(standard input)" : path),
      file_(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                        : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!file_.is_open()) fail_io(name_, "cannot open");
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail_io(name_, "cannot read");
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::io, name_ + ": is a directory; name the files in it");
  }
  regular_ = S_ISREG(status.st_mode);
  if (regular_) {
    const off_t here = ::lseek(file_.get(), 0, SEEK_CUR);
    start_ = here > 0 ? static_cast<std::uint64_t>(here) : 0;
    const auto end = static_cast<std::uint64_t>(status.st_size);
    size_ = end > start_ ? end - start_ : 0;
  } else {
    // Fewer, larger reads; no harm where it is refused.
    ::fcntl(file_.get(), F_SETPIPE_SZ, kPipeBytes);
  }
}

std::size_t InputFile::read_at(std::uint64_t offset, std::span<char> room) const {
  std::size_t done = 0;
  while (done < room.size()) {
    const ssize_t got = ::pread(file_.get(), room.data() + done, room.size() - done,
                                static_cast<off_t>(start_ + offset + done));
    if (got < 0) {
      if (errno == EINTR) continue;
      fail_io(name_, "cannot read");
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t InputFile::read(std::span<char> room) {
  if (regular_) {
    const std::size_t got = read_at(position_, room);
    position_ += got;
    return got;
  }
  while (true) {
    const ssize_t got = ::read(file_.get(), room.data(), room.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail_io(name_, "cannot read");
  }
}

Compression detect_compression(std::span<const char> first_bytes) noexcept {
  static constexpr std::array<char, 3> kGzip{'\x1f', '\x8b', '\x08'};
  static constexpr std::array<char, 4> kZstd{'\x28', '\xb5', '\x2f', '\xfd'};
  const auto begins = [&](std::span<const char> magic) {
    return first_bytes.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), first_bytes.begin());
  };
  if (begins(kGzip)) return Compression::gzip;
  if (begins(kZstd)) return Compression::zstd;
  return Compression::none;
}

OpenedSource open_source(InputFile& file) {
  std::array<char, 4> head{};
  std::size_t size = 0;
  while (size < head.size()) {
    const std::size_t got = file.read(std::span(head).subspan(size));
    if (got == 0) break;
    size += got;
  }
  const std::span<const char> seen(head.data(), size);
  const Compression compression = detect_compression(seen);
  switch (compression) {
    case Compression::gzip:
      return {std::make_unique<GzipSource>(file, seen), compression};
    case Compression::zstd:
      return {std::make_unique<ZstdSource>(file, seen), compression};
    case Compression::none:
      break;
  }
  return {std::make_unique<PlainSource>(file, seen), compression};
}

}  // namespace crivo::keys
