# The target `docs`: the site of docs/, the handouts, the contracts and the helper layer. Markdown goes through
# docs/site/pages.py, all of it through Doxygen; then every link is followed. A warning of any of them is an error.
find_package(Doxygen)
find_program(lab_python python3 HINTS /usr/bin)
find_program(lab_dot dot)
if(NOT DOXYGEN_FOUND OR NOT lab_python)
  message(STATUS "No target docs builds here: Doxygen or Python 3 is not installed")
  add_custom_target(
    docs
    COMMAND ${CMAKE_COMMAND} -E echo
            "error: Doxygen or Python 3 is not installed; on Debian: apt-get install doxygen graphviz doxygen-awesome-css python3"
    COMMAND ${CMAKE_COMMAND} -E false
    VERBATIM)
  return()
endif()

set(DOCS_OUTPUT ${PROJECT_BINARY_DIR}/docs)
set(lab_pages_arguments ${PROJECT_SOURCE_DIR} ${DOCS_OUTPUT})
if(lab_dot)
  list(APPEND lab_pages_arguments ${lab_dot})
else()
  message(STATUS "The documentation will show graphs as text: Graphviz is not installed")
endif()
# Doxygen has a dark mode of its own since 1.9.5, which would fight with ours.
set(DOCS_COLORSTYLE "")
if(DOXYGEN_VERSION VERSION_GREATER_EQUAL 1.9.5)
  set(DOCS_COLORSTYLE "HTML_COLORSTYLE         = LIGHT")
endif()

# doxygen-awesome-css makes it dark at night and readable on a telephone; without it the site is as Doxygen makes it.
find_path(lab_doxygen_awesome doxygen-awesome.css PATHS /usr/share/doxygen-awesome-css /usr/local/share/doxygen-awesome-css)
set(DOCS_STYLESHEETS "")
set(DOCS_SCRIPTS "")
set(lab_docs_head "")
if(lab_doxygen_awesome)
  foreach(style doxygen-awesome doxygen-awesome-sidebar-only doxygen-awesome-sidebar-only-darkmode-toggle)
    string(APPEND DOCS_STYLESHEETS "\"${lab_doxygen_awesome}/${style}.css\" ")
  endforeach()
  foreach(script darkmode-toggle fragment-copy-button paragraph-link)
    string(APPEND DOCS_SCRIPTS "\"${lab_doxygen_awesome}/doxygen-awesome-${script}.js\" ")
    string(APPEND lab_docs_head "<script type=\"text/javascript\" src=\"$relpath^doxygen-awesome-${script}.js\"></script>\n")
  endforeach()
  file(READ ${PROJECT_SOURCE_DIR}/docs/site/head.html lab_docs_more)
  string(APPEND lab_docs_head "${lab_docs_more}")
else()
  message(STATUS "The documentation will look plain: doxygen-awesome-css is not installed")
endif()
string(APPEND DOCS_STYLESHEETS "\"${PROJECT_SOURCE_DIR}/docs/site/site.css\"")

# The header is that of the Doxygen which is here, and ours in it.
file(MAKE_DIRECTORY ${DOCS_OUTPUT})
execute_process(COMMAND ${DOXYGEN_EXECUTABLE} -w html header.html footer.html style.css WORKING_DIRECTORY ${DOCS_OUTPUT}
                OUTPUT_QUIET ERROR_QUIET)
file(READ ${DOCS_OUTPUT}/header.html lab_docs_header)
string(REPLACE "</head>" "${lab_docs_head}</head>" lab_docs_header "${lab_docs_header}")
if(NOT lab_docs_header MATCHES "<html[^>]* lang=") # which Doxygen says since 1.9.5
  string(REPLACE "<html " "<html lang=\"en\" " lab_docs_header "${lab_docs_header}")
endif()
file(WRITE ${DOCS_OUTPUT}/header.html "${lab_docs_header}")

configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${DOCS_OUTPUT}/Doxyfile @ONLY)
add_custom_target(
  docs
  COMMAND ${lab_python} ${PROJECT_SOURCE_DIR}/docs/site/pages.py ${lab_pages_arguments}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${DOCS_OUTPUT}/html
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${DOCS_OUTPUT}/images ${DOCS_OUTPUT}/html
  COMMAND ${DOXYGEN_EXECUTABLE} ${DOCS_OUTPUT}/Doxyfile
  COMMAND ${lab_python} ${PROJECT_SOURCE_DIR}/docs/site/links.py ${DOCS_OUTPUT}/html
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  COMMENT "Documentation: ${DOCS_OUTPUT}/html/index.html"
  VERBATIM)
