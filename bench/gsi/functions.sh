# functions.sh
#
# The part of bench/run that measures global indexes; see ../README.md.

seconds=${SECONDS_EACH:-4}
gsi_rounds=${ROUNDS:-5}

# The same function for a table: per_call_on FUNCTION TABLE
per_call_on()
{
    local few many

    few=$(echo "SELECT $1('$2', 500);" | session_cost)
    many=$(echo "SELECT $1('$2', 1500);" | session_cost)
    echo $(((many - few) / 1000))
}

# Writes per second of a script on a table, by four clients: writes SCRIPT TABLE
writes()
{
    sed "s/TABLE_NAME/$2/" "bench/gsi/$1.sql" >"$work/script.sql"
    "$bindir/pgbench" -n -M prepared -c 4 -T "$seconds" ${rate:+-R "$rate"} \
        -f "$work/script.sql" "${parameters[@]}" \
        -D move='SET #s = :state, GSI1PK = :key' -D state=:state -D key=:key \
        >"$work/pgbench.log" 2>&1 || {
        cat "$work/pgbench.log" >&2
        return 1
    }
    sed -n 's/^tps = \([0-9]*\).*/\1/p' "$work/pgbench.log"
}

# The worker of gc, as long as a command runs.
with_worker()
{
    local pid

    psql -c "CALL gc_worker($((seconds + 1)), 500)" &
    pid=$!
    "$@"
    wait "$pid"
}

gsi_median()
{
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

lag()
{
    psql -At -F ' | ' <<END
SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY lag)::numeric, 1),
    round(percentile_cont(0.99) WITHIN GROUP (ORDER BY lag)::numeric, 1), count(*)
FROM lags WHERE name = '$1'
END
}

# lag_at_half_load SCRIPT TABLE MAXIMUM
lag_at_half_load()
{
    local pid probes=$((seconds * 30))

    rate=$(($3 / 2)) writes "$1" "$2" >/dev/null &
    pid=$!
    psql -c "CALL probe('$2', $probes)"
    wait "$pid"
    echo "| $2 | $(lag "$2") |"
}

gsi()
{
    make_server
    load
    psql -v method="$method" -f bench/gsi/by_hand.sql -f bench/gsi/tables.sql >/dev/null
    psql -f bench/gsi/loops.sql
    psql -c 'VACUUM (ANALYZE, FREEZE)' -c 'CHECKPOINT'

    echo "# Writes of tables with global indexes"
    echo
    header
    echo "- $((users * 18)) items in each table; g: by hand, others: item tables; see README.md"
    gsi_wal
    if [ "$gsi_rounds" -gt 0 ]; then
        gsi_writes
        gsi_lag
    fi
    gsi_instructions
}

gsi_wal()
{
    local table wal cost

    echo
    echo "## WAL of a write that moves the item in the index, bytes"
    echo
    echo "| table | writer | worker |"
    echo "|---|---|---|"
    for table in g0 ga gb gc; do
        wal=$(psql -At -c "SELECT wal_of('move_by_hand', '$table', 1000)")
        cost=0
        [ "$table" != gc ] || cost=$(psql -At <<'END'
SELECT pg_current_wal_insert_lsn() AS before \gset
CALL gc_worker(0, 500);
SELECT (pg_current_wal_insert_lsn() - :'before')::bigint / 1000;
END
        )
        echo "| $table | $wal | $cost |"
    done
    for table in none async_1 async_5 async_20 sync_1 sync_5 sync_20; do
        wal=$(psql -At <<END
SELECT pg_current_wal_insert_lsn() AS before \gset
SELECT wal_of('move_by_item', '$table', 1000) AS wal \gset
SELECT count(flush_index('$table', index_name)) FROM item_indexes WHERE table_name = '$table' \g /dev/null
SELECT :wal || ' | ' || (pg_current_wal_insert_lsn() - :'before')::bigint / 1000 - :wal;
END
        )
        echo "| $table | $wal |"
    done
}

gsi_writes()
{
    local table none

    echo
    echo "## Writes per second, four clients, medians of $gsi_rounds rounds in turn"
    echo
    for ((i = 0; i < gsi_rounds; i++)); do
        for table in g0 ga gb gc; do
            if [ "$table" = gc ]; then
                with_worker writes move_by_hand gc >>"$work/tps.gc"
            else
                writes move_by_hand "$table" >>"$work/tps.$table"
            fi
        done
        for table in none async_1 none async_5 none async_20 none sync_1 none sync_5 none sync_20; do
            writes move_by_item "$table" >>"$work/tps.$table"
            flush "$table"
        done
    done
    echo "| table | writes/s | to none |"
    echo "|---|---|---|"
    for table in g0 ga gb gc none async_1 async_5 async_20 sync_1 sync_5 sync_20; do
        case $table in g?) none=g0 ;; *) none=none ;; esac
        echo "| $table | $(gsi_median <"$work/tps.$table") | $(ratio "$(gsi_median <"$work/tps.$table")" "$(gsi_median <"$work/tps.$none")") |"
    done
    echo
    echo "Goal: async_1 0.85."
}

gsi_lag()
{
    local table

    echo
    echo "## Lag at half load, ms"
    echo
    echo "| table | median | p99 | samples |"
    echo "|---|---|---|---|"
    seconds=$((seconds * 2))
    with_worker lag_at_half_load move_by_hand gc "$(gsi_median <"$work/tps.gc")"
    for table in async_1 async_5 async_20; do
        lag_at_half_load move_by_item "$table" "$(gsi_median <"$work/tps.$table")"
    done
    echo
    echo "Goal: p99 of async_1 100."
}

gsi_instructions()
{
    # whatever has been written to them, all tables are alike again
    psql -c 'VACUUM FULL' -c 'CALL warm()' -c 'VACUUM (ANALYZE, FREEZE)' -c 'CHECKPOINT'
    count_instructions
    # makes the relation cache's file for those after it
    session_cost <<'END' >/dev/null
SELECT nothing_by_item('none', 10), move_by_item('none', 10), move_by_item('async_20', 10), move_by_item('sync_20', 10);
END
    echo
    echo "## Instructions of the writer"
    echo
    echo "| work | table | instructions | to none |"
    echo "|---|---|---|---|"
    costs_on move_by_hand nothing_by_hand g0 ga gb gc
    costs_on move_by_item nothing_by_item none async_1 async_5 async_20 sync_1 sync_5 sync_20
    costs_on other_by_item nothing_by_item none keys_1 keys_5 keys_20
    echo
    echo "Goal: other_by_item of keys_1, keys_5 and keys_20 at most 1.05."
}

# costs_on FUNCTION NOTHING TABLE...: the first table is that without indexes
costs_on()
{
    local call=$1 nothing none='' table cost

    nothing=$(per_call_on "$2" "$3")
    shift 2
    for table in "$@"; do
        cost=$(($(per_call_on "$call" "$table") - nothing))
        none=${none:-$cost}
        echo "| $call | $table | $cost | $(ratio "$cost" "$none") |"
    done
}

ratio()
{
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'
}

flush()
{
    psql -At -c "SELECT count(flush_index('$1', index_name)) FROM item_indexes WHERE table_name = '$1'" >/dev/null
}
