/** Files of a pack. */

export const manifestName = 'manifest.json';
/** Hex of the signature over the bytes of the manifest. */
export const signatureName = 'manifest.json.sig';

export interface PackFile {
  path: string;
  bytes: Uint8Array;
}

export interface Archive {
  /** YAML files below the folder, in order of their paths. */
  rules: PackFile[];
  manifest?: Uint8Array;
  signature?: Uint8Array;
}

/** An archive that cannot be read; the message is for the person who sent it. */
export class ArchiveError extends Error {}
