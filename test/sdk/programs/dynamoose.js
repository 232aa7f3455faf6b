// Dynamoose: models with schemas, which make and wait for their table
// themselves.
'use strict';

const dynamoose = require('dynamoose');
const { eventually, run, show } = require('../show');

const User = dynamoose.model('sdk-User', new dynamoose.Schema({
    id: { type: String, hashKey: true },
    name: { type: String, required: true },
    email: { type: String, index: { name: 'emailIndex', type: 'global' } },
    age: {
        type: Number,
        index: { name: 'ageIndex', type: 'global', rangeKey: 'name', project: ['email'] },
    },
    roles: { type: Set, schema: [String] },
    address: { type: Object, schema: { city: String, zip: Number } },
    born: Date,
    notes: { type: Array, schema: [String] },
}));

// Conversion to JSON loses sets.
const bare = (user) => ({ ...user.toJSON(), roles: user.roles });

async function main() {
    const table = new dynamoose.Table('sdk-User', [User], {
        create: true, initialize: false, tags: { team: 'shop' },
        waitForActive: { enabled: true, check: { timeout: 60000, frequency: 50 } },
    });

    await table.initialize();
    show('created', bare(await User.create({
        id: 'u1', name: 'Ada', email: 'ada@example.com', age: 36, roles: new Set(['admin', 'dev']),
        address: { city: 'London', zip: 1815 }, born: new Date('1815-12-10T00:00:00Z'),
    })));
    show('a second time', await User.create({ id: 'u1', name: 'Ada' })
        .catch((error) => error.name));
    show('batch', await User.batchPut([
        { id: 'u2', name: 'Bob', email: 'bob@example.com', age: 36, notes: ['a', 'b'] },
        { id: 'u3', name: 'Eve', age: 20 },
    ]));
    show('got', bare(await User.get('u1')));
    show('missing', await User.get('u9') ?? null);
    show('updated', (await User.update({ id: 'u2' },
        { $ADD: { age: 1, notes: ['c'] }, $SET: { name: 'Robert' }, $REMOVE: ['email'] })).toJSON());
    show('condition', await User.update({ id: 'u2' }, { name: 'B' },
        { condition: new dynamoose.Condition().where('age').gt(90) })
        .catch((error) => error.name));
    show('by email', (await eventually(
        () => User.query('email').eq('ada@example.com').exec(),
        (found) => found.count === 1)).map(bare));
    show('by age and name', (await eventually(
        () => User.query('age').eq(37).where('name').beginsWith('Rob').exec(),
        (found) => found.count === 1)).toJSON());
    show('scanned', (await User.scan('age').between(30, 40).attributes(['id', 'age']).exec())
        .map((user) => user.toJSON()).sort((a, b) => (a.id < b.id ? -1 : 1)));
    show('count', (await User.scan().count().exec()).count);
    show('several', (await User.batchGet(['u2', 'u3'])).map((user) => user.name).sort());

    await dynamoose.transaction([
        User.transaction.update({ id: 'u3' }, { age: 21 }),
        User.transaction.create({ id: 'u4', name: 'Zoe' }),
    ]);
    show('cancelled', await dynamoose.transaction([
        User.transaction.delete('u3'), User.transaction.create({ id: 'u4', name: 'Zoe' }),
    ]).catch((error) => [error.name, error.CancellationReasons.map(({ Code }) => Code)]));
    await User.delete('u4');
    show('left', (await User.scan().all().exec()).map((user) => user.id).sort());
}

run(main);
