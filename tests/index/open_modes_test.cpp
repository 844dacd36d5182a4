// SPDX-License-Identifier: Apache-2.0
// The modes of open: what each reads, and what a writer can do to it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/dictionary.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "program/exit_code.hpp"
#include "support/sanitizers.hpp"
#include "support/sizes.hpp"
#include "support/stores.hpp"

namespace crivo::test {
namespace {

constexpr OpenMode kModes[] = {OpenMode::mapped, OpenMode::preload, OpenMode::lock, OpenMode::copy,
                               OpenMode::read};

/// A file or store of each kind, of the same keys.
class OpenModes : public testing::Test {
 protected:
  OpenModes() {
    const KeyInput input = shop_.input(keys_);
    build_mphf(input, mphf_, {.signature_bits = 16}, Workshop::options());
    build_filter(input, filter_, {.bits = 16}, Workshop::options());
    build_map(input, map_, {}, Workshop::options());
    build_store(shop_.pairs(keys_, keys_), store_, {}, Workshop::options());
  }

  /// Every way to ask the open structures.
  void expect_answers(const Mphf& mphf, const Filter& filter, const Map& map,
                      const Store& store) const {
    std::vector<bool> taken(keys_.size());
    Store::Reader reader(store);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::uint64_t rank = mphf.lookup(keys_[i]);
      ASSERT_LT(rank, keys_.size());
      EXPECT_FALSE(taken[rank]);
      taken[rank] = true;
      EXPECT_TRUE(filter.contains(keys_[i]));
      EXPECT_EQ(map.lookup(keys_[i]), i);
      EXPECT_EQ(reader.find(keys_[i]).record, keys_[i]);
    }
  }

  std::vector<std::filesystem::path> files() const {
    return {mphf_, filter_, map_, store_ / "index.crv", test::data_file(store_)};
  }
  void open_at(const std::filesystem::path& file, const OpenOptions& options) const {
    if (file == mphf_) (void)Mphf::open(file, options);
    if (file == filter_) (void)Filter::open(file, options);
    if (file == map_) (void)Map::open(file, options);
    if (file.parent_path() == store_) (void)Store::open(store_, options);
  }

  const Workshop shop_;
  const Keys keys_ = numbered_keys(5000);
  const std::filesystem::path mphf_ = shop_.at("mphf");
  const std::filesystem::path filter_ = shop_.at("filter");
  const std::filesystem::path map_ = shop_.at("map");
  const std::filesystem::path store_ = shop_.at("store");
};

TEST_F(OpenModes, AllAnswer) {
  for (const OpenMode mode : kModes) {
    expect_answers(Mphf::open(mphf_, {mode}), Filter::open(filter_, {mode}),
                   Map::open(map_, {mode}), Store::open(store_, {mode}));
  }
}

TEST_F(OpenModes, ACopyOutlivesWhatAWriterDoesToTheFile) {
  const OpenOptions copy{OpenMode::copy};
  const Mphf mphf = Mphf::open(mphf_, copy);
  const Filter filter = Filter::open(filter_, copy);
  const Map map = Map::open(map_, copy);
  const Store store = Store::open(store_, copy);
  const std::vector<std::filesystem::path> all = files();
  for (const std::filesystem::path& file : all) {  // in place: the same inode
    const auto size = std::filesystem::file_size(file);
    std::fstream(file, std::ios::binary | std::ios::in | std::ios::out) << std::string(size, 'x');
  }
  expect_answers(mphf, filter, map, store);
  for (const std::filesystem::path& file : all) std::filesystem::resize_file(file, 0);
  expect_answers(mphf, filter, map, store);
}

TEST_F(OpenModes, ReadMapsNoFile) {
  const Keys texts = numbered_keys(20'000);
  const auto dictionary = shop_.at("dictionary");
  const auto flat = shop_.at("flat");
  build_dictionary(shop_.input(texts), {dictionary}, {.hashed = true}, Workshop::options());
  build_store(shop_.pairs(texts, texts), {flat}, {.backend = "flat", .codec = "zstd"},
              Workshop::options());
  const OpenOptions read{OpenMode::read};
  const Map map = Map::open(map_, read);
  const Dictionary opened = Dictionary::open(dictionary, read);
  const Store store = Store::open(flat, read);
  EXPECT_EQ(opened.key(opened.lookup(texts[7])), texts[7]);
  EXPECT_EQ(Store::Reader(store).find(texts[7]).record, texts[7]);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    EXPECT_EQ(line.find(shop_.at("").string()), std::string::npos) << line;
  EXPECT_EQ(map.info().keys, keys_.size());
  EXPECT_EQ(opened.info().keys, texts.size());
  EXPECT_EQ(store.info().keys, texts.size());
  EXPECT_NO_THROW(map.verify());
  EXPECT_NO_THROW(opened.verify());
  EXPECT_NO_THROW(store.verify());
  std::size_t records = 0;
  store.for_each(
      [&](std::string_view key, std::string_view record) { records += key == record ? 1 : 0; });
  EXPECT_EQ(records, texts.size());
}

/// Somewhere in the bulk of the file, where an open that maps it does not look.
TEST_F(OpenModes, ACopyIsVerified) {
  for (const std::filesystem::path& file : files()) {
    SCOPED_TRACE(file);
    const auto flip = [&] {
      const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(file) / 2);
      std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
      stream.seekg(middle);
      const int byte = stream.get();
      stream.seekp(middle).put(static_cast<char>(byte ^ 1));
    };
    flip();
    open_at(file, {.mode = OpenMode::mapped, .check = OpenCheck::unchecked});
    const std::string error =
        error_of(ErrorKind::corrupt, [&] { open_at(file, {OpenMode::copy}); });
    EXPECT_TRUE(error.starts_with(file.string())) << error;
    EXPECT_NE(error.find("checksum"), std::string::npos) << error;
    flip();
    open_at(file, {OpenMode::copy});
  }
}

/// Runs `work` in a process of its own, which may lock no memory; returns its exit code.
int without_locked_memory(const auto& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr rlimit kNone{0, 0};
    constexpr uid_t kNobody = 65534;
    if (::setrlimit(RLIMIT_MEMLOCK, &kNone) != 0) ::_exit(100);
    if (::getuid() == 0 && ::setuid(kNobody) != 0) ::_exit(101);  // the limit is none for root
    ::_exit(work());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(OpenModes, ALockThatIsRefusedIsAnError) {
  if (kSanitized) GTEST_SKIP() << "sanitizers make mlock() do nothing";
  std::filesystem::permissions(mphf_.parent_path(), std::filesystem::perms(0755));
  for (const std::filesystem::path& file : files()) {
    const int code = without_locked_memory([&] {
      try {
        open_at(file, {OpenMode::preload});
        open_at(file, {OpenMode::lock});
      } catch (const Error& error) {
        const bool named = std::string(error.what()).find("RLIMIT_MEMLOCK") != std::string::npos;
        return named ? exit_code(error.kind()) : 102;
      }
      return 0;
    });
    EXPECT_EQ(code, 5) << file;
  }
}

/// The bytes of a file that are in memory, for any process.
std::uint64_t cached_bytes(const std::filesystem::path& path) {
  const auto file = base::FileDescriptor::open_to_read(path);
  const std::uint64_t size = file.size();
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  EXPECT_NE(memory, MAP_FAILED);
  std::vector<unsigned char> pages((size + page - 1) / page);
  EXPECT_EQ(::mincore(memory, size, pages.data()), 0);
  ::munmap(memory, size);
  return page * static_cast<std::uint64_t>(
                    std::ranges::count_if(pages, [](unsigned char p) { return (p & 1) != 0; }));
}

/// Has the system drop a file from memory; false if it does not (a file system in memory).
bool drop_from_memory(const std::filesystem::path& path) {
  const auto file = base::FileDescriptor::open_to_read(path);
  EXPECT_EQ(::fsync(file.get()), 0);
  EXPECT_EQ(::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
  return cached_bytes(path) == 0;
}

constexpr std::uint64_t kSmallRead = 2 << 20;

/// 8-byte keys, in a file.
KeyInput number_input(const Workshop& shop, std::uint64_t count) {
  std::vector<std::uint64_t> numbers(count);
  for (std::uint64_t i = 0; i < count; ++i) numbers[i] = base::mix64(i);
  return shop.write("numbers", {reinterpret_cast<const char*>(numbers.data()), 8 * numbers.size()},
                    {.framing = KeyFormat::Framing::fixed, .width = 8});
}

/// A structure of many partitions and 30 MB (6 MB under sanitizers): a cold open or query reads
/// little of it.
TEST(ColdFiles, AreNotReadWhole) {
  const Workshop shop;
  const auto path = shop.at("map");
  constexpr std::uint64_t kColdKeys = 3'500'000 / kFewer;
  build_map(number_input(shop, kColdKeys), path, {.value_bits = 64}, Workshop::options(0));
  const std::uint64_t size = std::filesystem::file_size(path);
  ASSERT_GE(size, 8 * kColdKeys);
  if (!drop_from_memory(path)) GTEST_SKIP() << "files here lie in memory";
  EXPECT_EQ(inspect(path).keys, kColdKeys);
  EXPECT_LT(cached_bytes(path), kSmallRead);
  ASSERT_TRUE(drop_from_memory(path));
  {
    const Map map = Map::open(path);
    EXPECT_EQ(map.lookup(base::mix64(77)), 77U);
    EXPECT_LT(cached_bytes(path), kSmallRead);
  }
  ASSERT_TRUE(drop_from_memory(path));
  {
    const Map map = Map::open(path, {OpenMode::preload});
    EXPECT_EQ(map.lookup(base::mix64(77)), 77U);
    EXPECT_GE(cached_bytes(path), size);
  }
}

/// With the index in memory a hit reads the pages that its stored record covers, and one more of a
/// long record, whose place stands beside those of its neighbours: nothing is read ahead.
TEST(ColdFiles, AHitReadsThePagesOfItsRecord) {
  const Workshop shop;
  const Keys keys = numbered_keys(600);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  for (const std::size_t size : {1000, 20'000}) {
    const auto path = shop.at("store" + std::to_string(size));
    build_store(shop.pairs(keys, Keys(keys.size(), std::string(size, 'r'))), path,
                {.backend = "flat", .codec = "none"}, Workshop::options());
    std::filesystem::path data;
    for (const auto& each : std::filesystem::directory_iterator(path)) {
      if (each.path().filename() != "index.crv") data = each.path();
    }
    if (!drop_from_memory(data)) GTEST_SKIP() << "files here lie in memory";
    OpenOptions options{OpenMode::preload};
    options.data_mode = OpenMode::mapped;
    const Store store = Store::open(path, options);
    Store::Reader reader(store);
    std::uint64_t before = cached_bytes(data);
    EXPECT_LT(before, 4 * page);
    for (std::size_t i = 0; i < keys.size(); i += 50) {
      EXPECT_EQ(reader.find(keys[i]).record.size(), size);
      const std::uint64_t after = cached_bytes(data);
      const std::uint64_t covered = (size + page - 1) / page + 1 + (size > page ? 1 : 0);
      EXPECT_LE(after - before, covered * page);
      before = after;
    }
  }
}

/// Kills and reaps a process.
class Child {
 public:
  explicit Child(const auto& work) : pid_(::fork()) {
    if (pid_ == 0) {
      work();
      ::_exit(0);
    }
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

 private:
  pid_t pid_;
};

/// A store is opened as it was before or after, never as a bit of each, nor called damaged.
TEST(ReplacedStores, AreOpenedWhole) {
  namespace fs = std::filesystem;
  const Workshop shop;
  const Keys keys = numbered_keys(300);
  const std::string versions[] = {"first", "second"};
  for (const std::string& version : versions) {
    build_store(shop.pairs(keys, Keys(keys.size(), version)), shop.at(version), {},
                Workshop::options());
  }
  const fs::path store = shop.at("store");
  fs::copy(shop.at("first"), store);
  const Child replacer([&] {
    for (std::size_t i = 1;; ++i) {  // as a build does
      const fs::path next = shop.at("next");
      fs::copy(shop.at(versions[i % 2]), next);
      if (::renameat2(AT_FDCWD, next.c_str(), AT_FDCWD, store.c_str(), RENAME_EXCHANGE) != 0)
        return;
      fs::remove_all(next);
    }
  });
  std::size_t found[2] = {};
  const int turns = kSanitized ? 80 : 1000;
  // On a busy machine the other process may have to be waited for.
  const auto needs_more = [&] { return found[0] == 0 || found[1] == 0; };
  for (int i = 0; i < turns || (needs_more() && i < 1000 * turns); ++i) {
    const OpenOptions options{i % 5 == 0 ? OpenMode::copy : OpenMode::mapped};
    const Store opened = Store::open(store, options);
    Store::Reader reader(opened);
    const std::string first(reader.find(keys.front()).record);
    ASSERT_TRUE(first == versions[0] || first == versions[1]) << first;
    EXPECT_EQ(reader.find(keys.back()).record, first);
    EXPECT_EQ(inspect(store).keys, keys.size());
    ++found[first == versions[0] ? 0 : 1];
  }
  EXPECT_GT(found[0], 0U);
  EXPECT_GT(found[1], 0U);
}

/// LMDB's tree is overwritten while a store is open mapped: where LMDB would end the process, the
/// record is damaged.
TEST(OverwrittenStores, DoNotEndTheProcess) {
  const Workshop shop;
  const Keys keys = numbered_keys(3000);
  build_store(shop.pairs(keys, keys), shop.at("store"), {}, Workshop::options());
  const Store store = Store::open(shop.at("store"));
  constexpr std::uint64_t kPage = 4096;
  const std::filesystem::path path = test::data_file(shop.at("store"));
  std::size_t overwritten = 0;
  std::fstream data(path, std::ios::binary | std::ios::in | std::ios::out);
  for (std::uint64_t page = 2; page < std::filesystem::file_size(path) / kPage; ++page) {
    std::array<char, 16> header{};  // u64 the page's number; u16; u16 flags; u16 end of the nodes
    data.seekg(static_cast<std::streamoff>(page * kPage)).read(header.data(), header.size());
    constexpr std::uint16_t kBranch = 1;
    constexpr std::uint16_t kLeaf = 2;
    const bool is_leaf = base::load_le<std::uint64_t>(header.data()) == page &&
                         base::load_le<std::uint16_t>(header.data() + 10) == kLeaf;
    if (!is_leaf) continue;
    base::store_le(header.data() + 10, kBranch);
    base::store_le(header.data() + 12, static_cast<std::uint16_t>(header.size()));  // without nodes
    data.seekp(static_cast<std::streamoff>(page * kPage)).write(header.data(), header.size());
    ++overwritten;
  }
  data.close();
  ASSERT_GT(overwritten, 0U);
  Store::Reader reader(store);
  for (std::size_t i = 0; i < keys.size(); i += 100) {
    EXPECT_EQ(reader.find(keys[i]).status, Store::Status::damaged);
  }
}

TEST(NoInput, IsAUsageError) {
  const Workshop shop;
  const auto out = shop.at("out");
  const std::string words = "no input was given";
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { build_mphf({}, out); }), words);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { build_mphf({}, out, {.algorithm = "mwhc3"}); }),
            words);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { build_filter({}, out); }), words);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { build_map({}, out); }), words);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { build_map({}, out, {.values = true}); }), words);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { build_store({}, out); }), words);
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { (void)estimate_mphf({}); }), words);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { (void)estimate_filter({}); }), words);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { (void)estimate_map({}); }), words);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { (void)estimate_store({}); }), words);
  build_filter(shop.input(numbered_keys(10)), out, {.type = "counting-bloom"});
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { add_to_filter(out, {}); }), words);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { remove_from_filter(out, {}); }), words);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { (void)verify_keys(out, {}); }), words);
}

}  // namespace
}  // namespace crivo::test
