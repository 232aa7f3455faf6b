"""A connection to PostgreSQL through libpq, and what every workload needs.

Only what the workloads use: parameters and results are text, an error is an
exception with its SQLSTATE and detail.
"""

import ctypes
import ctypes.util
import json
import multiprocessing
import os
import random
import sys
import traceback

_libpq = ctypes.CDLL(os.environ.get("LIBPQ") or ctypes.util.find_library("pq")
                     or "libpq.so.5")

_TUPLES_OK = 2
_COMMAND_OK = 1

for _name, _result, _arguments in (
        ("PQconnectdb", ctypes.c_void_p, [ctypes.c_char_p]),
        ("PQstatus", ctypes.c_int, [ctypes.c_void_p]),
        ("PQerrorMessage", ctypes.c_char_p, [ctypes.c_void_p]),
        ("PQfinish", None, [ctypes.c_void_p]),
        ("PQexecParams", ctypes.c_void_p,
         [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p,
          ctypes.POINTER(ctypes.c_char_p), ctypes.c_void_p, ctypes.c_void_p,
          ctypes.c_int]),
        ("PQresultStatus", ctypes.c_int, [ctypes.c_void_p]),
        ("PQresultErrorField", ctypes.c_char_p,
         [ctypes.c_void_p, ctypes.c_int]),
        ("PQntuples", ctypes.c_int, [ctypes.c_void_p]),
        ("PQnfields", ctypes.c_int, [ctypes.c_void_p]),
        ("PQgetisnull", ctypes.c_int,
         [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]),
        ("PQgetvalue", ctypes.c_char_p,
         [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]),
        ("PQclear", None, [ctypes.c_void_p])):
    _function = getattr(_libpq, _name)
    _function.restype = _result
    _function.argtypes = _arguments


class Failed(Exception):
    """A statement that the server refused."""

    def __init__(self, sqlstate, message, detail):
        super().__init__("%s: %s" % (sqlstate, message))
        self.sqlstate = sqlstate
        self.detail = detail


class Lost(Exception):
    """The connection is gone: the outcome is not known."""


class Connection:
    """One session."""

    def __init__(self, conninfo, settings=()):
        self._conn = _libpq.PQconnectdb(conninfo.encode())
        if _libpq.PQstatus(self._conn) != 0:
            message = _libpq.PQerrorMessage(self._conn).decode()
            self.close()
            raise Lost(message.strip())
        for setting in settings:
            self.run("SET " + setting)

    def close(self):
        """Ends the session."""
        _libpq.PQfinish(self._conn)
        self._conn = None

    def run(self, sql, *parameters):
        """Runs one statement; returns its rows as lists of text or None."""
        values = (ctypes.c_char_p * max(len(parameters), 1))()
        for i, parameter in enumerate(parameters):
            values[i] = parameter.encode()
        result = _libpq.PQexecParams(self._conn, sql.encode(),
                                     len(parameters), None, values, None,
                                     None, 0)
        try:
            self._check(result)
            return [[None if _libpq.PQgetisnull(result, row, column)
                     else _libpq.PQgetvalue(result, row, column).decode()
                     for column in range(_libpq.PQnfields(result))]
                    for row in range(_libpq.PQntuples(result))]
        finally:
            _libpq.PQclear(result)

    def _check(self, result):
        if result and _libpq.PQresultStatus(result) in (_COMMAND_OK,
                                                        _TUPLES_OK):
            return
        field = [_libpq.PQresultErrorField(result, ord(code)) if result
                 else None for code in "CMD"]
        if field[0] is None or field[0].startswith(b"57P"):
            raise Lost(_libpq.PQerrorMessage(self._conn).decode().strip())
        raise Failed(*[(f or b"").decode() for f in field])

    def transact_write(self, *actions, token=None):
        """One transaction; an action is a pair of its name and its map."""
        array = "{" + ",".join(
            json.dumps(json.dumps({name: body})) for name, body in actions
        ) + "}"
        if token is None:
            self.run("SELECT transact_write($1)", array)
        else:
            self.run("SELECT transact_write($1, $2)", array, token)

    def transact_get(self, table, keys):
        """Items of one table under one snapshot, None where there is none."""
        array = "{" + ",".join(
            json.dumps(json.dumps({"get": {"table": table, "key": key}}))
            for key in keys) + "}"
        rows = self.run("SELECT unnest(transact_get($1))", array)
        return [None if row[0] is None else json.loads(row[0])
                for row in rows]


def run_clients(number, function, *arguments):
    """Runs function(client, *arguments) in so many processes at once.

    Returns their results in order; an exception in one is printed, and ends
    the whole.
    """
    pipes = []
    for client in range(number):
        ours, theirs = multiprocessing.Pipe(False)
        process = multiprocessing.Process(
            target=_client, args=(theirs, function, client) + arguments)
        process.start()
        pipes.append((process, ours))
    results = []
    failed = False
    for process, pipe in pipes:
        try:
            ok, result = pipe.recv()
        except EOFError:
            ok, result = False, "a client process died"
        process.join()
        if not ok:
            failed = True
            print(result, file=sys.stderr)
        results.append(result)
    if failed:
        sys.exit(2)
    return results


def _client(pipe, function, client, *arguments):
    try:
        pipe.send((True, function(client, *arguments)))
    except BaseException:               # whatever it was, the parent tells
        pipe.send((False, traceback.format_exc()))


def seed_from(argument):
    """The seed to use, printed so that a run can be repeated."""
    seed = argument if argument is not None else random.randrange(1 << 31)
    print("seed %d" % seed, flush=True)
    return seed
