-- What failed has changed nothing.
SELECT scan('sdk-errors');
