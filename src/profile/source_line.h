/* source_line.h - from an address in a program to the function and line it was compiled from. */
#ifndef PROFILE_SOURCE_LINE_H
#define PROFILE_SOURCE_LINE_H

#include "base/text.h"
#include "ogive/types.h"

/* Adds "\n  at   function+0x12 (file.c:34)" with whatever of it is known. */
void source_line_add(const u8 *file, u64 size, u64 pc, struct text *out);

#endif
