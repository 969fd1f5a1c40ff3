/** The client's own vulnerability scanner at night: suspicious in every log, and always a false positive. */
import { cronJob, passwordGuess } from '../events/linux.ts';
import { firewallVerdict } from '../events/network.ts';
import { webRequest } from '../events/web.ts';
import { logonFailure } from '../events/windows.ts';
import { devicesWith } from '../fleet.ts';
import { peopleAt } from '../people.ts';
import { createStoryBuilder, type Story } from './story.ts';

const agent = 'Mozilla/5.0 (compatible; Nikto/2.5.0) (Evasions:None) (Test:map_codes)';
const probes = [
  '/admin/config.php',
  '/.git/HEAD',
  '/../../../../etc/passwd',
  '/index.php?id=1%27%20UNION%20SELECT%20username,password%20FROM%20users--',
  '/search?q=%3Cscript%3Ealert(1)%3C/script%3E',
  '/cgi-bin/test.cgi?x=%0aid',
  '/wp-login.php',
  '/server-status',
  '/backup.zip',
  '/phpmyadmin/',
] as const;
const ports = [21, 22, 23, 25, 80, 110, 135, 139, 143, 443, 445, 1433, 3306, 3389, 5432, 5900, 6379, 8080, 8443, 9200] as const;

export const scanner: Story = {
  name: 'scanner',
  title: 'Noisy scanner, a false positive',
  ending: 'falsePositive',
  techniques: ['T1046', 'T1595.002', 'T1110.003'],
  keyRules: ['web/scanner-user-agent', 'web/sql-injection', 'linux/sshd-password-spraying', 'network/port-scan'],
  build(stage) {
    const { site, random } = stage;
    const { on, events } = createStoryBuilder(stage);
    const [source] = devicesWith(site.organisationId, 'scanner');
    const [firewall] = devicesWith(site.organisationId, 'firewall');
    const [windows] = devicesWith(site.organisationId, 'windowsServer');
    const [jump] = devicesWith(site.organisationId, 'jumpHost');
    const someone = peopleAt(site.organisationId)[0]!;
    on(source!, someone)(0, (scene) => cronJob(scene, '(scanner) CMD (/opt/scanner/bin/nightly --profile full)'));
    ports.forEach((port, index) => {
      on(firewall!, someone)(1 + index * 0.03, (scene) =>
        firewallVerdict(scene, { action: 'deny', from: source!.ip, to: `10.${site.network}.1.20`, port }),
      );
    });
    for (const web of devicesWith(site.organisationId, 'webServer'))
      probes.forEach((url, index) => {
        on(web, someone)(3 + index * 0.1, (scene) =>
          webRequest(scene, {
            from: source!.ip,
            url,
            status: random.pick([403, 404, 404]),
            bytes: 196,
            agent: index === 3 ? 'sqlmap/1.8.10#stable (https://sqlmap.example)' : agent,
          }),
        );
      });
    ['root', 'admin', 'nessus', 'guest', 'oracle', 'test', 'cisco'].forEach((user, index) => {
      on(jump!, someone)(6 + index * 0.1, (scene) => passwordGuess(scene, user, source!.ip));
    });
    if (windows)
      ['administrator', 'guest', 'sa', 'backup', 'test'].forEach((account, index) => {
        on(windows, someone)(8 + index * 0.1, (scene) =>
          logonFailure(scene, { account, from: source!.ip, subStatus: '0xc0000064' }),
        );
      });
    return events;
  },
};
