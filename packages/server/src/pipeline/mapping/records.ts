/** Records of a JSON body: an object, a list, a list inside an object, or one object per line. */
import { type FieldPath, shownPath, valueAt } from '@parapet/contract/rules/eventMapping.ts';

/** A part of a body: a record, or something that is none, with its text. */
export type BodyRecord = { value: unknown } | { fault: string; raw: string };

/** The body as a whole can’t be read; the message is for its sender. */
export class UnreadableBody extends Error {}

/**
 * @param path steps to the list of records in an object
 * @throws {UnreadableBody} for a body of another form
 */
export function recordsIn(body: string, path: FieldPath): Iterable<BodyRecord> {
  const text = body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
  if (text.trim() === '') throw new UnreadableBody('The body is empty.');
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch (error) {
    const lines = linesOf(text);
    if (lines !== undefined) return lines;
    throw new UnreadableBody(`The body is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  return recordsOf(whole, path);
}

function recordsOf(whole: unknown, path: FieldPath): BodyRecord[] {
  if (Array.isArray(whole)) return whole.map((value) => ({ value }));
  if (typeof whole !== 'object' || whole === null) throw new UnreadableBody('The body is neither an object nor a list.');
  if (path.length === 0) return [{ value: whole }];
  const found = valueAt(whole, path);
  if (Array.isArray(found)) return found.map((value) => ({ value }));
  if (typeof found === 'object' && found !== null) return [{ value: found }];
  throw new UnreadableBody(`The body has no records at ${shownPath(path)}.`);
}

/** Lines of JSON; undefined when the first line with text is none, as of a broken object over several lines. */
function linesOf(text: string): Iterable<BodyRecord> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2 || !('value' in parsed(lines[0]!))) return undefined;
  return (function* () {
    for (const line of lines) yield parsed(line);
  })();
}

function parsed(line: string): BodyRecord {
  try {
    return { value: JSON.parse(line) };
  } catch (error) {
    return { fault: `This line is not JSON: ${(error as Error).message.slice(0, 200)}`, raw: line };
  }
}
