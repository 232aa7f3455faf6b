// What the programs print, so that it can be compared: members in the order
// of their names, sets sorted, a line for each element of a list.
'use strict';

const assert = require('assert');

const sorted = (elements) => elements.map(comparable)
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

function comparable(value) {
    if (value instanceof Set)
        return { set: sorted([...value]) };
    if (value && value.wrapperName === 'Set')
        return { set: sorted(value.values) };
    if (value instanceof Uint8Array)
        return { bytes: Buffer.from(value).toString('base64') };
    if (typeof value === 'bigint')
        return { bigint: value.toString() };
    if (value instanceof Date)
        return { date: value.toISOString() };
    if (Array.isArray(value))
        return value.map(comparable);
    if (value && typeof value === 'object')
        return Object.fromEntries(Object.keys(value).sort()
            .filter((name) => value[name] !== undefined)
            .map((name) => [name, comparable(value[name])]));
    return value;
}

const text = (value) => JSON.stringify(comparable(value)) ?? 'undefined';

// JSON, broken into lines where it is wider than a line.
function layout(value, indent, used) {
    const line = JSON.stringify(value) ?? 'undefined';
    const inner = `${indent}    `;

    if (used + line.length <= 120 || !value || typeof value !== 'object')
        return line;
    if (Array.isArray(value))
        return `[\n${value.map((element) =>
            inner + layout(element, inner, inner.length)).join(',\n')} ]`;
    return `{\n${Object.entries(value).map(([name, member]) => {
        const start = `${inner}${JSON.stringify(name)}: `;

        return start + layout(member, inner, start.length);
    }).join(',\n')} }`;
}

function show(title, value) {
    const list = Array.isArray(value) && value.length > 0;

    if (list)
        console.log(`${title}:`);
    for (const element of list ? value : [value]) {
        const start = list ? '    ' : `${title}: `;

        console.log(start + layout(comparable(element),
            list ? '    ' : '', start.length));
    }
}

// A response without what differs each time.
function bare(response) {
    const { $metadata, ...rest } = response;

    return rest;
}

// Everything about an error that a program of either SDK can act upon.  A
// request that succeeds is a mistake.
async function showFailure(title, request) {
    let error;

    try {
        await request;
    } catch (caught) {
        error = caught;
    }
    assert(error, `${title}: no error`);
    // Version 3 tells whose fault it was, version 2 whether to try again.
    const name = error.name || error.code;
    const status = error.$metadata?.httpStatusCode ?? error.statusCode;
    const more = error.$fault ?? (error.retryable ? 'retryable' : 'final');

    console.log(`${title}: ${name} (${status}, ${more})`);
    console.log(`    ${error.message}`);
    if (error.Item)
        show('    item', error.Item);
    if (error.CancellationReasons)
        show('    reasons', error.CancellationReasons);
}

// Repeats a read until what it returns is as wanted: global indexes follow
// their table.
async function eventually(read, wanted) {
    const end = Date.now() + 60000;

    for (;;) {
        const answer = await read();

        if (wanted(answer))
            return answer;
        assert(Date.now() < end, `still not as wanted: ${text(answer)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

// Runs a program: an error that it does not expect ends it with status 1.
function run(program) {
    program().catch((error) => {
        console.error(error);
        process.exit(1);
    });
}

module.exports = { bare, eventually, run, show, showFailure };
