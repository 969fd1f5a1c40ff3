/**
 * Files that an AWS service writes into S3, announced in an SQS queue by S3 itself or through SNS. Messages are deleted after the events are stored; a queue may
 * deliver a message again at any time. Source: AWS documentation, "Amazon S3 event message structure", SQS API reference.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { type Credentials, createRoleSession, requestAws } from './aws.ts';
import type { Account, Connector, Field, Http, Pulled, Values, VendorEvent } from './connector.ts';
import { RefusedError, RequestError, UnavailableError, VendorError } from './errors.ts';
import { latest, objectOf, originOf, textOf } from './values.ts';

const vendor = 'AWS';
/** Maximum of the interface. */
const messagesAtOnce = 10;
/** Longer than a turn: an unfinished message comes back then. */
const visibilitySeconds = 300;
/** Longer than a message that can't be read stays invisible: the warning lasts until it is tried again. */
const warningMs = 2 * visibilitySeconds * 1_000;
/** A pull that has read as many leaves its other messages to the next one. */
const enoughEvents = 5_000;
/** Decompressed bytes of a file. */
const maxFileBytes = 128 * 1024 * 1024;

/** Values of a queue and of the role that may read it. */
export const awsQueueFields: readonly Field[] = [
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
];

export const stepOfAnnouncements =
  'In SQS create a queue in the bucket’s region. Let the bucket announce new objects to it: Event notifications, prefix AWSLogs/, all object create events.';
export const stepOfRedrive =
  'Create a second queue for dead letters, and give the first one a redrive policy to it after 5 receives: files that can’t be read end there.';

export const accountOfRole: Connector['accountOf'] = ({ role = '' }) => /::(\d{12}):/.exec(role)?.[1] ?? role;

interface Message {
  receipt: string;
  objects: { bucket: string; key: string }[];
}

/** @param eventsIn events of the text of a file */
export function openAwsQueue(values: Values, http: Http, clock: Clock, eventsIn: (text: string) => VendorEvent[]): Account {
  const { queue = '', region = '', role = '', externalId = '', keyId = '', secret = '', endpoints = '' } = values;
  const isCustom = /^https?:/.test(endpoints);
  const endpointOf = (service: string) => (isCustom ? originOf(endpoints) : `https://${service}.${region}.${endpoints}`);
  const own: Credentials = { accessKeyId: keyId, secretAccessKey: secret };
  const session = createRoleSession(http, clock, own, { arn: role, externalId, region, endpoint: `${endpointOf('sts')}/` });

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
    try {
      return eventsIn((await decompressed(bytes)).toString());
    } catch (error) {
      throw new UnreadableFile(error instanceof VendorError ? error.message : 'A file in the bucket can’t be read.');
    }
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
    async pull({ to }, cursor): Promise<Pulled> {
      const messages = await receive();
      const events: VendorEvent[] = [];
      const done: string[] = [];
      const left: string[] = [];
      const unread: string[] = [];
      for (const { receipt, objects } of messages) {
        if (events.length >= enoughEvents) {
          left.push(receipt);
          continue;
        }
        const fault = await readObjects(objects, readObject, events);
        // The message of an unread file comes back, and ends in the queue for dead letters.
        if (fault === undefined) done.push(receipt);
        else unread.push(fault);
      }
      const newest = latest(...events.map(({ at }) => at)) ?? to;
      const hasMore = left.length > 0 || messages.length >= messagesAtOnce;
      const warned = unread.length > 0 ? { warning: warningOf(unread), warnedAt: to } : warningIn(cursor, to);
      return {
        events,
        nextCursor: JSON.stringify({ newest, ...warned }),
        hasMore,
        warning: warned?.warning,
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

/** Adds the events of what can be read; returns the first fault of a file. */
async function readObjects(
  objects: Message['objects'],
  read: (object: Message['objects'][number]) => Promise<VendorEvent[]>,
  events: VendorEvent[],
): Promise<string | undefined> {
  let fault: string | undefined;
  for (const object of objects) {
    try {
      for (const event of await read(object)) events.push(event);
    } catch (error) {
      // The queue was read by this role: what is refused, missing or damaged is this file alone.
      if (!isOfFile(error)) throw error;
      fault ??= `${object.bucket}/${object.key}: ${error.message}`;
    }
  }
  return fault;
}

/** A file that is damaged: the others can be read. */
class UnreadableFile extends VendorError {
  override name = 'UnreadableFile';
}

/** Refused (403, or a key that the role may not use), missing or damaged. */
const isOfFile = (error: unknown): error is VendorError =>
  error instanceof RequestError || error instanceof RefusedError || error instanceof UnreadableFile;

const warningOf = ([first = '', ...others]: readonly string[]): string =>
  `${others.length === 0 ? 'A message names a file' : `${others.length + 1} messages name files`} that can’t be read; others are read. ${first}`;

/** The warning of an earlier pull, while its messages may still be invisible. */
function warningIn(cursor: string | undefined, now: number): { warning: string; warnedAt: number } | undefined {
  let saved: ReturnType<typeof objectOf>;
  try {
    saved = objectOf(JSON.parse(cursor ?? ''));
  } catch {
    return undefined;
  }
  const warning = textOf(saved?.warning);
  const warnedAt = Number(saved?.warnedAt);
  return warning !== undefined && now - warnedAt < warningMs ? { warning, warnedAt } : undefined;
}

/** @throws {UnavailableError} for text that is not JSON */
export function parsed(text: string): unknown {
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
    throw new UnavailableError('A file in the bucket can’t be decompressed.');
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
