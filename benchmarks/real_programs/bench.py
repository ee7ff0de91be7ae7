"""Real programs under fnprof: are the counts exact, is the output untouched, and what does it cost?

Each program is built three times from the same sources: plain, with -finstrument-functions and no profiler (for the empty hooks
and the peer), and with -finstrument-functions -lfnprof. Counts are checked function by function in runs of their own, where
the counting hooks are preloaded and pass every call on to fnprof: both see the same calls, even of programs whose threads
never do the same twice.
"""
import os
import shutil
import sys

from real_programs.programs import PROGRAMS
from real_programs.sources import Sources
from support import measure
from support.measure import run

sys.path.insert(0, os.path.join(measure.ROOT, 'tests', 'support'))
import compare_counts  # noqa: E402


class Subject:
    """One program by one compiler, with all its builds and the figures of its runs."""

    def __init__(self, program, compiler, work, prefix):
        self.program, self.compiler, self.prefix = program, compiler, prefix
        self.folder = measure.fresh(os.path.join(work, program.name + '-' + compiler))
        library = os.path.join(prefix, 'lib')
        self.plain = program.build(os.path.join(self.folder, 'plain'), compiler)
        self.instrumented = program.build(os.path.join(self.folder, 'instrumented'), compiler, ['-finstrument-functions'])
        self.profiled = program.build(os.path.join(self.folder, 'profiled'), compiler, ['-finstrument-functions'],
                                      ['-L' + library, '-lfnprof', '-Wl,-rpath,' + library])
        self.times = {}
        self.trace = os.path.join(self.folder, 'trace.zst')
        self.bytes_per_event, self.calls, self.lost = 0.0, 0, 0

    def run(self, kind, program, before=(), **variables):
        """Runs the work in an empty folder, checks the output against the plain run's, keeps the wall time."""
        cwd = measure.fresh(os.path.join(self.folder, 'run'))
        output = os.path.join(self.folder, kind + '.out')
        environment = dict(os.environ, **variables)
        used = measure.timed([*before, program, *self.program.arguments], self.program.stdin, output, cwd, environment)
        self.times.setdefault(kind, []).append(used.wall_s)
        expected = os.path.join(self.folder, 'plain.out')
        if kind != 'plain' and open(output, 'rb').read() != open(expected, 'rb').read():
            raise measure.Failure('%s (%s): the output differs from the uninstrumented run under %s' % (self.program.name, self.compiler, kind))

    def profile(self):
        self.run('fnprof', self.profiled, FNPROF_OUTPUT=self.trace)
        answer = measure.report(self.prefix, self.trace)
        self.bytes_per_event = os.path.getsize(self.trace) / (2 * answer['total_calls'])
        self.lost += answer['integrity']['lost_events']
        self.calls = answer['total_calls']

    def count(self, library):
        """Runs with both hooks; the number of functions, whose counts are all equal."""
        counts = os.path.join(self.folder, 'counts.txt')
        self.run('counting', self.profiled, LD_PRELOAD=library, FNCOUNT_OUTPUT=counts, FNCOUNT_FORWARD='1', FNPROF_OUTPUT=self.trace)
        functions, differences = compare_counts.compare(compare_counts.read_counts(counts), measure.report(self.prefix, self.trace))
        if differences or not functions:
            raise measure.Failure('%s by %s: counts differ\n%s' % (self.program.name, self.compiler, '\n'.join(differences[:20])))
        return functions

    def record_with_peer(self):
        data = os.path.join(self.folder, 'uftrace.data')
        self.run('uftrace', self.instrumented, ['uftrace', 'record', '--no-pager', '--no-libcall', '--no-event', '-d', data])
        shutil.rmtree(data)

    def ratio(self, kind, base):
        if kind not in self.times:
            return ''
        return measure.spread([own / other for own, other in zip(self.times[kind], self.times[base])])


def bench(arguments, work):
    codec_bench = measure.build_codec_bench(work)
    counting = measure.build_hooks(work, 'counting')
    empty = measure.build_hooks(work, 'empty')
    sources = Sources(os.path.join(work, 'sources'))
    names = arguments.only.split(',') if arguments.only else list(PROGRAMS)
    rows = []
    for name in names:
        program = PROGRAMS[name](sources, work)
        for compiler in arguments.compilers.split(','):
            subject = Subject(program, compiler, work, arguments.prefix)
            for number in range(arguments.rounds):
                measure.say('programs: %s by %s, round %d of %d' % (name, compiler, number + 1, arguments.rounds))
                subject.run('plain', subject.plain)
                subject.run('empty', subject.instrumented, LD_PRELOAD=empty)
                subject.profile()
                if shutil.which('uftrace'):
                    subject.record_with_peer()
            functions = subject.count(counting)
            rows.append([name, compiler, '%.1f' % (subject.calls / 1e6), measure.spread(subject.times['plain']),
                         subject.ratio('empty', 'plain'), subject.ratio('fnprof', 'plain'), subject.ratio('fnprof', 'empty'),
                         subject.ratio('uftrace', 'empty'), '%.3f' % subject.bytes_per_event,
                         measure.coded_per_second(codec_bench, subject.trace), str(subject.lost), 'all %d equal' % functions])
    columns = ['program', 'by', 'M calls', 'plain s', 'empty/plain', 'fnprof/plain', 'fnprof/empty', 'uftrace/empty',
               'bytes/event', 'coded M events/s', 'lost events', 'counts of functions']
    title = 'Wall times and their ratios, medians of %d rounds (quartiles)%s:\n\n' % (arguments.rounds, measure.peer_note())
    return title + measure.table(columns, rows)
