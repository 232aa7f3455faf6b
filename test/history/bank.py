#!/usr/bin/env python3
"""Moves money between few accounts while others sum it.

bank.py CONNINFO [--transfers N] [--writers N] [--readers N] [--seed N]

The sum that a reader sees in one transact_get() never changes, no balance is
negative, and in the end each account has counted exactly the transfers that
were acknowledged.  Exit status 1 when any of this fails.
"""

import argparse
import multiprocessing
import random
import sys
import time

import client

ACCOUNTS = 10
BALANCE = 100
KEYS = [{"id": i} for i in range(ACCOUNTS)]


def write(number, conninfo, transfers, seed, done):
    """One writer; returns how many transfers were refused."""
    session = client.Connection(conninfo)
    chance = random.Random(seed * 1000 + number)
    refused = 0
    made = 0
    while made < transfers:
        payer, payee = chance.sample(KEYS, 2)
        amount = chance.randint(1, 30)
        try:
            session.transact_write(
                ("update", {"table": "accounts", "key": payer,
                            "update": "SET n = n - :a ADD paid :one",
                            "condition": "n >= :a",
                            "values": {":a": amount, ":one": 1}}),
                ("update", {"table": "accounts", "key": payee,
                            "update": "SET n = n + :a ADD received :one",
                            "values": {":a": amount, ":one": 1}}))
            made += 1
        except client.Failed as failure:
            if failure.sqlstate != "IM008" or \
                    "TransactionConflict" in failure.detail:
                raise
            refused += 1
    with done.get_lock():
        done.value += 1
    return refused


def read(conninfo, writers, done):
    """One reader; returns how often it read, and the first wrong sum."""
    session = client.Connection(conninfo)
    reads = 0
    while done.value < writers:
        balances = [item["n"] for item in
                    session.transact_get("accounts", KEYS)]
        reads += 1
        if sum(balances) != ACCOUNTS * BALANCE or min(balances) < 0:
            return reads, balances
    return reads, None


def run_client(number, conninfo, options, seed, done):
    """A writer or, after these, a reader."""
    if number < options.writers:
        return write(number, conninfo, options.transfers // options.writers,
                     seed, done)
    return read(conninfo, options.writers, done)


def main():
    """Makes the accounts, runs the clients, counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("conninfo")
    parser.add_argument("--transfers", type=int, default=20000)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()

    seed = client.seed_from(options.seed)
    session = client.Connection(options.conninfo)
    session.run("SET client_min_messages = warning")
    session.run("DROP TABLE IF EXISTS accounts")
    session.run("SELECT create_table('accounts', 'id',"
                " attribute_types => '{\"id\": \"N\"}')")
    for key in KEYS:
        session.transact_write(("put", {"table": "accounts", "item": dict(
            key, n=BALANCE, paid=0, received=0)}))
    done = multiprocessing.Value("i", 0)
    started = time.time()
    results = client.run_clients(options.writers + options.readers,
                                 run_client, options.conninfo, options, seed,
                                 done)
    seconds = time.time() - started

    refused = sum(results[:options.writers])
    reads = results[options.writers:]
    items = session.transact_get("accounts", KEYS)
    made = options.transfers // options.writers * options.writers
    wrong = [balances for _, balances in reads if balances is not None]
    print("%d transfers in %.0f s, %d refused, %d sums read, %d of them wrong"
          % (made, seconds, refused, sum(count for count, _ in reads),
             len(wrong)))
    for balances in wrong:
        print("wrong: %s" % balances)
    for what, expected in (("n", ACCOUNTS * BALANCE), ("paid", made),
                           ("received", made)):
        total = sum(item[what] for item in items)
        if total != expected:
            wrong.append(what)
            print("sum of %s is %d, not %d" % (what, total, expected))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
