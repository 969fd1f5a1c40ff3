import { expect, test } from 'vitest';
import { askForMissing, inputOf } from './create-host.input.ts';

const asking = (answers: string[]) => {
  const [asked, told]: [string[], string[]] = [[], []];
  const ask = async (question: string) => {
    asked.push(question);
    return answers.shift() ?? '';
  };
  return { asked, told, ask, tell: (line: string) => told.push(line) };
};

test('asks for missing values only, again after an invalid answer', async () => {
  const { asked, told, ask, tell } = asking(['ada', 'ada@you.example', '  ', 'Your Security']);
  expect(await askForMissing({ name: 'Ada Byron' }, ask, tell)).toEqual({
    email: 'ada@you.example',
    name: 'Ada Byron',
    organisation: 'Your Security',
  });
  expect(asked).toEqual([
    'Your email address: ',
    'Your email address: ',
    'Name of your organisation: ',
    'Name of your organisation: ',
  ]);
  expect(told).toHaveLength(2);
});

test('refuses a given value before the first question', async () => {
  const { asked, ask, tell } = asking([]);
  await expect(askForMissing({ email: 'no address' }, ask, tell)).rejects.toThrow(/--email:.*\nUsage:/s);
  expect(asked).toEqual([]);
});

test('requires an address and has defaults for names without a terminal', () => {
  expect(() => inputOf({})).toThrow('--email');
  expect(inputOf({ email: 'ada@you.example' })).toMatchObject({ name: 'First Host', organisation: 'Parapet Security' });
});
