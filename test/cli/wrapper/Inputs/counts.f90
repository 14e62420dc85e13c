! Touches pages of an allocatable array: a line of it writes, a line reads.
program counts
  implicit none
  integer, parameter :: n = 65536
  real(8), allocatable :: x(:)
  real(8) :: total
  integer :: i
  allocate (x(n))
  do i = 1, n
    x(i) = i
  end do
  total = 0
  do i = 1, n
    total = total + x(i)
  end do
  print '(f0.1)', total
end program
