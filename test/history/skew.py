#!/usr/bin/env python3
"""Write skew and tokens: many clients meet in rounds.

skew.py CONNINFO [--rounds N] [--clients N] [--without-locks]

In each round half of the clients check one item and write the other, and the
other half do the reverse, on items that exist and on items that do not.  Both
may be written only if somebody did not check.  In each round, too, all
clients send one transaction with one token: it is applied once.  Exit status 1
when any of this fails; with --without-locks when nothing does.
"""

import argparse
import multiprocessing
import sys

import client


def run_client(number, conninfo, options, barrier):
    """One client; returns how many of its transactions succeeded."""
    settings = ["partitioning.debug_key_locks = off"] \
        if options.without_locks else []
    session = client.Connection(conninfo, settings)
    applied = 0
    for number_of_round in range(options.rounds):
        for kind in ("present", "absent"):
            keys = ["%s %d %s" % (kind, number_of_round, side)
                    for side in "ab"]
            if number % 2:
                keys.reverse()
            barrier.wait()
            applied += meet(session, kind, *keys)
        barrier.wait()
        session.transact_write(
            ("update", {"table": "counters",
                        "key": {"id": "token"},
                        "update": "ADD n :one", "values": {":one": 1}}),
            ("put", {"table": "counters",
                     "item": {"id": "round %d" % number_of_round}}),
            token="round %d" % number_of_round)
    return applied


def meet(session, kind, checked, written):
    """Writes one item if the other is as it was; tells whether it did."""
    check = {"table": "counters", "key": {"id": checked}}
    if kind == "absent":
        check.update(condition="attribute_not_exists(id)")
        write = ("put", {"table": "counters", "item": {"id": written},
                         "condition": "attribute_not_exists(id)"})
    else:
        check.update(condition="held = :yes", values={":yes": True})
        write = ("update", {"table": "counters", "key": {"id": written},
                            "update": "SET held = :no",
                            "condition": "held = :yes",
                            "values": {":yes": True, ":no": False}})
    session.run("BEGIN")
    try:
        session.transact_write(("check", check), write)
        session.run("COMMIT")
        return 1
    except client.Failed as failure:
        if failure.sqlstate != "IM008" or \
                "TransactionConflict" in failure.detail:
            raise
        session.run("ROLLBACK")
        return 0


def main():
    """Makes the items, runs the clients, counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("conninfo")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--without-locks", action="store_true")
    options = parser.parse_args()

    session = client.Connection(options.conninfo)
    session.run("SET client_min_messages = warning")
    session.run("DROP TABLE IF EXISTS counters")
    session.run("DELETE FROM partitioning.transaction_tokens")
    session.run("SELECT create_table('counters', 'id')")
    session.run("SELECT batch_write('counters', (SELECT array_agg("
                "jsonb_build_object('id', format('present %s %s', i, s),"
                " 'held', true)::item) FROM generate_series(0, $1::int - 1) i,"
                " unnest('{a,b}'::text[]) s))", str(options.rounds))
    barrier = multiprocessing.Barrier(options.clients)
    results = client.run_clients(options.clients, run_client,
                                 options.conninfo, options, barrier)

    (counted,), = session.run(
        "SELECT attributes['n']::text FROM counters WHERE pk = 'token'")
    present, absent = session.run(
        "SELECT count(*) FILTER (WHERE pk LIKE 'present%' AND"
        " (attributes['held'])::text = 'false'),"
        " count(*) FILTER (WHERE pk LIKE 'absent%') FROM counters")[0]
    expected = options.rounds
    print("%d rounds of %d clients: %s of present and %s of absent items "
          "written, %d transactions applied, tokens applied %s"
          % (options.rounds, options.clients, present, absent, sum(results),
             counted))
    exact = (int(present), int(absent)) == (expected, expected)
    tokens = int(counted) == expected
    sys.exit(0 if tokens and exact != options.without_locks else 1)


if __name__ == "__main__":
    main()
