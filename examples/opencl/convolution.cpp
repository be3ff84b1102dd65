// Runs the kernel of convolution.cl on the first device, and checks a part of the image.
//
// usage: convolution [columns [rows]], from the folder of the kernel

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

constexpr int RADIUS = 8;
constexpr int WIDTH = 2 * RADIUS + 1;

static void check(cl_int status, const char* what) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, status);
        exit(EXIT_FAILURE);
    }
}

static std::string read_file(const char* name) {
    std::ifstream file(name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

int main(int argc, char** argv) {
    const int columns = argc > 1 ? atoi(argv[1]) : 4096;
    const int rows = argc > 2 ? atoi(argv[2]) : 4096;
    const int stride = columns + 2 * RADIUS;
    const size_t in_size = static_cast<size_t>(stride) * (rows + 2 * RADIUS);
    const size_t out_size = static_cast<size_t>(columns) * rows;
    std::vector<float> in(in_size), weights(WIDTH * WIDTH, 1.0f / (WIDTH * WIDTH)), out(out_size);
    for (size_t i = 0; i < in_size; ++i) {
        in[i] = static_cast<float>(i % 251);
    }

    cl_int status;
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");

    const std::string source = read_file("convolution.cl");
    const char* text = source.c_str();
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "convolution", &status);
    check(status, "clCreateKernel");

    const cl_mem_flags from_host = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem d_in = clCreateBuffer(context, from_host, in_size * sizeof(float), in.data(), &status);
    check(status, "clCreateBuffer");
    cl_mem d_weights = clCreateBuffer(context, from_host, WIDTH * WIDTH * sizeof(float),
                                      weights.data(), &status);
    check(status, "clCreateBuffer");
    cl_mem d_out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, out_size * sizeof(float), nullptr,
                                  &status);
    check(status, "clCreateBuffer");

    check(clSetKernelArg(kernel, 0, sizeof(int), &columns), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof(int), &rows), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof(cl_mem), &d_in), "clSetKernelArg");
    check(clSetKernelArg(kernel, 3, sizeof(cl_mem), &d_weights), "clSetKernelArg");
    check(clSetKernelArg(kernel, 4, sizeof(cl_mem), &d_out), "clSetKernelArg");

    const size_t local[2] = {16, 16};
    const size_t global[2] = {static_cast<size_t>((columns + 15) / 16 * 16),
                              static_cast<size_t>((rows + 15) / 16 * 16)};
    check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, d_out, CL_TRUE, 0, out_size * sizeof(float), out.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");

    int wrong = 0;
    for (int at = 0; at < columns && at < rows; at += 97) {
        double sum = 0.0;
        for (int j = 0; j < WIDTH; ++j) {
            for (int i = 0; i < WIDTH; ++i) {
                sum += in[static_cast<size_t>(at + j) * stride + at + i];
            }
        }
        const double expected = sum / (WIDTH * WIDTH);
        wrong += std::fabs(out[static_cast<size_t>(at) * columns + at] - expected) > 0.01;
    }
    printf("convolution: %d x %d, %d wrong\n", columns, rows, wrong);

    clReleaseMemObject(d_in);
    clReleaseMemObject(d_weights);
    clReleaseMemObject(d_out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
