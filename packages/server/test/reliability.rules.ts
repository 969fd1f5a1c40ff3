/** A folder with one rule: a portal with all rules takes many times as long to start. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Raises a critical alert for the action `alarm` of the product `probe`. */
const rule = `title: Probe
id: 00000000-0000-4000-8000-0000000000f2
logsource:
  product: probe
detection:
  selection:
    action: alarm
  condition: selection
level: critical
`;

export async function probeRules(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'parapet-probe-'));
  await writeFile(join(folder, 'probe.yml'), rule);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
