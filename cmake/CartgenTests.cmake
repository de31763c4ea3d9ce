# SPDX-License-Identifier: MIT
# How tests are registered, for tests/CMakeLists.txt and the CMakeLists.txt of the folders below it.
# The label of a test is its folder; `ctest -L mpi` runs one tier.
#
#   cartgen_add_spec(FILE [TIMEOUT seconds])         a busted spec, run by lua5.4 and by luajit
#   cartgen_add_unit_test(FILE [TIMEOUT seconds])    a cmocka program: one process, cartgen::cartgen;
#                                                    once more under valgrind where there is one
#   cartgen_add_mpi_program(FILE)                    a program linked to cartgen::mpi, target mpi_<file>
#   cartgen_add_mpi_test(NAME name TARGET target [RANKS n...] [ARGS ...] [LABEL label]
#       [TIMEOUT seconds] [ENVIRONMENT K=V...])      one test for each number of ranks
#   cartgen_add_script_test(NAME name LABEL label COMMAND ... [TIMEOUT seconds] [SERIAL])

if(CARTGEN_SANITIZE)
    set(ranks 1 2 4 6)
elseif(CARTGEN_MPI_LIBRARY STREQUAL "openmpi")
    set(ranks 1 2 3 4 6 8 12)
else()
    # MPICH waits busily: beyond the number of cores a step takes milliseconds.
    set(ranks 1 2 4)
endif()
set(CARTGEN_TEST_RANKS "${ranks}" CACHE STRING "Numbers of ranks MPI tests run on")

set(CARTGEN_TESTS_DIR ${PROJECT_SOURCE_DIR}/tests)

foreach(tool lua5.4 luajit busted luacheck luac5.4)
    string(REGEX REPLACE "[^a-z0-9]" "" name ${tool})
    string(TOUPPER CARTGEN_TOOL_${name} variable)
    find_program(${variable} NAMES ${tool})
    if(NOT ${variable})
        message(FATAL_ERROR "cartgen: the tests need ${tool} (./check installs it)")
    endif()
endforeach()
find_program(CARTGEN_TOOL_VALGRIND NAMES valgrind)

# A test with its common properties.
function(cartgen_register name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "LABEL;TIMEOUT;PROCESSORS" "ENVIRONMENT")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    if(NOT arg_PROCESSORS)
        set(arg_PROCESSORS 1)
    endif()
    set_tests_properties(${name} PROPERTIES
        LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT} PROCESSORS ${arg_PROCESSORS}
        ENVIRONMENT "${arg_ENVIRONMENT}")
    if(arg_SERIAL)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()

# The folder below tests/ a file is in.
function(cartgen_test_folder file folder_p)
    file(RELATIVE_PATH path ${CARTGEN_TESTS_DIR} ${file})
    string(REGEX REPLACE "/.*" "" path ${path})
    set(${folder_p} ${path} PARENT_SCOPE)
endfunction()

function(cartgen_add_spec file)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "")
    get_filename_component(file ${file} ABSOLUTE)
    cartgen_test_folder(${file} folder)
    get_filename_component(name ${file} NAME_WE)
    string(REGEX REPLACE "_spec$" "" name ${name})
    foreach(lua LUA54 LUAJIT)
        string(TOLOWER ${folder}.${name}.${lua} test)
        set(joff "")
        if(lua STREQUAL "LUAJIT")
            set(joff -joff) # as gen/cartgen/pipeline.lua does
        endif()
        add_test(NAME ${test}
            COMMAND ${CARTGEN_TOOL_${lua}} ${joff} ${CARTGEN_TOOL_BUSTED} --output=plainTerminal
                --lpath=gen/?.lua --lpath=tests/?.lua --lpath=tests/${folder}/?.lua ${file}
            WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        cartgen_register(${test} LABEL ${folder} TIMEOUT ${arg_TIMEOUT}
            ENVIRONMENT "CARTGEN_LUA=${CARTGEN_TOOL_${lua}}")
    endforeach()
endfunction()

# A test program: in tests assertions are live whatever the build type.
function(cartgen_add_test_program target file)
    add_executable(${target} ${file})
    target_compile_options(${target} PRIVATE -UNDEBUG)
    target_include_directories(${target} PRIVATE ${CARTGEN_TESTS_DIR} ${PROJECT_SOURCE_DIR}/runtime/src)
    cartgen_warnings(${target})
endfunction()

function(cartgen_add_unit_test file)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "")
    find_package(cmocka REQUIRED)
    get_filename_component(file ${file} ABSOLUTE)
    cartgen_test_folder(${file} folder)
    get_filename_component(name ${file} NAME_WE)
    set(target ${folder}_${name})
    cartgen_add_test_program(${target} ${file})
    target_link_libraries(${target} PRIVATE cartgen::cartgen cmocka)
    add_test(NAME ${folder}.${name} COMMAND ${target})
    cartgen_register(${folder}.${name} LABEL ${folder} TIMEOUT ${arg_TIMEOUT})
    if(CARTGEN_TOOL_VALGRIND AND NOT CARTGEN_SANITIZE)
        add_test(NAME ${folder}.${name}.valgrind
            COMMAND ${CARTGEN_TOOL_VALGRIND} --quiet --leak-check=full --error-exitcode=99
                $<TARGET_FILE:${target}>)
        cartgen_register(${folder}.${name}.valgrind LABEL ${folder})
    endif()
endfunction()

function(cartgen_add_mpi_program file)
    get_filename_component(name ${file} NAME_WE)
    cartgen_add_test_program(mpi_${name} ${file})
    target_link_libraries(mpi_${name} PRIVATE cartgen::mpi)
endfunction()

function(cartgen_add_mpi_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TARGET;LABEL;TIMEOUT" "RANKS;ARGS;ENVIRONMENT")
    if(NOT arg_RANKS)
        set(arg_RANKS ${CARTGEN_TEST_RANKS})
    endif()
    if(NOT arg_LABEL)
        set(arg_LABEL mpi)
    endif()
    foreach(ranks IN LISTS arg_RANKS)
        set(test ${arg_NAME}.np${ranks})
        add_test(NAME ${test}
            COMMAND ${CARTGEN_TESTS_DIR}/mpirun.sh ${CARTGEN_MPI_LIBRARY} ${ranks}
                $<TARGET_FILE:${arg_TARGET}> ${arg_ARGS})
        cartgen_register(${test} LABEL ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} PROCESSORS ${ranks}
            ENVIRONMENT MPIEXEC=${MPIEXEC_EXECUTABLE} ${arg_ENVIRONMENT})
    endforeach()
endfunction()

function(cartgen_add_script_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "SERIAL" "NAME;LABEL;TIMEOUT" "COMMAND;ENVIRONMENT")
    add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set(serial)
    if(arg_SERIAL)
        set(serial SERIAL)
    endif()
    cartgen_register(${arg_NAME} LABEL ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} ${serial}
        ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()
