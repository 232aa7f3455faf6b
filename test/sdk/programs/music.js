// The table of music that introductions to the service begin with, with
// commands of the low-level client: an index is made after the items.
'use strict';

const { DynamoDB, waitUntilTableExists } = require('@aws-sdk/client-dynamodb');
const { bare, eventually, run, show, showFailure } = require('../show');

const dynamodb = new DynamoDB();
const TableName = 'sdk-Music';

const song = (artist, title, album, year, genre, price) => ({
    Artist: { S: artist }, SongTitle: { S: title }, AlbumTitle: { S: album },
    Year: { N: String(year) }, Genre: { S: genre }, Price: { N: price },
    Tags: { M: { Length: { N: '210' }, Composers: { L: [{ S: 'Smith' }, { S: 'Jones' }] } } },
});

async function createIndex() {
    await dynamodb.updateTable({
        TableName,
        AttributeDefinitions: [
            { AttributeName: 'Genre', AttributeType: 'S' },
            { AttributeName: 'Price', AttributeType: 'N' },
        ],
        GlobalSecondaryIndexUpdates: [{
            Create: {
                IndexName: 'GenreAndPriceIndex',
                KeySchema: [
                    { AttributeName: 'Genre', KeyType: 'HASH' },
                    { AttributeName: 'Price', KeyType: 'RANGE' },
                ],
                Projection: { ProjectionType: 'ALL' },
            },
        }],
    });
    await eventually(() => dynamodb.describeTable({ TableName }),
        ({ Table }) => Table.TableStatus === 'ACTIVE'
            && Table.GlobalSecondaryIndexes[0].IndexStatus === 'ACTIVE');
}

async function query(title, parameters) {
    show(title, (await dynamodb.query({ TableName, ...parameters })).Items);
}

run(async () => {
    await dynamodb.createTable({
        TableName,
        AttributeDefinitions: [
            { AttributeName: 'Artist', AttributeType: 'S' },
            { AttributeName: 'SongTitle', AttributeType: 'S' },
        ],
        KeySchema: [
            { AttributeName: 'Artist', KeyType: 'HASH' },
            { AttributeName: 'SongTitle', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
    });
    await waitUntilTableExists({ client: dynamodb, maxWaitTime: 60 }, { TableName });
    for (const Item of [
        song('No One You Know', 'My Dog Spot', 'Hey Now', 2010, 'Country', '1.98'),
        song('No One You Know', 'Somewhere Down The Road', 'Famous', 2012, 'Country', '0.99'),
        song('No One You Know', 'Call Me Today', 'Famous', 2012, 'Rock', '2.50'),
        song('The Acme Band', 'Still in Love', 'The Buck Starts Here', 1997, 'Rock', '2.47'),
        song('The Acme Band', 'Look Out, World', 'The Buck Starts Here', 1997, 'Rock', '0.99'),
    ])
        await dynamodb.putItem({ TableName, Item, ConditionExpression: 'attribute_not_exists(Artist)' });
    await createIndex();

    show('one song', bare(await dynamodb.getItem({
        TableName,
        Key: { Artist: { S: 'No One You Know' }, SongTitle: { S: 'Call Me Today' } },
        ProjectionExpression: 'AlbumTitle, #y, Tags.Composers[0]',
        ExpressionAttributeNames: { '#y': 'Year' },
    })));
    await query('songs that begin with S', {
        KeyConditionExpression: 'Artist = :a and begins_with(SongTitle, :t)',
        ProjectionExpression: 'SongTitle, Price',
        ExpressionAttributeValues: { ':a': { S: 'The Acme Band' }, ':t': { S: 'S' } },
    });
    await query('cheap rock', {
        IndexName: 'GenreAndPriceIndex',
        KeyConditionExpression: 'Genre = :genre and Price < :price',
        ProjectionExpression: 'Artist, SongTitle, Price',
        ExpressionAttributeValues: { ':genre': { S: 'Rock' }, ':price': { N: '2.50' } },
    });
    await query('dearest first', {
        IndexName: 'GenreAndPriceIndex',
        KeyConditionExpression: 'Genre = :genre',
        ProjectionExpression: 'Price',
        ExpressionAttributeValues: { ':genre': { S: 'Country' } },
        ScanIndexForward: false,
        Limit: 1,
    });
    show('rename the label', bare(await dynamodb.updateItem({
        TableName,
        Key: { Artist: { S: 'No One You Know' }, SongTitle: { S: 'Call Me Today' } },
        UpdateExpression: 'SET RecordLabel = :label, Plays = if_not_exists(Plays, :zero) + :one',
        ConditionExpression: 'Price BETWEEN :low AND :high AND #y IN (:a, :b)',
        ExpressionAttributeNames: { '#y': 'Year' },
        ExpressionAttributeValues: {
            ':label': { S: 'Global Records' }, ':zero': { N: '0' }, ':one': { N: '1' },
            ':low': { N: '2' }, ':high': { N: '3' }, ':a': { N: '2011' }, ':b': { N: '2012' },
        },
        ReturnValues: 'ALL_NEW',
        ReturnConsumedCapacity: 'INDEXES',
    })));
    await showFailure('a song twice', dynamodb.putItem({
        TableName,
        Item: { Artist: { S: 'No One You Know' }, SongTitle: { S: 'Call Me Today' } },
        ConditionExpression: 'attribute_not_exists(Artist) and attribute_not_exists(SongTitle)',
    }));
    show('deleted', bare(await dynamodb.deleteItem({
        TableName,
        Key: { Artist: { S: 'The Acme Band' }, SongTitle: { S: 'Look Out, World' } },
        ReturnValues: 'ALL_OLD',
    })));
    show('deleted again', bare(await dynamodb.deleteItem({
        TableName,
        Key: { Artist: { S: 'The Acme Band' }, SongTitle: { S: 'Look Out, World' } },
        ReturnValues: 'ALL_OLD',
    })));
    show('left', (await dynamodb.scan({ TableName, Select: 'COUNT' })).Count);
});
