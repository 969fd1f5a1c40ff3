/** The form of a sealed value: format and version, the id of its data key (4 bytes), then nonce, tag and ciphertext. */
const format = Buffer.from('pk2:');
export const headerLength = format.length + 4;
const shortest = headerLength + 28;

export const isSealed = (value: Buffer): boolean => value.length >= shortest && value.subarray(0, format.length).equals(format);

export const dataKeyIdOf = (sealed: Buffer): number => sealed.readUInt32BE(format.length);

export function headerOf(dataKeyId: number): Buffer {
  const header = Buffer.alloc(headerLength);
  format.copy(header);
  header.writeUInt32BE(dataKeyId, format.length);
  return header;
}
