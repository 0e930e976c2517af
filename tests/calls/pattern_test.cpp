#include "libprofiler/target/attach/functions/pattern.hpp"

#include <analysis/record/called_functions.hpp>
#include <catch.hpp>
#include <string>
#include <string_view>

using namespace roofmark;

namespace {

bool fits(std::string_view glob, std::string_view text) {
  return functions::matches(glob.data(), glob.size(), text.data(), text.size());
}

std::string qualified(const char* symbol) {
  char name[256];
  return std::string(name, functions::qualified_name(symbol, name, sizeof name));
}

}  // namespace

TEST_CASE("a glob fits all of a name") {
  CHECK(fits("cblas_*", "cblas_dgemm"));
  CHECK(fits("*", ""));
  CHECK(fits("d?emm", "dgemm"));
  CHECK(fits("*gemm", "cblas_dgemm"));
  CHECK(fits("c*_*mm", "cblas_dgemm"));
  CHECK(fits("[ds]gemm", "sgemm"));
  CHECK(fits("[!a-d]gemm", "sgemm"));
  CHECK(fits("a**b", "ab"));
  CHECK(fits("[]x]", "]"));
  CHECK(fits("[x", "[x"));
  CHECK_FALSE(fits("[!a-d]gemm", "dgemm"));
  CHECK_FALSE(fits("cblas_", "cblas_dgemm"));
  CHECK_FALSE(fits("dgemm", "cblas_dgemm"));
  CHECK_FALSE(fits("d?emm", "demm"));
  CHECK_FALSE(fits("", "a"));
  // In time that grows with the product of the two lengths and no faster.
  CHECK_FALSE(fits("*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

TEST_CASE("the qualified name of a C++ symbol") {
  CHECK(qualified("_ZN4work6Solver3runERKSt6vectorIdSaIdEE") == "work::Solver::run");
  CHECK(qualified("_ZNK4work6Solver4sizeEv") == "work::Solver::size");
  CHECK(qualified("_ZN4work6SolverC1Ei") == "work::Solver::Solver");
  CHECK(qualified("_ZN4work6SolverD2Ev") == "work::Solver::~Solver");
  CHECK(qualified("_Z5plaini") == "plain");
  CHECK(qualified("_ZN4work5twiceIdEET_S1_") == "work::twice");
  CHECK(qualified("_ZN4work3BoxISt6vectorINS_4ItemESaIS2_EELi3EE4openEv") == "work::Box::open");
  CHECK(qualified("_ZN12_GLOBAL__N_16hiddenEv") == "(anonymous)::hidden");
  CHECK(qualified("_ZSt4sortIPdEvT_S1_") == "std::sort");
  CHECK(qualified("_ZNSt6thread4joinEv") == "std::thread::join");
  CHECK(qualified("dgemm_").empty());
  CHECK(qualified("_ZN4workplEii").empty());  // an operator
}

TEST_CASE("no symbol, however damaged, is read beyond its end") {
  const std::string whole = "_ZNK4work3BoxISt6vectorINS_4ItemESaIS2_EELi3EE4openEB5cxx11v";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string part = whole.substr(0, length);
    for (std::size_t room = 1; room < 40; room += 7) {
      std::string name(room, '?');
      CHECK(functions::qualified_name(part.c_str(), name.data(), room) < room);
    }
  }
  CHECK(qualified("_ZN99999999999999999999a").empty());
  CHECK(qualified("_Z9short").empty());
}

TEST_CASE("an option names functions and libraries") {
  const auto both = parse_function_glob("cblas_*@libblas*");
  REQUIRE(both);
  CHECK(is_meant(*both, "cblas_dgemm", "/usr/lib/x86_64-linux-gnu/libblas.so.3"));
  CHECK_FALSE(is_meant(*both, "cblas_dgemm", "/opt/libmkl_rt.so"));
  CHECK_FALSE(is_meant(*both, "dgemm_", "/usr/lib/libblas.so.3"));
  const auto any = parse_function_glob("work::Solver::*");
  REQUIRE(any);
  CHECK(is_meant(*any, "_ZN4work6Solver3runERKSt6vectorIdSaIdEE", "/x/libsolver.so"));
  CHECK_FALSE(is_meant(*any, "_ZN4work5twiceIdEET_S1_", "/x/libsolver.so"));
  CHECK_FALSE(parse_function_glob(""));
  CHECK_FALSE(parse_function_glob("@libm*"));
  CHECK_FALSE(parse_function_glob("sin@"));
  CHECK_FALSE(parse_function_glob("sin,cos"));
}
