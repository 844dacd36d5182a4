// SPDX-License-Identifier: Apache-2.0
/// Reading files of web servers, by libcurl: several at once, over connections that are kept.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace crivo::http {

struct ClientOptions {
  /// How long a server may take to connect, and to send each 1,000 bytes that it sends per second
  /// of it: who is slower is given up.
  std::chrono::seconds patience{30};
  /// How many connections are open at once, at most.
  unsigned connections = 6;
  /// How often a request is made again of a server that cannot be reached, ends the connection
  /// before it sends anything, or answers with a status that says "later" (429, 502, 503, 504):
  /// after a quarter of a second, and twice as long each time.
  unsigned retries = 2;
};

/// A request to a server.
struct Request {
  std::string url;
  std::string range{};           ///< as "0-99" or, of the end, "-100"; empty: all of the file
  std::uint64_t most_bytes = 0;  ///< that may come: who sends more is cut off
  /// Called with what comes, piece by piece; what it throws ends the request.
  std::function<void(std::span<const std::byte>)> take{};
  /// For a range from the end, which not all servers know: of anything else that comes nothing is
  /// taken, and Reply::bytes is 0.
  bool or_nothing = false;
};

/// A server's reply about a file that it has.
struct Reply {
  bool found = true;         ///< whether it has one: not for the statuses 403, 404, 410
  std::uint64_t begin = 0;   ///< of what came
  std::uint64_t bytes = 0;   ///< that came
  std::uint64_t length = 0;  ///< of the file; of a whole file 0 where the server does not say it
  std::string version{};     ///< the ETag, or else the time of the last change; may be empty
};

struct Traffic {
  std::uint64_t rounds = 0;  ///< calls of Client::get()
  std::uint64_t requests = 0;
  std::uint64_t connections = 0;
  std::uint64_t bytes = 0;  ///< of files
};

/// Speaks http and https, and follows five redirections: from https to https alone, and to other
/// hosts without user and password. What it throws names such a host, and no password. Of one
/// thread.
class Client {
 public:
  /// Throws Error(io).
  explicit Client(const ClientOptions& options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// The answers, in their order. Throws Error(io), which begins with the URL: for every other
  /// status, a server that does not know ranges, one that sends more or less than it was asked for,
  /// or too slowly; and what `take` throws.
  std::vector<Reply> get(std::span<const Request> requests);
  const Traffic& traffic() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace crivo::http
