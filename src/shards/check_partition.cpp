// SPDX-License-Identifier: Apache-2.0
#include "shards/check_partition.hpp"

#include <string_view>
#include <vector>

#include "base/named_rows.hpp"
#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "shards/key_directory.hpp"

namespace crivo::index {

hashing::KeyHashId named_hash(const std::string& name) {
  std::vector<std::string_view> names;
  for (const hashing::KeyHashId hash :
       {hashing::KeyHashId::xxh3, hashing::KeyHashId::xxh64, hashing::KeyHashId::range}) {
    names.push_back(hashing::key_hash_name(hash));
    if (names.back() == name) return hash;
  }
  base::refuse_name("key hash", name, names);
}

void check_partition(const KeyInput& input, const PartitionOptions& partition) {
  const Share& part = partition.part;
  if (input.paths.empty() && !input.source) throw Error(ErrorKind::usage, "no input was given");
  if (partition.grouped && (partition.values || partition.records))
    throw Error(ErrorKind::usage, "a key has a group, a value or a record, and one of these alone");
  if (partition.values && partition.records)
    throw Error(ErrorKind::usage, "a key has a value or a record, not both");
  if (partition.texts && (partition.records || !partition.prefixes.empty()))
    throw Error(ErrorKind::usage, "texts can be kept of keys and of keys with values only");
  if (partition.prefixes.size() > 1)
    throw Error(ErrorKind::usage, quote(partition.prefixes) + " is not one character",
                {.remedy = "prefixes"});
  if (!partition.prefixes.empty() &&
      (partition.values || partition.records || input.universe || partition.hash == "range"))
    throw Error(ErrorKind::usage,
                "keys with prefixes are those of a filter of texts: they have no values, records "
                "or universe",
                {.remedy = "prefixes"});
  if (partition.group_delimiter.size() > 1 ||
      (!partition.grouped && !partition.group_delimiter.empty()))
    base::refuse_option("group_delimiter", quote(partition.group_delimiter) +
                                               " is not one character of keys with groups");
  if (partition.form.scale > (partition.form.type == ValueType::decimal ? kMaxValueScale : 0))
    base::refuse_option("scale", "decimal values have a scale of 0 to 18, and others have none");
  if (partition.shards == 0) throw Error(ErrorKind::usage, "there must be at least one shard");
  if (part.index >= part.count)
    throw Error(ErrorKind::usage, "no part " + std::to_string(part.index) + " of " +
                                      std::to_string(part.count) + "; shards count from 0");
  if (part.count > kMostTasks)
    throw Error(ErrorKind::usage, std::to_string(part.count) + " tasks are too many: at most " +
                                      std::to_string(kMostTasks) + " can deal out keys");
}

}  // namespace crivo::index
