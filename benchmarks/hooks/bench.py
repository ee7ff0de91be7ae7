"""What one call costs: fib(N), built with -O2 -fno-inline -finstrument-functions, under several hooks.

Rounds are interleaved: every round runs every variant once, so drifts of the machine touch all of them alike, and
ratios are taken within a round. fnprof runs as a user has it: collector on, trace written to disk, checked afterwards.
"""
import glob
import os
import shutil

from support import measure
from support.measure import run


class Variant:
    """One row of the table: how to run the workload, and what a finished run says about its trace."""

    def __init__(self, name, program, prefix_command=(), environment=None, trace_of=None):
        self.name, self.program, self.prefix_command = name, program, list(prefix_command)
        self.environment, self.trace_of = environment or {}, trace_of
        self.ns_per_call, self.ratios, self.bytes_per_event, self.lost = [], [], [], 0

    def run(self, size, threads):
        environment = dict(os.environ, **self.environment)
        calls, ns = run(self.prefix_command + [self.program, str(size), str(threads)], env=environment).split()
        self.ns_per_call.append(float(ns))
        if self.trace_of:
            trace_bytes, traced_calls, lost = self.trace_of()
            self.bytes_per_event.append(trace_bytes / (2 * traced_calls))
            self.lost += lost + 2 * abs(int(calls) - traced_calls)


def variants(work, prefix):
    source = os.path.join(measure.HOOKS, 'fib.c')
    plain_flags = ['gcc', '-O2', '-fno-inline', '-pthread', source]
    flags = plain_flags + ['-finstrument-functions']

    def build(name, command):
        program = os.path.join(work, 'fib_' + name)
        run(command + ['-o', program])
        return program

    def with_hooks(name):
        library = measure.build_hooks(work, name)
        return build(name, flags + [library, '-Wl,-rpath,' + work])

    folder = os.path.join(work, 'trace')
    trace = os.path.join(folder, 'trace.zst')

    def fnprof_trace():
        answer = measure.report(prefix, trace)
        size = os.path.getsize(trace)
        measure.fresh(folder)
        return size, answer['total_calls'], answer['integrity']['lost_events']

    peer_folder = os.path.join(work, 'uftrace')

    def uftrace_trace():
        size = measure.folder_bytes(peer_folder, '.dat')
        shutil.rmtree(peer_folder)
        return size, size // 32, 0  # a record has 16 bytes, a call two records

    measure.fresh(folder)
    library = os.path.join(prefix, 'lib')
    output = {'FNPROF_OUTPUT': trace}
    instrumented = build('instrumented', flags)
    rows = [
        Variant('not instrumented', build('plain', plain_flags)),
        Variant('empty hooks', with_hooks('empty')),
        Variant('hooks that only read the clock', with_hooks('clock')),
        Variant('fnprof, shared library', build('shared', flags + ['-L' + library, '-lfnprof', '-Wl,-rpath,' + library]),
                environment=output, trace_of=fnprof_trace),
        Variant('fnprof, static program', build('static', flags + ['-static', '-L' + library, '-lfnprof']),
                environment=output, trace_of=fnprof_trace),
    ]
    if shutil.which('uftrace'):
        # Without records of library calls and of the scheduler, which would be taken for calls of the program.
        command = ['uftrace', 'record', '--no-pager', '--no-libcall', '--no-event', '-d', peer_folder]
        rows.append(Variant('uftrace record', instrumented, command, trace_of=uftrace_trace))
    return rows


def thread_counts():
    cores = os.cpu_count()
    return sorted({1, 2, max(1, cores // 2), cores})


def bench(arguments, work):
    prefix = measure.installed_fnprof(arguments.prefix, work)
    columns = ['threads', 'hooks', 'ns/call', 'ratio to clock reads', 'bytes/event', 'lost events']
    rows = []
    for threads in thread_counts():
        candidates = variants(work, prefix)
        floor = next(v for v in candidates if 'only read' in v.name)
        for number in range(arguments.rounds):
            measure.say('hooks: %d thread(s), round %d of %d' % (threads, number + 1, arguments.rounds))
            for variant in candidates:
                variant.run(arguments.size, threads)
            for variant in candidates:
                variant.ratios.append(variant.ns_per_call[-1] / floor.ns_per_call[-1])
        for variant in candidates:
            sized = measure.spread(variant.bytes_per_event, 3) if variant.bytes_per_event else ''
            lost = str(variant.lost) if variant.trace_of else ''
            rows.append([str(threads), variant.name, measure.spread(variant.ns_per_call), measure.spread(variant.ratios), sized, lost])
    left = glob.glob(os.path.join(work, 'trace', '*'))
    if left:
        raise measure.Failure('left behind after the runs: %s' % ', '.join(left))
    title = 'fib(%d), medians of %d interleaved rounds (quartiles)' % (arguments.size, arguments.rounds)
    return title + measure.peer_note() + ':\n\n' + measure.table(columns, rows)
