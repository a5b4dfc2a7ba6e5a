// See data_begin.cpp.
extern "C" {
char lab_data_end[1] = {1};
char lab_bss_end[1];
}
