/** Parsed rule documents on disk. Reading YAML takes most of the time that loading rules takes; processes and later starts share it. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { type ReadDocument, readDocuments } from '@parapet/sigma/tree.ts';
import { shouldYield, yieldToEventLoop } from '../core/yielding.ts';

export interface RuleCache {
  /** Parses texts ahead, with a pause after each slice for other work of the process. */
  prepare(texts: readonly string[]): Promise<void>;
  documentsOf(text: string): ReadDocument[];
  /** Writes the documents in use, if they differ from those on disk. A folder that cannot be written costs time only. */
  save(): Promise<void>;
}

type Documents = Map<string, ReadDocument[]>;

const hashOf = (...texts: string[]): string => createHash('sha256').update(texts.join('\0')).digest('base64url');

/** Version of the trees: of the reader, its library and the format of V8. */
async function readerVersion(): Promise<string> {
  const reader = fileURLToPath(import.meta.resolve('@parapet/sigma/tree.ts'));
  const { version } = createRequire(reader)('yaml/package.json') as { version: string };
  return hashOf(await readFile(reader, 'utf8'), version, process.version);
}

async function readStored(file: string, version: string): Promise<Documents> {
  try {
    const stored = deserialize(await readFile(file)) as { version: string; documents: Documents };
    if (stored.version === version) return stored.documents;
  } catch {
    // Missing, or damaged: read again.
  }
  return new Map();
}

/** Cache of the rules of one folder. */
export async function openRuleCache(folder: string, rulesDir: string): Promise<RuleCache> {
  const file = join(folder, `rules-${hashOf(rulesDir)}.v8`);
  const version = await readerVersion();
  const stored = await readStored(file, version);
  const used: Documents = new Map();
  let isNew = false;
  const documentsOf = (text: string): ReadDocument[] => {
    const key = hashOf(text);
    const cached = used.get(key);
    if (cached) return cached;
    const known = stored.get(key);
    const documents = known ?? readDocuments(text);
    // Errors are not data: a faulty file is read at every start.
    if (documents.every((document) => 'tree' in document)) {
      used.set(key, documents);
      isNew ||= known === undefined;
    }
    return documents;
  };
  return {
    documentsOf,
    async prepare(texts) {
      for (const text of texts) {
        documentsOf(text);
        if (shouldYield()) await yieldToEventLoop();
      }
    },
    async save() {
      if (!isNew && used.size === stored.size) return;
      const part = `${file}.${process.pid}`;
      try {
        await mkdir(folder, { recursive: true });
        await writeFile(part, serialize({ version, documents: used }));
        await rename(part, file);
      } catch {
        // Read-only folder: the next start reads the rules again.
      }
    },
  };
}
