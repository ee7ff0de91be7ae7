"""How far corrected times are from the truth: workloads that know their own cost, without instrumentation and as fnprof has them.

The truth is the workload's time without instrumentation. A profile's cumulative time of the workload, the hooks' own cost taken out, should be
that; what it is off, divided by the calls, is the error of a call. Beside it stand the error without correction and what a call costs.
"""
import os

from support import measure
from support.measure import run

CALLS = 1000000


def bench(arguments, work):
    prefix = measure.installed_fnprof(arguments.prefix, work)
    source = os.path.join(measure.ROOT, 'benchmarks', 'accuracy', 'known_cost.c')
    library = os.path.join(prefix, 'lib')
    rows = []
    for compiler in arguments.compilers.split(','):
        plain, traced = (os.path.join(work, 'known_cost_%s_%s' % (compiler, name)) for name in ('plain', 'traced'))
        flags = [compiler, '-O2', source, '-o']
        run(flags + [plain])
        run(flags + [traced, '-finstrument-functions', '-L' + library, '-lfnprof', '-Wl,-rpath,' + library])
        truth, corrected, raw = {}, {}, {}
        trace = os.path.join(measure.fresh(os.path.join(work, 'accuracy')), 'trace.zst')
        for number in range(arguments.rounds):
            measure.say('accuracy: %s, round %d of %d' % (compiler, number + 1, arguments.rounds))
            for line in run([plain, str(CALLS)]).splitlines():
                name, calls, ns = line.split()
                truth.setdefault(name, []).append(int(ns) / int(calls))
            run([traced, str(CALLS)], env=dict(os.environ, FNPROF_OUTPUT=trace))
            for function in measure.report(prefix, trace)['functions']:
                if function['name'] in truth:
                    corrected.setdefault(function['name'], []).append(function['cumulative_net_ns'] / CALLS)
                    raw.setdefault(function['name'], []).append(function['cumulative_ns'] / CALLS)
        for name in truth:
            true_ns = measure.quartiles(truth[name])[1]
            rows.append([name, compiler, measure.spread(truth[name]), measure.spread(corrected[name]),
                         *(measure.spread([value - true_ns for value in values]) for values in (corrected[name], raw[name]))])
    columns = ['workload', 'by', 'truth, ns/call', 'corrected, ns/call', 'error of a call, ns', 'without correction, ns']
    return '%d calls each, medians of %d interleaved rounds (quartiles):\n\n%s' % (CALLS, arguments.rounds, measure.table(columns, rows))
