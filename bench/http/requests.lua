-- Requests of the HTTP bench, for wrk:
--
--   wrk -s requests.lua URL -- get|put|query USERS
--
-- The same items as in bench/load.sql, picked at random.

local bodies = {
    get = '{"TableName":"app","Key":{"PK":{"S":"USER#%d"},"SK":{"S":"%s"}}}',
    put = '{"TableName":"app","Item":{"PK":{"S":"USER#%d"},"SK":{"S":"%s"},'
        .. '"orderId":{"S":"76d80224611fc919a5d5"},"status":{"S":"PENDING"},'
        .. '"amount":{"N":"431.25"},"currency":{"S":"EUR"},"qty":{"N":"3"},'
        .. '"carrier":{"S":"COLISSIMO"},"GSI1PK":{"S":"STATUS#PENDING#123"},'
        .. '"GSI1SK":{"S":"2025-06-01T09:30:00.123456Z"}}}',
    query = '{"TableName":"app","KeyConditionExpression":'
        .. '"PK = :p AND begins_with(SK, :s)","ExpressionAttributeValues":'
        .. '{":p":{"S":"USER#%d"},":s":{"S":"ORDER#"}},'
        .. '"ScanIndexForward":false,"Limit":10}',
}
local operations = { get = 'GetItem', put = 'PutItem', query = 'Query' }
local work, users

function init(args)
    work = args[1]
    users = tonumber(args[2])
    math.randomseed(tonumber(args[3] or 1))
    wrk.method = 'POST'
    wrk.headers['Content-Type'] = 'application/x-amz-json-1.0'
    -- dynalite asks for a signature and does not look at it
    wrk.headers['X-Amz-Date'] = '20260101T000000Z'
    wrk.headers['Authorization'] = 'AWS4-HMAC-SHA256 '
        .. 'Credential=a/20260101/local/dynamodb/aws4_request, '
        .. 'SignedHeaders=host;x-amz-date, Signature=b'
    wrk.headers['X-Amz-Target'] = 'DynamoDB_20120810.' .. operations[work]
end

function request()
    local u = 9999999 + math.random(users)
    local sk = string.format('ORDER#2024-03-%dT09:30:00.%dZ',
        10 + math.random(18), 100 + u % 900)

    return wrk.format(nil, '/', nil, string.format(bodies[work], u, sk))
end

function done(summary, latency, requests)
    io.write(string.format('result %.0f %.2f %.2f %d\n',
        summary.requests / summary.duration * 1e6,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000,
        summary.errors.status + summary.errors.connect + summary.errors.read
        + summary.errors.write + summary.errors.timeout))
end
