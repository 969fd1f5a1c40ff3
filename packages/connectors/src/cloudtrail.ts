/**
 * AWS CloudTrail by its files in S3, announced in an SQS queue by S3 itself or through SNS. Messages are deleted after the events are stored; a queue may
 * deliver a message again at any time. Source: AWS documentation, "CloudTrail record contents", "Amazon S3 event message structure", SQS API reference.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Credentials, createRoleSession, requestAws } from './aws.ts';
import type { Account, Connector, Http, Pulled, Values, VendorEvent } from './connector.ts';
import { RequestError, UnavailableError } from './errors.ts';
import { latest, objectOf, originOf, textOf, timeOf } from './values.ts';

const vendor = 'AWS';
/** Maximum of the interface. */
const messagesAtOnce = 10;
/** Longer than a turn: an unfinished message comes back then. */
const visibilitySeconds = 300;
/** A pull that has read as many leaves its other messages to the next one. */
const enoughEvents = 5_000;
/** Decompressed bytes of a file. */
const maxFileBytes = 128 * 1024 * 1024;

export const cloudtrail: Connector = {
  id: 'cloudtrail',
  title: 'AWS CloudTrail',
  capabilities: ['pull'],
  actions: [],
  actionStep: '',
  documentation: 'https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference-record-contents.html',
  everyMs: 60_000,
  fields: [
    {
      name: 'queue',
      label: 'Queue URL',
      hint: 'https://sqs.REGION.amazonaws.com/ACCOUNT/NAME',
      isSecret: false,
      pattern: /^https?:\/\/[\w.:-]{3,200}\/\d{12}\/[\w-]{1,80}(?:\.fifo)?$/,
      fault: 'Enter the address of the queue, which ends with the account’s number and the queue’s name.',
    },
    {
      name: 'region',
      label: 'Region',
      hint: 'Region of queue and bucket, such as eu-central-1',
      isSecret: false,
      pattern: /^[a-z]{2}(?:-[a-z]+)+-\d$/,
      fault: 'Enter a region, such as eu-central-1.',
    },
    {
      name: 'role',
      label: 'Role ARN',
      hint: 'arn:aws:iam::ACCOUNT:role/NAME',
      isSecret: false,
      pattern: /^arn:aws[\w-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,120}$/,
      fault: 'Enter the ARN of a role.',
    },
    {
      name: 'externalId',
      label: 'External ID',
      hint: 'As it stands in the role’s trust policy; another one for each client',
      isSecret: false,
      pattern: /^[\w+=,.@:/-]{8,200}$/,
      fault: 'Enter at least 8 characters: letters, digits and + = , . @ : / -',
    },
    {
      name: 'keyId',
      label: 'Access key ID',
      hint: 'Of the user that may assume the role',
      isSecret: false,
      pattern: /^\w{16,128}$/,
      fault: 'An access key ID has at least 16 letters and digits.',
    },
    {
      name: 'secret',
      label: 'Secret access key',
      hint: 'Shown once by AWS when the key is created',
      isSecret: true,
      pattern: /^[\w/+=]{30,200}$/,
      fault: 'Enter the whole secret access key.',
    },
    {
      name: 'endpoints',
      label: 'Endpoints',
      hint: 'amazonaws.com.cn in China',
      initial: 'amazonaws.com',
      isSecret: false,
      pattern: /^(?:amazonaws\.com(?:\.cn)?|https?:\/\/[\w.:-]{3,200})$/,
      fault: 'Enter amazonaws.com.',
    },
  ],
  steps: [
    'In CloudTrail create a trail for all regions that writes into an S3 bucket, and in SQS a queue in the bucket’s region. Let the bucket announce new objects to the queue (Event notifications, all object create events).',
    'Create a role with a trust policy for the portal’s user and the condition sts:ExternalId. Make up a long external ID that no other client has.',
    'Give the role a policy with sqs:ReceiveMessage, sqs:DeleteMessage, sqs:ChangeMessageVisibility and sqs:GetQueueAttributes on the queue, s3:GetObject on the bucket’s AWSLogs/*, and kms:Decrypt on its key where the trail is encrypted.',
    'Create an access key for the portal’s user, whose only permission is sts:AssumeRole on this role.',
    'Use a queue of its own for the portal: another reader takes messages away.',
  ],
  accountOf: ({ role = '' }) => /::(\d{12}):/.exec(role)?.[1] ?? role,
  open: (values, http) => openAccount(values, http),
};

interface Message {
  receipt: string;
  objects: { bucket: string; key: string }[];
}

function openAccount(values: Values, http: Http): Account {
  const { queue = '', region = '', role = '', externalId = '', keyId = '', secret = '', endpoints = '' } = values;
  const isCustom = /^https?:/.test(endpoints);
  const endpointOf = (service: string) => (isCustom ? originOf(endpoints) : `https://${service}.${region}.${endpoints}`);
  const own: Credentials = { accessKeyId: keyId, secretAccessKey: secret };
  const session = createRoleSession(http, own, { arn: role, externalId, region, endpoint: `${endpointOf('sts')}/` });

  const callQueue = (action: string, input: object) =>
    session.run(async (credentials) => {
      const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` };
      const body = JSON.stringify({ QueueUrl: queue, ...input });
      const url = `${new URL(queue).origin}/`;
      const bytes = await requestAws(http, credentials, { service: 'sqs', region, url, method: 'POST', headers, body });
      return objectOf(parsed(bytes.toString() || '{}'));
    });

  const readObject = async ({ bucket, key }: Message['objects'][number]): Promise<VendorEvent[]> => {
    const path = key.split('/').map(encodeURIComponent).join('/');
    const url = `${endpointOf('s3')}/${bucket}/${path}`;
    const bytes = await session.run((credentials) => requestAws(http, credentials, { service: 's3', region, url }));
    const records = objectOf(parsed((await decompressed(bytes)).toString()))?.Records;
    // Digests lie beside the logs and have none.
    return Array.isArray(records) ? records.map(eventOf) : [];
  };

  const receive = async (): Promise<Message[]> => {
    const input = { MaxNumberOfMessages: messagesAtOnce, VisibilityTimeout: visibilitySeconds, WaitTimeSeconds: 0 };
    const messages = (await callQueue('ReceiveMessage', input))?.Messages;
    return Array.isArray(messages) ? messages.map(messageOf).filter((message) => message !== undefined) : [];
  };

  const remove = async (receipts: readonly string[]): Promise<void> => {
    if (receipts.length === 0) return;
    const entries = receipts.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
    await callQueue('DeleteMessageBatch', { Entries: entries });
  };

  /** Makes messages visible again that were not read. */
  const release = async (receipts: readonly string[]): Promise<void> => {
    if (receipts.length === 0) return;
    const entries = receipts.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
    await callQueue('ChangeMessageVisibilityBatch', { Entries: entries });
  };

  return {
    async pull({ to }): Promise<Pulled> {
      const messages = await receive();
      const events: VendorEvent[] = [];
      const done: string[] = [];
      const left: string[] = [];
      for (const { receipt, objects } of messages) {
        if (events.length >= enoughEvents) {
          left.push(receipt);
          continue;
        }
        try {
          for (const object of objects) for (const event of await readObject(object)) events.push(event);
          done.push(receipt);
        } catch (error) {
          // A file that is missing: the message comes back, and ends in the queue for dead letters.
          if (!(error instanceof RequestError)) throw error;
        }
      }
      const newest = latest(...events.map(({ at }) => at)) ?? to;
      const hasMore = left.length > 0 || messages.length >= messagesAtOnce;
      return {
        events,
        nextCursor: JSON.stringify({ newest }),
        hasMore,
        lag: hasMore ? Math.max(0, to - newest) : 0,
        acknowledge: async () => {
          await remove(done);
          await release(left);
        },
      };
    },

    async test() {
      const attributes = objectOf(
        (await callQueue('GetQueueAttributes', { AttributeNames: ['ApproximateNumberOfMessages'] }))?.Attributes,
      );
      const waiting = textOf(attributes?.ApproximateNumberOfMessages) ?? 'an unknown number of';
      return [{ what: 'Queue', canRead: true, detail: `${waiting} messages wait.` }];
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnavailableError(`${vendor} returned something that is not JSON.`);
  }
}

const unzip = promisify(gunzip);

async function decompressed(bytes: Buffer): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await unzip(bytes, { maxOutputLength: maxFileBytes });
  } catch {
    throw new UnavailableError('A file of CloudTrail can’t be decompressed.');
  }
}

/** Objects that a message announces: by S3 itself, by CloudTrail, or either through SNS. */
function messageOf(value: unknown): Message | undefined {
  const message = objectOf(value);
  const receipt = textOf(message?.ReceiptHandle);
  return receipt === undefined ? undefined : { receipt, objects: objectsIn(textOf(message?.Body)) };
}

function objectsIn(text: string | undefined, depth = 0): Message['objects'] {
  let body: ReturnType<typeof objectOf>;
  try {
    body = objectOf(JSON.parse(text ?? ''));
  } catch {
    return [];
  }
  if (typeof body?.Message === 'string' && depth === 0) return objectsIn(body.Message, 1);
  const bucket = textOf(body?.s3Bucket);
  if (bucket !== undefined && Array.isArray(body?.s3ObjectKey))
    return body.s3ObjectKey.flatMap((key) => (textOf(key) === undefined ? [] : [{ bucket, key: String(key) }]));
  const records = Array.isArray(body?.Records) ? body.Records : [];
  return records.flatMap((record) => {
    const s3 = objectOf(objectOf(record)?.s3);
    const [name, key] = [textOf(objectOf(s3?.bucket)?.name), textOf(objectOf(s3?.object)?.key)];
    // Keys in events of S3 are encoded as in a form.
    return name === undefined || key === undefined ? [] : [{ bucket: name, key: decodeURIComponent(key.replaceAll('+', ' ')) }];
  });
}

function eventOf(value: unknown): VendorEvent {
  const record = objectOf(value);
  return { id: textOf(record?.eventID), raw: JSON.stringify(value), at: timeOf(record?.eventTime) };
}
