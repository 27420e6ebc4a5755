# Debian packages of the installation's three components, by cpack. They hold what CMAKE_INSTALL_PREFIX=/usr makes of
# CMAKE_INSTALL_LIBDIR, so configure with that (doc/packaging.md). The maintainer is who makes them: DEBFULLNAME and
# DEBEMAIL, as for Debian's own tools, else the user of this machine.
if(NOT BUILD_SHARED_LIBS OR ASIO_RDMA_SANITIZE)
  return()
endif()

set(full_name $ENV{DEBFULLNAME})
set(email $ENV{DEBEMAIL})
if(NOT full_name OR NOT email)
  execute_process(COMMAND id -un OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_host_system_information(RESULT host QUERY FQDN)
  if(NOT full_name)
    set(full_name ${user})
  endif()
  if(NOT email)
    set(email ${user}@${host})
  endif()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME asio-rdma)
set(CPACK_PACKAGE_CONTACT "${full_name} <${email}>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/src/package/debian_files.cmake)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)

set(CPACK_COMPONENTS_ALL runtime development tools)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS runtime)
set(CPACK_COMPONENT_TOOLS_DEPENDS runtime)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)

get_target_property(soversion asio_rdma SOVERSION)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libasio-rdma${soversion})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
# Loaded when a program runs, if they are there.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libibverbs1, librdmacm1, ibverbs-providers")
set(control ${PROJECT_BINARY_DIR}/debian)
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
# CPack's own way (GENERATE_SHLIBS) warns of the tools' plugin, which needs no soname.
file(WRITE ${control}/shlibs "libasio_rdma ${soversion} libasio-rdma${soversion} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${control}/triggers ${control}/shlibs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "RDMA for Boost.Asio programs: the library
Sockets, acceptors and resolvers as those of TCP and UDP, over InfiniBand,
RoCE, or a software device that needs no hardware.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libasio-rdma-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libboost-dev (>= 1.81) | libboost1.81-dev, libibverbs-dev, librdmacm-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "RDMA for Boost.Asio programs: headers
What it takes to compile programs with libasio-rdma1: the headers, and the
files by which CMake and pkg-config find them.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME asio-rdma-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION net)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "RDMA for Boost.Asio programs: tools
Programs that measure RDMA, a program that says what a machine has for it, and
one that runs other verbs programs without hardware.")
include(CPack)
