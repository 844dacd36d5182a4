// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "base/file_descriptor.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "records/backends/lmdb/liblmdb.hpp"
#include "records/backends/lmdb/lmdb_tree.hpp"

struct MDB_env;
struct MDB_txn;

namespace crivo::records {

/// Holds a reader's slot, so that other processes' writers leave the pages of the snapshot alone.
/// LMDB itself is shown none of them but the meta pages, once those were checked, and maps the file
/// as it is: not the room to grow that a meta page asks for.
class LmdbSnapshot {
 public:
  /// `environment` is a directory that holds data.mdb, or the file itself. Throws Error(corrupt)
  /// where it is damaged or none, Error(io).
  explicit LmdbSnapshot(const std::filesystem::path& environment);
  ~LmdbSnapshot();
  LmdbSnapshot(const LmdbSnapshot&) = delete;
  LmdbSnapshot& operator=(const LmdbSnapshot&) = delete;

  const lmdb::TreeFile& file() const noexcept { return *tree_; }
  const lmdb::Meta& meta() const noexcept { return meta_; }

 private:
  void open(const std::filesystem::path& environment, bool is_file);
  void close() noexcept;

  base::FileDescriptor file_;
  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  std::unique_ptr<lmdb::TreeFile> tree_;
  lmdb::Meta meta_{};
};

}  // namespace crivo::records

namespace crivo::records::lmdb {

/// Calls visit(page) for each leaf of the tree that `table` describes, in order. Throws
/// Error(corrupt) where a page is damaged or the walk would meet more pages than there are, and
/// Error(io). Cost: a read of every branch and leaf page.
void for_each_leaf(const TreeFile& file, const Meta& meta, const Table& table,
                   const std::function<void(const Page& page)>& visit);

/// Where the entries of a database stand, so that any range of them can be read, by any thread.
class EntryTable {
 public:
  /// Walks the database. `file` must outlive this. Throws Error(corrupt), Error(io).
  EntryTable(const TreeFile& file, const Meta& meta, const Table& table);

  std::uint64_t size() const noexcept { return size_; }
  /// About the bytes that the entries [begin, end) have.
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const noexcept;
  /// Whether an entry stands for several values of one key.
  bool has_repeated_keys() const noexcept { return has_repeated_keys_; }

  using VisitEntry = std::function<void(const LeafEntry& entry)>;
  /// Calls visit(entry) for the entries [begin, end), in order. Throws Error(corrupt) where the
  /// file is not what it was, Error(io).
  void read(std::uint64_t begin, std::uint64_t end, const VisitEntry& visit) const;

 private:
  struct Leaf {
    std::uint64_t first;  ///< entry
    std::uint64_t bytes;  ///< of the entries before it
    std::uint64_t page;
  };
  /// The leaf that holds an entry.
  std::size_t leaf_of(std::uint64_t entry) const noexcept;

  const TreeFile& file_;
  std::uint64_t last_page_;
  std::uint64_t size_ = 0;
  std::uint64_t bytes_ = 0;
  bool has_repeated_keys_ = false;
  std::vector<Leaf> leaves_;
};

}  // namespace crivo::records::lmdb

namespace crivo {
namespace {

using records::LmdbSnapshot;
namespace lmdb = records::lmdb;

/// Damage is that of an input here, not of a file of ours.
template <typename Work>
decltype(auto) of_input(const std::string& name, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    throw Error(ErrorKind::bad_input, name + ": " + error.what());
  }
}

/// So many names of databases a message lists.
constexpr std::size_t kMostNames = 8;

/// The database of that name; the unnamed one holds the descriptions of those with a name.
lmdb::Table find_table(const LmdbSnapshot& snapshot, const std::string& name,
                       const std::string& environment) {
  const lmdb::Table& main = snapshot.meta().main;
  std::vector<std::string> names;
  lmdb::Table found{};
  bool is_found = false;
  lmdb::for_each_leaf(snapshot.file(), snapshot.meta(), main, [&](const lmdb::Page& page) {
    const std::size_t nodes = page.nodes();
    for (std::size_t i = 0; i < nodes; ++i) {
      const lmdb::LeafEntry entry =
          lmdb::leaf_entry(page, i, snapshot.meta().last_page, snapshot.file().page_size());
      const bool is_table =
          (entry.flags & lmdb::kTableNodeFlag) != 0 && (entry.flags & lmdb::kRepeatedNodeFlag) == 0;
      if (!is_table) continue;
      const std::string_view its_name = base::as_text(entry.key);
      if (names.size() < kMostNames) names.push_back(quote(its_name));
      if (its_name != name) continue;
      if (entry.value.size() != lmdb::kTableBytes) lmdb::fail("a database has no description");
      found = lmdb::decode_table(entry.value);
      is_found = true;
    }
  });
  if (name.empty() && names.empty()) return main;
  if (is_found) return found;
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
  if (names.size() == kMostNames) list += ", ...";
  const std::string problem = name.empty() ? "holds several databases, choose one of " + list
                                           : "has no database " + quote(name) + ", only " +
                                                 (names.empty() ? "its unnamed one" : list);
  throw Error(ErrorKind::usage, environment + ": " + problem, {.remedy = "database"});
}

class LmdbSource final : public KeySource {
 public:
  LmdbSource(const std::filesystem::path& environment, const LmdbInput& input)
      : name_(environment.string()),
        snapshot_(environment),
        entries_(snapshot_.file(), snapshot_.meta(), find_table(snapshot_, input.database, name_)),
        takes_values_(input.take != LmdbTake::keys) {
    if (takes_values_ && entries_.has_repeated_keys()) {
      throw Error(ErrorKind::bad_input,
                  name_ + ": has keys with several values each; only the keys can be taken");
    }
  }

  std::string name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return entries_.size(); }
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const override {
    return entries_.bytes(begin, end);
  }
  void write(std::uint64_t begin, std::uint64_t end, KeyWriter& writer) const override {
    std::vector<char> value;
    of_input(name_, [&] {
      entries_.read(begin, end, [&](const lmdb::LeafEntry& entry) {
        if (!takes_values_) return writer.key(base::as_text(entry.key));
        // A value that is too long is read as far as it takes to see that.
        value.resize(std::min<std::uint64_t>(entry.size, kMaxRecordBytes + 1));
        snapshot_.file().read_value(entry, std::as_writable_bytes(std::span(value)));
        writer.record(base::as_text(entry.key), {value.data(), value.size()});
      });
    });
  }

 private:
  std::string name_;
  LmdbSnapshot snapshot_;
  lmdb::EntryTable entries_;
  bool takes_values_;
};

}  // namespace

KeyInput lmdb_entries(const std::filesystem::path& environment, const LmdbInput& input) try {
  return of_input(environment.string(), [&] {
    KeyInput keys = input_of(std::make_shared<LmdbSource>(environment, input));
    keys.format.text_values = input.take == LmdbTake::text_values;
    return keys;
  });
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo

namespace crivo::records::lmdb {

namespace {

/// One walk: of each level of the tree a page is at hand.
class LeafWalk {
 public:
  LeafWalk(const TreeFile& file, const Meta& meta, std::size_t depth,
           const std::function<void(const Page&)>& visit)
      : file_(file),
        last_page_(meta.last_page),
        visit_(visit),
        levels_(depth, Page(file.page_size())) {}

  void visit_below(std::uint64_t number, std::size_t level) {
    if (number < kMetaPages || number > last_page_) fail("a page lies outside the tree");
    if (++pages_ > last_page_) fail("it has a cycle");
    Page& page = levels_[level];
    const bool is_leaf = level + 1 == levels_.size();
    file_.read_page(number, page);
    if (page.number() != number || page.flags() != (is_leaf ? kLeafFlag : kBranchFlag)) {
      fail("a page is of the wrong kind");
    }
    if (is_leaf) return visit_(page);
    const std::size_t nodes = page.nodes();
    for (std::size_t i = 0; i < nodes; ++i) visit_below(page.child(i), level + 1);
  }

 private:
  const TreeFile& file_;
  std::uint64_t last_page_;
  const std::function<void(const Page&)>& visit_;
  std::vector<Page> levels_;
  std::uint64_t pages_ = 0;
};

}  // namespace

void for_each_leaf(const TreeFile& file, const Meta& meta, const Table& table,
                   const std::function<void(const Page& page)>& visit) {
  if (table.depth > kMaxDepth || (table.depth == 0) != (table.root == kNoPage)) {
    fail("its depth makes no sense");
  }
  if (table.depth != 0) LeafWalk(file, meta, table.depth, visit).visit_below(table.root, 0);
}

EntryTable::EntryTable(const TreeFile& file, const Meta& meta, const Table& table)
    : file_(file), last_page_(meta.last_page) {
  for_each_leaf(file, meta, table, [&](const Page& page) {
    leaves_.push_back({size_, bytes_, page.number()});
    const std::size_t nodes = page.nodes();
    size_ += nodes;
    for (std::size_t i = 0; i < nodes; ++i) {
      const LeafEntry entry = leaf_entry(page, i, last_page_, file.page_size());
      has_repeated_keys_ = has_repeated_keys_ || (entry.flags & kRepeatedNodeFlag) != 0;
      bytes_ += entry.key.size() + entry.size;
    }
  });
}

std::size_t EntryTable::leaf_of(std::uint64_t entry) const noexcept {
  const auto after = std::ranges::upper_bound(leaves_, entry, {}, &Leaf::first);
  return static_cast<std::size_t>(after - leaves_.begin()) - 1;
}

std::uint64_t EntryTable::bytes(std::uint64_t begin, std::uint64_t end) const noexcept {
  const auto bytes_before = [&](std::uint64_t entry) -> std::uint64_t {
    if (entry >= size_) return bytes_;
    const std::size_t at = leaf_of(entry);
    const bool is_last = at + 1 == leaves_.size();
    const Leaf& leaf = leaves_[at];
    const std::uint64_t entries = (is_last ? size_ : leaves_[at + 1].first) - leaf.first;
    const std::uint64_t all = (is_last ? bytes_ : leaves_[at + 1].bytes) - leaf.bytes;
    return leaf.bytes + all / entries * (entry - leaf.first);
  };
  return bytes_before(end) - bytes_before(begin);
}

void EntryTable::read(std::uint64_t begin, std::uint64_t end, const VisitEntry& visit) const {
  if (begin == end) return;
  Page page(file_.page_size());
  for (std::size_t at = leaf_of(begin); begin < end; ++at) {
    const Leaf& leaf = leaves_[at];
    const std::uint64_t after = at + 1 == leaves_.size() ? size_ : leaves_[at + 1].first;
    file_.read_page(leaf.page, page);
    if (page.flags() != kLeafFlag || page.nodes() != after - leaf.first) {
      fail("a page changed while it was read");
    }
    for (; begin < std::min(after, end); ++begin) {
      visit(leaf_entry(page, static_cast<std::size_t>(begin - leaf.first), last_page_,
                       file_.page_size()));
    }
  }
}

}  // namespace crivo::records::lmdb

namespace crivo::records {

namespace {

/// A meta page is written over by every second transaction.
constexpr int kSnapshotTries = 100;
/// The mode of a lock file, which the umask narrows.
constexpr mdb_mode_t kLockMode = 0666;

void check(const std::filesystem::path& path, int result) {
  if (result == EACCES) {
    throw Error(ErrorKind::io, path.string() +
                                   ": LMDB cannot open its lock file: reading beside programs that "
                                   "write needs permission to write that file; read a copy made by "
                                   "mdb_copy instead");
  }
  if (result != MDB_SUCCESS) throw_lmdb_error(path, result);
}

}  // namespace

LmdbSnapshot::LmdbSnapshot(const std::filesystem::path& environment) {
  const bool is_file = !std::filesystem::is_directory(environment);
  file_ = base::FileDescriptor::open_to_read(is_file ? environment : environment / kDataFile);
  // LMDB believes meta pages as soon as it opens the file, and maps all pages that they count.
  const lmdb::TreeFile front(file_);
  front.check_length(front.last_meta());
  try {
    open(environment, is_file);
  } catch (...) {
    close();
    throw;
  }
}

LmdbSnapshot::~LmdbSnapshot() {
  close();
}

void LmdbSnapshot::open(const std::filesystem::path& environment, bool is_file) {
  check(environment, mdb_env_create(&environment_));
  mdb_env_set_assert(environment_, leave_lmdb);
  // A meta page may ask for any room to grow, for which the system may have none.
  std::uint64_t mapped = file_.size();
  check(environment, mdb_env_set_mapsize(environment_, mapped));
  const unsigned flags = MDB_RDONLY | MDB_NOTLS | (is_file ? MDB_NOSUBDIR : 0U);
  check(environment, mdb_env_open(environment_, environment.c_str(), flags, kLockMode));
  for (int left = kSnapshotTries; left != 0; --left) {
    const int begun = mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction_);
    if (begun == MDB_MAP_RESIZED) {  // it counts more pages than are mapped
      if (file_.size() <= mapped) lmdb::fail("it ends before its last page");
      mapped = file_.size();
      check(environment, mdb_env_set_mapsize(environment_, mapped));
      continue;
    }
    check(environment, begun);
    tree_ = std::make_unique<lmdb::TreeFile>(file_);
    const std::uint64_t number = mdb_txn_id(transaction_);
    meta_ = tree_->meta(number % lmdb::kMetaPages);
    if (meta_.transaction == number) {
      tree_->check_length(meta_);
      return;
    }
    // Transactions take turns on the pages; where they do not, LMDB reads another one than we do.
    if (tree_->meta((number + 1) % lmdb::kMetaPages).transaction == number)
      lmdb::fail("its meta pages are in each other's place");
    mdb_txn_abort(transaction_);
    transaction_ = nullptr;
  }
  throw Error(ErrorKind::io, environment.string() + ": is written too fast to be read");
}

void LmdbSnapshot::close() noexcept {
  if (transaction_ != nullptr) mdb_txn_abort(transaction_);
  if (environment_ != nullptr) mdb_env_close(environment_);
}

}  // namespace crivo::records
