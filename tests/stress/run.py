#!/usr/bin/env python3
"""Runs the stress program, ends it at a random moment, and holds its profile against what it counted itself.

usage: run.py --prefix FNPROF [--rounds N] [--seed S] [--compilers gcc,clang] [--levels=-O0,-O2] [--links shared,static] [--keep FOLDER]

A round is a seed: it decides what the program does, how it ends (by itself in the ways of processes.cpp, or by a signal from here to
one of its processes or to all of them, when it has made a certain number of calls), and the ring's size. For each caller and
function the profile of all its processes must show at least the calls that were made and at most those that were begun
(ledger.h); the two differ only where a death or a jump cut a call off, and by no more than it can have cut off.

Exit status 0: every round of every build is right. A wrong one prints how to repeat it.
"""
import argparse
import ctypes
import glob
import json
import mmap
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROUND_LIMIT_S = 120
TOOL_LIMIT_S = 120
WAYS_TO_END = 8  # kWaysToEnd
BY_SIGNAL = 99   # the program goes on until it is killed, or has done all that it may
PR_SET_CHILD_SUBREAPER = 36
# Functions that one thread can be entering at a time: the handlers of four signals may interrupt each other there.
CUT_PER_THREAD = 5


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TOOL_LIMIT_S, **options)
    if done.returncode != 0:
        sys.exit('%s: status %d\n%s' % (' '.join(command), done.returncode, done.stdout))
    return done.stdout


class Build:
    """The program by one compiler, at one level, with one of the libraries."""

    def __init__(self, prefix, compiler, level, link, folder):
        self.words = (compiler, level, link)
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        plus = {'gcc': 'g++', 'clang': 'clang++'}.get(compiler, compiler.replace('gcc', 'g++').replace('clang-', 'clang++-'))
        library = os.path.join(prefix, 'lib')
        shared = ['-L' + library, '-lfnprof', '-Wl,-rpath,' + library, '-Wl,-z,now']
        flags = [level, '-g', '-pthread', '-finstrument-functions']
        linked = shared
        if link == 'static':
            linked = ['-static', *run(['pkg-config', '--static', '--libs', 'fnprof-c++'],
                                      env=dict(os.environ, PKG_CONFIG_PATH=os.path.join(library, 'pkgconfig'))).split()]
        else:
            flags.append('-DWITH_PLUGINS')
            for name in ('plug_a', 'plug_b'):
                run([compiler, *flags, '-DPLUGIN=' + name, '-shared', '-fPIC', os.path.join(HERE, 'plugin.c'), '-o', self.path(name + '.so'), *shared])
        run([compiler, *flags, '-c', os.path.join(HERE, 'quiet.c'), '-o', self.path('quiet.o')])
        sources = [os.path.join(HERE, name) for name in ('stress.cpp', 'calls.cpp', 'threads.cpp', 'processes.cpp')]
        run([plus, *flags, *sources, self.path('quiet.o'), '-o', self.path('stress'), *linked])
        first, *names = run([self.path('stress'), 'names'], env=dict(os.environ, FNPROF_ENABLE='0')).splitlines()
        self.ledger_bytes, self.words_at = map(int, first.split())
        self.names = [None, '(interrupted)', *names]

    def path(self, name):
        return os.path.join(self.folder, name)

    def __str__(self):
        return ' '.join(self.words)


class Ledger:
    """ledger.h's file, while the program runs and afterwards."""
    FIELDS = ('calls', 'end_at', 'actions_left', 'cuts', 'threads', 'processes')

    def __init__(self, build, path):
        self.build = build
        with open(path, 'w+b') as file:
            file.truncate(build.ledger_bytes)
            self.memory = mmap.mmap(file.fileno(), build.ledger_bytes)

    def __getattr__(self, name):
        return struct.unpack_from('q', self.memory, self.build.words_at + 8 * self.FIELDS.index(name))[0]

    def set(self, name, value):
        struct.pack_into('q', self.memory, self.build.words_at + 8 * self.FIELDS.index(name), value)

    def pids(self):
        at = self.build.words_at + 8 * len(self.FIELDS)
        return [pid for pid in struct.unpack_from('40q', self.memory, at) if pid != 0]

    def edges(self):
        """{(caller, callee): (made, begun)}, by name"""
        names = self.build.names
        count = len(names)
        begun = struct.unpack_from('%dQ' % count ** 2, self.memory, 0)
        made = struct.unpack_from('%dQ' % count ** 2, self.memory, 8 * count ** 2)
        return {(names[i // count], names[i % count]): (made[i], begun[i]) for i in range(count ** 2) if begun[i]}


class Round:
    def __init__(self, build, prefix, seed, folder):
        self.build, self.prefix, self.seed, self.folder = build, prefix, seed, folder
        self.numbers = random.Random(seed)
        self.faults = []
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name in ('plug_a.so', 'plug_b.so'):
            if os.path.exists(build.path(name)):
                os.symlink(build.path(name), os.path.join(folder, name))
        self.ledger = Ledger(build, os.path.join(folder, 'ledger'))
        self.ledger.set('actions_left', self.numbers.choice([40, 100, 250]))
        self.ledger.set('processes', 1)
        at = self.numbers.choice([0, self.numbers.randrange(2000), self.numbers.randrange(50000), self.numbers.randrange(200000)])
        self.ledger.set('end_at', at)
        self.end = BY_SIGNAL if self.numbers.random() < 0.4 else self.numbers.randrange(WAYS_TO_END)
        self.signal, self.victim = None, ''
        if self.end == BY_SIGNAL:
            self.signal = self.numbers.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
            self.victim = self.numbers.choice(['first', 'all', 'any'])
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith('FNPROF_')}
        # The name without the process's number is the next program's as soon as its owner is dead.
        self.environment['FNPROF_OUTPUT'] = 'trace.%p.zst'
        self.environment['FNPROF_RING_SIZE'] = self.numbers.choice(['256K', '256K', '1M'])

    def kill(self, group):
        if self.victim == 'all':
            os.killpg(group, self.signal)
            return
        pids = self.ledger.pids()
        pid = group if self.victim == 'first' or not pids else self.numbers.choice(pids)
        try:
            process = os.pidfd_open(pid)
        except OSError:
            return
        # The number may be a stranger's by now.
        try:
            if os.getpgid(pid) == group:
                signal.pidfd_send_signal(process, self.signal)
        except OSError:
            pass
        os.close(process)

    def execute(self):
        """Runs the program until the last of its processes is gone."""
        first = subprocess.Popen([self.build.path('stress'), 'ledger', str(self.seed), str(self.end)], cwd=self.folder,
                                 stdin=subprocess.DEVNULL, env=self.environment, start_new_session=True,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        limit = time.monotonic() + ROUND_LIMIT_S
        killed = False
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == first.pid:
                first.returncode = os.waitstatus_to_exitcode(status)
            if pid != 0:
                continue
            if self.signal is not None and not killed and self.ledger.calls >= self.ledger.end_at:
                killed = True
                self.kill(first.pid)
            if time.monotonic() > limit:
                self.faults.append('still running after %d s' % ROUND_LIMIT_S)
                os.killpg(first.pid, signal.SIGKILL)
                limit += ROUND_LIMIT_S
            time.sleep(0.0005)

    def report(self):
        traces = glob.glob(os.path.join(self.folder, '*.zst'))
        if not traces:
            return {'functions': [], 'edges': [], 'integrity': {}, 'processes': []}
        command = [os.path.join(self.prefix, 'bin', 'fnprof-analyze'), '--json', *sorted(traces)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TOOL_LIMIT_S)
        if done.returncode != 0:
            self.faults.append('fnprof-analyze: status %d: %s' % (done.returncode, done.stderr))
            return None
        return json.loads(done.stdout)

    def check(self):
        report = self.report()
        if report is None:
            return
        names = {function['id']: function['name'].replace('(anonymous namespace)::', '').split('(')[0].split('::')[-1]
                 for function in report['functions']}
        known = self.ledger.edges()
        of_anyone = {callee for caller, callee in known if caller == '(interrupted)'}
        found = {}
        for edge in report['edges']:
            callee = names[edge['callee']]
            caller = '(interrupted)' if callee in of_anyone else names.get(edge['caller'])
            found[caller, callee] = found.get((caller, callee), 0) + edge['ncalls']
        for edge in sorted(known.keys() | found.keys(), key=str):
            made, begun = known.get(edge, (0, 0))
            if not made <= found.get(edge, 0) <= begun:
                self.faults.append('%s -> %s: made %d, begun %d, profiled %d' % (*edge, made, begun, found.get(edge, 0)))
        unsure = sum(begun - made for made, begun in known.values())
        at_most = self.ledger.cuts + CUT_PER_THREAD * (self.ledger.threads + self.ledger.processes)
        if unsure > at_most:
            self.faults.append('%d calls were begun and not made, more than %d: the test proves too little' % (unsure, at_most))
        for key in ('lost_events', 'damaged_blocks', 'missing_chunks', 'unmatched_exits'):
            if report['integrity'].get(key, 0) != 0:
                self.faults.append('%s: %d %s' % (key, report['integrity'][key], report['integrity']['remarks']))

    def describe(self):
        end = 'end %d' % self.end if self.signal is None else '%s to %s' % (signal.Signals(self.signal).name, self.victim)
        return '%s, seed %d: %s at %d calls, %d calls, %d processes, %d threads' % (
            self.build, self.seed, end, self.ledger.end_at, self.ledger.calls, self.ledger.processes, self.ledger.threads)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--prefix', required=True, help='an installed fnprof')
    parser.add_argument('--rounds', type=int, default=25, help='of each build (default 25)')
    parser.add_argument('--seed', type=int, default=1, help='of the first round (default 1)')
    parser.add_argument('--compilers', default='gcc,clang', help='default gcc,clang')
    parser.add_argument('--levels', default='-O0,-O2', help='default -O0,-O2')
    parser.add_argument('--links', default='shared,static', help='default shared,static')
    parser.add_argument('--keep', help='folder for the programs and the last round, or the first wrong one')
    arguments = parser.parse_args()
    arguments.prefix = os.path.abspath(arguments.prefix)
    # Whose parent is gone becomes a child of this process.
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit('prctl(PR_SET_CHILD_SUBREAPER) failed')
    wrong = rounds = calls = 0
    with tempfile.TemporaryDirectory(prefix='fnprof-stress-') as temporary:
        folder = os.path.abspath(arguments.keep or temporary)
        for compiler in arguments.compilers.split(','):
            for level in arguments.levels.split(','):
                for link in arguments.links.split(','):
                    build = Build(arguments.prefix, compiler, level, link, os.path.join(folder, compiler + level + link))
                    for seed in range(arguments.seed, arguments.seed + arguments.rounds):
                        one = Round(build, arguments.prefix, seed, build.path('round' if not wrong else 'later'))
                        one.execute()
                        one.check()
                        rounds, calls = rounds + 1, calls + one.ledger.calls
                        if one.faults:
                            wrong += 1
                            print('WRONG: %s\n  %s\n  to repeat: run.py --prefix %s --rounds 1 --seed %d --compilers %s --levels=%s --links %s' % (
                                one.describe(), '\n  '.join(one.faults), arguments.prefix, seed, *build.words), flush=True)
    print('%d rounds, %d calls, %d rounds wrong' % (rounds, calls, wrong))
    sys.exit(wrong > 0 or calls == 0)


if __name__ == '__main__':
    main()
