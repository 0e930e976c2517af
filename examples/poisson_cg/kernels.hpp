// What conjugate gradients are made of. Each kernel is a region of its own; n rows, nnz entries.
#pragma once

#include <vector>

#include "matrix.hpp"

using Vector = std::vector<double>;

// 2 n FLOP; DRAM 16 n read.
double dot(const Vector& x, const Vector& y);

// y += alpha * x: 2 n FLOP; DRAM 16 n read, 8 n written.
void axpy(double alpha, const Vector& x, Vector& y);

// y = x + beta * y: 2 n FLOP; DRAM 16 n read, 8 n written.
void xpby(const Vector& x, double beta, Vector& y);

// y = A x: 2 nnz FLOP; DRAM at least 12 nnz + 20 n read, 8 n written.
void spmv(const Matrix& a, const Vector& x, Vector& y);

// z = M^-1 r with one symmetric Gauss-Seidel sweep, forward and then backward: 2 (2 nnz + 3 n)
// FLOP. Each row waits for the row before it.
void precondition(const Matrix& a, const Vector& r, Vector& z);
