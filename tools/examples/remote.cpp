// SPDX-License-Identifier: Apache-2.0
// Looks keys up in an index on a web server: `remote URL PUBLIC-KEY KEY...`, "-" for no key.
#include <crivo/error.hpp>
#include <crivo/remote.hpp>
#include <iostream>

#include "http/http_source.hpp"

int main(int argc, char** argv) try {
  if (argc < 4) return 2;      // nothing to look up
  crivo::http::Client client;  // keeps its connections
  crivo::RemoteOptions options{.name = argv[1]};
  const bool is_signed = std::string_view(argv[2]) != "-";
  if (is_signed) options.trust = crivo::Trust{.keys = {crivo::PublicKey::read(argv[2])}};
  // Both ends of the file and its signature, at once; then all that the keys need, at once.
  auto source = crivo::http::source_of(client, argv[1], is_signed);
  crivo::Remote remote = crivo::Remote::open(std::move(source), options);
  const std::vector<std::string_view> keys(argv + 3, argv + argc);
  const auto found = remote.find(keys);
  for (std::size_t i = 0; i < keys.size(); ++i)
    std::cout << keys[i] << '\t' << found[i].value_or("-") << '\n';
  const crivo::http::Traffic& traffic = client.traffic();
  std::cerr << traffic.rounds << " round trips, " << traffic.requests << " requests over "
            << traffic.connections << " connections, " << traffic.bytes << " bytes\n";
  return 0;
} catch (const crivo::Error& error) {
  std::cerr << "remote: " << error.what() << '\n';
  return 1;
}
