import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { useForm } from 'react-hook-form';
import { expect, test } from 'vitest';
import { Form } from './Form.tsx';
import { CheckInput, SelectInput, TextInput } from './fields.tsx';

const values = { name: 'Harbor <b>', note: '', kind: 2, isOn: true, isOff: false, secret: 'swordfish' };

function Sample({ refusal, children }: { refusal?: string | undefined; children: ReactNode }) {
  const form = useForm({ defaultValues: values });
  return (
    <Form form={form} label="Sample" refusal={refusal} onSave={async () => {}}>
      {children}
    </Form>
  );
}

const inputs = (
  <>
    <TextInput name="name" label="Name" hint="As on invoices" />
    <TextInput name="note" label="Note" lines={3} />
    <SelectInput
      name="kind"
      label="Kind"
      choices={[
        { value: 1, label: 'Client' },
        { value: 2, label: 'Partner' },
      ]}
    />
    <CheckInput name="isOn" label="Active" />
    <CheckInput name="isOff" label="Archived" />
  </>
);
const markupOf = (children: ReactNode, refusal?: string) => renderToStaticMarkup(<Sample refusal={refusal}>{children}</Sample>);
/** Labels and values of the fields shown as text. */
const shown = (markup: string) =>
  [...markup.matchAll(/<span id="([^"]*)" class="label">([^<]*)<\/span><div class="value">(.*?)<\/div>/g)].map(
    ([, id, label, value = '']) => {
      expect(markup).toContain(`role="group" aria-labelledby="${id}"`);
      return [label, value.replaceAll(/<\/?bdi>/g, '')];
    },
  );

test('shows values of a read-only form as text, with the reason and without Save', () => {
  const markup = markupOf(inputs, 'Your role can read these details but not change them.');
  expect(shown(markup)).toEqual([
    ['Name', 'Harbor &lt;b&gt;'],
    ['Note', 'Not set'],
    ['Kind', 'Partner'],
    ['Active', 'Yes'],
    ['Archived', 'No'],
  ]);
  expect(markup).toContain('Your role can read these details but not change them.');
  expect(markup).toContain('<span class="hint">As on invoices</span>');
  expect(markup).not.toMatch(/<input|<textarea|<select|<button/);
});

test('shows inputs to those who may change them', () => {
  const markup = markupOf(inputs);
  expect(shown(markup)).toEqual([]);
  expect(markup.match(/<input|<textarea(?! aria-hidden)/g)!.length).toBeGreaterThanOrEqual(5);
  expect(markup).toContain('Save');
});

test('shows a single field as text, and the others as inputs', () => {
  const markup = markupOf(
    <>
      <TextInput name="name" label="Name" isReadOnly hint="Set by your provider" />
      <TextInput name="note" label="Note" />
    </>,
  );
  expect(shown(markup)).toEqual([['Name', 'Harbor &lt;b&gt;']]);
  expect(markup).toContain('Save');
});

test('shows no password as text', () => {
  const markup = markupOf(<TextInput name="secret" label="Secret" type="password" />, 'No.');
  expect(shown(markup)).toEqual([]);
  expect(markup).toMatch(/<input[^>]*type="password"/);
  expect(markup).toMatch(/<input[^>]*readOnly=""/i);
});

test('marks hidden characters of a value', () => {
  function Hostile() {
    const form = useForm({ defaultValues: { name: 'a\u202eb' } });
    return (
      <Form form={form} label="Hostile" refusal="No." onSave={async () => {}}>
        <TextInput name="name" label="Name" />
      </Form>
    );
  }
  expect(renderToStaticMarkup(<Hostile />)).not.toContain('a\u202eb');
});
