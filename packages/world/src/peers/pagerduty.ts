/** Simulated PagerDuty Events API v2, from github.com/PagerDuty/api-schema, reference/events-v2/openapiv3.json. */
import type { VendorAnswer } from '../vendors/vendor.ts';
import { jsonIn, type Peer, servePeer } from './peer.ts';

const routingKey = 'demoDemoDemoDemoDemoDemoDemoDemo';

const invalid = (...errors: string[]): VendorAnswer => ({
  status: 400,
  body: { status: 'invalid event', message: 'Event object is invalid', errors },
});

function faultOf(event: Record<string, unknown>): string | undefined {
  const { routing_key: key, event_action: action, dedup_key: dedup, payload } = event;
  if (typeof key !== 'string' || key.length !== 32) return "Length of 'routing_key' is incorrect (should be 32 characters)";
  if (action !== 'trigger' && action !== 'acknowledge' && action !== 'resolve') return "'event_action' is invalid";
  if (dedup !== undefined && (typeof dedup !== 'string' || dedup.length > 255)) return "'dedup_key' is invalid";
  if (action !== 'trigger') return dedup === undefined ? "'dedup_key' is missing or blank" : undefined;
  const { summary, source, severity } = (payload ?? {}) as Record<string, unknown>;
  if (typeof summary !== 'string' || summary === '' || summary.length > 1024) return "'payload.summary' is missing or blank";
  if (typeof source !== 'string' || source === '') return "'payload.source' is missing or blank";
  return ['critical', 'error', 'warning', 'info'].includes(String(severity)) ? undefined : "'payload.severity' is invalid";
}

export type IncidentState = 'triggered' | 'acknowledged' | 'resolved';

/** Starts a simulated PagerDuty; `incidents` has the state of each by its key. */
export async function startPagerDuty(port?: number): Promise<Peer & { incidents: Map<string, IncidentState> }> {
  const incidents = new Map<string, IncidentState>();
  const states = { trigger: 'triggered', acknowledge: 'acknowledged', resolve: 'resolved' } as const;
  const peer = await servePeer(
    'pagerduty',
    port,
    ({ method, url, body }) => {
      if (method !== 'POST' || url.pathname !== '/v2/enqueue') return { status: 404, body: { message: 'Not found' } };
      const event = jsonIn(body);
      if (!event) return invalid('Event object format is unrecognized');
      const fault = faultOf(event);
      if (fault !== undefined) return invalid(fault);
      if (event.routing_key !== routingKey) return invalid("'routing_key' is unknown");
      const key = (event.dedup_key as string | undefined) ?? `demo${incidents.size}`;
      const before = incidents.get(key);
      const action = event.event_action as keyof typeof states;
      // Repeated triggers join the incident; events about unknown or resolved ones are ignored.
      if (action === 'trigger' ? before === undefined || before === 'resolved' : before !== undefined && before !== 'resolved')
        incidents.set(key, states[action]);
      return { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: key } };
    },
    (url) => ({ routingKey, api: url }),
  );
  return { ...peer, incidents };
}
