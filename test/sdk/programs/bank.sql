-- No money was made or lost.
SELECT sum((item_of(t) ->> 'balance')::numeric) FROM "sdk-bank" t;
SELECT scan('sdk-bank');
