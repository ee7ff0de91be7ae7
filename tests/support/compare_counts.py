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


class Result:
    """What a comparison found: sentences about differences, functions compared, names of those left out."""

    def __init__(self):
        self.differences, self.compared, self.left_out = [], 0, []


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


def compare(counts, report, left_out=(), linked_as=()):
    """Compares {(module, offset): count} with a parsed report.

    Addresses in `left_out` are compared with nothing. `linked_as` maps modules that were counted to their twins in the
    report: the same objects linked in another way.
    """
    result, names = Result(), {}
    twins = {os.path.realpath(own): os.path.realpath(other) for own, other in dict(linked_as).items()}
    reported = {}
    for function in report['functions']:
        key = os.path.realpath(function['module'] or '?'), function['mangled'] or function['name']
        reported[key] = reported.get(key, 0) + function['ncalls']

    def key_of(module, offset):
        """The function's name in the report; of several symbols at its address the one that the report uses."""
        place = os.path.realpath(module)
        if place not in names:
            names[place] = read_symbols(place)
        found = sorted(names[place].get(offset, {'0x%x' % offset}))
        place = twins.get(place, place)
        return next(((place, name) for name in found if (place, name) in reported), (place, found[0]))

    for module, offset in left_out:
        key = key_of(module, offset)
        reported.pop(key, None)
        result.left_out.append(key[1])
    counted = {}
    for (module, offset), count in counts.items():
        if (module, offset) in left_out:
            continue
        key = key_of(module, offset)
        # Two static functions of one name, one of them left out: the report cannot tell them apart.
        if key[1] not in result.left_out:
            counted[key] = counted.get(key, 0) + count
    for key in sorted(counted.keys() | reported.keys()):
        result.compared += 1
        if counted.get(key, 0) != reported.get(key, 0):
            result.differences.append('%s in %s: counted %d, reported %d' % (key[1], key[0], counted.get(key, 0), reported.get(key, 0)))
    return result


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2]) as text:
        result = compare(read_counts(sys.argv[1]), json.load(text))
    print('\n'.join(result.differences) or '%d functions, all counts equal' % result.compared)
    sys.exit(1 if result.differences or not result.compared else 0)


if __name__ == '__main__':
    main()
