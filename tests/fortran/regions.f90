! Regions in Fortran, one scenario a run: what is done in them is known exactly.
program regions
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use roofmark
  implicit none
  integer, parameter :: n = 1000
  real(real64) :: x(n), y(n)
  character(len=32) :: scenario
  call get_command_argument(1, scenario)
  x = 1
  y = 0
  select case (scenario)
  case ("nested")
    call nested()
  case ("names")
    call names()
  case ("nesting")
    call bad_nesting()
  case ("team")
    call team()
  case default
    error stop "which scenario?"
  end select
  print '(a,f10.1)', "sum ", sum(y)
contains

  ! 2 n FLOP.
  subroutine axpy(a)
    real(real64), intent(in) :: a
    integer :: i
    do i = 1, n
      y(i) = y(i) + a*x(i)
    end do
  end subroutine axpy

  subroutine nested()
    integer :: step
    type(roofmark_token) :: visit
    call roofmark_begin("solve")
    call roofmark_declare(2_int64*n*3, 24_int64*n*3)
    do step = 1, 3
      call roofmark_begin("step", visit)
      call roofmark_declare(2*n, 24*n)
      call axpy(2.0_real64)
      call roofmark_end(visit)
    end do
    call roofmark_end("solve")
    call roofmark_begin("real")
    call roofmark_declare(0.5_real64, 1.5_real64)
    call roofmark_declare(0.5, 0.5)
    call roofmark_end("real")
  end subroutine nested

  subroutine names()
    character(len=40) :: padded
    character(len=:), allocatable :: grown
    padded = "padded with blanks"
    call roofmark_begin(padded)
    call roofmark_begin("  blanks inside, and before  ")
    call roofmark_end("  blanks inside, and before")
    call roofmark_end("padded with blanks")
    grown = "L"//char(195)//char(182)//"ser" ! UTF-8
    call roofmark_begin(grown)
    call roofmark_end(grown)
    call roofmark_begin("   ")
    call roofmark_end("")
  end subroutine names

  subroutine bad_nesting()
    type(roofmark_token) :: outer, never
    call roofmark_begin("outer", outer)
    call roofmark_begin("inner")
    call roofmark_end(outer)   ! closes inner too
    call roofmark_end("inner") ! is open no more
    call roofmark_end(never)
    call roofmark_begin("open")
  end subroutine bad_nesting

  subroutine team()
    integer :: i
    call roofmark_begin("team")
    !$omp parallel do num_threads(4) schedule(static, 1)
    do i = 1, 8
      call roofmark_begin("part")
      call part(i)
      call roofmark_end("part")
    end do
    !$omp end parallel do
    call roofmark_end("team")
  end subroutine team

  ! n / 8 multiplications and as many additions.
  subroutine part(which)
    integer, intent(in) :: which
    integer :: i
    do i = (which - 1)*(n/8) + 1, which*(n/8)
      y(i) = y(i) + 3*x(i)
    end do
  end subroutine part

end program regions
