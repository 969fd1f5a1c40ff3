/**
 * Simulated AWS: STS AssumeRole with an external ID, an SQS queue in the JSON protocol, and an S3 bucket with CloudTrail's or GuardDuty's files, as published in
 * AWS's API references and in "Create a signed AWS API request" (from memory). Signatures are verified. A message is visible again at once until it is
 * deleted, as a queue that delivers at least once may do at any time.
 */
import { createHash, createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import {
  newVendorState,
  serveVendor,
  switchesOf,
  type Vendor,
  type VendorAnswer,
  type VendorRequest,
  type VendorState,
} from './vendor.ts';

type Entry = Record<string, unknown>;
type TrailRecord = Entry & { eventID: string };

const account = '420000000017';
const region = 'eu-central-1';
const own = { id: 'AKIADEMODEMODEMODEMO', secret: 'demoDemoDemoDemoDemoDemoDemoDemoDemoDemo' };
const role = `arn:aws:iam::${account}:role/portal-reader`;
const externalId = 'portal-demo-alder';
const bucket = 'alder-trail-demo';
const recordsOfFile = 100;
const people = ['mara.lindt', 'jonas.weber', 'ines.kofler'];
const everyday: [source: string, name: string][] = [
  ['ec2.amazonaws.com', 'DescribeInstances'],
  ['s3.amazonaws.com', 'GetBucketLocation'],
  ['sts.amazonaws.com', 'GetCallerIdentity'],
  ['lambda.amazonaws.com', 'ListFunctions20150331'],
];

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** True for a request signed with this secret. */
function isSigned({ method, url, headers, body }: VendorRequest, secret: string): boolean {
  const [, scope = '', names = '', signature = ''] =
    /Credential=[^/]+\/(\S+), SignedHeaders=(\S+), Signature=(\w+)/.exec(headers.authorization ?? '') ?? [];
  const [date = '', place = '', service = ''] = scope.split('/');
  const query = [...url.searchParams]
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .sort()
    .join('&');
  const lines = names.split(';').map(
    (name) =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replace(/\s+/g, ' ')}\n`,
  );
  const hash = String(headers['x-amz-content-sha256'] ?? sha256(body));
  // S3 signs the path as it is sent, the others encode it once more.
  const path = service === 's3' ? url.pathname : url.pathname.split('/').map(encodeURIComponent).join('/');
  const canonical = [method, path, query, lines.join(''), names, hash].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = ['aws4_request'].reduce(hmac, hmac(hmac(hmac(`AWS4${secret}`, date), place), service) as Buffer);
  return hmac(key, text).toString('hex') === signature;
}

const queueError = (status: number, type: string, message: string): VendorAnswer => ({
  status,
  body: { __type: `com.amazonaws.sqs#${type}`, message },
});
const xmlError = (status: number, code: string, message: string): VendorAnswer => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
});

function recordOf(number: number, at: number, more: object = {}): TrailRecord {
  const [eventSource, eventName] = everyday[number % everyday.length]!;
  const userName = people[number % people.length]!;
  return {
    eventVersion: '1.11',
    userIdentity: {
      type: 'IAMUser',
      principalId: `AIDADEMO${number % people.length}`,
      arn: `arn:aws:iam::${account}:user/${userName}`,
      accountId: account,
      userName,
    },
    eventTime: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
    eventSource,
    eventName,
    awsRegion: region,
    sourceIPAddress: `198.51.100.${10 + (number % 40)}`,
    userAgent: 'aws-cli/2.22.0',
    requestParameters: null,
    responseElements: null,
    requestID: `req-${number}`,
    eventID: `${number.toString(16).padStart(8, '0')}-1c2d-4e3f-8a9b-${at.toString(16).padStart(12, '0').slice(-12)}`,
    readOnly: true,
    eventType: 'AwsApiCall',
    managementEvent: true,
    recipientAccountId: account,
    eventCategory: 'Management',
    ...more,
  };
}

interface AwsState extends VendorState {
  files: Map<string, Entry[]>;
  /** Body by the receipt handle. */
  messages: Map<string, string>;
}

const sessionOf = (number: number) => ({
  id: `ASIADEMO${number}`,
  secret: `sessionSecretOfTheDemo${number}`.padEnd(40, '0'),
  token: `demo-session-${number}`,
});

/** Writes a file and announces it. */
function put(state: AwsState, records: Entry[], service = 'CloudTrail'): void {
  const ending = service === 'GuardDuty' ? 'jsonl.gz' : 'json.gz';
  const key = `AWSLogs/${account}/${service}/${region}/2026/${account}_${service}_${region}_${state.files.size}+demo.${ending}`;
  state.files.set(key, records);
  const announcement = {
    Records: [{ eventName: 'ObjectCreated:Put', s3: { bucket: { name: bucket }, object: { key: encodeURIComponent(key) } } }],
  };
  // Every other one comes through SNS.
  const body =
    state.files.size % 2 === 0
      ? { Type: 'Notification', Message: JSON.stringify({ s3Bucket: bucket, s3ObjectKey: [key] }) }
      : announcement;
  state.messages.set(`receipt-${state.files.size}`, JSON.stringify(body));
}

function assume(state: AwsState, request: VendorRequest): VendorAnswer {
  const form = new URLSearchParams(request.body);
  if (state.isRefused || form.get('ExternalId') !== externalId || form.get('RoleArn') !== role || !isSigned(request, own.secret))
    return xmlError(403, 'AccessDenied', `User: portal is not authorized to perform: sts:AssumeRole on resource: ${role}`);
  const { id, secret, token } = sessionOf(state.session);
  const until = new Date(Date.now() + hourMs).toISOString();
  const credentials = `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${token}</SessionToken><Expiration>${until}</Expiration>`;
  return {
    headers: { 'content-type': 'text/xml' },
    body: `<AssumeRoleResponse><AssumeRoleResult><Credentials>${credentials}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
  };
}

function queue(state: AwsState, { headers, body }: VendorRequest): VendorAnswer {
  const input = JSON.parse(body) as { MaxNumberOfMessages?: number; Entries?: { Id: string; ReceiptHandle: string }[] };
  switch (headers['x-amz-target']) {
    case 'AmazonSQS.ReceiveMessage': {
      const visible = [...state.messages];
      const shown = (state.isUntidy ? visible.reverse() : visible).slice(0, input.MaxNumberOfMessages ?? 1);
      return {
        body:
          shown.length === 0
            ? {}
            : { Messages: shown.map(([ReceiptHandle, Body]) => ({ MessageId: ReceiptHandle, ReceiptHandle, Body })) },
      };
    }
    case 'AmazonSQS.DeleteMessageBatch':
      for (const { ReceiptHandle } of input.Entries ?? []) state.messages.delete(ReceiptHandle);
      return { body: { Successful: input.Entries?.map(({ Id }) => ({ Id })), Failed: [] } };
    case 'AmazonSQS.ChangeMessageVisibilityBatch':
      return { body: { Successful: input.Entries?.map(({ Id }) => ({ Id })), Failed: [] } };
    case 'AmazonSQS.GetQueueAttributes':
      return { body: { Attributes: { ApproximateNumberOfMessages: String(state.messages.size) } } };
    default:
      return queueError(400, 'InvalidAction', 'The action is not valid.');
  }
}

function answerOf(state: AwsState, request: VendorRequest): VendorAnswer {
  const { url, headers } = request;
  if (new URLSearchParams(request.body).get('Action') === 'AssumeRole') return assume(state, request);
  const { secret, token } = sessionOf(state.session);
  if (headers['x-amz-security-token'] !== token)
    return queueError(403, 'ExpiredToken', 'The security token included in the request is expired');
  if (!isSigned(request, secret))
    return queueError(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    );
  if (headers['x-amz-target']) return queue(state, request);
  const key = decodeURIComponent(url.pathname).slice(`/${bucket}/`.length);
  const records = state.files.get(key);
  if (!records) return xmlError(404, 'NoSuchKey', 'The specified key does not exist.');
  const shown = state.isUntidy ? [...records.slice(0, 3), ...records].reverse() : records;
  const text = key.endsWith('.jsonl.gz')
    ? shown.map((each) => JSON.stringify(each)).join('\n')
    : JSON.stringify({ Records: shown });
  return { headers: { 'content-type': 'application/x-gzip' }, body: gzipSync(text) };
}

const valuesOf = (url: string, queueName: string) => ({
  queue: `${url}/${account}/${queueName}`,
  region,
  role,
  externalId,
  keyId: own.id,
  secret: own.secret,
  endpoints: url,
});

/** Starts a simulated AWS with the files of CloudTrail. */
export async function startAws(port?: number): Promise<Vendor> {
  const state: AwsState = { ...newVendorState(), files: new Map(), messages: new Map() };
  let count = 0;

  const server = await serveVendor((request) => answerOf(state, request), port);
  return {
    ...server,
    ...switchesOf(state),
    kind: 'cloudtrail',
    values: valuesOf(server.url, 'portal-trail'),
    publish(number, at) {
      const records = Array.from({ length: number }, (_, index) => recordOf(count++, at + index));
      for (let from = 0; from < number; from += recordsOfFile) put(state, records.slice(from, from + recordsOfFile));
      return records.map(({ eventID }) => eventID);
    },
    intrude(at) {
      const place = { sourceIPAddress: '203.0.113.66', readOnly: false };
      put(state, [
        recordOf(count++, at, {
          ...place,
          eventSource: 'iam.amazonaws.com',
          eventName: 'CreateAccessKey',
          requestParameters: { userName: 'backup' },
        }),
        recordOf(count++, at + 20_000, {
          ...place,
          eventSource: 'cloudtrail.amazonaws.com',
          eventName: 'StopLogging',
          requestParameters: { name: 'main' },
        }),
      ]);
    },
  };
}

function findingOf(number: number, at: number, more: object = {}): Entry & { id: string } {
  const iso = new Date(at).toISOString();
  const id = `${number.toString(16).padStart(8, '0')}${at.toString(16).padStart(24, '0').slice(-24)}`;
  const remoteIpDetails = {
    ipAddressV4: `198.51.100.${10 + (number % 40)}`,
    organization: { asn: '64496', asnOrg: 'Example Hosting' },
    country: { countryName: 'Latvia' },
  };
  return {
    schemaVersion: '2.0',
    accountId: account,
    region,
    partition: 'aws',
    id,
    arn: `arn:aws:guardduty:${region}:${account}:detector/demo/finding/${id}`,
    type: 'Recon:EC2/PortProbeUnprotectedPort',
    resource: {
      resourceType: 'Instance',
      instanceDetails: { instanceId: `i-0demo${number % 5}`, tags: [{ key: 'Name', value: `shop-web-${number % 5}` }] },
    },
    service: {
      serviceName: 'guardduty',
      detectorId: 'demo',
      action: {
        actionType: 'PORT_PROBE',
        portProbeAction: { blocked: false, portProbeDetails: [{ localPortDetails: { port: 22 }, remoteIpDetails }] },
      },
      eventFirstSeen: iso,
      eventLastSeen: iso,
      archived: false,
      count: 1,
    },
    severity: 2,
    createdAt: iso,
    updatedAt: iso,
    title: 'Unprotected port on an EC2 instance is being probed.',
    description: 'EC2 instance has an unprotected port which is being probed by a known malicious host.',
    ...more,
  };
}

/** Starts a simulated AWS with the findings that GuardDuty exports. */
export async function startGuardduty(port?: number): Promise<Vendor> {
  const state: AwsState = { ...newVendorState(), files: new Map(), messages: new Map() };
  let count = 0;
  const server = await serveVendor((request) => answerOf(state, request), port);
  return {
    ...server,
    ...switchesOf(state),
    kind: 'guardduty',
    values: valuesOf(server.url, 'portal-findings'),
    publish(number, at) {
      const findings = Array.from({ length: number }, (_, index) => findingOf(count++, at + index));
      for (let from = 0; from < number; from += recordsOfFile)
        put(state, findings.slice(from, from + recordsOfFile), 'GuardDuty');
      return findings.map(({ id }) => id);
    },
    intrude(at) {
      const key = { resourceType: 'AccessKey', accessKeyDetails: { userName: 'shop-web', principalId: 'AROADEMO:i-0demo1' } };
      const stolen = {
        type: 'UnauthorizedAccess:IAMUser/InstanceCredentialExfiltration.OutsideAWS',
        resource: key,
        severity: 8,
        title: 'Credentials of an EC2 instance role are used from an external address.',
      };
      put(state, [findingOf(count++, at, stolen)], 'GuardDuty');
    },
  };
}
