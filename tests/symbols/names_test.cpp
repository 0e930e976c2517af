#include <analysis/symbols/names.hpp>

#include "catch.hpp"

using namespace roofmark::symbols;

TEST_CASE("names lose what tells people nothing") {
  CHECK(shortened("main") == "main");
  CHECK(shortened("work::heavy()") == "work::heavy");
  CHECK(shortened("double add_up<double>(std::vector<double> const&, double)") == "add_up<double>");
  CHECK(shortened("void f<A<B<C<D<E<F<G<H>>>>>>>, int>(int)") == "f<...>");
  CHECK(shortened("Matrix::operator()(int, int) const") == "Matrix::operator()");
  CHECK(shortened("Matrix::operator<(Matrix const&)") == "Matrix::operator<");
  CHECK(shortened("std::ostream& operator<< <char>(std::ostream&, char)") == "operator<<<char>");
  CHECK(shortened("(anonymous namespace)::f(int)") == "(anonymous)::f");
  CHECK(shortened("main::{lambda(int, double)#2}::operator()(int, double) const") ==
        "main::{lambda#2}::operator()");
  CHECK(shortened("solve(int)::helper(double)") == "solve::helper");
  CHECK(shortened("main [clone ._omp_fn.0]") == "main [clone ._omp_fn.0]");
  CHECK(shortened("run(double*) [clone ._omp_fn.1]") == "run [clone ._omp_fn.1]");
  CHECK(shortened("work::Solver<double>::step(int) [clone .isra.0]") ==
        "work::Solver<double>::step");
  CHECK(shortened("step(int) [clone .constprop.0] [clone .cold]") == "step");
  CHECK(shortened("main [clone .part.0]") == "main");
  CHECK(shortened("unbalanced(") == "unbalanced");
  CHECK(shortened("a<b") == "a");
  CHECK(shortened("") == "");
}

TEST_CASE("only mangled names are demangled") {
  CHECK(demangled("_Z5heavyv") == "heavy()");
  CHECK(demangled("heavy") == "heavy");
  CHECK(demangled("_Zgarbage") == "_Zgarbage");
}

TEST_CASE("parts that a compiler moved away have a home") {
  CHECK(home_of_part("f.cold") == "f");
  CHECK(home_of_part("f.cold.12") == "f");
  CHECK(home_of_part("f.constprop.0") == "f.constprop.0");
  CHECK(home_of_part(".cold") == ".cold");
}

TEST_CASE("functions for several processors have a name in common") {
  CHECK(without_processor("dgemm_kernel_SKYLAKEX") == without_processor("dgemm_kernel_HASWELL"));
  CHECK(without_processor("__memmove_avx512_unaligned_erms") ==
        without_processor("__memmove_avx_unaligned_erms"));
  CHECK(without_processor("dgemm_kernel_ZEN") != without_processor("sgemm_kernel_ZEN"));
  CHECK(without_processor("dgemm_kernel") == "");
  CHECK(without_processor("avxtravaganza") == "");
  CHECK(without_processor("") == "");
}
