#!/usr/bin/env python3
"""Whether every link within a folder of HTML leads somewhere, anchors and the menu's data too: links.py FOLDER"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == 'id' or (name == 'name' and tag == 'a'):
                self.anchors.add(value)
            elif name in ('href', 'src', 'data') and value:
                self.links.append((self.getpos()[0], value))


# The menu and the sidebar are made by scripts: of menudata.js, and of files with lines like [ "Title", "page.html#place", ... ].
IN_SCRIPT = re.compile(r'url:"([^"]+)"|\[ "[^"]*", "([^"]+)", ')


def broken_links(folder):
    """(where, link, what is wrong) of each link that leads nowhere."""
    folder = Path(folder)
    pages = {path.relative_to(folder).as_posix(): Page(path.read_text(encoding='utf-8', errors='replace'))
             for path in folder.rglob('*.html')}
    links = [(f'{name}:{line}', Path(name).parent, link) for name, page in pages.items() for line, link in page.links]
    for path in folder.glob('*.js'):
        links += [(path.name, Path('.'), match[1] or match[2])
                  for match in IN_SCRIPT.finditer(path.read_text(encoding='utf-8', errors='replace'))]
    for where, base, link in links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        name = (base / unquote(parts.path)).as_posix() if parts.path else where.rsplit(':', 1)[0]
        if name not in pages:
            if not (folder / name).exists():
                yield where, link, 'there is no such file'
        elif parts.fragment and unquote(parts.fragment) not in pages[name].anchors:
            yield where, link, 'the page has no such anchor'


def main():
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / 'index.html').is_file():
        sys.exit('usage: links.py FOLDER (with an index.html in it)')
    broken = list(broken_links(sys.argv[1]))
    for where, link, reason in broken:
        print(f'error: {where}: {link}: {reason}', file=sys.stderr)
    sys.exit(1 if broken else 0)


if __name__ == '__main__':
    main()
