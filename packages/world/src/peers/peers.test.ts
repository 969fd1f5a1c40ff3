import { expect, test } from 'vitest';
import { startDemoPeers } from './all.ts';

test('listens elsewhere for each kind whose port is taken', async () => {
  const first = await startDemoPeers(0);
  const ports = first.peers.map(({ url }) => Number(new URL(url).port));
  const second = await startDemoPeers(Math.min(...ports));
  const third = await startDemoPeers(Math.min(...ports));
  try {
    const all = [...first.peers, ...second.peers, ...third.peers].map(({ url }) => url);
    expect(new Set(all).size).toBe(all.length);
  } finally {
    await Promise.all([first, second, third].map(({ close }) => close()));
  }
});
