// SPDX-License-Identifier: Apache-2.0
#include "capi/build/input.hpp"

#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "crivo/build/key_form.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"

struct crivo_writer {
  crivo::KeyWriter& writer;
  std::exception_ptr failure{};  ///< what the first call that failed threw
};

namespace crivo::capi {
namespace {

/// Keys in memory; `Extras` as of detail::RangeSource.
template <typename Extras>
class MemorySource final : public KeySource {
 public:
  MemorySource(const crivo_keys& keys, Extras extras) : keys_(keys), extras_(extras) {}

  std::optional<std::uint64_t> size() const override { return keys_.count; }
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const override {
    return with_layout(keys_, [&](auto at) {
      std::uint64_t sum = 0;
      for (; begin < end; ++begin)
        sum += 4 + detail::KeyBytes(at(begin)).view().size() + extras_.bytes(begin);
      return sum;
    });
  }
  void write(std::uint64_t begin, std::uint64_t end, KeyWriter& writer) const override {
    with_layout(keys_, [&](auto at) {
      for (; begin < end; ++begin) extras_.write(begin, detail::KeyBytes(at(begin)).view(), writer);
    });
  }

 private:
  crivo_keys keys_;
  Extras extras_;
};

struct Records {
  std::uint64_t bytes(std::uint64_t i) const {
    return with_layout(keys, [&](auto at) { return 4 + detail::KeyBytes(at(i)).view().size(); });
  }
  void write(std::uint64_t i, std::string_view key, KeyWriter& writer) const {
    with_layout(keys, [&](auto at) { writer.record(key, detail::KeyBytes(at(i)).view()); });
  }
  crivo_keys keys;
};

class FunctionSource final : public KeySource {
 public:
  FunctionSource(crivo_next function, void* context) : next_(function), context_(context) {}
  bool next(KeyWriter& writer) override {
    crivo_writer handle{writer};
    const int more = next_(context_, &handle);
    if (handle.failure) std::rethrow_exception(handle.failure);
    if (more == -1) fail_cancelled();
    if (more != 0 && more != 1)
      throw Error(ErrorKind::usage, "the function of an input returned " + std::to_string(more) +
                                        ", which is none of 1, 0 and -1");
    return more == 1;
  }

 private:
  crivo_next next_;
  void* context_;
};

/// A call that failed ends the build, whatever the program makes of it.
template <typename Work>
crivo_status write(crivo_writer* writer, std::initializer_list<Given> given, Work&& work) noexcept {
  return call({{"writer", writer}}, [&] {
    try {
      if (writer->failure) std::rethrow_exception(writer->failure);
      check_given(given);
      work(writer->writer);
    } catch (...) {
      writer->failure = std::current_exception();
      throw;
    }
  });
}

/// Keys or records that the program has to give. Throws Error(usage).
const crivo_keys& checked(const crivo_keys* keys) {
  needed_keys(keys);
  with_layout(*keys, [](auto) {});
  return *keys;
}

template <typename Extras>
void make_input(const crivo_keys& keys, Extras extras, crivo_input** input) {
  *input = new crivo_input{input_of(std::make_shared<MemorySource<Extras>>(keys, extras))};
  (*input)->input.format.numbers = number_in(keys.layout) == CRIVO_LAYOUT_NUMBERS;
}

KeyFormat::Framing framing_of(const crivo_format& format) {
  switch (number_in(format.framing)) {
    case CRIVO_FRAMING_LINES:
      return KeyFormat::Framing::lines;
    case CRIVO_FRAMING_NULL:
      return KeyFormat::Framing::null;
    case CRIVO_FRAMING_FIXED:
      return KeyFormat::Framing::fixed;
    default:
      throw Error(ErrorKind::usage, "unknown framing of keys");
  }
}

KeyFormat format_of(const crivo_format* given) {
  const crivo_format program = taken(given);
  KeyFormat format{.width = program.width,
                   .strip_cr = program.strip_cr != 0,
                   .binary_lines = program.binary_lines != 0,
                   .allow_empty = program.allow_empty != 0,
                   .key_column = program.key_column,
                   .value_column = program.value_column,
                   .row_column = program.row_column,
                   .quotes = program.quotes != 0,
                   .skip_header = program.skip_header != 0,
                   .key_name = text_or(program.key_name, ""),
                   .value_name = text_or(program.value_name, ""),
                   .row_name = text_or(program.row_name, ""),
                   .json_key = text_or(program.json_key, ""),
                   .json_value = text_or(program.json_value, ""),
                   .json_row = text_or(program.json_row, ""),
                   .hex = program.hex != 0};
  format.framing = framing_of(program);
  constexpr std::size_t kMostLeading = 1000;  // a wrong count reads no further
  if (program.leading_count > kMostLeading ||
      (program.leading_count != 0 && program.leading_keys == nullptr))
    throw Error(ErrorKind::usage, "leading_keys: are NULL, or more than 1000");
  for (std::size_t i = 0; i < program.leading_count; ++i)
    format.leading_keys.emplace_back(text_or(program.leading_keys[i], ""));
  if (format.quotes) format.column_delimiter = ',';
  if (program.column_delimiter != 0) format.column_delimiter = program.column_delimiter;
  if (program.max_key_bytes != 0) format.max_key_bytes = program.max_key_bytes;
  return format;
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_input_files(const char* const* paths, size_t count, const crivo_format* format,
                               crivo_input** input) {
  return capi::call({{"input", input}}, [&] {
    KeyInput files{.paths = capi::texts_of(paths, count), .format = capi::format_of(format)};
    if (capi::taken(format).group_by_file != 0) files.groups = files.paths;
    *input = new crivo_input{std::move(files)};
  });
}

crivo_status crivo_input_keys(const crivo_keys* keys, crivo_input** input) {
  return capi::call({{"input", input}},
                    [&] { capi::make_input(capi::checked(keys), detail::NoExtras{}, input); });
}

crivo_status crivo_input_values(const crivo_keys* keys, const uint64_t* values,
                                crivo_input** input) {
  return capi::call({{"values", values, capi::count_of(keys)}, {"input", input}}, [&] {
    const crivo_keys& all = capi::checked(keys);
    capi::make_input(all, detail::ExtraValues{{values, all.count}}, input);
  });
}

crivo_status crivo_input_records(const crivo_keys* keys, const crivo_keys* records,
                                 crivo_input** input) {
  return capi::call({{"input", input}}, [&] {
    detail::check_same_size(capi::checked(keys).count, capi::checked(records).count);
    capi::make_input(*keys, capi::Records{*records}, input);
  });
}

crivo_status crivo_writer_key(crivo_writer* writer, const void* key, size_t size) {
  return capi::write(writer, {{"key", key, size}},
                     [&](KeyWriter& to) { to.key(capi::text_of(key, size)); });
}
crivo_status crivo_writer_value(crivo_writer* writer, const void* key, size_t size,
                                uint64_t value) {
  return capi::write(writer, {{"key", key, size}},
                     [&](KeyWriter& to) { to.value(capi::text_of(key, size), value); });
}
crivo_status crivo_writer_record(crivo_writer* writer, const void* key, size_t size,
                                 const void* record, size_t record_size) {
  return capi::write(writer, {{"key", key, size}, {"record", record, record_size}},
                     [&](KeyWriter& to) {
                       to.record(capi::text_of(key, size), capi::text_of(record, record_size));
                     });
}

crivo_status crivo_input_function(crivo_next next, void* context, crivo_input** input) {
  return capi::call({{"next", next}, {"input", input}}, [&] {
    *input = new crivo_input{input_of(std::make_shared<capi::FunctionSource>(next, context))};
  });
}

void crivo_input_allow_empty(crivo_input* input, int allow) {
  input->input.format.allow_empty = allow != 0;
}
void crivo_input_numbers(crivo_input* input, int are_numbers) {
  input->input.format.numbers = are_numbers != 0;
}

crivo_status crivo_input_universe(crivo_input* members, const crivo_input* universe) {
  return capi::call({{"members", members}}, [&] {
    members->input.universe = std::make_shared<const KeyInput>(capi::given_input(universe));
  });
}
void crivo_input_free(crivo_input* input) {
  delete input;
}

crivo_status crivo_key_of(const char* form, const void* text, size_t size, void* buffer,
                          size_t* key_size) {
  return capi::call({{"text", text, size}, {"buffer", buffer}, {"key_size", key_size}}, [&] {
    const auto parsed = keys::parse_form(capi::needed(form, "the form"));
    if (!parsed) throw Error(ErrorKind::usage, quote(form) + " is not a form of keys");
    const std::string key =
        keys::key_of(*parsed, std::string_view(static_cast<const char*>(text), size));
    std::memcpy(buffer, key.data(), key.size());
    *key_size = key.size();
  });
}
