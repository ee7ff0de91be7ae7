// What the linker sees of libfnprof.so.0: its name and its interface, not the functions that it wraps.
//
// A link with -static-libstdc++ or -static-libgcc would take __cxa_throw and the like from the library, which comes before
// the archives, and leave the real ones out of the program. The wrapped functions are for the loader alone.
//
// Nothing of this is ever loaded, since the library's name leads to the library itself.
    .text
    .macro define name
    .globl \name
    .type \name, @function
\name:
    ud2
    .size \name, . - \name
    .endm

    define fnprof_enter
    define fnprof_exit
    define fnprof_modules_change
    define __cyg_profile_func_enter
    define __cyg_profile_func_exit

    .section .note.GNU-stack, "", @progbits
