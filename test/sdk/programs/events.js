// A log that all write at once: each day is ten partitions, read back with one
// query for each and merged.
'use strict';

const { DynamoDBClient, CreateTableCommand, waitUntilTableExists } =
    require('@aws-sdk/client-dynamodb');
const { DynamoDBDocumentClient, PutCommand, QueryCommand } =
    require('@aws-sdk/lib-dynamodb');
const { run, show } = require('../show');

const client = new DynamoDBClient();
const documents = DynamoDBDocumentClient.from(client);
const TableName = 'sdk-events';
const day = '2026-03-14';
const shards = 10;

const write = (i) => documents.send(new PutCommand({
    TableName,
    Item: {
        pk: `EVENTS#${day}#${(i * 7) % shards}`,
        sk: new Date(Date.UTC(2026, 2, 14, 0, 15 * i)).toISOString(),
        number: i,
    },
}));

// The newest "count" of all shards: each is asked for as many.
async function newest(count, before) {
    const pages = await Promise.all([...Array(shards).keys()].map((shard) =>
        documents.send(new QueryCommand({
            TableName,
            KeyConditionExpression: 'pk = :pk AND sk < :before',
            ExpressionAttributeValues:
                { ':pk': `EVENTS#${day}#${shard}`, ':before': before },
            ScanIndexForward: false,
            Limit: count,
        }))));

    return pages.flatMap((page) => page.Items)
        .sort((a, b) => (a.sk < b.sk ? 1 : -1))
        .slice(0, count);
}

run(async () => {
    await client.send(new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
            { AttributeName: 'pk', AttributeType: 'S' },
            { AttributeName: 'sk', AttributeType: 'S' },
        ],
        KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
    }));
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
    await Promise.all([...Array(96).keys()].map(write));

    const first = await newest(8, '~');

    show('newest', first);
    show('before those', (await newest(4, first.at(-1).sk))
        .map((item) => item.number));
    show('all of the day', (await newest(1000, '~')).length);
});
