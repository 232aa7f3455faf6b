#!/usr/bin/env python3
"""Transactions with tokens under a server that is killed.

crash.py work CONNINFO FOLDER [--clients N]
crash.py check CONNINFO FOLDER

"work" writes three items of two tables in each transaction until the server
goes away, and keeps in FOLDER what it sent and what was acknowledged.
"check" demands that of each transaction all or nothing is there, its token
included, and all if it was acknowledged; then it sends everything again, after
which each has been applied exactly once.  Exit status 1 otherwise.
"""

import argparse
import itertools
import os
import sys

import client


def actions(number, name):
    """The transaction of a name."""
    return (
        ("put", {"table": "left", "item": {"id": name},
                 "condition": "attribute_not_exists(id)"}),
        ("put", {"table": "right", "item": {"id": name, "from": "left"}}),
        ("update", {"table": "right", "key": {"id": "client %d" % number},
                    "update": "ADD n :one", "values": {":one": 1}}))


def run_client(number, conninfo, folder):
    """Sends transactions until the connection is lost."""
    start = len(names(folder, number, ".sent"))
    path = os.path.join(folder, "client%d" % number)
    try:
        session = client.Connection(conninfo)
    except client.Lost:
        return 0
    with open(path + ".sent", "a", encoding="ascii") as sent, \
            open(path + ".done", "a", encoding="ascii") as done:
        for i in itertools.count(start):
            name = "%d-%d" % (number, i)
            print(name, file=sent, flush=True)
            try:
                session.transact_write(*actions(number, name), token=name)
            except client.Lost:
                return i
            print(name, file=done, flush=True)
    return None


def names(folder, number, suffix):
    """The names that a client has noted."""
    path = os.path.join(folder, "client%d%s" % (number, suffix))
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii") as lines:
        return lines.read().split()


def check(session, folder, clients):
    """Everything that is wrong, as text."""
    wrong = []
    total = 0
    for number in range(clients):
        sent = names(folder, number, ".sent")
        done = set(names(folder, number, ".done"))
        there = present(session, sent)
        for name in sent:
            if len(set(there[name])) != 1:
                wrong.append("%s is half there: %s" % (name, there[name]))
            elif name in done and not there[name][0]:
                wrong.append("%s was acknowledged and is lost" % name)
        before = sum(1 for name in sent if there[name][0])
        total += before
        for name in sent:
            session.transact_write(*actions(number, name), token=name)
        counts = session.transact_get("right",
                                      [{"id": "client %d" % number}])
        count = 0 if counts[0] is None else counts[0]["n"]
        if count != len(sent):
            wrong.append("client %d: %d transactions were applied %d times"
                         % (number, len(sent), count))
    print("%d transactions survived" % total)
    return wrong


def present(session, sent):
    """Which of a transaction's items and token are there."""
    rows = session.run(
        "SELECT t, EXISTS (SELECT FROM \"left\" WHERE pk = t),"
        " EXISTS (SELECT FROM \"right\" WHERE pk = t),"
        " EXISTS (SELECT FROM partitioning.transaction_tokens"
        " WHERE token = t) FROM unnest($1::text[]) AS t",
        "{%s}" % ",".join(sent))
    return {row[0]: [value == "t" for value in row[1:]] for row in rows}


def main():
    """Works, or checks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("work", "check"))
    parser.add_argument("conninfo")
    parser.add_argument("folder")
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()

    if options.what == "work":
        client.run_clients(options.clients, run_client, options.conninfo,
                           options.folder)
        return
    session = client.Connection(options.conninfo)
    wrong = check(session, options.folder, options.clients)
    for line in wrong[:10]:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
