/** Starts the portal in the browser. React renders once there is a page to show: until then the splash of index.html stands, which costs nothing. */
import './lib/zodWithoutEval.ts';
import './app/theme/fonts.css';
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
  // Rendered in one task, and its effects after the paint: `flushSync` would run them before.
  ready(code).then(() => createRoot(document.getElementById('root')!).render(<App />));
}
