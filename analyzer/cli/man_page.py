#!/usr/bin/env python3
"""Writes fnprof-analyze.1 from what the program says of itself: man_page.py PROGRAM VERSION > fnprof-analyze.1"""
import re
import subprocess
import sys


def help_of(program, *words):
    return subprocess.run([program, *words, '--help'], stdout=subprocess.PIPE, text=True, check=True).stdout


def roff(text):
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return re.sub(r'^([.\'])', r'\\&\1', text, flags=re.MULTILINE)


def block(text):
    return '.nf\n%s\n.fi\n' % roff(text.strip('\n'))


def main():
    program, version = sys.argv[1:]
    general = help_of(program)
    usage = re.match(r'usage: (.*)\n\n(.*)\n', general)
    commands = re.findall(r'^  ([a-z-]+) +(.*)$', general[general.index('Commands:'):general.index('\n\n\'fnprof-analyze COMMAND')], re.MULTILINE)
    status = re.search(r'^Exit status: (.*)$', general, re.MULTILINE).group(1)
    out = ['.TH FNPROF\\-ANALYZE 1 "" "fnprof %s" "fnprof"\n' % version,
           '.SH NAME\nfnprof\\-analyze \\- reports on traces of function calls\n',
           '.SH SYNOPSIS\n.B %s\n' % roff(usage.group(1)),
           '.SH DESCRIPTION\n%s\nPrograms that are compiled with \\-finstrument\\-functions and linked with \\-lfnprof write such traces.\n' % roff(usage.group(2)),
           '.SH COMMANDS\n']
    for name, summary in commands:
        out.append('.SS "%s \\- %s"\n' % (roff(name), roff(summary)))
        out.append(block(help_of(program, name)))
    out.append('.SH EXIT STATUS\n%s\n' % roff(status))
    out.append('.SH ENVIRONMENT\n'
               '.TP\n.B FNPROF_PAGER, PAGER\nwhat long reports on a terminal go through; without them less, where it is installed. cat: nothing\n'
               '.TP\n.B NO_COLOR\nif set, no colours\n'
               '.TP\n.B COLUMNS\nwidth of a terminal that does not know its own\n'
               '.TP\n.B XDG_STATE_HOME\nthe browser\'s history is in fnprof/history below it; without it below ~/.local/state\n')
    out.append('.SH FILES\n.TP\n.B trace.zst\nthe trace that is read if none is named\n'
               '.TP\n.B trace.zst.live\nthe rings of a program that runs, or was killed: read along with its trace\n')
    sys.stdout.write(''.join(out))


if __name__ == '__main__':
    main()
