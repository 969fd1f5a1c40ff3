/** The web's build. The sign-in page must stay small (goal G13): pages load on navigation, the contract without its schemas. */
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunkGroups } from './chunks.ts';
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

/** Names the files of the grid, which lists fetch before they run it (src/kit/loadGrid.ts). */
const nameGrid: Plugin = {
  name: 'parapet:name-grid',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) => {
      const grid = Object.values(bundle ?? {}).find((file) => file.type === 'chunk' && file.name === 'TableGrid');
      if (grid?.type !== 'chunk') return [];
      const files = [grid.fileName, ...grid.imports].map((name) => `/${name}`);
      return [{ tag: 'meta', attrs: { name: 'grid', content: files.join(' ') }, injectTo: 'head' as const }];
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadFont, nameGrid, slimContract],
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
