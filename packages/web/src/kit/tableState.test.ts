import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultState, hiddenOf, isShown, parseState, readState, withHidden, writeState } from './tableState.ts';

const columns = [{ id: 'summary', isFixed: true }, { id: 'device' }, { id: 'technique', isHidden: true }];
const stored = (value: unknown) => parseState(JSON.stringify(value), columns);

describe('a table’s stored look', () => {
  it('survives a round trip', () => {
    const stored = new Map<string, string>();
    const storage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    };
    const state = { density: 'compact' as const, shown: { device: false, technique: true }, widths: { summary: 400 } };
    writeState('alerts', state, storage);
    expect(readState('alerts', columns, storage)).toEqual(state);
    expect(readState('cases', columns, storage)).toEqual(defaultState);
  });

  it.each([
    null,
    '',
    '{',
    'null',
    '[]',
    '7',
    '"text"',
    '{"density":{},"shown":[],"widths":"wide"}',
    '{"shown":{"__proto__":{"device":false}}}',
    `{"shown":{"device":${'9'.repeat(30_000)}}}`,
  ])('is the default when it is %j', (text) => {
    expect(parseState(text, columns)).toEqual(defaultState);
  });

  it('reads each part separately', () => {
    expect(
      stored({
        density: 'compact',
        shown: { device: 'no', gone: false, technique: true },
        widths: { device: Number.NaN, summary: 12 },
      }),
    ).toEqual({
      density: 'compact',
      shown: { technique: true },
      widths: { summary: 48 },
    });
    expect(stored({ widths: { device: 1e9 } }).widths).toEqual({ device: 1200 });
  });

  it('cannot hide a fixed column', () => {
    const state = stored({ shown: { summary: false, device: false } });
    expect(columns.filter((column) => isShown(state, column)).map((column) => column.id)).toEqual(['summary']);
  });

  it('reads any stored text without throwing', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { density, widths } = parseState(text, columns);
        expect(['compact', 'standard']).toContain(density);
        for (const width of Object.values(widths)) expect(width).toBeGreaterThanOrEqual(48);
      }),
    );
  });

  it('ignores a failing storage', () => {
    const refusing = {
      getItem: () => {
        throw new Error('SecurityError');
      },
      setItem: () => {
        throw new Error('QuotaExceededError');
      },
    };
    expect(readState('alerts', columns, refusing)).toEqual(defaultState);
    expect(() => writeState('alerts', defaultState, refusing)).not.toThrow();
  });
});

describe('hidden columns of a view', () => {
  it('returns the requested columns except fixed ones', () => {
    const state = withHidden({ ...defaultState, density: 'compact' }, columns, ['device', 'summary', 'no such column']);
    expect(hiddenOf(state, columns)).toEqual(['device']);
    expect(state.density).toBe('compact');
    // None hidden shows even what is hidden by default.
    expect(hiddenOf(withHidden(state, columns, []), columns)).toEqual([]);
  });

  it('leave nothing stored where they are the default', () => {
    expect(hiddenOf(defaultState, columns)).toEqual(['technique']);
    expect(withHidden(defaultState, columns, ['technique'])).toEqual(defaultState);
  });
});
