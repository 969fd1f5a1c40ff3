/**
 * PORTAL_DEMO_AGENT=1: runs a real agent of this machine in the demo, as a separate process. It enrols, collects and takes
 * tasks normally, but with `--dry`: effects on this machine are simulated.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { agentBundle } from './build-agent.ts';

/** Client of the demo. */
const organisation = '10';
const root = fileURLToPath(new URL('..', import.meta.url));

/** Starts the agent once the portal is ready; returns a function that stops it. */
export function startDemoAgent(env: NodeJS.ProcessEnv, hasEnded: () => boolean): () => void {
  const url = `http://localhost:${env.PORT ?? 8080}`;
  const state = join(env.DATA_DIR ?? './data', 'demo-agent');
  let running: ChildProcess | undefined;
  const agent = (...words: string[]) =>
    spawn(process.execPath, [agentBundle, ...words, '--state', state], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );

  void (async () => {
    while (!(await isReady())) {
      if (hasEnded()) return;
      await pause(500);
    }
    if (!existsSync(join(state, 'agent.json'))) {
      const made = spawn(
        process.execPath,
        ['packages/server/src/enrolment-token.ts', '--organisation', organisation, '--name', 'demo agent'],
        {
          cwd: root,
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const [token] = await Promise.all([made.stdout.toArray().then((parts) => parts.join('').trim()), once(made, 'exit')]);
      const [code] = await once(agent('enrol', '--server', url, '--token', token), 'exit');
      if (code !== 0) return;
    }
    if (!hasEnded()) running = agent('run', '--dry');
  })();
  return () => running?.kill('SIGTERM');
}
