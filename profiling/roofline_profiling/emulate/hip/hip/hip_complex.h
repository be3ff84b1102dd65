#pragma once
#include <cuComplex.h>
#define hipComplex cuComplex
#define hipFloatComplex cuFloatComplex
#define hipDoubleComplex cuDoubleComplex
#define hipCreal cuCreal
#define hipCimag cuCimag
#define hipCrealf cuCrealf
#define hipCimagf cuCimagf
#define hipConj cuConj
#define hipConjf cuConjf
#define hipCadd cuCadd
#define hipCaddf cuCaddf
#define hipCsub cuCsub
#define hipCsubf cuCsubf
#define hipCmul cuCmul
#define hipCmulf cuCmulf
#define hipCdiv cuCdiv
#define hipCdivf cuCdivf
#define hipCabs cuCabs
#define hipCabsf cuCabsf
#define hipCfma cuCfma
#define hipCfmaf cuCfmaf
#define make_hipComplex make_cuComplex
#define make_hipFloatComplex make_cuFloatComplex
#define make_hipDoubleComplex make_cuDoubleComplex
