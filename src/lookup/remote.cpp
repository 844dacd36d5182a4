// SPDX-License-Identifier: Apache-2.0
#include "crivo/remote.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "base/progress.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "crivo/key.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/check_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_parts.hpp"
#include "lookup/opened.hpp"
#include "lookup/remote_files.hpp"

namespace crivo::index {
namespace {

/// Keys that are looked up together, and of which what is not here is asked for together with that
/// of the blocks behind, until that is so much.
constexpr std::size_t kKeysOfBlock = 1024;
constexpr std::uint64_t kMostWanted = std::uint64_t{16} << 20;

/// The answers to some keys, while it is not known that they are right.
class KeptAnswers {
 public:
  OpenIndex::Visit keep() {
    return [this](std::string_view key, const Answer& answer) {
      all_.push_back(
          {std::string(key), std::string(answer.text), std::string(answer.value), answer});
    };
  }
  void tell(const OpenIndex::Visit& visit) {
    for (Kept& one : all_) {
      one.answer.text = one.text;
      one.answer.value = one.value;
      visit(one.key, one.answer);
    }
  }
  void clear() noexcept { all_.clear(); }

 private:
  struct Kept {
    std::string key;
    std::string text;
    std::string value;
    Answer answer;
  };
  std::vector<Kept> all_;
};

/// Thrown where a range of keys goes on with bytes that are not here.
struct IsNotHere {};

/// Whether the work touched nothing that is not here. What it throws where it did is of no matter.
template <typename Work>
bool succeeds(detail::RemoteFiles& files, Work&& work) {
  try {
    work();
  } catch (const IsNotHere&) {  // as files.wants() tells
  } catch (const Error&) {
    if (!files.wants()) throw;
  }
  return !files.wants();
}

std::unique_ptr<OpenIndex> open_structure(const std::shared_ptr<detail::RemoteFiles>& files) {
  OpenOptions options;
  options.files = files;
  const file::Container& index = files->index().container();
  if (index.header().kind == file::Kind::store) return open_store(files->name(), options);
  if (index.header().kind != file::Kind::chain)
    return index_kind_of(index).open(files->name(), options);
  const file::Container chain = files->open();
  const file::Container base = files->open_sibling(exact::decode_chain(chain).links.front().name);
  return index_kind_of(base).open(files->name(), options);
}

/// A file that is changed more often than this while it is asked is given up.
constexpr int kMostChanges = 10;

/// Does the work again whenever it finds that the file was changed and may_follow(), over the file
/// that is there by then, which open_again() opens.
template <typename Work, typename MayFollow, typename OpenAgain>
void follow(Work&& work, MayFollow&& may_follow, OpenAgain&& open_again) {
  for (int changes = 0;; ++changes) {
    try {
      if (changes != 0) open_again();
      return work();
    } catch (const Error& error) {
      if (error.place().system_error != ESTALE || changes == kMostChanges || !may_follow()) throw;
    }
  }
}

std::unique_ptr<OpenIndex> open_in_rounds(const std::shared_ptr<detail::RemoteFiles>& files) {
  std::unique_ptr<OpenIndex> opened;
  while (!succeeds(*files, [&] { opened = open_structure(files); })) files->fetch_wanted();
  return opened;
}

}  // namespace

/// Lookups in rounds: each is tried with the bytes that are here, what it touched of others is
/// fetched, and it is tried again, until all was here. So what does not depend on each other comes
/// at once, of all keys of a batch.
class RemoteIndex final : public OpenIndex {
 public:
  RemoteIndex(std::shared_ptr<detail::RemoteFiles> files, std::unique_ptr<OpenIndex> opened)
      : OpenIndex(files->name(), opened->kind()),
        files_(std::move(files)),
        opened_(std::move(opened)) {
    find_parts();
  }
  /// Opens the file that is there by then, if it is changed meanwhile and that is to be followed.
  static std::unique_ptr<RemoteIndex> open(std::shared_ptr<detail::RemoteFiles> files) {
    std::unique_ptr<RemoteIndex> index;
    follow([&] { index = std::make_unique<RemoteIndex>(files, open_in_rounds(files)); },
           [&] { return files->follows(); }, [&] { files = files->opened_again(); });
    return index;
  }

  const std::optional<Signature>& signature() const noexcept { return files_->signature(); }

  std::uint64_t size() const noexcept override { return opened_->size(); }
  FileInfo info() const override {
    FileInfo info;
    while (!succeeds(*files_, [&] { info = opened_->info(); })) files_->fetch_wanted();
    return info;
  }
  void verify(const Resources& resources) const override {
    Progress own;
    const base::BuildContext context = context_of(resources, own);
    context.progress.begin("verify", files_->bytes(), Progress::Unit::bytes);
    files_->check_all([&](std::uint64_t bytes) { context.progress.add(bytes); });
  }
  bool tells_absent() const noexcept override { return opened_->tells_absent(); }
  bool has_records() const noexcept override { return opened_->has_records(); }
  std::size_t keys_at_once() const noexcept override { return 16 * kKeysOfBlock; }

  void answer(const Key& key, const Visit& visit) override {
    const std::string_view text = key.text();
    answer(std::span(&text, 1), visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    ask(keys, visit, [&](std::span<const std::string_view> some, const Visit& keep) {
      opened_->answer(some, keep);
    });
  }
  void answer_hashed(std::span<const std::string_view> keys, const Visit& visit) override {
    ask(keys, visit, [&](std::span<const std::string_view> some, const Visit& keep) {
      opened_->answer_hashed(some, keep);
    });
  }
  bool takes_ranges() const noexcept override { return opened_->takes_ranges(); }
  void answer_ranges(std::span<const AskedRange> ranges, const Visit& visit) override {
    opened_->answer_ranges(ranges, visit);  // of filters that were read whole
  }
  void query(std::string_view name, std::span<const std::string> values,
             const Visit& visit) override {
    bool has_told = false;
    const Visit tell = [&](std::string_view key, const Answer& answer) {
      has_told = true;
      visit(key, answer);
    };
    follow([&] { walk(tell, [&](const auto& keep) { opened_->query(name, values, keep); }); },
           [&] { return files_->follows() && !has_told; }, [&] { open_again(); });
  }
  void for_each(const std::function<void(std::string_view key, const std::string_view* record)>&
                    visit) const override {
    walk(visit, [&](const auto& keep) { opened_->for_each(keep); });
  }

 protected:
  std::size_t bytes_before_suffixes(std::string_view key) const noexcept override {
    return opened_->bytes_before_suffixes(key);
  }

 private:
  void find_parts() {
    const file::Container& container = files_->index().container();
    const file::Kind kind = container.header().kind;
    if (kind != file::Kind::filter && kind != file::Kind::map && kind != file::Kind::rows) return;
    std::vector<const file::SectionEntry*> sections = structures_of(container);
    std::erase_if(sections, [&](const file::SectionEntry* section) {
      return kind == file::Kind::rows && !LookupParts::is_ribbon(*section);
    });
    parts_ = LookupParts::require_opening(files_->index(), sections);
    hash_.emplace(hash_function(container.header()));
  }
  /// Where it throws, the old file is still open, and can be asked again.
  void open_again() {
    std::shared_ptr<detail::RemoteFiles> files = files_->opened_again();
    std::unique_ptr<OpenIndex> opened = open_in_rounds(files);
    if (opened->kind() != kind())
      throw Error(ErrorKind::io,
                  name() + ": is of another kind by now, " + std::string(opened->kind()) +
                      "; open it again",
                  {.file = name()});
    parts_.clear();
    opened_ = std::move(opened);  // before the files that the old one is of
    files_ = std::move(files);
    find_parts();
  }

  template <typename Ask>
  void ask(std::span<const std::string_view> keys, const Visit& visit, const Ask& some_of) {
    follow([&] { ask_of(keys, visit, some_of); }, [&] { return files_->follows(); },
           [&] { open_again(); });
  }
  /// Has the answers of all keys told, in order; `keys` are those that were not told yet.
  template <typename Ask>
  void ask_of(std::span<const std::string_view>& keys, const Visit& visit, const Ask& some_of) {
    KeptAnswers kept;
    files_->make_room();
    while (!keys.empty()) {
      const std::size_t left = keys.size();
      require_parts(keys.first(std::min(keys.size(), keys_at_once())));
      for (auto rest = keys; !rest.empty() && files_->wanted_bytes() < kMostWanted;) {
        const auto some = rest.first(std::min(rest.size(), kKeysOfBlock));
        rest = rest.subspan(some.size());
        kept.clear();
        if (succeeds(*files_, [&] { some_of(some, kept.keep()); })) {
          kept.tell(visit);
          keys = rest;
        }
      }
      // Not before: what was fetched for a key is not let go until the key was told.
      if (keys.size() != left) files_->make_room();
      if (files_->wants()) files_->fetch_wanted();
    }
  }
  /// Has what a walk in order finds told where it was right, and goes on until all was. What it
  /// needs is kept until then. Each round begins at the first key, and reads twice as far behind
  /// what it lacks as the one before, so that all rounds together cost two of the last.
  template <typename See, typename Walk>
  void walk(const See& visit, Walk&& over) const {
    std::uint64_t told = 0;
    std::uint64_t ahead = 0;
    files_->make_room();
    while (!succeeds(*files_, [&] {
      std::uint64_t number = 0;
      over([&](std::string_view key, const auto& found) {
        if (files_->wants()) throw IsNotHere();
        if (number++ < told) return;
        visit(key, found);
        ++told;
      });
    })) {
      files_->fetch_wanted(ahead);
      ahead = std::min(files_->bytes(), std::max(2 * ahead, file::layout::kChunkBytes));
    }
  }

  /// What the keys need of ribbon sections.
  void require_parts(std::span<const std::string_view> keys) {
    if (parts_.empty()) return;
    std::vector<file::SectionPart> wanted;
    for (const std::string_view key : keys) {
      const Hash128 hash = detail::HashAccess::raw(*hash_, key);
      for (const LookupParts& part : parts_) wanted.push_back(part.of(hash));
    }
    files_->index().require(wanted, false);
  }

  std::shared_ptr<detail::RemoteFiles> files_;
  std::unique_ptr<OpenIndex> opened_;
  std::vector<LookupParts> parts_;
  std::optional<HashFunction> hash_;
};

}  // namespace crivo::index

namespace crivo {

Remote::Remote(std::shared_ptr<detail::RemoteFiles> files)
    : index_(index::RemoteIndex::open(std::move(files))) {}
Remote::~Remote() = default;
Remote::Remote(Remote&& other) noexcept = default;
Remote& Remote::operator=(Remote&& other) noexcept = default;

Remote Remote::open(std::unique_ptr<ByteSource> source, const RemoteOptions& options) try {
  return Remote(std::make_shared<detail::RemoteFiles>(std::move(source), options));
} catch (...) {
  base::rethrow_as_error();
}

Remote Remote::open(const std::filesystem::path& path, const std::optional<Trust>& trust) try {
  return Remote(std::make_shared<detail::RemoteFiles>(path, trust));
} catch (...) {
  base::rethrow_as_error();
}

std::vector<std::optional<std::string>> Remote::find(std::span<const std::string_view> keys) {
  std::vector<std::optional<std::string>> found;
  found.reserve(keys.size());
  index_->answer(keys, [&](std::string_view, const Answer& answer) {
    if (answer.is_further) return;
    found.push_back(answer.found ? std::optional(std::string(answer.text)) : std::nullopt);
  });
  return found;
}
std::optional<std::string> Remote::find(std::string_view key) {
  return find(std::span(&key, 1)).front();
}

const std::optional<Signature>& Remote::signature() const noexcept {
  return static_cast<const index::RemoteIndex&>(*index_).signature();
}

}  // namespace crivo
