#pragma once

#include <cstddef>
#include <cstdint>

/// What the emulated GPU can do and how long things take.
///
/// Times are nanoseconds of virtual time (`_ps`: picoseconds), rates bytes or operations per microsecond
/// (1 GB/s = 1000 bytes/us; 1 TFLOP/s = 1,000,000 operations/us). Sources, in brackets:
/// - [datasheet]: NVIDIA's datasheet of the GPU: T4, A100 (40 GB, SXM4), H200 (SXM);
/// - [whitepaper]: NVIDIA's whitepaper of its architecture: Turing (WP-09183-001), Ampere, Hopper;
/// - [guide]: CUDA C++ programming guide, technical specifications of its compute capability;
/// - [deviceQuery], [bandwidth]: output of the CUDA samples deviceQuery and bandwidthTest in Colab sessions
///   with a Tesla T4 on PCIe 3.0 x16;
/// - [H200]: our own measurements on an NVIDIA H200, driver 580.159, CUDA 13.0, 2026-11-29, rounded. What a
///   call costs the host belongs to driver and CPU more than to the GPU, so it serves for the T4 too;
/// - [chosen]: a round number of the right size, not a measurement.
namespace lab::emulator {

struct device_profile {
  const char* name;        ///< as cudaDeviceProp::name gives it
  const char* short_name;  ///< as reports give it
  int compute_major, compute_minor;
  unsigned pci_device;  ///< device and vendor, as PCI has them

  // The processor.
  int multiprocessors;
  int warp_size;
  int max_threads_per_block;
  int max_threads_per_multiprocessor;
  int max_blocks_per_multiprocessor;
  int registers_per_block, registers_per_multiprocessor;
  int copy_engines;
  std::size_t shared_bytes_per_block;         ///< static, or dynamic without opting in
  std::size_t shared_bytes_per_block_opt_in;  ///< dynamic, after cudaFuncSetAttribute
  std::size_t shared_bytes_per_multiprocessor;
  std::size_t shared_bytes_reserved;  ///< per block, by the system
  std::size_t constant_bytes;
  std::size_t global_bytes;          ///< totalGlobalMem
  std::size_t context_bytes;         ///< what the driver keeps of it: cudaMemGetInfo starts below the total
  std::size_t allocation_alignment;  ///< of what cudaMalloc returns
  std::size_t pitch_alignment;       ///< of the rows cudaMallocPitch lays out
  std::size_t l2_bytes;
  int memory_bus_bits;
  std::int64_t core_clock_khz;  ///< boost; clock64() ticks so
  std::int64_t memory_clock_khz;

  // Rates of the device.
  std::int64_t dram_bytes_per_us;  ///< what kernels reach, reads and writes together
  std::int64_t l2_bytes_per_us;
  std::int64_t shared_bytes_per_us;      ///< all multiprocessors together
  std::int64_t fp32_flop_per_us;         ///< peak
  std::int64_t fp64_flop_per_us;         ///< peak
  std::int64_t fp16_tensor_flop_per_us;  ///< peak; half-precision products
  int matrix_product_permille;           ///< the share of its peak that a large matrix product reaches
  std::int64_t atomic_ns;                ///< one atomic on global memory, contended on one address

  // Copies.
  std::int64_t pinned_h2d_bytes_per_us;
  std::int64_t pinned_d2h_bytes_per_us;
  std::int64_t pageable_h2d_bytes_per_us;
  std::int64_t pageable_d2h_bytes_per_us;
  std::int64_t d2d_bytes_per_us;  ///< bytes copied; each is read and written
  std::int64_t h2h_bytes_per_us;
  std::int64_t memset_bytes_per_us;
  std::int64_t mapped_bytes_per_us;  ///< kernels on pinned host memory, across the bus
  std::int64_t copy_minimum_ns;      ///< a copy of one byte, on its engine
  std::size_t
      pageable_staging_bytes;  ///< an "asynchronous" pageable H2D copy up to this size returns at once
  int max_concurrent_kernels;

  // Kernels and events, on the device.
  std::int64_t memory_latency_ns;  ///< one dependent read
  std::int64_t mapped_latency_ns;  ///< one dependent read of host memory
  std::int64_t
      kernel_dispatch_ns;  ///< from the stream's turn to the first thread; not in the kernel's own time
  std::int64_t kernel_minimum_ns;       ///< an empty kernel's own time
  std::int64_t kernel_completion_ns;    ///< from the last thread to the stream's next operation
  std::int64_t block_start_ns;          ///< one block on one multiprocessor
  std::int64_t barrier_ns;              ///< one __syncthreads of one block
  std::int64_t event_record_device_ns;  ///< from the stamp to the stream's next operation
  std::int64_t event_wait_device_ns;    ///< a wait that finds its event done
  std::int64_t event_resolution_ns;     ///< elapsed times are multiples of it
  std::int64_t globaltimer_resolution_ns;
  std::int64_t host_function_latency_ns;  ///< from the stream's turn to the function on the host

  // Calls, on the host: the time until the call returns where it does not wait for the device.
  std::int64_t context_creation_ns;  ///< the first call that needs the device
  std::int64_t first_launch_ns;      ///< the first launch of a kernel loads it
  std::int64_t launch_ns;
  std::int64_t copy_async_ns;  ///< submitting a copy or memset
  std::int64_t event_record_ns;
  std::int64_t query_ns;  ///< event and stream
  std::int64_t stream_wait_ns;
  std::int64_t sync_return_ns;           ///< from the end of the work to the return of a wait; spinning
  std::int64_t blocking_sync_return_ns;  ///< the same where the thread slept (cudaEventBlockingSync)
  std::int64_t elapsed_ns;
  std::int64_t event_create_ns, event_destroy_ns;
  std::int64_t stream_create_ns, stream_destroy_ns;
  std::int64_t malloc_ns, free_ns;
  std::int64_t malloc_async_ns, free_async_ns;  ///< of the memory pool
  std::int64_t pool_granularity;  ///< the pool takes memory from the device in steps of so many bytes
  std::int64_t pinned_malloc_ns, pinned_free_ns;
  std::int64_t pinned_ns_per_mib;  ///< on top, allocating or registering: pages must be locked
  std::int64_t host_function_submit_ns;
  std::int64_t query_call_ns;     ///< last error, attributes, get device: answered without the device
  std::int64_t properties_ns;     ///< cudaGetDeviceProperties
  std::int64_t clock_read_ns;     ///< the program reads a host clock
  std::int64_t thread_create_ns;  ///< the program starts a host thread

  // Host computation: arithmetic is free, these are counted.
  std::int64_t host_access_ps;  ///< one instrumented read or write
  std::int64_t host_call_ps;    ///< one instrumented function entered
};

/// A Tesla T4: the GPU of free Colab sessions, so what most students without one of their own would get.
inline constexpr device_profile t4 = [] {
  device_profile profile{};
  profile.name = "Emulated Tesla T4";
  profile.short_name = "T4";
  profile.compute_major = 7;  // [deviceQuery] 7.5
  profile.compute_minor = 5;
  profile.pci_device = 0x1eb810de;  // NVIDIA 10de, TU104GL 1eb8

  profile.multiprocessors = 40;                         // [datasheet] 2560 cores / 64; [deviceQuery]
  profile.warp_size = 32;                               // [deviceQuery]
  profile.max_threads_per_block = 1024;                 // [deviceQuery]
  profile.max_threads_per_multiprocessor = 1024;        // [deviceQuery]
  profile.max_blocks_per_multiprocessor = 16;           // [guide]
  profile.registers_per_block = 65536;                  // [deviceQuery]
  profile.registers_per_multiprocessor = 65536;         // [guide]
  profile.copy_engines = 3;                             // [deviceQuery]
  profile.shared_bytes_per_block = 48 * 1024;           // [deviceQuery]
  profile.shared_bytes_per_block_opt_in = 64 * 1024;    // [guide]
  profile.shared_bytes_per_multiprocessor = 64 * 1024;  // [guide]
  profile.shared_bytes_reserved = 0;                    // [guide] 1 KiB only from 8.x on
  profile.constant_bytes = 64 * 1024;                   // [deviceQuery]
  profile.global_bytes = 15843721216;                   // [deviceQuery] 15110 MiB, ECC on
  profile.context_bytes = 105 * 1024 * 1024;            // [chosen] a context on Turing takes about 100 MiB
  profile.allocation_alignment = 256;                   // [guide] at least 256 bytes
  profile.pitch_alignment = 512;                        // [deviceQuery] texture alignment 512 bytes
  profile.l2_bytes = 4 * 1024 * 1024;                   // [deviceQuery] 4194304
  profile.memory_bus_bits = 256;                        // [deviceQuery]
  profile.core_clock_khz = 1590000;                     // [deviceQuery] 1590 MHz, the boost clock
  profile.memory_clock_khz = 5001000;  // [deviceQuery] 5001 MHz: 2 * 5001 MHz * 256 bit = 320 GB/s

  profile.dram_bytes_per_us = 240000;  // [bandwidth] 239.4 GB/s, reads and writes, of 320
  profile.l2_bytes_per_us =
      1200000;  // [chosen] [bandwidth]: copies of 2 MB, which stay in it, reach 580 GB/s
  profile.shared_bytes_per_us = 4070000;       // [whitepaper] 64 bytes a clock and multiprocessor
  profile.fp32_flop_per_us = 8100000;          // [datasheet] 8.1 TFLOP/s
  profile.fp64_flop_per_us = 254400;           // [whitepaper] 1/32 of fp32
  profile.fp16_tensor_flop_per_us = 65000000;  // [datasheet] 65 TFLOP/s
  profile.matrix_product_permille = 870;       // [H200] 860 of 989 TFLOP/s; power limits are not modelled
  profile.atomic_ns = 4;                       // [chosen]

  profile.pinned_h2d_bytes_per_us = 12300;   // [bandwidth]
  profile.pinned_d2h_bytes_per_us = 13100;   // [bandwidth]
  profile.pageable_h2d_bytes_per_us = 6000;  // [chosen] half: staged through a pinned buffer
  profile.pageable_d2h_bytes_per_us = 6000;  // [chosen] likewise
  profile.d2d_bytes_per_us = 120000;         // [bandwidth] its 239.4 GB/s count both the reads and the writes
  profile.h2h_bytes_per_us = 10000;          // [chosen] one core's memcpy
  profile.memset_bytes_per_us = 240000;      // [chosen] dram_bytes_per_us
  profile.mapped_bytes_per_us = 11000;       // [chosen] a little under a copy
  profile.copy_minimum_ns = 2400;            // [bandwidth] 1000 bytes at 0.4 GB/s
  profile.pageable_staging_bytes = 1024 * 1024;  // [H200] 1 MiB returned, 64 MiB blocked
  profile.max_concurrent_kernels = 128;          // [guide]

  profile.memory_latency_ns = 450;   // [chosen] DRAM with some queueing
  profile.mapped_latency_ns = 1200;  // [chosen] one PCIe round trip
  // [H200] an event pair around a lone kernel reads 4 to 6 us more than the kernel: the launch call lies
  // between the records. With everything queued before it is 2.4 us more, shared out between before and
  // after.
  profile.kernel_dispatch_ns = 1000;
  profile.kernel_minimum_ns = 2000;
  profile.kernel_completion_ns = 500;
  profile.block_start_ns = 300;              // [chosen]
  profile.barrier_ns = 20;                   // [chosen] some 30 cycles
  profile.event_record_device_ns = 500;      // [chosen] an empty pair reads 1.5 us, the host cost of a record
  profile.event_wait_device_ns = 500;        // [chosen]
  profile.event_resolution_ns = 500;         // cudaEventElapsedTime: "around 0.5 microseconds"
  profile.globaltimer_resolution_ns = 1000;  // [chosen] default update period on recent GPUs
  profile.host_function_latency_ns = 20000;  // [chosen] a driver thread is woken

  profile.context_creation_ns = 150000000;  // [chosen] 0.1 to 0.3 s are usual
  profile.first_launch_ns = 300000;         // [chosen] lazy loading of a small kernel
  profile.launch_ns = 5000;                 // [H200] 4.3 us
  profile.copy_async_ns = 6000;             // [chosen] [H200]: returned within 20 us
  profile.event_record_ns = 1500;           // [H200]
  profile.query_ns = 500;                   // [H200] 0.4 us
  profile.stream_wait_ns = 500;             // [H200]
  profile.sync_return_ns = 4000;            // [H200] launch + sync 9.4 us = 4.3 launch + 0.9 kernel + 4.2
  profile.blocking_sync_return_ns = 30000;  // [chosen] an interrupt and a thread switch
  profile.elapsed_ns = 600;                 // [chosen]
  profile.event_create_ns = 500;            // [chosen]
  profile.event_destroy_ns = 400;           // [chosen]
  profile.stream_create_ns = 10000;         // [chosen]
  profile.stream_destroy_ns = 5000;         // [chosen]
  profile.malloc_ns = 100000;               // [chosen]
  profile.free_ns = 100000;                 // [chosen]
  profile.malloc_async_ns = 2000;           // [chosen]
  profile.free_async_ns = 1500;             // [chosen]
  profile.pool_granularity = 32 << 20;      // [H200]
  profile.pinned_malloc_ns = 50000;         // [chosen]
  profile.pinned_free_ns = 50000;           // [chosen]
  profile.pinned_ns_per_mib = 150000;       // [chosen] 256 pages of 4 KiB at 0.6 us
  profile.host_function_submit_ns = 3000;   // [chosen]
  profile.query_call_ns = 50;               // [chosen]
  profile.properties_ns = 20000;            // [chosen]
  profile.clock_read_ns = 25;               // a vDSO clock_gettime on current x86-64
  profile.thread_create_ns = 15000;         // [chosen] clone and its stack

  profile.host_access_ps = 500;  // [chosen] a core at 3 GHz, caches mostly hit
  profile.host_call_ps = 1500;   // [chosen]
  return profile;
}();

/// An A100, 40 GB, SXM4. What is not here is the T4's: the host's part is the same.
inline constexpr device_profile a100 = [] {
  device_profile profile = t4;
  profile.name = "Emulated A100-SXM4-40GB";
  profile.short_name = "A100";
  profile.compute_major = 8;  // [guide]
  profile.compute_minor = 0;
  profile.pci_device = 0x20b010de;  // NVIDIA 10de, GA100 20b0

  profile.multiprocessors = 108;                         // [datasheet]
  profile.max_threads_per_multiprocessor = 2048;         // [guide]
  profile.max_blocks_per_multiprocessor = 32;            // [guide]
  profile.shared_bytes_per_block_opt_in = 163 * 1024;    // [guide]
  profile.shared_bytes_per_multiprocessor = 164 * 1024;  // [guide]
  profile.shared_bytes_reserved = 1024;                  // [guide]
  profile.global_bytes = std::size_t{40} << 30;          // [datasheet] 40 GB
  profile.context_bytes = std::size_t{400} << 20;        // [chosen]
  profile.l2_bytes = 40 * 1024 * 1024;                   // [whitepaper]
  profile.memory_bus_bits = 5120;                        // [whitepaper]
  profile.core_clock_khz = 1410000;                      // [whitepaper] boost
  profile.memory_clock_khz = 1215000;                    // [whitepaper] 2 * 1215 MHz * 5120 bit = 1555 GB/s

  profile.dram_bytes_per_us = 1350000;          // [chosen] 87 % of 1555 GB/s
  profile.l2_bytes_per_us = 4000000;            // [chosen]
  profile.shared_bytes_per_us = 19490000;       // [whitepaper] 128 bytes a clock and multiprocessor
  profile.fp32_flop_per_us = 19500000;          // [datasheet]
  profile.fp64_flop_per_us = 9700000;           // [datasheet]
  profile.fp16_tensor_flop_per_us = 312000000;  // [datasheet]

  profile.pinned_h2d_bytes_per_us = 25000;  // [chosen] PCIe 4.0 x16, 32 GB/s
  profile.pinned_d2h_bytes_per_us = 25000;  // [chosen]
  profile.d2d_bytes_per_us = 675000;        // [chosen] half of dram_bytes_per_us
  profile.memset_bytes_per_us = 1350000;    // [chosen] dram_bytes_per_us
  profile.mapped_bytes_per_us = 22000;      // [chosen] a little under a copy
  return profile;
}();

/// An H200, SXM: what the course's measurements on a real GPU were made on.
inline constexpr device_profile h200 = [] {
  device_profile profile = a100;
  profile.name = "Emulated H200";
  profile.short_name = "H200";
  profile.compute_major = 9;  // [guide]
  profile.compute_minor = 0;
  profile.pci_device = 0x233510de;  // NVIDIA 10de, GH100 2335

  profile.multiprocessors = 132;                         // [datasheet]
  profile.shared_bytes_per_block_opt_in = 227 * 1024;    // [guide]
  profile.shared_bytes_per_multiprocessor = 228 * 1024;  // [guide]
  profile.global_bytes = 150109011968;                   // [H200] cudaGetDeviceProperties
  profile.l2_bytes = 60 * 1024 * 1024;                   // [H200] cudaGetDeviceProperties
  profile.memory_bus_bits = 6144;                        // [H200] cudaGetDeviceProperties
  profile.core_clock_khz = 1980000;                      // [H200] cudaGetDeviceProperties
  profile.memory_clock_khz = 3201000;                    // [H200] 2 * 3201 MHz * 6144 bit = 4917 GB/s

  profile.dram_bytes_per_us = 3400000;          // [H200] sum of two arrays of 2^26 floats: 237 us
  profile.l2_bytes_per_us = 8000000;            // [chosen]
  profile.shared_bytes_per_us = 33450000;       // [whitepaper] 128 bytes a clock and multiprocessor
  profile.fp32_flop_per_us = 67000000;          // [datasheet]
  profile.fp64_flop_per_us = 34000000;          // [datasheet]
  profile.fp16_tensor_flop_per_us = 989000000;  // [datasheet]

  profile.pinned_h2d_bytes_per_us = 54000;  // [H200]
  profile.pinned_d2h_bytes_per_us = 54000;  // [H200]
  profile.d2d_bytes_per_us = 1700000;       // [chosen] half of dram_bytes_per_us
  profile.memset_bytes_per_us = 3400000;    // [chosen] dram_bytes_per_us
  profile.mapped_bytes_per_us = 48000;      // [chosen] a little under a copy
  profile.launch_ns = 4300;                 // [H200]
  profile.query_ns = 400;                   // [H200]
  return profile;
}();

inline constexpr const device_profile* profiles[] = {&t4, &a100, &h200};

namespace detail {
extern const device_profile* chosen;
}

/// The GPU that is emulated: the T4, unless LAB_EMULATED_GPU names another.
inline const device_profile& gpu() {
  return *detail::chosen;
}

/// Reads LAB_EMULATED_GPU ("t4", "a100" or "h200"). Ends the program, with a sentence, where it names none.
void choose_gpu();

}  // namespace lab::emulator
