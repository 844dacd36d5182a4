// SPDX-License-Identifier: Apache-2.0
#include "index/filter_file.hpp"

#include <string>

#include "base/named_rows.hpp"
#include "crivo/error.hpp"
#include "file/only_structure.hpp"

namespace crivo::filter {

FilterFile::FilterFile(const file::Container& container) {
  type = file::only_structure(container, types());
  if (type == nullptr) container.fail("damaged: there is no filter section");
  section = container.require(type->section_type, type->name);
  membership = file::naming(container.name(), [&] { return type->open(section); });
  if (!hashing::stands_for(container.header().key_hash, type->key_hash)) {
    container.fail("damaged: the header and the filter disagree on the key hash function");
  }
  if (membership->size() != container.header().keys) {
    container.fail("damaged: the header and the filter disagree on n");
  }
}

const Type& find_type(const FilterOptions& options) {
  const FilterOptions defaults;
  const Type& type = base::find_named(types(), "filter type", options.type);
  const auto check = [&](bool unchanged, unsigned taken, const char* what) {
    if (unchanged || (type.takes & taken) != 0) return;
    throw Error(ErrorKind::usage, options.type + " filters have no " + what);
  };
  check(options.capacity == defaults.capacity, kTakesCapacity, "capacity for more keys");
  check(options.hashes == defaults.hashes, kTakesHashes, "number of hashes to choose");
  check(options.counter_bits == defaults.counter_bits, kTakesCounterBits, "counters");
  check(options.arity == defaults.arity, kTakesArity, "arity to choose");
  check(options.semi_sorted == defaults.semi_sorted, kTakesSemiSorted, "buckets to sort");
  if (options.fpr && options.bits) {
    throw Error(ErrorKind::usage, "a filter takes a false-positive rate or bits, not both");
  }
  (void)asked_fpr(options);
  return type;
}

}  // namespace crivo::filter
