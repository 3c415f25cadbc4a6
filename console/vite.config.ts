/**
 * How the console's pages are built: React, into a folder that git ignores, with names that change when
 * contents do.
 */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the service may stand below a path of a proxy.
  base: './',
  plugins: [react()],
  build: {
    outDir: 'built',
    emptyOutDir: true,
    // Inlined files would need exceptions in the policy of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Said by build.mjs.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  // `npx vite console`: pages that follow every change of the source, with the data of a service on the usual
  // port.
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
