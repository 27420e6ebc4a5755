# An overlay port: vcpkg install asio-rdma --overlay-ports=packaging/vcpkg
# It builds the source tree that it lies in, and needs the system's rdma-core (libibverbs-dev, librdmacm-dev).
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

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
vcpkg_copy_tools(TOOL_NAMES asio_rdma_soft AUTO_CLEAN)

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
