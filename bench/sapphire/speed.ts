/**
 * Latency of an embedded answer with a million alerts of 200 organisations, against the calls behind screens with the same
 * facts: interleaved p95, over all clients (the maximum scope).
 */
import { randomUUID } from 'node:crypto';
import { openStatuses } from '@parapet/contract/rules/cases.ts';
import { resolveTimeframe, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';
import { startServer } from '../cpu.ts';
import { percentile } from '../figures.ts';
import type { Result } from '../run.ts';

const chat = '/dashboard/sapphire-chat';
const rounds = 40;
const warmUp = 4;
/** Share of the limit of 20 messages per user and minute. */
const questionsOfOne = 15;

interface Call {
  path: string;
  body?: object;
}
interface Case {
  name: string;
  question: string;
  calls: Call[];
}

function casesAt(now: number): Case[] {
  const range = (timeframe: Timeframe) => {
    const { start, end } = resolveTimeframe(timeframe, now, 'UTC');
    return { start, end, path: `${start}/${end}` };
  };
  const [month, lastMonth, half] = [range('thisMonth'), range('lastMonth'), range('lastSixMonths')];
  const cases = (timeframe: Timeframe): Call => ({
    path: '/case/caseList',
    body: {
      filters: { status: openStatuses },
      selectedClientOrganizationID: 0,
      start: range(timeframe).start,
      end: range(timeframe).end,
    },
  });
  return [
    { name: 'cases', question: 'How many open cases do we have?', calls: [cases('allTime')] },
    {
      name: 'alerts',
      question: 'How many critical alerts did we have last month?',
      calls: [{ path: `/alerts/alertList/0/${lastMonth.path}?severity=critical` }],
    },
    {
      name: 'alerts-trend',
      question: 'Alerts by month for the last six months',
      calls: [{ path: `/dashboard/alerts-over-time/0/${half.path}` }],
    },
    {
      name: 'top-rules',
      question: 'What was the most common alert type last month?',
      calls: [{ path: `/dashboard/overview/0/${lastMonth.path}` }],
    },
    {
      name: 'riskiest',
      question: 'Which device is the biggest risk?',
      calls: [{ path: `/devices/0/${month.path}` }, { path: `/dashboard/overview/0/${month.path}` }],
    },
    { name: 'times', question: 'Mean time to close of cases this month', calls: [{ path: `/case/times/0/${month.path}` }] },
    { name: 'coverage', question: 'Which techniques are not covered?', calls: [{ path: `/attack-indicators/0/${month.path}` }] },
    { name: 'risk', question: 'What is our risk score?', calls: [{ path: '/riskscore/0' }] },
    {
      name: 'compare',
      question: 'How many alerts this month vs last month?',
      calls: [month, lastMonth].map(({ path }) => ({ path: `/dashboard/alerts-over-time/0/${path}` })),
    },
    {
      name: 'summary',
      question: 'Summarise last month',
      calls: [
        { path: `/dashboard/overview/0/${lastMonth.path}` },
        { path: `/dashboard/alerts-over-time/0/${lastMonth.path}` },
        cases('lastMonth'),
        { path: `/case/times/0/${lastMonth.path}` },
      ],
    },
    // Needs no query: compared with a call that only authenticates.
    { name: 'howto', question: 'How do I install the agent on Windows?', calls: [{ path: '/sapphire/may' }] },
  ];
}

export async function measureSpeed(alerts: number): Promise<Result[]> {
  const questionCount = casesAt(0).length * (rounds + warmUp);
  const { handshake, stop } = await startServer<{ url: string; askers: string[]; end: number }>('./sapphire/speed.server.ts', {
    BENCH_ALERTS: String(alerts),
    BENCH_ASKERS: String(Math.ceil(questionCount / questionsOfOne)),
  });
  try {
    let sent = 0;
    const timed = async ({ path, body }: Call, token: string): Promise<number> => {
      const started = performance.now();
      const answer = await fetch(`${handshake.url}${path}`, {
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const taken = performance.now() - started;
      if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${text.slice(0, 300)}`);
      // An answer without understanding is fast and must not count.
      if (path === chat && (JSON.parse(text) as SapphireAnswer).kind !== 'answer')
        throw new Error(`No answer to ${JSON.stringify(body)}: ${text.slice(0, 300)}`);
      return taken;
    };
    const results: Result[] = [];
    for (const { name, question, calls } of casesAt(handshake.end)) {
      const lanes = { own: [] as number[], answer: [] as number[] };
      for (let round = 0; round < rounds + warmUp; round++) {
        const token = handshake.askers[Math.floor(sent++ / questionsOfOne)]!;
        let own = 0;
        for (const call of calls) own += await timed(call, token);
        const body = { clientRequest: question, conversationUUID: randomUUID(), clientOrganizationID: 0, timeZone: 'UTC' };
        const answer = await timed({ path: chat, body }, token);
        if (round < warmUp) continue;
        lanes.own.push(own);
        lanes.answer.push(answer);
      }
      const value = percentile(lanes.answer, 0.95);
      const limit = 2 * percentile(lanes.own, 0.95) + 50;
      results.push({ name: `sapphire.speed.${name}`, unit: 'ms', value, limit, ratio: value / limit });
    }
    return results;
  } finally {
    await stop();
  }
}
