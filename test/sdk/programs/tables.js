// Tables with every kind of index, both billing modes, settings, waiters.
'use strict';

const {
    CreateTableCommand, DeleteTableCommand, DescribeTableCommand,
    DescribeTimeToLiveCommand, DynamoDBClient, ListTablesCommand,
    ListTagsOfResourceCommand, TagResourceCommand, UntagResourceCommand,
    UpdateTableCommand, UpdateTimeToLiveCommand, paginateListTables,
    waitUntilTableExists, waitUntilTableNotExists,
} = require('@aws-sdk/client-dynamodb');
const { eventually, run, show, showFailure } = require('../show');

const client = new DynamoDBClient();
const waiter = { client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 };

async function describe(table) {
    const answer = await client.send(
        new DescribeTableCommand({ TableName: table }));

    return answer.Table;
}

// What does not differ from run to run.
function essence(table) {
    const { CreationDateTime, TableArn, TableId, BillingModeSummary,
        GlobalSecondaryIndexes, LocalSecondaryIndexes, ...rest } = table;
    const indexes = (list) => list?.map(({ IndexArn, ...index }) => index)
        .sort((a, b) => (a.IndexName < b.IndexName ? -1 : 1));

    return {
        ...rest,
        BillingMode: BillingModeSummary?.BillingMode,
        GlobalSecondaryIndexes: indexes(GlobalSecondaryIndexes),
        LocalSecondaryIndexes: indexes(LocalSecondaryIndexes),
    };
}

const key = (partition, sort) => [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
];

async function onDemand() {
    const answer = await client.send(new CreateTableCommand({
        TableName: 'sdk-orders',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
            { AttributeName: 'customer', AttributeType: 'S' },
            { AttributeName: 'order', AttributeType: 'S' },
            { AttributeName: 'status', AttributeType: 'S' },
            { AttributeName: 'total', AttributeType: 'N' },
        ],
        KeySchema: key('customer', 'order'),
        GlobalSecondaryIndexes: [{
            IndexName: 'by-total',
            KeySchema: key('status', 'total'),
            Projection: {
                ProjectionType: 'INCLUDE',
                NonKeyAttributes: ['placed', 'items'],
            },
        }, {
            IndexName: 'by-order',
            KeySchema: [{ AttributeName: 'order', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
        }],
        Tags: [{ Key: 'team', Value: 'shop' }],
    }));
    const created = answer.TableDescription;

    show('created', created.TableName);
    show('status when created', [created.TableStatus,
        ...created.GlobalSecondaryIndexes.map((index) => index.IndexStatus)]);
    show('is a date', created.CreationDateTime instanceof Date);
    show('state of the waiter',
        (await waitUntilTableExists(waiter, { TableName: 'sdk-orders' })).state);
    const table = await describe('sdk-orders');
    show('on demand', essence(table));
    show('ARN', table.TableArn.replace(/:[^:]*:[^:]*:table/, ':…:table'));
    return table.TableArn;
}

async function provisioned() {
    await client.send(new CreateTableCommand({
        TableName: 'sdk-threads',
        AttributeDefinitions: [
            { AttributeName: 'forum', AttributeType: 'S' },
            { AttributeName: 'subject', AttributeType: 'S' },
            { AttributeName: 'replies', AttributeType: 'N' },
        ],
        KeySchema: key('forum', 'subject'),
        ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 4 },
        LocalSecondaryIndexes: [{
            IndexName: 'by-replies',
            KeySchema: key('forum', 'replies'),
            Projection: { ProjectionType: 'KEYS_ONLY' },
        }],
        GlobalSecondaryIndexes: [{
            IndexName: 'busiest',
            KeySchema: key('subject', 'replies'),
            Projection: { ProjectionType: 'ALL' },
            ProvisionedThroughput:
                { ReadCapacityUnits: 2, WriteCapacityUnits: 1 },
        }],
    }));
    await waitUntilTableExists(waiter, { TableName: 'sdk-threads' });
    show('provisioned', essence(await describe('sdk-threads')));
    await client.send(new UpdateTableCommand({
        TableName: 'sdk-threads',
        ProvisionedThroughput: { ReadCapacityUnits: 6, WriteCapacityUnits: 4 },
    }));
    await waitUntilTableExists(waiter, { TableName: 'sdk-threads' });
    const { ProvisionedThroughput: now } = await describe('sdk-threads');
    show('units after the update',
        [now.ReadCapacityUnits, now.WriteCapacityUnits]);
    await showFailure('the same units again', client.send(
        new UpdateTableCommand({
            TableName: 'sdk-threads',
            ProvisionedThroughput:
                { ReadCapacityUnits: 6, WriteCapacityUnits: 4 },
        })));
}

async function listed() {
    const names = [];

    for await (const page of paginateListTables({ client, pageSize: 1 }, {}))
        names.push(...page.TableNames.filter((name) => /^sdk-(orders|threads)$/.test(name)));
    show('listed', names);
    show('a page', (await client.send(new ListTablesCommand({
        ExclusiveStartTableName: 'sdk-order', Limit: 1,
    }))).LastEvaluatedTableName);
}

async function indexLater() {
    const TableName = 'sdk-threads';
    const statuses = async () => ((await describe(TableName))
        .GlobalSecondaryIndexes ?? [])
        .map((index) => `${index.IndexName} ${index.IndexStatus}`).sort();

    await client.send(new UpdateTableCommand({
        TableName,
        AttributeDefinitions: [{ AttributeName: 'author', AttributeType: 'S' }],
        GlobalSecondaryIndexUpdates: [{
            Create: {
                IndexName: 'by-author',
                KeySchema: [{ AttributeName: 'author', KeyType: 'HASH' }],
                Projection: { ProjectionType: 'KEYS_ONLY' },
                ProvisionedThroughput:
                    { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
            },
        }],
    }));
    show('indexes', await eventually(statuses,
        (list) => list.length === 2 && list.every((s) => / ACTIVE$/.test(s))));
    await client.send(new UpdateTableCommand({
        TableName,
        GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'busiest' } }],
    }));
    show('indexes', await eventually(statuses, (list) => list.length === 1));
}

async function settings(arn) {
    const TableName = 'sdk-orders';
    const timeToLive = async () => (await client.send(
        new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription;
    const tags = async () => (await client.send(
        new ListTagsOfResourceCommand({ ResourceArn: arn }))).Tags
        .sort((a, b) => (a.Key < b.Key ? -1 : 1));

    show('time to live', await timeToLive());
    show('changed to', (await client.send(new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
    }))).TimeToLiveSpecification);
    show('time to live', await eventually(timeToLive,
        (d) => d.TimeToLiveStatus === 'ENABLED'));

    show('tags', await tags());
    await client.send(new TagResourceCommand({
        ResourceArn: arn,
        Tags: [{ Key: 'stage', Value: 'test' }, { Key: 'team', Value: 'web' }],
    }));
    show('tags', await tags());
    await client.send(new UntagResourceCommand(
        { ResourceArn: arn, TagKeys: ['stage', 'none'] }));
    show('tags', await tags());
}

async function deleted() {
    const TableName = 'sdk-threads';
    const protect = (on) => client.send(new UpdateTableCommand(
        { TableName, DeletionProtectionEnabled: on }));

    await protect(true);
    await showFailure('delete a protected table',
        client.send(new DeleteTableCommand({ TableName })));
    await protect(false);
    show('deleted', (await client.send(new DeleteTableCommand({ TableName })))
        .TableDescription.TableStatus);
    show('state of the waiter',
        (await waitUntilTableNotExists(waiter, { TableName })).state);
    await showFailure('describe it',
        client.send(new DescribeTableCommand({ TableName })));
}

run(async () => {
    const arn = await onDemand();

    await showFailure('create it again', client.send(new CreateTableCommand({
        TableName: 'sdk-orders',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }],
    })));
    await provisioned();
    await listed();
    await indexLater();
    await settings(arn);
    await deleted();
});
