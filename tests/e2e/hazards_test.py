"""What programs do to a runtime that lives inside of them."""
import os
import signal

from harness import BOTH_LINKS, Build, edges, main


def function_named(report, name):
    return next(function for function in report['functions'] if function['name'] == name)


def test_a_call_that_never_returns_lasts_until_the_process_ends(box):
    for build in BOTH_LINKS:
        report = box.profile(box.build('waiting.c', build), 'return')
        waiting = function_named(report, 'wait_for_job')
        box.expect_equal('%s: open calls' % build, waiting['open_calls'], 1)
        box.expect('%s: it waited for more than a second' % build, waiting['cumulative_ns'] > 1e9, waiting['cumulative_ns'])
        names = sorted(thread['name'] for thread in report['threads'])
        box.expect('%s: the thread has the name that it gave itself' % build, 'job-worker' in names, names)


def test_a_killed_run_knows_its_threads_by_name(box):
    for build in BOTH_LINKS:
        done = box.run([box.build('waiting.c', build), 'kill'])
        box.expect_equal('%s: status' % build, done.status, -9)
        report = box.report(box.path('run', 'trace.zst'))
        names = sorted(thread['name'] for thread in report['threads'])
        box.expect('%s: the thread has the name that it gave itself' % build, 'job-worker' in names, names)
        waiting = function_named(report, 'wait_for_job')
        box.expect('%s: it waited for more than a second' % build, waiting['cumulative_ns'] > 1e9, waiting['cumulative_ns'])


def test_files_of_a_program_that_takes_our_descriptors_are_left_alone(box):
    for build in BOTH_LINKS:
        done = box.run(['sh', '-c', 'ulimit -n 1024; exec "$0"', box.build('takes_all_descriptors.c', build)], FNPROF_RING_SIZE='256K')
        box.expect_equal('%s: status (1: a file of the program was changed)' % build, done.status, 0)
        box.expect_equal('%s: what fnprof says' % build, done.fnprof_lines(), [])
        report = box.report(box.path('run', 'trace.zst'))
        box.expect_calls(report, str(build), main=1, before=1, after=1, leaf=200100)
        left = [name for name in os.listdir(box.path('run')) if not name.startswith('own.')]
        box.expect_equal('%s: files' % build, left, ['trace.zst'])


def test_a_grandchild_of_a_silent_child_knows_its_stack(box):
    for build in BOTH_LINKS:
        done = box.run([box.build('silent_forks.c', build), 'twice'])
        box.expect_equal('%s: status' % build, done.status, 0)
        traces = [box.path('run', name) for name in box.traces()]
        box.expect_equal('%s: traces' % build, len(traces), 2)
        report = box.report(*traces)
        box.expect_calls(report, str(build), main=1, outer=1, inner=1, warm_up=1, leaf=3)
        box.expect_equal('%s: callers of leaf' % build, {caller: n for (caller, callee), n in edges(report).items() if callee == 'leaf'},
                         {'warm_up': 1, 'inner': 2})


def test_a_child_that_jumps_before_its_first_call_has_left_its_frames(box):
    for build in BOTH_LINKS:
        done = box.run([box.build('silent_forks.c', build), 'jump'])
        box.expect_equal('%s: status' % build, done.status, 0)
        report = box.report(*[box.path('run', name) for name in box.traces()])
        box.expect_calls(report, str(build), main=1, outer=1, inner=1, warm_up=1, leaf=3)
        box.expect_equal('%s: callers of leaf' % build, {caller: n for (caller, callee), n in edges(report).items() if callee == 'leaf'},
                         {'warm_up': 1, 'main': 2})


def test_names_by_the_megabyte_are_all_there(box):
    """More than one item of the trace may hold."""
    count, padding = 6000, 'long_name_' * 40
    source = box.path('many.c')
    with open(source, 'w') as file:
        file.write(''.join('void %s%d(void) {}\n' % (padding, i) for i in range(count)))
        file.write('int main(void) {\n%s    return 0;\n}\n' % ''.join('    %s%d();\n' % (padding, i) for i in range(count)))
    report = box.profile(box.build(source, Build('gcc', '-O0')))
    named = {function['name']: function['ncalls'] for function in report['functions']}
    box.expect_equal('functions', len(named), count + 1)
    box.expect('every function has its name and one call', all(named.get('%s%d' % (padding, i)) == 1 for i in range(count)))


def test_handlers_in_the_hook_lose_nothing_in_the_smallest_ring(box):
    for build in [Build(c, '-O2', l) for c in ('gcc', 'clang') for l in ('shared', 'static')]:
        program = box.build('interrupted.c', build)
        for round in range(3):
            done = box.run(program, FNPROF_RING_SIZE='256K')
            box.expect_equal('%s: status' % build, done.status, 0)
            box.expect_calls(box.report(box.path('run', 'trace.zst')), '%s, round %d' % (build, round), main=1, leaf=6000000,
                             in_handler=int(done.stdout))


def test_a_killed_process_knows_the_library_that_it_loaded_last(box):
    for compiler in ('gcc', 'clang'):
        build = Build(compiler)
        flags = ('-finstrument-functions', '-shared', '-fPIC')
        first, second = [box.build('killed_with_plugins.c', build, (*flags, '-DPLUGIN=' + name), box.path(name + '.so')) for name in ('plug_a', 'plug_b')]
        program = box.build('killed_with_plugins.c', build)
        done = box.run([program, first, second])
        box.expect_equal('%s: status' % build, done.status, -signal.SIGKILL)
        box.expect_calls(box.report(box.path('run', 'trace.zst')), str(build), main=1, plug_a=2, plug_b=3)


def test_a_hook_that_a_handler_held_up_is_neither_damage_nor_a_record_of_later(box):
    """It commits its record into a chunk that the handler has filled and left."""
    program = box.build('held_up.c', Build(link='static'), ('-finstrument-functions', '-mno-red-zone'))
    # None, and so many that the chunk is written anew and not yet up to that record: 16 chunks of 2,730 are a lap.
    for after in (0, (16 * 2730 + 1000 - 6002) // 2):
        step, handled = 0, 1
        while handled:
            shown = 'instruction %d, %d calls later' % (step, after)
            done = box.run([program, str(step), str(after)])
            box.expect_equal('%s: status' % shown, done.status, -signal.SIGKILL)
            called, handled = map(int, done.stdout.split())
            report = box.report(box.path('run', 'trace.zst'))
            counts = {'main': 1, 'leaf': called, **({'in_handler': handled} if handled else {})}
            box.expect_calls(report, shown, **counts)
            box.expect('%s: complete' % shown, report['integrity']['complete'], report['integrity'])
            step += 1
        box.expect('two hooks are more than thirty instructions', step > 30, step)


def test_the_last_thread_s_end_is_the_process_s(box):
    for build in BOTH_LINKS:
        done = box.run([box.build('ends_like_no_other.c', build), 'exit'])
        box.expect_equal('%s: status' % build, done.status, 7)
        box.expect_calls(box.report(box.path('run', 'trace.zst')), str(build), main=1, leaf=100000)


def test_a_process_killed_while_it_records_late_leaves_no_damage(box):
    program = box.build('ends_like_no_other.c', Build(link='static'))
    for call in ('pwrite', 'fallocate'):
        done = box.run([program, call])
        box.expect_equal('%s: status' % call, done.status, -signal.SIGSYS)
        report = box.report(box.path('run', 'trace.zst'))
        box.expect_equal('%s: damaged blocks' % call, report['integrity']['damaged_blocks'], 0)
        box.expect_calls(report, call, main=1, leaf=100000)


if __name__ == '__main__':
    main(globals())
