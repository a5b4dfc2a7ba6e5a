#pragma once

/// On both sides of the objects with the student's and the driver's code, in a program that is linked so that
/// it can stay for several runs (data_begin.cpp, data_end.cpp; the linker keeps the order of the objects);
/// null in any other. The variables of a thread are the calling one's.
extern "C" {
[[gnu::weak]] extern char lab_data_begin[], lab_data_end[], lab_bss_begin[], lab_bss_end[];
[[gnu::weak]] char* lab_tdata_begin();
[[gnu::weak]] char* lab_tdata_end();
[[gnu::weak]] char* lab_tbss_begin();
[[gnu::weak]] char* lab_tbss_end();
[[gnu::weak]] void lab_text_begin();
[[gnu::weak]] void lab_text_end();

/// To be called before the first run.
[[gnu::weak]] void lab_main_begins();
/// Whether that code has an object whose destructor waits for the end of the program or its thread, or wants
/// a function called then: only in a process of its own does a run come to that.
[[gnu::weak]] bool lab_has_something_to_end();
}
