"""Signs requests to the HTTP endpoint, independently of all that the project
has: from the description of Signature Version 4, with hashlib and hmac alone.

Usage: sigv4.py PORT KEY_ID SECRET; prints a line for each request: its name,
the status, and the exception, if any.
"""

import hashlib
import hmac
import http.client
import json
import re
import sys
import time
from urllib.parse import quote

HOST = '127.0.0.1'
PORT, KEY_ID, SECRET = int(sys.argv[1]), sys.argv[2], sys.argv[3]
BODY = b'{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"A"}}}'


def encode(text):
    return quote(text, safe='-._~')


def signature(when, region, service, canonical):
    scope = f'{when[:8]}/{region}/{service}/aws4_request'
    text = '\n'.join(['AWS4-HMAC-SHA256', when, scope,
                      hashlib.sha256(canonical.encode('latin-1')).hexdigest()])
    key = ('AWS4' + SECRET).encode()
    for part in scope.split('/'):
        key = hmac.digest(key, part.encode(), 'sha256')
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def canonical_request(headers, signed, query, body):
    lines = ['POST', '/', '&'.join(sorted(f'{encode(n)}={encode(v)}' for n, v in query))]
    for name in signed:
        values = [re.sub(r'\s+', ' ', v.strip()) for n, v in headers if n.lower() == name]
        lines.append(f'{name}:{",".join(values)}')
    return '\n'.join(lines + ['', ';'.join(signed), hashlib.sha256(body).hexdigest()])


def send(name, *, form, body=BODY, more=(), query=(), region='us-east-1', service='dynamodb',
         age=0, unsigned=(), spoil=None):
    when = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(time.time() - age))
    headers = [('Host', f'{HOST}:{PORT}'), ('Content-Type', 'application/x-amz-json-1.0'),
               ('X-Amz-Target', 'DynamoDB_20120810.GetItem'), *more]
    query = list(query)
    if form == 'header':
        headers.append(('X-Amz-Date', when))
    signed = sorted({n.lower() for n, _ in headers} - set(unsigned))
    credential = f'{KEY_ID}/{when[:8]}/{region}/{service}/aws4_request'
    if form == 'query':
        query += [('X-Amz-Algorithm', 'AWS4-HMAC-SHA256'), ('X-Amz-Credential', credential),
                  ('X-Amz-Date', when), ('X-Amz-Expires', '300'),
                  ('X-Amz-SignedHeaders', ';'.join(signed))]
    mac = signature(when, region, service, canonical_request(headers, signed, query, body))
    if form == 'query':
        query.append(('X-Amz-Signature', mac))
    else:
        headers.append(('Authorization', f'AWS4-HMAC-SHA256 Credential={credential}, '
                        f'SignedHeaders={";".join(signed)}, Signature={mac}'))
    if spoil:
        headers, query, body = spoil(headers, query, body)

    connection = http.client.HTTPConnection(HOST, PORT, timeout=60)
    target = '/' + ('?' + '&'.join(f'{encode(n)}={encode(v)}' for n, v in query) if query else '')
    connection.putrequest('POST', target, skip_host=True, skip_accept_encoding=True)
    for n, v in headers + [('Content-Length', str(len(body)))]:
        connection.putheader(n, v)
    connection.endheaders(body)
    answer = connection.getresponse()
    content = json.loads(answer.read())
    print(name, answer.status, *[content['__type'].split('#')[1]] if '__type' in content else [])


def change_body(headers, query, body):
    return headers, query, body.replace(b'U#1', b'U#2')


def change_argument(headers, query, body):
    return headers, [(n, 'other' if n == 'a' else v) for n, v in query], body


def add_argument(headers, query, body):
    return headers, query + [('z', '')], body


def add_signed_value(headers, query, body):
    return headers + [('X-Amz-Meta', 'two')], query, body


for way in ('header', 'query'):
    send(f'{way}-plain', form=way)
    send(f'{way}-region', form=way, region='anywhere-42')
    send(f'{way}-spaces', form=way, more=[('X-Amz-Meta', '  a   b \t c  ')])
    send(f'{way}-two-values', form=way, more=[('X-Amz-Meta', 'one'), ('X-Amz-Meta', 'two')])
    send(f'{way}-many', form=way, more=[(f'X-Extra-{i}', str(i)) for i in range(40)])
    send(f'{way}-arguments', form=way,
         query=[('b', ''), ('a', '2'), ('a', '1'), ('ü/ ~', '=&+%;?#'), ('A', 'x'), ('a-', 'y')])
    send(f'{way}-unsigned-other', form=way, more=[('X-Extra', 'x')], unsigned=['x-extra'])
    send(f'{way}-within-time', form=way, age=890)
    send(f'{way}-too-old', form=way, age=905)
    send(f'{way}-too-early', form=way, age=-905)
    send(f'{way}-service', form=way, service='s3')
    send(f'{way}-unsigned-target', form=way, unsigned=['x-amz-target'])
    send(f'{way}-unsigned-host', form=way, unsigned=['host'])
    send(f'{way}-other-body', form=way, spoil=change_body)
    send(f'{way}-other-argument', form=way, query=[('a', '1')], spoil=change_argument)
    send(f'{way}-more-arguments', form=way, spoil=add_argument)
    send(f'{way}-more-values', form=way, more=[('X-Amz-Meta', 'one')], spoil=add_signed_value)
    send(f'{way}-empty', form=way, body=b'')
