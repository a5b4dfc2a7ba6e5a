#include "data_ends.hpp"

extern "C" {
char lab_data_end[1] = {1};
char lab_bss_end[1];
static thread_local char tdata_end = 1;
static thread_local char tbss_end;
char* lab_tdata_end() {
  return &tdata_end;
}
char* lab_tbss_end() {
  return &tbss_end;
}
void lab_text_end() {}
}
