// The same with version 2 of the SDK: the low-level client, the document
// client, promises, callbacks, pages, waiters.
'use strict';

process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = '1';

const AWS = require('aws-sdk');
const { eventually, run, show, showFailure } = require('../show');

// Version 2 does not know AWS_ENDPOINT_URL_DYNAMODB.
const options = { endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB };
const client = new AWS.DynamoDB(options);
const documents = new AWS.DynamoDB.DocumentClient({ service: client });
const TableName = 'sdk-v2';

async function create() {
    await client.createTable({
        TableName,
        AttributeDefinitions: [
            { AttributeName: 'Artist', AttributeType: 'S' },
            { AttributeName: 'SongTitle', AttributeType: 'S' },
            { AttributeName: 'Genre', AttributeType: 'S' },
            { AttributeName: 'Year', AttributeType: 'N' },
        ],
        KeySchema: [
            { AttributeName: 'Artist', KeyType: 'HASH' },
            { AttributeName: 'SongTitle', KeyType: 'RANGE' },
        ],
        ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
        GlobalSecondaryIndexes: [{
            IndexName: 'by-genre',
            KeySchema: [
                { AttributeName: 'Genre', KeyType: 'HASH' },
                { AttributeName: 'Year', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['Awards'] },
            ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
        }],
    }).promise();

    const { Table } = await client.waitFor('tableExists',
        { TableName, $waiter: { delay: 1, maxAttempts: 60 } }).promise();

    show('table', [Table.TableName, Table.TableStatus, Table.CreationDateTime instanceof Date]);
}

async function items() {
    for (let i = 0; i < 12; i++)
        await documents.put({
            TableName,
            Item: {
                Artist: i % 3 === 0 ? 'Acme Band' : 'No One You Know', SongTitle: `Song ${i}`,
                Genre: i % 2 === 0 ? 'Country' : 'Jazz', Year: 1990 + i, Awards: i,
                Moods: documents.createSet(['calm', `m${i}`]), Cover: Buffer.from([i, 255]),
            },
        }).promise();
    show('item', (await documents.get(
        { TableName, Key: { Artist: 'Acme Band', SongTitle: 'Song 3' } }).promise()).Item);
    show('attribute values', (await client.getItem({
        TableName,
        Key: { Artist: { S: 'Acme Band' }, SongTitle: { S: 'Song 3' } },
        ProjectionExpression: 'Awards, Moods, Cover',
    }).promise()).Item);
    show('by callback', await new Promise((resolve, reject) => {
        documents.update({
            TableName,
            Key: { Artist: 'Acme Band', SongTitle: 'Song 3' },
            UpdateExpression: 'ADD Awards :one DELETE Moods :calm',
            ExpressionAttributeValues: { ':one': 1, ':calm': documents.createSet(['calm']) },
            ReturnValues: 'UPDATED_NEW',
        }, (error, data) => (error ? reject(error) : resolve(data.Attributes)));
    }));
}

async function reads() {
    const parameters = {
        TableName,
        IndexName: 'by-genre',
        KeyConditionExpression: 'Genre = :genre AND #year BETWEEN :from AND :to',
        ExpressionAttributeNames: { '#year': 'Year' },
        ExpressionAttributeValues: { ':genre': 'Country', ':from': 1994, ':to': 2000 },
        ScanIndexForward: false,
    };
    const answer = await eventually(
        () => documents.query(parameters).promise(), ({ Count }) => Count === 4);

    show('by index', answer.Items);
    show('with parameters of old', (await documents.query({
        TableName,
        KeyConditions: {
            Artist: { ComparisonOperator: 'EQ', AttributeValueList: ['No One You Know'] },
            SongTitle: { ComparisonOperator: 'BEGINS_WITH', AttributeValueList: ['Song 1'] },
        },
        QueryFilter: { Awards: { ComparisonOperator: 'GT', AttributeValueList: [1] } },
        AttributesToGet: ['SongTitle', 'Awards'],
    }).promise()).Items);

    let pages = 0;
    const titles = [];

    await new Promise((resolve, reject) => {
        client.scan({ TableName, Limit: 5 }).eachPage((error, page) => {
            if (error)
                return reject(error);
            if (!page) {
                resolve();
                return true;
            }
            pages++;
            titles.push(...page.Items.map((item) => item.SongTitle.S));
            return true;
        });
    });
    show('pages', pages);
    show('items', new Set(titles).size);
}

async function transactions() {
    const Key = { Artist: 'Acme Band', SongTitle: 'Song 0' };

    await documents.transactWrite({
        TransactItems: [
            {
                Update: {
                    TableName, Key, UpdateExpression: 'SET Awards = Awards + :one',
                    ExpressionAttributeValues: { ':one': 1 },
                },
            },
            { Put: { TableName, Item: { Artist: 'New', SongTitle: 'First' } } },
        ],
    }).promise();
    show('read as one', (await documents.transactGet({
        TransactItems: [
            { Get: { TableName, Key, ProjectionExpression: 'Awards' } },
            { Get: { TableName, Key: { Artist: 'New', SongTitle: 'First' } } },
        ],
    }).promise()).Responses);
    await showFailure('cancelled', documents.transactWrite({
        TransactItems: [
            { Delete: { TableName, Key: { Artist: 'New', SongTitle: 'First' } } },
            {
                ConditionCheck: {
                    TableName, Key, ConditionExpression: 'Awards > :many',
                    ExpressionAttributeValues: { ':many': 100 },
                },
            },
        ],
    }).promise());
}

async function failures() {
    const Key = { Artist: 'Acme Band', SongTitle: 'Song 0' };

    await showFailure('condition', documents.put({
        TableName, Item: Key, ConditionExpression: 'attribute_not_exists(Artist)',
    }).promise());
    await showFailure('no such table', documents.get({ TableName: 'sdk-none', Key }).promise());
    await showFailure('reserved word', documents.update(
        { TableName, Key, UpdateExpression: 'REMOVE Year' }).promise());
    await showFailure('create again', client.createTable({
        TableName,
        AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
    }).promise());
}

async function batches() {
    const answer = await documents.batchWrite({
        RequestItems: {
            [TableName]: [
                { PutRequest: { Item: { Artist: 'New', SongTitle: 'Second' } } },
                { DeleteRequest: { Key: { Artist: 'New', SongTitle: 'First' } } },
            ],
        },
    }).promise();

    show('unprocessed', answer.UnprocessedItems);
    show('batch', (await documents.batchGet({
        RequestItems: {
            [TableName]: {
                Keys: [
                    { Artist: 'New', SongTitle: 'First' }, { Artist: 'New', SongTitle: 'Second' },
                ],
            },
        },
    }).promise()).Responses);
}

run(async () => {
    await create();
    await items();
    await reads();
    await transactions();
    await failures();
    await batches();
});
