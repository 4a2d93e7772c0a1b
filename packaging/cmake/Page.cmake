# cmake -DOUT=… -DGZIP=… -DFILES=… -P Page.cmake: writes the C file OUT with all
# FILES, compressed, as the table of http/page.h. The same files give the same
# bytes: the compressed ones have no name and no time.
set(types
	html "text/html" js "text/javascript" css "text/css"
	svg "image/svg+xml")
set(data "")
set(table "")
set(count 0)
foreach(file ${FILES})
	get_filename_component(name ${file} NAME)
	string(REGEX REPLACE ".*\\." "" ending ${name})
	list(FIND types ${ending} at)
	math(EXPR at "${at} + 1")
	list(GET types ${at} type)
	if(name STREQUAL "index.html")
		set(name "")
	endif()
	execute_process(COMMAND ${GZIP} -9nc ${file} OUTPUT_FILE ${OUT}.gz
		COMMAND_ERROR_IS_FATAL ANY)
	file(READ ${OUT}.gz hex HEX)
	file(SIZE ${file} size)
	file(SHA256 ${file} sum)
	string(SUBSTRING ${sum} 0 16 sum)
	# Twelve bytes a line.
	string(REGEX REPLACE "(........................)" "\\1\n" hex "${hex}")
	string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
	string(APPEND data
		"static const unsigned char file_${count}[] = {\n${hex}\n};\n\n")
	string(APPEND table "\t{ \"/${name}\", \"${type}; charset=utf-8\", "
		"\"W/\\\"${sum}\\\"\",\n\t  file_${count}, "
		"sizeof(file_${count}), ${size} },\n")
	math(EXPR count "${count} + 1")
	file(REMOVE ${OUT}.gz)
endforeach()
file(WRITE ${OUT} "/* Made by packaging/cmake/Page.cmake. */\n"
	"#include \"http/page.h\"\n\n${data}"
	"const struct ccfc_page_file ccfc_page_files[] = {\n${table}"
	"\t{ 0 },\n};\n")
