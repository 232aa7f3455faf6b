#!/bin/bash
#
# selftest.sh
#
# Proves that the lint can fail: plants one fault at a time in a copy of the
# tree and demands that the rule finds it, naming the file.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
status=0

fresh_copy()
{
    rm -rf "${copy:?}"/*
    cp -r "$here/../../src" "$here/../../sql" "$copy"
}

# expect RULE WORDS: the rule fails on the copy and says the words
expect()
{
    local said

    if said=$(cd "$copy" && python3 "$here/$1.py" 2>&1); then
        echo "$1.py passed although: $2"
        status=1
    elif ! grep -qF -- "$2" <<<"$said"; then
        echo "$1.py did not say \"$2\" but:"
        echo "$said"
        status=1
    fi
}

plant()
{
    fresh_copy
    mkdir -p "$copy/$(dirname "$1")"
    printf '%b' "$2" >>"$copy/$1"
}

plant src/base/base_planted.c '#include "store/store.h"\n'
expect layers 'base includes store/store.h: up in the layers'
plant src/item/item_planted.c '#include "ptree/ptree.h"\n'
expect layers 'item includes ptree/ptree.h: sideways in the layers'
plant src/scan/scan_planted.c '#include "expr/expr_private.h"\n'
expect layers 'expr/expr_private.h is private to expr'
plant src/store/planted.c '\n'
expect layers 'src/store/planted.c:1: the name lacks the prefix "store"'
plant src/store/item.h '#ifndef PT_ITEM_H\n#define PT_ITEM_H\n#endif\n'
expect layers 'a second file of this name'
plant src/key/key_planted.h '#ifndef KEY_H\n#define KEY_H\n#endif\n'
expect layers 'include guard is KEY_H, not PT_KEY_PLANTED_H'
plant src/meta/meta_planted.c '#if PG_VERSION_NUM >= 170000\n#endif\n'
expect layers 'src/meta/meta_planted.c:1: only base/compat.h asks'

plant sql/parts/planted.sql 'CREATE OR REPLACE VIEW partitioning.v AS SELECT 1;\n'
expect scripts 'planted.sql:1: CREATE OR REPLACE'
plant sql/parts/planted.sql 'CREATE TABLE IF NOT EXISTS partitioning.t ();\n'
expect scripts 'planted.sql:1: IF NOT EXISTS'
plant sql/parts/planted.sql '-- a comment\nCREATE TABLE t ();\n'
expect scripts 'planted.sql:2: TABLE t is not schema-qualified'
plant sql/parts/planted.sql 'CREATE TYPE partitioning.planted AS (a int);\n'
expect scripts 'TYPE partitioning.planted has no COMMENT ON'
function='CREATE FUNCTION partitioning.f() RETURNS int LANGUAGE sql'
plant sql/parts/planted.sql "$function STRICT PARALLEL SAFE AS 'SELECT 1';\n"
expect scripts 'planted.sql:1: the function does not say its volatility'
plant sql/parts/planted.sql "$function IMMUTABLE PARALLEL SAFE AS 'SELECT 1';\n"
expect scripts 'does not say STRICT'
plant sql/parts/planted.sql "$function STABLE STRICT AS \$\$ PARALLEL SAFE \$\$;\n"
expect scripts 'does not say its parallel safety'
plant sql/parts/planted.sql \
    "$function STABLE STRICT PARALLEL SAFE SECURITY DEFINER AS 'SELECT 1';\n"
expect scripts 'SECURITY DEFINER without SET search_path'

fresh_copy
printf 'see /%s/somebody/tree\n' home >"$copy/planted.md"
expect texts 'planted.md:1: a path of some machine'
printf '%s://packages.example.net/x\n' https >"$copy/planted.md"
expect texts 'planted.md:1: an address that is not public'
printf '[words](nowhere.md)\n' >"$copy/planted.md"
expect texts 'planted.md: a link to nowhere: nowhere.md'
printf 'words \n' >"$copy/planted.md"
expect texts 'planted.md:1: white space at the end'

server=$("${PG_CONFIG:-pg_config}" --bindir 2>/dev/null)/postgres
if [ -x "$server" ] && "$here/symbols.sh" "$server" >/dev/null; then
    echo "symbols.sh passed on a library with all symbols of the server"
    status=1
fi
exit "$status"
