// Sends requests, one of each line of standard input, to an endpoint:
//
//   node load.js PORT < lines of "Operation {json}"
'use strict';

const http = require('http');
const readline = require('readline');

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function send(operation, body) {
    return new Promise((resolve, reject) => {
        const request = http.request({
            agent, host: '127.0.0.1', port: process.argv[2], method: 'POST',
            headers: {
                'Content-Type': 'application/x-amz-json-1.0',
                'X-Amz-Target': 'DynamoDB_20120810.' + operation,
                'Authorization': 'AWS4-HMAC-SHA256 Credential=a/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=b',
                'X-Amz-Date': '20260101T000000Z',
            },
        }, (response) => {
            let text = '';
            response.on('data', (part) => { text += part; });
            response.on('end', () => {
                if (response.statusCode !== 200) {
                    reject(new Error(`${operation}: ${text}`));
                } else {
                    resolve(text);
                }
            });
        });
        request.on('error', reject);
        request.end(body);
    });
}

(async () => {
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const space = line.indexOf(' ');
        await send(line.slice(0, space), line.slice(space + 1));
    }
    agent.destroy();
})().catch((error) => {
    console.error(error.message);
    process.exit(1);
});
