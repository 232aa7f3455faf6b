"""
Rules of the extension's SQL (sql/parts/*.sql).

A script runs with the rights of a superuser in a database that others have
prepared, so it never adopts an object that is already there, and names every
object with its schema.  Every function says its volatility, its behaviour on
null input and its parallel safety; every object of a kind that people meet
has a comment.
"""
import glob
import re
import sys

# A comment, a string, a dollar-quoted body or a quoted name.
TOKEN = re.compile(r"""
    --[^\n]* | /\*.*?\*/ | '(?:[^']|'')*' | "[^"]*" |
    \$(\w*)\$.*?\$\1\$ | ; """, re.X | re.S)

# Kinds that need a schema and a comment.
OBJECT = re.compile(r"""^CREATE\s+(?:UNLOGGED\s+)?
    (FUNCTION|PROCEDURE|AGGREGATE|TYPE|DOMAIN|TABLE|VIEW|SEQUENCE|
     OPERATOR\s+CLASS|OPERATOR\s+FAMILY|OPERATOR|CAST|ACCESS\s+METHOD|
     EVENT\s+TRIGGER)
    \s+(.*)""", re.X | re.S | re.I)
COMMENT = re.compile(r'^COMMENT\s+ON\s+(\w+(?:\s+(?:CLASS|FAMILY|METHOD|'
                     r'TRIGGER))?)\s+(.*?)\s+IS\b', re.S | re.I)
GLOBAL_KINDS = {'CAST', 'ACCESS METHOD', 'EVENT TRIGGER'}
SCHEMA = 'partitioning.'

faults = []


def statements(text):
    """Yields (line, statement without comments and bodies)."""
    start = position = 0
    pieces = []
    for match in TOKEN.finditer(text):
        token = match.group(0)
        pieces.append(text[position:match.start()])
        position = match.end()
        if token == ';':
            yield locate(text, start), ''.join(pieces).strip()
            start, pieces = position, []
        elif token[0] in '\'"':
            pieces.append(token)
        elif token[0] == '$':
            pieces.append(' $$ ')
    rest = ''.join(pieces) + text[position:]
    rest = re.sub(r'^\\.*$', '', rest, flags=re.M).strip()
    if rest:
        faults.append('the last statement has no semicolon: %s' % rest[:60])


def locate(text, start):
    """Line of the first code at or after start."""
    gap = re.match(r'(?:\s|--[^\n]*\n|/\*.*?\*/|\\[^\n]*\n)*', text[start:],
                   re.S)
    return text.count('\n', 0, start + gap.end()) + 1


def kind_of(words):
    return re.sub(r'\s+', ' ', words).upper()


def name_of(kind, rest):
    """The object's name; an operator's and a cast's with what follows."""
    if kind == 'CAST':
        return re.sub(r'\s+', ' ', rest.split(')')[0]).strip() + ')'
    return re.split(r'[\s(]', rest.strip(), 1)[0]


def check_function(where, statement):
    bare = re.sub(r"'(?:[^']|'')*'", "''", statement)
    rules = [
        (r'\b(IMMUTABLE|STABLE|VOLATILE)\b', 'its volatility'),
        (r'\b(STRICT|ON\s+NULL\s+INPUT)\b', 'STRICT or CALLED ON NULL INPUT'),
        (r'\bPARALLEL\s+(SAFE|UNSAFE|RESTRICTED)\b', 'its parallel safety'),
    ]
    for pattern, what in rules:
        if not re.search(pattern, bare, re.I):
            faults.append('%s: the function does not say %s' % (where, what))
    if re.search(r'\bSECURITY\s+DEFINER\b', bare, re.I) and not re.search(
            r'\bSET\s+search_path\s*(=|TO)\s*pg_catalog\s*,\s*pg_temp\b',
            bare, re.I):
        faults.append('%s: SECURITY DEFINER without SET search_path = '
                      'pg_catalog, pg_temp' % where)


def check_statement(where, statement, created, commented):
    if re.match(r'CREATE\s+OR\s+REPLACE\b', statement, re.I):
        faults.append('%s: CREATE OR REPLACE adopts a foreign object' % where)
    if re.match(r'CREATE\b.*?\bIF\s+NOT\s+EXISTS\b', statement, re.I | re.S):
        faults.append('%s: IF NOT EXISTS adopts a foreign object' % where)
    match = OBJECT.match(re.sub(r'\bOR\s+REPLACE\s+', '', statement,
                                flags=re.I))
    if match:
        kind = kind_of(match.group(1))
        name = name_of(kind, match.group(2))
        if kind not in GLOBAL_KINDS and not name.startswith(SCHEMA):
            faults.append('%s: %s %s is not schema-qualified'
                          % (where, kind, name))
        if kind in ('FUNCTION', 'PROCEDURE'):
            check_function(where, statement)
        # A shell type is completed, and commented, further down.
        created.setdefault((kind, name), []).append(where)
    match = COMMENT.match(statement)
    if match:
        kind = kind_of(match.group(1))
        key = kind, name_of(kind, match.group(2))
        commented[key] = commented.get(key, 0) + 1


def check_comments(created, commented):
    for (kind, name), places in sorted(created.items()):
        wanted = 1 if kind == 'TYPE' else len(places)
        missing = wanted - commented.get((kind, name), 0)
        if missing > 0:
            faults.append('%s: %s %s has no COMMENT ON'
                          % (places[-1], kind, name))


def main():
    created, commented = {}, {}
    paths = sorted(glob.glob('sql/parts/*.sql'))
    for path in paths:
        with open(path, encoding='utf-8') as script:
            text = script.read()
        for line, statement in statements(text):
            check_statement('%s:%d' % (path, line), statement, created,
                            commented)
    check_comments(created, commented)
    if not paths:
        faults.append('no scripts found under sql/parts/')
    print('\n'.join(faults))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
