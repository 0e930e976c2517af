#pragma once

#include "kernels.hpp"

struct Solution {
  Vector x;
  unsigned iterations = 0;
  double relative_residual = 1;
};

// Preconditioned conjugate gradients for A x = b from x = 0, until |b - A x| <= tolerance |b| or
// `limit` iterations.
Solution solve(const Matrix& a, const Vector& b, double tolerance, unsigned limit);
