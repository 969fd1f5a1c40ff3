/** Coverage by the fields that arrive: a client's Sysmon stops sending command lines, and a rule that reads them can no longer match. */
import { send } from './api.ts';
import { newClient } from './clients.ts';
import { breakAndHeal } from './coverage.ts';
import { ownTokenOf, portal, test } from './fixtures.ts';

/** Event Tracing or Log Service Stopped by Command: reads the command line in every branch. */
const rule = 'f2ce5592-043d-4d7d-80bb-47d231e4a4be';

test('a source stops sending a field, and coverage turns until it is back', { tag: '@survey' }, async ({ page, asPersona }) => {
  test.setTimeout(300_000);
  const host = await ownTokenOf('host');
  const client = await newClient(portal.url, host, 3, `Reef coverage ${Date.now().toString(36)}`, 'soc@reef.example');
  const answer = await send(portal.url, host, `/ingestkeys/${client}`, { name: 'journey' });
  const { key } = (await answer.json()) as { key: string };
  await asPersona('host', `/apps/rules?client=${client}`);
  await breakAndHeal(page, { key, client, rule });
});
