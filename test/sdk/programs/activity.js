// A user's activity: the newest by prefix, ranges of a sort key made of
// several values, filters and limits, strong and eventual reads, all pages.
'use strict';

const { DynamoDBClient, CreateTableCommand, waitUntilTableExists } =
    require('@aws-sdk/client-dynamodb');
const {
    BatchWriteCommand, DynamoDBDocumentClient, GetCommand, PutCommand,
    QueryCommand, ScanCommand, paginateQuery, paginateScan,
} = require('@aws-sdk/lib-dynamodb');
const { bare, run, show } = require('../show');

const client = new DynamoDBClient();
const documents = DynamoDBDocumentClient.from(client);
const TableName = 'sdk-activity';

const query = (parameters) =>
    documents.send(new QueryCommand({ TableName, ...parameters }));

// 40 events of a user, every 6 hours from the first of March, 5 of another.
function events() {
    const items = [];

    for (let i = 0; i < 40; i++) {
        const at = new Date(Date.UTC(2026, 2, 1, 6 * i)).toISOString()
            .slice(0, 16);

        items.push({
            user: 'U#ada', sort: `EVENT#${at}`, kind: ['view', 'buy', 'like'][i % 3],
            amount: i * 2.5, tags: new Set([`t${i % 4}`, 'all']),
        });
    }
    for (let i = 0; i < 5; i++)
        items.push({ user: 'U#bob', sort: `EVENT#2026-03-0${i + 1}T00:00`, kind: 'view' });
    items.push({ user: 'U#ada', sort: 'PROFILE', name: 'Ada', level: 7 });
    items.push({ user: 'U#ada', sort: 'ORDER#DE#2026-02#1', total: 10 });
    items.push({ user: 'U#ada', sort: 'ORDER#DE#2026-03#2', total: 20 });
    items.push({ user: 'U#ada', sort: 'ORDER#DE#2026-04#3', total: 30 });
    items.push({ user: 'U#ada', sort: 'ORDER#FR#2026-03#4', total: 40 });
    return items;
}

async function load() {
    const items = events();

    while (items.length > 0) {
        const answer = await documents.send(new BatchWriteCommand({
            RequestItems: {
                [TableName]: items.splice(0, 25)
                    .map((Item) => ({ PutRequest: { Item } })),
            },
        }));

        show('unprocessed', answer.UnprocessedItems);
    }
}

async function newest() {
    const answer = await query({
        KeyConditionExpression: '#u = :u AND begins_with(sort, :prefix)',
        ExpressionAttributeNames: { '#u': 'user' },
        ExpressionAttributeValues: { ':u': 'U#ada', ':prefix': 'EVENT#' },
        ScanIndexForward: false,
        Limit: 10,
    });

    show('newest 10', answer.Items);
    show('counts', [answer.Count, answer.ScannedCount]);
    show('go on at', answer.LastEvaluatedKey);
}

async function between() {
    show('orders in Germany, February and March', (await query({
        KeyConditionExpression: '#u = :u AND sort BETWEEN :from AND :to',
        ExpressionAttributeNames: { '#u': 'user', '#t': 'total' },
        ExpressionAttributeValues: {
            ':u': 'U#ada', ':from': 'ORDER#DE#2026-02', ':to': 'ORDER#DE#2026-03#~',
        },
        ProjectionExpression: 'sort, #t',
    })).Items);
}

// The limit counts what is read, not what passes the filter.
async function filtered() {
    const answer = await query({
        KeyConditionExpression: '#u = :u AND begins_with(sort, :prefix)',
        FilterExpression: 'kind = :kind AND contains(tags, :tag)',
        ExpressionAttributeNames: { '#u': 'user' },
        ExpressionAttributeValues: {
            ':u': 'U#ada', ':prefix': 'EVENT#', ':kind': 'buy', ':tag': 't1',
        },
        Limit: 10,
        ReturnConsumedCapacity: 'TOTAL',
    });

    show('filtered', bare(answer));
    show('none passes', bare(await query({
        KeyConditionExpression: '#u = :u',
        FilterExpression: 'kind = :kind',
        ExpressionAttributeNames: { '#u': 'user' },
        ExpressionAttributeValues: { ':u': 'U#bob', ':kind': 'buy' },
        Limit: 3,
    })));
}

async function consistency() {
    const Key = { user: 'U#ada', sort: 'PROFILE' };

    await documents.send(new PutCommand({ TableName, Item: { ...Key, level: 8 } }));
    for (const ConsistentRead of [true, false])
        show(ConsistentRead ? 'strong' : 'eventual', bare(await documents.send(
            new GetCommand({
                TableName, Key, ConsistentRead, ReturnConsumedCapacity: 'TOTAL',
            }))));
    for (const ConsistentRead of [true, false])
        show(ConsistentRead ? 'strong query' : 'eventual query', bare(await query({
            KeyConditionExpression: '#u = :u',
            ExpressionAttributeNames: { '#u': 'user' },
            ExpressionAttributeValues: { ':u': 'U#bob' },
            Select: 'COUNT', ConsistentRead, ReturnConsumedCapacity: 'INDEXES',
        })));
    show('nothing there', bare(await documents.send(new GetCommand(
        { TableName, Key: { user: 'U#eve', sort: 'PROFILE' } }))));
}

async function allPages() {
    const counts = [];
    const seen = new Set();

    for await (const page of paginateQuery({ client: documents, pageSize: 7 }, {
        TableName,
        KeyConditionExpression: '#u = :u',
        ExpressionAttributeNames: { '#u': 'user' },
        ExpressionAttributeValues: { ':u': 'U#ada' },
    })) {
        counts.push(page.Count);
        page.Items.forEach((item) => seen.add(item.sort));
    }
    show('counts of pages', [counts]);
    show('items of the user', seen.size);

    let total = 0;

    for await (const page of paginateScan({ client: documents, pageSize: 9 }, { TableName }))
        total += page.Items.length;
    show('items of the table', total);
}

async function segments() {
    const TotalSegments = 4;
    const parts = await Promise.all([...Array(TotalSegments).keys()].map(
        async (Segment) => {
            const items = [];
            let ExclusiveStartKey;

            do {
                const page = await documents.send(new ScanCommand({
                    TableName, Segment, TotalSegments, ExclusiveStartKey, Limit: 6,
                }));

                items.push(...page.Items);
                ExclusiveStartKey = page.LastEvaluatedKey;
            } while (ExclusiveStartKey);
            return items;
        }));
    const keys = parts.flat().map((item) => `${item.user} ${item.sort}`);
    const users = parts.map((part) => new Set(part.map((item) => item.user)));

    show('by a parallel scan', keys.length);
    show('different', new Set(keys).size);
    show('a partition is in one segment',
        users.flatMap((set) => [...set]).length === 2);
}

run(async () => {
    await client.send(new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
            { AttributeName: 'user', AttributeType: 'S' },
            { AttributeName: 'sort', AttributeType: 'S' },
        ],
        KeySchema: [
            { AttributeName: 'user', KeyType: 'HASH' },
            { AttributeName: 'sort', KeyType: 'RANGE' },
        ],
    }));
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
    await load();
    await newest();
    await between();
    await filtered();
    await consistency();
    await allPages();
    await segments();
});
