! BLAS as Fortran calls it, with the lengths of the characters behind the arguments.
program calls
  implicit none
  integer, parameter :: n = 96
  double precision :: a(n, n), b(n, n), c(n, n), s
  complex(kind(1.0d0)) :: u(n), z
  complex(kind(1.0d0)), external :: zdotc
  double precision, external :: ddot
  integer :: i
  a = 0
  do i = 1, n
    a(i, i) = 2
  end do
  b = 3
  call dgemm('N', 'N', n, n, n, 1.0d0, a, n, b, n, 0.0d0, c, n)
  s = ddot(n, c(:, 1), 1, c(:, 2), 1)
  u = (1.0d0, 1.0d0)
  z = zdotc(n, u, 1, u, 1)
  if (any(c /= 6) .or. s /= 36 * n .or. z /= 2 * n) stop 1
  print '(a)', 'right'
end program
