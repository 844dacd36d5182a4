// SPDX-License-Identifier: Apache-2.0
#include "file/trust/key_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"

namespace crivo::trust {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> read_text(const std::filesystem::path& path, std::size_t most) {
  const base::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) base::throw_file_error(path.string(), "cannot open", errno);
  // Whatever it is, as a pipe of the shell: it is read to its end, and its length is not asked for.
  // A named pipe that nobody writes to is at its end.
  std::string text(most + 1, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {
      pollfd waiting{.fd = file.get(), .events = POLLIN, .revents = 0};
      (void)::poll(&waiting, 1, -1);
      continue;
    }
    if (got < 0) base::throw_file_error(path.string(), "cannot read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  if (done > most) return std::nullopt;
  text.resize(done);
  return text;
}

std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view line = text.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  text.remove_prefix(end + 1);
  return line;
}

std::optional<std::string_view> key_line(std::string_view text) {
  const auto comment = take_line(text);
  if (!comment || !comment->starts_with(kUntrustedComment)) return std::nullopt;
  if (const auto line = take_line(text)) return line;
  return text;  // the last line may lack its end
}

std::string key_id_text(std::uint64_t id) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[id >> shift & 15];
  return text;
}

std::string to_base64(base::ByteView bytes) {
  std::string text;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::size_t>(3, bytes.size()))) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= bytes.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

bool from_base64(std::string_view text, std::span<std::byte> bytes) noexcept {
  if (text.size() != (bytes.size() + 2) / 3 * 4) return false;
  for (; !bytes.empty(); text.remove_prefix(4)) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size());
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t digit = i <= count ? kDigits.find(text[i]) : 0;
      if (digit == std::string_view::npos || (i > count && text[i] != '=')) return false;
      bits = bits << 6 | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t i = 0; i < count; ++i)
      bytes[i] = static_cast<std::byte>(bits >> (16 - 8 * i) & 0xff);
    if ((bits & ((std::uint32_t{1} << (24 - 8 * count)) - 1)) != 0) return false;
    bytes = bytes.subspan(count);
  }
  return true;
}

}  // namespace crivo::trust
