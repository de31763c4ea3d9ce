# SPDX-License-Identifier: MIT
#[[
cartgen_add_schedule(NAME <target> SOURCE <description.lua>
    [ALGORITHM <name>] [TRANSPORT <name>] [KERNEL <thresholds>] [SET <parameter>=<value>...]
    [SCHEDULE <name>] [HEADER <file.h>])

A static library <target>, generated from a description. It is linked to cartgen::mpi, and the
directory of its header (<target>.h, or HEADER) is in the include path of those who link to it:

    cartgen_add_schedule(NAME halo SOURCE halo.lua SET m=100)
    target_link_libraries(solver PRIVATE halo)          # solver.c: #include "halo.h"

SCHEDULE takes one schedule or layout of several in the description. The other arguments are the generator's
options of the same names. The generator runs again when the description, the generator or its
templates changed; what comes out is put in place only where it differs, so that nothing else is
compiled or linked for a change that does not matter.
]]

include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/CartgenLua.cmake)

# Where gen/ and templates/ are. The installed package sets it before it includes this file.
if(NOT DEFINED CARTGEN_GENERATOR_ROOT)
    get_filename_component(CARTGEN_GENERATOR_ROOT ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
endif()
set_property(GLOBAL PROPERTY CARTGEN_GENERATOR_ROOT ${CARTGEN_GENERATOR_ROOT})

function(cartgen_add_schedule)
    cmake_parse_arguments(PARSE_ARGV 0 arg
        "" "NAME;SOURCE;ALGORITHM;TRANSPORT;KERNEL;SCHEDULE;HEADER" "SET")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "cartgen_add_schedule: unknown argument ${arg_UNPARSED_ARGUMENTS}")
    endif()
    foreach(needed NAME SOURCE)
        if(NOT arg_${needed})
            message(FATAL_ERROR "cartgen_add_schedule: ${needed} is missing")
        endif()
    endforeach()
    if(NOT CMAKE_C_COMPILER_LOADED)
        message(FATAL_ERROR "cartgen_add_schedule: the project must enable the language C")
    endif()
    cartgen_find_lua()

    get_filename_component(source ${arg_SOURCE} ABSOLUTE)
    get_filename_component(source_dir ${source} DIRECTORY)
    get_filename_component(source_name ${source} NAME)
    if(NOT arg_HEADER)
        set(arg_HEADER ${arg_NAME}.h)
    endif()
    set(code ${arg_NAME}.c)

    set(options)
    foreach(option ALGORITHM TRANSPORT KERNEL SCHEDULE)
        if(arg_${option})
            string(TOLOWER ${option} word)
            list(APPEND options --${word} ${arg_${option}})
        endif()
    endforeach()
    foreach(pair IN LISTS arg_SET)
        list(APPEND options --set ${pair})
    endforeach()

    get_property(root GLOBAL PROPERTY CARTGEN_GENERATOR_ROOT)
    file(GLOB_RECURSE generator CONFIGURE_DEPENDS ${root}/gen/*.lua ${root}/templates/*)

    # Generated into new/, then copied where it differs: the stamp is what the command makes, the
    # code keeps its age.
    set(dir ${CMAKE_CURRENT_BINARY_DIR}/cartgen/${arg_NAME})
    set(stamp ${dir}/${arg_NAME}.stamp)
    file(MAKE_DIRECTORY ${dir}/new)
    add_custom_command(
        OUTPUT ${stamp}
        BYPRODUCTS ${dir}/${code} ${dir}/${arg_HEADER}
        COMMAND ${CARTGEN_LUA} ${root}/gen/cartgen.lua ${options}
            -o ${dir}/new/${code} --header ${dir}/new/${arg_HEADER} ${source_name}
        COMMAND ${CMAKE_COMMAND} -E copy_if_different ${dir}/new/${code} ${dir}/${code}
        COMMAND ${CMAKE_COMMAND} -E copy_if_different ${dir}/new/${arg_HEADER} ${dir}/${arg_HEADER}
        COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
        DEPENDS ${source} ${generator}
        WORKING_DIRECTORY ${source_dir}
        COMMENT "cartgen: ${arg_NAME} from ${source_name}"
        VERBATIM)
    add_custom_target(${arg_NAME}_generate DEPENDS ${stamp})
    set_source_files_properties(${dir}/${code} ${dir}/${arg_HEADER} PROPERTIES GENERATED ON)

    add_library(${arg_NAME} STATIC ${dir}/${code})
    add_dependencies(${arg_NAME} ${arg_NAME}_generate)
    target_include_directories(${arg_NAME} PUBLIC ${dir})
    target_link_libraries(${arg_NAME} PUBLIC cartgen::mpi)
    set_target_properties(${arg_NAME} PROPERTIES
        C_STANDARD 11 C_STANDARD_REQUIRED ON POSITION_INDEPENDENT_CODE ON)
endfunction()
