# ccfc_folder(NAME DIR [LINKS…]): one static library of all .c and .cpp files
# in DIR and in its rooms, the folders below it, each of which is a target
# NAME_ROOM. LINKS are PRIVATE, so that a folder sees only what it names here.
# A new file or room needs no edit of any CMake file.

add_library(ccfc_flags INTERFACE)
target_compile_options(ccfc_flags INTERFACE
	-Wall -Wextra -Wshadow -Wpointer-arith -Wwrite-strings
	-fno-omit-frame-pointer
	$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
	$<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
	$<$<BOOL:${CCFC_WERROR}>:-Werror>)
target_compile_definitions(ccfc_flags INTERFACE
	_GNU_SOURCE CCFC_VERSION="${PROJECT_VERSION}")
target_include_directories(ccfc_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
if(CCFC_SANITIZE)
	target_compile_options(ccfc_flags INTERFACE
		-fsanitize=${CCFC_SANITIZE} -fno-sanitize-recover=all)
	target_link_options(ccfc_flags INTERFACE -fsanitize=${CCFC_SANITIZE})
	# Tests start programs many thousand times, and a quarter of the cost of
	# a start is gcc's shared runtime; clang's is never shared.
	if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
		set(runtimes "")
		foreach(runtime address:asan undefined:ubsan thread:tsan)
			string(REPLACE ":" ";" runtime ${runtime})
			list(POP_FRONT runtime name)
			if(CCFC_SANITIZE MATCHES ${name})
				list(APPEND runtimes -static-lib${runtime})
			endif()
		endforeach()
		target_link_options(ccfc_flags INTERFACE
			"$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${runtimes}>")
	endif()
endif()
if(CCFC_FUZZ)
	target_compile_options(ccfc_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(ccfc_folder name dir)
	set(here ${CMAKE_CURRENT_SOURCE_DIR}/${dir})
	file(GLOB sources CONFIGURE_DEPENDS ${here}/*.c ${here}/*.cpp)
	# main.c is the program's, not the folder's: the tests link the folder.
	list(FILTER sources EXCLUDE REGEX "/main\\.c$")
	set(objects "")
	file(GLOB rooms CONFIGURE_DEPENDS LIST_DIRECTORIES true
		RELATIVE ${here} ${here}/*)
	foreach(room ${rooms})
		if(dir STREQUAL "." OR NOT IS_DIRECTORY ${here}/${room})
			continue()
		endif()
		ccfc_room(${name}_${room} ${here}/${room} ${ARGN})
		list(APPEND objects $<TARGET_OBJECTS:${name}_${room}>)
	endforeach()
	add_library(${name} STATIC ${sources} ${objects})
	set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
	# Headers are named by folder: "base/buf.h", "serve/net/conn.h".
	target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
	target_link_libraries(${name} PRIVATE ccfc_flags ${ARGN})
endfunction()

# One room of a folder; it sees what the folder sees. A room with very many
# files may sort them into folders of its own.
function(ccfc_room name path)
	file(GLOB sources CONFIGURE_DEPENDS ${path}/*.c ${path}/*.cpp
		${path}/*/*.c)
	add_library(${name} OBJECT ${sources})
	target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
	target_link_libraries(${name} PRIVATE ccfc_flags ${ARGN})
endfunction()
