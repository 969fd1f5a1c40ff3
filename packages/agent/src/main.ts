/** The agent's commands. Installed, it is run by systemd: /var/lib/mdr-agent is its memory, /opt/mdr-agent its programs. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
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
  enrol --server URL --token TOKEN   make this host known; further: --file PATH (may be repeated), --no-journal,
                                     --buffer-mib N, --ca FILE, --allow-http, --collectable PATH (lets the portal collect
                                     this file although the deny list names it; may be repeated)
  run [--dry]                        collect, ship, take tasks; --dry: tasks change nothing on this host
  status                             what it is and what it does
  release                            end an isolation here and now
  uninstall                          stop, open the network again, remove everything
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
const say = (text: string) => console.log(text);
const settingsOrEnd = () => {
  const settings = readSettings(state);
  if (!settings) throw new Error(`This host is not enrolled, or ${state} may not be read. Run "enrol" as root first.`);
  return settings;
};

const commands: Record<string, () => Promise<void>> = {
  async enrol() {
    const { server, token } = values;
    const bufferMiB = Number(values['buffer-mib']);
    if (!server || !token) throw new Error('Say --server and --token; the portal shows both under Agents.');
    if (!Number.isInteger(bufferMiB) || bufferMiB < 16 || bufferMiB > 65_536)
      throw new Error('--buffer-mib is a number from 16 to 65536.');
    say(
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
    // On trial: with the version that started this one gone, the service starts it anew, and two agents must not run at once.
    process.once('disconnect', () => process.exit(1));
    const script = fileURLToPath(import.meta.url);
    const seconds = values['trial-seconds'];
    const trialMs = seconds === undefined ? undefined : Number(seconds) * 1000;
    await runAgent({ state, settings: settingsOrEnd(), isDry: values.dry, script, trialMs, signal: stop.signal, log: say });
    // A long poll that is under way holds nobody up.
    process.exit(0);
  },
  async status() {
    const { server, organisationName, agentId, journal, files } = settingsOrEnd();
    const { isIsolated, releaseInSeconds } = await isolationHere().observe();
    say(`mdr-agent ${agentVersion}, agent ${agentId} of ${organisationName} at ${server}`);
    say(`Journal: ${journal}. Files: ${files.length > 0 ? files.join(', ') : 'the usual ones where there is no journal'}.`);
    const shipped = readJson<{ segment: number }>(`${state}/buffer/shipped.json`);
    say(shipped ? 'Events were shipped.' : 'Nothing was shipped yet.');
    say(isIsolated ? `Isolated; released in ${releaseInSeconds} seconds at most.` : 'Not isolated.');
    for (const name of createUsers(state).blocked()) say(`Blocked: ${name}`);
  },
  async release() {
    say(await isolationHere().release());
  },
  async uninstall() {
    await removeService();
    const blocked = createUsers(state).blocked();
    if (existsSync(state)) {
      say(
        await isolationHere()
          .release()
          .catch((error: Error) => error.message),
      );
      await rm(state, { recursive: true, force: true });
    }
    const home = homeOf(fileURLToPath(import.meta.url));
    if (home) await rm(home, { recursive: true, force: true });
    for (const name of blocked) say(`The account ${name} stays blocked. Open it with: usermod -U -e '' ${name}`);
    say('The agent is removed. Revoke its key under Agents in the portal.');
  },
};

const isolationHere = () =>
  createIsolation({
    state,
    client: createClient({ server: readSettings(state)?.server ?? 'https://none.invalid' }),
    clock: hostClock,
    trouble: say,
  });

const command = commands[positionals[0] ?? ''];
if (values.version) say(agentVersion);
else if (!command || positionals.length !== 1) {
  console.error(usage);
  process.exitCode = 2;
} else {
  await command().catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
