"""What threads cost: memory of each that lives, and time of each that comes and goes."""
import os

from support import measure
from support.measure import run

# (threads, alive at a time, calls of each). The first has all that does not depend on threads.
WORKLOADS = [(1, 1, 100), (10000, 1, 1), (10000, 10, 100), (1500, 1500, 100), (1500, 1500, 20000)]


class Variant:
    def __init__(self, name, program, trace=None):
        self.name, self.program, self.trace = name, program, trace
        self.us, self.peak = [], []
        self.lost = self.trace_bytes = 0

    def run(self, workload, prefix):
        output = os.path.join(os.path.dirname(self.program), 'threads.txt')
        usage = measure.timed([self.program, *map(str, workload)], stdout=output,
                              environment=dict(os.environ, FNPROF_OUTPUT=self.trace or ''))
        with open(output) as file:
            calls, us = file.read().split()
        self.us.append(float(us))
        self.peak.append(usage.peak_bytes / 1e6)
        if self.trace:
            answer = measure.report(prefix, self.trace)
            self.trace_bytes = os.path.getsize(self.trace)
            self.lost += answer['integrity']['lost_events'] + 2 * abs(int(calls) - answer['total_calls'])
            os.remove(self.trace)


def bench(arguments, work):
    prefix = measure.installed_fnprof(arguments.prefix, work)
    build = ['gcc', '-O2', '-pthread', '-finstrument-functions', os.path.join(os.path.dirname(__file__), 'threads.c')]
    empty, library = measure.build_hooks(work, 'empty'), os.path.join(prefix, 'lib')
    programs = {name: os.path.join(work, 'threads_' + name) for name in ('empty', 'fnprof')}
    run(build + [empty, '-Wl,-rpath,' + work, '-o', programs['empty']])
    run(build + ['-L' + library, '-lfnprof', '-Wl,-rpath,' + library, '-o', programs['fnprof']])
    rows = []
    for workload in WORKLOADS:
        threads, alive, calls = workload
        variants = [Variant('empty hooks', programs['empty']), Variant('fnprof', programs['fnprof'], os.path.join(work, 'threads.zst'))]
        for number in range(arguments.rounds):
            measure.say('threads: %d, %d at a time, round %d of %d' % (threads, alive, number + 1, arguments.rounds))
            for variant in variants:
                variant.run(workload, prefix)
        without, with_ = variants
        more_mb = measure.quartiles(with_.peak)[1] - measure.quartiles(without.peak)[1]
        rows.append(['%d' % threads, '%d' % alive, '%d' % calls, measure.spread(without.us, 1), measure.spread(with_.us, 1),
                     '%.1f' % measure.quartiles(without.peak)[1], '%.1f' % more_mb,
                     '' if alive == 1 else '%.2f' % (more_mb / alive), '%.1f' % (with_.trace_bytes / 1e6), str(with_.lost)])
    columns = ['threads', 'alive at a time', 'calls of each', 'empty hooks, us a thread', 'fnprof, us a thread', 'empty hooks, peak MB',
               'fnprof, MB more', 'of it for each alive', 'trace MB', 'lost events']
    return 'Medians of %d interleaved rounds (quartiles):\n\n%s' % (arguments.rounds, measure.table(columns, rows))
