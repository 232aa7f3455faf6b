# shellcheck shell=bash
# The shards bench of bench/run.

shards()
{
    local union lateral any name cost

    make_server
    psql -v method="$method" -f bench/shards/load.sql >/dev/null
    parameters+=(
        -D event='EVENT#500'
        -D event_values='{":p": "EVENT#500", ":s": "ORDER#"}'
    )
    echo "# Write shards"
    echo
    header
    echo "- 1,000 partitions of 200 items over 10 shards; a whole prepared statement, instructions by callgrind, difference of two counts"
    echo
    if [ "${ROUNDS:-1}" -gt 0 ]; then
        echo "## Puts per second, one hot partition key, 8 clients"
        echo
        echo "| shards | puts per second |"
        echo "|---|---|"
        for name in 1 10; do
            echo "| $name | $(puts_per_second "$name") |"
        done
        echo
    fi
    count_instructions
    # the first session makes the relation cache's file and reads everything
    session_cost <<'END' >/dev/null
SELECT count(attributes) FROM sharded;
SELECT count(item) FROM by_hand;
SET enable_seqscan = off;
SELECT count(*) FROM sharded;
SELECT count(*) FROM by_hand;
END
    union=$(per_statement shards/union_by_hand)
    lateral=$(per_statement shards/lateral_by_hand)
    any=$(per_statement shards/any_by_hand)
    echo "## Newest 10 over 10 shards, with a prefix"
    echo
    echo "| against | by hand | ours | ratio | goal |"
    echo "|---|---|---|---|---|"
    for name in query:newest_by_item SQL:newest_by_sql; do
        cost=$(per_statement "shards/${name#*:}")
        row "UNION ALL of ordered limits, ${name%:*}" "$union" "$cost" "0.4"
        row "LATERAL, ${name%:*}" "$lateral" "$cost" ""
        row "= ANY and a sort, ${name%:*}" "$any" "$cost" ""
    done
}

# puts_per_second SHARDS: timed, and as good as the machine is quiet
puts_per_second()
{
    "$bindir/pgbench" -n -M prepared -c 8 -j 2 -T "${SECONDS_EACH:-10}" \
        -D shards="$1" -f bench/shards/put_hot.sql 2>/dev/null |
        sed -n 's/^tps = \([0-9]*\).*/\1/p'
}
