// Signed requests: the right key, a wrong secret, a key that is unknown, what
// the role of the key may not do, another region.
'use strict';

const { DynamoDBClient, GetItemCommand, ListTablesCommand, PutItemCommand } =
    require('@aws-sdk/client-dynamodb');
const AWS = require('aws-sdk');
const { bare, run, show, showFailure } = require('../show');

const accessKeyId = process.env.AWS_ACCESS_KEY_ID;
const secretAccessKey = process.env.AWS_SECRET_ACCESS_KEY;
const client = (options) => new DynamoDBClient(options);
const TableName = 'sdk-secret';
const Key = { id: { S: '1' } };
const get = new GetItemCommand({ TableName: 'sdk-shared', Key });

run(async () => {
    show('the right key', bare(await client().send(get)));
    show('of another region', bare(await client({ region: 'eu-west-1' }).send(get)));
    show('a session token is not needed', bare(await client({
        credentials: { accessKeyId, secretAccessKey, sessionToken: 'none' },
    }).send(get)));
    await showFailure('a wrong secret', client({
        credentials: { accessKeyId, secretAccessKey: `${secretAccessKey}x` },
    }).send(get));
    await showFailure('an unknown key', client({
        credentials: { accessKeyId: 'AKIAUNKNOWN', secretAccessKey },
    }).send(get));
    await showFailure('a table of somebody else',
        client().send(new GetItemCommand({ TableName, Key })));
    await showFailure('a write without the privilege', client().send(
        new PutItemCommand({ TableName: 'sdk-shared', Item: Key })));
    show('tables that the key shows',
        (await client().send(new ListTablesCommand({}))).TableNames);

    const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB;
    const v2 = (options) => new AWS.DynamoDB({ endpoint, ...options })
        .getItem({ TableName: 'sdk-shared', Key }).promise();

    show('version 2', await v2());
    await showFailure('a wrong secret', v2({ accessKeyId, secretAccessKey: 'wrong' }));
});
