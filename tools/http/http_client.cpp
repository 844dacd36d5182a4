// SPDX-License-Identifier: Apache-2.0
#include "http/http_client.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>

#include "crivo/error.hpp"
#include "crivo/version.hpp"
#include "http/libcurl.hpp"
#include "http/shown_url.hpp"

namespace crivo::http {
namespace {

constexpr long kSlowestBytesPerSecond = 1000;
constexpr std::size_t kMostHeaderBytes = std::size_t{64} << 10;
constexpr long kMostRedirections = 5;
constexpr long kWhole = 200;
constexpr long kPart = 206;

[[noreturn]] void fail(const std::string& url, const std::string& problem) {
  const std::string shown = shown_url(url);
  throw Error(ErrorKind::io, shown + ": " + problem, {.file = shown});
}

/// Object stores forbid what they do not have.
bool has_no_file(long status) noexcept {
  return status == 403 || status == 404 || status == 410;
}

/// Takes a decimal number from the front of `text`, and `end` behind it.
std::optional<std::uint64_t> take_number(std::string_view& text, std::string_view end) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (!text.starts_with(end)) return std::nullopt;
  text.remove_prefix(end.size());
  return number;
}

/// One request on its way.
class Transfer {
 public:
  Transfer(CURLM* multi, const Request& request, Reply& reply, const ClientOptions& options)
      : multi_(multi),
        request_(request),
        reply_(reply),
        easy_(libcurl().easy_init(), libcurl().easy_cleanup) {
    if (easy_ == nullptr) fail(request_.url, "no memory for a request");
    error_.front() = '\0';
    const auto patience = static_cast<long>(options.patience.count());
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, request_.url.starts_with("https:") ? "https" : "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, kMostRedirections);
    const std::string agent = std::string("crivo/") + version();
    set(CURLOPT_USERAGENT, agent.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, patience);
    set(CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
    set(CURLOPT_LOW_SPEED_TIME, patience);
    // Headers and the bodies of redirections count for that limit, and not for ours.
    patience_ = options.patience;
    window_ends_ = Clock::now() + 2 * patience_;  // to connect takes a time of its own
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_time);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_ERRORBUFFER, error_.data());
    set(CURLOPT_PRIVATE, this);
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_bytes);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, this);
    if (!request_.range.empty()) set(CURLOPT_RANGE, request_.range.c_str());
    if (libcurl().multi_add_handle(multi_, easy_.get()) != CURLM_OK)
      fail(request_.url, "cannot be asked for");
  }
  ~Transfer() { libcurl().multi_remove_handle(multi_, easy_.get()); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Throws as Client::get() does.
  void finish(CURLcode result, Traffic& traffic) {
    if (thrown_) std::rethrow_exception(thrown_);
    long connected = 0;
    libcurl().easy_getinfo(easy_.get(), CURLINFO_NUM_CONNECTS, &connected);
    ++traffic.requests;
    traffic.connections += static_cast<std::uint64_t>(connected);
    traffic.bytes += reply_.bytes;
    const long got = status();
    if (is_missing(got)) {
      reply_.found = false;
      return;
    }
    if (is_left_) return;
    if (result != CURLE_OK && !problem_.empty()) refuse(problem_);
    if (result == CURLE_UNSUPPORTED_PROTOCOL)
      refuse("the server leads to an address that is not followed: from https to https alone");
    if (result != CURLE_OK)
      refuse(error_.front() != '\0' ? error_.data() : libcurl().easy_strerror(result));
    if (got != expected()) refuse(status_problem(got));
    check_length();
  }

  /// Whether the server may have an answer later, of which nothing came yet.
  bool may_come_later(CURLcode result) const noexcept {
    constexpr std::array kBusy{429L, 502L, 503L, 504L};
    constexpr std::array kUnreached{CURLE_COULDNT_CONNECT, CURLE_GOT_NOTHING, CURLE_RECV_ERROR,
                                    CURLE_SEND_ERROR};
    if (thrown_ || reply_.bytes != 0) return false;
    return std::ranges::find(kBusy, status()) != kBusy.end() ||
           std::ranges::find(kUnreached, result) != kUnreached.end();
  }
  const Request& request() const noexcept { return request_; }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    if (libcurl().easy_setopt(easy_.get(), option, value) != CURLE_OK)
      fail(request_.url, "is not a URL that can be asked for");
  }

  /// Names the host that the server led to, if it is another one.
  [[noreturn]] void refuse(const std::string& problem) const {
    const char* last = nullptr;
    libcurl().easy_getinfo(easy_.get(), CURLINFO_EFFECTIVE_URL, &last);
    const std::string_view host = last != nullptr ? host_of(last) : std::string_view();
    const bool is_other = !host.empty() && host != host_of(request_.url);
    fail(request_.url, problem + (is_other ? " (it led to " + std::string(host) + ")" : ""));
  }

  long expected() const noexcept { return request_.range.empty() ? kWhole : kPart; }
  long status() const noexcept {
    long status = 0;
    libcurl().easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }
  /// Whether there is no file, or a directory with another URL, of which the server sends a list.
  bool is_missing(long got) const noexcept {
    if (has_no_file(got)) return true;
    const char* last = nullptr;
    libcurl().easy_getinfo(easy_.get(), CURLINFO_EFFECTIVE_URL, &last);
    return got == kWhole && !request_.range.empty() && last != nullptr &&
           std::string_view(last).ends_with('/') && !request_.url.ends_with('/');
  }
  std::string status_problem(long got) const {
    if (got == kWhole && request_.url.ends_with('/'))
      return "is the URL of a directory; name a file in it";
    if (got == kWhole) return "the server sends no ranges; download the file";
    return "the server answers with the status " + std::to_string(got);
  }

  void check_length() const {
    const bool is_whole = request_.range.empty();
    if (!is_whole && !range_) refuse("the server does not say which range it sends");
    const std::uint64_t wanted = is_whole ? reply_.length : range_->last - range_->begin + 1;
    if ((!is_whole || reply_.length != 0) && reply_.bytes != wanted)
      refuse("the server sent " + std::to_string(reply_.bytes) + " bytes, not " +
             std::to_string(wanted));
  }

  static std::size_t on_bytes(char* bytes, std::size_t size, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->take({bytes, size * count}) ? size * count : 0;
  }
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->read_header({bytes, size * count}) ? size * count : 0;
  }

  static int on_time(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Transfer*>(self)->has_progress() ? 0 : 1;
  }

  /// Whether as much of the file came, since it was asked for the last time, as a server that is
  /// not given up sends: so a large file may take as long as it needs.
  bool has_progress() noexcept try {
    if (Clock::now() < window_ends_) return true;
    if (reply_.bytes < window_bytes_) {
      problem_ = "the server sends less than 1,000 bytes a second of the file";
      return false;
    }
    window_ends_ = Clock::now() + patience_;
    window_bytes_ = reply_.bytes + static_cast<std::uint64_t>(kSlowestBytesPerSecond) *
                                       static_cast<std::uint64_t>(patience_.count());
    return true;
  } catch (...) {
    return false;
  }

  /// False ends the request.
  bool take(std::string_view bytes) noexcept try {
    const long got = status();
    const bool is_end = range_ && range_->last + 1 == reply_.length;
    is_left_ = request_.or_nothing && !is_missing(got) && (got == kWhole || (range_ && !is_end));
    if (is_left_) return false;
    if (got != expected()) {
      problem_ = status_problem(got);
      return false;
    }
    reply_.bytes += bytes.size();
    if (reply_.bytes > request_.most_bytes) {
      problem_ = "the server sends more than the " + std::to_string(request_.most_bytes) +
                 " bytes that were asked for";
      return false;
    }
    request_.take(std::as_bytes(std::span(bytes)));
    return true;
  } catch (...) {
    thrown_ = std::current_exception();
    return false;
  }

  bool read_header(std::string_view line) noexcept try {
    header_bytes_ += line.size();
    if (header_bytes_ > kMostHeaderBytes) {
      problem_ = "the server sends an endless header";
      return false;
    }
    if (line.starts_with("HTTP/")) {  // those of a redirection were other ones
      reply_.length = 0;
      reply_.version.clear();
      range_.reset();
      return true;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return true;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
    });
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    while (!value.empty() &&
           std::string_view(" \t\r\n").find(value.back()) != std::string_view::npos)
      value.remove_suffix(1);
    read_field(name, value);
    return true;
  } catch (...) {
    thrown_ = std::current_exception();
    return false;
  }

  void read_field(std::string_view name, std::string_view value) {
    if (name == "etag") {
      reply_.version = value;
    } else if (name == "last-modified") {
      if (reply_.version.empty()) reply_.version = value;
    } else if (name == "content-length") {
      if (const auto length = take_number(value, ""); length && request_.range.empty())
        reply_.length = *length;
    } else if (name == "content-range" && value.starts_with("bytes ")) {
      value.remove_prefix(6);
      // A length of 0, which no range lies in, where one of the three is no number.
      const std::uint64_t begin = take_number(value, "-").value_or(UINT64_MAX);
      const std::uint64_t last = take_number(value, "/").value_or(UINT64_MAX);
      const std::uint64_t length = take_number(value, "").value_or(0);
      if (begin > last || last >= length) return;
      range_ = {begin, last};
      reply_.begin = begin;
      reply_.length = length;
    }
  }

  using Clock = std::chrono::steady_clock;

  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t last = 0;
  };

  CURLM* multi_;
  const Request& request_;
  Reply& reply_;
  std::unique_ptr<CURL, void (*)(CURL*)> easy_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  std::string problem_;
  std::exception_ptr thrown_;
  std::optional<Range> range_;
  bool is_left_ = false;  ///< it is not what was asked for, and not taken
  std::size_t header_bytes_ = 0;
  std::chrono::seconds patience_{};
  Clock::time_point window_ends_;
  std::uint64_t window_bytes_ = 1;  ///< of the file, that must have come by then
};

}  // namespace

struct Client::Impl {
  explicit Impl(const ClientOptions& own) : options(own) {
    if (multi == nullptr) throw Error(ErrorKind::io, "libcurl cannot start");
    libcurl().multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                           static_cast<long>(own.connections));
  }
  ~Impl() { libcurl().multi_cleanup(multi); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// Ends those that are done, of which some are to be made `again` if it is given; throws as get()
  /// does.
  void finish_some(std::vector<std::unique_ptr<Transfer>>& running,
                   std::vector<const Request*>* again) {
    int left = 0;
    while (const CURLMsg* const message = libcurl().multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Transfer* done = nullptr;
      const CURLcode result = message->data.result;
      libcurl().easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &done);
      if (again != nullptr && done->may_come_later(result)) {
        again->push_back(&done->request());
      } else {
        done->finish(result, traffic);
      }
      std::erase_if(running, [&](const auto& one) { return one.get() == done; });
    }
  }

  /// Makes some of the requests of get().
  void run(std::span<const Request* const> some, std::span<const Request> all,
           std::vector<Reply>& replies, std::vector<const Request*>* again) {
    std::vector<std::unique_ptr<Transfer>> running;
    std::size_t next = 0;
    while (next < some.size() || !running.empty()) {
      for (; next < some.size() && running.size() < options.connections; ++next) {
        Reply& reply = replies[static_cast<std::size_t>(some[next] - all.data())];
        reply = {};
        running.push_back(std::make_unique<Transfer>(multi, *some[next], reply, options));
      }
      int active = 0;
      CURLMcode result = libcurl().multi_perform(multi, &active);
      finish_some(running, again);
      if (result == CURLM_OK && active != 0)
        result = libcurl().multi_poll(multi, nullptr, 0, 1000, nullptr);
      if (result != CURLM_OK) throw Error(ErrorKind::io, libcurl().multi_strerror(result));
    }
  }

  ClientOptions options;
  CURLM* multi = libcurl().multi_init();
  Traffic traffic;
};

Client::Client(const ClientOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Client::~Client() = default;

const Traffic& Client::traffic() const noexcept {
  return impl_->traffic;
}

std::vector<Reply> Client::get(std::span<const Request> requests) {
  std::vector<Reply> replies(requests.size());
  std::vector<const Request*> left;
  for (const Request& request : requests) left.push_back(&request);
  ++impl_->traffic.rounds;
  std::chrono::milliseconds pause(250);
  for (unsigned retries = impl_->options.retries;; --retries) {
    std::vector<const Request*> again;
    impl_->run(left, requests, replies, retries != 0 ? &again : nullptr);
    if (again.empty()) return replies;
    std::this_thread::sleep_for(pause);
    pause *= 2;
    left = std::move(again);
  }
}

}  // namespace crivo::http
