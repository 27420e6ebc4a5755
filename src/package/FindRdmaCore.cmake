# Finds the headers of rdma-core: RdmaCore::headers. Its libraries are loaded when a program runs. Where the headers are
# installed apart from the system's, name their prefix in CMAKE_PREFIX_PATH or RdmaCore_ROOT.
find_path(RdmaCore_INCLUDE_DIR NAMES infiniband/verbs.h)
find_path(RdmaCore_rdmacm_INCLUDE_DIR NAMES rdma/rdma_cma.h)
mark_as_advanced(RdmaCore_INCLUDE_DIR RdmaCore_rdmacm_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RdmaCore
  REQUIRED_VARS RdmaCore_INCLUDE_DIR RdmaCore_rdmacm_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian: apt-get install libibverbs-dev librdmacm-dev")

if(RdmaCore_FOUND AND NOT TARGET RdmaCore::headers)
  add_library(RdmaCore::headers INTERFACE IMPORTED)
  set_target_properties(RdmaCore::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${RdmaCore_INCLUDE_DIR};${RdmaCore_rdmacm_INCLUDE_DIR}")
endif()
