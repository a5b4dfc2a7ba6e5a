// First and last of the objects with a lab's code: the linker keeps variables in the order of the objects.
extern "C" {
char lab_data_begin[1] = {1};
char lab_bss_begin[1];
}
