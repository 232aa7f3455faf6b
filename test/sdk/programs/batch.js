// Batches: what was not processed is sent again, missing items, several
// tables, duplicates, limits.
'use strict';

const { DynamoDBClient, BatchGetItemCommand, CreateTableCommand,
    waitUntilTableExists } = require('@aws-sdk/client-dynamodb');
const { BatchGetCommand, BatchWriteCommand, DynamoDBDocumentClient } =
    require('@aws-sdk/lib-dynamodb');
const { bare, run, show, showFailure } = require('../show');

const client = new DynamoDBClient();
const documents = DynamoDBDocumentClient.from(client);
const readings = 'sdk-readings';
const sensors = 'sdk-sensors';

// Sends requests for one table, 25 at a time, until all are processed.
async function writeAll(table, requests) {
    let pending = requests;
    let calls = 0;

    while (pending.length > 0) {
        const answer = await documents.send(new BatchWriteCommand(
            { RequestItems: { [table]: pending.slice(0, 25) } }));

        pending = [
            ...(answer.UnprocessedItems[table] ?? []), ...pending.slice(25)];
        calls++;
    }
    return calls;
}

// Items by key, until none is left unprocessed.
async function readAll(table, keys) {
    const items = [];
    let calls = 0;
    let RequestItems = { [table]: { Keys: keys, ConsistentRead: true } };

    while (Object.keys(RequestItems).length > 0) {
        const answer = await documents.send(new BatchGetCommand({ RequestItems }));

        items.push(...answer.Responses[table]);
        RequestItems = answer.UnprocessedKeys;
        calls++;
    }
    return { items, calls };
}

async function createTables() {
    await client.send(new CreateTableCommand({
        TableName: readings,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
            { AttributeName: 'sensor', AttributeType: 'B' },
            { AttributeName: 'at', AttributeType: 'N' },
        ],
        KeySchema: [
            { AttributeName: 'sensor', KeyType: 'HASH' },
            { AttributeName: 'at', KeyType: 'RANGE' },
        ],
    }));
    await client.send(new CreateTableCommand({
        TableName: sensors,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'name', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
    }));
    for (const TableName of [readings, sensors])
        await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
}

async function large() {
    const sensor = Buffer.from([7, 0, 255]);
    const at = [...Array(60).keys()];

    show('calls of a large write', await writeAll(readings, at.map((n) => ({
        PutRequest: { Item: { sensor, at: n / 10, value: 'v'.repeat(30000) } },
    }))));

    // 60 items of 30 KB are more than a call answers of one partition.
    const { items, calls } = await readAll(
        readings, at.map((n) => ({ sensor, at: n / 10 })));

    show('items read', items.length);
    show('in several calls', calls > 1);
    show('all different', new Set(items.map((item) => item.at)).size);
    show('calls of the deletes', await writeAll(readings, at.slice(1).map((n) => ({
        DeleteRequest: { Key: { sensor, at: n / 10 } },
    }))));
}

async function severalTables() {
    show('two tables', bare(await documents.send(new BatchWriteCommand({
        RequestItems: {
            [sensors]: [
                { PutRequest: { Item: { name: 's1', unit: 'K' } } },
                { PutRequest: { Item: { name: 's2', unit: 'V' } } },
                { DeleteRequest: { Key: { name: 's3' } } },
            ],
            [readings]: [
                { PutRequest: { Item: { sensor: Buffer.from('s1'), at: -1.5, value: 1 } } },
            ],
        },
        ReturnConsumedCapacity: 'TOTAL',
    }))));

    const answer = await documents.send(new BatchGetCommand({
        RequestItems: {
            [sensors]: { Keys: [{ name: 's1' }, { name: 's9' }] },
            [readings]: {
                Keys: [{ sensor: Buffer.from('s1'), at: -1.5 }],
                ProjectionExpression: '#v',
                ExpressionAttributeNames: { '#v': 'value' },
            },
        },
    }));

    show('read from two', bare(answer));
}

async function failures() {
    const put = (name, more) => ({ PutRequest: { Item: { name, ...more } } });
    const write = (requests) => documents.send(
        new BatchWriteCommand({ RequestItems: { [sensors]: requests } }));

    await showFailure('a key twice', write([put('a'), put('a')]));
    await showFailure('26 requests', write([...Array(26).keys()].map((i) => put(`s${i}`))));
    await showFailure('one item without a key',
        write([put('b'), { PutRequest: { Item: { unit: 'K' } } }]));
    await showFailure('no requests', write([]));
    await showFailure('a key twice to read', client.send(new BatchGetItemCommand({
        RequestItems: { [sensors]: { Keys: [{ name: { S: 'a' } }, { name: { S: 'a' } }] } },
    })));
    await showFailure('101 keys', client.send(new BatchGetItemCommand({
        RequestItems: {
            [sensors]: { Keys: [...Array(101).keys()].map((i) => ({ name: { S: `s${i}` } })) },
        },
    })));
    await showFailure('an unknown table', client.send(new BatchGetItemCommand({
        RequestItems: {
            [sensors]: { Keys: [{ name: { S: 's1' } }] },
            'sdk-none': { Keys: [{ name: { S: 's1' } }] },
        },
    })));
}

run(async () => {
    await createTables();
    await large();
    await severalTables();
    await failures();
});
