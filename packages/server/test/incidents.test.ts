/** Cases and incidents of Microsoft Defender XDR, both ways, with responses that are lost, refused, ignored or hostile. */
import { startDefenderXdr, type XdrVendor } from '@parapet/world/vendors/defenderxdr.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type IncidentWork, incidentWork } from './incidents.fixture.ts';

let xdr: XdrVendor;
let t: IncidentWork;
beforeAll(async () => {
  xdr = await startDefenderXdr();
  t = await incidentWork(xdr);
});
afterAll(async () => {
  await t.close();
  await xdr.close();
});

const patchesOf = (id: string) =>
  xdr.people
    .patches()
    .filter((patch) => patch.id === id)
    .map(({ body }) => body);

describe('from a case to its incident', () => {
  test('links the incident that the alert names, and shows it without changing anything', async () => {
    const { organisationId, connection, incident } = await t.start();
    await t.sync(organisationId);
    expect(await t.incidentRow(connection)).toMatchObject({
      kind: 'incident',
      vendor_id: incident,
      status: 'active',
      error: null,
      gone_at: null,
    });
    expect((await t.incidentRow(connection)).url).toMatch(/^https:\/\/security\.microsoft\.com\/incidents\//);
    expect(patchesOf(incident)).toEqual([]);
  });

  test('keeps the time of the setting where the same mode is saved', async () => {
    const { organisationId, connection } = await t.start('both');
    const at = t.clock.now() - 1_000;
    await t.setMode(organisationId, connection, 'both', at);
    await t.setMode(organisationId, connection, 'both');
    expect((await t.syncRow(connection)).mode_at.getTime()).toBe(at);
    await t.setMode(organisationId, connection, 'send');
    expect((await t.syncRow(connection)).mode_at.getTime()).not.toBe(at);
  });

  test('links the incident of an alert whose events are packed', async () => {
    const { organisationId, connection, incident } = await t.start();
    expect(await t.pack()).toBeGreaterThan(0);
    await t.sync(organisationId);
    expect(await t.incidentRow(connection)).toMatchObject({ vendor_id: incident, status: 'active' });
  });

  test('sends nothing of a case that was closed before the setting', async () => {
    const { organisationId, connection, incident, id } = await t.start('read');
    await t.sync(organisationId);
    await t.setStatus(id, 'closed', 'falsePositive');
    await t.setMode(organisationId, connection, 'send', t.clock.now() + 1);
    await t.settled(organisationId);
    expect(patchesOf(incident)).toEqual([]);
  });

  test('resolves and classifies the incident of a closed case, with one comment, and counts it as done once it is shown', async () => {
    const { organisationId, connection, incident, id } = await t.start();
    await t.setStatus(id, 'closed', 'falsePositive');
    await t.sync(organisationId);
    expect(xdr.people.incident(incident)).toMatchObject({
      status: 'resolved',
      classification: 'falsePositive',
      determination: 'other',
    });
    expect(await t.incidentRow(connection)).toMatchObject({ state: 'closed', is_sending: false, comment: null, conflict: null });
    expect(t.textsAt(incident)).toEqual([
      expect.stringContaining(`Case ${id} (False positive): https://portal.example/apps/case/${id}`),
    ]);
    await t.sync(organisationId);
    await t.sync(organisationId);
    expect(patchesOf(incident)).toHaveLength(1);
    expect(t.textsAt(incident)).toHaveLength(1);
    expect((await t.caseOf(id)).status).toBe('closed');
  });

  test('takes an incident into work, names its owner without staff of the provider, and reopens it', async () => {
    const { organisationId, incident, id } = await t.start();
    await t.setStatus(id, 'investigating');
    await t.assign(id, await t.organisation());
    await t.sync(organisationId);
    expect(xdr.people.incident(incident)).toMatchObject({ status: 'inProgress', assignedTo: 'Harbor Security' });
    const own = await t.assign(id, organisationId);
    await t.sync(organisationId);
    expect(xdr.people.incident(incident)).toMatchObject({ status: 'inProgress', assignedTo: own });
    await t.setStatus(id, 'closed', 'truePositive');
    await t.sync(organisationId);
    await t.setStatus(id, 'investigating');
    await t.assign(id, null);
    await t.sync(organisationId);
    expect(xdr.people.incident(incident)).toMatchObject({
      status: 'inProgress',
      assignedTo: null,
      classification: 'truePositive',
    });
  });

  test('resolves an incident of several cases with the last of them', async () => {
    const { organisationId, incident, id, alert } = await t.start();
    // A second alert of the same incident stands in another case.
    const second = await t.secondAlert(organisationId, alert);
    const other = await t.case(organisationId, second);
    await t.setStatus(id, 'closed', 'benign');
    await t.sync(organisationId);
    expect(xdr.people.incident(incident)?.status).toBe('inProgress');
    await t.setStatus(other, 'closed', 'truePositive');
    await t.sync(organisationId);
    expect(xdr.people.incident(incident)).toMatchObject({ status: 'resolved', classification: 'truePositive' });
  });

  test('tells which permission is missing on the connection, and goes on once it is given', async () => {
    const { organisationId, connection, incident, id } = await t.start();
    xdr.people.allowWrites(false);
    await t.setStatus(id, 'closed', 'benign');
    await t.sync(organisationId);
    const words = 'Changing it needs the application permission SecurityIncident.ReadWrite.All';
    expect((await t.syncRow(connection)).error).toContain(words);
    expect(await t.incidentRow(connection)).toMatchObject({ is_sending: true, error: expect.stringContaining(words) });
    xdr.people.allowWrites(true);
    await t.sync(organisationId);
    expect((await t.syncRow(connection)).error).toBeNull();
    expect(await t.incidentRow(connection)).toMatchObject({ is_sending: false, error: null, state: 'closed' });
    expect(xdr.people.incident(incident)?.classification).toBe('informationalExpectedActivity');
  });

  test('does not take an accepted change for done that the vendor does not show', async () => {
    const { organisationId, connection, incident, id } = await t.start();
    xdr.people.ignoreWrites(true);
    await t.setStatus(id, 'closed', 'benign');
    await t.sync(organisationId);
    expect(await t.incidentRow(connection)).toMatchObject({
      is_sending: true,
      error: expect.stringContaining('doesn’t show it: status'),
    });
    xdr.people.ignoreWrites(false);
    await t.sync(organisationId);
    expect(await t.incidentRow(connection)).toMatchObject({ is_sending: false, error: null });
    expect(t.textsAt(incident)).toHaveLength(1);
  });

  test('changes nothing while the connection only shows incidents, nor what happened before', async () => {
    const { organisationId, connection, incident, id } = await t.start('read');
    await t.setStatus(id, 'closed', 'benign');
    await t.sync(organisationId);
    await t.setMode(organisationId, connection, 'both');
    await t.sync(organisationId);
    expect(patchesOf(incident)).toEqual([]);
    await t.setStatus(id, 'investigating');
    await t.sync(organisationId);
    expect(patchesOf(incident)).toEqual([{ status: 'inProgress' }]);
  });
});

describe('a process that dies', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('after request %i leaves nothing undone or doubled', async (last) => {
    const { organisationId, connection, incident, id } = await t.start();
    await t.sync(organisationId);
    const before = patchesOf(incident).length;
    await t.setStatus(id, 'closed', 'falsePositive');
    let requests = 0;
    const dying = t.open(async (...request) => {
      if (requests++ < last) return t.http(...request);
      // The database is gone for a process that dies: it records nothing.
      throw Object.assign(new Error('killed'), { code: '57P01' });
    });
    t.clock.moveTo(t.clock.now() + 2 * 60_000);
    await dying.run().catch(() => {});
    await t.sync(organisationId);
    await t.sync(organisationId);
    expect(xdr.people.incident(incident)).toMatchObject({ status: 'resolved', classification: 'falsePositive' });
    expect(await t.incidentRow(connection)).toMatchObject({ state: 'closed', is_sending: false, comment: null, error: null });
    expect(t.textsAt(incident)).toHaveLength(1);
    expect(patchesOf(incident).length - before).toBe(1);
  });
});

describe('from an incident to its case', () => {
  test('closes the case with the classification, without an echo', async () => {
    const { organisationId, incident, id } = await t.start();
    await t.sync(organisationId);
    xdr.people.set(incident, { status: 'resolved', classification: 'falsePositive', determination: 'notMalicious' });
    await t.sync(organisationId);
    expect(await t.caseOf(id)).toMatchObject({ status: 'closed', resolution: 'falsePositive' });
    await t.sync(organisationId);
    expect(patchesOf(incident)).toEqual([]);
    expect(xdr.people.incident(incident)).toMatchObject({ determination: 'notMalicious' });
  });

  test('reopens the case', async () => {
    const { organisationId, incident, id } = await t.start();
    await t.setStatus(id, 'closed', 'benign');
    await t.sync(organisationId);
    xdr.people.set(incident, { status: 'active' });
    await t.sync(organisationId);
    expect((await t.caseOf(id)).status).toBe('investigating');
    await t.sync(organisationId);
    expect((await t.caseOf(id)).status).toBe('investigating');
    const lines = (await t.timelineOf(id)).map(({ text }) => text);
    expect(lines.filter((text) => text.includes('was reopened there'))).toEqual([
      `Incident ${incident} at Microsoft Defender XDR was reopened there`,
    ]);
  });

  test('writes a line on the timeline of the case where the connection only shows incidents', async () => {
    const { organisationId, incident, id } = await t.start('read');
    xdr.people.set(incident, { status: 'resolved' });
    await t.sync(organisationId);
    xdr.people.set(incident, { status: 'active' });
    await t.sync(organisationId);
    await t.sync(organisationId);
    const lines = (await t.timelineOf(id)).map(({ text }) => text);
    expect(lines.filter((text) => text.includes('was reopened there'))).toHaveLength(1);
  });

  test('asks the vendor nothing while no case changed, and of the changed one alone', async () => {
    const { organisationId, connection, incident, id } = await t.start();
    await t.sync(organisationId);
    const before = xdr.requests();
    await t.syncCases(organisationId);
    expect(xdr.requests() - before).toBe(0);
    const due = (await t.syncRow(connection)).next_at;
    await t.setStatus(id, 'closed', 'benign');
    await t.syncCases(organisationId);
    expect(xdr.people.incident(incident)?.status).toBe('resolved');
    // Read, changed, commented and read again; no list, and the next whole turn comes when it would have come.
    expect(xdr.requests() - before).toBeLessThanOrEqual(5);
    expect((await t.syncRow(connection)).next_at).toEqual(due);
  });

  test('shows the difference where the connection does not change cases, and sends no work on an open case', async () => {
    const { organisationId, connection, incident, id } = await t.start('send');
    await t.sync(organisationId);
    xdr.people.set(incident, { status: 'resolved' });
    await t.sync(organisationId);
    await t.setStatus(id, 'investigating');
    await t.sync(organisationId);
    expect((await t.caseOf(id)).status).toBe('investigating');
    expect(xdr.people.incident(incident)?.status).toBe('resolved');
    expect((await t.incidentRow(connection)).conflict).toContain('became "resolved"');
    await t.setStatus(id, 'closed', 'benign');
    await t.sync(organisationId);
    expect((await t.incidentRow(connection)).conflict).toBeNull();
  });

  test('keeps a critical case with open items open, with a note', async () => {
    const { organisationId, connection, incident, alert } = await t.start('read');
    const id = await t.move(organisationId, alert, { criticality: 5 });
    await t.setMode(organisationId, connection, 'both');
    await t.sync(organisationId);
    xdr.people.set(incident, { status: 'resolved' });
    await t.sync(organisationId);
    expect((await t.caseOf(id)).status).toBe('open');
    expect((await t.incidentRow(connection)).conflict).toContain('is critical or malicious and has open items');
    expect((await t.notesOf(id)).map(({ text }) => text)).toEqual([expect.stringContaining('stays "Open"')]);
  });

  test('follows the case where both sides changed, with a note', async () => {
    const { organisationId, connection, incident, id } = await t.start();
    await t.setStatus(id, 'closed', 'benign');
    await t.sync(organisationId);
    xdr.people.set(incident, { status: 'active' });
    await t.sync(organisationId);
    // The incident is resolved there while the case was closed and reopened here.
    await t.setStatus(id, 'closed', 'benign');
    await t.sync(organisationId);
    await t.setStatus(id, 'investigating');
    await t.sync(organisationId);
    expect(xdr.people.incident(incident)?.status).toBe('inProgress');
    expect(await t.incidentRow(connection)).toMatchObject({ state: 'working', is_sending: false });
  });

  test('follows an incident that was merged, and marks one that is gone', async () => {
    const one = await t.start();
    await t.sync(one.organisationId);
    const two = await t.start();
    xdr.people.merge(one.incident, two.incident);
    await t.sync(one.organisationId);
    await t.sync(one.organisationId);
    expect((await t.incidentRow(one.connection)).vendor_id).toBe(two.incident);
    xdr.people.set(two.incident, { status: 'resolved' });
    await t.sync(one.organisationId);
    expect((await t.caseOf(one.id)).status).toBe('closed');
  });

  test('shows no page of another host, and keeps hostile text as text', async () => {
    const { organisationId, connection, incident } = await t.start();
    const title = '<img src=x onerror=alert(1)>\u0000';
    xdr.people.set(incident, {
      incidentWebUrl: 'https://security.microsoft.com.evil.example/',
      displayName: title,
      assignedTo: title,
    });
    await t.sync(organisationId);
    expect(await t.incidentRow(connection)).toMatchObject({ url: '', title: '<img src=x onerror=alert(1)>\uFFFD' });
  });
});
