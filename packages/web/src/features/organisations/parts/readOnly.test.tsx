import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { FormProvider, useForm } from 'react-hook-form';
import { expect, test } from 'vitest';
import { ReadOnlyContext } from '../../../kit/fields.tsx';
import { AccentInput } from './AccentInput.tsx';
import { AlertTypes } from './PlaybookTab.tsx';
import { SingleSignOn } from './SignInTab.tsx';

function Filled({ isReadOnly, values, children }: { isReadOnly: boolean; values: object; children: ReactNode }) {
  const form = useForm({ defaultValues: values });
  return (
    <FormProvider {...form}>
      <ReadOnlyContext value={isReadOnly}>{children}</ReadOnlyContext>
    </FormProvider>
  );
}
const markup = (isReadOnly: boolean, values: object, part: ReactNode) =>
  renderToStaticMarkup(
    <Filled isReadOnly={isReadOnly} values={values}>
      {part}
    </Filled>,
  );
const controls = /<(?:input|button|textarea)/;

test('renders the types of alerts as text to readers', () => {
  const values = { alertTypes: ['Malware', 'Phishing'] };
  expect(markup(false, values, <AlertTypes />)).toMatch(controls);
  const read = markup(true, values, <AlertTypes />);
  expect(read).toContain('Malware, Phishing');
  expect(read).not.toMatch(controls);
  expect(markup(true, { alertTypes: [] }, <AlertTypes />)).toContain('Not set');
});

test('renders single sign-on as text to readers, without its secret', () => {
  const values = { singleSignOn: { issuer: 'https://login.example', clientId: 'portal', clientSecret: 'hidden' } };
  expect(markup(false, values, <SingleSignOn hasSecret />)).toMatch(controls);
  const read = markup(true, values, <SingleSignOn hasSecret />);
  expect(read).toContain('https://login.example');
  expect(read).not.toContain('hidden');
  expect(read).not.toMatch(controls);
});

test('renders an accent colour as text to readers, with its preview', () => {
  const read = markup(true, { accentLight: '#0b6e99' }, <AccentInput name="accentLight" mode="light" />);
  expect(read).toContain('#0b6e99');
  expect(read).toContain('Contrast');
  expect(read).not.toMatch(controls);
});
