// SPDX-License-Identifier: Apache-2.0
/// Changes of what was built: of filters, and of stores.
#include "crivo/build/edit.hpp"

#include <filesystem>
#include <span>
#include <vector>

#include "capi/build/input.hpp"
#include "capi/build/run_build.hpp"
#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "crivo/store.hpp"

struct crivo_store_writer {
  crivo::Store::Writer writer;
};

namespace crivo::capi {
namespace {

using Edit = FilterEdit (*)(const std::filesystem::path&, const KeyInput&,
                            const FilterEditOptions&);
crivo_status edit(Edit change, const char* path, const crivo_input* input,
                  const crivo_edit_options* given) {
  return call([&] {
    const crivo_edit_options from = taken(given);
    with_resources(from.resources, [&](const Resources& resources) {
      (void)change(needed(path, "the path"), given_input(input),
                   {.ignore_duplicates = from.ignore_duplicates != 0,
                    .overfill = from.overfill != 0,
                    .resources = resources});
    });
  });
}

template <typename Update>
crivo_status update(Update&& change, const char* directory, const crivo_input* input,
                    const crivo_resources* resources, crivo_store_edit* edit) {
  return call([&] {
    if (edit != nullptr) check_struct_size(edit->struct_size);
    StoreEdit done;
    with_resources(resources, [&](const Resources& taken_resources) {
      done = change(needed(directory, "the directory"), given_input(input),
                    {.resources = taken_resources});
    });
    if (edit == nullptr) return;
    give(crivo_store_edit{0, done.given, done.added, done.replaced, done.unchanged, done.absent,
                          done.records},
         edit);
  });
}

using Combine = FilterCombination (*)(std::span<const std::filesystem::path>,
                                      const std::filesystem::path&, bool);
crivo_status combine(Combine both, const char* const* paths, size_t count, const char* output,
                     int replace) {
  return call(
      [&] { (void)both(paths_of(paths, count), needed(output, "the output"), replace != 0); });
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_filter_add(const char* path, const crivo_input* input,
                              const crivo_edit_options* options) {
  return capi::edit(add_to_filter, path, input, options);
}
crivo_status crivo_filter_remove(const char* path, const crivo_input* input,
                                 const crivo_edit_options* options) {
  return capi::edit(remove_from_filter, path, input, options);
}
crivo_status crivo_filter_unite(const char* const* paths, size_t count, const char* output,
                                int replace) {
  return capi::combine(unite_filters, paths, count, output, replace);
}
crivo_status crivo_filter_intersect(const char* const* paths, size_t count, const char* output,
                                    int replace) {
  return capi::combine(intersect_filters, paths, count, output, replace);
}

crivo_status crivo_store_set(const char* directory, const crivo_input* input,
                             const crivo_resources* resources, crivo_store_edit* edit) {
  return capi::update(set_records, directory, input, resources, edit);
}
crivo_status crivo_store_remove(const char* directory, const crivo_input* input,
                                const crivo_resources* resources, crivo_store_edit* edit) {
  return capi::update(remove_records, directory, input, resources, edit);
}

crivo_status crivo_store_compact(const char* directory, double above,
                                 const crivo_resources* resources,
                                 crivo_store_compaction* compaction) {
  return capi::call([&] {
    capi::tell_warnings({});
    if (compaction != nullptr) capi::check_struct_size(compaction->struct_size);
    StoreCompaction done;
    capi::with_resources(resources, [&](const Resources& given) {
      done = compact_store(capi::needed(directory, "the directory"),
                           {.above = above, .resources = given});
    });
    capi::tell_warnings(done.warnings);
    if (compaction == nullptr) return;
    capi::give(crivo_store_compaction{0, done.is_compacted ? 1 : 0, done.records, done.bytes_before,
                                      done.bytes},
               compaction);
  });
}

crivo_status crivo_store_writer_open(const char* directory, const crivo_resources* resources,
                                     crivo_store_writer** writer) {
  return capi::call({{"writer", writer}}, [&] {
    capi::with_resources(resources, [&](const Resources& taken) {
      *writer = new crivo_store_writer{
          Store::Writer(capi::needed(directory, "the directory"), taken.progress)};
    });
  });
}
void crivo_store_writer_close(crivo_store_writer* writer) {
  delete writer;
}
crivo_status crivo_store_writer_set(crivo_store_writer* writer, const void* key, size_t size,
                                    const void* record, size_t record_size) {
  return capi::call({{"writer", writer}, {"key", key, size}, {"record", record, record_size}}, [&] {
    writer->writer.set(capi::text_of(key, size), capi::text_of(record, record_size));
  });
}
crivo_status crivo_store_writer_remove(crivo_store_writer* writer, const void* key, size_t size,
                                       int* had_record) {
  return capi::call({{"writer", writer}, {"key", key, size}}, [&] {
    const bool removed = writer->writer.remove(capi::text_of(key, size));
    if (had_record != nullptr) *had_record = removed ? 1 : 0;
  });
}
crivo_status crivo_store_writer_commit(crivo_store_writer* writer) {
  return capi::call({{"writer", writer}}, [&] { writer->writer.commit(); });
}
