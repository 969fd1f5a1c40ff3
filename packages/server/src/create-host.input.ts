/** Input of `create-host`: from the command line, and at a terminal from questions. */
import { z } from 'zod';

const usage = 'Usage: npm run -s create-host -- --email <address> [--name "First Last"] [--organisation "Name"]';
const text = z.string().trim().min(1).max(200);
const schemas = { email: z.email().max(254), name: text, organisation: text };
const input = z.object({
  email: schemas.email,
  name: schemas.name.default('First Host'),
  organisation: schemas.organisation.default('Parapet Security'),
});
export type HostInput = z.infer<typeof input>;
export type GivenInput = { [Field in keyof HostInput]?: string | undefined };

const questions: readonly [keyof HostInput, string][] = [
  ['email', 'Your email address: '],
  ['name', 'Your first and last name: '],
  ['organisation', 'Name of your organisation: '],
];

/** Throws the faults and the usage. */
export function inputOf(given: GivenInput): HostInput {
  const parsed = input.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new Error(
    `${parsed.error.issues.map((issue) => `--${issue.path[0]?.toString()}: ${issue.message}`).join('\n')}\n${usage}`,
  );
}

/** Asks for each missing value until it is valid. Given values are checked first. */
export async function askForMissing(
  given: GivenInput,
  prompt: (question: string) => Promise<string>,
  write: (line: string) => void,
): Promise<HostInput> {
  inputOf({ email: 'host@example.com', ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) });
  const values: GivenInput = { ...given };
  for (const [field, question] of questions) {
    while (values[field] === undefined) {
      const parsed = schemas[field].safeParse(await prompt(question));
      if (parsed.success) values[field] = parsed.data;
      else write(parsed.error.issues.map(({ message }) => message).join('\n'));
    }
  }
  return inputOf(values);
}
