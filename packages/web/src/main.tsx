/** Starts the portal in the browser. React renders once there is a page to show: until then the splash of index.html stands, which costs nothing. */
import './lib/zodWithoutEval.ts';
import './app/theme/fonts.css';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { ready } from './app/ready.ts';
import { warmUp } from './app/router.ts';
import { loadBrand } from './lib/brand.ts';
import { receiveCaseLink } from './lib/caseLink.ts';
import { connectSession, session } from './lib/session.ts';
import { receiveSignOn, reportStepUp } from './lib/signOn.ts';
import { tokens } from './lib/tokens.ts';

if (!reportStepUp()) {
  receiveSignOn();
  receiveCaseLink();
  connectSession();
  const code = warmUp(tokens.stored() !== undefined);
  session.start();
  loadBrand();
  ready(code).then(() => {
    const root = createRoot(document.getElementById('root')!);
    // In one piece: slices leave time for input, and there is nothing to use yet.
    flushSync(() => root.render(<App />));
  });
}
