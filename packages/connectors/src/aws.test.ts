import { AwsV4Signer } from 'aws4fetch';
import { describe, expect, test } from 'vitest';
import { type Credentials, requestAws } from './aws.ts';

/** From AWS's published test suite for Signature Version 4. */
const example = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
  datetime: '20150830T123600Z',
};
const vectors: [name: string, method: string, path: string, signature: string][] = [
  ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
];

describe('the signer', () => {
  test.each(vectors)('signs %s as published', async (_name, method, path, signature) => {
    const signer = new AwsV4Signer({ ...example, method, url: `https://example.amazonaws.com${path}` });
    const headers = (await signer.sign()).headers;
    expect(headers.get('authorization')).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    );
  });
});

describe('requestAws', () => {
  test('signs the session token of a role, and never follows the answer elsewhere', async () => {
    const sent: { url: string; headers: Record<string, string> }[] = [];
    const http = async (url: string, init: RequestInit = {}) => {
      sent.push({ url, headers: init.headers as Record<string, string> });
      return new Response('{}');
    };
    const credentials: Credentials = { ...example, sessionToken: 'token' };
    await requestAws(http, credentials, {
      service: 's3',
      region: 'eu-central-1',
      url: 'https://s3.eu-central-1.amazonaws.com/b/a%20b',
    });
    expect(sent[0]?.url).toBe('https://s3.eu-central-1.amazonaws.com/b/a%20b');
    expect(sent[0]?.headers['x-amz-security-token']).toBe('token');
    expect(sent[0]?.headers.authorization).toContain('/eu-central-1/s3/aws4_request');
  });
});
