# A compiler with a C library of its own, like musl-gcc, does not look into the
# system's directories. The headers of the two libraries that the client needs
# fit any C library, and are linked to where the compiler sees them. The parts
# of msgpack-c that the client links need only memory of the C library.
include(CheckIncludeFile)

set(CMAKE_REQUIRED_INCLUDES ${MSGPACK_INCLUDE_DIRS} ${XXHASH_INCLUDE_DIRS})
check_include_file(msgpack.h CCFC_SEES_MSGPACK)
unset(CMAKE_REQUIRED_INCLUDES)
if(NOT CCFC_SEES_MSGPACK)
	set(outside ${PROJECT_BINARY_DIR}/outside)
	file(MAKE_DIRECTORY ${outside})
	foreach(name msgpack msgpack.h xxhash.h)
		find_path(dir ${name} PATHS ${MSGPACK_INCLUDEDIR}
			${XXHASH_INCLUDEDIR} NO_CACHE REQUIRED)
		file(CREATE_LINK ${dir}/${name} ${outside}/${name} SYMBOLIC)
		unset(dir)
	endforeach()
	target_include_directories(ccfc_flags SYSTEM INTERFACE ${outside})
endif()
