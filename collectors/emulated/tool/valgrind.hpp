// Valgrind's tool interface for C++. The order matters: pub_tool_vki.h contains a template and has
// to stay outside extern "C", everything else has to be inside.
#pragma once

extern "C" {
#include <pub_tool_basics.h>
}
#include <pub_tool_vki.h>
extern "C" {
#include <pub_tool_aspacemgr.h>
#include <pub_tool_clreq.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_libcsignal.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_transtab.h>
#include <pub_tool_vkiscnums.h>
}
// Valgrind's ((void*)0) is no null pointer in C++.
#undef NULL
#define NULL nullptr
