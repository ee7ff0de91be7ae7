"""The browser on a terminal: what a person types, and what Ctrl-C, Ctrl-D and the tabulator do."""
import os
import pty
import re
import select
import subprocess

from harness import STAGE, TIMEOUT_S, Build, main

TOOL = os.path.join(STAGE, 'bin', 'fnprof-analyze')
PROMPT = 'trace.zst% '


class Person:
    """Types into a browser and reads what it answers."""

    def __init__(self, box, **variables):
        self.box = box
        environment = dict(os.environ, TERM='dumb', HOME=box.path('home'), LC_ALL='C.UTF-8', NO_COLOR='1')
        environment.pop('XDG_STATE_HOME', None)
        environment.update(variables)
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(box.path('run'))
            os.execve(TOOL, [TOOL, 'browse'], environment)
        self.unread = ''

    def read(self):
        """What has come by now, waiting for something; nothing: it has ended."""
        if not select.select([self.terminal], [], [], TIMEOUT_S)[0]:
            raise AssertionError('nothing more comes after %r' % self.unread[-500:])
        try:
            return os.read(self.terminal, 65536).decode(errors='replace').replace('\r', '')
        except OSError:
            return ''

    def until(self, text):
        """What comes up to that text, with it; what comes behind it is for the next time."""
        while text not in self.unread:
            piece = self.read()
            if not piece:
                raise AssertionError('it ended before %r came: %r' % (text, self.unread[-500:]))
            self.unread += piece
        found, _, self.unread = self.unread.partition(text)
        return found + text

    def type(self, text):
        os.write(self.terminal, text.encode())

    def ask(self, line):
        """The answer to a command: everything up to the next prompt."""
        self.type(line + '\n')
        return self.until(PROMPT)

    def end(self):
        while self.read():
            pass
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def recorded(box, source='profilee.cpp', **build):
    box.run(box.build(source, Build(**build)))


def table(text):
    """The rows of a table."""
    return re.findall(r'^ +\d\S* .*\)$', text, re.MULTILINE)


def test_a_session(box):
    recorded(box)
    person = Person(box)
    person.until(PROMPT)
    expected = table(subprocess.run([TOOL, '-s', 'tottime', '3', '--width', '80'], cwd=box.path('run'), stdout=subprocess.PIPE, text=True).stdout)
    person.ask('sort tottime')
    box.expect_equal('rows of the table', table(person.ask('stats 3 --width 80')), expected)
    box.expect('an error is said', 'ambiguous' in person.ask('sort c'))
    person.type('\x04')
    box.expect_equal('Ctrl-D: status', person.end(), 0)

    person = Person(box)
    person.until(PROMPT)
    person.type('\x10')  # the line before
    box.expect('the history is kept', 'sort c' in person.until('sort c'))
    person.type('\x03')
    person.until(PROMPT)
    person.type('quit\n')
    box.expect_equal('quit: status', person.end(), 0)
    history = box.path('home', '.local', 'state', 'fnprof', 'history')
    with open(history) as lines:
        text = lines.read()
    for line in ('stats', 'sort', 'quit'):
        box.expect('%s is in the history' % line, line in text, text)

    os.makedirs(box.path('state'))
    person = Person(box, XDG_STATE_HOME=box.path('state'))
    person.until(PROMPT)
    person.type('\x04')
    box.expect_equal('with XDG_STATE_HOME: status', person.end(), 0)
    box.expect('its history is there', os.path.exists(box.path('state', 'fnprof', 'history')))

    person = Person(box, XDG_STATE_HOME=box.path('state'))
    person.type('stats 1\n\x04')  # before it has asked
    person.until('List reduced')
    box.expect_equal('what is typed early counts: status', person.end(), 0)

    person = Person(box, HOME='/dev/null')
    person.until(PROMPT)
    person.ask('stats 1')
    person.type('\x04')
    box.expect_equal('without a place for the history: status', person.end(), 0)


def test_the_tabulator_completes(box):
    recorded(box)
    person = Person(box)
    person.until(PROMPT)
    for typed, becomes in (('callee\t', 'callees '), ('sort percall_t\t', 'sort percall_tottime '), ('sort calls,fi\t', 'sort calls,filename '),
                           ('stats fact\t', 'stats factorial '), ('stats Nothing::a\t', 'stats Nothing::attribute '), ('read trac\t', 'read trace.zst')):
        person.type(typed)
        shown = person.until(becomes.rstrip())
        box.expect('%r becomes %r' % (typed, becomes), becomes.rstrip() in shown)
        person.type('\x03')
        person.until(PROMPT)
    person.type('\x04')
    box.expect_equal('status', person.end(), 0)


def test_interrupts(box):
    count = 4000
    with open(box.path('many.c'), 'w') as source:
        source.write(''.join('int a_function_with_a_long_name_%d(void) { return %d; }\n' % (n, n) for n in range(count)))
        source.write('int main(void) {\n  int sum = 0;\n%s  return sum == 0;\n}\n' % ''.join('  sum += a_function_with_a_long_name_%d();\n' % n for n in range(count)))
    recorded(box, box.path('many.c'), optimization='-O0')
    person = Person(box)
    person.until(PROMPT)
    person.type('half a line\x03')
    person.until(PROMPT)
    box.expect('after Ctrl-C on the prompt the next command runs', 'List reduced from %d to 1' % (count + 1) in person.ask('stats 1'))
    for _ in range(2):
        person.type('stats all\n')
        printed = person.until('a_function')
        person.type('\x03')
        printed += person.until('Interrupted\n') + person.until(PROMPT)
        box.expect('Ctrl-C ends the output', printed.count('a_function') < count, printed.count('a_function'))
        box.expect('and not the browser', 'List reduced' in person.ask('stats 1'))
    person.type('\x04')
    box.expect_equal('status', person.end(), 0)


if __name__ == '__main__':
    main(globals())
