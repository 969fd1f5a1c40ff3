import { describe, expect, test } from 'vitest';
import { clientOf, intentsOf, wizardChecks, wizardDefaults, wizardField } from './newClient.ts';

const values = (change: (values: ReturnType<typeof wizardDefaults>) => void = () => {}) => {
  const filled = structuredClone(wizardDefaults(7));
  filled.general.name = 'Coral Foods';
  change(filled);
  return filled;
};

describe('the input of the call', () => {
  test('leaves empty parts for later', () => {
    expect(clientOf(values())).toMatchObject({ contact: null, administrator: null, escalationEmailAddresses: [] });
    expect(wizardChecks().safeParse(values()).success).toBe(true);
  });

  test('takes addresses by comma, semicolon, space and line', () => {
    const given = values((each) => {
      each.escalationEmailAddresses = ' a@coral.example, b@coral.example;c@coral.example\nd@coral.example ';
    });
    expect(clientOf(given).escalationEmailAddresses).toEqual(['a', 'b', 'c', 'd'].map((name) => `${name}@coral.example`));
  });
});

test('errors stand at fields of the wizard', () => {
  const given = values((each) => {
    each.general.name = '';
    each.escalationEmailAddresses = 'nobody';
    each.administrator.firstName = 'Ana';
  });
  const pathsOf = (fields?: string[]) => {
    const checked = wizardChecks(fields).safeParse(given);
    return checked.success ? [] : [...new Set(checked.error.issues.map(({ path }) => path.join('.')))].sort();
  };
  const people = ['administrator.emailAddress', 'administrator.lastName', 'escalationEmailAddresses'];
  expect(pathsOf()).toEqual([...people, 'general.name']);
  expect(pathsOf(['general'])).toEqual(['general.name']);
  expect(pathsOf(['administrator', 'escalationEmailAddresses'])).toEqual(people);
  expect(wizardField('body.clients.0.administrator.emailAddress')).toBe('administrator.emailAddress');
  expect(wizardField('clients.0.escalationEmailAddresses.2')).toBe('escalationEmailAddresses');
});

test('the intents tell who is written to', () => {
  const client = clientOf(
    values((each) => {
      each.administrator = { firstName: 'Ana', lastName: 'Diaz', emailAddress: 'ana@coral.example' };
    }),
  );
  expect(intentsOf(client)[0]).toContain('ana@coral.example');
  expect(intentsOf(clientOf(values()))[0]).toContain('No invitations yet');
});
