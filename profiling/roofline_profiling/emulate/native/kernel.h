// A kernel of a loaded module, and one launch of it.
#pragma once
#include <memory>
#include <map>
#include <string>
#include <vector>
#include "access.h"
#include "executor.h"
#include "memory_system.h"
#include "module.h"
#include "warp.h"

namespace emu {

struct Kernel {
  Module *module = nullptr;
  LoadedModule *loaded = nullptr;
  const KernelImage *image = nullptr;
  const KernelCode *code = nullptr;  // once translated
  std::unique_ptr<CodeMap> map;
  std::vector<u64> symbols;          // values, in the code's order
  std::string failure;               // why it cannot be translated
  u64 invocations = 0;
  std::map<std::vector<u32>, u64> shapes;  // launches by grid and block
};

// The kernel's translated code. Raises std::runtime_error where there is none.
const KernelCode &code_of(Kernel &kernel);

// What a launch counted.
struct Counts {
  std::vector<BlockCount> blocks;
  std::vector<u64> predicated;
  std::vector<SiteCount> sites;
  Traffic traffic;
  bool has_traffic = false;
  u64 blocks_run = 0;
};

// Runs a launch's blocks. Raises Fault, with where it happened in `place`.
class Run {
 public:
  Run(Kernel &kernel, const LaunchRequest &request);
  ~Run();
  void all_blocks();
  Counts &counts() { return counts_; }
  std::string place(const Fault &fault) const;  // block, thread and source line
  bool out_of_time = false;

 private:
  struct Resident;  // a block that runs, with its warps
  void start(Resident &resident, u64 number);
  bool step(Resident &resident);  // a turn of each warp; false: the block has ended
  void release(Resident &resident, const Warp &waiting, bool by_force);
  void release_all(Resident &resident, bool by_force);
  bool admit();
  u64 fixed_reads() const;
  std::string deadlock() const;
  void read_machine();
  void read_environment();
  void read_constants();

  Kernel &kernel_;
  const LaunchRequest &request_;
  const KernelCode &code_;
  Launch launch_;
  Counts counts_;
  std::vector<u8> bank0_, bank3_;
  std::vector<SiteCache> caches_;
  std::vector<std::unique_ptr<Resident>> resident_, idle_;
  std::vector<u32> free_multiprocessors_;  // a number for each block that can be resident
  u64 total_ = 0, chosen_ = 0, next_ = 0;
  u64 quantum_ = 0;
  u32 most_resident_ = 1, shared_bytes_ = 0, local_bytes_ = 0;
  bool all_at_once_ = false;
  const Warp *current_ = nullptr;
  double deadline_ = 0;
  u8 *workspace_ = nullptr;  // of a cooperative launch
};

MemorySystem *machine_memory();  // of the configured machine; made once

}  // namespace emu
