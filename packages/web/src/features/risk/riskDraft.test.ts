import { expect, test } from 'vitest';
import { aroundToday } from './risk.queries.ts';
import { noDraft, previewOf, type RiskDetails } from './riskDraft.ts';

const practice = (id: string, isChecked: boolean) => ({
  id,
  name: id,
  explanation: '',
  nistControlID: '',
  nistControlName: '',
  isChecked,
});
const details: RiskDetails = {
  monitoredDevices: {
    totalServers: 10,
    totalWorkstations: 100,
    monitoredServers: 8,
    monitoredWorkstations: 80,
    additionalServers: 2,
    additionalWorkstations: 20,
    clientOrganizationID: 10,
    updatingUserAccountId: null,
    version: 3,
  },
  caseRiskScores: [{ status: 'investigating', riskScoreSum: 100 }],
  practices: [practice('a', true), practice('b', false)],
};

test('equals the saved score without changes', () => {
  // 0.3 × (200 + 500 + 100) + 100
  expect(previewOf(details, noDraft)).toMatchObject({
    tempScore: 340,
    errors: {},
    areTotalsChanged: false,
    changedPractices: [],
  });
});

test('previews typed counts, ignoring commas and reading empty as 0', () => {
  expect(previewOf(details, { ...noDraft, totalServers: '1,0' })).toMatchObject({ tempScore: 340, areTotalsChanged: false });
  expect(previewOf(details, { ...noDraft, totalServers: '8', totalWorkstations: '80' })).toMatchObject({
    deviceScore: 0,
    tempScore: 280,
    areTotalsChanged: true,
  });
  expect(previewOf(details, { ...noDraft, totalServers: '' }).errors).toEqual({
    totalServers: '8 servers already report; the total cannot be lower.',
  });
});

test('reports invalid counts and keeps the score', () => {
  const below = previewOf(details, { ...noDraft, totalServers: '7' });
  expect([Object.keys(below.errors), below.tempScore]).toEqual([['totalServers'], 340]);
  const noNumber = previewOf(details, { ...noDraft, totalWorkstations: 'many' });
  expect([Object.keys(noNumber.errors), noNumber.totals, noNumber.tempScore]).toEqual([['totalWorkstations'], undefined, 340]);
});

test('ignores practices that are checked and unchecked again', () => {
  expect(previewOf(details, { practices: { b: true } })).toMatchObject({
    practiceScore: 0,
    changedPractices: [{ id: 'b', isChecked: true }],
  });
  expect(previewOf(details, { practices: { b: false, a: true } }).changedPractices).toEqual([]);
});

test('spans midnight to midnight in the viewer’s time zone, across daylight saving changes', () => {
  expect(aroundToday(Date.parse('2026-11-21T20:00:00Z'), 'Asia/Kolkata')).toEqual({
    start: '2026-11-20T18:30:00.000Z',
    end: '2026-11-22T18:30:00.000Z',
  });
  expect(aroundToday(Date.parse('2026-10-25T12:00:00Z'), 'Europe/Berlin')).toEqual({
    start: '2026-10-23T22:00:00.000Z',
    end: '2026-10-25T23:00:00.000Z',
  });
});
