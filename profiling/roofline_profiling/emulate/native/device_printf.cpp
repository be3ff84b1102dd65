// printf of kernels: the device packs the arguments, the host formats them.
#include "device_printf.h"

#include <cstdio>
#include <cstring>
#include <string>

namespace emu {
namespace {

// Arguments one after another, each at a multiple of its size.
class Arguments {
 public:
  explicit Arguments(const u8 *start) : start_(start) {}

  u64 take(u64 bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    u64 result = 0;
    std::memcpy(&result, start_ + offset_, bytes);
    offset_ += bytes;
    return result;
  }

 private:
  const u8 *start_;
  u64 offset_ = 0;
};

template <typename... Values>
std::string print(const std::string &format, Values... values) {
  const int bytes = std::snprintf(nullptr, 0, format.c_str(), values...);
  if (bytes < 0) return "";
  std::string result(std::size_t(bytes) + 1, 0);
  std::snprintf(result.data(), result.size(), format.c_str(), values...);
  result.resize(std::size_t(bytes));
  return result;
}

bool is_one_of(char c, const char *set) { return c != 0 && std::strchr(set, c) != nullptr; }

// What follows a '%': flags, width, precision, length and conversion.
struct Directive {
  std::string flags;    // with width and precision, '*' replaced by its argument
  bool wide = false;    // l, ll, j, z, t: 64 bits on the device
  int halves = 0;       // h: 1, hh: 2
  char conversion = 0;
};

Directive read_directive(const char **at, Arguments *arguments) {
  Directive result;
  while (is_one_of(**at, "-+ #0123456789.*")) {
    if (**at == '*') {
      result.flags += std::to_string(static_cast<i32>(arguments->take(4)));
    } else {
      result.flags += **at;
    }
    ++*at;
  }
  while (is_one_of(**at, "hlLqjzt")) {
    result.wide = result.wide || **at != 'h';
    result.halves += **at == 'h';
    ++*at;
  }
  result.conversion = **at;
  if (**at != 0) ++*at;
  return result;
}

std::string format_one(const Directive &directive, Arguments *arguments) {
  const std::string start = "%" + directive.flags;
  const char c = directive.conversion;
  if (is_one_of(c, "di")) {
    i64 value = directive.wide ? i64(arguments->take(8)) : static_cast<i32>(arguments->take(4));
    if (directive.halves == 1) value = static_cast<std::int16_t>(value);
    if (directive.halves > 1) value = static_cast<std::int8_t>(value);
    return print(start + "ll" + c, static_cast<long long>(value));
  }
  if (is_one_of(c, "uoxX")) {
    u64 value = arguments->take(directive.wide ? 8 : 4);
    if (directive.halves == 1) value = static_cast<u16>(value);
    if (directive.halves > 1) value = static_cast<u8>(value);
    return print(start + "ll" + c, static_cast<unsigned long long>(value));
  }
  if (is_one_of(c, "fFeEgGaA")) {
    const u64 bits = arguments->take(8);
    double value = 0;
    std::memcpy(&value, &bits, 8);
    return print(start + c, value);
  }
  if (c == 'c') return print(start + c, static_cast<int>(arguments->take(4)));
  if (c == 'p') return print(start + c, reinterpret_cast<void *>(arguments->take(8)));
  if (c == 's') {
    const char *text = reinterpret_cast<const char *>(arguments->take(8));
    return print(start + c, text == nullptr ? "(null)" : text);
  }
  if (c == 'n') {
    arguments->take(8);  // the device writes nothing
    return "";
  }
  return start + (c == 0 ? "" : std::string(1, c));
}

}  // namespace

std::string format_device(const char *format, const u8 *packed) {
  std::string result;
  Arguments arguments(packed);
  for (const char *at = format; *at != 0;) {
    if (*at != '%') {
      result += *at++;
      continue;
    }
    ++at;
    if (*at == '%') {
      result += *at++;
      continue;
    }
    const Directive directive = read_directive(&at, &arguments);
    result += format_one(directive, &arguments);
  }
  return result;
}

}  // namespace emu
