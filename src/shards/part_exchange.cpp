// SPDX-License-Identifier: Apache-2.0
#include "shards/part_exchange.hpp"

#include <algorithm>
#include <array>

#include "crivo/error.hpp"
#include "file/container.hpp"
#include "file/mapped_file.hpp"
#include "file/pending_file.hpp"
#include "shards/part_command.hpp"

namespace crivo::index {
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

}  // namespace crivo::index
