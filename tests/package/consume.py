#!/usr/bin/env python3
"""Builds the consumer project against fnprof, runs its programs and counts their calls.

usage: consume.py PREFIX CC CXX [--subproject SOURCES] [-DNAME=VALUE...]
  PREFIX        an installed fnprof
  --subproject  fnprof's sources, for add_subdirectory; PREFIX is not used then
"""
import json, os, sys
from support import Failure, Workroom, attempt, check_calls, report, run

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = {
    'by_target': 4,
    'by_target_cxx': 4,
    'optimised_at_link': 4,
    'by_hand': 4,
    'by_name': 1,
    'through_library': 4,
    'through_shared_library': 4,
    'by_function_static': 4,
    'by_function_static_cxx': 4,
    'archive_cxx': 4,
    'with_exclusion': 1,  # main alone: gcc leaves the excluded file out, clang says that it cannot
}


def check_report(path):
    """What fnprof::analyze has found in the trace of by_target."""
    with open(path) as text:
        calls = {function['name']: function['ncalls'] for function in json.load(text)['functions']}
    if calls != {'main': 1, 'leaf': 3}:
        raise Failure('reported %s' % calls)


def consume(prefix, cc, cxx, options):
    gcc = 'clang' not in os.path.basename(cxx)
    with Workroom() as room:
        configured = run(['cmake', '-S', HERE + '/consumer', '-B', room.path, '-G', 'Ninja', '-DCMAKE_PREFIX_PATH=' + prefix,
                          '-DCMAKE_C_COMPILER=' + cc, '-DCMAKE_CXX_COMPILER=' + cxx, *options])
        said = 'cannot exclude files' in configured
        yield 'exclusion is said to be impossible', None if said != gcc else 'clang must warn, gcc must not:\n' + configured
        run(['cmake', '--build', room.path, '-j2'])
        if '-DFNPROF_BUILD_ANALYZER=OFF' not in options and os.path.exists(prefix + '/bin/fnprof-analyze'):
            yield 'fnprof::analyze', attempt(check_report, room('report.json'))
        for program, calls in CALLS.items():
            if program == 'with_exclusion' and not gcc:
                calls = 4
            yield program, attempt(check_calls, [room(program)], calls)


def main():
    prefix, cc, cxx, *options = sys.argv[1:]
    if '--subproject' in options:
        at = options.index('--subproject')
        options[at:at + 2] = ['-DFNPROF_SUBPROJECT=' + os.path.abspath(options[at + 1]), '-DFNPROF_BUILD_ANALYZER=OFF']
    report(consume(os.path.abspath(prefix), cc, cxx, options))


main()
