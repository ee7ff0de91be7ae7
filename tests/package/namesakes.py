#!/usr/bin/env python3
"""A program may define any name that the library has inside: both keep their own.

usage: namesakes.py PREFIX COMPILER...
"""
import os, sys
from support import Workroom, attempt, check_calls, report, run

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs', 'namesake.c')
CALLS = 7
FORMS = {
    'shared': ['-rdynamic', '-lfnprof', '-Wl,-rpath,PREFIX/lib'],
    'archive': ['-rdynamic', '-l:libfnprof.a'],
    'static': ['-static', '-lfnprof'],
}


def link_and_count(prefix, compiler, form):
    with Workroom() as room:
        run([compiler, '-O1', '-finstrument-functions', SOURCE, '-o', room('program'), '-L%s/lib' % prefix,
             *[word.replace('PREFIX', prefix) for word in FORMS[form]]])
        check_calls([room('program')], CALLS)


def main():
    prefix, compilers = os.path.abspath(sys.argv[1]), sys.argv[2:]
    report(('%s %s' % (compiler, form), attempt(link_and_count, prefix, compiler, form)) for compiler in compilers for form in FORMS)


main()
