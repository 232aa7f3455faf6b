# The group "http" of bench/run: the endpoint against dynalite, under wrk, and
# against pgbench doing the same by hand.  The three take turns, ROUNDS times
# SECONDS_EACH seconds for each work, and the medians are compared.

rounds=${ROUNDS:-3}
seconds_each=${SECONDS_EACH:-5}
connections=${CONNECTIONS:-16}
http_workers=${HTTP_WORKERS:-2}
http_port=${HTTP_PORT:-5998}
dynalite_port=${DYNALITE_PORT:-5997}

http_needs()
{
    local command

    for command in wrk node npm; do
        command -v "$command" >/dev/null || {
            echo "bench: http needs $command" >&2
            exit 1
        }
    done
}

http_server()
{
    make_server
    cat >>"$data/postgresql.conf" <<END
max_connections = 100
partitioning.http_port = $http_port
partitioning.http_workers = $http_workers
partitioning.http_database = 'bench'
partitioning.http_auth = 'none'
partitioning.http_role = 'web'
END
    users=${USERS:-1000} load
    psql -c 'CREATE ROLE web LOGIN' \
        -c 'GRANT SELECT, INSERT, UPDATE, DELETE ON app TO web' \
        -c 'VACUUM (ANALYZE) app' -c 'VACUUM (ANALYZE) hand_written'
    stop_server
    start_server
    until curl -sf "http://127.0.0.1:$http_port/" >/dev/null; do sleep 0.1; done
}

dynalite_server()
{
    (cd "$work" && npm --silent --no-fund --no-audit install dynalite@4.0.0 >/dev/null 2>&1) || {
        echo "bench: npm could not install dynalite" >&2
        exit 1
    }
    node "$work/node_modules/.bin/dynalite" --port "$dynalite_port" \
        --createTableMs 0 >"$work/dynalite.log" 2>&1 &
    dynalite=$!
    until curl -s "http://127.0.0.1:$dynalite_port/" >/dev/null; do sleep 0.1; done
    psql -At <<'END' | node bench/http/load.js "$dynalite_port"
SELECT 'CreateTable {"TableName":"app","AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"BillingMode":"PAY_PER_REQUEST"}';
SELECT pg_sleep(1) \g /dev/null
SELECT format('BatchWriteItem {"RequestItems":{"app":[%s]}}',
    string_agg(format('{"PutRequest":{"Item":%s}}', item), ','))
FROM (SELECT partitioning.to_dynamodb_json(partitioning.item_of(app)) AS item,
          (row_number() OVER () - 1) / 25 AS batch FROM app) s
GROUP BY batch;
END
}

# Processor time, in ticks, of a process, its children and those it waited for.
cpu_of()
{
    local pid

    for pid in "$1" $(pgrep -P "$1"); do
        sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null || true
    done | awk -v parent=1 'NR == 1 { sum += $14 + $15 } { sum += $12 + $13 } END { print sum }'
}

# sample NAME PID COMMAND...: the command prints "result RATE P50 P99 ERRORS"
sample()
{
    local before after result

    before=$(cpu_of "$2")
    result=$("${@:3}" | grep '^result')
    after=$(cpu_of "$2")
    read -r _ rate p50 p99 errors <<<"$result"
    [ "$errors" -eq 0 ] || echo "bench: $1: $errors errors" >&2
    echo "$rate $p50 $p99 $(awk -v t=$((after - before)) -v n="$rate" \
        -v s="$seconds_each" -v hz="$(getconf CLK_TCK)" \
        'BEGIN { printf "%.1f", t / hz * 1e6 / (n * s) }')" >>"$work/$1"
}

wrk_result()
{
    wrk -t1 -c"$connections" -d"${seconds_each}s" -s bench/http/requests.lua \
        "http://127.0.0.1:$2/" -- "$1" "${USERS:-1000}" "$RANDOM"
}

# pgbench logs every transaction, in microseconds.
pgbench_result()
{
    rm -f "$work"/pgbench_log.*
    (cd "$work" && "$bindir/pgbench" -n -M prepared -c "$connections" -j 1 \
        -T "$seconds_each" -f "$OLDPWD/bench/http/$1_by_hand.sql" -l \
        --log-prefix="$work/pgbench_log" "${parameters[@]}" \
        -D users="${USERS:-1000}") >"$work/pgbench.out" 2>&1 || {
        cat "$work/pgbench.out" >&2
        return 1
    }
    cat "$work"/pgbench_log.* | awk '{ print $3 }' | sort -n | awk \
        -v rate="$(awk '/^tps/ { printf "%d", $3 }' "$work/pgbench.out")" \
        '{ t[NR] = $1 } END { printf "result %d %.2f %.2f 0\n", rate,
            t[int(NR * 0.5) + 1] / 1000, t[int(NR * 0.99) + 1] / 1000 }'
}

median()
{
    cut -d' ' -f"$2" "$work/$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# report WORK WHAT BASE NAME: one line, with the ratios to the base
http_row()
{
    printf '| %s | %s | %s | %s | %s | %s | %s | %s |\n' "$1" "$2" \
        "$(median "$3" 1)" "$(median "$3" 2)" "$(median "$3" 3)" \
        "$(median "$3" 4)" \
        "$(awk -v a="$(median "ours-$1" 1)" -v b="$(median "$3" 1)" 'BEGIN { printf "%.2f", a / b }')" \
        "$(awk -v a="$(median "ours-$1" 4)" -v b="$(median "$3" 4)" 'BEGIN { printf "%.2f", a / b }')"
}

http()
{
    local what round postmaster

    http_needs
    http_server
    dynalite=
    trap 'kill $dynalite 2>/dev/null; stop_server; rm -rf "$work"' EXIT
    dynalite_server
    postmaster=$(head -n 1 "$data/postmaster.pid")
    for what in get put query; do
        for ((round = 0; round < rounds; round++)); do
            sample "ours-$what" "$postmaster" wrk_result "$what" "$http_port"
            sample "dynalite-$what" "$dynalite" wrk_result "$what" "$dynalite_port"
            [ "$what" = query ] ||
                sample "hand-$what" "$postmaster" pgbench_result "$what"
        done
    done
    echo "# HTTP: GetItem, PutItem, Query of 10"
    echo
    header
    echo "- $connections connections, $http_workers workers; $rounds rounds of $seconds_each s, medians; \
$((${USERS:-1000} * 20)) items; fsync off on both sides"
    echo "- wrk for the endpoint and for dynalite 4.0.0, pgbench -M prepared by hand, on the same processors"
    echo
    echo "| work | what | per second | p50, ms | p99, ms | server CPU, µs | ours / this, per second | ours / this, CPU |"
    echo "|---|---|---|---|---|---|---|---|"
    for what in get put query; do
        http_row "$what" "endpoint" "ours-$what"
        http_row "$what" "dynalite" "dynalite-$what"
        [ "$what" = query ] || http_row "$what" "pgbench by hand" "hand-$what"
    done
}
