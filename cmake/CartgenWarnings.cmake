# SPDX-License-Identifier: MIT
# cartgen_warnings(TARGET...): warnings and sanitizers of our own programs and libraries. Nothing of
# it reaches those who link to them, except that sanitizers must be linked by all.

function(cartgen_warnings)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic)
        if(CARTGEN_WERROR)
            target_compile_options(${target} PRIVATE -Werror)
        endif()
        cartgen_sanitize(${target})
    endforeach()
endfunction()

function(cartgen_sanitize target)
    if(CARTGEN_SANITIZE)
        target_compile_options(${target} PRIVATE
            -fsanitize=${CARTGEN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=${CARTGEN_SANITIZE})
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "EXECUTABLE")
            target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/sanitizer.c)
            set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON)
        endif()
    endif()
endfunction()
