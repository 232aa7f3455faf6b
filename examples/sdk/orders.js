// A program for DynamoDB as it would be for the service: orders of customers,
// and an index that has the open ones.  It finds endpoint, region and key in
// the environment (docs/sdk.md):
//
//     npm install @aws-sdk/client-dynamodb @aws-sdk/lib-dynamodb
//     export AWS_ENDPOINT_URL_DYNAMODB=http://localhost:8000 AWS_REGION=local
//     export AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=...
//     node orders.js
'use strict';

const { DynamoDBClient, CreateTableCommand, waitUntilTableExists } =
    require('@aws-sdk/client-dynamodb');
const { DynamoDBDocumentClient, PutCommand, QueryCommand, TransactWriteCommand } =
    require('@aws-sdk/lib-dynamodb');

const client = new DynamoDBClient();
const db = DynamoDBDocumentClient.from(client);
const TableName = 'sdk_orders';

async function createTable() {
    const key = (AttributeName, KeyType) => ({ AttributeName, KeyType });

    await client.send(new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['customer', 'id', 'open']
            .map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [key('customer', 'HASH'), key('id', 'RANGE')],
        GlobalSecondaryIndexes: [{
            IndexName: 'open_orders',
            KeySchema: [key('open', 'HASH'), key('id', 'RANGE')],
            Projection: { ProjectionType: 'ALL' },
        }],
        // Here the index changes with the item; the service has it follow.
        Tags: [{ Key: 'partitioning:index/open_orders/propagation', Value: 'sync' }],
    }));
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
}

const place = (customer, id, total) => db.send(new PutCommand({
    TableName,
    Item: { customer, id, total, items: ['tea', 'cups'], open: 'yes' },
    ConditionExpression: 'attribute_not_exists(customer)',
}));

// The order is closed and has an invoice, or neither.
const pay = (customer, id, amount) => db.send(new TransactWriteCommand({
    TransactItems: [{
        Update: {
            TableName,
            Key: { customer, id },
            UpdateExpression: 'SET paid = :amount REMOVE #open',
            ConditionExpression: '#open = :yes AND #total <= :amount',
            ExpressionAttributeNames: { '#open': 'open', '#total': 'total' },
            ExpressionAttributeValues: { ':amount': amount, ':yes': 'yes' },
        },
    }, {
        Put: { TableName, Item: { customer, id: id.replace('ORDER', 'INVOICE'), amount } },
    }],
}));

async function query(title, parameters) {
    const { Items } = await db.send(new QueryCommand({ TableName, ...parameters }));

    console.log(title);
    for (const { customer, id, total } of Items)
        console.log(`    ${customer}  ${id}  ${total}`);
}

async function main() {
    await createTable();
    await place('C#ada', 'ORDER#2026-05-01', 20.5);
    await place('C#ada', 'ORDER#2026-05-04', 35);
    await place('C#bob', 'ORDER#2026-05-03', 12);
    await pay('C#ada', 'ORDER#2026-05-04', 35);
    await pay('C#bob', 'ORDER#2026-05-03', 10).catch((error) => {
        console.log(`Bob pays too little: ${error.name}, `
            + error.CancellationReasons.map((reason) => reason.Code).join(', '));
    });
    await query('Orders of Ada, newest first:', {
        KeyConditionExpression: 'customer = :c AND begins_with(id, :p)',
        ExpressionAttributeValues: { ':c': 'C#ada', ':p': 'ORDER#' },
        ScanIndexForward: false,
    });
    await query('Open orders, by the index:', {
        IndexName: 'open_orders',
        KeyConditionExpression: '#open = :yes',
        ExpressionAttributeNames: { '#open': 'open' },
        ExpressionAttributeValues: { ':yes': 'yes' },
    });
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
