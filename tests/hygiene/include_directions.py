#!/usr/bin/env python3
"""Who may include whom. The arrows of the design, as tables; everything that is not in them is an error.

usage: include_directions.py SOURCE_DIRECTORY
"""
import os, re, sys

# Folder: what its files may include of the project, itself always.
ROOMS = {
    'runtime/format': [],
    'runtime/include': [],
    'runtime/link': [],
    'runtime/src': ['runtime/format', 'runtime/include'],
    'analyzer/trace': ['runtime/format'],
    'analyzer/model': ['analyzer/trace', 'runtime/format'],
    'analyzer/compare': ['analyzer/model', 'analyzer/trace', 'runtime/format'],
    'analyzer/symbol': [],
    'analyzer/check': ['analyzer/symbol'],
    'analyzer/report': ['analyzer/compare', 'analyzer/symbol', 'analyzer/model', 'analyzer/trace', 'runtime/format'],
    'analyzer/export': ['analyzer/symbol', 'analyzer/model', 'analyzer/trace', 'runtime/format'],
    'analyzer/html': ['analyzer/symbol', 'analyzer/model', 'analyzer/trace', 'runtime/format'],
    'analyzer/cli': ['analyzer/html', 'analyzer/export', 'analyzer/report', 'analyzer/compare', 'analyzer/check', 'analyzer/symbol',
                     'analyzer/model', 'analyzer/trace', 'runtime/format'],
}
# Directories that the build gives to the compiler.
SEARCHED = ['runtime', 'runtime/include', 'runtime/src', 'analyzer', '.']

# Everything that the guest in other people's programs may include of the system.
RUNTIME_HEADERS = {'atomic', 'cstddef', 'cstdint', 'type_traits', 'asm/unistd.h', 'cet.h', 'zstd.h'}
# The wrappers ask the loader for what they stand in front of.
RUNTIME_EXCEPTIONS = {'runtime/src/next_definition.cpp': {'dlfcn.h'}}
# The format is read by the analyzer too; its decoder is included by nothing else.
DECODER = 'runtime/format/decoder.h'
ONLY_IN = [(re.compile(r'boost/program_options'), ['analyzer/cli']),
           (re.compile(r'zstd'), ['runtime/src', 'analyzer/trace', 'analyzer/export', 'analyzer/html']),
           (re.compile(r'^(elf|gelf|libelf|link)\.h$|elfutils|dwarf'), ['analyzer/symbol', 'analyzer/check']),
           (re.compile(r'^boost/'), ['analyzer/cli', 'analyzer/trace', 'analyzer/model', 'analyzer/compare', 'analyzer/report',
                           'analyzer/export'])]
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def sources(root):
    for top in ('runtime', 'analyzer'):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(('.h', '.cpp', '.c', '.S', '.inc')):
                    yield os.path.relpath(os.path.join(folder, name), root)


def room_of(path):
    return next((room for room in ROOMS if path.startswith(room + '/')), None)


def resolve(root, path, included):
    for folder in [os.path.dirname(path), *SEARCHED]:
        candidate = os.path.normpath(os.path.join(folder, included))
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return None


def faults_of(root, path):
    room = room_of(path)
    if room is None:
        yield 'lies in no room of the design'
        return
    text = open(os.path.join(root, path), errors='replace').read()
    for quote, included in INCLUDE.findall(text):
        target = resolve(root, path, included) if quote == '"' else None
        if quote == '"' and target is None:
            yield 'includes "%s", which is nowhere' % included
        elif target is not None:
            if room_of(target) != room and room_of(target) not in ROOMS[room]:
                yield 'includes %s: %s may not use %s' % (target, room, room_of(target))
            if target == DECODER and room.startswith('runtime/src'):
                yield 'includes the decoder, which may use the standard library'
        else:
            allowed = RUNTIME_HEADERS | RUNTIME_EXCEPTIONS.get(path, set())
            if room.startswith('runtime/') and room != 'runtime/format' and included not in allowed:
                yield 'includes <%s>: not in the runtime' % included
            for pattern, rooms in ONLY_IN:
                if pattern.search(included) and room not in rooms:
                    yield 'includes <%s>: only %s may' % (included, ', '.join(rooms))


def main():
    root = sys.argv[1]
    paths = list(sources(root))
    faults = [(path, fault) for path in paths for fault in faults_of(root, path)]
    for path, fault in faults:
        print('%s %s' % (path, fault))
    print('%d files, %d faults' % (len(paths), len(faults)))
    sys.exit(bool(faults) or not paths)


main()
