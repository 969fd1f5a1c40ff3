/**
 * AWS GuardDuty by the findings that it exports to S3, one JSON object per line; announced as CloudTrail's files are. Source: AWS documentation,
 * "Exporting generated findings to Amazon S3", "GuardDuty finding format".
 */
import { accountOfRole, awsQueueFields, openAwsQueue, stepOfAnnouncements, stepOfRedrive } from './aws.queue.ts';
import type { Connector, VendorEvent } from './connector.ts';
import { objectOf, textOf, timeOf } from './values.ts';

export const guardduty: Connector = {
  id: 'guardduty',
  title: 'AWS GuardDuty',
  capabilities: ['pull'],
  actions: [],
  actionStep: '',
  documentation: 'https://docs.aws.amazon.com/guardduty/latest/ug/guardduty_exportfindings.html',
  everyMs: 60_000,
  fields: awsQueueFields,
  steps: [
    'In GuardDuty under Settings export findings to an S3 bucket every 15 minutes, with a KMS key.',
    stepOfAnnouncements,
    stepOfRedrive,
    'Create a role with a trust policy for the portal’s user and the condition sts:ExternalId. Make up a long external ID that no other client has.',
    'Give the role a policy with sqs:ReceiveMessage, sqs:DeleteMessage, sqs:ChangeMessageVisibility and sqs:GetQueueAttributes on the queue, s3:GetObject on the bucket’s AWSLogs/*, and kms:Decrypt on its key.',
    'Create an access key for the portal’s user, whose only permission is sts:AssumeRole on this role.',
    'Use a queue of its own for the portal: another reader takes messages away.',
  ],
  accountOf: accountOfRole,
  open: (values, http, clock) => openAwsQueue(values, http, clock, eventsIn),
};

const eventsIn = (text: string): VendorEvent[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(eventOf);

/** A finding that is seen again keeps its id; its first state is the event. */
function eventOf(line: string): VendorEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { id: undefined, raw: line, at: undefined };
  }
  const finding = objectOf(value);
  const at = timeOf(objectOf(finding?.service)?.eventLastSeen) ?? timeOf(finding?.updatedAt);
  return { id: textOf(finding?.id), raw: JSON.stringify(value), at };
}
