# What `cmake --install` puts where.
if(TARGET fnprof-analyze)
    add_executable(fnprof::analyze ALIAS fnprof-analyze)
    set_target_properties(fnprof-analyze PROPERTIES EXPORT_NAME analyze)
endif()
option(FNPROF_INSTALL "Install fnprof with the project" ${PROJECT_IS_TOP_LEVEL})
if(NOT FNPROF_INSTALL)
    return()
endif()
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fnprof)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/install)

# The namelink is not a link but a linker script, written below.
install(TARGETS fnprof fnprof_stub fnprof_static fnprof_linked fnprof_linked_static fnprof_instrumented EXPORT fnprofTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET fnprof-analyze)
    install(TARGETS fnprof-analyze EXPORT fnprofTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

get_target_property(FNPROF_SOVERSION fnprof SOVERSION)
configure_file(cmake/libfnprof.so.in ${generated}/libfnprof.so @ONLY)
configure_file(cmake/libfnprof.a.in ${generated}/libfnprof.a @ONLY)
install(FILES ${generated}/libfnprof.so ${generated}/libfnprof.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES $<TARGET_OBJECTS:fnprof_link> DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME fnprof_link.o)

install(DIRECTORY runtime/include/fnprof DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES runtime/format/FORMAT.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# CMake
install(EXPORT fnprofTargets NAMESPACE fnprof:: DESTINATION ${package_dir})
configure_package_config_file(cmake/fnprofConfig.cmake.in ${generated}/fnprofConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${generated}/fnprofConfigVersion.cmake VERSION ${fnprof_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/fnprofConfig.cmake ${generated}/fnprofConfigVersion.cmake cmake/FnprofInstrument.cmake
    DESTINATION ${package_dir})

# pkg-config. Relative to the file's own place, so that an unpacked tree works anywhere.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(FNPROF_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
    set(FNPROF_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
    set(FNPROF_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
    file(RELATIVE_PATH up /${pkgconfig_dir} /)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(FNPROF_PC_PREFIX "\${pcfiledir}/${up}")
    set(FNPROF_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(FNPROF_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
include(FnprofWrapped)
foreach(language C CXX)
    fnprof_wrapping_options(FNPROF_PC_WRAPPING_${language} ${FNPROF_WRAPPED_${language}})
    list(JOIN FNPROF_PC_WRAPPING_${language} " " FNPROF_PC_WRAPPING_${language})
endforeach()
foreach(name fnprof fnprof-c++ fnprof-instrument)
    configure_file(cmake/${name}.pc.in ${generated}/${name}.pc @ONLY)
    install(FILES ${generated}/${name}.pc DESTINATION ${pkgconfig_dir})
endforeach()
