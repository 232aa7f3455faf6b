#!/usr/bin/env python3
"""Appends to lists from many clients and searches the history for anomalies.

list_append.py CONNINFO [--transactions N] [--clients N] [--seed N]
               [--isolation LEVEL] [--table KIND] [--without-locks]

Transactions have the given isolation level, "read committed" by default.  The
table is "plain" by default, "ptree" or "unlogged"; "partitioned"; or
"triggers": then it has some of its users', so that the executor makes the
changes.  Keys are few, and new ones follow all the time, so that many transactions meet
items that do not exist yet.  With --without-locks the lock of absent keys is
switched off, and up to ten histories are made until an anomaly is found: a
search that never finds one would prove nothing.  Exit status 1 when the
expectation fails.
"""

import argparse
import json
import multiprocessing
import random
import sys
import time

import client
import cycles

KEYS = 4                # alive at one time
LIFE = 40               # transactions for which a generation of keys lives
TABLE = "lists"
REFUSALS = ("IM008", "23505")
SERIALIZATION_FAILURE = "40001"
APPEND = "SET v = list_append(if_not_exists(v, :none), :one)"


class Workload:
    """One client's transactions."""

    def __init__(self, number, conninfo, options, seed, counter):
        settings = ["default_transaction_isolation = '%s'"
                    % options.isolation, "client_min_messages = error"]
        if options.without_locks:
            settings.append("partitioning.debug_key_locks = off")
        self.refusals = REFUSALS if options.isolation == "read committed" \
            else REFUSALS + (SERIALIZATION_FAILURE,)
        self.number = number
        self.session = client.Connection(conninfo, settings)
        self.random = random.Random(seed * 1000 + number)
        self.counter = counter
        self.elements = 0
        self.history = []
        self.refused = 0
        self.conflicts = 0

    def run(self, number):
        """Goes on until so many transactions have committed."""
        kinds = [self.append_several] * 6 + [self.check_and_append] * 6 + \
            [self.read] * 3 + [self.append_one] * 2 + \
            [self.insert_by_sql] * 2 + [self.create_if_other_absent] * 6
        while len(self.history) < number:
            with self.counter.get_lock():
                self.counter.value += 1
                generation = self.counter.value // LIFE
            in_block = self.random.random() < 0.5
            try:
                self.attempt(self.random.choice(kinds), generation, in_block)
            except client.Failed as failure:
                self.refuse(failure)
                if in_block:
                    self.session.run("ROLLBACK")
        return self.history, self.refused, self.conflicts

    def attempt(self, kind, generation, in_block):
        """One transaction, perhaps one that stays open for a while."""
        if in_block:
            self.session.run("BEGIN")
        recorded = kind(generation)
        if in_block:
            self.session.run("COMMIT")
        if recorded is not None:
            self.history.append(recorded)

    def refuse(self, failure):
        """Only what the workload provokes may be refused.

        Above READ COMMITTED that is an old snapshot, too.  A conflict is one of plain SQL that makes an item with a transaction
        that had found it absent, so there are few.
        """
        if failure.sqlstate not in self.refusals:
            raise failure
        self.refused += 1
        self.conflicts += "TransactionConflict" in failure.detail

    def keys(self, generation, number):
        """Some keys of a generation, in any order."""
        names = ["%d.%d" % (generation, i) for i in range(KEYS)]
        return self.random.sample(names, number)

    def element(self):
        """A value that nobody else appends."""
        self.elements += 1
        return self.elements * 1000 + self.number

    def append_several(self, generation):
        """One to three appends in one transaction."""
        appends = [(key, self.element()) for key in
                   self.keys(generation, self.random.randint(1, 3))]
        self.session.transact_write(*[append_action(*append)
                                      for append in appends])
        return [], appends

    def check_and_append(self, generation):
        """Reads two lists, then appends if they are still what they were."""
        keys = self.keys(generation, 3)
        lists = self.read_lists(keys[:2])
        appends = [(keys[2], self.element())]
        self.session.transact_write(
            append_action(*appends[0]),
            *[("check", check_body(key, seen))
              for key, seen in zip(keys, lists)])
        return list(zip(keys, lists)), appends

    def read(self, generation):
        """Reads some lists under one snapshot."""
        keys = self.keys(generation, self.random.randint(2, 4))
        return list(zip(keys, self.read_lists(keys))), []

    def read_lists(self, keys):
        """What some lists are at one moment."""
        items = self.session.transact_get(TABLE, [{"id": k} for k in keys])
        return [[] if item is None else item["v"] for item in items]

    def append_one(self, generation):
        """The single operation, which returns what it has made."""
        key, = self.keys(generation, 1)
        element = self.element()
        rows = self.session.run(
            "SELECT update_item($1, $2::text::item, $3, $4::text::item,"
            " return_values => 'ALL_NEW')", TABLE, json.dumps({"id": key}),
            APPEND, json.dumps(append_values(element)))
        seen = json.loads(rows[0][0])["v"]
        return [(key, seen[:-1])], [(key, element)]

    def insert_by_sql(self, generation):
        """Plain SQL makes a row, unless there is one."""
        key, = self.keys(generation, 1)
        element = self.element()
        self.session.run("INSERT INTO lists VALUES ($1, $2::text::item)",
                         key, json.dumps({"v": [element]}))
        return [(key, [])], [(key, element)]

    def create_if_other_absent(self, generation):
        """Makes one item where another does not exist either."""
        one, other = self.keys(generation, 2)
        element = self.element()
        put = {"table": TABLE, "item": {"id": one, "v": [element]},
               "condition": "attribute_not_exists(id)"}
        self.session.transact_write(("check", check_body(other, [])),
                                    ("put", put))
        return [(one, []), (other, [])], [(one, element)]


def append_values(element):
    """The values of APPEND."""
    return {":none": [], ":one": [element]}


def append_action(key, element):
    """The action that appends."""
    return "update", {"table": TABLE, "key": {"id": key}, "update": APPEND,
                      "values": append_values(element)}


def check_body(key, elements):
    """The check that a list is what was seen."""
    body = {"table": TABLE, "key": {"id": key}}
    if elements:
        body.update(condition="v = :v", values={":v": elements})
    else:
        body.update(condition="attribute_not_exists(id)")
    return body


def run_client(number, conninfo, options, seed, counter):
    """One client process."""
    workload = Workload(number, conninfo, options, seed, counter)
    return workload.run(options.transactions // options.clients)


PARTITIONED = """
CREATE TABLE lists (pk text COLLATE "C", attributes item)
    PARTITION BY HASH (pk);
CREATE TABLE lists_0 PARTITION OF lists
    FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE lists_1 PARTITION OF lists
    FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT register_table('lists', 'id')
"""

TRIGGERS = """
SELECT create_table('lists', 'id');
CREATE OR REPLACE FUNCTION look_on() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER look_on BEFORE INSERT OR UPDATE ON lists
    FOR EACH ROW EXECUTE FUNCTION look_on()
"""

TABLES = {
    "plain": "SELECT create_table('lists', 'id')",
    "ptree": "SELECT create_table('lists', 'id',"
             " options => '{\"index_method\": \"ptree\"}')",
    "unlogged": "SELECT create_table('lists', 'id');\n"
                "ALTER TABLE lists SET UNLOGGED",
    "partitioned": PARTITIONED,
    "triggers": TRIGGERS,
}


def run_history(options, session, seed):
    """One history: its anomalies, after telling how it went."""
    session.run("SET client_min_messages = warning")
    session.run("DROP TABLE IF EXISTS lists")
    for statement in TABLES[options.table].split(";\n"):
        session.run(statement)
    counter = multiprocessing.Value("l", 0)
    started = time.time()
    results = client.run_clients(options.clients, run_client,
                                 options.conninfo, options, seed, counter)
    seconds = time.time() - started

    history = [cycles.Transaction(number, *transaction)
               for number, (transactions, _, _) in enumerate(results)
               for transaction in transactions]
    final = {row[0]: json.loads(row[1]) for row in
             session.run("SELECT pk, attributes['v']::text FROM lists")}
    anomalies = cycles.find_anomalies(history, final)
    refused = sum(refused for _, refused, _ in results)
    conflicts = sum(conflicts for _, _, conflicts in results)
    print("%d transactions committed in %.0f s, %d refused, %d of them by "
          "conflict, %d keys, %d anomalies"
          % (len(history), seconds, refused, conflicts, len(final),
             len(anomalies)), flush=True)
    if conflicts > 20 + len(history) // 1000:
        anomalies.append("%d conflicts are too many" % conflicts)
    return anomalies


def deadlocks(conninfo):
    """How many the server has counted in this database."""
    session = client.Connection(conninfo)
    time.sleep(1)                       # statistics are sent now and then
    (count,), = session.run("SELECT deadlocks FROM pg_stat_database"
                            " WHERE datname = current_database()")
    return int(count)


def main():
    """Runs the clients, then the search."""
    parser = argparse.ArgumentParser()
    parser.add_argument("conninfo")
    parser.add_argument("--transactions", type=int, default=20000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--isolation", default="read committed")
    parser.add_argument("--table", choices=TABLES, default="plain")
    parser.add_argument("--without-locks", action="store_true")
    options = parser.parse_args()

    cycles.self_test()
    seed = client.seed_from(options.seed)
    session = client.Connection(options.conninfo)
    before = deadlocks(options.conninfo)
    anomalies = run_history(options, session, seed)
    if options.without_locks:
        for another in range(1, 10):
            if anomalies:
                break
            anomalies = run_history(options, session, seed + another)
        print("without locks an anomaly must be found")
        sys.exit(0 if anomalies else 1)
    if deadlocks(options.conninfo) != before:
        anomalies.append("there were deadlocks")
    for anomaly in anomalies[:5]:
        print(anomaly)
    sys.exit(1 if anomalies else 0)


if __name__ == "__main__":
    main()
