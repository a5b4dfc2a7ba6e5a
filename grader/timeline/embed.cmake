# cmake -D OUT=FILE.cpp -D FOLDER=... -P embed.cmake: the page's files as strings of the program, so that nothing has to
# be found when it runs.
file(GLOB files ${FOLDER}/*.css ${FOLDER}/*.js ${FOLDER}/*.html ${FOLDER}/*.svg)
list(SORT files)
set(code "#include \"page_files.hpp\"\n\nnamespace lab::timeline::page_files {\n\n")
foreach(path IN LISTS files)
  get_filename_component(name ${path} NAME)
  string(REPLACE "." "_" name ${name})
  file(READ ${path} content)
  string(APPEND code "const char* const ${name} = R\"lab_file(${content})lab_file\";\n\n")
endforeach()
file(WRITE ${OUT} "${code}}  // namespace lab::timeline::page_files\n")
