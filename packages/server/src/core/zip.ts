import { Zip, ZipPassThrough } from 'fflate';

/** Stores already compressed files one at a time, without further compression. */
export async function* zipped(files: AsyncIterable<{ name: string; bytes: Uint8Array }>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const take = () => {
    const chunks = ready;
    ready = [];
    return chunks;
  };
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
  });
  for await (const { name, bytes } of files) {
    const entry = new ZipPassThrough(name);
    zip.add(entry);
    entry.push(bytes, true);
    yield* take();
  }
  zip.end();
  yield* take();
}
