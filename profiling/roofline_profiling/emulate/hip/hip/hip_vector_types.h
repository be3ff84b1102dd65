#pragma once
#include <vector_types.h>
#include <vector_functions.h>
