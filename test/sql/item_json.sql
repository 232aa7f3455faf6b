-- The typed JSON of the DynamoDB API.
SET search_path = partitioning, public;

-- Every type, both ways; compact.
SELECT to_dynamodb_json('{"s": "x\"\u0000é", "n": -1.50, "b": {"$binary": "AAEC"}, "t": true, "z": null, "m": {"a": {}},
    "l": [1, []], "ss": {"$string_set": ["b", "a"]}, "ns": {"$number_set": [2, 1]}, "bs": {"$binary_set": ["AA=="]}}');
SELECT from_dynamodb_json('{"s": {"S": "x"}, "n": {"N": "-1.50"}, "b": {"B": "AAEC"}, "t": {"BOOL": false}, "z": {"NULL": true},
    "m": {"M": {"a": {"M": {}}}}, "l": {"L": [{"N": "1"}, {"L": []}]}, "ss": {"SS": ["b", "a"]}, "ns": {"NS": ["2", "1"]},
    "bs": {"BS": ["AA=="]}, "$only": {"M": {"$x": {"S": ""}}}}');
-- Values that are no maps stand with their tag; an item has none.
SELECT v, to_dynamodb_json(v), from_dynamodb_json(to_dynamodb_json(v)) = v AS back
FROM unnest(ARRAY['"x"', '1', '{"$binary": ""}', 'true', 'null', '[1, {"a": 1}]', '{"$string_set": ["a"]}', '{"$number_set": [1]}',
    '{"$binary_set": ["AA=="]}', '{}', '{"S": "x"}', '{"M": {"S": "x"}}', '{"L": []}']::item[]) v;
-- An attribute may have the name of a tag.
SELECT from_dynamodb_json('{"S": {"S": "x"}}'), from_dynamodb_json('{"M": {"M": {}}}'), from_dynamodb_json('{"N": {"S": "x"}, "S": {"N": "1"}}');
-- JSON null is absent; unknown members are ignored.
SELECT from_dynamodb_json('{"a": null, "b": {"S": "x", "N": null, "dog": [{"y": "\u0041"}, 1.5e3, true, null]}, "c": {"L": [null, {"S": "y"}]},
    "d": {"SS": ["x", null]}}');
-- The last of members of one name stays.
SELECT from_dynamodb_json('{"a": {"S": "x"}, "a": {"S": "y", "S": "z"}}');

-- What does not fit the model is a SerializationException, by expected and found kind.
\set VERBOSITY terse
SELECT from_dynamodb_json('{"a": {"S": true}}');
SELECT from_dynamodb_json('{"a": {"S": false}}');
SELECT from_dynamodb_json('{"a": {"S": 1}}');
SELECT from_dynamodb_json('{"a": {"S": 1.5}}');
SELECT from_dynamodb_json('{"a": {"N": 1}}');
SELECT from_dynamodb_json('{"a": {"S": ["x"]}}');
SELECT from_dynamodb_json('{"a": {"S": {"S": "x"}}}');
SELECT from_dynamodb_json('{"a": {"BOOL": 1}}');
SELECT from_dynamodb_json('{"a": {"BOOL": 1.5}}');
SELECT from_dynamodb_json('{"a": {"BOOL": "true"}}');
SELECT from_dynamodb_json('{"a": {"BOOL": []}}');
SELECT from_dynamodb_json('{"a": {"NULL": {}}}');
SELECT from_dynamodb_json('{"a": {"B": 1}}');
SELECT from_dynamodb_json('{"a": {"B": false}}');
SELECT from_dynamodb_json('{"a": {"B": []}}');
SELECT from_dynamodb_json('{"a": {"B": {}}}');
SELECT from_dynamodb_json('{"a": {"B": "AAAAA"}}');
SELECT from_dynamodb_json('{"a": {"B": "AAF="}}');
SELECT from_dynamodb_json('{"a": {"B": "A===" }}');
SELECT from_dynamodb_json('{"a": {"BS": ["AA=="," A=="]}}');
SELECT from_dynamodb_json('{"a": {"L": "x"}}');
SELECT from_dynamodb_json('{"a": {"L": {}}}');
SELECT from_dynamodb_json('{"a": {"L": ["x"]}}');
SELECT from_dynamodb_json('{"a": {"M": "x"}}');
SELECT from_dynamodb_json('{"a": {"M": []}}');
SELECT from_dynamodb_json('{"a": {"SS": "x"}}');
SELECT from_dynamodb_json('{"a": {"SS": {}}}');
SELECT from_dynamodb_json('{"a": {"SS": [1]}}');
SELECT from_dynamodb_json('{"a": {"NS": [1]}}');
SELECT from_dynamodb_json('{"a": "x"}');
SELECT from_dynamodb_json('{"a": []}');
SELECT from_dynamodb_json('[]');
SELECT from_dynamodb_json('"x"');
SELECT from_dynamodb_json('null');

-- Values are validated after that, the first invalid one is named.
SELECT from_dynamodb_json('{"a": {}}');
SELECT from_dynamodb_json('{"a": {"dog": "x"}}');
SELECT from_dynamodb_json('{"a": {"S": null}}');
SELECT from_dynamodb_json('{"a": {"N": "x"}}');
SELECT from_dynamodb_json('{"a": {"NS": ["1", ""]}}');
SELECT from_dynamodb_json('{"a": {"NULL": false}}');
SELECT from_dynamodb_json('{"a": {"SS": []}}');
SELECT from_dynamodb_json('{"a": {"SS": [null]}}');
SELECT from_dynamodb_json('{"a": {"NS": []}}');
SELECT from_dynamodb_json('{"a": {"BS": []}}');
SELECT from_dynamodb_json('{"a": {"SS": ["b", "a", "b"]}}');
SELECT from_dynamodb_json('{"a": {"NS": ["1", "1.0"]}}');
SELECT from_dynamodb_json('{"a": {"BS": ["AQ==", "AQ=="]}}');
SELECT from_dynamodb_json('{"a": {"M": {"b": {"L": [{"SS": []}]}}}}');
SELECT from_dynamodb_json('{"a": {"S": "x", "N": "1"}}');
SELECT from_dynamodb_json('{"": {"S": "x"}}');
SELECT from_dynamodb_json('{"a": {"N": "first"}, "b": {"N": "second"}}');
SELECT from_dynamodb_json('{"a": {"N": "invalid"}, "b": {"S": 1}}');
SELECT from_dynamodb_json('{"a": {"S": "x", "L": [{"N": "inner"}]}}');

-- The SQLSTATEs behind the two.
\set VERBOSITY sqlstate
SELECT from_dynamodb_json('{"a": {"S": true}}');
SELECT from_dynamodb_json('{"a": {}}');
SELECT from_dynamodb_json('{"a": {"S": "\ud800"}}');
\set VERBOSITY default

SELECT to_dynamodb_json(NULL), from_dynamodb_json(NULL);
