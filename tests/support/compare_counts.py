#!/usr/bin/env python3
"""Compares the calls that fnprof reports with those that the counting hooks saw, function by function.

usage: compare_counts.py COUNTS REPORT

COUNTS is what libfncount wrote (lines of `COUNT MODULE+0xOFFSET`), REPORT the output of `fnprof-analyze report --json`.
Functions are matched on module and symbol; names come from the module's symbol table as binutils' nm reads it, so nothing
of fnprof takes part. Exit status 0 when every function of either side has the same count on the other.
"""
import array
import json
import os
import re
import subprocess
import sys

LINE = re.compile(r'(\d+) (.*)\+0x([0-9a-f]+)$')


def read_counts(path):
    """{(module, offset): count} of a file that the counting hooks wrote."""
    counts = {}
    with open(path) as lines:
        for line in lines:
            count, module, offset = LINE.match(line.rstrip('\n')).groups()
            counts[module, int(offset, 16)] = int(count)
    if ('!uncounted', 0) in counts:
        raise ValueError('the counting hooks ran out of room')
    return counts


def read_symbols(module):
    """{address: names} of the functions of a module."""
    symbols = {}
    for options in ([], ['--dynamic']):
        listed = subprocess.run(['nm', '--defined-only', '--format=posix', *options, module], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, check=False).stdout
        for line in listed.splitlines():
            fields = line.split()
            if len(fields) >= 3 and fields[1] in 'tTwWiu':
                symbols.setdefault(int(fields[2], 16), set()).add(fields[0].split('@')[0])
    return symbols


def read_shared(path, maps):
    """The same of the file that FNCOUNT_SHARED named; `maps` is the process's /proc/PID/maps, read while it lived."""
    images, bases = [], {}
    for line in maps.splitlines():
        fields = line.split(None, 5)
        if len(fields) < 6 or not fields[5].startswith('/'):
            continue
        start, end = (int(part, 16) for part in fields[0].split('-'))
        bases.setdefault(fields[5], start - int(fields[2], 16))
        images.append((start, end, fields[5]))
    with open(path, 'rb') as file:
        words = array.array('Q', file.read())
    counts = {}
    for at in range(0, len(words), 2):
        if words[at + 1] == 0:
            continue
        module = next((name for start, end, name in images if start <= words[at] < end), '?')
        # Position-independent modules only: their symbol tables begin at 0.
        key = module, words[at] - bases.get(module, 0)
        counts[key] = counts.get(key, 0) + words[at + 1]
    return counts


def compare(counts, report, cut_off=0):
    """Compares {(module, offset): count} with a parsed report: (functions compared, sentences about differences). Of a process that was
    killed up to `cut_off` calls, one a thread, may have been counted and not recorded yet."""
    names, reported, counted = {}, {}, {}
    for function in report['functions']:
        key = os.path.realpath(function['module'] or '?'), function['mangled'] or function['name']
        reported[key] = reported.get(key, 0) + function['ncalls']
    for (module, offset), count in counts.items():
        place = os.path.realpath(module)
        if place not in names:
            names[place] = read_symbols(place)
        found = sorted(names[place].get(offset, {'0x%x' % offset}))
        # Of several symbols at an address the one that the report uses.
        key = next(((place, name) for name in found if (place, name) in reported), (place, found[0]))
        counted[key] = counted.get(key, 0) + count
    keys = sorted(counted.keys() | reported.keys())
    differences = ['%s in %s: counted %d, reported %d' % (key[1], key[0], counted.get(key, 0), reported.get(key, 0))
                   for key in keys if counted.get(key, 0) != reported.get(key, 0)]
    missing = [counted.get(key, 0) - reported.get(key, 0) for key in keys]
    if min(missing, default=0) >= 0 and sum(missing) <= cut_off:
        differences = []
    return len(keys), differences


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2]) as text:
        compared, differences = compare(read_counts(sys.argv[1]), json.load(text))
    print('\n'.join(differences) or '%d functions, all counts equal' % compared)
    sys.exit(1 if differences or not compared else 0)


if __name__ == '__main__':
    main()
