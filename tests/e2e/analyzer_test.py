"""The analyzer as its user has it: what it says, where it says it, and that what it advises is true."""
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios

from harness import EVERY_BUILD, STAGE, Build, main

TOOL = os.path.join(STAGE, 'bin', 'fnprof-analyze')


def shell(command, cwd):
    return subprocess.run(command, shell=True, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout.strip()


def recorded(box, source='fib.c', arguments=('5',), **build):
    """A folder with the program and its trace."""
    program = box.build(source, Build(**build))
    box.run([program, *arguments])
    return program, box.path('run', 'trace.zst')


def test_the_checks_for_likely_causes_tell_them_apart(box):
    advice = subprocess.run([TOOL], cwd=box.fresh('empty'), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stderr
    count = re.search(r'objdump -d PROGRAM \| grep -c \S+', advice).group()
    linked = re.search(r'ldd PROGRAM \| grep \w+', advice).group()
    linked_statically = re.search(r'nm PROGRAM \| grep \w+', advice).group()
    writable = re.search(r'test -w \. && echo \w+', advice).group()
    cwd = box.fresh()
    for compiler in ('gcc', 'clang'):
        for optimization in ('-O0', '-O2'):
            for link in ('shared', 'static', 'none'):
                for flags in ((), ('-finstrument-functions',)):
                    build = Build(compiler, optimization, link)
                    program = box.build('fib.c', build, flags, output=box.path('program'))
                    what = '%s, %s' % (build, 'instrumented' if flags else 'not instrumented')
                    box.expect_equal('%s: is called instrumented' % what, int(shell(count.replace('PROGRAM', program), cwd)) > 0, bool(flags))
                    with_library = any(shell(check.replace('PROGRAM', program), cwd) for check in (linked, linked_statically))
                    box.expect_equal('%s: is called linked' % what, with_library, link != 'none')
    box.expect_equal('a writable folder is called so', bool(shell(writable, cwd)), True)
    box.expect_equal('the checks leave nothing behind', os.listdir(cwd), [])


def test_a_trace_without_its_program_shows_names(box):
    for build in EVERY_BUILD:
        program = box.build('profilee.cpp', build)
        box.run(program)
        trace = box.path('run', 'trace.zst')
        with_lines = box.report(trace)
        os.rename(program, box.path('gone'))
        without = box.report(trace)
        def names(report):
            return [(function['name'], function['mangled']) for function in report['functions']]
        box.expect_equal('%s: names without the program' % build, names(without), names(with_lines))
        box.expect('%s: lines with it' % build, sum(function['line'] is not None for function in with_lines['functions']) > 5)
        box.expect_equal('%s: lines without it' % build, {function['line'] for function in without['functions']}, {None})
        box.expect('%s: the report says why' % build, 'no file and line for %s' % program in box.analyze(trace).stdout)


def test_two_static_functions_of_one_name_are_two_rows(box):
    with open(box.path('other.c'), 'w') as other:
        other.write('static int helper(int x) { return x + 1; }\nint other(int x) { return helper(x); }\n')
    with open(box.path('one.c'), 'w') as one:
        one.write('int other(int);\n\nstatic int helper(int x) { return x * 2; }\nint main(void) { return helper(0) + other(-1) + other(-1); }\n')
    for compiler in ('gcc', 'clang'):
        for debug in ('-g', '-g0'):
            program = box.build(box.path('one.c'), Build(compiler, '-O0'), ('-finstrument-functions', debug, box.path('other.c')), box.path('program'))
            box.run(program)
            report = box.report(box.path('run', 'trace.zst'))
            helpers = sorted((function['ncalls'], function['line']) for function in report['functions'] if function['name'] == 'helper')
            lines = (3, 1) if debug == '-g' else (None, None)
            box.expect_equal('%s %s: calls and lines of the two helpers' % (compiler, debug), helpers, [(1, lines[0]), (2, lines[1])])
            names = [row.split()[7:] for row in box.analyze(box.path('run', 'trace.zst')).stdout.splitlines() if '(helper)' in row]
            box.expect_equal('%s %s: rows' % (compiler, debug), len(names), 2)
            box.expect('%s %s: they do not look alike' % (compiler, debug), names[0] != names[1], names)


def test_the_report_says_when_marks_are_off(box):
    said = 'exceptions and longjmp were not recorded'
    for link, expected in (('static without wrapping', True), ('static', False), ('shared', False)):
        _, trace = recorded(box, 'unwinds.cpp', (), link=link)
        for command in ('report', 'tree', 'callers', 'callees', 'list', 'suggest-filter', 'info'):
            box.expect_equal('%s: %s says so' % (link, command), said in box.analyze(command, trace).stdout, expected)
        box.expect_equal('%s: JSON says so' % link, said in str(box.report(trace)['integrity']['remarks']), expected)


def test_a_reader_that_goes_away_ends_it_quietly(box):
    _, trace = recorded(box)
    for ignored in (False, True):
        for arguments in (['all'], ['--json'], ['tree', 'all']):
            reader, writer = os.pipe()
            os.close(reader)
            process = subprocess.Popen([TOOL, *arguments, trace], stdout=writer, stderr=subprocess.PIPE, text=True,
                                       preexec_fn=(lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)) if ignored else None)
            os.close(writer)
            message = process.stderr.read()
            status = process.wait()
            if ignored:
                box.expect_equal('%s, SIGPIPE ignored: status' % arguments, status, 1)
                box.expect('%s, SIGPIPE ignored: one line says so' % arguments, message.count('\n') == 1 and 'could not be written' in message, message)
            else:
                box.expect_equal('%s: signal, stderr' % arguments, (status, message), (-signal.SIGPIPE, ''))


def on_terminal(columns, *arguments):
    """What the analyzer prints on a terminal of that width."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
    process = subprocess.Popen([TOOL, *arguments, '--no-pager'], stdout=slave, stderr=slave, env=dict(os.environ, TERM='xterm', NO_COLOR='1'))
    os.close(slave)
    text = b''
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(master)
    return process.wait(), text.decode().replace('\r\n', '\n')


def test_terminals_of_any_width_show_every_function(box):
    _, trace = recorded(box, 'profilee.cpp', ())
    names = {function['name'].split('(')[0].split('::')[-1] for function in box.report(trace)['functions'] if '<' not in function['name']}
    for columns in (40, 80, 200, 1000):
        for command in ('report', 'tree', 'callers', 'callees'):
            status, text = on_terminal(columns, command, trace, 'all')
            box.expect_equal('%s on %d columns: status' % (command, columns), status, 0)
            missing = sorted(name for name in names if name not in text)
            box.expect_equal('%s on %d columns: functions whose names are cut' % (command, columns), missing, [])
            if columns == 1000:
                box.expect_equal('%s: names are whole where there is room' % command, re.findall(r'\.\.\.(?:\)|::)', text), [])
        status, text = on_terminal(columns, 'report', trace, '1')
        head = text.split('ncalls')[0]
        box.expect('the heading fits %d columns' % columns, columns == 40 or all(len(line) <= columns for line in head.splitlines()), head)


def test_two_hundred_traces_are_one_report(box):
    _, trace = recorded(box, arguments=('3',))
    one = box.report(trace)
    folder = box.fresh('many')
    traces = [os.path.join(folder, 'copy%d.zst' % number) for number in range(200)]
    for copy in traces:
        shutil.copy(trace, copy)
    many = box.report(*traces)
    for member in ('total_calls', 'primitive_calls'):
        box.expect_equal(member, many[member], 200 * one[member])
    box.expect_equal('processes', len(many['processes']), 200)
    box.expect_equal('functions', len(many['functions']), len(one['functions']))


def documented_members():
    """{'functions': {'id', ...}, ...} of JSON.md; '' stands for the documents themselves, by command."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, 'analyzer', 'report', 'JSON.md')) as text:
        head, *sections = re.split(r'^#+ ', text.read(), flags=re.MULTILINE)[1:]
    def names(text):
        return {name.replace('[]', '') for name in re.findall(r'`([a-z_-]+(?:\[\])?)`', text)}
    commands = {}
    for row in re.findall(r'^\| (.*?) \| (.*?) \|$', head, re.MULTILINE)[1:]:
        for command in names(row[0]) or {'all'}:
            commands[command] = names(row[1])
    members = {}
    for section in sections:
        title, _, body = section.partition('\n')
        rows = re.findall(r'^\| (`.*?) \|', body, re.MULTILINE)
        first_paragraph = re.sub(r'\([^()]*\)', '', body.strip().split('\n\n')[0])
        for member in names(title) or {title.rpartition(' ')[2]}:
            members[member] = set().union(*map(names, rows)) if rows else names(first_paragraph) - {'null'}
    return commands, members


def test_the_documents_have_the_members_that_are_documented_and_no_other(box):
    _, trace = recorded(box)
    commands, members = documented_members()
    for command in ('report', 'tree', 'callers', 'callees', 'info'):
        document = box.document(command, trace)
        box.expect_equal('%s: members' % command, sorted(document), sorted(commands['all'] | commands[command]))
        for member, value in document.items():
            for element in value if isinstance(value, list) else [value]:
                if isinstance(element, dict):
                    box.expect_equal('%s: members of %s' % (command, member), sorted(element), sorted(members[member]))
        if command in ('list', 'suggest-filter', 'info'):
            continue
        document = box.document(command, '--by-process', trace)
        box.expect_equal('%s --by-process: members' % command, sorted(document), sorted(commands['all'] | {'by_process'}))
        own = (members['by_process'] - {'functions', 'edges', 'call_paths'}) | (commands[command] - {'processes', 'threads'})
        box.expect_equal('%s --by-process: members of by_process' % command, sorted(document['by_process'][0]), sorted(own))
    document = box.document('diff', trace, trace)
    box.expect_equal('diff: members', sorted(document), sorted(members['diff']))
    described = {'id', 'name', 'mangled', 'module', 'file', 'line'} | members['comparison']
    box.expect_equal('diff: members of functions', sorted(document['functions'][0]), sorted(described))
    box.expect_equal('check-budget: members of conditions', sorted(box.document('check-budget', 'ncalls(main) > 1', trace)['conditions'][0]),
                     sorted(members['check-budget']))


if __name__ == '__main__':
    main(globals())
