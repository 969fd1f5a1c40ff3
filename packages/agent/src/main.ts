/** Command line of the agent. Installed, systemd runs it: state in /var/lib/mdr-agent, programs in /opt/mdr-agent. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock } from '@parapet/contract/rules/clock.ts';
import { runAgent } from './agent.ts';
import { createClient } from './client.ts';
import { hostClock } from './clock.ts';
import { enrol } from './enrol.ts';
import { readJson } from './files.ts';
import { createIsolation } from './isolation.ts';
import { removeService } from './service.ts';
import { readSettings, stateFolder } from './settings.ts';
import { homeOf } from './upgrade.ts';
import { createUsers } from './users.ts';
import { agentVersion } from './version.ts';

const usage = `mdr-agent ${agentVersion}
  enrol --server URL --token TOKEN   enrol this host; options: --file PATH (may be repeated), --no-journal,
                                     --buffer-mib N, --ca FILE, --allow-http, --collectable PATH (lets the portal collect
                                     this file although the deny list names it; may be repeated)
  run [--dry]                        collect, ship, take tasks; --dry: tasks change nothing on this host
  status                             show enrolment, buffer, isolation and blocked accounts
  release                            end an isolation immediately
  uninstall                          stop, end isolation, remove everything
  --version`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    token: { type: 'string' },
    file: { type: 'string', multiple: true, default: [] },
    collectable: { type: 'string', multiple: true },
    'no-journal': { type: 'boolean', default: false },
    'buffer-mib': { type: 'string', default: '256' },
    ca: { type: 'string' },
    'allow-http': { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
    state: { type: 'string', default: stateFolder },
    name: { type: 'string' },
    'machine-id': { type: 'string', default: '/etc/machine-id' },
    'trial-seconds': { type: 'string' },
    version: { type: 'boolean', default: false },
  },
});
const { state } = values;
const print = (text: string) => console.log(text);
const requireSettings = () => {
  const settings = readSettings(state);
  if (!settings) throw new Error(`This host is not enrolled, or ${state} cannot be read. Run "enrol" as root first.`);
  return settings;
};

const commands: Record<string, () => Promise<void>> = {
  async enrol() {
    const { server, token } = values;
    const bufferMiB = Number(values['buffer-mib']);
    if (!server || !token) throw new Error('--server and --token are required; the portal shows both under Agents.');
    if (!Number.isInteger(bufferMiB) || bufferMiB < 16 || bufferMiB > 65_536)
      throw new Error('--buffer-mib must be a number from 16 to 65536.');
    print(
      await enrol({
        ...{
          state,
          server,
          token,
          bufferMiB,
          files: values.file,
          collectable: values.collectable,
          name: values.name,
          machineIdFile: values['machine-id'],
        },
        ...{ allowsHttp: values['allow-http'], authorityFile: values.ca, journal: values['no-journal'] ? 'off' : 'auto' },
      }),
    );
  },
  async run() {
    const stop = new AbortController();
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());
    // On trial: if the parent version dies, the service restarts it, and two agents must not run at once.
    process.once('disconnect', () => process.exit(1));
    const script = fileURLToPath(import.meta.url);
    const seconds = values['trial-seconds'];
    const trialMs = seconds === undefined ? undefined : Number(seconds) * 1000;
    const hasLeft = await runAgent({
      ...{ state, settings: requireSettings(), isDry: values.dry, script, trialMs, signal: stop.signal, log: print },
    });
    if (hasLeft) {
      print('The portal told this agent to leave.');
      if (!values.dry) {
        await removeFiles();
        // Last: it ends this process.
        await removeService();
      }
    }
    // Exit without waiting for a pending long poll.
    process.exit(0);
  },
  async status() {
    const { server, organisationName, agentId, journal, files } = requireSettings();
    const { isIsolated, releaseInSeconds } = await openIsolation().observe();
    print(`mdr-agent ${agentVersion}, agent ${agentId} of ${organisationName} at ${server}`);
    print(`Journal: ${journal}. Files: ${files.length > 0 ? files.join(', ') : 'the defaults if there is no journal'}.`);
    const shipped = readJson<{ segment: number }>(`${state}/buffer/shipped.json`);
    print(shipped ? 'Events have been shipped.' : 'No events shipped yet.');
    print(isIsolated ? `Isolated; released in ${releaseInSeconds} seconds at most.` : 'Not isolated.');
    for (const name of createUsers(state, systemClock).blocked()) print(`Blocked: ${name}`);
  },
  async release() {
    print(await openIsolation().release());
  },
  async uninstall() {
    await removeService();
    await removeFiles();
    print('The agent is removed. Revoke its key under Agents in the portal.');
  },
};

/** Ends isolation, and removes the agent’s state and program. */
async function removeFiles(): Promise<void> {
  const blocked = createUsers(state, systemClock).blocked();
  if (existsSync(state)) {
    print(
      await openIsolation()
        .release()
        .catch((error: Error) => error.message),
    );
    await rm(state, { recursive: true, force: true });
  }
  const home = homeOf(fileURLToPath(import.meta.url));
  if (home) await rm(home, { recursive: true, force: true });
  for (const name of blocked) print(`The account ${name} stays blocked. Unblock it with: usermod -U -e '' ${name}`);
}

const openIsolation = () =>
  createIsolation({
    state,
    client: createClient({ server: readSettings(state)?.server ?? 'https://none.invalid' }),
    clock: hostClock,
    trouble: print,
  });

const command = commands[positionals[0] ?? ''];
if (values.version) print(agentVersion);
else if (!command || positionals.length !== 1) {
  console.error(usage);
  process.exitCode = 2;
} else {
  await command().catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
