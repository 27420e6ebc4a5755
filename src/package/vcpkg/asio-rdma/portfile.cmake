# An overlay port: vcpkg install asio-rdma --overlay-ports=src/package/vcpkg
# It builds the source tree that it lies in, and needs the system's rdma-core (libibverbs-dev, librdmacm-dev), which
# vcpkg does not have. doc/packaging.md says how far it was tried.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DASIO_RDMA_BUILD_TESTS=OFF
    -DASIO_RDMA_BUILD_EXAMPLES=OFF
    -DASIO_RDMA_BUILD_PERF=OFF
    -DASIO_RDMA_WERROR=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME asio_rdma CONFIG_PATH lib/cmake/asio_rdma)
vcpkg_fixup_pkgconfig()

# The library is what vcpkg is for. The command asio_rdma_soft, its plugin and its manual page belong to a system.
foreach(folder IN ITEMS bin lib/asio_rdma share/man)
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/${folder}" "${CURRENT_PACKAGES_DIR}/debug/${folder}")
endforeach()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
