/** The moment of the first rendering: splash, frame and page one after the other would take a slow machine a third longer. */
import { brandState, onBrand } from '../lib/brand.ts';
import { session } from '../lib/session.ts';
import { router } from './router.ts';

/** Milliseconds after the token check at which the frame is rendered without its page, whose code has not come. */
const longestMs = 3_000;

/** Fulfils once the token is checked and the brand read. */
const checked = (): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (session.state().status === 'checking' || brandState().status === 'loading') return;
      for (const stop of stops) stop();
      resolve();
    };
    const stops = [session.subscribe(look), onBrand(look)];
    look();
  });

/** Fulfils when the page of the address can be rendered, or the failure of the check. `code`: fulfilled when the page’s loader is there. */
export async function ready(code: Promise<void>): Promise<void> {
  await checked();
  if (session.state().status === 'failed' || brandState().status === 'failed') return;
  const loaded = code.then(() => router.load()).catch(() => {});
  await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, longestMs))]);
}
