/** The web's build. The sign-in page must stay small (goal G13): pages load on navigation, the contract without its schemas. */
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunkGroups } from './chunks.ts';
import { pageFiles } from './pageFiles.ts';
import { slimContract } from './slimContract.ts';

/** Preloads the font that every page needs, before the styles are parsed. */
const preloadFont: Plugin = {
  name: 'parapet:preload-font',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((name) => name.includes('inter-latin-wght-normal'))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${name}`, crossorigin: '' },
          injectTo: 'head' as const,
        })),
  },
};

/** Names the files that are fetched before they run: the grid's, by lists (src/kit/loadGrid.ts), the shell's and the page's (public/scheme.js). */
const nameFiles: Plugin = {
  name: 'parapet:name-files',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) => [
      ...['TableGrid', 'Shell'].flatMap((name) => {
        const chunk = Object.values(bundle ?? {}).find((file) => file.type === 'chunk' && file.name === name);
        if (chunk?.type !== 'chunk') return [];
        const content = [chunk.fileName, ...chunk.imports].map((file) => `/${file}`).join(' ');
        return { tag: 'meta', attrs: { name: name === 'Shell' ? 'shell' : 'grid', content }, injectTo: 'head-prepend' as const };
      }),
      // The server fills it in by the address (pageFiles.ts).
      ...(bundle ? [{ tag: 'meta', attrs: { name: 'page', content: '__page__' }, injectTo: 'head-prepend' as const }] : []),
    ],
  },
};

/**
 * Lets the browser compile the scripts beside their download, not function by function on the main thread during the first rendering, of which it takes
 * a quarter. A comment that must open the file: https://v8.dev/blog/explicit-compile-hints. Other browsers ignore it.
 */
const compileAhead: Plugin = {
  name: 'parapet:compile-ahead',
  generateBundle: {
    order: 'post',
    handler: (_options, bundle) => {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk') file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadFont, nameFiles, slimContract, compileAhead, pageFiles],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    // Its polyfill would be an inline script of our own making; every browser we support preloads modules itself.
    modulePreload: { polyfill: false },
    // Files are watched as they are sent, packed (bench, pages.chunk).
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups() } } },
  },
  server: { port: 5173, strictPort: true, proxy: { '/api': 'http://127.0.0.1:8080', '/logos': 'http://127.0.0.1:8080' } },
});
