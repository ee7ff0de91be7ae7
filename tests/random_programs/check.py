#!/usr/bin/env python3
"""Checks every edge of random programs (generate.py) by several compilers and optimisation levels.

usage: check.py --prefix FNPROF [--seeds FIRST:LAST] [--compilers g++,clang++] [--levels=-O0,-O2,-O3] [--link shared|static]
                [--misplaced N] [--keep FOLDER]

Exit status 0: every call has its true caller, but for N of 100,000 (default 0).

What is known to be misplaced, all of it by optimised code where instrumented functions are inlined into one that is not:
- by clang, when that function catches an exception. Nothing is recorded when the inlined calls end; which of the functions in the
  machine frame a handler belongs to is learnt from the exits that follow, and they may be cut off by further exceptions;
- when that function calls setjmp and is jumped to, in the same way. What is learnt first depends on the order in which the threads'
  records were written: one run of a program may be right, and another not.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import generate

TIMEOUT_S = 120


def short_name(name):
    return name.replace('(anonymous namespace)::', '').split('(')[0].split('::')[-1]


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S, **options)
    if done.returncode != 0:
        sys.exit('%s: status %d\n%s' % (' '.join(command), done.returncode, done.stdout))
    return done.stdout


def true_edges(path, names):
    with open(path) as file:
        rows = [list(map(int, line.split())) for line in file]
    return {(names[caller], names[callee]): count for caller, callee, count in rows}


def profiled_edges(prefix, trace, own):
    """Edges between the program's own functions; the headers' inline functions are instrumented too."""
    report = json.loads(run([os.path.join(prefix, 'bin', 'fnprof-analyze'), '--json', trace]))
    names = {function['id']: short_name(function['name']) for function in report['functions']}
    edges = {}
    for edge in report['edges']:
        key = names.get(edge['caller']), names[edge['callee']]
        if key != (None, 'main') and own.issuperset(key):
            edges[key] = edges.get(key, 0) + edge['ncalls']
    return edges


def check(arguments, program, compiler, level, folder):
    """(enters, wrong edges as (caller, callee, true count, profiled count))"""
    source, binary = os.path.join(folder, 'program.cpp'), os.path.join(folder, 'program')
    library = os.path.join(arguments.prefix, 'lib')
    link = {'shared': ['-L' + library, '-lfnprof', '-Wl,-rpath,' + library],
            'static': ['-static', *run(['pkg-config', '--static', '--libs', 'fnprof-c++'], env=dict(
                os.environ, PKG_CONFIG_PATH=os.path.join(library, 'pkgconfig'))).split()]}[arguments.link]
    with open(source, 'w') as file:
        file.write(program.source())
    run([compiler, '-std=c++17', '-w', level, '-pthread', '-finstrument-functions', source, '-o', binary, *link])
    truth_file, trace = os.path.join(folder, 'edges.txt'), os.path.join(folder, 'trace.zst')
    run([binary, truth_file], cwd=folder, env=dict(os.environ, FNPROF_OUTPUT=trace))
    truth, found = true_edges(truth_file, program.names()), profiled_edges(arguments.prefix, trace, set(program.names()))
    wrong = [(*edge, truth.get(edge, 0), found.get(edge, 0)) for edge in sorted(set(truth) | set(found), key=str)
             if truth.get(edge, 0) != found.get(edge, 0)]
    return sum(truth.values()), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--prefix', required=True, help='an installed fnprof')
    parser.add_argument('--seeds', default='1:4', help='FIRST:LAST (default 1:4)')
    parser.add_argument('--compilers', default='g++,clang++', help='default g++,clang++')
    parser.add_argument('--levels', default='-O0,-O2,-O3', help='default -O0,-O2,-O3')
    parser.add_argument('--link', choices=['shared', 'static'], default='shared')
    parser.add_argument('--misplaced', type=int, default=0, metavar='N', help='calls of 100,000 that may have a wrong caller (default 0)')
    parser.add_argument('--keep', help='folder for the last program')
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(':'))
    enters, runs, misplaced = 0, 0, 0
    with tempfile.TemporaryDirectory(prefix='fnprof-random-') as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for seed in range(first, last + 1):
            for compiler in arguments.compilers.split(','):
                for level in arguments.levels.split(','):
                    calls, wrong = check(arguments, generate.Program(seed), compiler, level, folder)
                    enters, runs = enters + calls, runs + 1
                    misplaced += sum(max(0, true - found) for _, _, true, found in wrong)
                    for caller, callee, true, found in wrong:
                        print('seed %d, %s %s: %s -> %s is %d times, found %d' % (seed, compiler, level, caller, callee, true, found))
                    sys.stdout.flush()
    print('%d runs, %d calls, %d with a wrong caller' % (runs, enters, misplaced))
    sys.exit(misplaced * 100000 > arguments.misplaced * enters)


if __name__ == '__main__':
    main()
