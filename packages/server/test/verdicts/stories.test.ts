import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '../app.ts';
import { readStories, type SentStory, sendStory } from './stories.ts';

const stories = readStories();
const sent = new Map<string, SentStory>();
const t = useTestApp({ PORTAL_ROLES: 'api,ingest,worker' });
beforeAll(async () => {
  // Two at a time, as the machine that runs the tests has two processors.
  const waiting = [...stories];
  const next = async (): Promise<void> => {
    for (let story = waiting.shift(); story; story = waiting.shift()) sent.set(story.name, await sendStory(t, story));
  };
  await Promise.all([next(), next()]);
}, 240_000);

const named = (label: string) => stories.filter((story) => story.label === label).map(({ name }) => name);

test('five intrusions and five noisy days are told', () => {
  expect([named('malicious').length, named('benign').length]).toEqual([5, 5]);
});

describe.each(named('malicious'))('%s', (name) => {
  test('raises at least 50 alerts, of one event each', () => {
    expect(sent.get(name)!.alerts).toBeGreaterThanOrEqual(50);
  });

  test('makes at most 3 cases', () => {
    const { cases } = sent.get(name)!;
    expect(cases.length).toBeGreaterThanOrEqual(1);
    expect(cases.length, cases.map(({ title }) => title).join('\n')).toBeLessThanOrEqual(3);
  });

  test('leads to the verdict Malicious', () => {
    expect(sent.get(name)!.cases[0]).toMatchObject({ verdict: 'Malicious' });
  });
});

describe.each(named('benign'))('%s', (name) => {
  test('opens no case, or only cases judged benign', () => {
    const doubted = sent.get(name)!.cases.filter(({ verdict }) => verdict !== 'Benign' && verdict !== 'Likely Benign');
    expect(doubted).toEqual([]);
  });
});
