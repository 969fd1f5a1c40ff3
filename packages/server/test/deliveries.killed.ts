/** Runs deliveries.sender.ts, and kills it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Peer } from '@parapet/world/peers/peer.ts';
import { nodeFlags } from '../src/node-flags.ts';

const program = fileURLToPath(new URL('./deliveries.sender.ts', import.meta.url));

/** Runs the program until `isOver`, and kills it. */
export async function sendUntil(
  database: string,
  target: number,
  peer: Pick<Peer, 'url'>,
  isOver: () => Promise<boolean>,
): Promise<void> {
  const child = spawn(process.execPath, [...nodeFlags, program, database, String(target), peer.url]);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'close').then(() => {
    throw new Error(`the sender ended: ${errors}`);
  });
  ended.catch(() => {});
  await Promise.race([once(child.stdout, 'data'), ended]);
  while (!(await isOver())) await Promise.race([pause(5), ended]);
  child.kill('SIGKILL');
  await once(child, 'close');
}
