import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Practices } from './Practices.tsx';

const practice = (id: string, isChecked: boolean) => ({
  id,
  isChecked,
  name: `Practice ${id}`,
  explanation: 'A reason.',
  nistControlID: 'PR.AA-01',
  nistControlName: 'Identities',
});
const markup = (canEdit: boolean) =>
  renderToStaticMarkup(
    <Practices
      practices={[practice('a', true), practice('b', false)] as never}
      preview={{ changedPractices: [] } as never}
      canEdit={canEdit}
      isSaving={false}
      onCheck={() => {}}
      onUndo={() => {}}
      onSave={() => {}}
    />,
  );

test('renders checkboxes for those who may change the practices', () => {
  expect(markup(true).match(/type="checkbox"/g)).toHaveLength(2);
});

test('renders the state as text for readers, without controls', () => {
  const read = markup(false);
  expect(read).not.toMatch(/<input|<button/);
  expect(read).toContain('<title>Done</title>');
  expect(read).toContain('<title>Not done</title>');
});
