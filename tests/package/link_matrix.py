#!/usr/bin/env python3
"""Links a program with -lfnprof in every way that people do, and counts its calls.

usage: link_matrix.py PREFIX COMPILER LINKER [FORM...]
  PREFIX    an installed fnprof
  COMPILER  a compiler driver, for C or C++
  LINKER    bfd, gold, lld or mold
  FORM      some of the table below; none = all; what the pair cannot link without fnprof is skipped
"""
import json, os, sys
from support import Failure, Skipped, Workroom, attempt, check_calls, report, run

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = 4  # of programs/main.c

# form: (compiler flags, linker's line; OBJ = objects, LIB = -lfnprof as documented, ARCHIVE = the static runtime)
FORMS = {
    'plain': ('-O0', 'OBJ LIB'),
    'optimised': ('-O2', 'OBJ LIB'),
    'pie': ('-O2 -fPIE', '-pie OBJ LIB'),
    'no-pie': ('-O2 -fno-pie', '-no-pie OBJ LIB'),
    'no-plt': ('-O2 -fno-plt', 'OBJ LIB'),
    'lazy': ('-O2', '-Wl,-z,lazy OBJ LIB'),
    'bind-now': ('-O2', '-Wl,-z,now -Wl,-z,relro OBJ LIB'),
    'as-needed-first': ('-O2', '-Wl,--as-needed LIB OBJ'),
    'library-first': ('-O2', 'LIB OBJ'),
    'library-twice': ('-O2', 'OBJ LIB LIB'),
    'libc-before': ('-O2', 'OBJ -lc LIB'),
    'gc-sections': ('-O2 -ffunction-sections', '-Wl,--gc-sections OBJ LIB'),
    'export-dynamic': ('-O2', '-rdynamic OBJ LIB'),
    'all-loaded-strictly': ('-O2', '-Wl,-z,defs -Wl,--no-as-needed -Wl,--fatal-warnings OBJ LIB'),
    'static-libgcc': ('-O2', '-static-libgcc OBJ LIB'),
    'large-model': ('-O2 -mcmodel=large', 'OBJ LIB'),
    'lto': ('-O2 -flto', '-O2 -flto OBJ LIB'),
    'lto-first': ('-O2 -flto', '-O2 -flto LIB OBJ'),
    'sanitize-address': ('-O1 -fsanitize=address', '-fsanitize=address OBJ LIB'),
    'sanitize-undefined': ('-O1 -fsanitize=undefined', '-fsanitize=undefined OBJ LIB'),
    'sanitize-thread': ('-O1 -fsanitize=thread', '-fsanitize=thread OBJ LIB'),
    'coverage': ('-O1 --coverage', '--coverage OBJ LIB'),
    'gprof': ('-O1 -pg', '-pg OBJ LIB'),
    'archive': ('-O2', 'OBJ ARCHIVE'),
    'archive-first': ('-O2', 'ARCHIVE OBJ'),
    'archive-twice': ('-O2', 'OBJ ARCHIVE ARCHIVE'),
    'archive-gc-sections': ('-O2', '-Wl,--gc-sections OBJ ARCHIVE'),
    'archive-no-pie': ('-O2 -fno-pie', '-no-pie OBJ ARCHIVE'),
    'archive-lto': ('-O2 -flto', '-O2 -flto OBJ ARCHIVE'),
    'archive-lto-first': ('-O2 -flto', '-O2 -flto ARCHIVE OBJ'),
    'static': ('-O2', '-static OBJ LIB'),
    'static-pie': ('-O2 -fPIE', '-static-pie OBJ LIB'),
    'static-first': ('-O2', '-static LIB OBJ'),
    'static-twice': ('-O2', '-static OBJ LIB LIB'),
    'static-lto': ('-O2 -flto', '-static -O2 -flto OBJ LIB'),
    'static-gc-sections': ('-O2 -ffunction-sections', '-static -Wl,--gc-sections OBJ LIB'),
    'static-large-model': ('-O2 -mcmodel=large', '-static OBJ LIB'),
}


def expect_verdict(prefix, program):
    """What was just recorded must have been foretold, with every call of the hook found."""
    tool = os.path.join(prefix, 'bin', 'fnprof-analyze')
    if not os.path.exists(tool):
        return
    binary = json.loads(run([tool, 'check', '--json', program]))['binaries'][0]
    if binary['verdict'] != 'traced' or binary['hook_calls'] < 2:
        raise Failure('check says: %s, %d calls of the hook' % (binary['summary'], binary['hook_calls']))


def link_and_count(prefix, compiler, linker, form):
    flags, line = FORMS[form]
    language = 'c++' if '++' in os.path.basename(compiler) else 'c'
    words = {'LIB': ['-L%s/lib' % prefix, '-lfnprof'], 'ARCHIVE': ['-L%s/lib' % prefix, '-l:libfnprof.a']}
    # The C library's start-up of a static-pie does not expect a run path.
    run_path = [] if {'-static', '-static-pie'} & set(line.split()) else ['-Wl,-rpath,%s/lib' % prefix]
    with Workroom() as room:
        words['OBJ'] = []
        for unit in ('main', 'leaf'):
            words['OBJ'].append(room(unit + '.o'))
            run([compiler, '-x', language, *flags.split(), '-finstrument-functions', '-c', '%s/programs/%s.c' % (HERE, unit),
                 '-o', words['OBJ'][-1]])

        def link():
            arguments = [argument for word in line.split() for argument in words.get(word, [word])]
            return run([compiler, '-fuse-ld=' + linker, *arguments, *run_path, '-o', room('program')])

        try:
            said = link()
        except Failure:
            # lld cannot read gcc's byte code, gold makes no static-pie: what does not link without us is not our fault.
            words.update(LIB=[], ARCHIVE=[])
            if attempt(link) is None:
                raise
            raise Skipped
        if said:
            raise Failure('the linker said: ' + said)
        check_calls([room('program')], CALLS)
        expect_verdict(prefix, room('program'))


def main():
    prefix, compiler, linker, *forms = sys.argv[1:]
    report((form, attempt(link_and_count, os.path.abspath(prefix), compiler, linker, form)) for form in forms or FORMS)


main()
