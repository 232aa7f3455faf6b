// Errors as programs see them: names, messages and members.
'use strict';

const {
    ConditionalCheckFailedException, CreateTableCommand, DynamoDBClient,
    ExecuteStatementCommand, GetItemCommand, PutItemCommand, QueryCommand,
    ResourceNotFoundException, ScanCommand, TransactWriteItemsCommand,
    TransactionCanceledException, UpdateItemCommand, waitUntilTableExists,
} = require('@aws-sdk/client-dynamodb');
const { run, show, showFailure } = require('../show');

const client = new DynamoDBClient();
const TableName = 'sdk-errors';
const Key = { pk: { S: 'a' }, sk: { N: '1' } };
const failures = [];

const fail = (title, Command, parameters) => failures.push([title, Command, parameters]);
const get = (title, more) => fail(title, GetItemCommand, { TableName, Key, ...more });
const put = (title, Item, more) => fail(title, PutItemCommand, { TableName, Item, ...more });
const update = (title, more) => fail(title, UpdateItemCommand, { TableName, Key, ...more });
const query = (title, more) => fail(title, QueryCommand, { TableName, ...more });
const scan = (title, more) => fail(title, ScanCommand, { TableName, ...more });
const transact = (title, TransactItems) => fail(
    title, TransactWriteItemsCommand, { TransactItems });

get('no such table', { TableName: 'sdk-none' });
get('a name that is too short to exist', { TableName: 'x' });
get('no legal name', { TableName: 'no such' });
get('half a key', { Key: { pk: { S: 'a' } } });
get('a key of another type', { Key: { pk: { S: 'a' }, sk: { S: '1' } } });
get('an empty key', { Key: { pk: { S: '' }, sk: { N: '1' } } });
get('a reserved word', { ProjectionExpression: 'name' });
get('an unknown name', { ProjectionExpression: '#n' });
put('no sort key', { pk: { S: 'a' } });
put('an empty set', { ...Key, s: { SS: [] } });
put('a set with duplicates', { ...Key, s: { SS: ['x', 'x'] } });
put('no number', { ...Key, n: { N: 'many' } });
put('too large', { ...Key, s: { S: 'x'.repeat(410000) } });
put('another type for the index', { ...Key, owner: { N: '1' } });
put('values of another kind', Key, { ReturnValues: 'ALL_NEW' });
put('an unknown enumeration', Key, { ReturnConsumedCapacity: 'SOME' });
put('an unused value', Key, {
    ConditionExpression: 'attribute_exists(pk)', ExpressionAttributeValues: { ':v': { S: 'x' } },
});
put('a condition that fails', Key,
    { ConditionExpression: 'attribute_not_exists(pk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
update('a key changed', {
    UpdateExpression: 'SET pk = :v', ExpressionAttributeValues: { ':v': { S: 'x' } },
});
update('two sections', { UpdateExpression: 'REMOVE a REMOVE b' });
update('overlapping paths', { UpdateExpression: 'REMOVE a, a.b' });
update('no syntax', { UpdateExpression: 'SET a ! b' });
update('an attribute that is not there', { UpdateExpression: 'SET a = absent' });
update('text and number added', {
    UpdateExpression: 'SET kind = kind + :one', ExpressionAttributeValues: { ':one': { N: '1' } },
});
query('no key condition', {});
query('no partition key', {
    KeyConditionExpression: 'sk = :v', ExpressionAttributeValues: { ':v': { N: '1' } },
});
query('no equality', {
    KeyConditionExpression: 'pk > :v', ExpressionAttributeValues: { ':v': { S: 'a' } },
});
query('a filter on the key', {
    KeyConditionExpression: 'pk = :v', FilterExpression: 'sk > :n',
    ExpressionAttributeValues: { ':v': { S: 'a' }, ':n': { N: '1' } },
});
query('no such index', {
    IndexName: 'none', KeyConditionExpression: 'pk = :v',
    ExpressionAttributeValues: { ':v': { S: 'a' } },
});
query('a strong read of a global index', {
    IndexName: 'by-owner', KeyConditionExpression: '#o = :v', ConsistentRead: true,
    ExpressionAttributeNames: { '#o': 'owner' }, ExpressionAttributeValues: { ':v': { S: 'a' } },
});
query('no limit', {
    Limit: 0, KeyConditionExpression: 'pk = :v', ExpressionAttributeValues: { ':v': { S: 'a' } },
});
query('a start elsewhere', {
    KeyConditionExpression: 'pk = :v', ExpressionAttributeValues: { ':v': { S: 'a' } },
    ExclusiveStartKey: { pk: { S: 'b' }, sk: { N: '1' } },
});
scan('a segment too many', { Segment: 4, TotalSegments: 4 });
scan('a segment of nothing', { Segment: 0 });
transact('no actions', []);
transact('two mistakes and a failed condition', [
    { Put: { TableName, Item: { pk: { S: 'new' }, sk: { N: '1' } } } },
    { ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_not_exists(pk)' } },
    { Delete: { TableName, Key: { pk: { S: 'b' } } } },
    { Delete: { TableName, Key: { sk: { N: '1' } } } },
]);
transact('failed conditions', [
    { Put: { TableName, Item: { pk: { S: 'new' }, sk: { N: '1' } } } },
    {
        ConditionCheck: {
            TableName, Key, ConditionExpression: 'attribute_not_exists(pk)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
    },
    {
        Delete: {
            TableName, Key: { pk: { S: 'b' }, sk: { N: '1' } },
            ConditionExpression: 'attribute_exists(pk)',
        },
    },
]);
fail('not built yet', ExecuteStatementCommand, { Statement: `SELECT * FROM "${TableName}"` });

// Programs tell errors by their class.
async function classes() {
    const caught = [];

    for (const [Command, parameters] of [
        [GetItemCommand, { TableName: 'sdk-none', Key }],
        [PutItemCommand, { TableName, Item: Key, ConditionExpression: 'attribute_not_exists(pk)' }],
        [TransactWriteItemsCommand, {
            TransactItems: [{
                ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_not_exists(pk)' },
            }],
        }],
    ])
        await client.send(new Command(parameters)).catch((error) => caught.push(error));
    show('classes', [
        caught[0] instanceof ResourceNotFoundException,
        caught[1] instanceof ConditionalCheckFailedException,
        caught[2] instanceof TransactionCanceledException,
    ]);
    show('requests have an id', /^[A-Z0-9]{52}$/.test(caught[0].$metadata.requestId));
    show('and are not repeated', caught[0].$metadata.attempts);
}

run(async () => {
    await client.send(new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
            { AttributeName: 'pk', AttributeType: 'S' },
            { AttributeName: 'sk', AttributeType: 'N' },
            { AttributeName: 'owner', AttributeType: 'S' },
        ],
        KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [{
            IndexName: 'by-owner',
            KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
        }],
    }));
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
    await client.send(new PutItemCommand({ TableName, Item: { ...Key, kind: { S: 'text' } } }));
    for (const [title, Command, parameters] of failures)
        await showFailure(title, client.send(new Command(parameters)));
    await classes();
});
