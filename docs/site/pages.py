#!/usr/bin/env python3
"""Makes of the repository's Markdown, which reads well as it stands, what Doxygen takes; and the site's menu.

    pages.py SOURCE OUTPUT [DOT]     writes OUTPUT/pages/*.md, OUTPUT/images/* and OUTPUT/layout.xml

Every page and heading gets a label that does not depend on Doxygen's version, and links become links to labels. Programs in
docs/samples get pages of their own, blocks of ```dot are drawn where DOT, Graphviz's program, is given, and so do the solutions, behind a warning. What is wrong is told, all of it, and the
exit code is 1:

- a link to a file or a heading that is not there;
- a block of ```cpp or ```console without `<!-- sample: FILE -->` in the line above, or one that does not occur in FILE. Blanks
  at the beginning of its lines aside, it has to stand there as it is; a line `...` stands for any lines in between.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr

# The menu, in this order. Pages that are not here go to the last group but one; those that are not there are left out.
START, LEARNING_PATH = 'docs/index.md', 'docs/learning-path.md'
CONCEPTS = [f'docs/concepts/{name}.md' for name in ('asynchrony', 'streams', 'events', 'waits')] + [
    'docs/choosing-a-wait.md', 'docs/implicit-synchronisation.md'] + [
    f'docs/concepts/{name}.md' for name in ('clocks', 'hazards', 'errors', 'emulated-gpu')] + ['docs/glossary.md']
INSTRUCTORS = ['docs/for-instructors.md', 'docs/what-a-check-can-tell.md', 'docs/judging-on-a-real-gpu.md',
               'docs/check-json.md', 'docs/check-junit.md', 'docs/doctor-json.md']
AUTHORING = ['docs/adding-a-lab.md', 'docs/writing-pages.md', 'docs/design-of-the-grader.md']

GRAPH_STYLE = ['-Gbgcolor=transparent', '-Nshape=box', '-Nfontname=Helvetica', '-Nfontsize=11', '-Efontname=Helvetica',
               '-Efontsize=10']

SAMPLE = re.compile(r'<!-- sample: (\S+) -->\s*$')
FENCE = re.compile(r'\s*(```+|~~~+)\s*(\w*)')
HEADING = re.compile(r'(#{1,6}) (.*?)\s*#*$')
LINK = re.compile(r'(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)')
CODE = re.compile(r'(`+)(?:.*?)\1')


def slug(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')


def label(path):
    """The label of a page, and the name of its HTML file."""
    if path == START:
        return 'mainpage'
    match = re.fullmatch(r'labs/(\w+)/README\.md', path)
    if match:
        return f'lab_{match[1]}'
    match = re.fullmatch(r'docs/samples/(\w+)\.cu', path)
    if match:
        return f'sample_{match[1]}'
    return re.sub(r'\W', '_', re.sub(r'^docs/|\.md$', '', path)).lower()


def headings(text):
    """(line number, level, title) of each heading outside of code."""
    fence = None
    for number, line in enumerate(text.splitlines()):
        opening = FENCE.match(line)
        if fence:
            fence = None if opening and opening[1] == fence and not opening[2] else fence
        elif opening:
            fence = opening[1]
        elif heading := HEADING.match(line):
            yield number, len(heading[1]), heading[2]


def occurs(block, text):
    """Whether the block stands in the text, blanks at the beginning and end of lines aside; `...` stands for any lines."""
    def plain(lines):
        return '\n' + '\n'.join(line.strip() for line in lines) + '\n'
    at = 0
    text = plain(text.splitlines())
    for part in re.split(r'\n\s*(?:// )?\.\.\.\s*\n', '\n' + '\n'.join(block) + '\n'):
        part = plain(part.strip('\n').splitlines())
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part) - 1
    return True


class Site:
    def __init__(self, source, output, dot=None):
        self.source, self.output, self.dot, self.errors = Path(source), Path(output), dot, []
        self.written, self.used_in = set(), {}
        found = [START, 'README.md'] + sorted(
            str(path.relative_to(source)) for pattern in ('docs/**/*.md', 'labs/*/README.md')
            for path in self.source.glob(pattern))
        self.pages = [page for page in dict.fromkeys(found) if (self.source / page).is_file()]
        self.samples = sorted(str(path.relative_to(source)) for path in self.source.glob('docs/samples/*.cu'))
        self.labs = sorted(path.parent.name for path in self.source.glob('labs/*/README.md'))
        self.headers = {str(path.relative_to(source)) for pattern in ('common/include/lab/*.hpp', 'labs/*/exercise.hpp')
                        for path in self.source.glob(pattern)}

    def read(self, path):
        return (self.source / path).read_text(encoding='utf-8')

    def write(self, name, text):
        self.written.add(name)
        file = self.output / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding='utf-8') != text:
            file.write_text(text, encoding='utf-8')

    def title(self, page):
        return next((title for _, level, title in headings(self.read(page)) if level == 1), page)

    # --- links ----------------------------------------------------------------------------------------------------

    def target(self, page, link):
        """What Doxygen links to for a link of a page: '' where the site has no page for what the link names."""
        name, _, anchor = link.partition('#')
        path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
        if path in self.pages:
            if not anchor or path == START:
                return '@ref ' + label(path)
            if anchor not in [slug(title) for _, _, title in headings(self.read(path))]:
                raise LookupError(f'{path} has no heading #{anchor}')
            return f'@ref {label(path)}__{anchor.replace("-", "_")}'
        if path in self.samples:
            return '@ref ' + label(path)
        if path in self.headers:
            return '@ref ' + path
        if path.startswith('..') or not (self.source / path).exists():
            raise LookupError(f'there is no {path}')
        return ''

    def picture(self, page, link):
        path = os.path.normpath(os.path.join(os.path.dirname(page), link))
        if not (self.source / path).is_file():
            raise LookupError(f'there is no {path}')
        name = path.replace('/', '_')
        self.written.add('images/' + name)
        shutil.copy(self.source / path, self.output / 'images' / name)
        return name

    def shown(self, text, name):
        """Doxygen would show an SVG file without the text that says in words what is in it. Opened by itself it tells the details."""
        return (f'\n@htmlonly[block]\n<a class="picture" href="{name}"><img src="{name}" alt={quoteattr(text)}/></a>\n'
                '@endhtmlonly\n')

    def with_links(self, page, number, line):
        code = [match.span() for match in CODE.finditer(line)]

        def replaced(match):
            if any(begin < match.start() < end for begin, end in code) or re.match(r'[a-z]+:', match[3]):
                return match[0]
            try:
                if match[1]:
                    return self.shown(match[2], self.picture(page, match[3]))
                target = self.target(page, match[3])
            except LookupError as error:
                self.errors.append(f'{page}:{number + 1}: {error}')
                return match[2]
            return f'[{match[2]}]({target})' if target else match[2]
        return LINK.sub(replaced, line)

    # --- pages ----------------------------------------------------------------------------------------------------

    def check_block(self, page, number, kind, sample, block):
        if kind in ('cpp', 'console') and not sample:
            self.errors.append(f'{page}:{number + 1}: a block of {kind} needs "<!-- sample: FILE -->" above it')
        elif sample and not (self.source / sample).is_file():
            self.errors.append(f'{page}:{number + 1}: there is no {sample}')
        elif sample and not occurs(block, self.read(sample)):
            self.errors.append(f'{page}:{number + 1}: this block does not occur in {sample}')

    def drawn(self, page, number, graph):
        """The picture in the page itself: so its text is text, its colours are the page's, and it gets smaller with the window."""
        done = subprocess.run([self.dot, '-Tsvg'] + GRAPH_STYLE, input='\n'.join(graph), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding='utf-8', check=False)
        if done.returncode != 0 or done.stderr:
            self.errors.append(f'{page}:{number + 1}: {done.stderr.strip()}')
        svg = re.sub(r' id="[^"]*"|<title>.*?</title>|<!--.*?-->', '', done.stdout[done.stdout.find('<svg'):], flags=re.DOTALL)
        return ['@htmlonly[block]', '<div class="graph">', svg.strip(), '</div>', '@endhtmlonly']

    def converted(self, page, text):
        # sections of the landing page would stand in the menu, among the groups
        labels = {number: slug(title) for number, level, title in headings(text) if level > 1 and page != START}
        lines, fence, sample, block, opened = [], None, None, [], 0
        first = True
        for number, line in enumerate(text.splitlines()):
            opening = FENCE.match(line)
            if fence:
                if opening and opening[1] == fence and not opening[2]:
                    self.check_block(page, opened, kind, sample, block)
                    if graph:
                        lines += self.drawn(page, opened, block)
                    else:
                        lines.append(line)
                    if kind == 'console':
                        lines.append('@htmlonly[block]\n</div>\n@endhtmlonly')
                    fence = sample = None
                else:
                    block.append(line)
                    if not graph:
                        lines.append(line)
            elif opening:
                fence, kind, block, opened = opening[1], opening[2], [], number
                graph = kind == 'dot' and self.dot
                if kind == 'console':
                    lines.append('@htmlonly[block]\n<div class="console">\n@endhtmlonly')
                if not graph:
                    lines.append('```{.cpp}' if kind == 'cpp' else '```')
            elif match := SAMPLE.match(line):
                sample = match[1]
                program = sample.replace('.expected', '.cu')
                if program in self.samples:
                    self.used_in.setdefault(program, {})[page] = None
                    if sample == program:
                        line = f'<div class="sample">[{os.path.basename(sample)}](@ref {label(sample)})</div>\n'
                lines.append(line)
            elif re.match(r'</?details>', line):
                lines.append(f'@htmlonly[block]\n{line}\n@endhtmlonly')  # Doxygen ends it at the first blank line
            elif first and line.startswith('# '):
                first = False
                lines.append(f'{self.with_links(page, number, line)} {{#{label(page)}}}')
            elif number in labels:
                lines.append(f'{line} {{#{label(page)}__{labels[number].replace("-", "_")}}}')
            else:
                lines.append(self.with_links(page, number, line))
        if fence:
            self.errors.append(f'{page}:{opened + 1}: this block has no end')
        return '\n'.join(lines) + '\n'

    def write_samples(self):
        rows = ['# Samples {#samples}\n', 'Every program on these pages, whole. Each one is compiled and run, and its output '
                'compared with what stands here, before a change of the course is taken.\n', '| program | what it shows |',
                '|---|---|']
        for sample in self.samples:
            text = self.read(sample)
            purpose = []
            for line in text.splitlines():
                if not line.startswith('// '):
                    break
                purpose.append(line[3:])
            name = os.path.basename(sample)
            rows.append(f'| [{name}](@ref {label(sample)}) | {" ".join(purpose)} |')
            pages = ', '.join(f'[{self.title(page)}](@ref {label(page)})' for page in self.used_in.get(sample, ()))
            expected = sample.replace('.cu', '.expected')
            output = self.read(expected) if (self.source / expected).is_file() else ''
            if not output:
                self.errors.append(f'{sample}: there is no {expected}')
            self.write(f'pages/{label(sample)}.md', f'# {name} {{#{label(sample)}}}\n\n{" ".join(purpose)}\n\n' +
                       (f'Shown in: {pages}.\n\n' if pages else '') +
                       f'```{{.cpp}}\n{text}```\n\n## Its output\n\n@htmlonly[block]\n<div class="console">\n@endhtmlonly\n'
                       f'```\n{output}```\n@htmlonly[block]\n</div>\n@endhtmlonly\n')
        self.write('pages/samples.md', '\n'.join(rows) + '\n')

    def write_solutions(self):
        for lab in self.labs:
            if not (self.source / f'solutions/{lab}/solution.cu').is_file():
                continue
            notes = self.converted(f'solutions/{lab}/NOTES.md', self.read(f'solutions/{lab}/NOTES.md'))
            handout = f'[back to the handout of lab {lab[:2]}](@ref lab_{lab})'
            self.write(f'pages/solution_{lab}_warning.md', f'''# Solution of lab {lab[:2]} {{#solution_{lab}_warning}}

@warning Behind this page are the solution of lab {lab[:2]} and the reasons for it. A lab is worth what you find out in it
yourself: once read, it cannot be done any more. A hint costs less: `./lab hint {int(lab[:2])}` gives one at a time.

I have not passed yet: {handout}.

I have, or I teach this: [show the solution](@ref solution_{lab}).
''')
            self.write(f'pages/solution_{lab}.md', f'''# Lab {lab[:2]}, solved {{#solution_{lab}}}

@warning This is the solution of lab {lab[:2]}; {handout}.

```{{.cpp}}
{self.read(f'solutions/{lab}/solution.cu')}```

## Notes on it

''' + re.sub(r'\A# .*\n', '', notes))

    # --- the menu -------------------------------------------------------------------------------------------------

    def write_layout(self):
        others = [page for page in self.pages
                  if page not in [START, LEARNING_PATH, 'README.md'] + CONCEPTS + INSTRUCTORS + AUTHORING
                  and not page.startswith('labs/')]

        def tab(title, target, indent='    '):
            return f'{indent}<tab type="user" url={quoteattr("@ref " + target)} title={quoteattr(title)}/>\n'

        def group(title, entries):
            return f'    <tab type="usergroup" url="[none]" title={quoteattr(title)}>\n' + ''.join(
                tab(*entry, indent='      ') for entry in entries) + '    </tab>\n' if entries else ''

        def pages(names):
            return [(self.title(page).split(': ')[0].replace('`', ''), label(page)) for page in names if page in self.pages]
        solved = [lab for lab in self.labs if f'pages/solution_{lab}.md' in self.written]
        menu = '    <tab type="mainpage" visible="yes" title="Start"/>\n'
        menu += ''.join(tab('Learning path', label(page)) for page in [LEARNING_PATH] if page in self.pages)
        menu += group('Concepts', pages(CONCEPTS))
        menu += group('Samples', [('All of them', 'samples')] + [(os.path.basename(path), label(path)) for path in self.samples])
        menu += group('Labs', [(f'{lab[:2]} {lab[3:].replace("_", " ").capitalize()}', f'lab_{lab}') for lab in self.labs] + [('The command lab', label('README.md'))])
        menu += group('Contracts', [(f'Lab {lab[:2]}', f'labs/{lab}/exercise.hpp') for lab in self.labs
                                    if f'labs/{lab}/exercise.hpp' in self.headers])
        # Doxygen's own list of files would have links in the sidebar to places that its pages do not have.
        helpers = sorted(path for path in self.headers if path.startswith('common/'))
        menu += group('Helper layer', [('All of it', 'lab')] + [(os.path.basename(path), path) for path in helpers])
        menu += group('For instructors', pages(INSTRUCTORS))
        menu += group('Authoring and design', pages(AUTHORING + others))
        menu += group('Solutions', [(f'Lab {lab[:2]}', f'solution_{lab}_warning') for lab in solved])
        self.write('layout.xml', f'<doxygenlayout version="1.0">\n  <navindex>\n{menu}  </navindex>\n</doxygenlayout>\n')

    def make(self):
        (self.output / 'images').mkdir(parents=True, exist_ok=True)
        for page in self.pages:
            self.write(f'pages/{label(page)}.md', self.converted(page, self.read(page)))
        self.write_samples()
        self.write_solutions()
        self.write_layout()
        for folder in ('pages', 'images'):
            for file in (self.output / folder).glob('*'):
                if f'{folder}/{file.name}' not in self.written:
                    file.unlink()
        return self.errors


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit('usage: pages.py SOURCE OUTPUT [DOT]')
    errors = Site(*sys.argv[1:]).make()
    for error in errors:
        print(f'error: {error}', file=sys.stderr)
    sys.exit(1 if errors else 0)


if __name__ == '__main__':
    main()
