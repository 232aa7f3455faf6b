"""Looks for anomalies in a history of appends to lists.

A history is a list of transactions.  Each has the appends that it made, pairs
of key and element, and the reads that it made before them, pairs of key and
list.  Elements are unique, so that the final list of a key tells the order of
all appends to it, and a list that was read tells whose append was the last
one before the read.  From that follow who must come before whom:

    ww  the maker of an element before the maker of the next one
    wr  the maker of the last element that was read before the reader
    rw  the reader before the maker of the first element not read
    so  in one session, the earlier before the later

A history is serializable, and each session sees its own order, exactly when
these edges have no cycle.
"""


class Transaction:
    """What one transaction did and saw."""

    def __init__(self, session, reads=(), appends=()):
        self.session = session
        self.reads = list(reads)
        self.appends = list(appends)

    def __repr__(self):
        return "session %d: %s" % (self.session, ", ".join(
            ["read %s %s" % read for read in self.reads]
            + ["append %s %s" % append for append in self.appends]))


def find_anomalies(history, final):
    """All anomalies, as text; final maps each key to its list."""
    anomalies = []
    makers = {}
    for number, transaction in enumerate(history):
        for key, element in transaction.appends:
            makers[key, element] = number
    for key, elements in final.items():
        if len(set(elements)) != len(elements):
            anomalies.append("%s has an element twice: %s" % (key, elements))
        for element in elements:
            if (key, element) not in makers:
                anomalies.append("%s has %s, which nobody appended"
                                 % (key, element))
    for key, element in makers:
        if element not in final.get(key, ()):
            anomalies.append("%s was appended to %s and is lost"
                             % (element, key))
    if anomalies:
        return anomalies

    edges = _order_edges(history, final, makers)
    for number, transaction in enumerate(history):
        for key, elements in transaction.reads:
            whole = final.get(key, [])
            count = len(elements)
            if whole[:count] != elements:
                anomalies.append("%r, but %s became %s"
                                 % (transaction, key, whole))
                continue
            if count > 0:
                _add(edges, makers[key, whole[count - 1]], number, "wr")
            if count < len(whole):
                _add(edges, number, makers[key, whole[count]], "rw")
    for component in _components(edges, len(history)):
        anomalies.append("cycle of %d:\n%s" % (
            len(component), _describe(history, edges, component)))
    return anomalies


def _order_edges(history, final, makers):
    edges = {}
    for key, elements in final.items():
        for before, after in zip(elements, elements[1:]):
            _add(edges, makers[key, before], makers[key, after], "ww")
    last = {}
    for number, transaction in enumerate(history):
        if transaction.session in last:
            _add(edges, last[transaction.session], number, "so")
        last[transaction.session] = number
    return edges


def _add(edges, before, after, kind):
    if before != after:
        edges.setdefault(before, {})[after] = kind


def _components(edges, number):
    """Strongly connected components of more than one (Tarjan's way)."""
    index = [None] * number
    low = [0] * number
    on_stack = [False] * number
    stack = []
    found = []
    counter = 0
    for root in range(number):
        if index[root] is not None:
            continue
        work = [(root, iter(edges.get(root, ())))]
        index[root] = low[root] = counter
        counter += 1
        stack.append(root)
        on_stack[root] = True
        while work:
            node, successors = work[-1]
            for successor in successors:
                if index[successor] is None:
                    index[successor] = low[successor] = counter
                    counter += 1
                    stack.append(successor)
                    on_stack[successor] = True
                    work.append((successor, iter(edges.get(successor, ()))))
                    break
                if on_stack[successor]:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = _pop_to(stack, on_stack, node)
                    if len(component) > 1:
                        found.append(component)
    return found


def _pop_to(stack, on_stack, node):
    component = []
    while True:
        top = stack.pop()
        on_stack[top] = False
        component.append(top)
        if top == node:
            return component


def _describe(history, edges, component):
    inside = set(component)
    lines = []
    for number in sorted(component)[:10]:
        after = ["%s %d" % (kind, other)
                 for other, kind in edges.get(number, {}).items()
                 if other in inside]
        lines.append("    %d %r; before %s"
                     % (number, history[number], ", ".join(after)))
    return "\n".join(lines)


def self_test():
    """Known histories, good and bad: the search must tell them apart."""
    skew = [Transaction(0, [("a", [])], [("b", 1)]),
            Transaction(1, [("b", [])], [("a", 2)])]
    order = [Transaction(0, [("a", [])], [("b", 1)]),
             Transaction(1, [("b", [1])], [("a", 2)])]
    fracture = [Transaction(0, [], [("a", 1), ("b", 1)]),
                Transaction(1, [("a", [1]), ("b", [])])]
    stale = [Transaction(0, [], [("a", 1)]), Transaction(0, [("a", [])])]
    lost = [Transaction(0, [("a", [])], [("a", 1)]),
            Transaction(1, [("a", [])], [("a", 2)])]
    both = {"a": [2], "b": [1]}
    assert find_anomalies(skew, both)
    assert not find_anomalies(order, both)
    assert find_anomalies(fracture, {"a": [1], "b": [1]})
    assert find_anomalies(stale, {"a": [1]})
    assert find_anomalies(lost, {"a": [1, 2]})
    assert find_anomalies(lost, {"a": [2]})
    assert find_anomalies([], {"a": [7]})
