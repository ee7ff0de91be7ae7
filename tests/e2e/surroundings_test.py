"""Hostile surroundings: whatever a program finds around it, its output and its exit status are those that it has without fnprof; what was
recorded can be read, and what is missing is known to the record."""
import os
import re
import stat
import subprocess

from harness import BOTH_LINKS, Build, main, records_by_kind

SUM, STATUS = 26796768, 7  # of steady 200000
CALLS = 2 * 200000 + 1


def expect_undisturbed(box, shown, done, warnings):
    box.expect_equal('%s: status, output' % shown, (done.status, done.stdout), (STATUS, '%d\n' % SUM))
    box.expect_equal('%s: the program\'s own lines on standard error' % shown,
                     [line for line in done.stderr.splitlines() if not line.startswith('fnprof:')], ['done'])
    box.expect_equal('%s: lines of fnprof\'s' % shown, len(done.fnprof_lines()), warnings)


def expect_all(box, shown, trace):
    report = box.report(trace)
    box.expect_equal('%s: calls, complete' % shown, (report['total_calls'], report['integrity']['complete']), (CALLS, True))


def expect_exact_loss(box, shown, trace, events):
    """Every event is there, or counted as lost. The witness reads both files and knows nothing of calls."""
    found, integrity = records_by_kind(trace), box.report(trace)['integrity']
    box.expect('%s: something is lost, and said to be' % shown, integrity['lost_events'] > 0 and not integrity['complete'], integrity)
    box.expect_equal('%s: enters, exits and lost events' % shown, found['enter'] + found['exit'] + integrity['lost_events'], events)


def limited(limits, program, *arguments):
    return ['sh', '-c', 'ulimit %s; exec "$0" "$@"' % '; ulimit '.join(limits), program, *arguments]


def test_a_full_disk_s_loss_is_exact(box):
    """A file system of 300 KB, or of one that still takes the rings; where mounting is not allowed, files of that size."""
    privileges = [] if os.geteuid() == 0 else ['--user', '--map-root-user']
    for build in BOTH_LINKS:
        program = box.build('steady.c', build)
        for size in (300, 1000):
            for overflow in ('wait', 'drop'):
                shown = '%s, %d KB, %s' % (build, size, overflow)
                disk = box.fresh()
                kept = box.fresh('kept')
                script = 'mount -t tmpfs -o size=%dk none "$0" && { (cd "$0" && exec "$1" 1000000); r=$?; cp -a "$0"/. "$2"; exit $r; }' % size
                variables = {'FNPROF_RING_SIZE': '256K', 'FNPROF_OVERFLOW': overflow}
                done = box.run(['unshare', *privileges, '--mount', 'sh', '-c', script, disk, program, kept], cwd=box.folder, **variables)
                if done.status in (1, 32):
                    print('no mounts here (%s): a limit on the size of files instead' % done.stderr.strip())
                    done, kept = box.run([program, '1000000'], cwd=disk, file_limit=size * 100, **variables), disk
                box.expect_equal('%s: status, output' % shown, (done.status, done.stdout), (STATUS, '133997138\n'))
                box.expect_equal('%s: lines of fnprof\'s' % shown, len(done.fnprof_lines()), 1)
                expect_exact_loss(box, shown, os.path.join(kept, 'trace.zst'), 2 * 2000001)


def test_limits_of_a_process_are_no_trouble(box):
    for build in BOTH_LINKS:
        program = box.build('steady.c', build)
        for limits in (['-n 4'], ['-n 10'], ['-s 64'], ['-v 60000'], ['-n 5', '-s 64', '-v 60000']):
            shown = '%s, ulimit %s' % (build, limits)
            done = box.run(limited(limits, program, '200000'))
            expect_undisturbed(box, shown, done, 0)
            expect_all(box, shown, box.path('run', 'trace.zst'))
        done = box.run(limited(['-f 0'], program, '200000'))
        expect_undisturbed(box, '%s, no files at all' % build, done, 1)


def test_a_place_that_takes_no_trace_keeps_what_it_has(box):
    for build in BOTH_LINKS:
        program = box.build('steady.c', build)
        folder = box.fresh()
        fifo = os.path.join(folder, 'fifo')
        os.mkfifo(fifo)
        for output, warnings in ((fifo, 1), ('/dev/full', 1), ('/dev/null', 0), (folder, 1)):
            done = box.run([program, '200000'], cwd=folder, FNPROF_OUTPUT=output)
            expect_undisturbed(box, '%s, %s' % (build, os.path.basename(output)), done, warnings)
            box.expect('%s: it is named' % build, all(output in line for line in done.fnprof_lines()), done.stderr)
            box.expect_equal('%s: what is there' % build, (os.listdir(folder), stat.S_ISFIFO(os.stat(fifo).st_mode)), (['fifo'], True))


def test_files_of_these_names_that_are_not_ours_are_left_alone(box):
    program = box.build('steady.c')
    for name in ('trace.zst', 'trace.zst.live'):
        for kind in ('file', 'link', 'folder'):
            shown = '%s is a %s of the user\'s' % (name, kind)
            folder = box.fresh()
            path, own = os.path.join(folder, name), os.path.join(folder, 'own')
            if kind == 'folder':
                os.makedirs(os.path.join(path, 'inside'))
            else:
                with open(own if kind == 'link' else path, 'w') as file:
                    file.write('the user\'s\n')
                if kind == 'link':
                    os.symlink('own', path)
            before = set(os.listdir(folder))
            done = box.run([program, '200000'], cwd=folder)
            expect_undisturbed(box, shown, done, 1)
            box.expect('%s: it is as it was' % shown, (os.listdir(path) == ['inside']) if kind == 'folder' else (
                open(path).read() == 'the user\'s\n' and os.path.islink(path) == (kind == 'link')))
            left = [os.path.join(folder, new) for new in set(os.listdir(folder)) - before]
            if kind == 'folder' and name == 'trace.zst':
                box.expect_equal('%s: files of ours' % shown, left, [])
            else:
                box.expect_equal('%s: traces' % shown, len(left), 1)
                expect_all(box, shown, left[0])


def test_a_link_into_nowhere_is_followed(box):
    folder = box.fresh()
    os.makedirs(os.path.join(folder, 'archive'))
    os.symlink('archive/there.zst', os.path.join(folder, 'trace.zst'))
    done = box.run([box.build('steady.c'), '200000'], cwd=folder)
    expect_undisturbed(box, 'link', done, 0)
    expect_all(box, 'link', os.path.join(folder, 'archive', 'there.zst'))
    box.expect_equal('files', sorted(os.listdir(folder) + os.listdir(os.path.join(folder, 'archive'))), ['archive', 'there.zst', 'trace.zst'])


def test_a_folder_that_may_not_be_written_is_one_warning(box):
    program, folder = box.build('steady.c'), box.fresh()
    os.chmod(box.folder, 0o755)
    os.chmod(folder, 0o555)
    command = [program, '200000']
    if os.geteuid() == 0:
        command = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', *command]
    done = box.run(command, cwd=folder)
    expect_undisturbed(box, 'read-only', done, 1)
    box.expect_equal('files', os.listdir(folder), [])


def system_call_numbers():
    text = subprocess.run(['gcc', '-E', '-dM', '-include', 'asm/unistd.h', '-x', 'c', '/dev/null'], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return dict(re.findall(r'#define __NR_(\w+) (\d+)', text))


# What the runtime asks of the kernel while a program runs and at its end, and this program does not.
REFUSED = ('openat close close_range read pwrite64 pread64 ftruncate fallocate newfstatat fstatfs unlinkat readlink readlinkat getcwd fcntl '
           'uname madvise getpid getppid gettid tgkill kill rt_sigprocmask clock_gettime sched_yield nanosleep prctl fchmod '
           'rt_sigpending rt_sigtimedwait poll prlimit64 process_vm_readv clone').split()
REFUSED_CALLS = 50000


def test_refused_system_calls_cost_records_at_most(box):
    numbers = system_call_numbers()
    events = 2 * (4 * REFUSED_CALLS + 1)
    for build in BOTH_LINKS:
        program = box.build('refused_calls.c', build)
        for names in [[name] for name in REFUSED] + [REFUSED]:
            for error in ('1', '38') if len(names) > 1 else ('1',):
                shown = '%s, %s refused by error %s' % (build, names[0] if len(names) == 1 else 'all', error)
                done = box.run([program, str(REFUSED_CALLS), error, *[numbers[name] for name in names]], FNPROF_RING_SIZE='256K')
                box.expect_equal('%s: status, output' % shown, (done.status, done.stdout), (STATUS, '1\n'))
                found, report = records_by_kind(box.path('run', 'trace.zst')), box.report(box.path('run', 'trace.zst'))
                lost = report['integrity']['lost_events']
                box.expect_equal('%s: enters, exits and lost events' % shown, found['enter'] + found['exit'] + lost, events)
                box.expect_equal('%s: complete' % shown, report['integrity']['complete'], lost == 0)


def test_a_filter_that_kills_leaves_all_that_was_recorded(box):
    numbers = system_call_numbers()
    program = box.build('refused_calls.c', Build(link='static'))
    for name in ('pwrite64', 'gettid', 'rt_sigprocmask', 'newfstatat'):
        done = box.run([program, str(REFUSED_CALLS), 'kill', numbers[name]], FNPROF_RING_SIZE='256K')
        box.expect_equal('%s: status' % name, done.status, -31)
        report = box.report(box.path('run', 'trace.zst'))
        integrity = report['integrity']
        box.expect('%s: all calls before the filter' % name, report['total_calls'] > 2 * REFUSED_CALLS, report['total_calls'])
        box.expect_equal('%s: lost, damaged, missing' % name,
                         (integrity['lost_events'], integrity['damaged_blocks'], integrity['missing_chunks']), (0, 0, 0))


def test_a_thread_without_memory_is_counted_and_its_child_recorded(box):
    for build in BOTH_LINKS:
        done = box.run(box.build('mute_fork.c', build))
        box.expect_equal('%s: status, output, standard error' % build, (done.status, done.stdout, done.stderr), (0, '', ''))
        parent = box.report(box.path('run', 'trace.zst'))
        box.expect_equal('%s: calls of the parent, lost events' % build, (parent['total_calls'], parent['integrity']['lost_events']), (1, 20))
        children = [name for name in box.traces() if name != 'trace.zst']
        box.expect_equal('%s: traces of children' % build, len(children), 1)
        for name in children:
            box.expect_calls(box.report(box.path('run', name)), '%s, child' % build, leaf=3)


def test_a_process_may_go_into_other_namespaces(box):
    """Which the kernel refuses to processes with several threads."""
    plain = box.run(box.build('goes_elsewhere.c', Build(link='none'), flags=()))
    print(plain.stdout)
    for build in BOTH_LINKS:
        done = box.run(box.build('goes_elsewhere.c', build), FNPROF_RING_SIZE='256K')
        box.expect_equal('%s: status, output, standard error' % build, (done.status, done.stdout, done.stderr),
                         (plain.status, plain.stdout, plain.stderr))
        box.expect_calls(box.report(box.path('run', 'trace.zst')), str(build), work=10, leaf=500000)


def test_a_trace_that_was_never_begun_is_told_in_words(box):
    folder = box.fresh()
    trace = os.path.join(folder, 'trace.zst')
    open(trace, 'w').close()
    answer = box.analyze('report', trace)
    box.expect_equal('status', answer.status, 1)
    box.expect('that the program may have been killed', 'empty' in answer.stderr and 'killed' in answer.stderr, answer.stderr)
    done = box.run([box.build('steady.c'), '200000'], cwd=folder)
    expect_undisturbed(box, 'the next run', done, 0)
    expect_all(box, 'the next run takes its place', trace)


if __name__ == '__main__':
    main(globals())
