# SPDX-License-Identifier: MIT
# cartgen_find_lua(): CARTGEN_LUA, the interpreter that runs the generator: Lua 5.4, else LuaJIT.
# Plain `lua` is never taken: it may be any version.

function(cartgen_find_lua)
    find_program(CARTGEN_LUA NAMES lua5.4 lua54 lua-5.4 luajit
        DOC "Lua 5.4 or LuaJIT: runs the generator")
    if(NOT CARTGEN_LUA)
        message(FATAL_ERROR "cartgen: neither lua5.4 nor luajit is installed; install one, or set "
            "CARTGEN_LUA")
    endif()
    if("${CARTGEN_LUA}" STREQUAL "$CACHE{CARTGEN_LUA_PROVED}")
        return()
    endif()
    execute_process(
        COMMAND ${CARTGEN_LUA} -e
            "assert(_VERSION == 'Lua 5.4' or jit, _VERSION .. ' will not do'); require 'argparse'"
        RESULT_VARIABLE failed ERROR_VARIABLE why OUTPUT_QUIET)
    if(failed)
        message(FATAL_ERROR "cartgen: ${CARTGEN_LUA} cannot run the generator (Lua 5.4 or LuaJIT "
            "with argparse is needed):\n${why}")
    endif()
    set(CARTGEN_LUA_PROVED "${CARTGEN_LUA}" CACHE INTERNAL "")
endfunction()
