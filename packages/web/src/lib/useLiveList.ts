/**
 * Follows a live stream beside a list. Events are batched, so that a burst of thousands renders a few times a second. Rows are updated in
 * place and never move: new ones are counted until the reader loads them.
 */
import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { follow, type StreamState } from './stream.ts';

/** The bar shows "999+" beyond this count; no further ids are stored. */
const maxNew = 999;
const none: ReadonlySet<number> = new Set();

interface LiveList<E extends Endpoint> {
  endpoint: E;
  input: InputOf<E>;
  /** Identity of the list. Another one restarts the count. */
  listName: string;
  /** The rows on the screen; undefined while the list loads. */
  rows: readonly { id: number }[] | undefined;
  /** Pause in which events are gathered, in ms. */
  batchMs: number;
  /** Updates the rows for a batch and returns the ids of new ones; `known` are the visible and the counted ids. */
  apply: (events: AnswerOf<E>[], known: ReadonlySet<number>, signal: AbortSignal) => Iterable<number> | Promise<Iterable<number>>;
  /** Ids of the endpoints whose queries are invalidated when the new rows are loaded. */
  stale: readonly string[];
}

export function useLiveList<E extends Endpoint>(list: LiveList<E>) {
  const queries = useQueryClient();
  const [waiting, setWaiting] = useState(none);
  const [fresh, setFresh] = useState(none);
  const [state, setState] = useState<StreamState | 'ended'>('connecting');
  const { endpoint, input, listName, rows } = list;
  const latest = useRef({ ...list, waiting });
  useEffect(() => {
    latest.current = { ...list, waiting };
  });

  const [counted, setCounted] = useState(listName);
  if (counted !== listName) {
    setCounted(listName);
    setWaiting(none);
    setFresh(none);
  }
  // A row that a refetch brought onto the screen is no longer new.
  if (rows && waiting.size > 0 && rows.some((row) => waiting.has(row.id))) {
    const shown = new Set(rows.map((row) => row.id));
    setWaiting(new Set([...waiting].filter((id) => !shown.has(id))));
  }

  const streamKey = JSON.stringify(input);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `streamKey` is the input by value.
  useEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    let events: AnswerOf<E>[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = async () => {
      const batch = events;
      events = [];
      try {
        const { apply, rows = [], waiting } = latest.current;
        const ids = [...(await apply(batch, new Set([...waiting, ...rows.map((row) => row.id)]), signal))];
        if (ids.length > 0 && !signal.aborted) {
          setWaiting((before) => (before.size > maxNew ? before : new Set([...before, ...ids])));
        }
      } catch (error) {
        // The next event, or the reader, loads the rows again.
        if (!signal.aborted) console.warn('Couldn’t apply live updates.', error);
      }
      timer = events.length > 0 && !signal.aborted ? setTimeout(() => void settle(), latest.current.batchMs) : undefined;
    };
    follow(endpoint, input, {
      signal,
      onState: setState,
      onEvent: (event) => {
        events.push(event);
        timer ??= setTimeout(() => void settle(), latest.current.batchMs);
      },
    }).then(
      () => setState('ended'),
      () => setState('ended'),
    );
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [endpoint, streamKey]);

  /** Clears the count; the counted rows are marked when they are loaded. */
  const show = useCallback(() => {
    setFresh(latest.current.waiting);
    setWaiting(none);
    for (const id of latest.current.stale) void queries.invalidateQueries({ queryKey: [id] });
  }, [queries]);

  return { newCount: waiting.size, fresh, state, show };
}
