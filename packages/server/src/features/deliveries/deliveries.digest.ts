/** Message of several events that a rule sends together (docs/decisions/0186-digests-of-rules.md). */
import type { Message } from '@parapet/connectors/out/target.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { messageOf, type Subject } from './deliveries.content.ts';

type Brand = Parameters<typeof messageOf>[1];

/** Events that people read in the message; chat shows ten facts. */
const maxShown = 8;

/** @param subjects oldest first, at least two; the first one's message id is the digest's */
export function digestOf(subjects: readonly [Subject, ...Subject[]], owner: number, brand: Brand): Message {
  const messages = subjects.map((subject) => messageOf(subject, brand));
  const clients = [...new Set(messages.map(({ client }) => client))];
  const client = clients.length === 1 ? clients[0]! : `${clients.length} clients`;
  const severity = severities.find((each) => messages.some((message) => message.severity === each)) ?? null;
  const shown = messages
    .slice(0, maxShown)
    .map((message): [string, string] => [
      clients.length === 1 ? message.at.slice(0, 16).replace('T', ' ') : message.client,
      message.severity === null ? message.title : `${message.title} (${message.severity})`,
    ]);
  const url = `${brand.origin}/apps/cases`;
  return {
    id: subjects[0].messageId,
    event: 'digest.events',
    at: messages.at(-1)!.at,
    subject: `digest-${subjects[0].messageId}`,
    stage: 'none',
    severity,
    sender: messages[0]!.sender,
    client,
    title: `Digest: ${messages.length} events`,
    facts: [
      ...shown,
      ...(messages.length > maxShown ? ([['More', `${messages.length - maxShown} further events`]] as const) : []),
    ],
    url,
    data: {
      organisation: owner,
      client,
      count: messages.length,
      events: messages.map(({ event, client: name, title, severity: level, at, url: page, data: { id, organisation } }) => ({
        ...{ event, organisation, client: name, id, title },
        ...{ severity: level, at, url: page },
      })),
      url,
    },
  };
}
