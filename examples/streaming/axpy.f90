! y = y + a x, in Fortran.
!
!   usage: axpy [--expect] [n = 4194304] [repetitions = 10]
!
! Closed forms for n elements and one repetition:
!   FLOP    2 n       one multiply, one add
!   L1      16 n read, 8 n write
!   DRAM    16 n read, 8 n write, where the two vectors are much more than the last cache holds
! Intensity 2 / 24 = 0.083 FLOP/byte: bound by memory on every machine.
program axpy
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use roofmark
  implicit none
  integer(int64) :: n, repetitions, repetition
  integer :: at
  logical :: expect
  real(real64), allocatable :: x(:), y(:)
  character(len=32) :: first

  call get_command_argument(1, first)
  expect = first == "--expect"
  at = merge(2, 1, expect)
  n = count_argument(at, 4194304_int64)
  repetitions = count_argument(at + 1, 10_int64)
  if (expect) then
    print '(*(g0))', '{"path": "axpy", "precision": "f64", "visits": ', repetitions, ', "flop": ', &
      2*n*repetitions, ', "l1_read": ', 16*n*repetitions, ', "l1_write": ', 8*n*repetitions, &
      ', "dram_read": ', 16*n*repetitions, ', "dram_write": ', 8*n*repetitions, '}'
    stop
  end if

  allocate (x(n), y(n))
  x = 0.5_real64
  y = 0
  do repetition = 1, repetitions
    call add_scaled(2.0_real64, x, y)
  end do
  print '(a,g0,a,g0,a)', "y(1) = ", y(1), " (", real(repetitions, real64), " is right)"
  if (any(abs(y - repetitions) > 0)) error stop 1

contains

  subroutine add_scaled(a, x, y)
    real(real64), intent(in) :: a, x(:)
    real(real64), intent(inout) :: y(:)
    integer(int64) :: i
    call roofmark_begin("axpy")
    ! In whole numbers: arithmetic of reals would itself be counted as this region's work.
    call roofmark_declare(2*size(x, kind=int64), 24*size(x, kind=int64))
    do i = 1, size(x, kind=int64)
      y(i) = y(i) + a*x(i)
    end do
    call roofmark_end("axpy")
  end subroutine add_scaled

  function count_argument(which, otherwise) result(count)
    integer, intent(in) :: which
    integer(int64), intent(in) :: otherwise
    integer(int64) :: count
    integer :: status
    character(len=32) :: text
    count = otherwise
    if (command_argument_count() < which) return
    call get_command_argument(which, text)
    read (text, *, iostat=status) count
    if (status /= 0 .or. count < 1) error stop "not a count"
  end function count_argument

end program axpy
