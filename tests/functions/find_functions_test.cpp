#include <analysis/functions/find_functions.hpp>

#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::functions;

namespace {

class FakeSymbols : public symbols::ObjectSymbols {
 public:
  explicit FakeSymbols(std::vector<symbols::Function> functions)
      : functions_(std::move(functions)) {}
  std::optional<symbols::Function> function_at(std::uint64_t offset) const override {
    for (const symbols::Function& f : functions_)
      if (offset >= f.extent.first && offset < f.extent.end) return f;
    return std::nullopt;
  }
  const std::vector<symbols::Function>& functions() const override { return functions_; }
  std::vector<std::uint8_t> x86_code(const symbols::Function&) const override { return {}; }
  std::vector<symbols::CodeLine> layout(const symbols::Function&) override { return {}; }

 private:
  std::vector<symbols::Function> functions_;
};

/// Samples of a period of 1 ms, one after another.
struct Run {
  sampling::SampledRun run;
  double time_s = 0;
  Run() {
    run.means = "perf";
    run.objects = {"", "/bin/a", "[kernel]", "/lib/b.so"};
    run.sees_kernel = true;
  }
  Run& add(std::uint32_t object, std::uint64_t offset, int count) {
    for (int i = 0; i < count; ++i, time_s += 1e-3)
      run.samples.push_back({object, 1, offset, time_s, 1e-3});
    return *this;
  }
};

FakeSymbols of_a({{"heavy", "heavy", {100, 200}},
                  {"light", "light", {200, 300}},
                  {"heavy.cold", "heavy [clone .cold]", {900, 950}},
                  {"kernel_HASWELL", "kernel_HASWELL", {400, 500}},
                  {"kernel_SKYLAKEX", "kernel_SKYLAKEX", {500, 600}}});

symbols::ObjectSymbols* symbols_of(const std::string& object) {
  return object == "/bin/a" ? &of_a : nullptr;
}

const FoundCode& row(const FoundProgram& found, const std::string& name) {
  for (const FoundCode& code : found.code)
    if (code.path == std::vector<std::string>{name}) return code;
  FAIL("no row " << name);
  return found.code.front();
}

}  // namespace

TEST_CASE("a function's time is its share of the program's processor time") {
  Run run;
  run.add(1, 150, 600).add(1, 250, 300).add(2, 0, 100);
  const auto found = find_functions(run.run, {1.8, 0.2, 2.5}, symbols_of);
  REQUIRE(found);
  CHECK(found->samples == 1000);
  CHECK(found->frequency_hz == Approx(1000));
  CHECK(row(*found, "heavy").thread_s.value == Approx(1.2));
  CHECK(row(*found, "heavy").thread_s.source == Source::estimated);
  CHECK(row(*found, "heavy").thread_s.low < 1.2);
  CHECK(row(*found, "heavy").thread_s.high > 1.2);
  CHECK(row(*found, "light").thread_s.value == Approx(0.6));
  CHECK(row(*found, "(kernel)").thread_s.value == Approx(0.2));
  CHECK(row(*found, "(kernel)").ranges.empty());
  CHECK(row(*found, "(other)").thread_s.value == 0);
  CHECK(row(*found, "(other)").is_rest);
  double sum_s = 0;
  for (const FoundCode& code : found->code) sum_s += code.thread_s.value;
  CHECK(sum_s == Approx(2.0));
}

TEST_CASE("where the kernel is not sampled its own account is its time") {
  Run run;
  run.run.sees_kernel = false;
  run.add(1, 150, 600).add(1, 250, 300);
  const auto found = find_functions(run.run, {1.8, 0.2, 2.5}, symbols_of);
  REQUIRE(found);
  CHECK(row(*found, "heavy").thread_s.value == Approx(1.2));
  CHECK(row(*found, "(kernel)").thread_s.value == Approx(0.2));
  CHECK(row(*found, "(kernel)").thread_s.source == Source::measured);
}

TEST_CASE("code that a compiler moved away belongs to its function") {
  Run run;
  run.add(1, 150, 90).add(1, 920, 10);
  const auto found = find_functions(run.run, {1, 0, 1}, symbols_of);
  REQUIRE(found);
  CHECK(row(*found, "heavy").thread_s.value == Approx(1));
  CHECK(row(*found, "heavy").ranges ==
        std::vector<CodeRange>{{"/bin/a", 100, 200}, {"/bin/a", 900, 950}});
}

TEST_CASE("a function for one processor is counted with those for the others") {
  Run run;
  run.add(1, 550, 100);
  const auto found = find_functions(run.run, {1, 0, 1}, symbols_of);
  REQUIRE(found);
  CHECK(row(*found, "kernel_SKYLAKEX").ranges ==
        std::vector<CodeRange>{{"/bin/a", 500, 600}, {"/bin/a", 400, 500}});
}

TEST_CASE("code that no symbol names is a row of its object, without its functions") {
  Run run;
  run.add(1, 700, 60).add(3, 5, 30).add(1, 250, 10);
  const auto found = find_functions(run.run, {1, 0, 1}, symbols_of);
  REQUIRE(found);
  CHECK(row(*found, "[a]").thread_s.value == Approx(0.6));
  CHECK(row(*found, "[b.so]").thread_s.value == Approx(0.3));
  for (const CodeRange& range : row(*found, "[a]").ranges) {
    CHECK((range.end <= 100 || range.first >= 300));
    CHECK((range.end <= 400 || range.first >= 600));
  }
}

TEST_CASE("at most twenty functions have rows, and the rest is one") {
  std::vector<symbols::Function> many;
  Run run;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const std::string name = "f" + std::to_string(i);
    many.push_back({name, name, {100 * i, 100 * i + 100}});
    run.add(1, 100 * i + 5, 40 - static_cast<int>(i));
  }
  FakeSymbols symbols(many);
  const auto found =
      find_functions(run.run, {1, 0, 1}, [&](const std::string&) { return &symbols; });
  REQUIRE(found);
  CHECK(found->code.size() == most_functions + 1);
  CHECK(found->code.front().path.front() == "f0");
  int of_rest = 0;
  for (int i = 20; i < 30; ++i) of_rest += 40 - i;
  CHECK(row(*found, "(other)").thread_s.value ==
        Approx(of_rest / static_cast<double>(run.run.samples.size())));
}

TEST_CASE("a few samples say nothing of functions") {
  Run run;
  run.add(1, 150, fewest_samples - 1);
  const auto found = find_functions(run.run, {0.01, 0, 0.01}, symbols_of);
  REQUIRE_FALSE(found);
  CHECK(found.error().reason.find("39 samples") != std::string::npos);
  CHECK_FALSE(found.error().remedy.empty());
}
