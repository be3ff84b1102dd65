// Contexts and command queues.
#include "opencl.h"

namespace emu {
namespace {

cl_context made_context(const cl_context_properties *properties, cl_int *error) {
  auto *context = new _cl_context;
  for (; properties != nullptr && *properties != 0; properties += 2) {
    if (properties[0] == CL_CONTEXT_PLATFORM && reinterpret_cast<cl_platform_id>(properties[1]) != the_platform()) {
      delete context;
      return with_error<_cl_context>(error, CL_INVALID_PLATFORM);
    }
    context->properties.insert(context->properties.end(), properties, properties + 2);
  }
  if (!context->properties.empty()) context->properties.push_back(0);
  return with_error(error, CL_SUCCESS, context);
}

cl_command_queue made_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                            cl_int *error) {
  if (!is_live(context, Kind::context)) return with_error<_cl_command_queue>(error, CL_INVALID_CONTEXT);
  if (device != the_device()) return with_error<_cl_command_queue>(error, CL_INVALID_DEVICE);
  if (properties & CL_QUEUE_ON_DEVICE) {
    not_emulated("a command queue on the device");
    return with_error<_cl_command_queue>(error, CL_INVALID_QUEUE_PROPERTIES);
  }
  auto *queue = new _cl_command_queue;
  queue->context = hold(context);
  queue->properties = properties;
  return with_error(error, CL_SUCCESS, queue);
}

}  // namespace
}  // namespace emu

using emu::Kind;

OPENCL cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                                  void(CL_CALLBACK *)(const char *, const void *, std::size_t, void *), void *,
                                  cl_int *error) {
  if (count == 0 || devices == nullptr) return emu::with_error<_cl_context>(error, CL_INVALID_VALUE);
  for (cl_uint n = 0; n < count; n++) {
    if (devices[n] != emu::the_device()) return emu::with_error<_cl_context>(error, CL_INVALID_DEVICE);
  }
  return emu::made_context(properties, error);
}

OPENCL cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                          void(CL_CALLBACK *)(const char *, const void *, std::size_t, void *), void *,
                                          cl_int *error) {
  if ((type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) == 0) {
    return emu::with_error<_cl_context>(error, CL_DEVICE_NOT_FOUND);
  }
  return emu::made_context(properties, error);
}

OPENCL cl_int clRetainContext(cl_context context) { return emu::retain(context, Kind::context, CL_INVALID_CONTEXT); }
OPENCL cl_int clReleaseContext(cl_context context) { return emu::release(context, Kind::context, CL_INVALID_CONTEXT); }

OPENCL cl_int clGetContextInfo(cl_context context, cl_context_info name, std::size_t room, void *to, std::size_t *size) {
  if (!emu::is_live(context, Kind::context)) return CL_INVALID_CONTEXT;
  switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT: return emu::answer_value(context->references.load(), room, to, size);
    case CL_CONTEXT_NUM_DEVICES: return emu::answer_value(cl_uint(1), room, to, size);
    case CL_CONTEXT_DEVICES: return emu::answer_value(emu::the_device(), room, to, size);
    case CL_CONTEXT_PROPERTIES: return emu::answer_list(context->properties, room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

OPENCL cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                             cl_command_queue_properties properties, cl_int *error) {
  return emu::made_queue(context, device, properties, error);
}

OPENCL cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                           const cl_queue_properties *properties, cl_int *error) {
  cl_command_queue_properties wanted = 0;
  for (; properties != nullptr && *properties != 0; properties += 2) {
    if (properties[0] == CL_QUEUE_PROPERTIES) wanted = properties[1];
  }
  return emu::made_queue(context, device, wanted, error);
}

OPENCL cl_int clSetDefaultDeviceCommandQueue(cl_context, cl_device_id, cl_command_queue) {
  return emu::not_emulated("clSetDefaultDeviceCommandQueue");
}

OPENCL cl_int clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties, cl_bool enable,
                                        cl_command_queue_properties *old) {
  if (!emu::is_live(queue, Kind::queue)) return CL_INVALID_COMMAND_QUEUE;
  if (old != nullptr) *old = queue->properties;
  queue->properties = enable ? queue->properties | properties : queue->properties & ~properties;
  return CL_SUCCESS;
}

OPENCL cl_int clRetainCommandQueue(cl_command_queue queue) {
  return emu::retain(queue, Kind::queue, CL_INVALID_COMMAND_QUEUE);
}
OPENCL cl_int clReleaseCommandQueue(cl_command_queue queue) {
  return emu::release(queue, Kind::queue, CL_INVALID_COMMAND_QUEUE);
}

OPENCL cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, std::size_t room, void *to,
                                    std::size_t *size) {
  if (!emu::is_live(queue, Kind::queue)) return CL_INVALID_COMMAND_QUEUE;
  switch (name) {
    case CL_QUEUE_CONTEXT: return emu::answer_value(queue->context, room, to, size);
    case CL_QUEUE_DEVICE: return emu::answer_value(emu::the_device(), room, to, size);
    case CL_QUEUE_REFERENCE_COUNT: return emu::answer_value(queue->references.load(), room, to, size);
    case CL_QUEUE_PROPERTIES: return emu::answer_value(queue->properties, room, to, size);
    default: return CL_INVALID_VALUE;
  }
}
