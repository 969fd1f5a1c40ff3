import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { prerenderToNodeStream } from 'react-dom/static';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CodeNotFetched, fetchCode } from './fetchCode.ts';
import { FailedPanel, lazyPanel } from './LazyPanel.tsx';
import { type FailedPartProps, lazyPart } from './lazyPart.tsx';

const isPortalUp = vi.fn<() => boolean>();
beforeEach(() => {
  isPortalUp.mockReturnValue(true);
  vi.stubGlobal('fetch', async () => {
    if (!isPortalUp()) throw new TypeError('Failed to fetch');
    return new Response('ok');
  });
});
afterEach(() => vi.unstubAllGlobals());

interface Props {
  name: string;
}
const Greeting = ({ name }: Props) => <p>Hello {name}</p>;

async function markupOf(part: ReactElement): Promise<string> {
  const { prelude } = await prerenderToNodeStream(part);
  let markup = '';
  for await (const piece of prelude) markup += piece;
  return markup.replaceAll('<!-- -->', '');
}

test('renders the part with its props, fetched once', async () => {
  const load = vi.fn(async () => Greeting);
  const Part = lazyPart<Props>(load, () => null);
  expect(await markupOf(<Part name="Ada" />)).toContain('<p>Hello Ada</p>');
  expect(await markupOf(<Part name="Bob" />)).toContain('<p>Hello Bob</p>');
  expect(load).toHaveBeenCalledTimes(1);
});

test('renders the failure in the place of the part, and fetches again by retry', async () => {
  const load = vi.fn(async () => Greeting).mockRejectedValueOnce(new TypeError('404'));
  let failed: FailedPartProps<Props> | undefined;
  const Part = lazyPart<Props>(load, (props) => {
    failed = props;
    return <p>Failed for {props.props.name}</p>;
  });
  expect(await markupOf(<Part name="Ada" />)).toContain('Failed for Ada');
  expect(failed).toMatchObject({ isRepeated: false, error: { isReachable: true } });
  failed!.onRetry();
  expect(await markupOf(<Part name="Ada" />)).toContain('Hello Ada');
});

test('throws what the part throws while it renders', async () => {
  const Broken = () => {
    throw new Error('broken');
  };
  const Part = lazyPart(
    async () => Broken,
    () => null,
  );
  await expect(prerenderToNodeStream(<Part />, { onError: () => {} })).rejects.toThrow('broken');
});

test('offers Retry in a panel that failed', async () => {
  const Panel = lazyPanel<Props>('the timeline', () => Promise.reject(new TypeError('404')));
  const markup = await markupOf(<Panel name="Ada" />);
  expect(markup).toContain('Couldn’t load the timeline.');
  expect(markup).toMatch(/<button[^>]*>Retry/);
});

test('offers a reload after a retry failed while the portal responds', () => {
  const failed = { props: {}, isRepeated: true, onRetry: () => {} };
  const markup = (isReachable: boolean) =>
    renderToStaticMarkup(<FailedPanel what="the timeline" {...failed} error={new CodeNotFetched(isReachable)} />);
  expect(markup(true)).toContain('Reload page');
  expect(markup(false)).toContain('Retry');
});

test('states in the error whether the portal can be reached', async () => {
  const missing = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
  await expect(fetchCode(missing)).rejects.toMatchObject({ isReachable: true });
  isPortalUp.mockReturnValue(false);
  await expect(fetchCode(missing)).rejects.toBeInstanceOf(CodeNotFetched);
  await expect(fetchCode(missing)).rejects.toMatchObject({ isReachable: false });
});

test('begins no import offline, unless the portal responds all the same', async () => {
  vi.stubGlobal('navigator', { onLine: false });
  const load = vi.fn(async () => Greeting);
  expect(await fetchCode(load)).toBe(Greeting);
  isPortalUp.mockReturnValue(false);
  await expect(fetchCode(load)).rejects.toMatchObject({ isReachable: false });
  expect(load).toHaveBeenCalledTimes(1);
});
