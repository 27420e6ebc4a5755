# Run by cpack before it makes Debian packages of what was installed: adds to each what every package of Debian has,
# licence and changelog, and compresses its manual pages.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # that of SOURCE_DATE_EPOCH, if it is set

file(READ ${CPACK_RESOURCE_FILE_LICENSE} license)
string(STRIP "${license}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  if(NOT IS_DIRECTORY ${root})
    message(FATAL_ERROR "the build has nothing of the component ${component} to pack: ${root} is not there")
  endif()
  string(TOUPPER ${component} upper)
  set(folder ${root}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(WRITE ${folder}/copyright
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: asio_rdma\n"
    "Source: ${CPACK_PACKAGE_HOMEPAGE_URL}\n\n"
    "Files: *\nCopyright: 2026 The asio_rdma authors\nLicense: BSL-1.0\n ${license}\n")
  file(WRITE ${folder}/changelog
    "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * Packed by cpack; what is new is in ${CPACK_PACKAGE_HOMEPAGE_URL},\n    doc/changelog.md.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB pages ${root}/share/man/man*/*)
  execute_process(COMMAND gzip -9 -n ${folder}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE data ${root}/share/*)
  file(CHMOD ${data} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()
