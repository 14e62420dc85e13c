! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! What fortran.c calls: each subroutine touches what its comment there says.

module kinds
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: particle
    real(c_double) :: place(3)
    real(c_double) :: mass
  end type
contains
  ! By a descriptor, with the caller's stride.
  subroutine scale(v, factor)
    real(c_double), intent(inout) :: v(:)
    real(c_double), value :: factor
    integer :: i
    do i = 1, size(v)
      v(i) = v(i) * factor
    end do
  end subroutine
end module

subroutine f_fill(y, n) bind(C)
  use kinds
  integer(c_long), value :: n
  real(c_double) :: y(n)
  y = 1.0d0
end subroutine

subroutine f_axpy(y, x, n, a) bind(C)
  use kinds
  integer(c_long), value :: n
  real(c_double) :: y(n), x(n)
  real(c_double), value :: a
  y = y + a * x
end subroutine

subroutine f_section(y, x, n, step) bind(C)
  use kinds
  integer(c_long), value :: n, step
  real(c_double) :: y(n), x(n)
  y(1:n:step) = x(1:n:step) + 1
end subroutine

subroutine f_shift(y, n) bind(C)
  use kinds
  integer(c_long), value :: n
  real(c_double) :: y(n)
  y(2:n) = y(1:n-1) + 1
end subroutine

subroutine f_concurrent(y, x, n) bind(C)
  use kinds
  integer(c_long), value :: n
  real(c_double) :: y(n), x(n)
  integer(c_long) :: i
  do concurrent (i = 1:n)
    y(i) = 2 * x(i)
  end do
end subroutine

subroutine f_where(y, x, n) bind(C)
  use kinds
  integer(c_long), value :: n
  real(c_double) :: y(n), x(n)
  where (x > 0) y = 5
end subroutine

subroutine f_allocatable(y, x, n) bind(C)
  use kinds
  integer(c_long), value :: n
  real(c_double) :: y(n), x(n)
  real(c_double), allocatable :: kept(:), grown(:)
  allocate (kept(n))
  kept = x * 2
  grown = kept            ! allocated by the assignment
  deallocate (kept)
  y = grown + 1
end subroutine

subroutine f_derived(p, n) bind(C)
  use kinds
  integer(c_long), value :: n
  type(particle) :: p(n)
  integer(c_long) :: i
  do i = 1, n, 256
    p(i)%mass = p(i)%place(2)
  end do
end subroutine

subroutine f_descriptor(y, n, step) bind(C)
  use kinds
  integer(c_long), value :: n, step
  real(c_double), target :: y(n)
  real(c_double), pointer :: p(:)
  p => y(1:n:step)
  call scale(p, 2.0d0)
end subroutine

function f_reduce(x, n) bind(C) result(total)
  use kinds
  integer(c_long), value :: n
  real(c_double) :: x(n), total
  integer(c_long) :: i
  total = 0
  do i = 1, n
    total = total + x(i)
  end do
end function

! libFortranRuntime, which has no marks, moves the bytes by memcpy, write and read.
subroutine f_write(x, n) bind(C)
  use kinds
  integer(c_long), value :: n
  real(c_double) :: x(n)
  open (11, status='scratch', form='unformatted', access='stream')
  write (11) x
end subroutine

subroutine f_read(y, n) bind(C)
  use kinds
  integer(c_long), value :: n
  real(c_double) :: y(n)
  rewind (11)
  read (11) y
  close (11)
end subroutine
