// ElectroDB: entities of one table, its indexes and collections.
'use strict';

const { DynamoDBClient, CreateTableCommand, waitUntilTableExists } =
    require('@aws-sdk/client-dynamodb');
const { Entity, Service } = require('electrodb');
const { eventually, run, show } = require('../show');

const client = new DynamoDBClient();
const table = 'sdk-electro';

const Employee = new Entity({
    model: { entity: 'employee', version: '1', service: 'company' },
    attributes: {
        employee: { type: 'string', required: true },
        office: { type: 'string', required: true },
        team: { type: ['core', 'web'], required: true },
        salary: { type: 'number', default: 1000 },
        skills: { type: 'set', items: 'string' },
        address: {
            type: 'map',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
        manager: { type: 'string' },
    },
    indexes: {
        primary: {
            pk: { field: 'pk', composite: ['employee'] },
            sk: { field: 'sk', composite: [] },
        },
        staff: {
            index: 'gsi1',
            collection: 'workplaces',
            pk: { field: 'gsi1pk', composite: ['office'] },
            sk: { field: 'gsi1sk', composite: ['team', 'employee'] },
        },
    },
}, { client, table });

const Office = new Entity({
    model: { entity: 'office', version: '1', service: 'company' },
    attributes: {
        office: { type: 'string', required: true },
        country: { type: 'string', required: true },
        places: { type: 'number' },
    },
    indexes: {
        primary: {
            pk: { field: 'pk', composite: ['country'] },
            sk: { field: 'sk', composite: ['office'] },
        },
        workplace: {
            index: 'gsi1',
            collection: 'workplaces',
            pk: { field: 'gsi1pk', composite: ['office'] },
            sk: { field: 'gsi1sk', composite: [] },
        },
    },
}, { client, table });

const company = new Service({ employees: Employee, offices: Office });

async function createTable() {
    const string = (AttributeName) => ({ AttributeName, AttributeType: 'S' });

    await client.send(new CreateTableCommand({
        TableName: table,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['pk', 'sk', 'gsi1pk', 'gsi1sk'].map(string),
        KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [{
            IndexName: 'gsi1',
            KeySchema: [
                { AttributeName: 'gsi1pk', KeyType: 'HASH' },
                { AttributeName: 'gsi1sk', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'ALL' },
        }],
    }));
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: table });
}

run(async () => {
    await createTable();

    show('created', (await Employee.create({
        employee: 'ada', office: 'berlin', team: 'core', skills: ['c', 'sql'],
        address: { street: 'Main 1', city: 'Berlin' },
    }).go()).data);
    await Employee.put([
        { employee: 'bob', office: 'berlin', team: 'web', salary: 900, manager: 'ada' },
        { employee: 'eve', office: 'paris', team: 'core', salary: 1200 },
    ]).go();
    await Office.create({ office: 'berlin', country: 'DE', places: 20 }).go();
    show('a second time', await Employee.create(
        { employee: 'ada', office: 'berlin', team: 'core' }).go()
        .catch((error) => [error.name, error.cause?.name ?? error.code]));

    show('updated', (await Employee.patch({ employee: 'ada' })
        .add({ salary: 50 }).delete({ skills: ['c'] })
        .data(({ address }, { set }) => set(address.city, 'Potsdam'))
        .where(({ salary }, { lt }) => lt(salary, 2000))
        .go({ response: 'all_new' })).data);
    show('condition failed', await Employee.patch({ employee: 'ada' })
        .set({ salary: 1 }).where(({ salary }, { gt }) => gt(salary, 9999)).go()
        .catch((error) => [error.name, error.cause?.name ?? error.code]));
    show('got', (await Employee.get([{ employee: 'eve' }, { employee: 'none' }]).go()).data);

    const workplaces = await eventually(
        () => company.collections.workplaces({ office: 'berlin' }).go(),
        ({ data }) => data.employees.length === 2 && data.offices.length === 1
            && data.employees[0].salary === 1050);

    show('collection', workplaces.data);
    show('by team', (await Employee.query.staff({ office: 'berlin' }).begins({ team: 'w' })
        .where(({ salary }, { between }) => between(salary, 800, 1000)).go()).data);

    const first = await Employee.scan.go({ limit: 2, order: 'asc' });

    show('a page of a scan', first.data.length);
    show('goes on', typeof first.cursor);
    show('all pages', (await Employee.scan.go({ pages: 'all' })).data
        .map((employee) => employee.employee).sort());

    show('transaction', (await company.transaction.write(({ employees, offices }) => [
        employees.patch({ employee: 'bob' }).set({ manager: 'eve' }).commit(),
        offices.patch({ country: 'DE', office: 'berlin' }).subtract({ places: 1 }).commit(),
        employees.check({ employee: 'eve' }).where(({ team }, { eq }) => eq(team, 'core')).commit(),
    ]).go()));
    show('cancelled', (await company.transaction.write(({ employees, offices }) => [
        employees.remove({ employee: 'bob' }).commit(),
        offices.create({ country: 'DE', office: 'berlin' }).commit(),
    ]).go()).data.map((result) => [result.rejected, result.code]));
    show('read as one', (await company.transaction.get(({ employees, offices }) => [
        employees.get({ employee: 'bob' }).commit(),
        offices.get({ country: 'DE', office: 'berlin' }).commit(),
    ]).go()).data);
    show('removed', (await Employee.remove({ employee: 'eve' }).go({ response: 'all_old' })).data);
});
