/** The world's ransomware story as an attack of now. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { siteOf } from '@parapet/world/organisations.ts';
import { randomFor } from '@parapet/world/random.ts';
import { ransomware } from '@parapet/world/stories/ransomware.ts';
import { casesOf } from './api.ts';
import { expect, portal, tokenOf } from './fixtures.ts';
import { ingestKey } from './portal.ts';

/** Ingests the story with a start 30 minutes ago, on a workstation that no recent case names: its alerts would join that case. */
export async function sendRansomware(client: number): Promise<void> {
  const now = Date.now();
  const cases = await casesOf(portal.url, tokenOf('host'), client, now - 14 * dayMs);
  const named = cases.flatMap(({ deviceNames }) => deviceNames);
  const stories = Array.from({ length: 50 }, (_, attempt) =>
    ransomware.build({ site: siteOf(client), start: now - 30 * 60_000, random: randomFor(`journey ${attempt}`, now) }),
  );
  const story = stories.find(([first]) => !named.some((name) => JSON.stringify(first).includes(name)));
  const lines = story!
    .filter((event) => event.at < now)
    .flatMap(({ index, document: { _id, _index, ...source } }) => [
      JSON.stringify({ create: { _index: _index ?? index, _id: `${_id}-${now}` } }),
      JSON.stringify(source),
    ]);
  const answer = await fetch(`${portal.url}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${await ingestKey(portal, client)}`, 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  });
  expect(await answer.json()).toMatchObject({ errors: false });
}
