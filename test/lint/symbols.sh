#!/bin/bash
#
# symbols.sh [LIBRARY [POSTGRES]]
#
# No symbol that the library exports may be one that the server exports too:
# servers before 16 load libraries with every symbol visible, and the wrong
# one could be called.
set -euo pipefail

library=${1:-partitioning.so}
server=${2:-$("${PG_CONFIG:-pg_config}" --bindir)/postgres}

exported()
{
    nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | sort -u
}

clashes=$(comm -12 <(exported "$library") <(exported "$server") |
    grep -vxE '_init|_fini|_PG_init|Pg_magic_func' || true)
if [ -n "$clashes" ]; then
    sed "s|^|$library: the server exports this symbol too: |" <<<"$clashes"
    exit 1
fi
