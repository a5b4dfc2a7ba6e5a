# The target `docs`: Doxygen over the helper layer, the labs' contracts and handouts, and docs/. A warning is an error.
find_package(Doxygen OPTIONAL_COMPONENTS dot)
if(NOT DOXYGEN_FOUND)
  message(STATUS "No target docs builds here: Doxygen is not installed")
  add_custom_target(
    docs
    COMMAND ${CMAKE_COMMAND} -E echo "Doxygen is not installed; on Debian: apt-get install doxygen graphviz"
    COMMAND ${CMAKE_COMMAND} -E false
    VERBATIM)
  return()
endif()

file(GLOB lab_documented CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/README.md
     ${PROJECT_SOURCE_DIR}/docs/*.md
     ${PROJECT_SOURCE_DIR}/common/include/lab/*.hpp
     ${PROJECT_SOURCE_DIR}/labs/*/README.md
     ${PROJECT_SOURCE_DIR}/labs/*/exercise.hpp)
string(JOIN "\" \\\n  \"" DOCS_INPUT ${lab_documented})
if(DOXYGEN_DOT_FOUND)
  set(DOCS_HAVE_DOT YES)
else()
  set(DOCS_HAVE_DOT NO)
endif()
configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
add_custom_target(
  docs
  COMMAND ${DOXYGEN_EXECUTABLE} ${PROJECT_BINARY_DIR}/Doxyfile
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  COMMENT "Documentation: ${PROJECT_BINARY_DIR}/docs/html/index.html"
  VERBATIM)
