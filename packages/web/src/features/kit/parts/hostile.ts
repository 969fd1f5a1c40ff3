/** Texts as the world sends them: long, empty, right to left, combining, invisible, markup. */
export const hostile = [
  'A name of two hundred characters '.repeat(7).slice(0, 200),
  'شركة الأمن السيبراني',
  'Zalgo t̷͓̀ë̵́x̶̱̏t',
  'Invoice\u202Efdp.exe',
  '👩🏽‍💻🛡️ Emoji GmbH',
  '<img src=x onerror=alert(1)>',
  'zero\u200Bwidth\u00A0space',
  '株式会社セキュリティ',
];
