// One table for organisations, teams, users, projects and tasks; an overloaded
// index turns the relations around.
'use strict';

const { DynamoDBClient, CreateTableCommand, waitUntilTableExists } =
    require('@aws-sdk/client-dynamodb');
const {
    BatchGetCommand, BatchWriteCommand, DynamoDBDocumentClient, QueryCommand,
    UpdateCommand,
} = require('@aws-sdk/lib-dynamodb');
const { eventually, run, show } = require('../show');

const client = new DynamoDBClient();
const documents = DynamoDBDocumentClient.from(client);
const TableName = 'sdk-organisation';

const items = [
    { PK: 'ORG#acme', SK: '#META', type: 'org', name: 'Acme', plan: 'pro' },
    { PK: 'ORG#acme', SK: 'TEAM#core', type: 'team', name: 'Core' },
    { PK: 'ORG#acme', SK: 'TEAM#web', type: 'team', name: 'Web' },
    { PK: 'ORG#acme', SK: 'USER#ada', type: 'member', role: 'owner',
        GSI1PK: 'USER#ada', GSI1SK: 'ORG#acme' },
    { PK: 'ORG#acme', SK: 'USER#bob', type: 'member', role: 'guest',
        GSI1PK: 'USER#bob', GSI1SK: 'ORG#acme' },
    { PK: 'ORG#zoo', SK: '#META', type: 'org', name: 'Zoo', plan: 'free' },
    { PK: 'ORG#zoo', SK: 'USER#ada', type: 'member', role: 'guest',
        GSI1PK: 'USER#ada', GSI1SK: 'ORG#zoo' },
    { PK: 'USER#ada', SK: '#META', type: 'user', email: 'ada@example.com',
        GSI1PK: 'EMAIL#ada@example.com', GSI1SK: '#META' },
    { PK: 'USER#bob', SK: '#META', type: 'user', email: 'bob@example.com',
        GSI1PK: 'EMAIL#bob@example.com', GSI1SK: '#META' },
    { PK: 'PROJECT#1', SK: '#META', type: 'project', name: 'Rocket',
        GSI1PK: 'ORG#acme', GSI1SK: 'PROJECT#1' },
    { PK: 'PROJECT#1', SK: 'TASK#1', type: 'task', state: 'open', title: 'Fuel',
        GSI1PK: 'ASSIGNEE#bob', GSI1SK: 'open#2026-03-01' },
    { PK: 'PROJECT#1', SK: 'TASK#2', type: 'task', state: 'done', title: 'Nose',
        GSI1PK: 'ASSIGNEE#bob', GSI1SK: 'done#2026-02-01' },
    { PK: 'PROJECT#1', SK: 'TASK#3', type: 'task', state: 'open', title: 'Fins' },
];

async function query(partition, sort, index) {
    const names = index ? ['GSI1PK', 'GSI1SK'] : ['PK', 'SK'];
    const answer = await documents.send(new QueryCommand({
        TableName,
        IndexName: index,
        KeyConditionExpression: '#pk = :pk' + (sort ? ' AND begins_with(#sk, :sk)' : ''),
        ExpressionAttributeNames:
            { '#pk': names[0], ...(sort && { '#sk': names[1] }) },
        ExpressionAttributeValues:
            { ':pk': partition, ...(sort && { ':sk': sort }) },
    }));

    return answer.Items;
}

// Reads the index until it has as many items as it must.
const indexed = (count, partition, sort) => eventually(
    () => query(partition, sort, 'GSI1'), (found) => found.length === count);

run(async () => {
    await client.send(new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['PK', 'SK', 'GSI1PK', 'GSI1SK'].map(
            (AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [
            { AttributeName: 'PK', KeyType: 'HASH' },
            { AttributeName: 'SK', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [{
            IndexName: 'GSI1',
            KeySchema: [
                { AttributeName: 'GSI1PK', KeyType: 'HASH' },
                { AttributeName: 'GSI1SK', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'ALL' },
        }],
    }));
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
    await documents.send(new BatchWriteCommand({
        RequestItems: { [TableName]: items.map((Item) => ({ PutRequest: { Item } })) },
    }));

    show('an organisation with all it has', await query('ORG#acme'));
    show('its teams', await query('ORG#acme', 'TEAM#'));
    show('organisations of a user', await indexed(2, 'USER#ada', 'ORG#'));
    show('a user by address', await indexed(1, 'EMAIL#bob@example.com'));
    show('projects of an organisation', await indexed(1, 'ORG#acme', 'PROJECT#'));
    show('open tasks of a user', await indexed(1, 'ASSIGNEE#bob', 'open#'));

    // The task moves within the index, then out of it.
    const Key = { PK: 'PROJECT#1', SK: 'TASK#1' };

    await documents.send(new UpdateCommand({
        TableName, Key,
        UpdateExpression: 'SET #s = :done, GSI1SK = :sort',
        ExpressionAttributeNames: { '#s': 'state' },
        ExpressionAttributeValues: { ':done': 'done', ':sort': 'done#2026-03-09' },
    }));
    show('no open task any more', await indexed(0, 'ASSIGNEE#bob', 'open#'));
    show('those done', (await indexed(2, 'ASSIGNEE#bob', 'done#'))
        .map((item) => item.title));
    await documents.send(new UpdateCommand(
        { TableName, Key, UpdateExpression: 'REMOVE GSI1PK, GSI1SK' }));
    show('without those let go', (await indexed(1, 'ASSIGNEE#bob'))
        .map((item) => item.title));

    const found = await documents.send(new BatchGetCommand({
        RequestItems: {
            [TableName]: {
                Keys: ['ORG#acme', 'ORG#zoo', 'ORG#none'].map((PK) => ({ PK, SK: '#META' })),
                ProjectionExpression: '#n, #p',
                ExpressionAttributeNames: { '#n': 'name', '#p': 'plan' },
            },
        },
    }));

    show('plans', found.Responses[TableName].sort((a, b) => (a.name < b.name ? -1 : 1)));
});
