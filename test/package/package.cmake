# Tests of what users get: headers, library and package.

function(add_package_test name)
  add_test(NAME package.${name} COMMAND ${ARGN})
  set_tests_properties(package.${name} PROPERTIES LABELS native TIMEOUT 600)
endfunction()

# skip_package_test(NAME WHY): CTest says so.
function(skip_package_test name why)
  add_package_test(${name} ${CMAKE_COMMAND} -E echo "skipped: ${why}")
  set_tests_properties(package.${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()

set(folder ${CMAKE_CURRENT_SOURCE_DIR}/package)
add_package_test(includes ${folder}/includes ${PROJECT_SOURCE_DIR})
add_package_test(verbs_calls ${folder}/verbs_calls ${PROJECT_SOURCE_DIR})
# Every public symbol is documented.
if(TARGET reference)
  add_package_test(reference ${DOXYGEN_EXECUTABLE} ${PROJECT_BINARY_DIR}/Doxyfile.reference)
else()
  skip_package_test(reference "there is no doxygen (1.9.4 or later)")
endif()
if(NOT ASIO_RDMA_SANITIZE) # with a sanitizer, not all programs need to be there
  add_package_test(contract ${folder}/contract ${PROJECT_SOURCE_DIR}/doc/contract.md
    ${CMAKE_CURRENT_BINARY_DIR}/socket_tests ${CMAKE_CURRENT_BINARY_DIR}/process_tests)
endif()
if(BUILD_SHARED_LIBS AND NOT ASIO_RDMA_SANITIZE)
  add_package_test(symbols ${folder}/symbols $<TARGET_FILE:asio_rdma> ${CMAKE_NM})
  add_package_test(preload_symbols ${folder}/preload_symbols $<TARGET_FILE:asio_rdma_soft> ${CMAKE_NM}
    $<TARGET_FILE:RdmaCore::ibverbs> $<TARGET_FILE:RdmaCore::rdmacm>)
  # The library as other projects use it, and as it is packed.
  set(build ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${CMAKE_CXX_COMPILER})
  foreach(use IN ITEMS installed static subproject)
    add_package_test(${use} ${folder}/${use} ${build})
  endforeach()
  find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
  if(DPKG_SHLIBDEPS AND ASIO_RDMA_BUILD_PERF)
    add_package_test(debian ${folder}/debian ${build})
  else()
    skip_package_test(debian "it takes dpkg-shlibdeps (Debian's package dpkg-dev) and ASIO_RDMA_BUILD_PERF")
  endif()
endif()
