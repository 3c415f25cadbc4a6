/** Vite configuration of the console: a React build with content hashes in the file names. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that a proxy may serve the console below a path.
  base: './',
  plugins: [react()],
  build: {
    outDir: 'built',
    emptyOutDir: true,
    // Inlined files would need exceptions in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // build.mjs reports the result.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  // `npx vite console` serves the sources with hot reload and the data of a service on the default port.
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
