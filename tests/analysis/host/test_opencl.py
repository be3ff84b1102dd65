"""Launches that OpenCL hosts make, in C and C++: kernel, grid, block, arguments, position."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.host import HostResult, execute_host
from roofline_analysis.host.values import LaunchContext, Pointer, Scalar
from roofline_core.algebra.symbolic import Expr
from roofline_parsers.reading.load import load_program

KERNELS = """
__kernel void add(__global float *a, __global const float *b, int n, __local float *t) {
  a[get_global_id(0)] += b[get_global_id(0)];
}
__kernel __attribute__((reqd_work_group_size(64, 2, 1))) void fixed(__global float *a) {}
__kernel void scale(__global float *a, float s) { a[get_global_id(0)] *= s; }
"""
Dims = tuple[int | float | None, ...] | None


def execute(
    body: str, *, before: str = "", suffix: str = "c", kernels: str = KERNELS
) -> HostResult:
    """Execute a ``main`` of this body beside a kernel file."""
    source = f"{before}\nint main(int argc, char **argv) {{\n{body}\n}}\n"
    files = {Path(f"/src/host.{suffix}"): source.encode(), Path("/src/k.cl"): kernels.encode()}
    result = execute_host(load_program(list(files), files.get), ())
    assert not [p for p in result.problems if p.message.startswith("internal")]
    return result


def numbers(dims: tuple[Expr, Expr, Expr] | None) -> Dims:
    """Extents as plain numbers, None for one that is not known."""
    return None if dims is None else tuple(dim.constant for dim in dims)


def shapes(result: HostResult) -> list[tuple[str, Dims, Dims]]:
    """Name, grid and block of each launch."""
    return [(x.kernel.name, numbers(x.grid), numbers(x.block)) for x in result.launches]


def bytes_of(launch: LaunchContext, position: int) -> int | float | None:
    """The size of the buffer behind a pointer argument."""
    value = launch.args[position]
    assert isinstance(value, Pointer)
    assert value.buffer is not None
    assert value.buffer.size_bytes is not None
    return value.buffer.size_bytes.constant


SETUP = """
  cl_int err; cl_platform_id p; cl_uint np; clGetPlatformIDs(1, &p, &np);
  if (np != 1) return 1;
  cl_device_id d; clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 1, &d, NULL);
  cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &err); if (err != CL_SUCCESS) return 2;
  cl_command_queue q = clCreateCommandQueue(c, d, 0, &err);
  cl_program prog = clCreateProgramWithSource(c, 1, &text, NULL, &err);
  if (clBuildProgram(prog, 1, &d, "", NULL, NULL) != CL_SUCCESS) return 3;
"""
TEXT = "const char *text = load();"


class TestC:
    """The C interface."""

    def test_buffers_scalars_and_local_memory(self) -> None:
        result = execute(
            SETUP
            + """
  int n = 1000; cl_kernel k = clCreateKernel(prog, "add", &err);
  cl_mem a = clCreateBuffer(c, CL_MEM_READ_WRITE, n * sizeof(cl_float), NULL, &err);
  cl_mem b = clCreateBuffer(c, CL_MEM_READ_ONLY, 2 * n * sizeof(float), NULL, &err);
  err = clSetKernelArg(k, 0, sizeof(cl_mem), &a);
  err |= clSetKernelArg(k, 1, sizeof(b), (void *)&b);
  err |= clSetKernelArg(k, 2, sizeof(int), &n); err |= clSetKernelArg(k, 3, 128 * 4, NULL);
  size_t l = 128, g = (n + l - 1) / l * l;
  clEnqueueNDRangeKernel(q, k, 1, NULL, &g, &l, 0, NULL, NULL);""",
            before=TEXT,
        )
        (launch,) = result.launches
        assert shapes(result) == [("add", (8, 1, 1), (128, 1, 1))]
        assert (bytes_of(launch, 0), bytes_of(launch, 1)) == (4000, 8000)
        n = launch.args[2]
        assert isinstance(n, Scalar)
        assert n.value.constant == 1000
        assert launch.shared_bytes is not None
        assert launch.shared_bytes.constant == 512
        assert (launch.path, launch.line) == (Path("/src/host.c"), 19)
        assert launch.certain
        assert result.problems == ()

    @pytest.mark.parametrize(
        ("global_size", "grid", "block"),
        [
            ("{1024}", (4, 1, 1), (256, 1, 1)),
            ("{1000}", (4, 1, 1), (250, 1, 1)),
            ("{97}", (1, 1, 1), (97, 1, 1)),
            ("{16, 1024}", (1, 64, 1), (16, 16, 1)),
            ("{512, 8}", (2, 8, 1), (256, 1, 1)),
        ],
    )
    def test_size_of_groups_left_to_the_runtime(
        self, global_size: str, grid: Dims, block: Dims
    ) -> None:
        dimensions = global_size.count(",") + 1
        result = execute(
            SETUP
            + f"""
  cl_kernel k = clCreateKernel(prog, "scale", &err); size_t g[] = {global_size};
  clEnqueueNDRangeKernel(q, k, {dimensions}, NULL, g, NULL, 0, NULL, NULL);""",
            before=TEXT,
        )
        assert shapes(result) == [("scale", grid, block)]

    def test_demanded_work_group(self) -> None:
        result = execute(
            SETUP
            + """
  cl_kernel k = clCreateKernel(prog, "fixed", &err); size_t g[2] = {640, 20};
  clEnqueueNDRangeKernel(q, k, 2, NULL, g, NULL, 0, NULL, NULL);""",
            before=TEXT,
        )
        assert shapes(result) == [("fixed", (10, 10, 1), (64, 2, 1))]

    def test_uneven_global_size_is_rounded_up(self) -> None:
        result = execute(
            SETUP
            + """
  cl_kernel k = clCreateKernel(prog, "scale", &err); size_t g = 1001, l = 64;
  clEnqueueNDRangeKernel(q, k, 1, NULL, &g, &l, 0, NULL, NULL);""",
            before=TEXT,
        )
        assert shapes(result) == [("scale", (16, 1, 1), (64, 1, 1))]

    def test_task_is_one_thread(self) -> None:
        result = execute(
            SETUP + 'clEnqueueTask(q, clCreateKernel(prog, "scale", NULL), 0, NULL, NULL);',
            before=TEXT,
        )
        assert shapes(result) == [("scale", (1, 1, 1), (1, 1, 1))]

    def test_device_queries_bound_the_group(self) -> None:
        result = execute(
            SETUP
            + """
  size_t most, sizes[3]; clGetDeviceInfo(d, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(most), &most, 0);
  clGetDeviceInfo(d, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes), sizes, NULL);
  cl_kernel k = clCreateKernel(prog, "scale", &err); size_t own;
  clGetKernelWorkGroupInfo(k, d, CL_KERNEL_WORK_GROUP_SIZE, sizeof(own), &own, NULL);
  size_t g[2] = {sizes[2] * own, 8}, l[2] = {most / 4, 4};
  clEnqueueNDRangeKernel(q, k, 2, NULL, g, l, 0, NULL, NULL);""",
            before=TEXT,
        )
        assert shapes(result) == [("scale", (256, 2, 1), (256, 4, 1))]

    def test_wrappers_arrays_of_kernels_and_error_macros(self) -> None:
        result = execute(
            SETUP
            + """
  struct State s; s.queue = q; const char *names[] = {"add", "scale"};
  for (int i = 0; i < 2; i++) s.kernels[i] = create(prog, names[i]);
  cl_mem a = clCreateBuffer(c, CL_MEM_READ_WRITE, 4096, NULL, &err);
  float two = 2; set(&s, 1, 0, sizeof(cl_mem), &a); set(&s, 1, 1, sizeof(two), &two);
  run(&s, 1, 2048, 128);""",
            before=TEXT
            + """
#define CHECK(x) do { cl_int e_ = (x); if (e_ != CL_SUCCESS) { exit(1); } } while (0)
struct State { cl_kernel kernels[4]; cl_command_queue queue; };
cl_kernel create(cl_program p, const char *name) {
  cl_int e; cl_kernel k = clCreateKernel(p, name, &e); if (e != CL_SUCCESS || !k) exit(1); return k;
}
void set(struct State *s, int k, int i, size_t n, void *v) {
  CHECK(clSetKernelArg(s->kernels[k], i, n, v));
}
void run(struct State *s, int k, size_t g, size_t l) {
  CHECK(clEnqueueNDRangeKernel(s->queue, s->kernels[k], 1, NULL, &g, &l, 0, NULL, NULL));
}""",
        )
        (launch,) = result.launches
        assert shapes(result) == [("scale", (16, 1, 1), (128, 1, 1))]
        assert bytes_of(launch, 0) == 4096
        assert isinstance(launch.args[1], Scalar)
        assert launch.args[1].value.constant == 2
        assert launch.repeat is not None
        assert launch.repeat.constant == 1

    def test_loop_that_is_not_followed_leaves_other_dimensions(self) -> None:
        result = execute(
            SETUP
            + """
  int n = atoi(argv[1]); size_t g[2], l[2]; g[1] = 4; l[0] = 16; l[1] = 2;
  cl_kernel k = clCreateKernel(prog, "scale", &err);
  for (int i = 1; i <= n; i++) { g[0] = 16 * i;
    clEnqueueNDRangeKernel(q, k, 2, NULL, g, l, 0, NULL, NULL); }
  g[0] = 32; clEnqueueNDRangeKernel(q, k, 2, NULL, g, l, 0, NULL, NULL);""",
            before=TEXT,
        )
        assert shapes(result)[-1] == ("scale", (2, 2, 1), (16, 2, 1))

    def test_all_kernels_of_a_program(self) -> None:
        result = execute(
            SETUP
            + """
  cl_kernel ks[3]; cl_uint n; clCreateKernelsInProgram(prog, 3, ks, &n);
  size_t g = 64 * n; clEnqueueNDRangeKernel(q, ks[2], 1, NULL, &g, &g, 0, NULL, NULL);""",
            before=TEXT,
        )
        assert shapes(result) == [("scale", (1, 1, 1), (192, 1, 1))]

    def test_sub_buffer_has_its_own_size(self) -> None:
        result = execute(
            SETUP
            + """
  cl_mem a = clCreateBuffer(c, CL_MEM_READ_WRITE, 4096, NULL, &err);
  cl_buffer_region r = {1024, 512};
  cl_mem s = clCreateSubBuffer(a, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
  cl_kernel k = clCreateKernel(prog, "fixed", &err); clSetKernelArg(k, 0, sizeof(s), &s);
  size_t g[2] = {64, 2}; clEnqueueNDRangeKernel(q, k, 2, NULL, g, NULL, 0, NULL, NULL);""",
            before=TEXT,
        )
        assert bytes_of(result.launches[0], 0) == 512

    def test_vector_argument_from_an_array(self) -> None:
        result = execute(
            SETUP
            + """
  float v[4] = {1, 2, 3, 4}; cl_kernel k = clCreateKernel(prog, "vec", &err);
  clSetKernelArg(k, 0, 4 * sizeof(float), v);
  size_t g = 64; clEnqueueNDRangeKernel(q, k, 1, NULL, &g, NULL, 0, NULL, NULL);""",
            before=TEXT,
            kernels="__kernel void vec(float4 v) {}",
        )
        (value,) = result.launches[0].args
        fields = getattr(value, "fields", {})
        assert [fields[axis].value.constant for axis in "xyzw"] == [1, 2, 3, 4]


class TestUnknown:
    """What is said where a launch cannot be told."""

    def messages(self, body: str) -> list[str]:
        """The problems of a host that launches ``k``, declared and set in ``body``."""
        enqueue = "size_t g = 64; clEnqueueNDRangeKernel(q, k, 1, NULL, &g, NULL, 0, NULL, NULL);"
        result = execute(SETUP + body + enqueue, before=TEXT)
        assert result.launches == ()
        return [problem.message for problem in result.problems]

    def test_kernel_of_another_program(self) -> None:
        message = "kernel 'other' is in none of the files of this program"
        assert self.messages('cl_kernel k = clCreateKernel(prog, "other", &err);') == [message]

    def test_name_read_at_run_time(self) -> None:
        (message,) = self.messages("cl_kernel k = clCreateKernel(prog, argv[1], &err);")
        assert message.startswith("which kernel is launched was not found: the kernel named by")

    def test_options_of_the_run_are_reported(self) -> None:
        result = execute(
            SETUP
            + """
  char options[64]; sprintf(options, "-DN=%d", atoi(argv[1]));
  clBuildProgram(prog, 1, &d, options, NULL, NULL); clBuildProgram(prog, 1, &d, NULL, NULL, NULL);
  clBuildProgram(prog, 1, &d, 0, NULL, NULL);""",
            before=TEXT,
        )
        (problem,) = result.problems
        assert problem.line == 13
        assert problem.message.startswith("the kernels are built with options that are put")

    def test_offset_is_reported(self) -> None:
        result = execute(
            SETUP
            + """
  cl_kernel k = clCreateKernel(prog, "scale", &err); size_t o = 32, g = 64;
  clEnqueueNDRangeKernel(q, k, 1, &o, &g, NULL, 0, NULL, NULL);""",
            before=TEXT,
        )
        assert shapes(result) == [("scale", (1, 1, 1), (64, 1, 1))]
        (problem,) = result.problems
        assert problem.message == "'scale' is launched at an offset; ids are counted from 0"

    def test_handle_set_where_main_does_not_lead(self) -> None:
        """The usage exit leaves handles empty; the source says what they are."""
        result = execute(
            "if (argc < 2) return 1; setup(); run(atoi(argv[1]));",
            before="""
cl_kernel step; cl_program prog; cl_command_queue q;
void setup() { step = clCreateKernel(prog, "scale", NULL); }
void run(int n) { size_t g = n, l = 32;
  clEnqueueNDRangeKernel(q, step, 1, NULL, &g, &l, 0, NULL, NULL); }""",
        )
        assert [(x.kernel.name, x.line, x.certain) for x in result.launches] == [
            ("scale", 5, False)
        ]
        assert numbers(result.launches[0].block) == (32, 1, 1)


CPP_SETUP = """
  std::vector<cl::Platform> ps; cl::Platform::get(&ps); if (ps.size() == 0) return 1;
  std::vector<cl::Device> ds; ps[0].getDevices(CL_DEVICE_TYPE_ALL, &ds); if (ds.empty()) return 2;
  cl::Context ctx(ds[0]); cl::CommandQueue q(ctx, ds[0]);
  cl::Program::Sources sources; sources.push_back({text, 10});
  cl::Program prog(ctx, sources); if (prog.build({ds[0]}) != CL_SUCCESS) return 3;
  cl::Buffer A(ctx, CL_MEM_READ_WRITE, sizeof(float) * 5000);
"""


class TestCpp:
    """The C++ bindings."""

    def run(self, body: str, before: str = "") -> HostResult:
        """Execute with the objects of ``CPP_SETUP`` at hand."""
        return execute(CPP_SETUP + body, before=TEXT + before, suffix="cpp")

    def test_kernel_object(self) -> None:
        result = self.run("""
  cl::Kernel k(prog, "add"); k.setArg(0, A); k.setArg(1, A); k.setArg(2, 5000);
  k.setArg(3, cl::Local(64 * 4));
  q.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(5120), cl::NDRange(64));""")
        (launch,) = result.launches
        assert shapes(result) == [("add", (80, 1, 1), (64, 1, 1))]
        assert bytes_of(launch, 0) == 20000
        assert launch.shared_bytes is not None
        assert launch.shared_bytes.constant == 256
        assert launch.certain
        assert launch.line == 13
        assert result.problems == ()

    def test_names_without_their_namespace(self) -> None:
        result = self.run(
            """
  Kernel k = Kernel(prog, "scale"); k.setArg(0, A);
  q.enqueueNDRangeKernel(k, NullRange, NDRange(32, 32), NDRange(16, 8));""",
            before="\nusing namespace cl;",
        )
        assert shapes(result) == [("scale", (2, 4, 1), (16, 8, 1))]

    @pytest.mark.parametrize("functor", ["cl::KernelFunctor", "cl::make_kernel"])
    def test_functor(self, functor: str) -> None:
        result = self.run(f"""
  {functor}<cl::Buffer, float> f(prog, "scale");
  f(cl::EnqueueArgs(q, cl::NDRange(640), cl::NDRange(32)), A, 3.0f);
  auto g = {functor}<cl::Buffer>(cl::Kernel(prog, "fixed"));
  cl::EnqueueArgs e(q, cl::NDRange(0), cl::NDRange(128, 2), cl::NullRange);
  g(e, A);""")
        assert shapes(result) == [
            ("scale", (20, 1, 1), (32, 1, 1)),
            ("fixed", (2, 1, 1), (64, 2, 1)),
        ]
        assert isinstance(result.launches[0].args[1], Scalar)
        assert result.launches[0].args[1].value.constant == 3
        assert [launch.line for launch in result.launches] == [12, 15]

    def test_device_query_as_template_argument(self) -> None:
        result = self.run("""
  size_t n = ds[0].getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>(); cl::Kernel k(prog, "scale");
  q.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(n * 2), cl::NDRange(n));""")
        assert shapes(result) == [("scale", (2, 1, 1), (1024, 1, 1))]

    def test_kernel_as_a_member(self) -> None:
        result = self.run(
            "Runner r(prog, q); r.run(A, 4096);",
            before="""
class Runner {
  cl::Kernel kernel; cl::CommandQueue &queue;
 public:
  Runner(cl::Program &p, cl::CommandQueue &q) : kernel(p, "scale"), queue(q) {}
  void run(cl::Buffer &b, int n) {
    kernel.setArg(0, b);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(n), cl::NDRange(256));
  }
};""",
        )
        assert shapes(result) == [("scale", (16, 1, 1), (256, 1, 1))]
        assert bytes_of(result.launches[0], 0) == 20000

    def test_buffer_of_a_range(self) -> None:
        result = self.run("""
  std::vector<float> v(300); cl::Buffer B(ctx, v.begin(), v.end(), true);
  cl::Kernel k(prog, "fixed"); k.setArg(0, B);
  q.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(64, 2), cl::NullRange);""")
        assert bytes_of(result.launches[0], 0) == 1200


def test_own_class_of_a_common_name_is_left_alone() -> None:
    """``Buffer`` and ``Kernel`` are OpenCL's only where they are made from its objects."""
    files = {
        Path("/src/a.cu"): b"""
struct Kernel { int n; Kernel(int m) : n(m) {} };
__global__ void k(int n) {}
int main() { Kernel q(7); Program p; Buffer b(3); k<<<q.n, 32>>>(q.n); }
"""
    }
    result = execute_host(load_program(list(files), files.get), ())
    assert shapes(result) == [("k", (7, 1, 1), (32, 1, 1))]


def test_kernel_of_the_file_that_the_host_loads() -> None:
    """Of two files with a kernel of one name, the variable that holds the source tells which."""
    host = b"""
extern const char *text_fast;
int main() { cl_program p = clCreateProgramWithSource(0, 1, &text_fast, NULL, NULL);
  cl_kernel k = clCreateKernel(p, "run", NULL); size_t g = 8;
  clEnqueueNDRangeKernel(0, k, 1, NULL, &g, NULL, 0, NULL, NULL); }
"""
    files = {
        Path("/src/host.c"): host,
        Path("/src/slow.cl"): b"__kernel void run(__global int *a) {}",
        Path("/src/text_fast.cl"): b"__kernel void run(__global int *a) {}",
    }
    result = execute_host(load_program(list(files), files.get), ())
    assert [launch.kernel.path.name for launch in result.launches] == ["text_fast.cl"]


LIBRARY = """
struct Tensor { long ne[4]; void *data; bool half; };
struct Backend { void *context; };
struct Context {
  cl_command_queue queue; cl_program program;
  cl_kernel scale_kernel, halves_kernel, fixed_kernel;
  void enqueue(cl_kernel kernel, cl_uint dims, size_t *global, size_t *local) {
    clEnqueueNDRangeKernel(queue, kernel, dims, NULL, global, local, 0, NULL, NULL);
  }
};
void load(Context *context) {
  cl_int error;
  CHECK((context->scale_kernel = clCreateKernel(context->program, "scale", &error), error));
  CHECK((context->halves_kernel = clCreateKernel(context->program, "halves", &error), error));
}
"""
"""A library that makes all kernels in one place and launches each in a function of its own."""
LIBRARY_KERNELS = """
__kernel void scale(__global float *a, float s) { a[get_global_id(0)] *= s; }
__kernel void halves(__global half *a, float s) { a[get_global_id(0)] *= s; }
"""


class TestHandlesThatAnotherFunctionSets:
    """Functions that launch by a handle which only another function sets."""

    def run(self, body: str) -> HostResult:
        source = "#define CHECK(err) do { cl_int err_ = (err); if (err_) abort(); } while (0)\n"
        source += f"{LIBRARY}{body}"
        files = {
            Path("/src/host.cpp"): source.encode(),
            Path("/src/k.cl"): LIBRARY_KERNELS.encode(),
        }
        result = execute_host(load_program(list(files), files.get), None)
        assert not result.faults
        return result

    def test_kernel_of_the_name_of_its_handle(self) -> None:
        """Through a method of an object that is reached by ``void *``, as a callback is given."""
        result = self.run("""
static void run_scale(Backend *backend, Tensor *t, float s) {
  Context *context = (Context *)backend->context;
  cl_kernel kernel = context->scale_kernel;
  cl_mem memory = (cl_mem)t->data;
  clSetKernelArg(kernel, 0, sizeof(cl_mem), &memory);
  clSetKernelArg(kernel, 1, sizeof(float), &s);
  size_t global[] = {4096, 2}, local[] = {64, 1};
  context->enqueue(kernel, 2, global, local);
}
""")
        assert shapes(result) == [("scale", (64, 2, 1), (64, 1, 1))]
        (launch,) = result.launches
        assert not launch.certain
        assert len(launch.args) == 2
        assert isinstance(launch.args[1], Scalar)

    def test_one_of_two_kernels(self) -> None:
        """Data decides which is launched, so both are, with the same arguments."""
        result = self.run("""
static void run_any(Context *context, Tensor *t, float s) {
  cl_kernel kernel = t->half ? context->halves_kernel : context->scale_kernel;
  clSetKernelArg(kernel, 1, sizeof(float), &s);
  size_t global[] = {4096}, local[] = {32};
  context->enqueue(kernel, 1, global, local);
}
""")
        assert sorted(shapes(result)) == [
            ("halves", (128, 1, 1), (32, 1, 1)),
            ("scale", (128, 1, 1), (32, 1, 1)),
        ]

    def test_variables_of_two_blocks_are_two(self) -> None:
        """Both are called ``kernel``."""
        result = self.run("""
static void run_both(Context *context) {
  size_t global[] = {4096};
  { cl_kernel kernel = context->scale_kernel; size_t local[] = {64};
    context->enqueue(kernel, 1, global, local); }
  { cl_kernel kernel = context->halves_kernel; size_t local[] = {128};
    context->enqueue(kernel, 1, global, local); }
}
""")
        assert sorted(shapes(result)) == [
            ("halves", (32, 1, 1), (128, 1, 1)),
            ("scale", (64, 1, 1), (64, 1, 1)),
        ]

    def test_function_that_a_long_caller_does_not_come_to(self) -> None:
        """It names the handle, so it is executed by itself."""
        result = self.run("""
static void run_scale(Context *context) {
  cl_kernel kernel = context->scale_kernel;
  size_t global[] = {4096}, local[] = {64};
  context->enqueue(kernel, 1, global, local);
}
void compute(Context *context, Tensor **tensors, int count) {
  for (int i = 0; i < count; i++) {
    int x = 0;
    for (int k = 0; k < 100000; k++) x = tensors[i]->ne[k % 4] * x + k;
    if (x) run_scale(context);
  }
}
""")
        assert shapes(result) == [("scale", (64, 1, 1), (64, 1, 1))]

    def test_handle_that_holds_different_kernels_tells_nothing(self) -> None:
        result = self.run("""
void again(Context *context) {
  context->scale_kernel = clCreateKernel(context->program, "halves", NULL);
}
static void run_scale(Context *context) {
  cl_kernel kernel = context->scale_kernel;
  size_t global[] = {4096}, local[] = {64};
  context->enqueue(kernel, 1, global, local);
}
""")
        assert shapes(result) == []
        assert any("which kernel is launched was not found" in p.message for p in result.problems)

    def test_one_site_launches_many_kernels(self) -> None:
        """Each in a function of its own, which nothing calls."""
        count = 60
        handles = " ".join(f"cl_kernel kernel_{n};" for n in range(count))
        made = " ".join(
            f'context->kernel_{n} = clCreateKernel(context->program, "k{n}", NULL);'
            for n in range(count)
        )
        launching = "\n".join(
            f"static void run_{n}(Many *context) {{ cl_kernel kernel = context->kernel_{n};"
            f" size_t global[] = {{4096}}, local[] = {{{n + 1}}};"
            " context->enqueue(kernel, 1, global, local); }"
            for n in range(count)
        )
        enqueue = "clEnqueueNDRangeKernel(queue, k, dims, NULL, global, local, 0, NULL, NULL);"
        host = f"""struct Many {{ cl_command_queue queue; cl_program program; {handles}
          void enqueue(cl_kernel k, cl_uint dims, size_t *global, size_t *local) {{ {enqueue} }} }};
          void load(Many *context) {{ {made} }}
          {launching}"""
        kernels = "\n".join(f"__kernel void k{n}(__global float *a) {{}}" for n in range(count))
        files = {Path("/src/host.cpp"): host.encode(), Path("/src/k.cl"): kernels.encode()}
        result = execute_host(load_program(list(files), files.get), None)
        blocks = {launch.kernel.name: numbers(launch.block) for launch in result.launches}
        assert blocks == {f"k{n}": (n + 1, 1, 1) for n in range(count)}
