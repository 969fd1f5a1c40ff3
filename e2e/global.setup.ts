/** One portal for all journeys; its address and folder reach them by the environment. A smaller world than the demo's starts sooner. */
import { startPortal } from './portal.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const portal = await startPortal({ env: { PORTAL_DEMO_SCALE: '0.3' } });
  process.env.E2E_URL = portal.url;
  process.env.E2E_DATA_DIR = portal.dataDir;
  return portal.stop;
}
