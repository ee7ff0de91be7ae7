#!/usr/bin/env python3
"""Runs fnprof's benchmarks and prints their tables as Markdown.

usage: run.py [hooks|accuracy|threads|programs|analyzer|training|server]... (default: all)

Everything is built in a working folder; nothing outside of it is touched. See README.md beside this file.
"""
import argparse
import importlib
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import measure  # noqa: E402

BENCHMARKS = {
    'hooks': 'hooks.bench',
    'accuracy': 'accuracy.bench',
    'threads': 'threads.bench',
    'training': 'training_loop.bench',
    'programs': 'real_programs.bench',
    'analyzer': 'analyzer_speed.bench',
    'server': 'server_under_load.bench',
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('names', nargs='*', metavar='NAME', help='of: ' + ', '.join(BENCHMARKS))
    parser.add_argument('--prefix', help='an installed fnprof (default: build this source tree)')
    parser.add_argument('--work', help='working folder, kept (default: a temporary one)')
    parser.add_argument('--rounds', type=int, default=11, help='interleaved rounds (default 11)')
    parser.add_argument('--size', type=int, default=34, help='hooks: N of fib(N) (default 34)')
    parser.add_argument('--events', default='1e6,1e7,1e8', help='analyzer: events of the traces (default 1e6,1e7,1e8)')
    parser.add_argument('--compilers', default='gcc,clang', help='accuracy, programs, server: compilers (default gcc,clang)')
    parser.add_argument('--only', help='programs: names, separated by commas')
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        parser.error('no such benchmark: ' + ', '.join(sorted(unknown)))
    with tempfile.TemporaryDirectory(prefix='fnprof-bench-') as temporary:
        work = os.path.abspath(arguments.work or temporary)
        os.makedirs(work, exist_ok=True)
        print(measure.machine(work) + '\n', flush=True)
        try:
            arguments.prefix = measure.installed_fnprof(arguments.prefix, work)
            for name in arguments.names or BENCHMARKS:
                print('## %s\n\n%s\n' % (name, importlib.import_module(BENCHMARKS[name]).bench(arguments, work)), flush=True)
        except measure.Failure as failure:
            sys.exit('run.py: %s' % failure)


if __name__ == '__main__':
    main()
