"""Fetches Debian source packages without touching the system's package lists.

The mirror, suites and keys are those of the system's own configuration; lists, caches and sources live in a folder of ours.
"""
import glob
import os

from support import measure
from support.measure import run

KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'


def _options(folder):
    return ['-o', 'Dir::Etc::sourcelist=' + os.path.join(folder, 'sources.list'), '-o', 'Dir::Etc::sourceparts=-',
            '-o', 'Dir::State::lists=' + os.path.join(folder, 'lists'), '-o', 'Dir::Cache=' + os.path.join(folder, 'cache'),
            '-o', 'APT::Sandbox::User=root', '-q=2']


def _source_lines():
    """A deb-src line for each of the system's Debian suites that binary packages come from."""
    form = '$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)'
    key = '[signed-by=%s] ' % KEYRING if os.path.exists(KEYRING) else ''
    lines = set()
    for target in run(['apt-get', 'indextargets', '--format', form, 'Created-By: Packages']).splitlines():
        origin, place, release, component = target.split('|')
        if origin == 'Debian' and component == 'main':
            lines.add('deb-src %s%s %s %s' % (key, place, release, component))
    if not lines:
        raise measure.Failure('the system has no lists of Debian packages: run apt-get update first')
    return sorted(lines)


class Sources:
    """Source packages, unpacked one folder each under `folder`."""

    def __init__(self, folder):
        self.folder = folder
        for name in ('lists/partial', 'cache/archives/partial'):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        self.updated = False

    def fetch(self, package):
        """The folder of the unpacked source package."""
        place = os.path.join(self.folder, package)
        if not os.path.isdir(place):
            if not self.updated:
                with open(os.path.join(self.folder, 'sources.list'), 'w') as text:
                    text.write('\n'.join(_source_lines()) + '\n')
                run(['apt-get', *_options(self.folder), 'update'])
                self.updated = True
            measure.say('programs: fetching the source of ' + package)
            os.makedirs(place + '.partial', exist_ok=True)
            run(['apt-get', *_options(self.folder), 'source', package], cwd=place + '.partial')
            os.rename(place + '.partial', place)
        unpacked = [name for name in glob.glob(os.path.join(place, '*')) if os.path.isdir(name)]
        if len(unpacked) != 1:
            raise measure.Failure('the source of %s did not unpack into one folder' % package)
        return unpacked[0]
