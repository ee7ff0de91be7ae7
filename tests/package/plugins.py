#!/usr/bin/env python3
"""Instrumented plugins in hosts that know nothing of fnprof: what is recorded, and what is said when nothing can be.

usage: plugins.py PREFIX COMPILER
"""
import os, sys
from support import Failure, Workroom, attempt, recorded_calls, report, run

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = 3  # of leaf, by programs/host.c


class Builder:
    def __init__(self, prefix, compiler, room):
        self.compiler, self.room = compiler, room
        self.linked = ['-L%s/lib' % prefix, '-lfnprof', '-Wl,-rpath,%s/lib' % prefix]
        self.archive = ['-L%s/lib' % prefix, '-l:libfnprof.a']
        self.library = prefix + '/lib/libfnprof.so.0'
        self.count = 0

    def build(self, sources, *flags):
        self.count += 1
        result = self.room('%d-%s' % (self.count, 'plugin.so' if '-shared' in flags else 'program'))
        run([self.compiler, '-O1', *['%s/programs/%s' % (HERE, source) for source in sources], '-o', result, *flags])
        return result

    def plugin(self, *flags):
        return self.build(['leaf.c'], '-finstrument-functions', '-shared', '-fPIC', *flags)

    def host(self, *flags):
        return self.build(['host.c'], *flags, '-ldl')


def expect(command, calls, said=(), env=None):
    """The program records so many calls and prints nothing, or one line with all the words of `said`."""
    recorded, output = recorded_calls(command, env)
    if recorded != calls:
        raise Failure('%d calls recorded, not %d' % (recorded, calls))
    lines = output.splitlines()
    if len(lines) != (1 if said else 0) or not all(word in output for word in said):
        raise Failure('said %r, not one line with %s' % (output, list(said)) if said else 'said %r' % output)


def linked_plugin_in_plain_host(b):
    expect([b.host(), b.plugin(*b.linked)], CALLS)


def linked_plugin_lazily(b):
    expect([b.host(), b.plugin('-Wl,-z,lazy', *b.linked), 'lazy'], CALLS)


def plugin_with_the_archive_inside(b):
    expect([b.host(), b.plugin(*b.archive)], CALLS)
    expect([b.host(), b.plugin('-Wl,-Bsymbolic', *b.archive)], CALLS)
    expect([b.host(), b.plugin(*b.archive), 'unload'], CALLS)


def plain_plugin_in_linked_host(b):
    expect([b.host(*b.linked), b.plugin()], CALLS)
    expect([b.host('-Wl,--gc-sections', *b.linked), b.plugin()], CALLS)


def nothing_linked_but_preloaded(b):
    expect([b.host(), b.plugin()], CALLS, env={'LD_PRELOAD': b.library})


def plain_plugin_beside_the_archive(b):
    """The archive's hooks are the host's own: the plugin finds libc's."""
    plugin = b.plugin()
    host = b.host(*b.archive)
    said = ['fnprof: ', plugin, 'libc.so.6', '-lfnprof', 'LD_PRELOAD=libfnprof.so.0']
    expect([host, plugin], 0, said)
    expect([host, plugin, 'lazy'], 0, said)
    expect([host, plugin, 'fork'], 0, said)
    expect([host, plugin], 0, env={'FNPROF_ENABLE': '0'})
    expect([host, plugin], CALLS, env={'LD_PRELOAD': b.library})


def plain_plugin_where_libc_comes_first(b):
    plugin = b.plugin()
    host = b.host('-Wl,--no-as-needed', '-lc', *b.linked)
    expect([host, plugin], 0, [plugin, 'libc.so.6', 'LD_PRELOAD=' + b.library])


def not_bound_so_not_missed(b):
    """A slot that no call has gone through yet says nothing; what is no longer loaded cannot be looked at."""
    host = b.host(*b.archive)
    plugin = b.plugin('-Wl,-z,lazy')
    expect([host, plugin, 'lazy', 'idle'], 0)
    expect([host, plugin, 'unload'], 0)


def plain_program_with_linked_library(b):
    """The library's hooks are its own, the program finds libc's: its call of main is missing."""
    library = b.plugin(*b.linked)
    program = b.build(['main.c'], '-finstrument-functions', library, '-Wl,-rpath,' + os.path.dirname(library))
    expect([program], CALLS, [program, 'libc.so.6', 'LD_PRELOAD=' + b.library])
    expect([program], CALLS + 1, env={'LD_PRELOAD': b.library})


def spoiled_tables(b):
    """What the loader says of a module may be anything: sizes are not believed, and of what is not understood nothing is said."""
    host = b.host(*b.archive)
    for kind in range(7):
        plugin = b.build(['leaf.c', 'scribbler.c'], '-finstrument-functions', '-shared', '-fPIC', '-Wl,-z,norelro', '-DKIND=%d' % kind)
        only_sizes = kind in (1, 2)
        expect([host, plugin], 0, [plugin] if only_sizes else [])


def main():
    prefix, compiler = os.path.abspath(sys.argv[1]), sys.argv[2]
    with Workroom() as room:
        builder = Builder(prefix, compiler, room)
        checks = [linked_plugin_in_plain_host, linked_plugin_lazily, plugin_with_the_archive_inside, plain_plugin_in_linked_host,
                  nothing_linked_but_preloaded, plain_plugin_beside_the_archive, plain_plugin_where_libc_comes_first,
                  not_bound_so_not_missed, plain_program_with_linked_library, spoiled_tables]
        report((check.__name__, attempt(check, builder)) for check in checks)


main()
