import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DecodedText, stepsText } from './DecodedText.tsx';

const encoded = (text: string): string => `powershell -enc ${Buffer.from(text, 'utf16le').toString('base64')}`;

test('shows the decoded text and its encodings', () => {
  const markup = renderToStaticMarkup(<DecodedText text={encoded('whoami /all')} />);
  expect(markup).toContain('Base64 (UTF-16LE)');
  expect(markup).toContain('powershell -enc whoami /all');
});

test('shows nothing for plain text', () => {
  expect(renderToStaticMarkup(<DecodedText text="powershell -File a.ps1" />)).toBe('');
});

test('escapes hostile text and shows its hidden characters', () => {
  const markup = renderToStaticMarkup(<DecodedText text={encoded('<img src=x onerror=alert(1)> a\u202eb')} />);
  expect(markup).not.toContain('<img');
  expect(markup).toContain('&lt;img');
  expect(markup).not.toContain('a\u202eb');
});

test('counts repeated encodings', () => {
  expect(stepsText(['Base64', 'Base64', 'gzip', 'Base64'])).toBe('Base64 ×2, gzip, Base64');
});
