program consumer
  use roofmark
  call roofmark_begin("from_fortran")
  call roofmark_declare(1000, 8000)
  call roofmark_end("from_fortran")
  print '(a)', "ran"
end program consumer
