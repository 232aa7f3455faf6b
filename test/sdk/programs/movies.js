// The table of movies that introductions to the service begin with: keyed by
// year and title, loaded from a list, changed, queried, scanned and dropped.
'use strict';

process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = '1';

const AWS = require('aws-sdk');
const { bare, run, show, showFailure } = require('../show');

const client = new AWS.DynamoDB({ endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB });
const documents = new AWS.DynamoDB.DocumentClient({ service: client });
const TableName = 'sdk-movies';

const movies = [
    [1931, 'The Long Night', 8.1, ['drama'], ['A. Stone', 'B. Rivers']],
    [1985, 'Clock Tower', 7.4, ['comedy', 'science'], ['C. Field']],
    [1985, 'Another Summer', 5.9, ['romance'], ['D. Lake', 'E. Hill']],
    [1985, 'Moon Harbour', 6.6, ['science'], ['A. Stone']],
    [1992, 'Paper Boats', 8.8, ['drama'], ['F. Wood']],
    [2013, 'Rust', 4.2, ['action'], ['G. Moor', 'C. Field']],
];

async function createTable() {
    const { TableDescription } = await client.createTable({
        TableName,
        KeySchema: [
            { AttributeName: 'year', KeyType: 'HASH' },
            { AttributeName: 'title', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
            { AttributeName: 'year', AttributeType: 'N' },
            { AttributeName: 'title', AttributeType: 'S' },
        ],
        ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 10 },
    }).promise();

    show('table', [TableDescription.TableName, TableDescription.TableStatus]);
    await client.waitFor('tableExists',
        { TableName, $waiter: { delay: 1, maxAttempts: 60 } }).promise();
}

async function change() {
    const Key = { year: 2015, title: 'The Big New Movie' };

    show('put', await documents.put({
        TableName, Item: { ...Key, info: { plot: 'Nothing happens at all.', rating: 0 } },
    }).promise());
    show('get', await documents.get({ TableName, Key }).promise());
    show('update', await documents.update({
        TableName, Key,
        UpdateExpression: 'set info.rating = :r, info.plot = :p, info.actors = :a',
        ExpressionAttributeValues: {
            ':r': 5.5, ':p': 'Everything happens all at once.', ':a': ['Larry', 'Moe', 'Curly'],
        },
        ReturnValues: 'UPDATED_NEW',
    }).promise());
    show('increment', await documents.update({
        TableName, Key,
        UpdateExpression: 'set info.rating = info.rating + :val',
        ExpressionAttributeValues: { ':val': 1 },
        ReturnValues: 'UPDATED_NEW',
    }).promise());

    const removeActor = {
        TableName, Key,
        UpdateExpression: 'remove info.actors[0]',
        ConditionExpression: 'size(info.actors) >= :num',
        ExpressionAttributeValues: { ':num': 3 },
        ReturnValues: 'ALL_NEW',
    };

    show('remove the first actor', await documents.update(removeActor).promise());
    await showFailure('again', documents.update(removeActor).promise());

    const remove = (limit) => documents.delete({
        TableName, Key,
        ConditionExpression: 'info.rating <= :val',
        ExpressionAttributeValues: { ':val': limit },
    }).promise();

    await showFailure('delete if bad', remove(5));
    show('delete', await remove(6.5));
    show('gone', await documents.get({ TableName, Key }).promise());
}

async function read() {
    show('all of 1985', (await documents.query({
        TableName,
        KeyConditionExpression: '#yr = :yyyy',
        ExpressionAttributeNames: { '#yr': 'year' },
        ExpressionAttributeValues: { ':yyyy': 1985 },
    }).promise()).Items.map((item) => `${item.year}: ${item.title}`));
    show('of 1985, from A to L', (await documents.query({
        TableName,
        ProjectionExpression: '#yr, title, info.genres, info.actors[0]',
        KeyConditionExpression: '#yr = :yyyy and title between :letter1 and :letter2',
        ExpressionAttributeNames: { '#yr': 'year' },
        ExpressionAttributeValues: { ':yyyy': 1985, ':letter1': 'A', ':letter2': 'L' },
    }).promise()).Items);
    const page = await documents.scan({
        TableName,
        ProjectionExpression: '#yr, title, info.rating',
        FilterExpression: '#yr between :start_yr and :end_yr',
        ExpressionAttributeNames: { '#yr': 'year' },
        ExpressionAttributeValues: { ':start_yr': 1980, ':end_yr': 2000 },
    }).promise();

    show('scanned', page.ScannedCount);
    show('of the eighties and nineties', page.Items.sort(
        (a, b) => a.year - b.year || (a.title < b.title ? -1 : 1)));
}

run(async () => {
    await createTable();
    for (const [year, title, rating, genres, actors] of movies)
        await documents.put(
            { TableName, Item: { year, title, info: { rating, genres, actors } } }).promise();
    await change();
    await read();
    show('dropped', bare(await client.deleteTable({ TableName }).promise())
        .TableDescription.TableStatus);
    await client.waitFor('tableNotExists',
        { TableName, $waiter: { delay: 1, maxAttempts: 60 } }).promise();
    await showFailure('no table any more', documents.scan({ TableName }).promise());
});
