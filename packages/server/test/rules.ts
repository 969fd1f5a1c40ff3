/** The product’s rules, read and compiled once in a process: 6 s of CPU, 2 from parsed documents. */
import { fileURLToPath } from 'node:url';
import { readBuiltIn } from '../src/pipeline/detector.ts';

const detections = fileURLToPath(new URL('../../../detections', import.meta.url));
/** Parsed documents, for all processes and runs of tests. */
const cacheDir = fileURLToPath(new URL('../../../node_modules/.cache/parapet', import.meta.url));
const builtIn = new Map<string, ReturnType<typeof readBuiltIn>>();

/** @param folder with rules that no longer change */
export function builtInOf(folder = detections): ReturnType<typeof readBuiltIn> {
  const rules = builtIn.get(folder) ?? readBuiltIn(folder, folder === detections ? cacheDir : undefined);
  builtIn.set(folder, rules);
  return rules;
}
