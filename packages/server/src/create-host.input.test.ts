import { expect, test } from 'vitest';
import { askForMissing, inputOf } from './create-host.input.ts';

const consoleWith = (answers: string[]) => {
  const [prompts, lines]: [string[], string[]] = [[], []];
  const prompt = async (question: string) => {
    prompts.push(question);
    return answers.shift() ?? '';
  };
  return { prompts, lines, prompt, write: (line: string) => lines.push(line) };
};

test('asks for missing values only, again after an invalid answer', async () => {
  const { prompts, lines, prompt, write } = consoleWith(['ada', 'ada@you.example', '  ', 'Your Security']);
  expect(await askForMissing({ name: 'Ada Byron' }, prompt, write)).toEqual({
    email: 'ada@you.example',
    name: 'Ada Byron',
    organisation: 'Your Security',
  });
  expect(prompts).toEqual([
    'Your email address: ',
    'Your email address: ',
    'Name of your organisation: ',
    'Name of your organisation: ',
  ]);
  expect(lines).toHaveLength(2);
});

test('refuses a given value before the first question', async () => {
  const { prompts, prompt, write } = consoleWith([]);
  await expect(askForMissing({ email: 'no address' }, prompt, write)).rejects.toThrow(/--email:.*\nUsage:/s);
  expect(prompts).toEqual([]);
});

test('requires an address and has defaults for names without a terminal', () => {
  expect(() => inputOf({})).toThrow('--email');
  expect(inputOf({ email: 'ada@you.example' })).toMatchObject({ name: 'First Host', organisation: 'Parapet Security' });
});
