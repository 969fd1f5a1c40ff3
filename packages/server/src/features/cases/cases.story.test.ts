/** Stories of intrusions that were sent live through the intake, and the story’s bounds. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { judgementOfDetail, judgementText } from '@parapet/contract/rules/judgement.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { textsOf } from '../../../test/pdf.ts';
import { seedCase, seedRule } from '../../../test/seed.ts';
import { readStories, type SentStory, sendStory } from '../../../test/verdicts/stories.ts';
import { storyText } from '../../domain/story.ts';

const t = useTestApp({ PORTAL_ROLES: 'api,ingest,worker' });

const detailOf = async (id: number, client: number, user: TestUser): Promise<CaseDetail> => {
  const answer = await t.call(casesApi.detail, { params: { id, clientOrgId: client } }, user);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};

describe.each([
  [
    'web shell on Linux to root and miners',
    [
      /attacked a program that is reachable from the internet on “web-01”/,
      /the account “root” read stored passwords/,
      /used the machine’s computing power .* and 7 other devices/,
      /It involved 9 devices: “web-01”/,
      /The furthest stage seen is damage to systems or data/,
      /This was judged malicious with high confidence/,
    ],
  ],
  [
    'business mail compromise of a finance department',
    [
      /someone at “198\.51\.100\.23” tried one password on many accounts/,
      /the account “i\.voss@alder\.example” and 5 other accounts set up a rule that forwards or hides email on “Microsoft 365”/,
      /proposed response tasks? ha(s|ve) not been sent/,
    ],
  ],
] as const)('%s', (name, parts) => {
  let sent: SentStory;
  let detail: CaseDetail;
  let user: TestUser;
  beforeAll(async () => {
    sent = await sendStory(t, readStories().find((story) => story.name === name)!);
    user = await t.user({ organisationId: sent.organisationId, role: 'Administrator' });
    detail = await detailOf(sent.cases[0]!.id, sent.organisationId, user);
  }, 120_000);

  test('describes the attack in plain words and in order of time', () => {
    const text = storyText(detail.story.clauses);
    for (const part of parts) expect(text).toMatch(part);
    expect(detail.alertNarrative).toBe(text);
    const times = detail.story.steps.map(({ firstTime }) => firstTime);
    expect(times).toEqual([...times].sort());
    expect(detail.story.steps.length).toBe(detail.story.stepsTotal);
  });

  test('contains nothing that its cited alerts lack', async () => {
    const cited = detail.story.clauses.filter(({ link }) => link === 'alert');
    expect(cited.length).toBeGreaterThan(5);
    for (const { text, linkID } of cited) {
      const answer = await t.call(alertsApi.detail, { params: { alertId: linkID! } }, user);
      const alert = answer.json();
      expect(alert.caseID).toBe(detail.caseGeneralInfo.id);
      const held = JSON.stringify([alert.deviceName, alert.userName, alert.rule, alert.events])
        .replaceAll('\\\\', '\\')
        .toLowerCase();
      for (const [, quoted] of text.matchAll(/“([^”]*)”/g)) expect(held, text).toContain(quoted!.toLowerCase());
    }
  });

  test('appears in the report for the client under the one line of judgement', async () => {
    const answer = await t.call(casesApi.exportPdf, { params: { caseId: detail.caseGeneralInfo.id } }, user);
    const text = textsOf(answer.rawPayload).join('\n').replaceAll(/\s/g, '');
    const line = judgementText(judgementOfDetail(detail));
    expect(line).toMatch(/^(High|Critical) alerts, judged malicious with high confidence$/);
    expect(text).toContain(line.replaceAll(' ', ''));
    expect(text).toContain(`[alert${detail.story.clauses.find(({ link }) => link === 'alert')!.linkID}]`);
    expect(text).not.toMatch(/of100|%confidence|\(\d+%\)/);
  });

  test('returns 404 to another tenant', async () => {
    const stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
    const answer = await t.call(
      casesApi.detail,
      { params: { id: detail.caseGeneralInfo.id, clientOrgId: stranger.organisationId } },
      stranger,
    );
    expect(answer.statusCode).toBe(404);
  });
});

test('describes a case of one alert without an event', async () => {
  const organisationId = await t.organisation();
  const user = await t.user({ organisationId, role: 'Administrator' });
  const { id, alerts } = await seedCase(t.db, { organisationId, device: '“evil”\u202e', user: null });
  const { story } = await detailOf(id, organisationId, user);
  expect(story.clauses[1]).toMatchObject({ link: 'alert', linkID: alerts[0]!.id, part: 'attack' });
  expect(story.clauses[1]!.text).toMatch(/ on “"evil"\\u\{202e\}”\.$/);
  expect(story.steps).toHaveLength(1);
});

test('stays within its bounds for 5,000 alerts of 60 rules', async () => {
  const organisationId = await t.organisation();
  const user = await t.user({ organisationId, role: 'Administrator' });
  const rules: Awaited<ReturnType<typeof seedRule>>[] = [];
  for (let index = 0; index < 60; index++) rules.push(await seedRule(t.db, { criticality: 1 + (index % 5) }));
  const at = Date.now() - 10 * 3_600_000;
  const { id } = await seedCase(t.db, {
    organisationId,
    alerts: Array.from({ length: 5_000 }, (_, index) => ({
      at: at + index * 1_000,
      rule: rules[index % 60]!,
      device: `srv-${index % 200}`,
      user: `user-${index % 90}`,
    })),
  });
  const detail = await detailOf(id, organisationId, user);
  expect(detail.story.stepsTotal).toBe(60);
  expect(detail.story.steps).toHaveLength(40);
  expect(detail.story.clauses.length).toBeLessThanOrEqual(20);
  expect(detail.alertNarrative).toContain('It involved 200 devices: “srv-0”');
  expect(detail.alertNarrative).toContain('52 further kinds of activity are among the case’s 5000 alerts.');
});
