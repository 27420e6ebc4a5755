# Tests of what users get: headers, library and package.

# Every header can be included by itself. Nothing of the result is run.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/*.hpp)
if(NOT ASIO_RDMA_SANITIZE)
  set(sources)
  foreach(header IN LISTS headers)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <@header@>\n" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  add_library(header_tests OBJECT ${sources})
  target_compile_options(header_tests PRIVATE -O0)
  target_link_libraries(header_tests PRIVATE asio_rdma)
endif()

function(add_package_test name)
  add_test(NAME package.${name} COMMAND ${ARGN})
  set_tests_properties(package.${name} PROPERTIES LABELS native TIMEOUT 600)
endfunction()

set(folder ${CMAKE_CURRENT_SOURCE_DIR}/package)
add_package_test(includes ${folder}/includes ${PROJECT_SOURCE_DIR})
add_package_test(verbs_calls ${folder}/verbs_calls ${PROJECT_SOURCE_DIR})
if(NOT ASIO_RDMA_SANITIZE) # with a sanitizer, not all programs need to be there
  add_package_test(contract ${folder}/contract ${PROJECT_SOURCE_DIR}/doc/contract.md
    ${CMAKE_CURRENT_BINARY_DIR}/socket_tests ${CMAKE_CURRENT_BINARY_DIR}/process_tests)
endif()
if(BUILD_SHARED_LIBS AND NOT ASIO_RDMA_SANITIZE)
  add_package_test(symbols ${folder}/symbols $<TARGET_FILE:asio_rdma> ${CMAKE_NM})
  add_package_test(preload_symbols ${folder}/preload_symbols $<TARGET_FILE:asio_rdma_soft> ${CMAKE_NM}
    $<TARGET_FILE:RdmaCore::ibverbs> $<TARGET_FILE:RdmaCore::rdmacm>)
  add_package_test(consumer ${folder}/build-consumer ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND} ${CMAKE_GENERATOR}
    ${CMAKE_CXX_COMPILER})
endif()
