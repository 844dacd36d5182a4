// SPDX-License-Identifier: Apache-2.0
#include "capi/call.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "capi/keys.hpp"
#include "crivo/version.hpp"

namespace crivo::capi {
namespace {

/// A thread's last call that failed. Its size is fixed, since the failure may be one of memory; and
/// it is all 0 while there was none, so that no file and no thread has its bytes before.
struct Failure {
  char message[8192];
  char file[4096];  // the longest path of the system
  char section[64];
  char remedy[64];
  std::uint64_t line;
  std::uint64_t after_byte;  // 0 where the byte is not known
  int system_error;
};
constinit thread_local Failure last_failure{};

void note(const char* message) noexcept {
  for (char* const text : {last_failure.file, last_failure.section, last_failure.remedy}) *text = 0;
  last_failure.line = last_failure.after_byte = 0;
  last_failure.system_error = 0;
  copy_text(message, last_failure.message);
}

crivo_status status_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::mismatch:
      return CRIVO_STATUS_MISMATCH;
    case ErrorKind::usage:
      return CRIVO_STATUS_USAGE;
    case ErrorKind::bad_input:
      return CRIVO_STATUS_BAD_INPUT;
    case ErrorKind::corrupt:
      return CRIVO_STATUS_CORRUPT;
    case ErrorKind::too_new:
      return CRIVO_STATUS_TOO_NEW;
    case ErrorKind::too_old:
      return CRIVO_STATUS_TOO_OLD;
    case ErrorKind::io:
      return CRIVO_STATUS_IO;
    case ErrorKind::cancelled:
      return CRIVO_STATUS_CANCELLED;
  }
  return CRIVO_STATUS_IO;
}

void report(const crivo_resources& to, Progress& progress) {
  const auto fraction = progress.fraction();
  const crivo_progress state{progress.phase(), fraction.value_or(-1), progress.done(),
                             progress.total(), progress.seconds()};
  if (to.on_progress(to.context, &state) != 0) progress.cancel();
}

}  // namespace

crivo_status note_failure() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    note(error.what());
    const ErrorPlace& place = error.place();
    copy_text(place.file, last_failure.file);
    copy_text(place.section, last_failure.section);
    copy_text(place.remedy, last_failure.remedy);
    last_failure.line = place.line.value_or(0);
    last_failure.after_byte = place.byte.value_or(UINT64_MAX) + 1;
    last_failure.system_error = place.system_error.value_or(0);
    return status_of(error.kind());
  } catch (const std::bad_alloc&) {  // here, and not in the library, which throws Error
    note("out of memory");
  } catch (const std::length_error&) {  // more than any memory has
    note("out of memory");
  } catch (const std::system_error& error) {
    note(error.what());
    last_failure.system_error = error.code().value();
  } catch (const std::exception& error) {
    note(error.what());
  } catch (...) {
    note("unknown error");
  }
  return CRIVO_STATUS_IO;
}

void fail_cancelled() {
  throw Error(ErrorKind::cancelled, "the program cancelled the call");
}

const char* needed(const char* text, const char* what) {
  Given(what, text).check();
  return text;
}

std::vector<std::string> texts_of(const char* const* texts, std::size_t count) {
  std::vector<std::string> all;
  Given("the array of paths", texts, count).check();
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(needed(texts[i], "a path"));
  return all;
}

std::vector<std::filesystem::path> paths_of(const char* const* paths, std::size_t count) {
  const std::vector<std::string> all = texts_of(paths, count);
  return {all.begin(), all.end()};
}

void Given::check() const {
  if (!is_there_) throw Error(ErrorKind::usage, std::string(name_) + " is NULL");
  if (is_too_long_)
    throw Error(ErrorKind::usage, std::string(name_) + " has more bytes than memory can have");
}

void check_given(std::initializer_list<Given> given) {
  for (const Given& each : given) each.check();
}

void fail_key(std::size_t i) {
  throw Error(ErrorKind::usage,
              "key " + std::to_string(i) + " of an array has no data, or ends before it begins");
}

void put_texts(const crivo_keys& keys, std::size_t begin, std::span<std::string_view> texts) {
  static_assert(std::endian::native == std::endian::little);
  if (number_in(keys.layout) == CRIVO_LAYOUT_NUMBERS) {
    const auto* const numbers = static_cast<const std::uint64_t*>(keys.data);
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = text_of(numbers + begin + i, 8);
    return;
  }
  with_layout(keys, [&](auto at) {
    if constexpr (std::same_as<decltype(at(0)), std::string_view>) {
      for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = at(begin + i);
    }
  });
}

void check_struct_size(std::size_t size) {
  constexpr std::size_t kMost = 4096;  // far more than any structure has
  if (size < sizeof size || size > kMost)
    throw Error(ErrorKind::usage, "struct_size is not set in a structure of the call");
}

void check_later_members(const void* members, std::size_t size) {
  const std::span bytes(static_cast<const char*>(members), size);
  if (std::any_of(bytes.begin(), bytes.end(), [](char byte) { return byte != 0; }))
    throw Error(ErrorKind::usage,
                "a structure of the call has a member of a later version, which is set");
}

Trust trust_of(const crivo_trust& given) {
  const crivo_trust program = taken(&given);
  Trust trust{.minimum_sequence = program.minimum_sequence, .state = text_or(program.state, "")};
  for (const char* const* key = program.public_keys; key != nullptr && *key != nullptr; ++key)
    trust.keys.push_back(PublicKey::read(*key));
  if (program.now != 0) trust.now = std::chrono::sys_seconds(std::chrono::seconds(program.now));
  return trust;
}

namespace {

OpenCheck open_check(const crivo_mode& mode) {
  const auto number = number_in(mode);
  return number == CRIVO_MODE_CHECKED     ? OpenCheck::checked
         : number == CRIVO_MODE_UNCHECKED ? OpenCheck::unchecked
                                          : OpenCheck::by_kind;
}

OpenMode open_mode(const crivo_mode& mode) {
  switch (number_in(mode)) {
    case CRIVO_MODE_MAPPED:
    case CRIVO_MODE_CHECKED:
    case CRIVO_MODE_UNCHECKED:
      return OpenMode::mapped;
    case CRIVO_MODE_PRELOAD:
      return OpenMode::preload;
    case CRIVO_MODE_LOCK:
      return OpenMode::lock;
    case CRIVO_MODE_COPY:
      return OpenMode::copy;
    case CRIVO_MODE_READ:
      return OpenMode::read;
    default:
      throw Error(ErrorKind::usage, "unknown open mode");
  }
}

}  // namespace

OpenOptions open_options(const crivo_open_options* given) {
  const crivo_open_options program = taken(given);
  OpenOptions options{.mode = open_mode(program.mode), .verify = program.verify != 0};
  if (program.trust != nullptr) options.trust = trust_of(*program.trust);
  if (program.data_mode != nullptr) options.data_mode = open_mode(*program.data_mode);
  options.check = open_check(program.mode);
  return options;
}

namespace {

/// A call on a thread of its own, while this one tells the program how far it is: ten times a
/// second, and a last time before the output is put in its place (where there is none, at the end).
/// Afterwards nothing is told, as nothing can be cancelled.
class Watched {
 public:
  Watched(const crivo_resources& program, Resources& resources)
      : program_(program), resources_(resources) {
    resources_.progress = &progress_;
    progress_.set_last_question([this] {
      std::unique_lock lock(mutex_);
      state_ = State::asks;
      changed_.notify_all();
      changed_.wait(lock, [this] { return state_ != State::asks; });
    });
  }

  void run(const std::function<void(const Resources&)>& work) {
    std::exception_ptr failure;
    bool is_told = false;
    {
      const std::jthread worker([&] {
        try {
          work(resources_);
        } catch (...) {
          failure = std::current_exception();
        }
        enter(State::done);
      });
      while (const State now = wait()) {
        if (!is_told) report(program_, progress_);
        if (now != State::asks) continue;
        is_told = true;
        enter(State::works);
      }
    }
    if (failure) std::rethrow_exception(failure);
    if (!is_told) report(program_, progress_);
  }

 private:
  enum State { done, works, asks };

  /// The state in a tenth of a second, or at once if another turn is not for the worker.
  State wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(100),
                      [this] { return state_ != State::works; });
    return state_;
  }
  void enter(State state) {
    const std::scoped_lock lock(mutex_);
    state_ = state;
    changed_.notify_all();
  }

  const crivo_resources& program_;
  Resources& resources_;
  Progress progress_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::works;
};

}  // namespace

void with_resources(const crivo_resources* given,
                    const std::function<void(const Resources&)>& work) {
  const crivo_resources program = taken(given);
  Resources resources{.threads = program.threads,
                      .memory = program.memory,
                      .temp_dir = text_or(program.temp_dir, ""),
                      .progress = nullptr};
  if (program.on_progress == nullptr) return work(resources);
  Watched(program, resources).run(work);
}

}  // namespace crivo::capi

using crivo::capi::last_failure;

const char* crivo_version(void) {
  return crivo::version();
}
const char* crivo_error_message(void) {
  return last_failure.message;
}
const char* crivo_error_file(void) {
  return last_failure.file[0] != '\0' ? last_failure.file : nullptr;
}
uint64_t crivo_error_line(void) {
  return last_failure.line;
}
const char* crivo_error_section(void) {
  return last_failure.section[0] != '\0' ? last_failure.section : nullptr;
}
uint64_t crivo_error_byte(void) {
  return last_failure.after_byte - 1;
}
int crivo_error_errno(void) {
  return last_failure.system_error;
}
const char* crivo_error_remedy(void) {
  return last_failure.remedy[0] != '\0' ? last_failure.remedy : nullptr;
}
