"""Real programs under fnprof: are the counts exact, is the output untouched, and what does it cost?

Each program is built three times from the same sources: plain, with -finstrument-functions and no profiler (for the counting
hooks, the empty hooks and the peer, all by LD_PRELOAD), and with -finstrument-functions -lfnprof. Counts are compared by name
with those of the counting hooks, function by function. Where two counting runs differ already (threads that wait for one
another), a function's count is no property of the program; such functions are left out, and the table says how many.
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
        self.bytes_per_event = {}

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

    def count(self, library):
        """Counts of two runs under the counting hooks: those that agree, and the names of those that do not."""
        runs = []
        for _ in range(2):
            path = os.path.join(self.folder, 'counts.txt')
            self.run('counting', self.instrumented, LD_PRELOAD=library, FNCOUNT_OUTPUT=path)
            runs.append(compare_counts.read_counts(path))
        return runs[0], {key for key in runs[0].keys() | runs[1].keys() if runs[0].get(key) != runs[1].get(key)}

    def profile(self):
        trace = os.path.join(self.folder, 'trace.zst')
        self.run('fnprof', self.profiled, FNPROF_OUTPUT=trace)
        answer = measure.report(self.prefix, trace)
        self.bytes_per_event['fnprof'] = os.path.getsize(trace) / (2 * answer['total_calls'])
        return answer

    def record_with_peer(self):
        data = os.path.join(self.folder, 'uftrace.data')
        self.run('uftrace', self.instrumented, ['uftrace', 'record', '--no-pager', '--no-libcall', '--no-event', '-d', data])
        shutil.rmtree(data)

    def ratio(self, kind, base):
        if kind not in self.times:
            return ''
        return measure.spread([own / other for own, other in zip(self.times[kind], self.times[base])])


def bench(arguments, work):
    counting = measure.build_hooks(work, 'counting')
    empty = measure.build_hooks(work, 'empty')
    sources = Sources(os.path.join(work, 'sources'))
    names = arguments.only.split(',') if arguments.only else list(PROGRAMS)
    rows, notes = [], []
    for name in names:
        program = PROGRAMS[name](sources, work)
        for compiler in arguments.compilers.split(','):
            subject = Subject(program, compiler, work, arguments.prefix)
            lost = 0
            for number in range(arguments.rounds):
                measure.say('programs: %s by %s, round %d of %d' % (name, compiler, number + 1, arguments.rounds))
                subject.run('plain', subject.plain)
                subject.run('empty', subject.instrumented, LD_PRELOAD=empty)
                answer = subject.profile()
                lost += answer['integrity']['lost_events']
                if shutil.which('uftrace'):
                    subject.record_with_peer()
            counts, unstable = subject.count(counting)
            result = compare_counts.compare(counts, answer, unstable, {subject.instrumented: subject.profiled})
            if result.differences:
                raise measure.Failure('%s by %s: counts differ\n%s' % (name, compiler, '\n'.join(result.differences[:20])))
            rows.append([name, compiler, '%.1f' % (answer['total_calls'] / 1e6), measure.spread(subject.times['plain']),
                         subject.ratio('empty', 'plain'), subject.ratio('fnprof', 'plain'), subject.ratio('fnprof', 'empty'),
                         subject.ratio('uftrace', 'empty'), '%.3f' % subject.bytes_per_event['fnprof'], str(lost),
                         '%d equal, %d left out' % (result.compared, len(unstable))])
            if unstable:
                notes.append('%s by %s, left out (two counting runs differ): %s' % (name, compiler, ', '.join(sorted(result.left_out))))
    columns = ['program', 'by', 'M calls', 'plain s', 'empty/plain', 'fnprof/plain', 'fnprof/empty', 'uftrace/empty',
               'bytes/event', 'lost events', 'functions counted']
    title = 'Wall times and their ratios, medians of %d rounds (quartiles)%s:\n\n' % (arguments.rounds, measure.peer_note())
    return title + measure.table(columns, rows) + ''.join('\n\n' + note for note in notes)
