/** PagerDuty Events API v2: trigger, acknowledge, resolve. Source: github.com/PagerDuty/api-schema, reference/events-v2/openapiv3.json. */
import { hostPattern, originOf } from '../values.ts';
import { failureOf, isSuccess, jsonHeaders, jsonOf } from './outcomes.ts';
import type { Message, Stage, TargetKind } from './target.ts';

const actions: Record<Stage, 'trigger' | 'acknowledge' | 'resolve'> = {
  opened: 'trigger',
  acknowledged: 'acknowledge',
  closed: 'resolve',
  none: 'trigger',
};

const severities = { critical: 'critical', high: 'error', medium: 'warning', low: 'info', informational: 'info' } as const;

/** One incident for each subject. */
export const dedupKeyOf = ({ data, subject }: Message): string => `${subject}@${String(data.organisation)}`.slice(0, 255);

export function pagerDutyEvent(message: Message, routingKey: string) {
  const { stage, title, client, severity, at, facts, url, sender } = message;
  return {
    routing_key: routingKey,
    event_action: actions[stage],
    dedup_key: dedupKeyOf(message),
    client: sender,
    client_url: url,
    links: [{ href: url, text: 'Open in the portal' }],
    payload: {
      summary: `${client}: ${title}`.slice(0, 1_024).toWellFormed(),
      source: client,
      severity: severities[severity ?? 'medium'],
      timestamp: at,
      custom_details: Object.fromEntries(facts),
    },
  };
}

export const pagerduty: TargetKind = {
  id: 'pagerduty',
  title: 'PagerDuty',
  capabilities: ['notify', 'ticket'],
  isForClients: false,
  follows: true,
  documentation: 'https://developer.pagerduty.com/docs/events-api-v2/overview/',
  fields: [
    {
      name: 'routingKey',
      label: 'Integration key',
      hint: '32 characters, from the service’s Events API v2 integration',
      isSecret: true,
      pattern: /^[a-zA-Z0-9]{32}$/,
      fault: 'An integration key has 32 letters and digits.',
    },
    {
      name: 'api',
      label: 'API address',
      hint: 'In the EU events.eu.pagerduty.com',
      initial: 'events.pagerduty.com',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter a host name, such as events.pagerduty.com.',
    },
  ],
  steps: [
    'In PagerDuty open the service › Integrations › Add an integration, and choose Events API v2.',
    'Copy its integration key into the form.',
    'A case triggers an incident. Work on the case acknowledges it, and closing the case resolves it.',
  ],
  async send({ message }, { routingKey = '', api = '' }, send) {
    const answer = await send({
      method: 'POST',
      url: `${originOf(api)}/v2/enqueue`,
      headers: jsonHeaders,
      body: JSON.stringify(pagerDutyEvent(message, routingKey)),
    });
    if (!isSuccess(answer)) return failureOf('PagerDuty', answer);
    const key = jsonOf(answer.text)?.dedup_key;
    if (typeof key !== 'string')
      return { kind: 'retry', words: 'PagerDuty didn’t confirm the event: its answer has no dedup_key.' };
    return { kind: 'accepted', id: key };
  },
};
