"""How fast the analyzer is, and how much memory it needs, from short traces to long ones.

Two workloads, each traced at several lengths: fib, which has one function and a few call paths, and a program of many functions
whose call paths branch. The peer reads its own recording of the same run.
"""
import json
import os
import shutil

from support import measure
from support.measure import run

FOLDER = os.path.dirname(os.path.abspath(__file__))


class Workload:
    """A program that makes about as many calls as its argument says."""

    def __init__(self, name, source, work, prefix):
        self.name = name
        flags = ['gcc', '-O2', '-fno-inline', '-pthread', '-finstrument-functions', source]
        library = os.path.join(prefix, 'lib')
        self.profiled, self.instrumented = os.path.join(work, name), os.path.join(work, name + '_peer')
        run(flags + ['-L' + library, '-lfnprof', '-Wl,-rpath,' + library, '-o', self.profiled])
        run(flags + ['-o', self.instrumented])


def peak(samples):
    return '%.0f' % (max(used.peak_bytes for used in samples) / 1e6)


def seconds(samples):
    return measure.spread([used.wall_s for used in samples])


def rate(events, samples):
    return '%.1f' % (events / 1e6 / measure.quartiles([used.wall_s for used in samples])[1])


def measure_one(workload, events, arguments, work):
    """One row: a trace of about `events` events, read by the analyzer and, recorded again, by the peer."""
    trace, data = os.path.join(work, 'analyzer.zst'), os.path.join(work, 'analyzer.uftrace')
    calls = str(int(events / 2))
    run([workload.profiled, calls], env=dict(os.environ, FNPROF_OUTPUT=trace))
    tool = os.path.join(arguments.prefix, 'bin', 'fnprof-analyze')
    actual = 2 * measure.report(arguments.prefix, trace)['total_calls']
    paths = len(json.loads(run([tool, 'tree', '--json', trace]))['call_paths'])
    with_peer = shutil.which('uftrace') is not None
    if with_peer:
        shutil.rmtree(data, ignore_errors=True)
        run(['uftrace', 'record', '--no-pager', '--no-libcall', '--no-event', '-d', data, workload.instrumented, calls])
    # A peer that takes minutes a round is not asked eleven times.
    rounds = arguments.rounds if actual < 5e7 else min(arguments.rounds, 3)
    own, peer = [], []
    for number in range(rounds):
        measure.say('analyzer: %s, %.0e events, round %d of %d' % (workload.name, actual, number + 1, rounds))
        own.append(measure.timed([tool, 'report', trace]))
        if with_peer:
            peer.append(measure.timed(['uftrace', 'report', '--no-pager', '-d', data]))
    row = [workload.name, '%.3g' % actual, str(paths), '%.1f' % (os.path.getsize(trace) / 1e6), seconds(own), rate(actual, own), peak(own)]
    if with_peer:
        ratios = [other.wall_s / used.wall_s for other, used in zip(peer, own)]
        row += [seconds(peer), peak(peer), measure.spread(ratios, 1)]
        shutil.rmtree(data)
    else:
        row += [''] * 3
    os.remove(trace)
    return row


def bench(arguments, work):
    workloads = [Workload(name, os.path.join(FOLDER, name + '.c'), work, arguments.prefix) for name in ('few_paths', 'many_paths')]
    rows = [measure_one(workload, float(events), arguments, work) for workload in workloads for events in arguments.events.split(',')]
    columns = ['workload', 'events', 'call paths', 'trace MB', 'report s', 'M events/s', 'peak MB', 'uftrace report s',
               'its peak MB', 'uftrace/fnprof']
    return 'Time of `report`, medians (quartiles)%s:\n\n' % measure.peer_note() + measure.table(columns, rows)
