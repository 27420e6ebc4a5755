# Finds rdma-core's libraries: RdmaCore::ibverbs and RdmaCore::rdmacm. Where they are installed apart from the system's,
# name their prefix in CMAKE_PREFIX_PATH or RdmaCore_ROOT.
find_path(RdmaCore_INCLUDE_DIR NAMES infiniband/verbs.h)
find_path(RdmaCore_rdmacm_INCLUDE_DIR NAMES rdma/rdma_cma.h)
find_library(RdmaCore_ibverbs_LIBRARY NAMES ibverbs)
find_library(RdmaCore_rdmacm_LIBRARY NAMES rdmacm)
mark_as_advanced(RdmaCore_INCLUDE_DIR RdmaCore_rdmacm_INCLUDE_DIR RdmaCore_ibverbs_LIBRARY RdmaCore_rdmacm_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RdmaCore
  REQUIRED_VARS RdmaCore_ibverbs_LIBRARY RdmaCore_rdmacm_LIBRARY RdmaCore_INCLUDE_DIR RdmaCore_rdmacm_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian: apt-get install libibverbs-dev librdmacm-dev")

if(RdmaCore_FOUND AND NOT TARGET RdmaCore::ibverbs)
  add_library(RdmaCore::ibverbs UNKNOWN IMPORTED)
  set_target_properties(RdmaCore::ibverbs PROPERTIES
    IMPORTED_LOCATION "${RdmaCore_ibverbs_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RdmaCore_INCLUDE_DIR}")
  add_library(RdmaCore::rdmacm UNKNOWN IMPORTED)
  set_target_properties(RdmaCore::rdmacm PROPERTIES
    IMPORTED_LOCATION "${RdmaCore_rdmacm_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RdmaCore_rdmacm_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES RdmaCore::ibverbs)
endif()
