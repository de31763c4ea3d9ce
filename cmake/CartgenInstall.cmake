# SPDX-License-Identifier: MIT
# What cmake --install puts in place: the generator and its launcher, the runtime, a CMake package.
# Nothing holds an absolute path: the prefix may be moved, and DESTDIR works.

include(CMakePackageConfigHelpers)

set(data_dir ${CMAKE_INSTALL_DATADIR}/cartgen)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cartgen)
set(made_dir ${CMAKE_CURRENT_BINARY_DIR}/install)

file(RELATIVE_PATH CARTGEN_BIN_TO_DATA /${CMAKE_INSTALL_BINDIR} /${data_dir})
configure_file(cmake/cartgen.in ${made_dir}/cartgen @ONLY)
install(PROGRAMS ${made_dir}/cartgen DESTINATION ${CMAKE_INSTALL_BINDIR})

file(RELATIVE_PATH CARTGEN_BIN_TO_LIB /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
configure_file(cmake/cartgen-types.in ${made_dir}/cartgen-types @ONLY)
install(PROGRAMS ${made_dir}/cartgen-types DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS cartgen_types LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

install(DIRECTORY gen/ DESTINATION ${data_dir}/gen FILES_MATCHING PATTERN "*.lua")
install(DIRECTORY templates/ DESTINATION ${data_dir}/templates)
install(DIRECTORY runtime/include/cartgen DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

install(TARGETS cartgen cartgen_mpi cartgen_describe EXPORT cartgen
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT cartgen FILE cartgen-targets.cmake NAMESPACE cartgen:: DESTINATION ${package_dir})

configure_package_config_file(cmake/cartgen-config.cmake.in ${made_dir}/cartgen-config.cmake
    INSTALL_DESTINATION ${package_dir} PATH_VARS data_dir
    NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${made_dir}/cartgen-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${made_dir}/cartgen-config.cmake
    ${made_dir}/cartgen-config-version.cmake
    cmake/CartgenAddSchedule.cmake
    cmake/CartgenLua.cmake
    cmake/CartgenMpi.cmake
    DESTINATION ${package_dir})
