"""
Rules of every text file: no path into somebody's machine, no addresses but
those of public documentation, no link to nowhere, no white space at line
ends, a final newline.
"""
import os
import re
import sys

MACHINE_PATH = re.compile(r'(^|[^\w.])/(home|root|Users|mnt|media|opt|work)/')
ADDRESS = re.compile(r'https?://([^\s/:"\'<>)\]]+)')
PUBLIC = re.compile(r'^(www\.postgresql\.org|docs\.aws\.amazon\.com|'
                    r'aws\.amazon\.com|en\.wikipedia\.org|datatracker\.ietf\.org|'
                    r'(www\.)?w3\.org|localhost|127\.0\.0\.1|.*\.?example\.(com|org))$',
                    re.I)
LINK = re.compile(r'\]\(([^)\s]+)\)')
SKIPPED_FOLDERS = {'.git', 'tmp', 'results', 'output_iso', 'log',
                   'node_modules', '__pycache__', 'out', 'tmp_check',
                   'tmp_check_iso'}
TEXT = re.compile(r'(\.(c|h|y|l|sql|py|sh|pl|pm|md|txt|conf|spec|control|svg|'
                  r'json|js|mjs)|Makefile|README|LICENSE|/(run|root|suite|'
                  r'prepare|as-user|quickstart))$')
GENERATED = {'./src/expr/expr_gram.c', './src/expr/expr_gram.h',
             './src/expr/expr_scan.c'}

faults = []


def text_files():
    for folder, folders, names in os.walk('.'):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        for name in sorted(names):
            path = os.path.join(folder, name)
            if TEXT.search(path) and path not in GENERATED:
                yield path


def check_line(where, line):
    match = MACHINE_PATH.search(line)
    if match:
        faults.append('%s: a path of some machine: %s'
                      % (where, match.group(0).strip()))
    for host in ADDRESS.findall(line):
        if not PUBLIC.match(host):
            faults.append('%s: an address that is not public documentation: '
                          '%s' % (where, host))
    if line != line.rstrip():
        faults.append('%s: white space at the end of the line' % where)


def check_links(path, text):
    """Relative links of a document lead to files that are there."""
    text = re.sub(r'```.*?```', '', text, flags=re.S)
    for target in LINK.findall(text):
        if not re.match(r'[a-z]+:|#', target):
            wanted = os.path.join(os.path.dirname(path), target.split('#')[0])
            if not os.path.exists(wanted):
                faults.append('%s: a link to nowhere: %s'
                              % (path[2:], target))


def main():
    for path in text_files():
        try:
            with open(path, encoding='utf-8') as source:
                text = source.read()
        except UnicodeDecodeError:
            faults.append('%s: not UTF-8' % path)
            continue
        for number, line in enumerate(text.split('\n'), 1):
            check_line('%s:%d' % (path[2:], number), line)
        if path.endswith('.md'):
            check_links(path, text)
        if text and not text.endswith('\n'):
            faults.append('%s: no newline at the end' % path[2:])
    print('\n'.join(faults))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
