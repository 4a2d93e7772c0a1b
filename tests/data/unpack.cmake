# Unpacks ARCHIVE to TARGET, once for each version of the archive.
file(SHA256 ${ARCHIVE} sum)
if(EXISTS ${TARGET}/.sum)
	file(READ ${TARGET}/.sum have)
	if(have STREQUAL sum)
		return()
	endif()
endif()
file(REMOVE_RECURSE ${TARGET} ${TARGET}.new)
file(MAKE_DIRECTORY ${TARGET}.new)
execute_process(COMMAND zstd -q -d --long=27 -c ${ARCHIVE}
	COMMAND tar -x -C ${TARGET}.new
	COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${TARGET}.new/.sum ${sum})
file(RENAME ${TARGET}.new ${TARGET})
