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
# Systems that cannot have RDMA: tried out on this one, and compiled for Windows.
set(build ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${CMAKE_CXX_COMPILER})
add_package_test(stub ${folder}/stub ${build})
find_program(MINGW x86_64-w64-mingw32-g++-posix)
if(MINGW)
  add_package_test(windows ${folder}/windows ${build} ${MINGW} ${Boost_INCLUDE_DIRS})
else()
  skip_package_test(windows "there is no MinGW-w64 (Debian's package g++-mingw-w64-x86-64-posix)")
endif()
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
  if(ASIO_RDMA_VERBS)
    find_library(IBVERBS_LIBRARY ibverbs REQUIRED)
    find_library(RDMACM_LIBRARY rdmacm REQUIRED)
    add_package_test(preload_symbols ${folder}/preload_symbols $<TARGET_FILE:asio_rdma_soft> ${CMAKE_NM}
      ${IBVERBS_LIBRARY} ${RDMACM_LIBRARY})
  endif()
  if(ASIO_RDMA_BUILD_PERF AND ASIO_RDMA_VERBS)
    add_package_test(without_rdma_core ${folder}/without_rdma_core $<TARGET_FILE:asio_rdma>
      $<TARGET_FILE:asio_rdma_info> ${CMAKE_CURRENT_BINARY_DIR}/socket_tests)
  endif()
  if(ASIO_RDMA_VERBS)
    add_package_test(verbs_abi ${folder}/verbs_abi ${PROJECT_SOURCE_DIR} ${CMAKE_CXX_COMPILER})
  endif()
  # The library as other projects use it, and as it is packed.
  foreach(use IN ITEMS installed static subproject)
    add_package_test(${use} ${folder}/${use} ${build})
  endforeach()
  find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
  if(DPKG_SHLIBDEPS AND ASIO_RDMA_BUILD_PERF AND ASIO_RDMA_VERBS)
    add_package_test(debian ${folder}/debian ${build})
  else()
    skip_package_test(debian
      "it takes dpkg-shlibdeps (Debian's package dpkg-dev), ASIO_RDMA_BUILD_PERF and ASIO_RDMA_VERBS")
  endif()
endif()
