// SPDX-License-Identifier: Apache-2.0
#include "shards/part_exchange.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "crivo/error.hpp"
#include "file/container.hpp"
#include "file/mapped_file.hpp"
#include "file/pending_file.hpp"
#include "stream/shell_command.hpp"

namespace crivo::index {

class PartCommand {
 public:
  enum class Way { put, get };

  /// Starts `sh -c command`, with `name` in its environment as CRIVO_NAME. What a command that puts
  /// says on its standard output goes to standard error. Throws Error(io).
  PartCommand(Way way, const std::string& command, const std::string& name);
  /// Writes all to its standard input. Throws Error(io), also if it reads no more.
  void write(base::ByteView bytes);
  /// Returns the next bytes of its standard output: none at the end. Throws Error(io).
  base::ByteView read();
  /// Waits for its end. Throws Error(io) if it fails: its status is not 0, or a signal ended it.
  void finish();

  /// Throws Error(io): "NAME: problem".
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  Way way_;
  std::string name_;
  stream::ShellCommand command_;
  base::Bytes buffer_;
};

namespace {

constexpr std::uint64_t kForgetBytes = std::uint64_t{4} << 20;

[[noreturn]] void fail_exchange(ErrorKind kind, const std::string& name,
                                const std::string& problem) {
  throw Error(kind, name + ": " + problem, {.file = name});
}

std::uint64_t bytes_of(std::span<const base::ByteView> views) noexcept {
  std::uint64_t bytes = 0;
  for (const base::ByteView view : views) bytes += view.size();
  return bytes;
}

/// Calls use(bytes) for all of the views in pieces, and forget() after each.
template <typename Use>
void in_pieces(std::span<const base::ByteView> views, const std::function<void()>& forget,
               Use&& use) {
  for (base::ByteView view : views) {
    while (!view.empty()) {
      const base::ByteView some = view.first(std::min<std::uint64_t>(view.size(), kForgetBytes));
      use(some);
      forget();
      view = view.subspan(some.size());
    }
  }
}

/// Compares bytes that come bit by bit with those of views.
class Comparison {
 public:
  Comparison(std::span<const base::ByteView> views, const std::function<void()>& forget)
      : views_(views), forget_(forget) {}

  void add(base::ByteView bytes) {
    read_ += bytes.size();
    while (!bytes.empty() && same_) bytes = bytes.subspan(compare(bytes));
  }
  /// How many bytes came.
  std::uint64_t read() const noexcept { return read_; }
  /// Whether they are the first of the views.
  bool same() const noexcept { return same_; }

 private:
  /// Returns how many were compared.
  std::size_t compare(base::ByteView bytes) {
    while (!views_.empty() && at_ == views_.front().size()) {
      views_ = views_.subspan(1);
      at_ = 0;
    }
    if (views_.empty()) {
      same_ = false;
      return bytes.size();
    }
    const base::ByteView own = views_.front().subspan(at_);
    const std::size_t count = std::min(own.size(), bytes.size());
    same_ = std::ranges::equal(own.first(count), bytes.first(count));
    at_ += count;
    compared_ += count;
    if (compared_ >= kForgetBytes) {
      forget_();
      compared_ = 0;
    }
    return count;
  }

  std::span<const base::ByteView> views_;
  const std::function<void()>& forget_;
  std::size_t at_ = 0;  // in the first of them
  std::uint64_t compared_ = 0;
  std::uint64_t read_ = 0;
  bool same_ = true;
};

}  // namespace

PartExchange::PartExchange(const BuildOptions& options)
    : commands_(options.exchange), progress_(options.resources.progress) {
  if (puts() && !gets())
    throw Error(ErrorKind::usage,
                "a command that puts parts needs one that gets them, by which each is checked",
                {.remedy = "get"});
}

void PartExchange::put(const std::string& name, std::span<const base::ByteView> views,
                       const std::function<void()>& forget) const {
  PartCommand command(PartCommand::Way::put, commands_.put, name);
  in_pieces(views, forget, [&](base::ByteView some) {
    if (progress_ != nullptr) progress_->add(0);
    command.write(some);
  });
  command.finish();
  check_same(name, views, forget);
}

void PartExchange::get(const std::string& name,
                       const std::function<void(base::ByteView)>& use) const {
  PartCommand command(PartCommand::Way::get, commands_.get, name);
  for (base::ByteView bytes = command.read(); !bytes.empty(); bytes = command.read()) {
    if (progress_ != nullptr) progress_->add(0);
    use(bytes);
  }
  command.finish();
}

void PartExchange::check_same(const std::string& name, std::span<const base::ByteView> views,
                              const std::function<void()>& forget) const {
  Comparison comparison(views, forget);
  get(name, [&](base::ByteView bytes) { comparison.add(bytes); });
  const std::uint64_t wanted = bytes_of(views);
  if (!comparison.same())
    fail_exchange(ErrorKind::io, name, "what was read back is not what was put");
  if (comparison.read() != wanted)
    fail_exchange(ErrorKind::io, name,
                  "of " + std::to_string(wanted) + " bytes that were put, " +
                      std::to_string(comparison.read()) + " were read back");
}

void PartExchange::put_file(const std::filesystem::path& path) const {
  if (!puts()) return;
  const file::MappedFile file(path, file::Loading::for_a_pass);
  const std::array views{file.bytes()};
  put(path.filename().string(), views, [&] { file.forget(); });
}

void PartExchange::compare_file(const std::filesystem::path& path) const {
  const file::MappedFile file(path, file::Loading::for_a_pass);
  const std::array views{file.bytes()};
  check_same(path.filename().string(), views, [&] { file.forget(); });
}

void PartExchange::get_file(const std::filesystem::path& path) const {
  file::PendingFile pending(file::OutputTarget::file(path, file::IfExists::replace));
  std::uint64_t end = 0;
  get(path.filename().string(), [&](base::ByteView bytes) {
    pending.write_at(end, bytes);
    end += bytes.size();
  });
  {
    const base::FileDescriptor opened = file::open_to_map(pending.path_to_open());
    const std::string name = path.filename().string() + ", as the command got it";
    file::Container::open(opened, name, file::Loading::for_a_pass).verify(1, [](std::uint64_t) {});
  }
  (void)pending.publish();
}

std::vector<std::filesystem::path> get_missing_parts(
    const PartExchange& exchange, const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> present;
  if (!exchange.gets()) return present;
  for (const std::filesystem::path& path : paths) {
    if (std::filesystem::exists(path)) {
      present.push_back(path);
    } else {
      exchange.get_file(path);
    }
  }
  return present;
}

namespace {

constexpr std::size_t kPipeBytes = std::size_t{1} << 17;

/// A write to a command that reads no more is an error here, and no signal to the whole program.
class NoPipeSignal {
 public:
  NoPipeSignal() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

PartCommand::PartCommand(Way way, const std::string& command, const std::string& name)
    : way_(way),
      name_(name),
      command_(name, command,
               way == Way::put ? stream::ShellCommand::Pipe::to_input
                               : stream::ShellCommand::Pipe::from_output,
               "CRIVO_NAME=" + name) {
  if (way == Way::get) buffer_.resize(kPipeBytes);
}

void PartCommand::write(base::ByteView bytes) {
  const NoPipeSignal no_signal;
  while (!bytes.empty()) {
    const ssize_t put = ::write(command_.pipe(), bytes.data(), bytes.size());
    if (put >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    } else if (errno == EPIPE) {
      finish();
      fail("the command that puts it read only a part of it");
    } else if (errno != EINTR) {
      base::throw_file_error(name_, "cannot write to the command that puts it", errno);
    }
  }
}

base::ByteView PartCommand::read() {
  while (true) {
    const ssize_t got = ::read(command_.pipe(), buffer_.data(), buffer_.size());
    if (got >= 0) return base::ByteView(buffer_).first(static_cast<std::size_t>(got));
    if (errno != EINTR)
      base::throw_file_error(name_, "cannot read from the command that gets it", errno);
  }
}

void PartCommand::finish() {
  const std::string problem = command_.finish();
  if (!problem.empty())
    fail((way_ == Way::put ? "the command that puts it " : "the command that gets it ") + problem);
}

void PartCommand::fail(const std::string& problem) const {
  throw Error(ErrorKind::io, name_ + ": " + problem, {.file = name_});
}

}  // namespace crivo::index
