import { expect, test } from 'vitest';
import { faultIn, isColour, ratioOf } from './accents.ts';
import { inList } from './clientList.ts';
import { snippetsOf } from './snippets.ts';
import { absence, tabIn, tabs } from './tabs.ts';

test.each([
  ['branding', 'branding'],
  ['Sign-In', 'sign-in'],
  ['nonsense', 'general'],
  [undefined, 'general'],
])('reads tab %s as %s', (text, tab) => {
  expect(tabIn(text)).toBe(tab);
});

test('explains why a tab has no content', () => {
  const can = { edit: true, editPolicy: true, move: false, vouch: false, deactivate: true };
  const client = { branding: null, signInPolicy: null, partnerName: 'Harbor', isPartner: false, can };
  const absent = (mayKeys: boolean) => tabs.filter(({ id }) => absence(id, client, mayKeys)).map(({ id }) => id);
  expect(absent(false)).toEqual(['branding', 'sign-in', 'ingest-keys', 'setup']);
  expect(absent(true)).toEqual(['branding', 'sign-in']);
  expect(absence('branding', client, true)).toContain('Harbor');
  expect(absence('offboarding', { ...client, can: { ...can, deactivate: false } }, true)).toContain('administrators');
  expect(absence('offboarding', { ...client, isPartner: true }, true)).toContain('Clients');
});

test('validates an accent colour while it is typed', () => {
  expect(faultIn('#0b6b66', 'light')).toBeUndefined();
  expect(faultIn('#0b6b66', 'dark')).toMatch(/lighter/);
  expect(faultIn('#4cc9bd', 'light')).toMatch(/darker/);
  for (const unfinished of ['', '#12', 'red', undefined]) {
    expect(isColour(unfinished)).toBe(false);
    expect(faultIn(unfinished, 'light')).toBeUndefined();
  }
  // 4.54 on white, 4.24 on the ground beside it.
  expect(ratioOf('#767676', 'light')).toBe('4.2 : 1');
});

test('puts the key into snippets, and the port that rsyslog needs', () => {
  const [beats, rsyslog, curl, splunk, openTelemetry] = snippetsOf('pk_abc', 'https://portal.example');
  expect(beats?.text).toContain('hosts: ["https://portal.example:443"]');
  expect(beats?.text).toContain('password: pk_abc');
  expect(rsyslog?.text).toContain('server="https://portal.example:443/ingest"');
  expect(curl?.text).toContain('ApiKey pk_abc');
  expect(splunk?.text).toContain('URL: https://portal.example:443/services/collector/event\nToken: pk_abc\n');
  expect(splunk?.text).toContain('"Authorization: Splunk pk_abc"');
  expect(openTelemetry?.text).toContain('logs_endpoint: https://portal.example/v1/logs');
  expect(openTelemetry?.text).toContain('Authorization: Bearer pk_abc');
  expect(snippetsOf('k', 'http://harbor.localhost:8080')[1]?.text).toContain('"http://harbor.localhost:8080/ingest"');
});

test('finds clients by their own name or their partner’s', () => {
  const client = (id: number, name: string, isPartner: boolean, partnerClientOrgID: number | null) => ({
    id,
    name,
    isPartner,
    partnerClientOrgID,
  });
  const all = [
    client(2, 'Harbor', true, 1),
    client(10, 'Alder', false, 2),
    client(3, 'Summit', true, 1),
    client(30, 'Elm', false, 3),
  ];
  const found = (text: string) => inList(all, text).map(({ name }) => name);
  expect(found('')).toEqual(['Harbor', 'Alder', 'Summit', 'Elm']);
  expect(found(' ELM ')).toEqual(['Elm']);
  expect(found('harb')).toEqual(['Harbor', 'Alder']);
  expect(found('x')).toEqual([]);
});
