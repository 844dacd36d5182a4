// SPDX-License-Identifier: Apache-2.0
// sparkey (see build-sparkey), uncompressed.
#include <sparkey.h>

#include <stdexcept>

#include "bench/stores/store.hpp"

namespace crivo::bench {
namespace {

void check(sparkey_returncode code) {
  if (code != SPARKEY_SUCCESS) throw std::runtime_error(sparkey_errstring(code));
}

const std::uint8_t* bytes(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

void build_sparkey(const RecordSet& set, const std::filesystem::path& directory) {
  const std::string log = directory / "records.spl";
  sparkey_logwriter* writer = nullptr;
  check(sparkey_logwriter_create(&writer, log.c_str(), SPARKEY_COMPRESSION_NONE, 0));
  for (const auto& [key, record] : set.pairs) {
    check(sparkey_logwriter_put(writer, key.size(), bytes(key), record.size(), bytes(record)));
  }
  check(sparkey_logwriter_close(&writer));
  check(sparkey_hash_write((directory / "records.spi").c_str(), log.c_str(), 0));
}

class OpenSparkey final : public OpenStore {
 public:
  explicit OpenSparkey(const std::filesystem::path& directory) {
    check(sparkey_hash_open(&reader_, (directory / "records.spi").c_str(),
                            (directory / "records.spl").c_str()));
    log_ = sparkey_hash_getreader(reader_);
    check(sparkey_logiter_create(&place_, log_));
  }
  ~OpenSparkey() override {
    sparkey_logiter_close(&place_);
    sparkey_hash_close(&reader_);
  }
  OpenSparkey(const OpenSparkey&) = delete;
  OpenSparkey& operator=(const OpenSparkey&) = delete;

  std::string_view find(std::string_view key, bool& found) override {
    check(sparkey_hash_get(reader_, bytes(key), key.size(), place_));
    found = sparkey_logiter_state(place_) == SPARKEY_ITER_ACTIVE;
    if (!found) return {};
    std::uint8_t* record = nullptr;
    std::uint64_t size = 0;
    check(
        sparkey_logiter_valuechunk(place_, log_, sparkey_logiter_valuelen(place_), &record, &size));
    return {reinterpret_cast<const char*>(record), size};
  }

 private:
  sparkey_hashreader* reader_ = nullptr;
  sparkey_logreader* log_ = nullptr;
  sparkey_logiter* place_ = nullptr;
};

}  // namespace

void add_sparkey_store(std::vector<StoreMethod>& methods) {
  methods.push_back({"sparkey", build_sparkey, [](const auto& directory) {
                       return std::make_unique<OpenSparkey>(directory);
                     }});
}

}  // namespace crivo::bench
