#!/usr/bin/env python3
"""Builds with what pkg-config says about an installed fnprof.

usage: pkg_config.py PREFIX VERSION COMPILER...
"""
import glob, os, re, sys
from support import Failure, Workroom, attempt, check_calls, report, run

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = [HERE + '/programs/main.c', HERE + '/programs/leaf.c']


class Package:
    def __init__(self, prefix):
        self.prefix = prefix
        places = glob.glob(prefix + '/lib*/pkgconfig') + glob.glob(prefix + '/lib/*/pkgconfig')
        self.environment = {'PKG_CONFIG_PATH': ':'.join(places), 'PKG_CONFIG_ALLOW_SYSTEM_LIBS': '1'}

    def ask(self, *question):
        return run(['pkg-config', *question], self.environment).split()

    def library_path(self):
        return {'LD_LIBRARY_PATH': self.ask('--variable=libdir', 'fnprof')[0]}


def flag_and_library(package, compiler):
    """One package name gives the flag and the library."""
    with Workroom() as room:
        run([compiler, '-O2', *SOURCES, *package.ask('--cflags', '--libs', 'fnprof-instrument'), '-o', room('program')])
        check_calls([room('program')], 4, package.library_path())


def library_alone(package, compiler):
    """The flag by hand; the header is found."""
    with Workroom() as room:
        run([compiler, '-finstrument-functions', *SOURCES, *package.ask('--cflags', '--libs', 'fnprof'), '-o', room('program')])
        check_calls([room('program')], 4, package.library_path())
        run([compiler, HERE + '/consumer/by_name.c', *package.ask('--cflags', '--libs', 'fnprof'), '-o', room('by_name')])
        check_calls([room('by_name')], 1, package.library_path())


def static(package, compiler):
    with Workroom() as room:
        flags = package.ask('--static', '--cflags', '--libs', 'fnprof-instrument')
        run([compiler, '-O2', '-static', *SOURCES, *flags, '-o', room('program')])
        check_calls([room('program')], 4)
        if '++' in compiler:
            flags = package.ask('--static', '--cflags', '--libs', 'fnprof-instrument', 'fnprof-c++')
            run([compiler, '-O2', '-static', *SOURCES, *flags, '-o', room('program')])
            check_calls([room('program')], 4)


def one_version(package, version):
    """The header, pkg-config and the project agree."""
    header = open(package.prefix + '/include/fnprof/fnprof.h').read()
    macros = '.'.join(re.search(r'FNPROF_VERSION_%s (\d+)' % part, header).group(1) for part in ('MAJOR', 'MINOR', 'PATCH'))
    for name in ('fnprof', 'fnprof-c++', 'fnprof-instrument'):
        asked = package.ask('--modversion', name)
        if asked != [version] or macros != version:
            raise Failure('project %s, pkg-config %s %s, header %s' % (version, name, asked, macros))


def main():
    prefix, version, *compilers = sys.argv[1:]
    package = Package(os.path.abspath(prefix))
    results = [('one version', attempt(one_version, package, version))]
    for compiler in compilers:
        for check in (flag_and_library, library_alone, static):
            results.append(('%s %s' % (check.__name__, compiler), attempt(check, package, compiler)))
    report(results)


main()
