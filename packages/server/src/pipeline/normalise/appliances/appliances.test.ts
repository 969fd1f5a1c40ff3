/**
 * Lines of appliances, against the vendors' published descriptions: FortiOS Log Message Reference 7.6 (26 - LOG_ID_TRAFFIC_HTTP_TRANSACTION, `action`); PAN-OS 10.1
 * and 10.2 Administrator's Guide, Syslog Field Descriptions (Traffic, System, Config); Cisco document 116149 (messages that build and tear down connections);
 * SonicOS 6.5.1 Log Events Reference Guide (numbers of messages).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSyslog } from '../../syslog/parse.ts';
import { read } from '../doc.ts';
import { normalise } from '../normalise.ts';
import { pairsOf } from './pairs.ts';

const now = Date.parse('2026-11-26T09:00:00Z');
/** Normalises a line as the portal's own listener receives it. */
const line = (text: string) => normalise(parseSyslog(text, now), now);
const fieldsOf = (text: string, paths: readonly string[]) => {
  const { document } = line(text);
  return Object.fromEntries(paths.map((path) => [path, read(document, path)]));
};
const expectFields = (text: string, expected: Record<string, unknown>) =>
  expect(fieldsOf(text, Object.keys(expected))).toEqual(expected);

const fortinet =
  '<189>date=2026-11-26 time=08:10:11 devname="FGT-ALD-01" devid="FGT60FTK20001234" eventtime=1795680611123456789 tz="+0000" logid="0000000013" type="traffic" subtype="forward" level="notice" vd="root" srcip=10.20.4.31 srcport=50211 srcintf="lan" srcintfrole="lan" dstip=203.0.113.66 dstport=443 dstintf="wan1" dstintfrole="wan" srccountry="Reserved" dstcountry="Netherlands" sessionid=8123 proto=6 action="deny" policyid=7 policytype="policy" service="HTTPS" trandisp="noop" sentbyte=0 rcvdbyte=0 sentpkt=0 app="HTTPS.BROWSER" user="m.keller"';

const sonicWall = (code: number, text: string) =>
  `<134>id=firewall sn=0017C5000001 time="2026-11-26 08:10:11 UTC" fw=203.0.113.1 pri=6 c=16 m=${code} msg="${text}" n=1 usr="m.keller" src=198.51.100.7:50211:X1 dst=203.0.113.1:443:X1 proto=tcp/https`;

describe('published meanings', () => {
  const type = (text: string) => fieldsOf(text, ['event.category', 'event.type', 'event.outcome']);

  test('reads a failed connection attempt of FortiGate as no refusal', () => {
    expect(type(fortinet.replace('action="deny"', 'action="ip-conn"'))).toMatchObject({ 'event.type': ['connection'] });
  });

  test.each([
    [29, 'Administrator login allowed', 'success'],
    [236, 'WAN zone administrator login allowed', 'success'],
    [31, 'User login from an internal zone allowed', 'success'],
    [139, 'XAUTH Succeeded with VPN %s', 'success'],
    [1080, 'SSL VPN zone remote user login allowed', 'success'],
    [140, 'XAUTH Failed with VPN %s, Authentication failure', 'failure'],
    [745, 'User login denied - LDAP authentication failure', 'failure'],
    [329, 'User login failure rate exceeded - logins from user IP address denied', 'failure'],
  ])('reads message %i of SonicWall, "%s", as a sign-in: %s', (code, text, outcome) => {
    expect(type(sonicWall(code, text))).toMatchObject({ 'event.category': ['authentication'], 'event.outcome': outcome });
  });

  test('reads an alert of SonicWall’s Application Control as no sign-in, and traffic of SSL VPN as no refusal', () => {
    expect(type(sonicWall(1154, 'Application Control Detection Alert: PROXY-ACCESS'))).toMatchObject({
      'event.category': ['intrusion_detection', 'network'],
      'event.outcome': undefined,
    });
    expect(type(sonicWall(1153, 'SSL VPN Traffic'))).toMatchObject({ 'event.type': ['connection', 'allowed'] });
  });

  test.each([
    ['Submitted', undefined],
    ['Succeeded', 'success'],
    ['Unauthorized', 'failure'],
  ])('reads the result %s of a configuration change at a Palo Alto Networks firewall', (result, outcome) => {
    const text = `<14>1,2026/11/26 08:10:11,007000001,CONFIG,0,2561,2026/11/26 08:10:11,10.0.0.9,,commit,admin,Web,${result},,12,0x0,0,0,0,0,,PA-1`;
    expect(type(text)).toMatchObject({ 'event.category': ['configuration'], 'event.outcome': outcome });
  });

  test('reads a connection to a Cisco ASA itself', () => {
    const text =
      '<166>%ASA-6-302013: Built inbound TCP connection 8 for inside:10.1.1.2/12523 (10.1.1.2/12523) to NP Identity Ifc:10.1.1.1/22 (10.1.1.1/22)';
    expectFields(text, {
      'source.ip': '10.1.1.2',
      'destination.ip': '10.1.1.1',
      'destination.port': 22,
      'event.action': 'built',
    });
  });
});

describe('FortiGate', () => {
  test('reads traffic', () => {
    expectFields(fortinet, {
      'event.dataset': 'fortinet.firewall',
      'event.category': ['network'],
      'event.type': ['connection', 'denied'],
      'event.action': 'deny',
      'source.ip': '10.20.4.31',
      'source.port': 50211,
      'destination.ip': '203.0.113.66',
      'destination.port': 443,
      'destination.geo.country_name': 'Netherlands',
      'network.transport': 'tcp',
      'rule.id': '7',
      'user.name': 'm.keller',
      'host.name': 'FGT-ALD-01',
      'observer.vendor': 'Fortinet',
    });
    const { text, claimedAt, deviceName } = line(fortinet);
    expect(text).toBe('FortiGate: deny tcp 10.20.4.31:50211 → 203.0.113.66:443 by m.keller (7)');
    expect(new Date(claimedAt ?? 0).toISOString()).toBe('2026-11-26T08:10:11.123Z');
    expect(deviceName).toBe('FGT-ALD-01');
  });

  test('reads sign-ins to its VPN and administration', () => {
    const vpn = (action: string) =>
      `<185>date=2026-11-26 time=08:10:11 devname="FGT" devid="F" tz="+0100" logid="0101039426" type="event" subtype="vpn" level="alert" logdesc="SSL VPN login fail" action="${action}" tunneltype="ssl-web" remip=198.51.100.7 user="j.doe" reason="sslvpn_login_permission_denied" msg="SSL user failed to logged in"`;
    expectFields(vpn('ssl-login-fail'), {
      'event.category': ['authentication'],
      'event.outcome': 'failure',
      'source.ip': '198.51.100.7',
      'user.name': 'j.doe',
      'event.reason': 'sslvpn_login_permission_denied',
      '@timestamp': '2026-11-26T07:10:11.000Z',
    });
    expectFields(vpn('tunnel-up').replace('SSL user failed to logged in', 'SSL tunnel established'), {
      'event.category': ['authentication'],
      'event.outcome': 'success',
    });
    expectFields(
      '<189>date=2026-11-26 time=08:10:11 devname="FGT" tz="+0000" logid="0100044547" type="event" subtype="system" action="Edit" user="admin" cfgpath="firewall.policy" msg="Edit firewall.policy 7"',
      { 'event.category': ['configuration'], 'event.type': ['change'], 'fortinet.firewall.cfgpath': 'firewall.policy' },
    );
  });

  test('reads findings of protection', () => {
    expectFields(
      '<185>date=2026-11-26 time=08:10:11 devname="FGT" tz="+0000" logid="0419016384" type="utm" subtype="ips" eventtype="signature" level="alert" severity="critical" srcip=198.51.100.9 srcport=4711 dstip=10.20.1.10 dstport=8080 proto=6 action="dropped" attack="Apache.Log4j.Error.Log.Remote.Code.Execution" attackid=51006 msg="applications3: Log4j"',
      {
        'event.category': ['intrusion_detection', 'network'],
        'event.type': ['info', 'denied'],
        'rule.id': '51006',
        'rule.name': 'Apache.Log4j.Error.Log.Remote.Code.Execution',
      },
    );
  });

  test('puts a line together again where a daemon took its beginning for a tag', () => {
    const { document } = normalise(
      {
        '@timestamp': '2026-11-26T08:10:12Z',
        host: '10.20.1.1',
        syslogtag: 'date=2026-11-26',
        programname: 'date=2026-11-26',
        severity: 'notice',
        facility: 'local7',
        message: fortinet.slice(fortinet.indexOf(' time=')),
      },
      now,
    );
    expect(read(document, 'source.ip')).toBe('10.20.4.31');
    expect(read(document, 'host.name')).toBe('FGT-ALD-01');
  });
});

test('reads SonicWall', () => {
  expectFields(
    '<134>id=firewall sn=18B1690729A8 time="2026-11-26 08:10:11 UTC" fw=203.0.113.1 pri=5 c=64 m=36 msg="TCP connection dropped" n=14 src=198.51.100.9:50211:X1 dst=10.20.1.10:3389:X0 srcMac=00:11:22:33:44:55 proto=tcp/3389 rule="15 (WAN->LAN)" fw_action="drop"',
    {
      'event.dataset': 'sonicwall.firewall',
      'event.type': ['connection', 'denied'],
      'event.code': '36',
      'source.ip': '198.51.100.9',
      'source.mac': '00-11-22-33-44-55',
      'destination.ip': '10.20.1.10',
      'destination.port': 3389,
      'network.transport': 'tcp',
      'rule.name': 'WAN->LAN',
      '@timestamp': '2026-11-26T08:10:11.000Z',
    },
  );
  expectFields(
    '<134>id=firewall sn=18B1 time="2026-11-26 08:10:11" fw=203.0.113.1 pri=1 c=32 m=30 msg="Administrator login denied due to bad credentials" src=198.51.100.9:0:X1 dst=203.0.113.1:443:X1 user="admin"',
    { 'event.category': ['authentication'], 'event.outcome': 'failure', 'user.name': 'admin', 'source.ip': '198.51.100.9' },
  );
});

describe('Palo Alto', () => {
  const session = (kind: string, subtype: string, action: string, rest: string) =>
    `<14>Nov 26 08:10:12 PA-ALD-01 1,2026/11/26 08:10:11,007051000012345,${kind},${subtype},2561,2026/11/26 08:10:11,10.20.4.31,203.0.113.66,203.0.113.1,203.0.113.66,allow-web,alder\\m.keller,,ssl,vsys1,trust,untrust,ethernet1/2,ethernet1/1,log-fwd,2026/11/26 08:10:11,33001,1,50211,443,21044,443,0x400053,tcp,${action},${rest}`;
  const traffic = session(
    'TRAFFIC',
    'end',
    'allow',
    '6120,1520,4600,22,2026/11/26 08:09:55,14,computer-and-internet-info,,7200001,0x0,10.0.0.0-10.255.255.255,NL,,12,10,tcp-fin,0,0,0,0,,PA-ALD-01',
  );

  test('reads traffic', () => {
    expectFields(traffic, {
      'event.dataset': 'panw.panos',
      'event.type': ['connection', 'allowed'],
      'source.ip': '10.20.4.31',
      'source.bytes': 1520,
      'source.nat.ip': '203.0.113.1',
      'source.nat.port': 21044,
      'destination.port': 443,
      'destination.bytes': 4600,
      'destination.geo.country_iso_code': 'NL',
      'network.application': 'ssl',
      'network.bytes': 6120,
      'rule.name': 'allow-web',
      'user.name': 'm.keller',
      'user.domain': 'alder',
      'event.reason': 'tcp-fin',
      'observer.ingress.zone': 'trust',
      'host.name': 'PA-ALD-01',
    });
  });

  test('reads threats and addresses', () => {
    expectFields(
      session(
        'THREAT',
        'url',
        'block-url',
        '"evil.example/a,b?c=""d""",(9999),malware,high,client-to-server,1,0x0,10.0.0.0-10.255.255.255,NL,,text/html,0,,,1,"curl/8.5"',
      ),
      {
        'event.category': ['web', 'network'],
        'event.type': ['info', 'denied'],
        'url.original': 'evil.example/a,b?c="d"',
        'url.domain': 'evil.example',
        'rule.category': 'malware',
        'user_agent.original': 'curl/8.5',
      },
    );
  });

  test('reads sign-ins', () => {
    expectFields(
      '<14>Nov 26 08:10:12 PA-ALD-01 1,2026/11/26 08:10:11,0070,GLOBALPROTECT,0,2561,2026/11/26 08:10:11,vsys1,gateway-auth,login,LDAP,,j.doe,LV,LAPTOP,198.51.100.7,0.0.0.0,0.0.0.0,0.0.0.0,h,s,6.1,Windows,11,1,,"Authentication failed: Invalid username or password",,failure,,0,,0,GP-Portal',
      { 'event.category': ['authentication'], 'event.outcome': 'failure', 'source.ip': '198.51.100.7', 'user.name': 'j.doe' },
    );
    expectFields(
      '<14>Nov 26 08:10:12 PA-ALD-01 1,2026/11/26 08:10:11,0070,SYSTEM,auth,0,2026/11/26 08:10:11,,auth-fail,,0,0,general,medium,"failed authentication for user \'admin\'. Reason: Invalid username/password. From: 198.51.100.9.",1,0x0,0,0,0,0,,PA-ALD-01',
      { 'event.category': ['authentication'], 'event.outcome': 'failure', 'source.ip': '198.51.100.9', 'user.name': 'admin' },
    );
  });
});

describe('Cisco', () => {
  const asa = (text: string) => `<166>Nov 26 2026 08:10:11 asa01 : ${text}`;

  test.each([
    [
      '%ASA-6-302013: Built outbound TCP connection 11757 for outside:203.0.113.66/443 (203.0.113.66/443) to inside:10.20.4.31/50211 (203.0.113.1/50211)',
      {
        'event.type': ['connection', 'start', 'allowed'],
        'source.ip': '10.20.4.31',
        'source.nat.ip': '203.0.113.1',
        'destination.ip': '203.0.113.66',
        'destination.port': 443,
      },
    ],
    [
      '%ASA-6-302013: Built inbound TCP connection 11758 for outside:198.51.100.9/4711 (198.51.100.9/4711) to dmz:10.20.1.10/443 (203.0.113.2/443)',
      { 'source.ip': '198.51.100.9', 'destination.ip': '10.20.1.10', 'destination.nat.ip': '203.0.113.2' },
    ],
    [
      '%ASA-6-302014: Teardown TCP connection 11757 for outside:203.0.113.66/443 to inside:10.20.4.31/50211 duration 0:01:10 bytes 54871 TCP FINs',
      { 'event.type': ['connection', 'end', 'allowed'], 'destination.bytes': 54871, 'event.reason': 'TCP FINs' },
    ],
    [
      '%ASA-4-106023: Deny tcp src outside:198.51.100.9/4711 dst inside:10.20.1.10/3389 by access-group "outside_in" [0x0, 0x0]',
      {
        'event.type': ['connection', 'denied'],
        'source.ip': '198.51.100.9',
        'destination.port': 3389,
        'rule.name': 'outside_in',
      },
    ],
    [
      '%ASA-6-106100: access-list inside_out denied udp inside/10.20.4.31(5353) -> outside/203.0.113.66(53) hit-cnt 1 first hit [0x1, 0x0]',
      { 'event.type': ['connection', 'denied'], 'network.transport': 'udp', 'rule.name': 'inside_out', 'destination.port': 53 },
    ],
    [
      '%ASA-2-106001: Inbound TCP connection denied from 198.51.100.9/4711 to 203.0.113.1/23 flags SYN on interface outside',
      { 'event.type': ['connection', 'denied'], 'source.ip': '198.51.100.9', 'destination.port': 23 },
    ],
    [
      '%ASA-6-113005: AAA user authentication Rejected : reason = Invalid password : server = 10.20.1.5 : user = j.doe : user IP = 198.51.100.7',
      {
        'event.category': ['authentication'],
        'event.outcome': 'failure',
        'user.name': 'j.doe',
        'source.ip': '198.51.100.7',
        'event.reason': 'Invalid password',
      },
    ],
    [
      '%ASA-6-605005: Login permitted from 198.51.100.9/50211 to outside:203.0.113.1/ssh for user "admin"',
      { 'event.outcome': 'success', 'user.name': 'admin', 'source.ip': '198.51.100.9' },
    ],
    [
      "%ASA-5-111010: User 'admin', running 'CLI' from IP 10.20.4.31, executed 'no logging enable'",
      {
        'event.category': ['configuration'],
        'process.command_line': 'no logging enable',
        'user.name': 'admin',
        'source.ip': '10.20.4.31',
      },
    ],
    [
      '%FTD-1-430003: DeviceUUID: 1, AccessControlRuleAction: Block, SrcIP: 198.51.100.9, DstIP: 10.20.1.10, SrcPort: 4711, DstPort: 445, Protocol: tcp, IngressZone: outside, AccessControlRuleName: Default, InitiatorBytes: 66, ResponderBytes: 0',
      {
        'event.dataset': 'cisco.ftd',
        'event.type': ['connection', 'denied'],
        'source.ip': '198.51.100.9',
        'destination.port': 445,
        'rule.name': 'Default',
      },
    ],
  ])('reads %s', (text, expected) => {
    expectFields(asa(text), { 'host.name': 'asa01', ...expected });
  });

  test('keeps a number that it does not read as text', () => {
    expect(line(asa('%ASA-3-999999: something new')).text).toBe('ASA: something new');
  });
});

describe('CEF and LEEF', () => {
  test('reads CEF with escapes, spaces and named custom fields', () => {
    expectFields(
      '<134>Nov 26 08:10:12 relay01 CEF:0|Check\\|Point|VPN-1 & FireWall-1|R81|drop|Drop rule|5|rt=1795680611000 act=Drop src=198.51.100.9 spt=4711 dst=10.20.1.10 dpt=445 proto=6 cs1Label=Policy cs1=Clean\\=up rule dvchost=cp-gw-01 msg=Packet \\\\ dropped in=0 out=60',
      {
        'event.dataset': 'cef.log',
        'observer.vendor': 'Check|Point',
        'event.type': ['connection', 'denied'],
        'source.ip': '198.51.100.9',
        'destination.port': 445,
        'network.transport': 'tcp',
        'cef.extensions.Policy': 'Clean=up rule',
        'host.name': 'cp-gw-01',
        'event.severity': 5,
        '@timestamp': '2026-11-26T08:10:11.000Z',
      },
    );
  });

  test('reads LEEF with tabs and with a delimiter of its own', () => {
    const expected = {
      'event.dataset': 'leef.log',
      'source.ip': '198.51.100.9',
      'user.name': 'j.doe',
      'event.outcome': 'failure',
    };
    expectFields(
      '<13>Nov 26 08:10:12 gw-1 LEEF:1.0|Vendor|Gate|1.0|login-failed|src=198.51.100.9\tusrName=j.doe\tsev=5',
      expected,
    );
    expectFields('<13>Nov 26 08:10:12 gw-1 LEEF:2.0|Vendor|Gate|1.0|login-failed|^|src=198.51.100.9^usrName=j.doe', expected);
    expectFields('<13>Nov 26 08:10:12 gw-1 LEEF:2.0|Vendor|Gate|1.0|login-failed|x7C|src=198.51.100.9|usrName=j.doe', expected);
  });

  test('puts a line together again from tag and message', () => {
    const { document } = normalise(
      {
        host: 'gw-1',
        syslogtag: 'CEF:',
        programname: 'CEF',
        severity: 'info',
        facility: 'local0',
        message: '0|V|P|1|7|Login failed|3|src=198.51.100.9 suser=j.doe',
      },
      now,
    );
    expect(read(document, 'source.ip')).toBe('198.51.100.9');
    expect(read(document, 'event.outcome')).toBe('failure');
  });
});

test('reads pairs whose values contain quotes, and keeps the first of a name', () => {
  expect([...pairsOf('a=1 b="x "y" z" stray=" " c="open a')]).toEqual([
    ['a', '1'],
    ['b', 'x "y" z'],
    ['stray', ' '],
    ['c', 'open a'],
  ]);
});

test('survives whatever follows a known beginning', () => {
  const beginnings = [
    'date=x logid=1 ',
    'id=f sn=1 ',
    '1,2026/11/26 08:10:11,1,TRAFFIC,',
    '%ASA-6-302013: ',
    '%FTD-1-430003: ',
    'CEF:0|',
    'LEEF:2.0|',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...beginnings), fc.string({ unit: 'binary', maxLength: 400 }), (beginning, rest) => {
      const { document } = line(`<13>Nov 26 08:10:12 gw-1 ${beginning}${rest}`);
      expect(JSON.stringify(document)).not.toContain('"undefined"');
    }),
    { numRuns: 500 },
  );
});

test('takes time in proportion to the length of a hostile message', () => {
  const started = performance.now();
  for (const beginning of [
    'date=x logid=1 ',
    'CEF:0|a|b|c|d|e|f|',
    '%ASA-6-106023: Deny tcp src ',
    '1,2026/11/26 08:10:11,1,THREAT,',
    'LEEF:2.0|a|b|c|d|^|',
  ])
    for (const piece of ['a="', ' =', '"",', 'x=y=', '(((', 'from 1.1.1.1/1 to '])
      line(`<13>Nov 26 08:10:12 gw-1 ${beginning}${piece.repeat(100_000)}`);
  expect(performance.now() - started).toBeLessThan(5_000);
});
