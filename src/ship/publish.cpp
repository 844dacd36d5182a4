// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/as_error.hpp"
#include "crivo/build/ship.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "crivo/progress.hpp"
#include "file/build/new_file.hpp"
#include "file/directory.hpp"
#include "file/layout.hpp"
#include "file/output_target.hpp"
#include "file/pending_file.hpp"
#include "file/trust/blake2b_of.hpp"
#include "file/trust/key_file.hpp"
#include "lookup/open_trusted.hpp"
#include "ship/contents.hpp"
#include "ship/secret_key.hpp"

namespace crivo {
namespace {

namespace fs = std::filesystem;

/// A file that is to be published.
struct Candidate {
  std::string name;
  fs::path path;
};

/// Verifies what is of ours.
void verify_candidate(const fs::path& path, const Resources& resources) {
  std::array<std::byte, 8> begin{};
  const auto file = base::FileDescriptor::open_to_read(path);
  if (file.read_at(0, begin) && std::ranges::equal(begin, file::layout::magic()))
    verify(path, resources);
}

/// A link in a folder may lead out of it, to what nobody meant to publish.
void refuse_link(const fs::path& path, const char* remedy) {
  if (fs::is_symlink(path))
    throw Error(ErrorKind::usage,
                path.string() + ": is a symbolic link, which is not followed; " + remedy,
                {.file = path.string()});
}

/// All files in the directory and below, as names that begin with `prefix`. (The standard library's
/// iterators end the process where there is no memory.)
void gather_below(const fs::path& folder, const std::string& prefix, std::vector<Candidate>& all) {
  for (const std::string& name : file::Directory(folder).names()) {
    const fs::path path = folder / name;
    refuse_link(path, "put a copy of what it leads to in its place");
    if (!fs::is_directory(path)) {
      all.push_back({prefix + name, path});
    } else {
      gather_below(path, prefix + name + "/", all);
    }
  }
}

/// The file, or all files in the directory and below.
void gather(const fs::path& path, const Resources& resources, std::vector<Candidate>& all) {
  const std::string name = index::signed_name(path);
  if (!fs::is_directory(path)) {
    verify_candidate(path, resources);
    all.push_back({name, path});
    return;
  }
  const bool is_store = fs::exists(path / index::kIndexName);
  if (is_store) {
    index::refuse_uncovered(index::StoreFiles::open(path, file::Loading::for_a_pass),
                            "be published");
    verify(path, resources);
  }
  std::vector<Candidate> below;
  gather_below(path, name + "/", below);
  for (Candidate& one : below) {
    if (!is_store) verify_candidate(one.path, resources);
    all.push_back(std::move(one));
  }
}

std::vector<Candidate> candidates_of(const std::vector<fs::path>& paths,
                                     const Resources& resources) {
  std::vector<Candidate> all;
  for (const fs::path& path : paths) gather(path, resources, all);
  std::ranges::sort(all, {}, &Candidate::name);
  for (const Candidate& one : all) {
    if (!file::is_published_name(one.name))
      throw Error(ErrorKind::usage, one.path.string() + ": a list of published files cannot have " +
                                        "the name " + quote(one.name));
  }
  const auto twice = std::ranges::adjacent_find(all, {}, &Candidate::name);
  if (twice != all.end())
    throw Error(ErrorKind::usage, twice->path.string() + " and " + std::next(twice)->path.string() +
                                      ": have one name");
  return all;
}

file::Contents list_of(const std::vector<Candidate>& candidates) {
  file::Contents contents;
  for (const Candidate& one : candidates) {
    hashing::Sha256 hash;
    std::uint64_t bytes = 0;
    file::read_file(one.path, [&](base::ByteView piece) {
      hash.add(piece);
      bytes += piece.size();
    });
    contents.push_back({one.name, bytes, hash.value()});
  }
  return contents;
}

/// The set that is published there already.
struct Published {
  std::uint64_t sequence = 0;  ///< 0: nothing
  file::Contents contents;
};

Published published_in(const fs::path& directory) {
  const fs::path signature = directory / file::kCurrentName;
  if (!fs::exists(signature)) return {};
  const std::string name = signature.string();
  const auto text = trust::read_text(signature, trust::kMostSignatureFileBytes);
  const auto statement =
      text ? trust::parse_comment(trust::decode_signature(*text, name).comment, name)
           : std::nullopt;
  if (!statement || statement->sequence == 0)
    throw Error(ErrorKind::corrupt, name + ": is not the signature of a published set",
                {.file = name});
  Published published{.sequence = statement->sequence, .contents = {}};
  const fs::path list = directory / file::contents_name(published.sequence);
  if (const auto listed = trust::read_text(list, file::kMostContentsBytes))
    published.contents = file::decode_contents(*listed, list.string());
  return published;
}

std::uint64_t next_sequence(const PublishOptions& options, const Published& before,
                            const fs::path& directory) {
  const std::uint64_t next = options.sequence.value_or(before.sequence + 1);
  if (next > before.sequence) return next;
  throw Error(ErrorKind::usage,
              directory.string() + ": has the sequence " + std::to_string(before.sequence) +
                  " already, so " + std::to_string(next) + " would be refused; take a higher one",
              {.file = directory.string(), .remedy = "sequence"});
}

constexpr const char* kSiteRemedy = "a published directory has its files itself: remove it";

file::Warnings write_whole(const fs::path& path, base::ByteView bytes) {
  refuse_link(path, kSiteRemedy);
  file::PendingFile pending(file::OutputTarget::file(path, file::IfExists::replace));
  pending.write_at(0, bytes);
  return pending.publish();
}

/// Whether the file was not there.
bool add_object(const fs::path& directory, const Candidate& from, const file::PublishedFile& to) {
  const fs::path path = directory / file::object_name(to.sha256);
  refuse_link(path, kSiteRemedy);
  std::error_code missing;
  if (const auto bytes = fs::file_size(path, missing); !missing && bytes == to.bytes) return false;
  file::PendingFile pending(file::OutputTarget::file(path, file::IfExists::replace));
  hashing::Sha256 hash;
  file::Appender out(pending);
  file::read_file(from.path, [&](base::ByteView piece) {
    hash.add(piece);
    out.append(piece);
  });
  out.flush();
  if (hash.value() != to.sha256)
    throw Error(ErrorKind::io, from.path.string() + ": was changed while it was published",
                {.file = from.path.string()});
  pending.publish();
  return true;
}

/// Removes what neither set needs: of ours alone, and as far as it can.
void remove_others(const fs::path& directory, const Published& before,
                   const file::Contents& contents, std::uint64_t sequence,
                   file::Warnings& warnings) {
  std::set<std::string> kept{file::contents_name(before.sequence), file::contents_name(sequence)};
  for (const file::Contents* const one : {&before.contents, &contents})
    for (const file::PublishedFile& file : *one) kept.insert(file::object_name(file.sha256));
  const auto sweep = [&](const fs::path& folder, const std::string& prefix,
                         std::string_view begin) {
    const file::Directory here(folder);
    for (const std::string& name : here.names()) {
      if (!name.starts_with(begin) || kept.contains(prefix + name)) continue;
      if (::unlinkat(here.get(), name.c_str(), 0) != 0 && errno != ENOENT)
        file::warn(warnings, folder / name, "is not needed, and cannot be removed", errno);
    }
  };
  sweep(directory, "", "contents-");
  sweep(directory / "files", "files/", "");
}

}  // namespace

PublishSummary publish(const std::vector<fs::path>& paths, const fs::path& directory,
                       const PublishOptions& options) try {
  trust::require_libcrypto();
  if (paths.empty()) throw Error(ErrorKind::usage, "name the files to publish");
  trust::SecretKey key;
  trust::read_secret_key(options.secret_key, options.password, key);
  fs::create_directories(directory / "files");
  refuse_link(directory / file::kCurrentName, kSiteRemedy);
  const auto target =
      file::OutputTarget::file(directory / file::kCurrentName, file::IfExists::replace);
  const file::OutputLock lock(target);
  const Published before = published_in(directory);
  const std::uint64_t sequence = next_sequence(options, before, directory);
  const std::vector<Candidate> candidates = candidates_of(paths, options.resources);
  const file::Contents contents = list_of(candidates);
  PublishSummary summary{.signature = target.path(), .sequence = sequence};
  summary.files = contents.size();
  for (std::size_t i = 0; i < contents.size(); ++i)
    summary.added += add_object(directory, candidates[i], contents[i]) ? 1 : 0;
  const std::string list = file::encode(contents);
  if (list.size() > file::kMostContentsBytes)
    throw Error(ErrorKind::usage, "the list of the files has more than 16 MiB; publish fewer");
  write_whole(directory / file::contents_name(sequence), base::as_bytes(list));
  const trust::Statement statement{
      .bytes = list.size(), .sequence = sequence, .expires = options.expires};
  Progress unseen;
  const trust::SignatureFile signature =
      trust::make_signature(trust::blake2b_of(base::as_bytes(list), unseen), statement, key);
  summary.key_id = trust::key_id_text(key.id);
  summary.comment = signature.comment;
  file::PendingFile pending(target);
  const std::string text = trust::encode(signature);
  pending.write_at(0, base::as_bytes(text));
  trust::warn_of_rights(options.secret_key, summary.warnings);
  // Nothing that fails for want of memory, unless it has to warn, is behind it.
  std::ranges::move(pending.publish(lock), std::back_inserter(summary.warnings));
  try {
    remove_others(directory, before, contents, sequence, summary.warnings);
  } catch (const std::bad_alloc&) {  // what is left is removed when the next set is published
  } catch (const Error& error) {
    file::warn(summary.warnings, directory, "what is not needed there cannot be removed",
               error.place().system_error.value_or(0));
  }
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
