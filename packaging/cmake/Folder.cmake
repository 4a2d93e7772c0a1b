# ccfc_folder(NAME DIR [LINKS…]): one static library of all .c and .cpp files
# in DIR. LINKS are PRIVATE, so that a folder sees only what it names here.

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
endif()
if(CCFC_FUZZ)
	target_compile_options(ccfc_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(ccfc_folder name dir)
	file(GLOB sources CONFIGURE_DEPENDS
		${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.c
		${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.cpp)
	add_library(${name} STATIC ${sources})
	# Headers are named by folder: "base/buf.h", "source/tail.h".
	target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
	target_link_libraries(${name} PRIVATE ccfc_flags ${ARGN})
endfunction()
