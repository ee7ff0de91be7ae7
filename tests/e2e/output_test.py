"""Where the trace goes, and what fnprof says when it cannot do what the environment asks for."""
import os
import platform
import signal

from harness import BOTH_LINKS, Build, main


def test_the_trace_lands_where_the_program_started(box):
    for build in BOTH_LINKS:
        elsewhere = box.fresh('elsewhere')
        box.run([box.build('chatty.c', build), elsewhere])
        box.expect_equal('%s: traces in the starting directory' % build, box.traces(), ['trace.zst'])
        box.expect_equal('%s: traces where it changed to' % build, box.traces(elsewhere), [])


def run_with_output(box, pattern, **variables):
    """Runs chatty with FNPROF_OUTPUT in an empty folder; returns its pid and the traces that are there afterwards."""
    cwd = box.fresh()
    program = box.build('chatty.c', output=box.path('chatty'))
    process = box.start(program, cwd, FNPROF_OUTPUT=pattern, **variables)
    process.communicate()
    box.expect_equal('exit status', process.returncode, 5)
    found = [os.path.relpath(os.path.join(where, name), cwd) for where, _, names in os.walk(cwd) for name in names]
    for name in found:
        box.expect_calls(box.report(os.path.join(cwd, name)), name, leaf=1)
    return process.pid, found


def test_output_pattern_p_is_the_process_id(box):
    pid, found = run_with_output(box, 'run-%p.zst')
    box.expect_equal('traces', found, ['run-%d.zst' % pid])


def test_output_pattern_e_is_the_program(box):
    _, found = run_with_output(box, '%e.zst')
    box.expect_equal('traces', found, ['chatty.zst'])


def test_output_pattern_h_is_the_host(box):
    _, found = run_with_output(box, 'on-%h.zst')
    box.expect_equal('traces', found, ['on-%s.zst' % platform.node()])


def test_output_pattern_r_is_the_rank(box):
    for variable in ('PMI_RANK', 'OMPI_COMM_WORLD_RANK', 'SLURM_PROCID'):
        _, found = run_with_output(box, 'rank%r.zst', **{variable: '17'})
        box.expect_equal('traces with %s' % variable, found, ['rank17.zst'])
    _, found = run_with_output(box, 'rank%r.zst')
    box.expect_equal('traces without a launcher', found, ['rank0.zst'])


def test_output_patterns_together_and_percent_itself(box):
    pid, found = run_with_output(box, '%e-%p-100%%-%q.zst')
    box.expect_equal('traces', found, ['chatty-%d-100%%-%%q.zst' % pid])


def test_output_may_be_an_absolute_path(box):
    place = box.fresh('place')
    _, found = run_with_output(box, os.path.join(place, 'there.zst'))
    box.expect_equal('traces in the starting directory', found, [])
    box.expect_equal('traces there', box.traces(place), ['there.zst'])


def test_switched_off_it_leaves_no_trace(box):
    for build in BOTH_LINKS:
        for value in ('0', 'off', 'no', 'false'):
            done = box.run(box.build('chatty.c', build), FNPROF_ENABLE=value, FNPROF_OVERFLOW='nonsense')
            box.expect_equal('%s, %s: files' % (build, value), os.listdir(box.path('run')), [])
            box.expect_equal('%s, %s: status, stderr' % (build, value), (done.status, done.stderr), (5, 'to standard error\n'))


def test_a_bad_value_is_one_line_that_names_the_variable(box):
    for build in BOTH_LINKS:
        program = box.build('chatty.c', build)
        for variable, value in (('FNPROF_ENABLE', 'perhaps'), ('FNPROF_OVERFLOW', 'panic'), ('FNPROF_RING_SIZE', '3 apples'),
                                ('FNPROF_RING_SIZE', '1K'), ('FNPROF_COMPRESSION', '99'), ('FNPROF_VERBOSE', 'very'),
                                ('FNPROF_OUTPUT', 'x' * 5000)):
            done = box.run(program, **{variable: value})
            shown = '%s: %s=%s' % (build, variable, value[:20])
            lines = done.fnprof_lines()
            box.expect('%s: one line that names the variable' % shown, len(lines) == 1 and variable in lines[0], lines)
            box.expect_equal('%s: the rest of status, stdout, stderr' % shown, (done.status, done.stdout, done.stderr.count('\n')),
                             (5, 'to standard output\n', 2))
            box.expect_calls(box.report(box.path('run', 'trace.zst')), shown, leaf=1)


def test_an_unknown_variable_is_one_line(box):
    done = box.run(box.build('chatty.c'), FNPROF_OUTPTU='typo.zst')
    lines = done.fnprof_lines()
    box.expect('one line that names the variable', len(lines) == 1 and 'FNPROF_OUTPTU' in lines[0], lines)


def test_unwritable_output_is_one_warning_and_nothing_else(box):
    wall = box.path('wall')
    open(wall, 'w').close()
    for build in BOTH_LINKS:
        program = box.build('chatty.c', build)
        for place in (os.path.join(wall, 'trace.zst'), box.path('missing', 'trace.zst'), box.fresh('folder.zst'), '/dev/full'):
            done = box.run(program, FNPROF_OUTPUT=place)
            lines = done.fnprof_lines()
            box.expect('%s: one warning that names %s' % (build, place), len(lines) == 1 and place in lines[0], lines)
            box.expect_equal('%s: status, stdout and the program\'s own stderr' % build,
                             (done.status, done.stdout, done.stderr.replace(lines[0] + '\n', '') if lines else done.stderr),
                             (5, 'to standard output\n', 'to standard error\n'))
            box.expect_equal('%s: files' % build, os.listdir(box.path('run')), [])


def test_the_program_s_own_output_is_no_place_for_the_trace(box):
    for build in BOTH_LINKS:
        program = box.build('chatty.c', build)
        for redirection, output in (('> out.txt', '/dev/stdout'), ('> out.txt', 'out.txt'), ('2> out.txt', '/dev/stderr'), ('>> trace.zst', '')):
            shown = '%s, %s with FNPROF_OUTPUT=%s' % (build, redirection, output)
            done = box.run(['sh', '-c', program + ' ' + redirection], FNPROF_OUTPUT=output)
            box.expect_equal('%s: status' % shown, done.status, 5)
            name = redirection.split()[1]
            box.expect_equal('%s: files' % shown, os.listdir(box.path('run')), [name])
            text = open(box.path('run', name), encoding='latin-1').read() + done.stderr
            box.expect('%s: one warning' % shown, text.count('fnprof:') == 1 and "is where the program's own output goes" in text, text)
            box.expect('%s: what the program wrote' % shown, 'to standard error\n' in text and ('2>' in redirection or 'to standard output\n' in text), text)


def meet(box, first_output=None):
    """Two processes in one folder, the second while the first is at its rendezvous; their pids, and the traces left."""
    program, cwd = box.build('rendezvous.c', output=box.path('rendezvous')), box.fresh()
    variables = {'FNPROF_OUTPUT': first_output} if first_output else {}
    first = box.start(program, cwd, **variables)
    box.expect_equal('the first says', first.stdout.readline(), 'ready\n')
    second = box.start(program, cwd, **variables)
    second.communicate()
    first.communicate()
    box.expect_equal('exit statuses', (first.returncode, second.returncode), (0, 0))
    return second.pid, box.traces()


def test_of_two_living_processes_the_second_takes_another_name(box):
    pid, found = meet(box)
    box.expect_equal('traces', found, sorted(['trace.zst', 'trace.%d.zst' % pid]))
    for name in found:
        box.expect_calls(box.report(box.path('run', name)), name, main=1, leaf=5)
    both = box.report(*[box.path('run', name) for name in found])
    box.expect_calls(both, 'both traces in one report', main=2, leaf=10)


def test_an_explicit_name_in_use_gets_the_process_id_before_its_extension(box):
    pid, found = meet(box, 'my.run.zst')
    box.expect_equal('traces', found, sorted(['my.run.zst', 'my.run.%d.zst' % pid]))


def test_the_trace_of_a_finished_process_is_replaced(box):
    program, cwd = box.build('fib.c'), box.fresh()
    for n, calls in (('10', 177), ('5', 15)):
        box.run([program, n], cwd=cwd)
        box.expect_equal('traces', box.traces(), ['trace.zst'])
        box.expect_calls(box.report(box.path('run', 'trace.zst')), 'fib(%s)' % n, fib=calls)


def test_the_trace_of_a_killed_process_and_its_live_file_are_replaced(box):
    program, cwd = box.build('rendezvous.c'), box.fresh()
    first = box.start(program, cwd)
    first.stdout.readline()
    first.send_signal(signal.SIGKILL)
    first.communicate()
    box.expect_equal('files after the kill', sorted(os.listdir(cwd)), ['trace.zst', 'trace.zst.live'])
    box.expect_calls(box.report(box.path('run', 'trace.zst')), 'killed', leaf=3)
    box.run(program, cwd=cwd)
    box.expect_equal('files after the second run', sorted(os.listdir(cwd)), ['trace.zst'])
    box.expect_calls(box.report(box.path('run', 'trace.zst')), 'second run', leaf=5)


def test_a_foreign_file_of_that_name_is_left_alone(box):
    cwd = box.fresh()
    with open(box.path('run', 'trace.zst'), 'w') as text:
        text.write('my thesis\n')
    done = box.run(box.build('chatty.c'), cwd=cwd)
    with open(box.path('run', 'trace.zst')) as text:
        box.expect_equal('the file', text.read(), 'my thesis\n')
    box.expect('one warning', len(done.fnprof_lines()) == 1, done.stderr)
    box.expect_equal('number of files', len(os.listdir(cwd)), 2)


if __name__ == '__main__':
    main(globals())
