// SPDX-License-Identifier: Apache-2.0
// Every type of the public headers that a program holds, calls or derives from, for
// tools/package/abi: their layout is read from the debugging symbols of what this becomes.
#include <crivo.h>

#include <crivo/build/build.hpp>
#include <crivo/build/edit.hpp>
#include <crivo/build/extract.hpp>
#include <crivo/build/keys.hpp>
#include <crivo/build/kinds.hpp>
#include <crivo/build/reproduce.hpp>
#include <crivo/build/shards.hpp>
#include <crivo/build/ship.hpp>
#include <crivo/dictionary.hpp>
#include <crivo/error.hpp>
#include <crivo/exact.hpp>
#include <crivo/filter.hpp>
#include <crivo/index.hpp>
#include <crivo/inspect.hpp>
#include <crivo/map.hpp>
#include <crivo/mphf.hpp>
#include <crivo/open.hpp>
#include <crivo/remote.hpp>
#include <crivo/rows.hpp>
#include <crivo/store.hpp>

using namespace crivo;

extern "C" CRIVO_API void lookups(Mphf&, Filter&, Map&, Store&, Store::Reader&, Store::Writer&,
                                  Store::Cursor&, Store::Answer&, HashFunction&, KeyHash&, Key&) {}
extern "C" CRIVO_API void hashes(HashFilter&, HashFilterOptions&) {}
extern "C" CRIVO_API void dictionaries(Dictionary&, Dictionary::Cursor&, DictionaryOptions&) {}
extern "C" CRIVO_API void exact_sets(Exact&, Exact::Group&, ExactOptions&, Coverage&, Epoch&) {}
extern "C" CRIVO_API void rows(Rows&, Rows::Answer&, RowsOptions&) {}
extern "C" CRIVO_API void deltas(DeltaOptions&, DeltaSummary&, ApplyOptions&) {}
extern "C" CRIVO_API void signatures(PublicKey&, Trust&, Signature&, SignOptions&) {}
extern "C" CRIVO_API void from_afar(ByteSource&, FileEnds&, Remote&, RemoteOptions&) {}
extern "C" CRIVO_API void built_again(ExpectedBuild&, ReproduceOptions&, Reproduction&,
                                      Difference&) {}
extern "C" CRIVO_API void of_any_kind(OpenIndex&, Answer&, QueryInfo&) {}
extern "C" CRIVO_API void inlined(detail::PhastLevel&, detail::FilterLookup&, detail::MapLookup&,
                                  detail::Hash128&) {}
extern "C" CRIVO_API void inputs(KeyInput&, KeyFormat&, KeySource&, KeyWriter&, KeyBlock&,
                                 LmdbInput&, Output&) {}
extern "C" CRIVO_API void collected(ExtractOptions&, ExtractSummary&, CollectionInfo&,
                                    keys::KeyForm&) {}
extern "C" CRIVO_API void options(Choice&, Choices&, KindInfo&, BuildOptions&, MphfOptions&,
                                  FilterOptions&, MapOptions&, StoreOptions&, OpenOptions&,
                                  Resources&, Progress&, KeyCheckOptions&, FilterEditOptions&,
                                  FilterNeeds&) {}
extern "C" CRIVO_API void results(BuildSummary&, BuildEstimate&, FileInfo&, SectionInfo&,
                                  Parameter&, FilterEdit&, StoreEdit&, FilterCombination&,
                                  FilterAdvice&, Error&, ErrorPlace&, Warning&) {}
extern "C" CRIVO_API void of_c(crivo_bytes*, crivo_keys*, crivo_format*, crivo_progress*,
                               crivo_resources*, crivo_output*, crivo_build_options*, crivo_choice*,
                               crivo_summary*, crivo_open_options*, crivo_info*,
                               crivo_edit_options*, crivo_delta_options*, crivo_delta_summary*,
                               crivo_filter_delta_options*, crivo_apply_options*, crivo_estimate*,
                               crivo_store_edit*, crivo_status, crivo_answer, crivo_row*,
                               crivo_next, crivo_visit, crivo_write, crivo_source*, crivo_ends*,
                               crivo_range*, crivo_remote_options*, crivo_found*) {}
extern "C" CRIVO_API void shards(Share&, PartitionOptions&, PartitionSummary&, PartitionTotals&,
                                 crivo_share*, crivo_partition_options*, crivo_partition_summary*,
                                 crivo_partition_totals*) {}
