/** Vendors whose lists moved or changed their name: an error, never an empty list. */
import { connectorOf } from '@parapet/connectors/all.ts';
import { systemClock } from '@parapet/contract/rules/clock.ts';
import { startVendor } from '@parapet/world/vendors/all.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Google and SQS leave out an empty list, and files of S3 are read one by one. */
const kinds = Object.keys(startVendor).filter((kind) => !['cloudtrail', 'guardduty', 'google'].includes(kind));
let vendors: Record<string, Vendor>;
beforeAll(async () => {
  vendors = Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await startVendor[kind]!()] as const)));
});
afterAll(() => Promise.all(Object.values(vendors).map((vendor) => vendor.close())));

/** Lists are wrapped, or stand under another name. */
function changed(body: unknown): unknown {
  if (Array.isArray(body)) return { records: body };
  return Object.fromEntries(
    Object.entries(body as object).map(([name, value]) => [Array.isArray(value) ? `${name}V2` : name, value]),
  );
}

test.each(kinds)('%s', async (kind) => {
  const vendor = vendors[kind]!;
  const now = Date.now();
  vendor.publish(5, now - 600_000);
  let hasChanged = false;
  const account = connectorOf(kind)!.open(
    vendor.values,
    async (url, init) => {
      const answer = await fetch(url, init);
      if (!hasChanged || !answer.headers.get('content-type')?.includes('json')) return answer;
      const { status, headers } = answer;
      return new Response(JSON.stringify(changed(await answer.json())), { status, headers });
    },
    systemClock,
  );
  const window = { from: now - 3_600_000, to: now };
  expect((await account.pull(window, undefined)).events.length).toBeGreaterThan(0);
  hasChanged = true;
  await expect(account.pull(window, undefined)).rejects.toThrow(/returned something that/);
});
