#pragma once

/// The files in grader/timeline/page/, in the program.
namespace lab::timeline::page_files {

extern const char* const marks_css;
extern const char* const marks_dark_css;
extern const char* const patterns_svg;
extern const char* const page_css;
extern const char* const page_dark_css;
extern const char* const page_html;
extern const char* const drawing_js;
extern const char* const page_js;

}  // namespace lab::timeline::page_files
