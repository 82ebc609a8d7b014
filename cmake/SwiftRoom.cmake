# Swift in this house: no implicit import of Concurrency and StringProcessing (their runtimes must not be linked),
# language mode 6, whole modules, optimised across them in a release.

# CMake always asks for incremental builds and their .d files; with whole modules the first is a remark per target and
# the second is litter beside the library.
foreach(rule CREATE_SHARED_LIBRARY CREATE_STATIC_LIBRARY LINK_EXECUTABLE)
    string(REPLACE " -incremental" "" CMAKE_Swift_${rule} "${CMAKE_Swift_${rule}}")
    string(REPLACE " -emit-dependencies" "" CMAKE_Swift_${rule} "${CMAKE_Swift_${rule}}")
endforeach()
# And it adds to an archive that is there, where the objects of files that are gone would live on.
list(PREPEND CMAKE_Swift_CREATE_STATIC_LIBRARY "${CMAKE_COMMAND} -E rm -f <TARGET>")

add_library(swift_rules INTERFACE)
target_compile_options(swift_rules INTERFACE
    "SHELL:-swift-version 6"
    -parse-as-library
    "SHELL:-package-name syncmanager" # what is `package` is for all modules here
    "SHELL:-Xfrontend -disable-implicit-concurrency-module-import"
    "SHELL:-Xfrontend -disable-implicit-string-processing-module-import"
    -wmo
    # With any number of threads every source gives the object file that CMake told ninja to expect; but one whose code
    # is as before would not be written, and look out of date for ever.
    "SHELL:-num-threads 2"
    "SHELL:-Xfrontend -disable-incremental-llvm-codegen"
    "$<$<NOT:$<CONFIG:Debug>>:-cross-module-optimization>"
    # The check that no variable is read while it is written runs in every test of the SwiftPM build. Here it would cost
    # time at each access of a class's variable, and its answer to a fault is to end the host.
    "$<$<NOT:$<CONFIG:Debug>>:-enforce-exclusivity=unchecked>"
    "$<$<BOOL:${WARNINGS_AS_ERRORS}>:-warnings-as-errors>")
if(SANITIZE)
    target_compile_options(swift_rules INTERFACE -sanitize=${SANITIZE})
    target_link_options(swift_rules INTERFACE -sanitize=${SANITIZE})
endif()
if(STATIC_SWIFT_STDLIB)
    target_compile_options(swift_rules INTERFACE -static-stdlib)
    target_link_options(swift_rules INTERFACE -static-stdlib)
else()
    # Otherwise the compiler writes its own directory into the file as RUNPATH.
    target_link_options(swift_rules INTERFACE -no-toolchain-stdlib-rpath)
endif()
# Every toolchain brings lld. Left alone they choose gold (no longer developed) or GNU ld, which makes no read-only
# segment of what Swift's sections leave between the relocations.
set(SWIFT_LINKER lld CACHE STRING "Linker that swiftc is told to use")
target_link_options(swift_rules INTERFACE
    -use-ld=${SWIFT_LINKER} LINKER:-z,relro LINKER:-z,now LINKER:-z,pack-relative-relocs
    LINKER:--build-id) # not every toolchain asks for one; debuggers find debug information by it

# A module map of Sources/C/<name>, and the system libraries behind it.
function(add_c_door name)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/Sources/C/${name})
    target_link_libraries(${name} INTERFACE ${ARGN})
endfunction()

# What a Swift target is made of: every file of Sources/<directory>, found again when one comes or goes.
function(furnish target directory)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Sources/${directory}/*.swift)
    target_sources(${target} PRIVATE ${files})
    connect(${target} ${ARGN})
endfunction()

# The modules that a Swift target imports or links.
function(connect target)
    target_link_libraries(${target} PRIVATE swift_rules ${ARGN})
    target_include_directories(${target} PRIVATE ${CMAKE_Swift_MODULE_DIRECTORY})

    # CMake builds a Swift target anew when its own files change, not when a module does that it imports. So it gets one
    # empty file more, which is younger than all of them.
    file(GLOB doors CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Sources/C/*/*)
    if(CSyncManager IN_LIST ARGN)
        list(APPEND doors ${PROJECT_SOURCE_DIR}/include/syncmanager.h)
    endif()
    set(imports ${CMAKE_CURRENT_BINARY_DIR}/imports/${target}.imports.swift)
    add_custom_command(OUTPUT ${imports} COMMAND ${CMAKE_COMMAND} -E touch ${imports}
        DEPENDS ${doors} ${ARGN} VERBATIM)
    target_sources(${target} PRIVATE ${imports})
endfunction()

# The compiler leaves a module file alone whose content is as before, and writes none for an executable; ninja, told to
# expect one, would take the target for out of date for ever.
function(touch_module target module)
    add_custom_command(TARGET ${target} POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_Swift_MODULE_DIRECTORY}/${module}.swiftmodule VERBATIM)
endfunction()

# A room: one module, one archive that goes into whatever links it. `place`: shelf and name below Sources/.
function(add_room place)
    get_filename_component(name ${place} NAME)
    add_library(${name} STATIC)
    furnish(${name} ${place} ${ARGN})
    touch_module(${name} ${name})
    target_link_libraries(${name} INTERFACE ${ARGN})
endfunction()

# A shared library that exports the C functions of rooms, as cmake/lib<target>.map says. `ARGN`: those rooms.
function(add_c_library target)
    string(MAKE_C_IDENTIFIER ${target} module)
    add_library(${target} SHARED)
    # As objects, and before the archives: Swift has the linker hide what comes out of an archive.
    foreach(room ${ARGN})
        target_link_libraries(${target} PRIVATE $<TARGET_OBJECTS:${room}>)
    endforeach()
    target_link_libraries(${target} PRIVATE $<TARGET_OBJECTS:dlopen_note>)
    add_dependencies(${target} dlopen_note)
    connect(${target} ${ARGN})
    touch_module(${target} ${module}_library)
    set(map ${PROJECT_SOURCE_DIR}/cmake/lib${target}.map)
    set_target_properties(${target} PROPERTIES
        Swift_MODULE_NAME ${module}_library
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
    target_link_options(${target} PRIVATE
        LINKER:--version-script=${map}
        LINKER:-z,nodelete) # threads of ours may still run when a host calls dlclose()
endfunction()
