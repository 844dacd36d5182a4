// SPDX-License-Identifier: Apache-2.0
// LMDB itself (liblmdb-dev): keys in order, appended; read without locks. And the same of records
// that are compressed one by one by zstd, with a dictionary, as a user would do it by hand.
#include <lmdb.h>
#include <zdict.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>

#include "bench/stores/store.hpp"

namespace crivo::bench {
namespace {

void check_lmdb(int result) {
  if (result != 0) throw std::runtime_error(mdb_strerror(result));
}

MDB_val value_of(std::string_view text) {
  return {text.size(), const_cast<char*>(text.data())};
}

using Encode = std::function<std::string_view(std::string_view record)>;

void build_lmdb(const RecordSet& set, const std::filesystem::path& directory,
                const Encode& encode) {
  const std::vector<KeyAndRecord> sorted = set.sorted();
  MDB_env* environment = nullptr;
  check_lmdb(mdb_env_create(&environment));
  check_lmdb(mdb_env_set_mapsize(environment, 4 * set.pair_bytes + (64U << 20)));
  check_lmdb(mdb_env_open(environment, directory.c_str(), MDB_NOLOCK, 0644));
  MDB_txn* transaction = nullptr;
  MDB_dbi database = 0;
  check_lmdb(mdb_txn_begin(environment, nullptr, 0, &transaction));
  check_lmdb(mdb_dbi_open(transaction, nullptr, 0, &database));
  for (const auto& [key, record] : sorted) {
    MDB_val k = value_of(key);
    MDB_val v = value_of(encode(record));
    check_lmdb(mdb_put(transaction, database, &k, &v, MDB_APPEND));
  }
  check_lmdb(mdb_txn_commit(transaction));
  mdb_env_close(environment);
}

class OpenLmdb final : public OpenStore {
 public:
  explicit OpenLmdb(const std::filesystem::path& directory) {
    check_lmdb(mdb_env_create(&environment_));
    check_lmdb(mdb_env_open(environment_, directory.c_str(),
                            MDB_NOLOCK | MDB_RDONLY | MDB_NORDAHEAD, 0644));
    check_lmdb(mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction_));
    check_lmdb(mdb_dbi_open(transaction_, nullptr, 0, &database_));
  }
  ~OpenLmdb() override {
    mdb_txn_abort(transaction_);
    mdb_env_close(environment_);
  }
  OpenLmdb(const OpenLmdb&) = delete;
  OpenLmdb& operator=(const OpenLmdb&) = delete;

  std::string_view find(std::string_view key, bool& found) override {
    MDB_val k = value_of(key);
    MDB_val v{};
    found = mdb_get(transaction_, database_, &k, &v) == 0;
    return {static_cast<const char*>(v.mv_data), v.mv_size};
  }

 private:
  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  MDB_dbi database_ = 0;
};

// Trained on the records of the first keys in random order, the fronts of long ones.
std::string trained_dictionary(const RecordSet& set) {
  constexpr std::size_t kBytes = std::size_t{64} << 10;
  constexpr std::size_t kFront = std::size_t{16} << 10;
  const std::size_t step = std::max<std::size_t>(set.pair_bytes / (100 * kBytes), 1);
  std::string samples;
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < set.pairs.size() && samples.size() < 100 * kBytes; i += step) {
    const std::string_view front = set.pairs[i].second.substr(0, kFront);
    samples += front;
    sizes.push_back(front.size());
  }
  std::string dictionary(kBytes, '\0');
  const std::size_t size =
      ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), samples.data(), sizes.data(),
                            static_cast<unsigned>(sizes.size()));
  dictionary.resize(ZDICT_isError(size) != 0 ? 0 : size);
  return dictionary;
}

void build_lmdb_zstd(const RecordSet& set, const std::filesystem::path& directory) {
  const std::string dictionary = trained_dictionary(set);
  std::ofstream(directory / "dictionary", std::ios::binary) << dictionary;
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     ZSTD_freeCCtx);
  const std::unique_ptr<ZSTD_CDict, decltype(&ZSTD_freeCDict)> prepared(
      ZSTD_createCDict(dictionary.data(), dictionary.size(), 3), ZSTD_freeCDict);
  std::string stored;
  build_lmdb(set, directory, [&](std::string_view record) {
    stored.resize(ZSTD_compressBound(record.size()));
    const std::size_t size = ZSTD_compress_usingCDict(context.get(), stored.data(), stored.size(),
                                                      record.data(), record.size(), prepared.get());
    return std::string_view(stored).substr(0, size);
  });
}

class OpenLmdbZstd final : public OpenStore {
 public:
  explicit OpenLmdbZstd(const std::filesystem::path& directory) : stored_(directory) {
    std::ifstream in(directory / "dictionary", std::ios::binary);
    const std::string dictionary{std::istreambuf_iterator<char>(in), {}};
    prepared_.reset(ZSTD_createDDict(dictionary.data(), dictionary.size()));
  }

  std::string_view find(std::string_view key, bool& found) override {
    const std::string_view stored = stored_.find(key, found);
    if (!found) return {};
    record_.resize(std::max<std::size_t>(record_.size(),
                                         ZSTD_getFrameContentSize(stored.data(), stored.size())));
    const std::size_t size =
        ZSTD_decompress_usingDDict(context_.get(), record_.data(), record_.size(), stored.data(),
                                   stored.size(), prepared_.get());
    return std::string_view(record_).substr(0, size);
  }

 private:
  OpenLmdb stored_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_{ZSTD_createDCtx(), ZSTD_freeDCtx};
  std::unique_ptr<ZSTD_DDict, decltype(&ZSTD_freeDDict)> prepared_{nullptr, ZSTD_freeDDict};
  std::string record_;
};

}  // namespace

void add_lmdb_store(std::vector<StoreMethod>& methods) {
  methods.push_back({"LMDB",
                     [](const RecordSet& set, const auto& directory) {
                       build_lmdb(set, directory, [](std::string_view record) { return record; });
                     },
                     [](const auto& directory) { return std::make_unique<OpenLmdb>(directory); }});
  methods.push_back({"LMDB, zstd by hand", build_lmdb_zstd, [](const auto& directory) {
                       return std::make_unique<OpenLmdbZstd>(directory);
                     }});
}

}  // namespace crivo::bench
