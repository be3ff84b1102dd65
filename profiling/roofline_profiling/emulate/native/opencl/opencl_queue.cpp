// Commands and events. A command is done when it is enqueued; an event tells plausible times of it, in order.
#include <time.h>


#include "opencl.h"

namespace emu {
namespace {

constexpr cl_ulong QUEUED_NS = 1000, SUBMITTED_NS = 2000;  // between enqueueing, submission and start
std::atomic<bool> failed{false};

// The device's own time: no time is measured, so commands take what pass_time says of them.
std::atomic<cl_ulong> clock_ns{1000000000};

cl_int check_waits(const Waits &waits) {
  if ((waits.count == 0) != (waits.events == nullptr)) return CL_INVALID_EVENT_WAIT_LIST;
  for (cl_uint n = 0; n < waits.count; n++) {
    const cl_event event = waits.events[n];
    if (!is_live(event, Kind::event)) return CL_INVALID_EVENT_WAIT_LIST;
    if (event->status < 0) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (event->status != CL_COMPLETE) return not_emulated("a command that waits for a user event which is not set yet");
  }
  return CL_SUCCESS;
}

void pause() {
  const timespec a_while = {0, 1000000};
  nanosleep(&a_while, nullptr);
}

void finish(cl_event event) {
  const auto callbacks = std::move(event->callbacks);
  event->callbacks.clear();
  for (const auto &callback : callbacks) callback(event->status);
}

}  // namespace

void pass_time(cl_ulong nanoseconds) { clock_ns += nanoseconds; }

cl_int broken() { return failed ? CL_OUT_OF_RESOURCES : CL_SUCCESS; }
void break_device() { failed = true; }

cl_int command(cl_command_queue queue, cl_command_type type, const Waits &waits, cl_event *event,
               const std::function<cl_int()> &body) {
  if (!is_live(queue, Kind::queue)) return CL_INVALID_COMMAND_QUEUE;
  if (const cl_int error = check_waits(waits); error != CL_SUCCESS) return error;
  if (const cl_int error = broken(); error != CL_SUCCESS) return error;
  const cl_ulong queued = clock_ns;
  const cl_ulong started = clock_ns += QUEUED_NS + SUBMITTED_NS;
  cl_int error;
  try {
    error = body();
  } catch (const std::exception &problem) {
    tell(problem.what());
    error = CL_OUT_OF_RESOURCES;
  }
  if (error != CL_SUCCESS) return error;
  if (event == nullptr) return CL_SUCCESS;
  auto *made = new _cl_event;
  made->context = hold(queue->context);
  made->queue = hold(queue);
  made->type = type;
  made->times[0] = queued;
  made->times[1] = queued + QUEUED_NS;
  made->times[2] = started;
  made->times[3] = clock_ns += 1000;
  *event = made;
  return CL_SUCCESS;
}

}  // namespace emu

using emu::Kind;

_cl_event::~_cl_event() {
  emu::drop(queue);
  emu::drop(context);
}

OPENCL cl_int clFlush(cl_command_queue queue) {
  return emu::is_live(queue, Kind::queue) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

OPENCL cl_int clFinish(cl_command_queue queue) {
  return emu::is_live(queue, Kind::queue) ? emu::broken() : CL_INVALID_COMMAND_QUEUE;
}

OPENCL cl_int clWaitForEvents(cl_uint count, const cl_event *events) {
  if (count == 0 || events == nullptr) return CL_INVALID_VALUE;
  for (cl_uint n = 0; n < count; n++) {
    if (!emu::is_live(events[n], Kind::event)) return CL_INVALID_EVENT;
    while (events[n]->status > CL_COMPLETE) emu::pause();  // a user event, which another thread sets
    if (events[n]->status < 0) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  return emu::broken();
}

OPENCL cl_int clRetainEvent(cl_event event) { return emu::retain(event, Kind::event, CL_INVALID_EVENT); }
OPENCL cl_int clReleaseEvent(cl_event event) { return emu::release(event, Kind::event, CL_INVALID_EVENT); }

OPENCL cl_int clGetEventInfo(cl_event event, cl_event_info name, std::size_t room, void *to, std::size_t *size) {
  if (!emu::is_live(event, Kind::event)) return CL_INVALID_EVENT;
  switch (name) {
    case CL_EVENT_COMMAND_QUEUE: return emu::answer_value(event->queue, room, to, size);
    case CL_EVENT_CONTEXT: return emu::answer_value(event->context, room, to, size);
    case CL_EVENT_COMMAND_TYPE: return emu::answer_value(event->type, room, to, size);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return emu::answer_value(event->status.load(), room, to, size);
    case CL_EVENT_REFERENCE_COUNT: return emu::answer_value(event->references.load(), room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

OPENCL cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info name, std::size_t room, void *to,
                                      std::size_t *size) {
  if (!emu::is_live(event, Kind::event)) return CL_INVALID_EVENT;
  const bool timed = event->queue != nullptr && (event->queue->properties & CL_QUEUE_PROFILING_ENABLE);
  if (!timed) return CL_PROFILING_INFO_NOT_AVAILABLE;
  switch (name) {
    case CL_PROFILING_COMMAND_QUEUED: return emu::answer_value(event->times[0], room, to, size);
    case CL_PROFILING_COMMAND_SUBMIT: return emu::answer_value(event->times[1], room, to, size);
    case CL_PROFILING_COMMAND_START: return emu::answer_value(event->times[2], room, to, size);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: return emu::answer_value(event->times[3], room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

OPENCL cl_int clSetEventCallback(cl_event event, cl_int status, void(CL_CALLBACK *call)(cl_event, cl_int, void *),
                                 void *data) {
  if (!emu::is_live(event, Kind::event)) return CL_INVALID_EVENT;
  if (call == nullptr || status < CL_COMPLETE || status > CL_SUBMITTED) return CL_INVALID_VALUE;
  if (event->status <= CL_COMPLETE) {
    call(event, status, data);
  } else {
    event->callbacks.push_back([=](cl_int ended) { call(event, ended, data); });
  }
  return CL_SUCCESS;
}

OPENCL cl_event clCreateUserEvent(cl_context context, cl_int *error) {
  if (!emu::is_live(context, Kind::context)) return emu::with_error<_cl_event>(error, CL_INVALID_CONTEXT);
  auto *event = new _cl_event;
  event->context = emu::hold(context);
  event->type = CL_COMMAND_USER;
  event->status = CL_SUBMITTED;
  return emu::with_error(error, CL_SUCCESS, event);
}

OPENCL cl_int clSetUserEventStatus(cl_event event, cl_int status) {
  if (!emu::is_live(event, Kind::event) || event->type != CL_COMMAND_USER) return CL_INVALID_EVENT;
  if (status > CL_COMPLETE) return CL_INVALID_VALUE;
  if (event->status <= CL_COMPLETE) return CL_INVALID_OPERATION;
  event->status = status;
  emu::finish(event);
  return CL_SUCCESS;
}

OPENCL cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
  return emu::command(queue, CL_COMMAND_MARKER, {count, waits}, event, [] { return CL_SUCCESS; });
}
OPENCL cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
  return emu::command(queue, CL_COMMAND_BARRIER, {count, waits}, event, [] { return CL_SUCCESS; });
}
OPENCL cl_int clEnqueueMarker(cl_command_queue queue, cl_event *event) {
  return emu::command(queue, CL_COMMAND_MARKER, {0, nullptr}, event, [] { return CL_SUCCESS; });
}
OPENCL cl_int clEnqueueBarrier(cl_command_queue queue) {
  return emu::command(queue, CL_COMMAND_BARRIER, {0, nullptr}, nullptr, [] { return CL_SUCCESS; });
}
OPENCL cl_int clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *events) {
  return emu::command(queue, CL_COMMAND_BARRIER, {count, events}, nullptr, [] { return CL_SUCCESS; });
}
