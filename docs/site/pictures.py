#!/usr/bin/env python3
"""Draws the timelines that the pages show, each from a run on the emulated GPU: none is drawn by hand.

    pictures.py LAB-CLI SOURCE OUTPUT             draws them in OUTPUT, and tells which of those in SOURCE are not the same
    pictures.py LAB-CLI SOURCE OUTPUT --write     draws them in SOURCE: cmake --build --preset gcc --target pictures

A page that shows a picture is all there is to it; what is drawn is said by the picture's name, "_" for blanks:

    labs/NN_topic/pictures/NAME.starter.svg         NAME of the lab's pictures.json, of its starter
    labs/NN_topic/pictures/NAME.solution.svg        the same of its solution, where that tells no more than the handout does
    solutions/NN_topic/pictures/NAME.solution.svg   the same, where it does
    docs/pictures/NAME.svg                          the run of docs/samples/NAME.cu

They are drawn with g++. A picture is the same as before where it differs in nothing but times, by a pixel or a fiftieth: two versions
of a compiler do not make kernels of the very same length.

Told as well, with exit code 1: a picture that no page shows, one in another place, one without a text that says in words what it
shows, a program that cannot be drawn.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pages

PAGES = ('README.md', 'docs/**/*.md', 'labs/*/README.md', 'solutions/*/NOTES.md')
FOLDERS = ('docs/pictures', 'labs/*/pictures', 'solutions/*/pictures')

FENCED = re.compile(r'^```.*?^```$', re.MULTILINE | re.DOTALL)


def shown(source):
    """(page, text, path from SOURCE) of each SVG file that a page shows."""
    for page in sorted(page for pattern in PAGES for page in source.glob(pattern)):
        for match in pages.LINK.finditer(pages.CODE.sub('', FENCED.sub('', page.read_text(encoding='utf-8')))):
            if match[1] and match[3].endswith('.svg') and ':' not in match[3]:
                yield str(page.relative_to(source)), match[2], os.path.relpath(page.parent / match[3], source)


def command(source, picture):
    """What draws the picture, but for where; None where its name says nothing."""
    if match := re.fullmatch(r'docs/pictures/(\w+)\.svg', picture):
        return ['run', '--quiet', f'docs/samples/{match[1]}.cu', '--timeline']
    match = re.fullmatch(r'(labs|solutions)/(\w+)/pictures/(\w+)\.(starter|solution)\.svg', picture)
    if not match or match.group(1, 4) == ('solutions', 'starter'):
        return None
    lab, name = match[2], match[3]
    listed = json.loads((source / f'grader/checks/{lab}/pictures.json').read_text(encoding='utf-8'))['pictures']
    name = next((each['name'] for each in listed if each['name'].replace(' ', '_') == name), name)
    program = ['--file', f'labs/{lab}/starter.cu'] if match[4] == 'starter' else ['--solution', '--anyway']
    return ['timeline', lab, *program, '--picture', name, '-o']


NUMBER = re.compile(r'(\d+\.\d+|\d+(?= (?:µs|ms|s)\b))')  # not line numbers


def same(one, other):
    """Whether two drawings are of the same run."""
    one, other = NUMBER.split(one), NUMBER.split(other)
    return len(one) == len(other) and one[::2] == other[::2] and all(
        abs(float(a) - float(b)) <= max(1, float(b) / 50) for a, b in zip(one[1::2], other[1::2]))


class Drawing:
    def __init__(self, cli, source, output):
        self.cli, self.source, self.output = Path(cli).resolve(), Path(source).resolve(), Path(output).resolve()
        self.state = self.output / 'state'
        self.errors = []

    def draw(self, picture):
        """@return what went wrong"""
        to_draw = command(self.source, picture)
        if not to_draw:
            return f'{picture}: nothing says what to draw there; see docs/site/pictures.py for the names'
        file = self.output / picture
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        environment = {key: value for key, value in os.environ.items() if not key.startswith('LAB_')}
        done = subprocess.run([self.cli, *to_draw, file], cwd=self.source, env=dict(environment, LAB_STATE=str(self.state)),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              check=False)
        if done.returncode == 0 and file.is_file():
            return ''
        return f'{picture}: ./lab {" ".join(to_draw)} {picture} gives\n{done.stdout.decode("utf-8", "replace")}'

    def draw_all(self):
        """@return the pictures that the pages show"""
        self.state.mkdir(parents=True, exist_ok=True)
        pictures = {}
        for page, text, picture in shown(self.source):
            pictures[picture] = page
            if not text.strip():
                self.errors.append(f'{page}: {picture} needs a text that says in words what it shows')
        for pattern in FOLDERS:
            for file in self.source.glob(f'{pattern}/*'):
                if (name := str(file.relative_to(self.source))) not in pictures:
                    self.errors.append(f'{name}: no page shows it')
        with ThreadPoolExecutor(2) as threads:
            self.errors += filter(None, threads.map(self.draw, pictures))
        return list(pictures)


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[4:] not in ([], ['--write']):
        sys.exit('usage: pictures.py LAB-CLI SOURCE OUTPUT [--write]')
    drawing = Drawing(*sys.argv[1:4])
    pictures = drawing.draw_all()
    for picture in pictures:
        drawn, there = drawing.output / picture, drawing.source / picture
        if not drawn.is_file() or (there.is_file() and same(there.read_text(encoding='utf-8'), drawn.read_text(encoding='utf-8'))):
            continue
        if sys.argv[4:]:
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(drawn, there)
            print(f'drawn: {picture}')
        else:
            drawing.errors.append(f'{picture} is stale: it is not what {drawn} is now. '
                                  'cmake --build --preset gcc --target pictures draws it; look at it then.')
    for error in drawing.errors:
        print(f'error: {error}', file=sys.stderr)
    print(f'{len(pictures)} pictures')
    sys.exit(1 if drawing.errors or not pictures else 0)


if __name__ == '__main__':
    main()
