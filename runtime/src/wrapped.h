// The wrapped functions: what each records, or does, before it goes on to the real one. One table, two ways to the real one: interpose.cpp
// finds it in the loader's tables, wrap.cpp has it from the linker's --wrap.
// prctl is variadic; on x86-64 that is the same call, and the C library's own takes four arguments whatever the caller gave.
//
// FNPROF_WRAPPED_<function>(define) is define(result, function, (parameters), (arguments), mark).
// cmake/FnprofWrapped.cmake lists the same functions for the links.
#pragma once

#include "collector_away.h"
#include "marks.h"
#include "thread_log.h"

#define FNPROF_CALLER __builtin_return_address(0)
#define FNPROF_MARK(kind, function) \
    fnprof_record_mark(kind, function, reinterpret_cast<uint64_t>(FNPROF_CALLER), reinterpret_cast<uint64_t>(__builtin_dwarf_cfa()))
#define FNPROF_MARK_THROW FNPROF_MARK(fnprof::format::Kind::kThrow, 0)
#define FNPROF_MARK_THREAD_END FNPROF_MARK(fnprof::format::Kind::kThrow, fnprof::format::kEndsThread)
#define FNPROF_MARK_CATCH FNPROF_MARK(fnprof::format::Kind::kCatch, 0)
#define FNPROF_MARK_JUMP fnprof::rt::record_jump(buffer, reinterpret_cast<uint64_t>(FNPROF_CALLER))

#define FNPROF_WRAPPED_prctl(define)                                                                                       \
    define(int, prctl, (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d), (option, a, b, c, d), \
           fnprof_before_prctl(option, a))
#define FNPROF_WRAPPED_unshare(define) \
    define(int, unshare, (int flags), (flags), const fnprof::rt::CollectorAway away(fnprof::rt::unshare_needs_one_thread(flags)))
#define FNPROF_WRAPPED_setns(define) \
    define(int, setns, (int fd, int type), (fd, type), const fnprof::rt::CollectorAway away(fnprof::rt::setns_needs_one_thread(type)))
#define FNPROF_WRAPPED___cxa_throw(define)                                                                                  \
    define(void, __cxa_throw, (void* object, void* type, void (*destructor)(void*)), (object, type, destructor), FNPROF_MARK_THROW)
#define FNPROF_WRAPPED___cxa_rethrow(define) define(void, __cxa_rethrow, (), (), FNPROF_MARK_THROW)
// Returns only when no handler was found.
#define FNPROF_WRAPPED__Unwind_RaiseException(define) \
    define(int, _Unwind_RaiseException, (void* exception), (exception), FNPROF_MARK_THROW)
#define FNPROF_WRAPPED___cxa_begin_catch(define) define(void*, __cxa_begin_catch, (void* exception), (exception), FNPROF_MARK_CATCH)
#define FNPROF_WRAPPED_longjmp(define) define(void, longjmp, (void* buffer, int value), (buffer, value), FNPROF_MARK_JUMP)
#define FNPROF_WRAPPED__longjmp(define) define(void, _longjmp, (void* buffer, int value), (buffer, value), FNPROF_MARK_JUMP)
#define FNPROF_WRAPPED_siglongjmp(define) define(void, siglongjmp, (void* buffer, int value), (buffer, value), FNPROF_MARK_JUMP)
#define FNPROF_WRAPPED___longjmp_chk(define) define(void, __longjmp_chk, (void* buffer, int value), (buffer, value), FNPROF_MARK_JUMP)
#define FNPROF_WRAPPED_pthread_exit(define) define(void, pthread_exit, (void* value), (value), FNPROF_MARK_THREAD_END)
