! Roofmark annotation for Fortran 2008: one file, may be copied into any project, nothing to link
! but the C library (and libdl where that is apart: glibc before 2.34).
!
!   use roofmark
!   call roofmark_begin("solve")                ! a name: trailing blanks are not part of it
!   call roofmark_declare(2_int64*n, 24_int64*n) ! optional: FLOPs and bytes by your own count
!   call roofmark_end("solve")                  ! closes the innermost open region of that name
!
!   type(roofmark_token) :: visit               ! the same by visit instead of by name
!   call roofmark_begin(name, visit)
!   call roofmark_end(visit)
!
! Without a Roofmark runtime in the process a marker is one call, one load and one branch. Bad nesting
! is recorded and flagged in the report, never fatal. May be called by any thread.
! SPDX-License-Identifier: BSD-3-Clause
module roofmark
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, &
    c_f_procpointer, c_funptr, c_int, c_int32_t, c_int64_t, c_intptr_t, c_loc, c_null_char, &
    c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private
  public :: roofmark_token, roofmark_begin, roofmark_end, roofmark_declare
  public :: roofmark_attach, roofmark_detach_thread

  ! One visit of a region, opaque.
  type, bind(c) :: roofmark_token
    type(c_ptr) :: node = c_null_ptr
    integer(c_int64_t) :: visit = 0
  end type roofmark_token

  ! Closes the innermost open region of that name, or that visit.
  interface roofmark_end
    module procedure end_name, end_visit
  end interface roofmark_end

  ! Adds FLOPs and bytes, by your own count, to the innermost open region of this thread. Whole
  ! numbers keep your formula's arithmetic out of the region's FLOPs.
  interface roofmark_declare
    module procedure declare_int32, declare_int64, declare_real32, declare_real64
  end interface roofmark_declare

  ! ---- What module and runtime share, as in roofmark.h. Frozen: tables grow at their end only.
  type, bind(c) :: site_of_region
    type(c_ptr) :: name
    integer(c_int32_t) :: length
    integer(c_int32_t) :: id
    type(c_ptr) :: reserved(2)
  end type site_of_region

  type, bind(c) :: api_table
    integer(c_int32_t) :: abi
    integer(c_int32_t) :: bytes
    type(c_funptr) :: connect
    type(c_funptr) :: enter
    type(c_funptr) :: leave
    type(c_funptr) :: enter_name
    type(c_funptr) :: leave_site
    type(c_funptr) :: declare
    type(c_funptr) :: detach_thread
  end type api_table
  integer(c_int32_t), parameter :: table_bytes = 8 + 7*storage_size(0_c_intptr_t)/8

  abstract interface
    function connect_procedure() bind(c) result(recording)
      import :: c_int
      integer(c_int) :: recording
    end function connect_procedure
    function enter_name_procedure(name, length) bind(c) result(token)
      import :: c_char, c_size_t, roofmark_token
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      type(roofmark_token) :: token
    end function enter_name_procedure
    subroutine leave_procedure(token) bind(c)
      import :: roofmark_token
      type(roofmark_token), value :: token
    end subroutine leave_procedure
    subroutine leave_site_procedure(site) bind(c)
      import :: site_of_region
      type(site_of_region), intent(inout) :: site
    end subroutine leave_site_procedure
    subroutine declare_procedure(token, flop, bytes) bind(c)
      import :: c_double, roofmark_token
      type(roofmark_token), value :: token
      real(c_double), value :: flop, bytes
    end subroutine declare_procedure
    subroutine detach_procedure() bind(c)
    end subroutine detach_procedure
  end interface

  interface
    function dlsym(handle, symbol) bind(c, name="dlsym") result(address)
      import :: c_char, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_ptr) :: address
    end function dlsym
  end interface

  ! One word, so that a thread sees it whole: 0 not asked yet, 1 no runtime, else the table's address.
  integer(c_intptr_t), volatile, save :: found = 0

contains

  ! Asks again, where "there is none" was found before: after a runtime was loaded, say. True: recording.
  function roofmark_attach() result(recording)
    logical :: recording
    type(c_ptr) :: address
    type(api_table), pointer :: table
    procedure(connect_procedure), pointer :: connect
    recording = found /= 0 .and. found /= 1
    if (recording) return ! found once is found for good
    address = dlsym(c_null_ptr, "roofmark_api_v1"//c_null_char)
    if (c_associated(address)) then
      call c_f_pointer(address, table)
      if (table%abi == 1 .and. table%bytes >= table_bytes) then
        call c_f_procpointer(table%connect, connect)
        recording = connect() /= 0
      end if
    end if
    ! What connecting has set is there before another thread of a team finds the table.
    !$omp flush
    if (recording) then
      found = transfer(address, found)
    else
      found = 1
    end if
  end function roofmark_attach

  ! Whether there is a runtime, and its table.
  function has_runtime(table) result(recording)
    type(api_table), pointer, intent(out) :: table
    logical :: recording
    integer(c_intptr_t) :: here
    table => null()
    here = found
    recording = here /= 1
    if (.not. recording) return
    if (here == 0) then
      recording = roofmark_attach()
      if (.not. recording) return
      here = found
    end if
    call c_f_pointer(transfer(here, c_null_ptr), table)
  end function has_runtime

  ! Opens a region. Any bytes but for blanks at the end.
  subroutine roofmark_begin(name, visit)
    character(len=*), intent(in) :: name
    type(roofmark_token), intent(out), optional :: visit
    type(api_table), pointer :: table
    procedure(enter_name_procedure), pointer :: enter_name
    type(roofmark_token) :: entered
    if (.not. has_runtime(table)) return
    call c_f_procpointer(table%enter_name, enter_name)
    entered = enter_name(name, int(len_trim(name), c_size_t))
    if (present(visit)) visit = entered
  end subroutine roofmark_begin

  subroutine end_name(name)
    character(len=*), intent(in) :: name
    type(api_table), pointer :: table
    if (has_runtime(table)) call leave_name(table, name, len_trim(name))
  end subroutine end_name

  subroutine leave_name(table, name, length)
    type(api_table), intent(in) :: table
    integer, intent(in) :: length
    character(kind=c_char), intent(in), target :: name(*)
    type(site_of_region) :: site
    procedure(leave_site_procedure), pointer :: leave_site
    site = site_of_region(c_loc(name), int(length, c_int32_t), 0, c_null_ptr)
    call c_f_procpointer(table%leave_site, leave_site)
    call leave_site(site)
  end subroutine leave_name

  subroutine end_visit(visit)
    type(roofmark_token), intent(in) :: visit
    type(api_table), pointer :: table
    procedure(leave_procedure), pointer :: leave
    if (.not. has_runtime(table)) return
    if (.not. c_associated(visit%node)) return
    call c_f_procpointer(table%leave, leave)
    call leave(visit)
  end subroutine end_visit

  subroutine declare_real64(flop, bytes)
    real(real64), intent(in) :: flop, bytes
    type(api_table), pointer :: table
    type(roofmark_token) :: innermost
    procedure(declare_procedure), pointer :: declare
    if (.not. has_runtime(table)) return
    call c_f_procpointer(table%declare, declare)
    call declare(innermost, real(flop, c_double), real(bytes, c_double))
  end subroutine declare_real64

  subroutine declare_real32(flop, bytes)
    real(real32), intent(in) :: flop, bytes
    call declare_real64(real(flop, real64), real(bytes, real64))
  end subroutine declare_real32

  subroutine declare_int64(flop, bytes)
    integer(int64), intent(in) :: flop, bytes
    call declare_real64(real(flop, real64), real(bytes, real64))
  end subroutine declare_int64

  subroutine declare_int32(flop, bytes)
    integer(int32), intent(in) :: flop, bytes
    call declare_real64(real(flop, real64), real(bytes, real64))
  end subroutine declare_int32

  ! This thread's regions no longer hang below those of the thread that made it.
  subroutine roofmark_detach_thread()
    type(api_table), pointer :: table
    procedure(detach_procedure), pointer :: detach
    if (.not. has_runtime(table)) return
    call c_f_procpointer(table%detach_thread, detach)
    call detach()
  end subroutine roofmark_detach_thread

end module roofmark
