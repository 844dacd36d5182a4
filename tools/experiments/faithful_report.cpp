// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/faithful.hpp"
#include "experiments/printed/dissertation.hpp"
#include "experiments/statistics.hpp"

namespace crivo::experiments {
namespace {

/// Equation 3.2 for c = 2.09, or the same of graphs that may have self-loops.
double acyclic_probability(bool with_loops) {
  constexpr double kC = 2.09;
  return std::sqrt((kC - 2) / kC) * (with_loops ? 1 : std::exp(1 / kC));
}

Proportion acyclic_part(const Json& step) {
  const auto acyclic = step.at("acyclic").get<std::vector<int>>();
  return proportion(static_cast<std::uint64_t>(std::ranges::count(acyclic, 1)), acyclic.size());
}

std::string key_name(const Report& report, std::string_view keys) {
  if (keys == "words") return report.t("words", "palavras");
  if (keys == "urls") return "URLs";
  if (keys == "debian") return report.t("Debian's words", "palavras do Debian");
  return report.t("the words' XXH3", "o XXH3 das palavras");
}

std::string function_name(const Report& report, std::string_view function) {
  if (function == "hu64") return report.t("hu, sums of 64 bits", "hu, somas de 64 bits");
  if (function == "hu32") return report.t("hu, sums of 32 bits", "hu, somas de 32 bits");
  if (function == "hz64") return report.t("hz, sums of 64 bits", "hz, somas de 64 bits");
  if (function == "hz32") return report.t("hz, cast to 32 bits", "hz, convertida a 32 bits");
  if (function == "hz64-letter") {
    return report.t("hz, loops avoided by the printed formula",
                    "hz, laços evitados pela fórmula impressa");
  }
  if (function == "crivo-hu") return report.t("Crivo's hu", "hu do Crivo");
  return std::string(function);
}

/// The sizes in the steps' names, ascending.
std::vector<std::uint64_t> sizes_of(const Results& results, std::string_view keys) {
  if (keys == "debian") return {0};
  return results[kFaithfulSizes].at("sizes").get<std::vector<std::uint64_t>>();
}

/// Calls visit(id, keys, function) for what was measured of this r.
template <typename Visit>
void for_each_step(const Results& results, unsigned arity, Visit&& visit) {
  for (const std::string_view keys : kFaithfulKeys) {
    for (const std::uint64_t count : sizes_of(results, keys)) {
      for (const std::string_view function : kFaithfulFunctions) {
        const std::string id = faithful_step(keys, count, function, arity);
        if (results.has(id)) visit(id, keys, function);  // not all are asked for
      }
    }
  }
}

std::string range_of(const Report& report, const Proportion& part) {
  return report.fixed(part.low, 3) + " - " + report.fixed(part.high, 3);
}

void report_two_graphs(const Results& results, Report& report) {
  report::Table table(
      {report.t("keys", "chaves"), "n", report.t("function", "função"),
       report.t("graphs", "grafos"), report.t("acyclic", "acíclicos"), "P",
       report.t("95 % interval", "intervalo de 95 %"), "N_i = 1/P",
       report.t("expected P", "P esperada"), report.t("verdict", "veredicto"),
       report.t("products, sums beyond 32 bits", "produtos, somas acima de 32 bits")});
  for_each_step(
      results, 2, [&](const std::string& id, std::string_view keys, std::string_view function) {
        const Json& step = results[id];
        const Proportion part = acyclic_part(step);
        const double expected = acyclic_probability(function == "hz64-letter");
        table.add(
            {key_name(report, keys), report.grouped(step.at("keys").get<double>()),
             function_name(report, function), report.grouped(static_cast<double>(part.trials)),
             report.grouped(static_cast<double>(part.successes)), report.fixed(part.part(), 3),
             range_of(report, part), part.successes == 0 ? "-" : report.fixed(1 / part.part(), 2),
             report.fixed(expected, 4), report.word(verdict(part, expected)),
             step.contains("products") ? report.grouped(step.at("products").get<double>()) + "; " +
                                             report.grouped(step.at("sums").get<double>())
                                       : "-"});
      });
  report.table(table);
}

void report_three_graphs(const Results& results, Report& report) {
  report::Table table({report.t("keys", "chaves"), "n", report.t("function", "função"),
                       report.t("graphs", "grafos"), report.t("acyclic", "acíclicos"),
                       report.t("95 % interval of P", "intervalo de 95 % de P"),
                       report.t("so N_i is", "logo N_i é")});
  for_each_step(
      results, 3, [&](const std::string& id, std::string_view keys, std::string_view function) {
        const Proportion part = acyclic_part(results[id]);
        table.add({key_name(report, keys), report.grouped(results.number(id, "keys")),
                   function_name(report, function),
                   report.grouped(static_cast<double>(part.trials)),
                   report.grouped(static_cast<double>(part.successes)), range_of(report, part),
                   report.fixed(1 / part.high, 2) + " - " + report.fixed(1 / part.low, 2)});
      });
  report.table(table);
}

/// "0.042 (0.012 - 0.112)".
std::string measured(const Results& results, const Report& report, std::string_view keys,
                     std::uint64_t count, std::string_view function) {
  const std::string id = faithful_step(keys, count, function, 2);
  if (!results.has(id)) return report.t("not measured", "não medida");
  const Proportion part = acyclic_part(results[id]);
  return report.fixed(part.part(), 3) + " (" + range_of(report, part) + ")";
}

/// The same at the most keys that it was measured at, and at how many.
std::string measured_at_most(const Results& results, const Report& report, std::string_view keys,
                             std::string_view function) {
  const std::vector<std::uint64_t> counts = sizes_of(results, keys);
  for (std::size_t i = counts.size(); i-- > 0;) {
    const std::string id = faithful_step(keys, counts[i], function, 2);
    if (!results.has(id)) continue;
    return measured(results, report, keys, counts[i], function) +
           report.t(" at n = ", " para n = ") + report.grouped(results.number(id, "keys"));
  }
  return report.t("not measured", "não medida");
}

/// What overflows in the sums of hu over the words, at all sizes.
std::string overflows_of(const Results& results, const Report& report) {
  double products = 0;
  double sums = 0;
  for (const std::uint64_t count : sizes_of(results, "words")) {
    const std::string id = faithful_step("words", count, "hu64", 2);
    if (!results.measured(id)) continue;
    products += results.number(id, "products");
    sums += results.number(id, "sums");
  }
  return report.t("products beyond 32 bits: ", "produtos acima de 32 bits: ") +
         report.grouped(products) +
         report.t("; sums beyond 32 bits: ", "; somas acima de 32 bits: ") + report.grouped(sums);
}

/// What the printed N_i says of a measured P, where there are about as many keys.
std::string against_printed(const Report& report, const Proportion& part, std::uint64_t keys) {
  const double old = printed::kWordsMwhc2[0].attempts;
  if (std::abs(static_cast<double>(keys) / printed::kKeys - 1) > 0.1) return "";
  const bool inside = part.low <= 1 / old && 1 / old <= part.high;
  return report.t("; the printed ", "; os ") + report.fixed(old, 1) +
         report.t(" graphs are P = ", " grafos impressos são P = ") + report.fixed(1 / old, 3) +
         (inside ? report.t(", inside of its interval", ", dentro do seu intervalo")
                 : report.t(", outside of its interval", ", fora do seu intervalo"));
}

/// What `crivo gen words` has to do with it.
std::string generators_part(const Report& report) {
  return report.t(
      "These words are of `crivo gen words`, and the low P is an effect of that generator. A "
      "linear function keeps differences: where x - y = w - z, byte by byte, h(x) - h(y) is "
      "h(w) - h(z), so that where one pair of edges meets, so does the other, and cycles such as "
      "1562715, 6020008, 8056263, 3598970 close. The generator puts its words together from small "
      "tables and uses a good part of all combinations: at 10,935,928 words a quarter of all "
      "numbers of up to 7 digits, 4 of 10 of its words that begin with a vowel, nearly all of "
      "those of two syllables. So it has very many differences that are alike, more than a "
      "vocabulary that people wrote.",
      "Estas palavras são de `crivo gen words`, e o P baixo é um efeito desse gerador. Uma função "
      "linear conserva diferenças: onde x - y = w - z, byte a byte, h(x) - h(y) é h(w) - h(z), de "
      "modo que, onde um par de arestas se encontra, o outro também se encontra, e fecham-se "
      "ciclos como 1562715, 6020008, 8056263, 3598970. O gerador compõe as palavras a partir de "
      "tabelas pequenas e usa boa parte de todas as combinações: com 10.935.928 palavras, um "
      "quarto de todos os números de até 7 dígitos, 4 de cada 10 das suas palavras que começam "
      "com vogal, quase todas as de duas sílabas. Tem, portanto, muitíssimas diferenças iguais, "
      "mais que um vocabulário escrito por pessoas.");
}

void explain_universal(const Results& results, Report& report) {
  std::uint64_t most = 0;
  for (const std::uint64_t count : sizes_of(results, "words")) {
    if (results.measured(faithful_step("words", count, "hu64", 2))) most = count;
  }
  if (most == 0) return;
  const auto of = [&](std::string_view keys, std::string_view function) {
    return measured_at_most(results, report, keys, function);
  };
  const double theory = acyclic_probability(false);
  std::string trend;
  for (const std::uint64_t count : sizes_of(results, "words")) {
    trend += (trend.empty() ? "" : ", ") + measured(results, report, "words", count, "hu64") +
             report.t(" at n = ", " para n = ") + report.grouped(static_cast<double>(count));
  }
  const std::string id = faithful_step("words", most, "hu64", 2);
  const Proportion at_most = acyclic_part(results[id]);
  const bool low = at_most.high < theory;
  report.paragraph(
      report.t("The anomaly of `hu`: the document prints N_i = 7.5 on words and 4.3 on URLs (`hz`: "
               "2.5 and 3.2), and puts it down to values that overflow 4 bytes. With its own "
               "functions, drawn anew for each graph, P(acyclic) of `hu` on words is ",
               "A anomalia de `hu`: o documento imprime N_i = 7,5 nas palavras e 4,3 nas URLs "
               "(`hz`: 2,5 e 3,2), e a atribui a valores que estouram 4 bytes. Com as suas "
               "próprias funções, sorteadas de novo para cada grafo, P(acíclico) de `hu` nas "
               "palavras é ") +
      trend + report.t(", where equation 3.2 has ", ", onde a equação 3.2 dá ") +
      report.fixed(theory, 3) +
      (low ? report.t(": at the most keys it is surely below",
                      ": no maior número de chaves é seguramente menor")
           : report.t(": at the most keys it is not surely below",
                      ": no maior número de chaves não é seguramente menor")) +
      against_printed(report, at_most, most) +
      report.t(". Overflows of one function, at all these n: ",
               ". Estouros de uma função, em todos esses n: ") +
      overflows_of(results, report) +
      report.t(". The sum of Figure 2.2 has 64 bits, so its program loses none of the sums; with "
               "sums of 32 bits P is ",
               ". A soma da Figura 2.2 tem 64 bits, de modo que o programa não perde nenhuma soma; "
               "com somas de 32 bits P é ") +
      of("words", "hu32") + ".");
  if (low && results.about().words == "generated") report.paragraph(generators_part(report));
  report.paragraph(
      report.t("For comparison: `hu` over keys without structure, the XXH3 of the same words, has "
               "P = ",
               "Para comparação: `hu` sobre chaves sem estrutura, o XXH3 das mesmas palavras, tem "
               "P = ") +
      of("unstructured", "hu64") +
      report.t("; `hz` over the words themselves, linear too but with a weight for each byte's "
               "value, so that far fewer differences are alike, ",
               "; `hz` sobre as próprias palavras, também linear mas com um peso para cada valor "
               "de byte, de modo que muito menos diferenças são iguais, ") +
      of("words", "hz64") +
      report.t("; and `hu` over Debian's English words, ",
               "; e `hu` sobre as palavras inglesas do Debian, ") +
      of("debian", "hu64") + report.t(". On URLs `hu` has ", ". Nas URLs `hu` tem ") +
      of("urls", "hu64") + report.t(" and `hj` ", " e `hj` ") + of("urls", "hj") +
      report.t("; on words `hj` has ", "; nas palavras `hj` tem ") + of("words", "hj") +
      report.t(" (printed: 12.3 and 13.0 graphs, which are P = 0.081 and 0.077). `hj` hits some "
               "vertices twice as often; how many depends on where |V| stands between powers of "
               "two.",
               " (impresso: 12,3 e 13,0 grafos, que são P = 0,081 e 0,077). `hj` atinge alguns "
               "vértices em dobro; quantos depende de onde |V| fica entre potências de dois."));
  report.paragraph(report.t(
      "What made the document's program try 7.5 graphs is **inconclusive**: its vocabulary is not "
      "to be had, and how often the graphs of `hu` are cyclic depends on the words.",
      "O que fez o programa do documento tentar 7,5 grafos fica **inconclusivo**: o seu "
      "vocabulário não está disponível, e com que frequência os grafos de `hu` são cíclicos "
      "depende das palavras."));
}

void explain_loops(const Results& results, Report& report) {
  const std::uint64_t least = sizes_of(results, "words").front();
  const std::string id = faithful_step("words", least, "hz64-letter", 2);
  if (!results.measured(id)) return;
  const Proportion part = acyclic_part(results[id]);
  report.paragraph(
      report.t(
          "Self-loops: with h2 below |V|, as the document has it, (v1 + h2 + 1) mod |V| is v1 "
          "where h2 = |V| - 1. One edge in |V| is then a loop, n / |V| = 0.478 in a graph, and "
          "P is sqrt((c - 2)/c) = ",
          "Laços: com h2 abaixo de |V|, como no documento, (v1 + h2 + 1) mod |V| é v1 quando "
          "h2 = |V| - 1. Uma em cada |V| arestas é então um laço, n / |V| = 0,478 por grafo, e P é "
          "sqrt((c - 2)/c) = ") +
      report.fixed(acyclic_probability(true), 4) +
      ", N_i = " + report.fixed(1 / acyclic_probability(true), 2) +
      report.t(". Measured at the least n: ", ". Medido no menor n: ") +
      report.fixed(part.part(), 3) + " (" + range_of(report, part) + "), " +
      report.word(verdict(part, acyclic_probability(true))) +
      report.t(". All other rows have h2 below |V| - 1; the printed N_i of `hz`, about 3, are of "
               "graphs without loops too.",
               ". Todas as outras linhas têm h2 abaixo de |V| - 1; os N_i impressos de `hz`, cerca "
               "de 3, também são de grafos sem laços."));
}

}  // namespace

void report_faithful(const Results& results, Report& report) {
  report.paragraph(report.t(
      "Here each graph has functions of its own: weights below m drawn anew, one value at a time, "
      "as the dissertation's Figures 2.1 to 2.7 have it, and every key hashed again; beside them "
      "Crivo's way, one 128-bit hash a key, whose 32-bit words make the vertices, here under a new "
      "seed for each graph. N_i of a run is geometric with mean 1/P, so that P and its interval "
      "(Wilson's) say what many runs would. A graph of r = 2 has 2.09 n vertices, one of r = 3 has "
      "1.23 n.",
      "Aqui cada grafo tem funções próprias: pesos abaixo de m sorteados de novo, um valor de cada "
      "vez, como nas Figuras 2.1 a 2.7 da dissertação, e cada chave processada de novo; ao lado, o "
      "modo do Crivo, um hash de 128 bits por chave, cujas palavras de 32 bits fazem os vértices, "
      "aqui com uma nova semente para cada grafo. O N_i de uma execução é geométrico de média 1/P, "
      "de modo que P e o seu intervalo (de Wilson) dizem o que muitas execuções diriam. Um grafo "
      "de "
      "r = 2 tem 2,09 n vértices, um de r = 3 tem 1,23 n."));
  report.heading(3, report.t("Graphs of r = 2", "Grafos de r = 2"));
  report_two_graphs(results, report);
  explain_universal(results, report);
  explain_loops(results, report);
  report.heading(3, report.t("Graphs of r = 3", "Grafos de r = 3"));
  report_three_graphs(results, report);
  report.paragraph(
      report.t("The document has N_i = 1.5 of `hu` on URLs, and 1 else, and blames overflows there "
               "too.",
               "O documento tem N_i = 1,5 de `hu` nas URLs, e 1 nos demais casos, e também ali os "
               "atribui a estouros."));
}

}  // namespace crivo::experiments
