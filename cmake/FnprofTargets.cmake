# What programs link with. The names are the same in the build tree (add_subdirectory) and in the installed package.
#
# fnprof_link.o stands before the library in each: it refers to the library by names that no other library has, so neither
# --as-needed nor link-time optimisation nor libc's own hooks can keep the library out. CMake keeps that order: an item
# whose dependencies it does not know is taken to need what follows it.

set(installed_libraries $<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR})
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(installed_libraries ${CMAKE_INSTALL_LIBDIR})
endif()
set(link_object $<BUILD_INTERFACE:$<TARGET_OBJECTS:fnprof_link>>
    $<INSTALL_INTERFACE:${installed_libraries}/fnprof_link.o>)

# fnprof::fnprof: the shared library, by what links may see of it. fnprof::fnprof_static: the archive.
set(linked_by fnprof_stub)
set(linked_by_static fnprof_static)
foreach(kind "" _static)
    add_library(fnprof_linked${kind} INTERFACE)
    add_library(fnprof::fnprof${kind} ALIAS fnprof_linked${kind})
    set_target_properties(fnprof_linked${kind} PROPERTIES EXPORT_NAME fnprof${kind})
    target_include_directories(fnprof_linked${kind} INTERFACE
        $<BUILD_INTERFACE:${fnprof_SOURCE_DIR}/runtime/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(fnprof_linked${kind} INTERFACE ${link_object} ${linked_by${kind}})
    add_dependencies(fnprof_linked${kind} fnprof_link)
endforeach()

# The archive cannot interpose: the program's link wraps what marks are made of. The functions of the C++ library are there only
# if the C++ driver links.
fnprof_wrapping_options(wrapping_c ${FNPROF_WRAPPED_C})
fnprof_wrapping_options(wrapping_cxx ${FNPROF_WRAPPED_CXX})
target_link_options(fnprof_linked_static INTERFACE ${wrapping_c} "$<$<LINK_LANGUAGE:CXX,OBJCXX>:${wrapping_cxx}>")

# fnprof::instrument: the flag and the library.
add_library(fnprof_instrumented INTERFACE)
add_library(fnprof::instrument ALIAS fnprof_instrumented)
set_target_properties(fnprof_instrumented PROPERTIES EXPORT_NAME instrument)
target_compile_options(fnprof_instrumented INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-finstrument-functions>)
target_link_libraries(fnprof_instrumented INTERFACE fnprof_linked)

include(FnprofInstrument)
