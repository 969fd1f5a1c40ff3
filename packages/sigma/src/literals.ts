/** Texts that a value must have, as the candidate index searches them. */

export type Place = 'exact' | 'prefix' | 'suffix' | 'within';

export interface RequiredLiteral {
  /** null: anywhere in the event. */
  field: string | null;
  place: Place;
  /** Folded. */
  text: string;
  /** The text stands for a number, whose other spellings (`07`, `7.0`) count too. */
  isNumber: boolean;
}

/** Clause of texts of which one occurs anywhere in the field. */
export const within = (field: string | null, texts: readonly string[]): RequiredLiteral[] =>
  texts.map((text) => ({ field, place: 'within', text, isNumber: false }));
