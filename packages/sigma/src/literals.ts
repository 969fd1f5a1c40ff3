/** Texts that a value must have, as the candidate index searches them. */

/** `beyond`: any text with a character beyond ASCII; its own text is empty. */
export type Place = 'exact' | 'prefix' | 'suffix' | 'within' | 'beyond';

export interface RequiredLiteral {
  /** null: anywhere in the event. */
  field: string | null;
  place: Place;
  /** Folded. */
  text: string;
  /** The text stands for a number, whose other spellings (`07`, `7.0`) count too. */
  isNumber: boolean;
}

/** Texts that events of most logs hold, folded. */
export const everyday =
  ' c:\\windows\\system32\\ c:\\windows\\syswow64\\ "c:\\program files (x86)\\microsoft\\ c:\\programdata\\ c:\\users\\ \\appdata\\local\\temp\\ ' +
  '.exe" .dll .com .org .ps1 /usr/bin/ /usr/sbin/ /usr/lib/ /etc/ /var/log/ /bin/sh -c http://www. https:// hklm\\software\\ hklm\\system\\ ' +
  'hkcu\\software\\microsoft\\windows\\currentversion\\ currentcontrolset\\services\\ powershell.exe cmd.exe /c /k svchost.exe explorer.exe ' +
  'services.exe rundll32.exe nt authority\\system admin true false null 2000 0000 0x10 --';

/** Clause of texts of which one occurs anywhere in the field. */
export const within = (field: string | null, texts: readonly string[]): RequiredLiteral[] =>
  texts.map((text) => ({ field, place: 'within', text, isNumber: false }));
