#!/usr/bin/env python3
"""Compares the calls that fnprof reports with those that the counting hooks saw, function by function.

usage: compare_counts.py COUNTS REPORT

COUNTS is what libfncount wrote (lines of `COUNT MODULE+0xOFFSET`), REPORT the output of `fnprof-analyze report --json`.
Functions are matched on module and symbol; names come from the module's symbol table as binutils' nm reads it, so nothing
of fnprof takes part. Exit status 0 when every function of either side has the same count on the other.
"""
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


def compare(counts, report):
    """Compares {(module, offset): count} with a parsed report: (functions compared, sentences about differences)."""
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
