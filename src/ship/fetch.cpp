// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/as_error.hpp"
#include "base/file_descriptor.hpp"
#include "base/text.hpp"
#include "crivo/build/ship.hpp"
#include "crivo/error.hpp"
#include "file/build/new_file.hpp"
#include "file/directory.hpp"
#include "file/pending_file.hpp"
#include "file/trust/key_file.hpp"
#include "file/trust/signature_check.hpp"
#include "lookup/open_trusted.hpp"
#include "ship/contents.hpp"

namespace crivo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSetBegin = "set-";
constexpr const char* kLink = "current";
constexpr const char* kNewLink = "current-new";
constexpr const char* kNewSet = "set-new";
constexpr const char* kContentsSignature = "contents.minisig";

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw Error(ErrorKind::corrupt, file + ": " + problem, {.file = file});
}

/// The directory that sets are fetched into, locked; without what killed processes left there.
class FetchedSets {
 public:
  explicit FetchedSets(fs::path path) : path_(std::move(path)), directory_(open(path_)) {
    while (::flock(directory_.get(), LOCK_EX) != 0)
      if (errno != EINTR) base::throw_file_error(path_.string(), "cannot be locked", errno);
    const fs::path link = path_ / kLink;
    const auto kind = fs::symlink_status(link).type();
    if (kind == fs::file_type::symlink) {
      current_ = fs::read_symlink(link).string();
    } else if (kind != fs::file_type::not_found) {
      throw Error(ErrorKind::usage, link.string() + ": is not the link that fetches make");
    }
    file::remove_tree(directory_, kNewSet);
    file::remove_tree(directory_, kNewLink);
  }

  /// 0: none is here.
  std::uint64_t sequence() const {
    if (!current_.starts_with(kSetBegin)) return 0;
    return base::number_in<std::uint64_t>(std::string_view(current_).substr(kSetBegin.size()))
        .value_or(0);
  }
  fs::path link() const { return path_ / kLink; }
  fs::path new_set() const { return path_ / kNewSet; }

  /// Makes the new set the current one. Throws Error(io), and the old one is as it was; what fails
  /// after that is a warning.
  file::Warnings swap(std::uint64_t sequence) {
    const std::string name = std::string(kSetBegin) + std::to_string(sequence);
    file::remove_tree(directory_, name);  // of a process that was killed before it swapped
    rename(kNewSet, name.c_str());
    sync(directory_);
    if (::symlinkat(name.c_str(), directory_.get(), kNewLink) != 0) fail(kNewLink);
    rename(kNewLink, kLink);
    file::Warnings warnings;
    try {
      if (const int error = directory_.sync(directory_.get()); error != 0)
        file::warn(warnings, link(), "may not outlast a loss of power", error);
      remove_others(name, warnings);
    } catch (const std::bad_alloc&) {  // what is left is removed by the next fetch
    }
    return warnings;
  }

  /// Removes the new set that came to nothing; where that fails, the next fetch does.
  void forget_new_set() const noexcept {
    try {
      file::remove_tree(directory_, kNewSet);
    } catch (...) {
    }
  }

  static void sync(const file::Directory& directory) {
    if (const int error = directory.sync(directory.get()); error != 0)
      base::throw_file_error(directory.path().string(), "cannot write", error);
  }

 private:
  /// All sets but the new one and the one before.
  void remove_others(const std::string& name, file::Warnings& warnings) const {
    try {
      for (const std::string& other : directory_.names())
        if (other.starts_with(kSetBegin) && other != name && other != current_)
          file::remove_tree(directory_, other);
    } catch (const Error& error) {
      warnings.push_back({.text = error.what()});
    }
  }

  [[noreturn]] void fail(const char* name) const {
    base::throw_file_error((path_ / name).string(), "cannot be made", errno);
  }
  void rename(const char* from, const char* to) const {
    if (::renameat(directory_.get(), from, directory_.get(), to) != 0) fail(to);
  }

  static file::Directory open(const fs::path& path) {
    fs::create_directory(path);
    return file::Directory(path);
  }

  fs::path path_;
  file::Directory directory_;
  std::string current_;  ///< where the link leads to
};

/// The text of a file of the site, of `most` bytes at most.
std::string text_at(Site& site, const std::string& name, std::uint64_t most) {
  std::string text;
  site.read(name, most, [&](std::span<const std::byte> bytes) {
    if (bytes.size() > most - text.size())
      refuse(site.location() + "/" + name, "is longer than " + std::to_string(most) + " bytes");
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return text;
}

class Fetch {
 public:
  Fetch(Site& site, const fs::path& directory, const Trust& trust)
      : site_(site),
        sets_(directory),
        trust_(trust),
        signature_name_(site.location() + "/" + std::string(file::kCurrentName)) {
    trust_.minimum_sequence = std::max(trust_.minimum_sequence, sets_.sequence());
    signature_ = text_at(site, std::string(file::kCurrentName), trust::kMostSignatureFileBytes);
    check_ = std::make_unique<const trust::SignatureCheck>(
        signature_, signature_name_, std::vector<std::string>{index::signed_name(directory)},
        trust_);
    statement_ = check_->statement().value_or(trust::Statement{});
    if (statement_.root || statement_.sequence == 0)
      refuse(signature_name_, "is not the signature of a published set");
    if (statement_.bytes > file::kMostContentsBytes)
      refuse(signature_name_, "is of a list of more than 16 MiB");
  }

  FetchSummary run() {
    FetchSummary summary{.sequence = statement_.sequence,
                         .expires = statement_.expires,
                         .key_id = check_->signature().key_id,
                         .current = sets_.link()};
    if (statement_.sequence == sets_.sequence()) {
      go_on_with_current(summary);
      check_->note_seen();
    } else {
      fetch_new(summary);
    }
    return summary;
  }

 private:
  /// The same set, perhaps signed anew until a later time. What is not as the list says any more is
  /// fetched again.
  void go_on_with_current(FetchSummary& summary) {
    const fs::path list = sets_.link() / file::kContentsName;
    const auto text = trust::read_text(list, file::kMostContentsBytes);
    if (!text || !check_->is_of(base::as_bytes(*text)))
      refuse(signature_name_, "has other files under the sequence " +
                                  std::to_string(sets_.sequence()) + " than those that are here");
    const fs::path kept = sets_.link() / kContentsSignature;
    if (trust::read_text(kept, trust::kMostSignatureFileBytes) != signature_) {
      file::PendingFile pending(file::OutputTarget::file(kept, file::IfExists::replace));
      pending.write_at(0, base::as_bytes(signature_));
      pending.publish();
    }
    const file::Contents contents = file::decode_contents(*text, list.string());
    summary.files = contents.size();
    try {
      for (const file::PublishedFile& one : contents)
        if (!is_right(one, sets_.link() / one.name)) mend(one, summary);
    } catch (...) {
      sets_.forget_new_set();
      throw;
    }
    if (summary.fetched != 0) sets_.forget_new_set();
  }

  /// Puts a file of the current set into its place.
  void mend(const file::PublishedFile& one, FetchSummary& summary) {
    const fs::path place = sets_.link() / one.name;
    fs::create_directory(sets_.new_set());
    put(one, summary);
    fs::create_directories(place.parent_path());
    fs::rename(sets_.new_set() / one.name, place);
    FetchedSets::sync(file::Directory(place.parent_path()));
  }

  /// Whether a file of this machine, and no link to one, is that of the list.
  static bool is_right(const file::PublishedFile& one, const fs::path& path) {
    hashing::Sha256 hash;
    try {
      if (!fs::is_regular_file(fs::symlink_status(path))) return false;
      file::read_file(path, [&](base::ByteView piece) { hash.add(piece); });
    } catch (const std::exception&) {
      return false;
    }
    return hash.value() == one.sha256;
  }

  void fetch_new(FetchSummary& summary) {
    const std::uint64_t sequence = statement_.sequence;
    const std::string name = file::contents_name(sequence);
    const std::string list = text_at(site_, name, statement_.bytes);
    if (!check_->is_of(base::as_bytes(list)))
      refuse(site_.location() + "/" + name, "is another list than " + signature_name_ + " is of");
    const file::Contents contents = file::decode_contents(list, site_.location() + "/" + name);
    here_ = contents_here();
    fs::create_directory(sets_.new_set());
    try {
      for (const file::PublishedFile& one : contents) put(one, summary);
      write(std::string(file::kContentsName), list);
      write(kContentsSignature, signature_);
      sync_directories();
      check_->note_seen();
      summary.warnings = sets_.swap(sequence);
    } catch (...) {
      sets_.forget_new_set();
      throw;
    }
    summary.is_new = true;
    summary.files = contents.size();
  }

  /// Returns the old set's files; none where its list cannot be read, as it is here to spare
  /// fetches.
  file::Contents contents_here() const {
    if (sets_.sequence() == 0) return {};
    const fs::path list = sets_.link() / file::kContentsName;
    try {
      const auto text = trust::read_text(list, file::kMostContentsBytes);
      return text ? file::decode_contents(*text, list.string()) : file::Contents{};
    } catch (const Error&) {
      return {};
    }
  }

  void put(const file::PublishedFile& one, FetchSummary& summary) {
    const fs::path path = sets_.new_set() / one.name;
    make_directories(one.name);
    if (link_old(one, path)) return;
    const std::string name = file::object_name(one.sha256);
    file::NewFile file(path);
    const auto refuse_object = [&](const std::string& problem) {
      refuse(site_.location() + "/" + name, problem + " (it is " + one.name + ")");
    };
    site_.read(name, one.bytes, [&](std::span<const std::byte> bytes) {
      if (bytes.size() > one.bytes - file.bytes()) refuse_object("is longer than its list says");
      file.append(bytes);
    });
    if (file.bytes() != one.bytes) refuse_object("is shorter than its list says");
    if (file.sha256() != one.sha256) refuse_object("is another file than its list says");
    file.finish();
    ++summary.fetched;
    summary.fetched_bytes += one.bytes;
  }

  /// Gives a file of the old set, which is read and checked, its new name, too. False if it has
  /// none that is right, or the file system has no further names.
  bool link_old(const file::PublishedFile& one, const fs::path& path) const {
    const auto old = std::ranges::find(here_, one.sha256, &file::PublishedFile::sha256);
    if (old == here_.end()) return false;
    const fs::path from = sets_.link() / old->name;
    return is_right(one, from) && ::link(from.c_str(), path.c_str()) == 0;
  }

  void write(const std::string& name, const std::string& text) {
    file::NewFile file(sets_.new_set() / name);
    file.append(base::as_bytes(text));
    file.finish();
  }

  /// Those that a file of the list is in, below the new set.
  void make_directories(const std::string& name) {
    for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1))
      if (directories_.insert(name.substr(0, end)).second)
        fs::create_directory(sets_.new_set() / name.substr(0, end));
  }

  void sync_directories() const {
    FetchedSets::sync(file::Directory(sets_.new_set()));
    for (const std::string& name : directories_)
      FetchedSets::sync(file::Directory(sets_.new_set() / name));
  }

  Site& site_;
  FetchedSets sets_;
  Trust trust_;
  std::string signature_name_;
  std::string signature_;
  std::unique_ptr<const trust::SignatureCheck> check_;
  trust::Statement statement_;
  file::Contents here_;
  std::set<std::string> directories_;  ///< of the new set
};

class DirectorySite final : public Site {
 public:
  explicit DirectorySite(fs::path path) : Site(path.string()), path_(std::move(path)) {}

  void read(const std::string& name, std::uint64_t most, const Take& take) override {
    std::uint64_t left = most;
    file::read_file(path_ / name, [&](std::span<const std::byte> bytes) {
      if (bytes.size() > left) refuse((path_ / name).string(), "is longer than it should be");
      left -= bytes.size();
      take(bytes);
    });
  }

 private:
  fs::path path_;
};

}  // namespace

Site::Site(std::string location) : location_(std::move(location)) {}
Site::~Site() = default;

std::unique_ptr<Site> Site::of_directory(const fs::path& path) {
  return std::make_unique<DirectorySite>(path);
}

FetchSummary fetch(Site& site, const fs::path& directory, const Trust& trust) try {
  return Fetch(site, directory, trust).run();
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
