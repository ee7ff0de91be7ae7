"""What fnprof-analyze does for people at terminals: pager, completion, manual page."""
import os
import pty
import subprocess

from harness import STAGE, main

TOOL = os.path.join(STAGE, 'bin', 'fnprof-analyze')


def recorded(box):
    box.run([box.build('fib.c'), '10'])
    return box.path('run', 'trace.zst')


def on_terminal(arguments, directory, **variables):
    """What a user sees: standard output is a terminal of 24 lines."""
    environment = {name: value for name, value in os.environ.items() if name not in ('PAGER', 'FNPROF_PAGER', 'LESS', 'NO_COLOR')}
    environment.update({'TERM': 'xterm', **variables})
    primary, secondary = pty.openpty()
    process = subprocess.Popen([TOOL, *arguments], cwd=directory, stdin=subprocess.DEVNULL, stdout=secondary, stderr=subprocess.PIPE, env=environment)
    os.close(secondary)
    seen = b''
    while True:
        try:
            piece = os.read(primary, 65536)
        except OSError:
            piece = b''
        if not piece:
            break
        seen += piece
    os.close(primary)
    return process.wait(timeout=60), seen.decode().replace('\r\n', '\n'), process.stderr.read().decode()


def test_reports_on_a_terminal_go_through_a_pager(box):
    directory = os.path.dirname(recorded(box))
    marks = "sed 's/^/paged:/'"
    status, seen, errors = on_terminal([], directory, PAGER=marks)
    box.expect_equal('status', (status, errors), (0, ''))
    box.expect('every line', all(line.startswith('paged:') for line in seen.splitlines()) and 'fib' in seen, seen)
    box.expect_equal('FNPROF_PAGER goes before PAGER', on_terminal([], directory, PAGER='false', FNPROF_PAGER=marks)[1], seen)
    box.expect('colours stay', '\x1b[' in seen, seen)
    for arguments, variables in ((['--no-pager'], {'PAGER': marks}), ([], {'PAGER': 'cat'}), ([], {'PAGER': ''}), ([], {'PAGER': marks, 'TERM': 'dumb'}),
                                 (['--json'], {'PAGER': marks})):
        status, seen, errors = on_terminal(arguments, directory, **variables)
        box.expect('%s %s: no pager' % (arguments, variables), status == 0 and 'fib' in seen and 'paged:' not in seen, seen)
    status, seen, errors = on_terminal([], directory, PAGER='head -n 1')
    box.expect_equal('a pager that is left early', (seen.count('\n'), errors), (1, ''))
    piped = subprocess.run([TOOL], cwd=directory, stdout=subprocess.PIPE, text=True, env=dict(os.environ, PAGER=marks, TERM='xterm'), timeout=60)
    box.expect('no pager in a pipe', piped.returncode == 0 and 'paged:' not in piped.stdout, piped.stdout)


def complete(directory, *words):
    done = subprocess.run([TOOL, 'complete', *words], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    return done.stdout.split('\n')[:-1] if done.returncode == 0 and not done.stderr else (done.returncode, done.stderr)


def test_shells_complete_commands_options_keys_and_functions(box):
    directory = os.path.dirname(recorded(box))
    box.expect_equal('commands', complete(directory, 'calle'), ['callees', 'callers'])
    box.expect_equal('functions of ./trace.zst', complete(directory, 'callers', 'f'), ['fib'])
    box.expect_equal('functions of the trace that is named', complete('/', 'callers', os.path.join(directory, 'trace.zst'), 'ma'), ['main'])
    box.expect_equal('no trace', complete('/', 'callers', 'ma'), [])
    box.expect_equal('options', complete(directory, 'tree', '--in'), ['--inverted'])
    box.expect_equal('options of another command', complete(directory, 'report', '--in'), [])
    box.expect_equal('sort keys', complete(directory, '-s', 'cum'), ['cumtime', 'cumulative'])
    box.expect_equal('another sort key', complete(directory, 'report', '--sort', 'calls,na'), ['calls,name'])
    box.expect_equal('formats', complete(directory, 'export', 'p'), ['pstats'])
    box.expect('it names itself nowhere', 'complete' not in complete(directory, 'c') and '\n  complete ' not in box.analyze('help').stdout, box.analyze('help').stdout)
    script = os.path.join(STAGE, 'share', 'bash-completion', 'completions', 'fnprof-analyze')
    asked = 'source %s; COMP_WORDS=(fnprof-analyze callers f); COMP_CWORD=2; _fnprof_analyze; echo "${COMPREPLY[*]}"; complete -p fnprof-analyze' % script
    bash = subprocess.run(['bash', '-c', asked], cwd=directory, stdout=subprocess.PIPE, text=True, timeout=60,
                          env=dict(os.environ, PATH='%s:%s' % (os.path.join(STAGE, 'bin'), os.environ['PATH'])))
    box.expect_equal('in bash', bash.stdout.split('\n')[0], 'fib')
    box.expect('registered with bash', '-F _fnprof_analyze fnprof-analyze' in bash.stdout, bash.stdout)


def test_the_manual_page_has_every_command_with_its_options(box):
    with open(os.path.join(STAGE, 'share', 'man', 'man1', 'fnprof-analyze.1')) as file:
        page = file.read().replace('\\-', '-').replace('\\e', '\\').replace('\\&', '')
    general = box.analyze('help').stdout
    commands = [line.split()[0] for line in general[general.index('Commands:'):general.index('--help\' explains')].splitlines() if line.startswith('  ')]
    box.expect('commands are found', {'report', 'tree', 'recover'} <= set(commands), commands)
    for command in commands:
        box.expect('%s: its help stands there' % command, box.analyze(command, '--help').stdout.strip('\n') in page, command)


if __name__ == '__main__':
    main(globals())
