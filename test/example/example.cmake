# The examples, run with each other; cases.py says what each has to print. Here each is a test; in the virtual machine,
# where starting the interpreter takes longer than any of them, all are one.
if(NOT ASIO_RDMA_BUILD_EXAMPLES OR ASIO_RDMA_SANITIZE)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(READ ${CMAKE_CURRENT_LIST_DIR}/cases.py cases)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cases.py)
string(REGEX MATCHALL "\n    \"[a-z_]+\": " cases "${cases}")
foreach(case IN LISTS cases)
  string(REGEX MATCH "[a-z_]+" name "${case}")
  if(name STREQUAL tls AND NOT TARGET tls) # there was no OpenSSL
    continue()
  endif()
  add_test(NAME example.${name}
    COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/run.py ${PROJECT_BINARY_DIR}/example ${name})
  set_tests_properties(example.${name} PROPERTIES LABELS native TIMEOUT 300)
  list(APPEND names ${name})
endforeach()
add_test(NAME example.all
  COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/run.py ${PROJECT_BINARY_DIR}/example ${names})
set_tests_properties(example.all PROPERTIES LABELS kernel TIMEOUT 900)
