/** Ids of events as 16 bytes each, in the order of a block. */
export const idBytes = (id: string): Buffer => {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  if (bytes.length !== 16) throw new RangeError(`${id.slice(0, 50)} is no id of an event.`);
  return bytes;
};

export const idsOf = (events: readonly { id: string }[]): Buffer => Buffer.concat(events.map(({ id }) => idBytes(id)));

export function idAt(ids: Buffer, index: number): string {
  const hex = ids.toString('hex', index * 16, index * 16 + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
