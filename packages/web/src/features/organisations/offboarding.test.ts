import { expect, test } from 'vitest';
import { agentsText } from './offboarding.ts';

test.each([
  [{ working: 0, told: 0, left: 0 }, 'No agents are enrolled.'],
  [{ working: 2, told: 0, left: 0 }, '2 agents not notified yet.'],
  [{ working: 0, told: 1, left: 3 }, '1 agent notified, removal pending, 3 agents removed.'],
])('%o reads %s', (agents, text) => {
  expect(agentsText(agents)).toBe(text);
});
