/**
 * AWS CloudTrail by its files in S3. Source: AWS documentation, "CloudTrail record contents".
 */
import { accountOfRole, awsQueueFields, openAwsQueue, parsed, stepOfAnnouncements, stepOfRedrive } from './aws.queue.ts';
import type { Connector, VendorEvent } from './connector.ts';
import { objectOf, textOf, timeOf } from './values.ts';

export const cloudtrail: Connector = {
  id: 'cloudtrail',
  title: 'AWS CloudTrail',
  capabilities: ['pull'],
  actions: [],
  actionStep: '',
  documentation: 'https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference-record-contents.html',
  everyMs: 60_000,
  fields: awsQueueFields,
  steps: [
    'In CloudTrail create a trail for all regions that writes into an S3 bucket.',
    stepOfAnnouncements,
    stepOfRedrive,
    'Create a role with a trust policy for the portal’s user and the condition sts:ExternalId. Make up a long external ID that no other client has.',
    'Give the role a policy with sqs:ReceiveMessage, sqs:DeleteMessage, sqs:ChangeMessageVisibility and sqs:GetQueueAttributes on the queue, s3:GetObject on the bucket’s AWSLogs/*, and kms:Decrypt on its key where the trail is encrypted.',
    'Create an access key for the portal’s user, whose only permission is sts:AssumeRole on this role.',
    'Use a queue of its own for the portal: another reader takes messages away.',
  ],
  accountOf: accountOfRole,
  open: (values, http, clock) => openAwsQueue(values, http, clock, eventsIn),
};

/** Digests lie beside the logs and hold no records. */
function eventsIn(text: string): VendorEvent[] {
  const records = objectOf(parsed(text))?.Records;
  return Array.isArray(records) ? records.map(eventOf) : [];
}

function eventOf(value: unknown): VendorEvent {
  const record = objectOf(value);
  return { id: textOf(record?.eventID), raw: JSON.stringify(value), at: timeOf(record?.eventTime) };
}
