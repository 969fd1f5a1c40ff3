/** Live tail beside a search: new matches come first. A pause holds them back. */
import { type EventRow, eventsApi } from '@parapet/contract/events.ts';
import { useEffect, useState } from 'react';
import { follow, type StreamState } from '../../lib/stream.ts';
import type { EventSearch } from './eventSearch.ts';

/** Newest rows that are held. */
const maxRows = 200;
const batchMs = 400;
const none: readonly EventRow[] = [];

const held = (come: readonly EventRow[], before: readonly EventRow[]) => {
  const known = new Set(before.map(({ id }) => id));
  return [...come.filter(({ id }) => !known.has(id)).reverse(), ...before].slice(0, maxRows);
};

export function useLiveEvents(client: number, { search, text, device, user, field }: EventSearch, isOn: boolean) {
  const query = { search, text, device: device || undefined, user: user || undefined, field };
  const key = JSON.stringify([client, query, isOn]);
  const [shown, setShown] = useState({ key, rows: none });
  const [isPaused, setPaused] = useState(false);
  const [waiting, setWaiting] = useState({ key, rows: none });
  const [state, setState] = useState<StreamState | 'ended'>('connecting');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` is the input by value.
  useEffect(() => {
    if (!isOn) return;
    const end = new AbortController();
    let come: EventRow[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      timer = undefined;
      const batch = come;
      come = [];
      setWaiting((before) => ({ key, rows: held(batch, before.key === key ? before.rows : none) }));
    };
    follow(
      eventsApi.live,
      { params: { client }, query },
      {
        signal: end.signal,
        onState: setState,
        onEvent: (row) => {
          come.push(row);
          timer ??= setTimeout(settle, batchMs);
        },
      },
    ).then(
      () => setState('ended'),
      () => setState('ended'),
    );
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [key]);
  const come = waiting.key === key ? waiting.rows : none;
  if (!isPaused && come.length > 0) {
    setShown({ key, rows: held([...come].reverse(), shown.key === key ? shown.rows : none) });
    setWaiting({ key, rows: none });
  }
  return {
    rows: isOn && shown.key === key ? shown.rows : none,
    waiting: isOn ? come.length : 0,
    state,
    isPaused,
    toggle: () => setPaused(!isPaused),
  };
}
