/**
 * Decoded text of commands and scripts, beside the original: rules are tried on both. Only the pipeline writes these fields; the same name from
 * a shipper is removed.
 */
import { decode } from '@parapet/contract/rules/decode/decode.ts';
import type { Document } from '../event.ts';
import { first, isObject } from './doc.ts';

export function fillDecoded({ process, powershell }: Document): void {
  if (isObject(process)) put(process, 'decoded_command_line', commandOf(process));
  const file = isObject(powershell) ? powershell.file : undefined;
  if (isObject(file)) put(file, 'decoded_script_block_text', file.script_block_text);
}

function commandOf({ command_line, title, args }: Document): unknown {
  const whole = first(command_line) ?? first(title);
  if (whole !== undefined || !Array.isArray(args)) return whole;
  return args.filter((part) => typeof part === 'string').join(' ');
}

function put(target: Document, key: string, original: unknown): void {
  const decoded = typeof original === 'string' ? decode(original) : undefined;
  if (decoded) target[key] = decoded.text;
  else if (key in target) delete target[key];
}
