// The hooks of one module: every program and library linked with -lfnprof gets these two definitions of its own, because the
// development files libfnprof.so and libfnprof.a are linker scripts that name this object first.
//
// Without them the module's hooks are bound by search order, and libc exports hooks that do nothing: the linker drops
// libfnprof.so (--as-needed), does not extract an archive's member (gcc -flto), or the loader finds libc's first (a plugin).
//
// weak: the library may be named twice. hidden: the module's calls are bound at link time, to this definition. Kept by
// --gc-sections, so that a program that is not instrumented itself, only its plugins are, still loads the library.
// One jump each: the hook sees the stack and the return address as if it had been called directly.
#include <cet.h>

#if !defined(__x86_64__)
#error "fnprof's hooks exist for x86-64 only"
#endif

.macro define_hook name, target
    .section .text.\name, "axR", @progbits
    .p2align 4
    .weak \name
    .hidden \name
    .type \name, @function
\name:
    .cfi_startproc
    _CET_ENDBR
    jmp *\target@GOTPCREL(%rip)
    .cfi_endproc
    .size \name, . - \name
.endm

define_hook __cyg_profile_func_enter, fnprof_enter
define_hook __cyg_profile_func_exit, fnprof_exit

// Tells the runtime that this module has come, before any of its constructors runs, and that it is about to go, after all of its
// destructors: a host that loads it may be bound to another dlclose than ours. Weak: the archive has no such function.
    .section .text.fnprof_modules_change, "axR", @progbits
    .p2align 4
.Lmodule_changes:
    .cfi_startproc
    _CET_ENDBR
    movq fnprof_modules_change@GOTPCREL(%rip), %rax
    testq %rax, %rax
    je 1f
    leaq .Lmodule_changes(%rip), %rdi
    jmp *%rax
1:  ret
    .cfi_endproc
    .weak fnprof_modules_change

    .section .init_array.00000, "aw", @init_array
    .p2align 3
    .quad .Lmodule_changes
    .section .fini_array.00000, "aw", @fini_array
    .p2align 3
    .quad .Lmodule_changes

// What the module's calls of wrapped functions are bound to, for the runtime to look at when it starts: the module may have a
// C++ library of its own inside. Each word leads from its own place to a slot of the global offset table; a slot with 0: the
// module does not use the function. Weak: nothing is linked in for it. Read by runtime/src/mark_bindings.cpp.
    .section .note.fnprof, "a", @note
    .p2align 2
    .long 7, 12, 1
    .asciz "fnprof"
    .p2align 2
    .irp function, __cxa_begin_catch, longjmp, __longjmp_chk
    .weak \function
    .long \function@GOTPCREL
    .endr

.section .note.GNU-stack, "", @progbits
