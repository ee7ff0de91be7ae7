#!/usr/bin/env python3
"""Files short enough to hold one idea, and nothing in them that a reader cannot use.

usage: texts.py SOURCE_DIRECTORY
"""
import os, re, sys

TOP = ['runtime', 'analyzer', 'tests', 'benchmarks', 'cmake']
FILES = ['CMakeLists.txt', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'CMakePresets.json']
CODE = ('.cpp', '.h', '.c', '.S', '.ts', '.py', '.cmake', '.in', 'CMakeLists.txt')
TEXT = CODE + ('.md', '.json', '.yml', '.sh', '.js', '.css', '.html', '.ui')
NOT_OURS = {'__pycache__', 'node_modules', 'golden'}
MOST_LINES = 450

# In pieces, so that this file does not find itself.
UNFINISHED = re.compile(r'\b(TO' r'DO|FIX' r'ME|X' r'XX|HA' r'CK)\b')
ONE_MACHINE = re.compile(r'(?<![\w.])/(wo' r'rk|ho' r'me/(?!user/)\w+)/')


def files(root):
    for name in FILES:
        if os.path.isfile(os.path.join(root, name)):
            yield name
    for top in TOP:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = sorted(set(folders) - NOT_OURS)
            for name in sorted(names):
                if name.endswith(TEXT):
                    yield os.path.relpath(os.path.join(folder, name), root)


def faults_of(path, lines):
    if path.endswith(CODE) and len(lines) > MOST_LINES:
        yield '%d lines, more than %d' % (len(lines), MOST_LINES)
    for number, line in enumerate(lines, 1):
        for what, pattern in (('unfinished', UNFINISHED), ('a path of one machine', ONE_MACHINE)):
            if pattern.search(line):
                yield 'line %d: %s: %s' % (number, what, line.strip()[:80])


def main():
    root = sys.argv[1]
    read = faults = 0
    for path in files(root):
        read += 1
        with open(os.path.join(root, path), errors='replace') as text:
            for fault in faults_of(path, text.read().splitlines()):
                faults += 1
                print('%s: %s' % (path, fault))
    print('%d files, %d faults' % (read, faults))
    sys.exit(faults > 0 or read == 0)


main()
