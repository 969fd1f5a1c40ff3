/** Simulated vendors by kind of connection, and the ones of the demo. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { startAws, startGuardduty } from './aws.ts';
import { startCrowdstrike } from './crowdstrike.ts';
import { startDefender } from './defender.ts';
import { startDefenderXdr } from './defenderxdr.ts';
import { startEntra } from './entra.ts';
import { startGithub } from './github.ts';
import { startGoogle } from './google.ts';
import { startM365 } from './m365.ts';
import { startOkta } from './okta.ts';
import { startSentinelone } from './sentinelone.ts';
import type { StartVendor, Vendor } from './vendor.ts';

export const startVendor: Readonly<Record<string, StartVendor>> = {
  cloudtrail: startAws,
  github: startGithub,
  google: startGoogle,
  m365: startM365,
  defender: startDefender,
  crowdstrike: startCrowdstrike,
  sentinelone: startSentinelone,
  entra: startEntra,
  okta: startOkta,
  guardduty: startGuardduty,
  defenderxdr: startDefenderXdr,
};

/** Time between events of everyday work in the demo. */
const everyMs = 20_000;

/**
 * Starts every vendor for the demo, each with some hours of everyday work and an intrusion within the last hour, and goes on from there.
 * @param port of the first; the others follow
 */
export async function startDemoVendors(port: number): Promise<{ vendors: readonly Vendor[]; close(): Promise<void> }> {
  const vendors: Vendor[] = [];
  for (const start of Object.values(startVendor)) vendors.push(await start(port === 0 ? 0 : port + vendors.length));
  const now = Date.now();
  for (const vendor of vendors) {
    for (let ago = 6; ago > 0; ago--) vendor.publish(12, now - ago * hourMs);
    vendor.intrude(now - hourMs / 3);
  }
  const timer = setInterval(() => {
    for (const vendor of vendors) vendor.publish(1, Date.now());
  }, everyMs);
  timer.unref();
  return {
    vendors,
    async close() {
      clearInterval(timer);
      await Promise.all(vendors.map((vendor) => vendor.close()));
    },
  };
}
