# ccfc_embed(OUT NAME FILE …): writes the C file OUT with the text of each FILE
# as a constant NAME, so that a program has it wherever it is installed.
function(ccfc_embed out)
	set(code "/* Made from files in packaging. */\n")
	string(APPEND code "#include \"cli/setup/service_text.h\"\n")
	while(ARGN)
		list(POP_FRONT ARGN name file)
		file(READ ${file} text)
		set_property(DIRECTORY APPEND PROPERTY
			CMAKE_CONFIGURE_DEPENDS ${file})
		string(REPLACE "\\" "\\\\" text "${text}")
		string(REPLACE "\"" "\\\"" text "${text}")
		string(REPLACE "\n" "\\n\"\n\t\"" text "${text}")
		string(APPEND code "\nconst char ${name}[] =\n\t\"${text}\";\n")
	endwhile()
	# OUT is written only if its text has changed.
	file(WRITE ${out}.new "${code}")
	configure_file(${out}.new ${out} COPYONLY)
endfunction()
