// Values of all types there and back, numbers that JavaScript cannot hold,
// updates of documents.
'use strict';

const { DynamoDBClient, CreateTableCommand, GetItemCommand, PutItemCommand,
    waitUntilTableExists } = require('@aws-sdk/client-dynamodb');
const {
    DynamoDBDocumentClient, GetCommand, NumberValue, PutCommand, UpdateCommand,
} = require('@aws-sdk/lib-dynamodb');
const { bare, run, show, showFailure } = require('../show');

const client = new DynamoDBClient();
const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true, convertEmptyValues: false },
});
const TableName = 'sdk-values';

async function update(title, expression, values, more) {
    const answer = await documents.send(new UpdateCommand({
        TableName,
        Key: { id: 9 },
        UpdateExpression: expression,
        ExpressionAttributeValues: values,
        ReturnValues: 'UPDATED_NEW',
        ...more,
    }));

    show(title, answer.Attributes);
}

async function types() {
    await documents.send(new PutCommand({
        TableName,
        Item: {
            id: 1, text: 'zwölf "Stück" \u{1F600}\n\u0001', empty: '', whole: 42,
            fraction: -0.1, yes: true, no: false, nothing: null, gone: undefined,
            list: [1, 'two', [3, {}], null], map: { a: { b: { c: [] } } },
            strings: new Set(['b', 'a', 'é']), numbers: new Set([3, -1, 2.5]),
            binaries: new Set([Buffer.from('x'), Buffer.from([0, 255])]),
            bytes: Buffer.from([0, 1, 254, 255]),
        },
    }));
    show('documents', (await documents.send(
        new GetCommand({ TableName, Key: { id: 1 } }))).Item);

    const { Item } = await client.send(new GetItemCommand(
        { TableName, Key: { id: { N: '01.0' } } }));

    for (const name of ['strings', 'numbers'])
        Object.values(Item[name])[0].sort();
    Item.binaries.BS.sort((a, b) => Buffer.compare(a, b));
    show('attribute values', Item);
}

async function numbers() {
    const digits = '12345678901234567890123456789012345678';

    await documents.send(new PutCommand({
        TableName,
        Item: {
            id: 2, large: NumberValue.from(digits), big: 9007199254740993n,
            tiny: NumberValue.from('1E-130'), huge: NumberValue.from('1E125'),
        },
    }));
    const { Item } = await client.send(new GetItemCommand(
        { TableName, Key: { id: { N: '2' } } }));

    show('as it is', Item.large.N);
    show('bigint', Item.big.N);
    show('decimals of the smallest', Item.tiny.N.length);
    show('digits of a large one', Item.huge.N.length);
    for (const [title, N] of [
        ['39 digits', `${digits}9`], ['too large', '1E126'], ['too small', '1E-131'],
        ['no number', 'one'],
    ])
        await showFailure(title, client.send(new PutItemCommand(
            { TableName, Item: { id: { N: '3' }, n: { N } } })));
}

async function updates() {
    await documents.send(new PutCommand({
        TableName,
        Item: {
            id: 9, list: ['a', 'b', 'c'], map: { kept: 1, count: 1 },
            tags: new Set(['x', 'y']), former: 'value',
        },
    }));
    await update('count', 'SET #m.#c = #m.#c + :one ADD hits :one',
        { ':one': 1 }, { ExpressionAttributeNames: { '#m': 'map', '#c': 'count' } });
    await update('append',
        'SET #l = list_append(#l, :more), queue = list_append(if_not_exists(queue, :none), :more)',
        { ':more': ['d'], ':none': [] }, { ExpressionAttributeNames: { '#l': 'list' } });
    await update('copy and remove', 'SET renamed = former REMOVE former, #l[1]', undefined,
        { ExpressionAttributeNames: { '#l': 'list' } });
    await update('sets', 'ADD tags :add', { ':add': new Set(['z', 'x']) });
    await update('sets', 'DELETE tags :out', { ':out': new Set(['x', 'q']) });
    await update('default', 'SET misses = if_not_exists(misses, :v), hits = if_not_exists(hits, :v)',
        { ':v': 0 });
    show('before and after', bare(await documents.send(new UpdateCommand({
        TableName,
        Key: { id: 9 },
        UpdateExpression: 'SET #m = :m',
        ExpressionAttributeNames: { '#m': 'map' },
        ExpressionAttributeValues: { ':m': {} },
        ReturnValues: 'ALL_OLD',
    }))));
    show('new item', bare(await documents.send(new UpdateCommand({
        TableName,
        Key: { id: 10 },
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': 1 },
        ReturnValues: 'ALL_NEW',
    }))));
}

run(async () => {
    await client.send(new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }));
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
    await types();
    await numbers();
    await updates();
});
