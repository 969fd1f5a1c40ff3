/** Labels of Sigma's comparison modifiers. */
const words: Record<string, string> = {
  equals: 'is',
  contains: 'contains',
  startswith: 'starts with',
  endswith: 'ends with',
  re: 'matches',
  cidr: 'is in',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is more than',
  gte: 'is at least',
  neq: 'is not',
  exists: 'exists:',
  fieldref: 'equals the field',
  cased: '(same case)',
  windash: '(any dash)',
  base64: '(in Base64)',
  base64offset: '(in Base64)',
  wide: '(in UTF-16)',
  utf16: '(in UTF-16)',
  utf16le: '(in UTF-16)',
  utf16be: '(in UTF-16)',
};
const silent = new Set(['', 'all', 'i', 'm', 's', 'expand']);

/** Label of a chain of modifiers: "contains|all|windash" → "contains (any dash)". */
export function modifierText(modifier: string, isKeyword = false): string {
  const parts = modifier
    .toLowerCase()
    .split('|')
    .filter((part) => !silent.has(part))
    .map((part) => words[part] ?? part);
  const verbs = parts.filter((part) => !part.startsWith('('));
  const hints = parts.filter((part) => part.startsWith('('));
  return [...(verbs.length > 0 ? verbs : [isKeyword ? 'contains' : 'is']), ...new Set(hints)].join(' ');
}
