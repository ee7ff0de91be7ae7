#!/usr/bin/env python3
"""Installs the build into an empty directory: every file that belongs there, no other, and none that knows where it was built.

usage: installed_files.py PREFIX BUILD_DIRECTORY SOURCE_DIRECTORY VERSION WITH_ANALYZER
"""
import fnmatch, os, sys
from support import Failure, Workroom, attempt, report, run

LIBRARY = ['lib*/libfnprof.so', 'lib*/libfnprof.so.0', 'lib*/libfnprof.so.VERSION', 'lib*/libfnprof.a', 'lib*/libfnprof_static.a',
           'lib*/fnprof_link.o', 'lib*/libfnprof_link.so', 'include/fnprof/fnprof.h', 'lib*/pkgconfig/fnprof.pc', 'lib*/pkgconfig/fnprof-c++.pc', 'lib*/pkgconfig/fnprof-instrument.pc',
           'lib*/cmake/fnprof/fnprofConfig.cmake', 'lib*/cmake/fnprof/fnprofConfigVersion.cmake',
           'lib*/cmake/fnprof/fnprofTargets.cmake', 'lib*/cmake/fnprof/fnprofTargets-*.cmake',
           'lib*/cmake/fnprof/FnprofInstrument.cmake', 'share/doc/fnprof/FORMAT.md']
ANALYZER = ['bin/fnprof-analyze', 'share/man/man1/fnprof-analyze.1', 'share/bash-completion/completions/fnprof-analyze',
            'share/zsh/site-functions/_fnprof-analyze', 'share/fish/vendor_completions.d/fnprof-analyze.fish']
TEXTS = ('.cmake', '.pc', '.so', '.a', '.h', '.1', 'completions/fnprof-analyze', '_fnprof-analyze', '.fish')


def files_below(root):
    return sorted(os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names)


def check_files(found, version, with_analyzer):
    wanted = [pattern.replace('VERSION', version) for pattern in LIBRARY + (ANALYZER if with_analyzer else [])]
    missing = [pattern for pattern in wanted if not fnmatch.filter(found, pattern)]
    strange = [name for name in found if not any(fnmatch.fnmatch(name, pattern) for pattern in wanted)]
    if missing or strange:
        raise Failure('missing %s, not expected %s' % (missing, strange))


def check_no_traces_of_build(root, found, places):
    """Scripts and package files must work wherever the tree is unpacked. Debug information may name sources."""
    for name in found:
        content = open(os.path.join(root, name), 'rb').read()
        if not name.endswith(TEXTS) or content[:4] == b'\x7fELF' or content[:7] == b'!<arch>':
            continue
        for place in [*places, root]:
            if place.encode() in content:
                raise Failure('%s names %s' % (name, place))


def main():
    _, build, source, version, with_analyzer = sys.argv[1:]
    with Workroom() as room:
        run(['cmake', '--install', build, '--prefix', room.path])
        found = files_below(room.path)
        report([('files', attempt(check_files, found, version, with_analyzer == 'ON')),
                ('relocatable', attempt(check_no_traces_of_build, room.path, found, [build, source]))])


main()
