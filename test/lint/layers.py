"""
Rules of src/: layer order, names, include guards, version differences.

layers.txt names the folders bottom to top, those of one layer on one line.
A file may include headers of its own folder and of lower layers; the module's
entry point, src/partitioning.c, may include any.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
VERSION_TEST = re.compile(r'^\s*#\s*(el)?if.*\bPG_VERSION_NUM\b')
GUARD = re.compile(r'^#ifndef\s+(\w+)\n#define\s+(\w+)\n', re.M)
SOURCE = re.compile(r'\.(c|h|y|l)$')

# The only files that may ask for the server's version.
VERSION_FILES = {'src/base/compat.h', 'src/ptree/ptree.c'}
# Folders whose files do not carry the folder's name as prefix.
PREFIXES = {'base': '', 'ptree': 'pt'}
# What flex and bison write.
GENERATED = {'src/expr/expr_gram.c', 'src/expr/expr_gram.h',
             'src/expr/expr_scan.c'}

faults = []


def fault(path, line, text):
    faults.append('%s:%d: %s' % (path, line, text))


def read_layers():
    """Folder -> layer number, 0 at the bottom."""
    layer = {}
    number = 0
    folder_here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder_here, 'layers.txt')) as lines:
        for line in lines:
            folders = line.split('#')[0].split()
            for folder in folders:
                layer[folder] = number
            number += bool(folders)
    return layer


def source_files():
    for folder, _, names in sorted(os.walk('src')):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if SOURCE.search(name) and path not in GENERATED:
                yield path


def check_include(path, number, header, layer):
    folder = path.split('/')[1]
    target = header.split('/')[0] if '/' in header else None
    if target not in layer:
        if target is None and os.path.exists('src/%s/%s' % (folder, header)):
            fault(path, number, 'write "%s/%s"' % (folder, header))
        return
    if path == 'src/partitioning.c' or target == folder:
        return
    if folder not in layer:
        fault(path, number, 'layers.txt does not name folder %s' % folder)
    elif header.endswith('_private.h'):
        fault(path, number, '%s is private to %s' % (header, target))
    elif layer[target] >= layer[folder]:
        way = 'sideways' if layer[target] == layer[folder] else 'up'
        fault(path, number, '%s includes %s: %s in the layers'
              % (folder, header, way))


def check_lines(path, text, layer):
    for number, line in enumerate(text.split('\n'), 1):
        match = INCLUDE.match(line)
        if match:
            check_include(path, number, match.group(1), layer)
        if VERSION_TEST.match(line) and path not in VERSION_FILES:
            fault(path, number, 'only base/compat.h asks for PG_VERSION_NUM')


def check_guard(path, text):
    name = os.path.basename(path)[:-2].upper()
    folder = path.split('/')[1].upper()
    match = GUARD.search(text)
    if not match or match.group(1) != match.group(2):
        fault(path, 1, 'no include guard')
    elif match.group(1) not in ('PT_%s_H' % name, 'PT_%s_%s_H'
                                % (folder, name)):
        fault(path, 1, 'include guard is %s, not PT_%s_H'
              % (match.group(1), name))


def check_name(path, seen):
    parts = path.split('/')
    name = parts[-1]
    if name in seen:
        fault(path, 1, 'a second file of this name: %s' % seen[name])
    seen[name] = path
    if len(parts) == 3:
        prefix = PREFIXES.get(parts[1], parts[1])
        if not name.startswith(prefix):
            fault(path, 1, 'the name lacks the prefix "%s"' % prefix)


def main():
    layer = read_layers()
    seen = {}
    for path in source_files():
        with open(path, encoding='utf-8') as source:
            text = source.read()
        check_name(path, seen)
        check_lines(path, text, layer)
        if path.endswith('.h'):
            check_guard(path, text)
    if not seen:
        faults.append('no sources found under src/')
    print('\n'.join(faults))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
