// Accounts: conditional debits, a transfer as one transaction, its tokens and
// the reasons why it is cancelled.
'use strict';

const { DynamoDBClient, CreateTableCommand, waitUntilTableExists } =
    require('@aws-sdk/client-dynamodb');
const {
    DynamoDBDocumentClient, GetCommand, PutCommand, TransactGetCommand,
    TransactWriteCommand, UpdateCommand,
} = require('@aws-sdk/lib-dynamodb');
const { bare, run, show, showFailure } = require('../show');

const client = new DynamoDBClient();
const documents = DynamoDBDocumentClient.from(client);
const TableName = 'sdk-bank';

async function balance(account) {
    const answer = await documents.send(new GetCommand({
        TableName, Key: { account, sort: 'BALANCE' }, ConsistentRead: true,
    }));

    return answer.Item.balance;
}

const debit = (account, amount) => ({
    TableName,
    Key: { account, sort: 'BALANCE' },
    UpdateExpression: 'SET balance = balance - :amount',
    ConditionExpression: 'balance >= :amount',
    ExpressionAttributeValues: { ':amount': amount },
});

const credit = (account, amount) => ({
    TableName,
    Key: { account, sort: 'BALANCE' },
    UpdateExpression: 'SET balance = balance + :amount',
    ConditionExpression: 'attribute_exists(account)',
    ExpressionAttributeValues: { ':amount': amount },
});

const transfer = (id, from, to, amount, more) => documents.send(
    new TransactWriteCommand({
        TransactItems: [
            { Update: { ...debit(from, amount), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
            { Update: credit(to, amount) },
            {
                Put: {
                    TableName,
                    Item: { account: from, sort: `TRANSFER#${id}`, to, amount },
                    ConditionExpression: 'attribute_not_exists(account)',
                },
            },
        ],
        ...more,
    }));

async function debits() {
    show('debit', bare(await documents.send(new UpdateCommand(
        { ...debit('A', 30), ReturnValues: 'ALL_NEW' }))));
    await showFailure('debit too much', documents.send(new UpdateCommand(
        { ...debit('A', 300), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })));
    await showFailure('debit without asking for the item',
        documents.send(new UpdateCommand(debit('A', 300))));
    show('balance', await balance('A'));

    // Of twenty at a time, seven find money.
    const results = await Promise.allSettled([...Array(20)].map(() =>
        documents.send(new UpdateCommand(debit('A', 10)))));
    const failed = results.filter((result) => result.status === 'rejected');

    show('debits at the same time that failed', failed.length);
    show('each for', [...new Set(failed.map((result) => result.reason.name))]);
    show('balance', await balance('A'));
}

async function transfers() {
    show('transfer', bare(await transfer(1, 'B', 'C', 25,
        { ReturnConsumedCapacity: 'TOTAL' })));
    await showFailure('too much', transfer(2, 'B', 'C', 2500));
    await showFailure('the same again', transfer(1, 'B', 'C', 25));
    await showFailure('to nobody', transfer(3, 'B', 'none', 2500));

    const ClientRequestToken = '7f0f8d44-transfer-4';

    await transfer(4, 'B', 'C', 5, { ClientRequestToken });
    show('repeated with its token',
        bare(await transfer(4, 'B', 'C', 5, { ClientRequestToken })));
    await showFailure('another with the same token',
        transfer(4, 'B', 'C', 6, { ClientRequestToken }));
    await showFailure('one account twice', documents.send(
        new TransactWriteCommand({
            TransactItems: [{ Update: debit('B', 1) }, { Update: credit('B', 1) }],
        })));
    show('balances', (await documents.send(new TransactGetCommand({
        TransactItems: ['A', 'B', 'C', 'none'].map((account) => ({
            Get: {
                TableName, Key: { account, sort: 'BALANCE' },
                ProjectionExpression: 'account, balance',
            },
        })),
    }))).Responses);
}

run(async () => {
    await client.send(new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
            { AttributeName: 'account', AttributeType: 'S' },
            { AttributeName: 'sort', AttributeType: 'S' },
        ],
        KeySchema: [
            { AttributeName: 'account', KeyType: 'HASH' },
            { AttributeName: 'sort', KeyType: 'RANGE' },
        ],
    }));
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
    for (const account of ['A', 'B', 'C'])
        await documents.send(new PutCommand({
            TableName,
            Item: { account, sort: 'BALANCE', balance: 100 },
            ConditionExpression: 'attribute_not_exists(account)',
        }));
    await debits();
    await transfers();
});
