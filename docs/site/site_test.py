#!/usr/bin/env python3
"""The site without Doxygen: what pages.py makes of good and bad Markdown, what links.py says of HTML, and this course's pages.

    site_test.py SOURCE
"""

import sys
import tempfile
import unittest
from pathlib import Path

import links
import pages
import pictures

SOURCE = None
PROGRAM = '// Says hello.\nint main() {\n  hello();\n  there();\n  world();\n}\n'


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source, self.output = Path(folder.name) / 'source', Path(folder.name) / 'output'
        self.put('docs/index.md', '# Start\n')
        self.put('docs/samples/hello.cu', PROGRAM)
        self.put('docs/samples/hello.expected', '$ ./lab run docs/samples/hello.cu\nhello\nworld\n')
        self.put('labs/01_first/README.md', '# Lab 01: first\n\n## The task\n\nSee [the contract](exercise.hpp).\n')
        self.put('labs/01_first/exercise.hpp', '')
        self.put('solutions/01_first/solution.cu', '// solved\n')
        self.put('solutions/01_first/NOTES.md', '# Notes on lab 01\n\n## Why\n\nSo.\n')

    def put(self, name, text):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')

    def errors_of(self, page):
        self.put('docs/page.md', page)
        return pages.Site(self.source, self.output).make()

    def made(self, name='pages/page.md'):
        return (self.output / name).read_text(encoding='utf-8')

    def assert_told(self, page, phrase):
        errors = self.errors_of(page)
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(phrase, errors[0])


class Links(Tree):
    def test_become_labels(self):
        self.assertEqual(self.errors_of(
            '# A page\n\n## What is so\n\n[a](index.md) [b](../labs/01_first/README.md#the-task) [c](#what-is-so) '
            '[d](samples/hello.cu) [e](../labs/01_first/exercise.hpp) [f](https://example.org/x.md) [g](../solutions)\n'), [])
        self.assertIn('# A page {#page}\n\n## What is so {#page__what_is_so}\n\n[a](@ref mainpage) '
                      '[b](@ref lab_01_first__the_task) [c](@ref page__what_is_so) [d](@ref sample_hello) '
                      '[e](@ref labs/01_first/exercise.hpp) [f](https://example.org/x.md) g\n', self.made())

    def test_in_code_are_left_alone(self):
        self.assertEqual(self.errors_of('# A\n\n`[a](nowhere.md)`\n\n```\n[a](nowhere.md)\n# no heading\n```\n'), [])
        self.assertIn('`[a](nowhere.md)`', self.made())
        self.assertIn('\n# no heading\n', self.made())

    def test_to_nowhere_are_told(self):
        self.assert_told('# A\n\n[a](nowhere.md)\n', 'docs/page.md:3: there is no docs/nowhere.md')

    def test_out_of_the_repository_are_told(self):
        self.assert_told('# A\n\n[a](../../source/docs/index.md)\n', 'there is no')

    def test_to_no_heading_are_told(self):
        self.assert_told('# A\n\n[a](../labs/01_first/README.md#the-tusk)\n', 'labs/01_first/README.md has no heading #the-tusk')

    def test_pictures_are_taken_along(self):
        self.put('docs/pictures/x.svg', '<svg/>')
        self.assertEqual(self.errors_of('# A\n\n!["x" & y](pictures/x.svg)\n'), [])
        self.assertIn('<img src="docs_pictures_x.svg" alt=\'"x" &amp; y\'/>', self.made())
        self.assertEqual(self.made('images/docs_pictures_x.svg'), '<svg/>')

    def test_missing_pictures_are_told(self):
        self.assert_told('# A\n\n![x](pictures/y.svg)\n', 'there is no docs/pictures/y.svg')


class Pictures(Tree):
    def errors_and_drawn(self, page):
        """Drawn by a command that writes what it was asked for."""
        self.put('docs/page.md', page)
        self.put('lab', '#!/bin/sh\nfor file; do :; done\n[ "$2" != 02_second ] || exit 1\necho "$*" | sed "s|$file|FILE|" >"$file"\n')
        (self.source / 'lab').chmod(0o755)
        self.put('grader/checks/01_first/pictures.json', '{"pictures": [{"name": "one job"}, {"name": "two"}]}')
        self.put('grader/checks/02_second/pictures.json', '{"pictures": []}')
        drawing = pictures.Drawing(self.source / 'lab', self.source, self.output)
        drawing.draw_all()
        return drawing.errors, drawing.output

    def test_are_drawn_by_their_names(self):
        for name, wanted in [
                ('docs/pictures/hello.svg', 'run --quiet docs/samples/hello.cu --timeline FILE'),
                ('labs/01_first/pictures/one_job.starter.svg',
                 'timeline 01_first --file labs/01_first/starter.cu --picture one job -o FILE'),
                ('labs/01_first/pictures/two.solution.svg', 'timeline 01_first --solution --anyway --picture two -o FILE'),
                ('solutions/01_first/pictures/two.solution.svg', 'timeline 01_first --solution --anyway --picture two -o FILE')]:
            errors, output = self.errors_and_drawn(f'# A\n\n![in words](../{name}) `![x](y.svg)`\n\n```\n![x](y.svg)\n```\n')
            self.assertEqual(errors, [])
            self.assertEqual((output / name).read_text(encoding='utf-8'), wanted + '\n')

    def test_wrong_ones_are_told(self):
        for page, wanted in [('![in words](drawn_by_hand.svg)', 'docs/drawn_by_hand.svg: nothing says what to draw there'),
                             ('![in words](../solutions/01_first/pictures/two.starter.svg)', 'nothing says what to draw'),
                             ('![](pictures/hello.svg)', 'docs/page.md: docs/pictures/hello.svg needs a text'),
                             ('![in words](../labs/02_second/pictures/x.starter.svg)', './lab timeline 02_second')]:
            errors, _ = self.errors_and_drawn(f'# A\n\n{page}\n')
            self.assertEqual(len(errors), 1, errors)
            self.assertIn(wanted, errors[0])

    def test_those_that_nobody_shows_are_told(self):
        self.put('docs/pictures/old.svg', '<svg/>')
        self.assertEqual(self.errors_and_drawn('# A\n')[0], ['docs/pictures/old.svg: no page shows it'])

    def test_are_the_same_but_for_a_little_time(self):
        drawn = '<rect x="203.9" width="45.3"/><title>scale, 13.3 µs, starter.cu:36</title>153 µs'
        self.assertTrue(pictures.same(drawn, drawn.replace('45.3', '45.2').replace('153 µs', '154 µs')))
        for part, other in [('45.3', '47.3'), ('13.3', '15.3'), ('153', '163'), (':36', ':37'), ('scale', 'store'), ('rect', 'path')]:
            self.assertFalse(pictures.same(drawn, drawn.replace(part, other)), other)


class Blocks(Tree):
    def block(self, text, above='<!-- sample: docs/samples/hello.cu -->\n', kind='cpp'):
        return f'# A\n\n{above}```{kind}\n{text}```\n'

    def test_of_a_sample(self):
        self.assertEqual(self.errors_of(self.block('hello();\nthere();\n')), [])
        self.assertIn('[hello.cu](@ref sample_hello)', self.made())
        self.assertIn('Shown in: [A](@ref page)', self.made('pages/sample_hello.md'))

    def test_with_lines_left_out(self):
        self.assertEqual(self.errors_of(self.block('  hello();\n  ...\n  world();\n')), [])

    def test_of_its_output(self):
        above = '<!-- sample: docs/samples/hello.expected -->\n'
        self.assertEqual(self.errors_of(self.block('hello\nworld\n', above, 'console')), [])
        self.assert_told(self.block('hello\nthere\n', above, 'console'), 'does not occur in docs/samples/hello.expected')

    def test_that_differ_are_told(self):
        self.assert_told(self.block('hello();\nworld();\n'), 'docs/page.md:4: this block does not occur in docs/samples/hello.cu')

    def test_in_another_order_are_told(self):
        self.assert_told(self.block('world();\n...\nhello();\n'), 'does not occur')

    def test_of_half_a_line_are_told(self):
        self.assert_told(self.block('hello()\n'), 'does not occur')

    def test_without_a_sample_are_told(self):
        self.assert_told(self.block('hello();\n', above=''), 'a block of cpp needs "<!-- sample: FILE -->" above it')
        self.assert_told(self.block('$ ./lab\n', above='', kind='console'), 'a block of console needs')

    def test_of_no_file_are_told(self):
        self.assert_told(self.block('hello();\n', above='<!-- sample: docs/samples/bye.cu -->\n'), 'there is no docs/samples/bye.cu')

    def test_of_other_kinds_need_none(self):
        self.assertEqual(self.errors_of(self.block('anything\n', above='', kind='sh')), [])

    def test_of_dot_are_drawn(self):
        self.put('docs/page.md', self.block('digraph { a -> b }\n', above='', kind='dot'))
        dot = self.source / 'dot'
        self.put('dot', '#!/bin/sh\necho "<?xml?><svg id=\\"x\\"><!-- $(cat) --></svg>"\n')
        dot.chmod(0o755)
        self.assertEqual(pages.Site(self.source, self.output, dot).make(), [])
        self.assertIn('<div class="graph">\n<svg></svg>\n</div>', self.made())
        self.put('dot', '#!/bin/sh\necho "syntax error" >&2; exit 1\n')
        self.assertEqual(pages.Site(self.source, self.output, dot).make(), ['docs/page.md:3: syntax error'])

    def test_of_dot_stay_text_without_it(self):
        self.assertEqual(self.errors_of(self.block('digraph { a -> b }\n', above='', kind='dot')), [])
        self.assertIn('```\ndigraph { a -> b }\n```\n', self.made())

    def test_without_an_end_are_told(self):
        self.assert_told('# A\n\n```\nhello\n', 'docs/page.md:3: this block has no end')

    def test_sample_without_expected_output_is_told(self):
        self.put('docs/samples/silent.cu', '// Quiet.\n')
        self.assert_told('# A\n', 'docs/samples/silent.cu: there is no docs/samples/silent.expected')


class Menu(Tree):
    def test_solutions_are_behind_a_warning(self):
        self.assertEqual(self.errors_of('# A\n'), [])
        warning = self.made('pages/solution_01_first_warning.md')
        self.assertIn('@warning', warning)
        self.assertIn('(@ref lab_01_first)', warning)
        self.assertNotIn('solved\n', warning)
        self.assertIn('// solved', self.made('pages/solution_01_first.md'))
        self.assertIn('solution_01_first_warning', self.made('layout.xml'))
        self.assertNotIn('"@ref solution_01_first"', self.made('layout.xml'))

    def test_a_page_that_is_gone_is_gone(self):
        self.errors_of('# A\n')
        (self.source / 'docs/page.md').unlink()
        pages.Site(self.source, self.output).make()
        self.assertFalse((self.output / 'pages/page.md').exists())


class BrokenLinks(unittest.TestCase):
    def broken(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name.replace('_', '.')).write_text(text, encoding='utf-8')
            return [link for _, link, _ in links.broken_links(folder)]

    def test_files_and_anchors(self):
        self.assertEqual(self.broken(
            a_html='<a id="x"/><a href="b.html#y">, <a href="#x">, <a href="https://example.org/">, <img src="c.css">',
            b_html='<h1 id="y">', c_css=''), [])
        self.assertEqual(self.broken(a_html='<a href="b.html">'), ['b.html'])
        self.assertEqual(self.broken(a_html='<img src="b.png">'), ['b.png'])
        self.assertEqual(self.broken(a_html='<a href="#x">'), ['#x'])
        self.assertEqual(self.broken(a_html='<a href="b.html#x">', b_html='<a id="y">'), ['b.html#x'])

    def test_menus(self):
        self.assertEqual(self.broken(a_html='', menudata_js='{text:"A",url:"a.html"},{text:"B",url:"b.html"}'), ['b.html'])
        self.assertEqual(self.broken(a_html='', navtreedata_js='[ "A", "a.html", null ],\n[ "B", "a.html#b", "b" ]'), ['a.html#b'])


class TheCourse(unittest.TestCase):
    def test_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(pages.Site(SOURCE, folder).make(), [])


if __name__ == '__main__':
    SOURCE = Path(sys.argv.pop(1))
    unittest.main()
