/** Lines that a real syslog-ng sends become alerts. It is Debian's and needs root. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SyslogNgSender, startSyslogNgSender } from '../../../tools/syslogNg.ts';
import { scoped } from '../src/core/db/scope.ts';
import { databaseWith, type TestApp, testApp } from './app.ts';
import { freePort } from './ports.ts';

const client = 2410;
const sudoRule = 'd0b76cae-39a2-46da-a857-1107adf2ef07';
let t: TestApp;
const ports = { udp: 0, tcp: 0 };
beforeAll(async () => {
  Object.assign(ports, { udp: await freePort(), tcp: await freePort() });
  t = await testApp(
    { SYSLOG: `${ports.tcp}=${client},udp:${ports.udp}=${client}`, SYSLOG_HOST: '127.0.0.1' },
    await databaseWith(client),
  );
}, 120_000);
afterAll(() => t.close());

/** As syslog-ng's manual has them: RFC 3164 by UDP, lines and octet counting (RFC 5424) by TCP. */
const destinations = {
  udp: () => `network("127.0.0.1" port(${ports.udp}) transport("udp"))`,
  tcp: () => `network("127.0.0.1" port(${ports.tcp}) transport("tcp"))`,
  'tcp, octets counted': () => `syslog("127.0.0.1" port(${ports.tcp}) transport("tcp"))`,
};

const alertsOf = (device: string) =>
  scoped(t.db, { organisationIds: [client] }, (tx) =>
    tx
      .selectFrom('alerts')
      .innerJoin('rules', 'rules.id', 'alerts.rule_id')
      .select(['rules.key', 'user_name'])
      .where('device_name', '=', device)
      .execute(),
  );

test.each(Object.keys(destinations) as (keyof typeof destinations)[])(
  'raises an alert for a line of syslog-ng by %s',
  { timeout: 300_000 },
  async (way) => {
    const device = `web-${way.replace(/\W+/g, '-')}`;
    const sender: SyslogNgSender = await startSyslogNgSender(destinations[way]());
    try {
      const time = new Date().toISOString().replace('Z', '+00:00');
      await sender.log(
        `<86>${time} ${device} sudo: mallory : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/usr/bin/uptime`,
        `<86>${time} ${device} sudo: mallory : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/usr/bin/systemctl stop auditd`,
      );
      await expect
        .poll(() => alertsOf(device), { timeout: 60_000 })
        .toEqual([expect.objectContaining({ key: sudoRule, user_name: 'mallory' })]);
    } finally {
      await sender.close();
    }
  },
);
