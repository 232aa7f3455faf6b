-- Nothing of a refused batch is there.
SELECT scan('sdk-sensors');
SELECT scan('sdk-readings', projection => 'sensor, #at', expression_names => '{"#at": "at"}');
