// The blocks of a launch: which are resident, whose turn it is, and barriers.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include "kernel.h"

namespace emu {

namespace {

constexpr u64 LONG_TURN = 400000;   // instructions of a warp; blocks mostly run one after another
constexpr u64 SHORT_TURN = 2000;    // where blocks wait for each other
constexpr u64 CACHE_TURN = 200;     // where the order of accesses counts
// Part of an L2 that may be dirty before it writes back. Fitted to kernels measured on an RTX 3080 (5 MB): of
// what they wrote, all but some 0.4 MB had reached DRAM when they ended.
constexpr u64 DIRTY_SHARE = 12;
// What a launch reads besides its data and its code, such as parameters: kernels measured on an RTX 3080, whose
// caches the profiler empties before, read it and their code, also where they touch nothing.
constexpr u64 LAUNCH_BYTES = 2560, INSTRUCTION_BYTES = 16;
constexpr u64 GRID_WORKSPACE = 64;  // its size, and the barrier's word
constexpr u32 STACK = 2048;         // bytes of local memory besides a kernel's own frame

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void *aligned(u64 bytes) {
  void *at = std::aligned_alloc(256, (bytes + 255) & ~u64(255));
  if (!at) throw std::runtime_error("no memory for the warps of a launch");
  return at;
}

// Where bank 0 has the environment registers: by the architecture, as the parameters' place tells.
u32 environment_at(u32 parameter_base) {
  return parameter_base < 0x210 ? 0x88 : parameter_base < 0x380 ? 0x40 : 0x250;
}

template <typename T>
void store_at(std::vector<u8> &bank, u32 offset, T value) {
  if (bank.size() < offset + sizeof value) bank.resize(offset + sizeof value);
  std::memcpy(bank.data() + offset, &value, sizeof value);
}

}  // namespace

MemorySystem *machine_memory() {
  static MemorySystem *const system = [] {
    const Configuration &given = configuration();
    Machine machine;
    machine.multiprocessors = given.multiprocessors;
    machine.l1_bytes = given.l1_bytes;
    machine.l2_bytes = given.l2_bytes;
    machine.most_dirty_bytes = given.l2_bytes / DIRTY_SHARE;
    return make_memory_system(machine);
  }();
  return system;
}

struct Run::Resident {
  Block block;
  std::vector<Warp> warps;
  enum class State : u8 { ready, waits, ended };
  std::vector<State> states;
  std::vector<u32> turns;
  V32 *registers = nullptr;
  u8 *shared = nullptr, *local = nullptr;
  u32 left = 0;       // warps that have not ended
  bool moved = false; // something ended or passed a barrier in the last turn
  ~Resident() {
    std::free(registers);
    std::free(shared);
    std::free(local);
  }
};

Run::Run(Kernel &kernel, const LaunchRequest &request)
    : kernel_(kernel), request_(request), code_(code_of(kernel)) {
  const Configuration &given = configuration();
  const Attributes &has = kernel.image->attributes;
  launch_.grid = request.grid;
  launch_.block = request.block;
  shared_bytes_ = u32(has.shared_bytes + request.dynamic_shared_bytes);
  local_bytes_ = (has.local_bytes + STACK + 15) & ~15u;
  counts_.blocks.resize(code_.block_count);
  counts_.predicated.resize(code_.predicated_count);
  counts_.sites.resize(code_.site_count);
  caches_.resize(code_.site_count);
  launch_.blocks = counts_.blocks.data();
  launch_.predicated = counts_.predicated.data();
  launch_.sites = counts_.sites.data();
  launch_.symbols = kernel.symbols.data();
  total_ = request.grid.count();
  chosen_ = given.blocks_per_launch ? std::min(total_, given.blocks_per_launch) : total_;
  const u32 per_multiprocessor =
      std::max(1u, resident_blocks(has, u32(request.block.count()), request.dynamic_shared_bytes));
  most_resident_ = u32(std::min<u64>(chosen_, u64(per_multiprocessor) * given.multiprocessors));
  for (u32 n = most_resident_; n-- > 0;) free_multiprocessors_.push_back(n % given.multiprocessors);
  all_at_once_ = given.caches || request.cooperative;
  quantum_ = given.caches ? CACHE_TURN : request.cooperative ? SHORT_TURN : LONG_TURN;
  deadline_ = given.limit_s > 0 ? now() + given.limit_s : 0;
  if (given.caches) {
    launch_.memory = machine_memory();
    const u64 used = std::min<u64>(u64(per_multiprocessor) * shared_bytes_, given.shared_per_multiprocessor);
    u64 carved = 0;  // shared memory takes one of a few sizes of the L1
    for (u64 size : {0, 8, 16, 32, 64, 100, 132, 164, 196, 228})
      if (carved < used) carved = u64(size) << 10;
    launch_.memory->begin_launch(given.l1_bytes > carved + (8 << 10) ? given.l1_bytes - carved : 8 << 10);
    counts_.has_traffic = true;
  }
  read_machine();
}

Run::~Run() {
  if (workspace_) emu::release(workspace_);
}

// Bank 0: the launch's dimensions, windows and parameters, where code expects them.
void Run::read_machine() {
  const KernelImage &image = *kernel_.image;
  bank0_.assign(std::max<u64>(image.bank0_bytes, 0x400), 0);
  const Dim3 &grid = request_.grid, &block = request_.block;
  const u32 dimensions[] = {block.x, block.y, block.z, grid.x, grid.y, grid.z};
  for (u32 n = 0; n < 6; n++) store_at(bank0_, 4 * n, dimensions[n]);
  store_at(bank0_, 0x18, u64(SHARED_WINDOW));
  store_at(bank0_, 0x20, u64(LOCAL_WINDOW));
  store_at(bank0_, 0x28, local_bytes_);
  read_environment();
  if (request_.cooperative) {  // where blocks count their arrivals at the grid's barrier
    workspace_ = allocate(GRID_WORKSPACE);
    if (!workspace_) throw std::runtime_error("no memory for the grid's barrier");
    std::memset(workspace_, 0, GRID_WORKSPACE);
    const u32 at = environment_at(image.parameter_base) + 4;
    store_at(bank0_, at, u32(u64(workspace_) >> 32));
    store_at(bank0_, at + 4, u32(u64(workspace_)));
  }
  if (request_.parameters && image.attributes.parameter_bytes) {
    bank0_.resize(std::max<u64>(bank0_.size(), u64(image.parameter_base) + image.attributes.parameter_bytes));
    std::memcpy(bank0_.data() + image.parameter_base, request_.parameters, image.attributes.parameter_bytes);
  }
  launch_.bank[0] = bank0_.data();
  launch_.bank_bytes[0] = u32(bank0_.size());
  launch_.bank[2] = image.bank2;
  launch_.bank_bytes[2] = image.bank2_bytes;
  read_constants();
  launch_.bank[4] = kernel_.loaded->constant4;
  launch_.bank_bytes[4] = kernel_.loaded->constant4_bytes;
}

// Environment registers of PTX: what OpenCL's launches tell besides their dimensions.
void Run::read_environment() {
  const u32 at = environment_at(kernel_.image->parameter_base);
  for (u32 n = 0; n < std::size(request_.environment); n++) {
    if (request_.environment[n] != 0) store_at(bank0_, at + 4 * n, request_.environment[n]);
  }
}

// Bank 3: the program's constants, and behind them those that arguments of an OpenCL kernel point to.
void Run::read_constants() {
  launch_.bank[3] = kernel_.loaded->constant3;
  launch_.bank_bytes[3] = kernel_.loaded->constant3_bytes;
  if (request_.constants == nullptr || request_.constants->empty()) return;
  bank3_.assign(launch_.bank[3], launch_.bank[3] + launch_.bank_bytes[3]);
  bank3_.resize(request_.constants_at);
  bank3_.insert(bank3_.end(), request_.constants->begin(), request_.constants->end());
  launch_.bank[3] = bank3_.data();
  launch_.bank_bytes[3] = u32(bank3_.size());
}

void Run::start(Resident &resident, u64 number) {
  const Dim3 &grid = request_.grid, &shape = request_.block;
  const u32 threads = u32(shape.count()), warps = (threads + LANES - 1) / LANES;
  const u32 registers = kernel_.image->attributes.registers + 8;
  Block &block = resident.block;
  if (resident.warps.empty()) {
    resident.warps.resize(warps);
    resident.states.resize(warps);
    resident.turns.resize(warps);
    resident.registers = (V32 *)aligned(u64(registers) * warps * sizeof(V32));
    resident.shared = (u8 *)aligned(shared_bytes_ + 256);
    resident.local = (u8 *)aligned(u64(local_bytes_) * warps * LANES);
  }
  std::memset((void *)resident.registers, 0, u64(registers) * warps * sizeof(V32));
  std::memset(resident.shared, 0, shared_bytes_);
  block = Block();
  block.linear = number;
  block.index = {u32(number % grid.x), u32(number / grid.x % grid.y), u32(number / grid.x / grid.y)};
  block.shared = resident.shared;
  block.shared_bytes = shared_bytes_;
  block.warp_count = warps;
  block.warps = resident.warps.data();
  block.sm = free_multiprocessors_.back();
  free_multiprocessors_.pop_back();
  resident.left = warps;
  for (u32 n = 0; n < warps; n++) {
    Warp &warp = resident.warps[n];
    warp = Warp();
    warp.r = resident.registers + u64(n) * registers;
    warp.p[7] = warp.up[7] = EVERY;
    warp.index = n;
    const u32 lanes = std::min(LANES, threads - n * LANES);
    warp.alive = warp.active = lanes == LANES ? EVERY : (1u << lanes) - 1;
    const V32 thread = lane_numbers() + n * LANES;
    warp.tid_x = thread % shape.x;
    warp.tid_y = thread / shape.x % shape.y;
    warp.tid_z = thread / (shape.x * shape.y);
    warp.local = resident.local + u64(n) * local_bytes_ * LANES;
    warp.local_bytes = local_bytes_;
    warp.block = &block;
    warp.launch = &launch_;
    resident.states[n] = Resident::State::ready;
    resident.turns[n] = 0;
  }
  counts_.blocks_run++;
}

bool Run::admit() {
  if (next_ >= chosen_ || resident_.size() >= most_resident_) return false;
  std::unique_ptr<Resident> one;
  if (idle_.empty()) {
    one = std::make_unique<Resident>();
  } else {
    one = std::move(idle_.back());
    idle_.pop_back();
  }
  const u64 number = chosen_ == total_ ? next_ : u64((unsigned __int128)next_ * total_ / chosen_);
  next_++;
  start(*one, number);
  resident_.push_back(std::move(one));
  return true;
}

// Which of a warp's diverged lanes go on: others than those whose turn is over.
static void take_turns(Warp &warp, u32 turn) {
  split(warp, warp.active, warp.next);
  for (u32 n = 0; n < warp.group_count; n++) {
    Group &group = warp.groups[(turn + n) % warp.group_count];
    if (group.waits) continue;
    warp.active = group.lanes;
    warp.next = group.at;
    group = warp.groups[--warp.group_count];
    return;
  }
}

bool Run::step(Resident &resident) {
  resident.moved = false;
  for (u32 n = 0; n < resident.warps.size(); n++) {
    if (resident.states[n] != Resident::State::ready) continue;
    Warp &warp = resident.warps[n];
    warp.budget = i64(quantum_);
    current_ = &warp;
    const Stop stop = run_warp(*kernel_.map, warp);
    launch_.clock += quantum_ - u64(std::max<i64>(warp.budget, 0));
    if (resident.block.has_arrivals) {  // of lanes that went on: others may have waited for them
      resident.block.has_arrivals = false;
      release_all(resident, false);
    }
    if (stop == Stop::turn) {
      if (warp.group_count) take_turns(warp, ++resident.turns[n]);
      continue;
    }
    resident.moved = true;
    if (stop == Stop::ended) {
      resident.states[n] = Resident::State::ended;
      resident.left--;
    } else {
      resident.states[n] = Resident::State::waits;
    }
    // A warp that came to a barrier can open that one; one that ended can be the last that others lacked.
    if (stop == Stop::ended)
      release_all(resident, false);
    else
      release(resident, warp, false);
  }
  return resident.left != 0;
}

void Run::release_all(Resident &resident, bool by_force) {
  for (u32 n = 0; n < resident.warps.size(); n++)
    if (resident.states[n] == Resident::State::waits) release(resident, resident.warps[n], by_force);
}

// Opens the barrier that a warp waits at if all have come to it. By force: also where lanes of a warp are missing.
void Run::release(Resident &resident, const Warp &waiting, bool by_force) {
  const u32 number = waiting.barrier & 15, expects = waiting.barrier_expects;
  u32 threads = resident.block.barrier_threads[number], missing = 0;
  for (u32 n = 0; n < resident.warps.size(); n++) {
    if (resident.states[n] == Resident::State::ended) continue;
    const Warp &warp = resident.warps[n];
    const bool here = resident.states[n] == Resident::State::waits && (warp.barrier & 15) == number &&
                      (by_force || warp.at_barrier == warp.alive);
    here ? threads += LANES : missing++;
  }
  if (expects ? threads < expects : missing != 0) return;
  Block &block = resident.block;
  const u32 held = block.reduced[number];
  u32 result = held;
  if (block.reduction[number] == u8(Reduction::and_)) result = held == block.reducing[number];
  if (block.reduction[number] == u8(Reduction::or_)) result = held != 0;
  block.reduced[number] = block.reducing[number] = block.barrier_threads[number] = 0;
  for (u32 n = 0; n < resident.warps.size(); n++) {
    Warp &warp = resident.warps[n];
    if (resident.states[n] != Resident::State::waits || (warp.barrier & 15) != number) continue;
    pass_barrier(warp, result);
    warp.next = resume(warp, warp.active);
    resident.states[n] = Resident::State::ready;
  }
  resident.moved = true;
}

void Run::all_blocks() {
  sites_of_launch() = {caches_.data(), code_.sites};
  admit();
  while (!resident_.empty() || next_ < chosen_) {
    if (resident_.empty()) admit();
    while (all_at_once_ && admit()) {}
    bool moved = false;
    for (u32 n = 0; n < resident_.size();) {
      Resident &one = *resident_[n];
      const bool goes_on = step(one);
      moved |= one.moved;
      if (goes_on) {
        n++;
        continue;
      }
      free_multiprocessors_.push_back(one.block.sm);
      idle_.push_back(std::move(resident_[n]));
      resident_.erase(resident_.begin() + n);
      if (all_at_once_) admit();
    }
    if (deadline_ && now() > deadline_) {
      out_of_time = true;
      break;
    }
    bool ready = false;
    for (auto &one : resident_)
      for (auto state : one->states) ready |= state == Resident::State::ready;
    if (ready || resident_.empty()) {
      if (!moved) admit();  // all had a turn and none ended: they may wait for a block that is to come
      continue;
    }
    for (auto &one : resident_) {
      release_all(*one, true);
      for (auto state : one->states) ready |= state == Resident::State::ready;
    }
    if (!ready && !admit()) throw Fault(deadlock(), NOWHERE);
  }
  if (!launch_.memory) return;
  counts_.traffic = launch_.memory->end_launch();
  counts_.traffic.bus_bytes = launch_.bus_sectors * 32;
  counts_.traffic.dram_read_bytes += fixed_reads();
}

// Bytes that are read for the launch itself and for its code.
u64 Run::fixed_reads() const {
  u64 instructions = 0;
  for (u32 n = 0; n < code_.chunk_count; n++) instructions += code_.chunks[n].count;
  return LAUNCH_BYTES + instructions * INSTRUCTION_BYTES;
}

std::string Run::deadlock() const {
  std::string text = "deadlock at a barrier:";
  u32 shown = 0;
  for (auto &one : resident_)
    for (u32 n = 0; n < one->warps.size() && shown < 4; n++) {
      const Warp &warp = one->warps[n];
      if (one->states[n] == Resident::State::ended) continue;
      char part[120];
      const u32 at = warp.group_count ? warp.groups[0].at : warp.next;
      std::snprintf(part, sizeof part, " warp %u of block %llu waits at barrier %u", n,
                    (unsigned long long)one->block.linear, warp.barrier);
      text += part;
      Fault where("", at);
      for (u32 line = 0; line < code_.line_count; line++)
        if (code_.lines[line][0] == at) {
          std::snprintf(part, sizeof part, " (line %u)", code_.lines[line][2]);
          text += part;
        }
      text += ";";
      shown++;
    }
  text.pop_back();
  return text;
}

std::string Run::place(const Fault &fault) const {
  std::string text;
  char part[200];
  if (current_ && fault.at != NOWHERE) {
    const Block &block = *current_->block;
    std::snprintf(part, sizeof part, " in block (%u, %u, %u)", block.index.x, block.index.y, block.index.z);
    text += part;
    if (fault.lane < LANES) {
      std::snprintf(part, sizeof part, ", thread (%u, %u, %u)", u32(current_->tid_x[fault.lane]),
                    u32(current_->tid_y[fault.lane]), u32(current_->tid_z[fault.lane]));
      text += part;
    }
  }
  for (u32 n = 0; n < code_.line_count; n++)
    if (code_.lines[n][0] == fault.at && code_.lines[n][2]) {
      std::snprintf(part, sizeof part, ":%u", code_.lines[n][2]);
      text += std::string(", at ") + code_.files[code_.lines[n][1]] + part;
    }
  return text;
}

}  // namespace emu
