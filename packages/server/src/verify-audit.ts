/**
 * Verifies the audit log of every organisation and names the first broken link: `npm run -s verify-audit [-- --organisation 10] [--log portal.log]`.
 * With `--log`, the checkpoints in that copy of the portal's own log must fit too. Exit code 1 when anything is broken. Also while the portal runs.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { runCommand } from './command.ts';
import { systemClock } from './core/clock.ts';
import { scoped } from './core/db/scope.ts';
import { openKeys } from './core/keys/keys.ts';
import { readMasterKeys } from './core/keys/master.ts';
import { keyName } from './core/keys/signing.ts';
import { checkpointKey, isSigned, type SignedCheckpoint } from './features/audit/chain.format.ts';
import { auditedOrganisations } from './features/audit/chain.store.ts';
import { checkpointSecret, type Verified, verifyLog } from './features/audit/chain.verify.ts';
import { sealedColumns } from './sealed-columns.ts';

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
const logged = z.object({
  checkpoint: z.object({
    organisationId: z.int().positive(),
    position: z.int().positive(),
    hash: hex(32),
    count: z.int(),
    through: z.string().max(40),
    at: z.string().max(40),
    publicKey: hex(32),
    signature: hex(64),
  }),
});

/** Checkpoints of a log file; lines of other things are passed over, and one whose signature is wrong is refused. */
async function checkpointsIn(file: string): Promise<SignedCheckpoint[]> {
  const found: SignedCheckpoint[] = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!line.includes('"checkpoint":')) continue;
    const start = line.indexOf('{');
    const parsed = logged.safeParse(readJson(line.slice(start)));
    if (!parsed.success) continue;
    if (!isSigned(parsed.data.checkpoint)) throw new Error(`${file} has a checkpoint whose signature is not valid: ${line}`);
    found.push(parsed.data.checkpoint);
  }
  return found;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const exact = (count: number) => count.toLocaleString('en-GB');

function lineOf(name: string, { organisationId, broken, ...found }: Verified): string {
  const who = `organisation ${organisationId} (${JSON.stringify(name)})`;
  if (broken) {
    const entry = broken.entryId === undefined ? '' : `, entry ${broken.entryId}`;
    return `BROKEN  ${who}, position ${broken.position}${entry}: ${broken.kind}: ${broken.text}`;
  }
  const former = found.formerKeys.length > 0 ? `, former keys ${found.formerKeys.join(', ')}` : '';
  const erased = found.erased > 0 ? `, content of ${exact(found.erased)} erased` : '';
  const unsealed = found.unsealed > 0 ? `, ${found.unsealed} not sealed yet` : '';
  return `intact  ${who}: entries ${exact(found.entries)}, last position ${found.lastPosition}, checkpoints ${exact(found.checkpoints)}${former}${erased}${unsealed}`;
}

await runCommand('verify-audit', async (db, config) => {
  const { values } = parseArgs({ options: { organisation: { type: 'string' }, log: { type: 'string' } } });
  const only = values.organisation === undefined ? undefined : Number(values.organisation);
  if (only !== undefined && !(Number.isSafeInteger(only) && only > 0))
    throw new Error('Usage: npm run -s verify-audit -- [--organisation <id>] [--log <file>]');
  const outside = values.log === undefined ? [] : await checkpointsIn(values.log);
  const keys = await openKeys({ db, columns: sealedColumns, ...(await readMasterKeys(config)) });
  const { publicKey } = checkpointKey(await keys.shared(checkpointSecret));
  const known = await scoped(db, 'system', auditedOrganisations, { readOnly: true });
  const names = new Map([
    ...outside.map(({ organisationId }) => [organisationId, ''] as const),
    ...known.map(({ id, name }) => [id, name] as const),
  ]);

  const started = performance.now();
  const lines: string[] = [];
  let entries = 0;
  let broken = 0;
  for (const [organisationId, name] of [...names].sort(([a], [b]) => a - b)) {
    if (only !== undefined && organisationId !== only) continue;
    const verified = await verifyLog(db, {
      organisationId,
      publicKey,
      outside: outside.filter((each) => each.organisationId === organisationId),
      now: systemClock.now(),
    });
    entries += verified.entries;
    broken += verified.broken ? 1 : 0;
    lines.push(lineOf(name, verified));
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  lines.push(
    `logs ${exact(lines.length)}, broken ${exact(broken)}; ${exact(entries)} entries verified in ${seconds} s, key ${keyName(publicKey)}`,
  );
  if (broken > 0) throw new Error(lines.join('\n'));
  return lines.join('\n');
});
