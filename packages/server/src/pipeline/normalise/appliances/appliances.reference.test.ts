/** Lines by the published references of CEF, LEEF and Cisco's security events, where products and references differ from a plain reading. */
import { describe, expect, test } from 'vitest';
import { fillFromAppliance } from './appliances.ts';

function fieldsOf(line: string): Record<string, unknown> {
  const document = {};
  fillFromAppliance(document, line);
  return document;
}
const read = (line: string, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], fieldsOf(line));

describe('CEF', () => {
  const flow = (vendor: string, counts: string) => `CEF:0|${vendor}|Gate|1|traffic|end|3|src=10.0.0.7 dst=203.0.113.9 ${counts}`;

  test('counts `in` from source to destination, as the reference and Palo Alto have it', () => {
    const line = flow('Palo Alto Networks', 'in=1200 out=88000');
    expect([read(line, 'source.bytes'), read(line, 'destination.bytes'), read(line, 'network.bytes')]).toEqual([
      1200, 88000, 89200,
    ]);
    expect(read(flow('Any', 'bytesIn=5 bytesOut=6'), 'source.bytes')).toBe(5);
  });

  test.each([
    flow('Fortinet', 'out=398 in=1605 cn2=5 cn2Label=Packets Sent'),
    flow('Check Point', 'in=1605 out=398'),
    flow('Palo Alto Networks', 'in=1605 out=398').replace('Gate', 'LF'),
  ])('counts the other way round where the maker maps them so, or is assumed to: %s', (line) => {
    expect([read(line, 'source.bytes'), read(line, 'destination.bytes')]).toEqual([398, 1605]);
  });
});

describe('LEEF', () => {
  const leef = (attributes: string, head = 'LEEF:1.0|Vendor|Gate|1|4711') => `${head}|${attributes}`;

  test('takes marked sessions as authentication', () => {
    const login = leef('cat=Success\tisLoginEvent=true\tusrName=j.doe\tsrc=10.0.0.7');
    expect([read(login, 'event.category'), read(login, 'event.type'), read(login, 'event.outcome')]).toEqual([
      ['authentication'],
      ['start'],
      'success',
    ]);
    expect(read(leef('cat=Failed\tisLoginEvent=true'), 'event.outcome')).toBe('failure');
    expect(read(leef('isLogoutEvent=TRUE\tusrName=j.doe'), 'event.type')).toEqual(['end']);
    expect(read(leef('isLoginEvent=false\tsrc=10.0.0.7'), 'event.category')).toBeUndefined();
  });

  test('keeps bars in values where version 2 leaves the delimiter out', () => {
    const line = leef('src=10.0.0.7\tresource=a|b', 'LEEF:2.0|Vendor|Gate|1|4711');
    expect([read(line, 'source.ip'), read(line, 'url.original')]).toEqual(['10.0.0.7', 'a|b']);
    const hex = leef('src=10.0.0.7^resource=a|b', 'LEEF:2.0|Vendor|Gate|1|4711|0x5E');
    expect([read(hex, 'source.ip'), read(hex, 'url.original')]).toEqual(['10.0.0.7', 'a|b']);
  });
});

describe('Cisco security events', () => {
  const connection =
    '%FTD-1-430003: EventPriority: Low, DeviceUUID: 1, InstanceID: 5, FirstPacketSecond: 2026-11-26T08:13:09Z, ConnectionID: 35868, AccessControlRuleAction: Allow, SrcIP: 10.20.4.31, DstIP: 203.0.113.9, SrcPort: 56901, DstPort: 53, Protocol: udp, IngressInterface: LAN, EgressInterface: WAN, EgressZone: outside, ACPolicy: Edge, AccessControlRuleName: DNS out, Prefilter Policy: Default Prefilter Policy, User: No Authentication Required, UserAgent: Mozilla/5.0 (KHTML, like Gecko) Edge/13, Client: DNS client, ApplicationProtocol: DNS, InitiatorBytes: 88, ResponderBytes: 152, NAT_InitiatorPort: 22294, NAT_ResponderPort: 53, NAT_InitiatorIP: 198.51.100.4, NAT_ResponderIP: 203.0.113.9';

  test.each([
    ['rule.name', 'DNS out'],
    ['user.name', undefined],
    ['user_agent.original', 'Mozilla/5.0 (KHTML, like Gecko) Edge/13'],
    ['observer.ingress.zone', 'LAN'],
    ['observer.egress.zone', 'outside'],
    ['source.nat.ip', '198.51.100.4'],
    ['source.nat.port', 22_294],
    ['network.application', 'dns client'],
  ])('read %s of a connection', (path, expected) => {
    expect(read(connection, path)).toEqual(expected);
  });

  test('keep names with spaces among the appliance’s own fields', () => {
    const own = (fieldsOf(connection) as { cisco: { ftd: Record<string, string> } }).cisco.ftd;
    expect(own['Prefilter Policy']).toBe('Default Prefilter Policy');
  });

  const intrusion = (result: string) =>
    `%FTD-1-430001: Priority: 1, GID: 1, SID: 58722, InlineResult: ${result}, SrcIP: 198.51.100.9, DstIP: 10.20.1.10, Protocol: tcp, Message: SERVER-OTHER logging remote code execution attempt, HTTP_Hostname: shop.example, HTTP_URI: /a`;

  test('tell a drop from one that would have been', () => {
    expect(read(intrusion('Dropped'), 'event.type')).toEqual(['info', 'denied']);
    expect(read(intrusion('Would have dropped'), 'event.type')).toEqual(['info', 'allowed']);
    expect(read(intrusion('Dropped'), 'url.domain')).toBe('shop.example');
  });

  test('read those of intrusion sensors', () => {
    const line = connection.replace('%FTD-1', '%NGIPS-0');
    expect([read(line, 'event.dataset'), read(line, 'source.ip')]).toEqual(['cisco.ftd', '10.20.4.31']);
  });
});
