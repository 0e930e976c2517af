// The compiler's vector intrinsics, for code that is built without a C library too.
//
// <xmmintrin.h> brings _mm_malloc along, which wants <stdlib.h>; a freestanding C++ compiler has
// none (GCC 13's <stdlib.h> is then empty). Nothing here allocates through it: it is left out.
#pragma once

#if defined(__clang__)
#define __MM_MALLOC_H
#else
#define _MM_MALLOC_H_INCLUDED
#endif
#include <immintrin.h>
