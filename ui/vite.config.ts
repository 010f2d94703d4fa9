import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** Where `npm run dev` finds a running Pawl. */
const backend = process.env.PAWL_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  // The server puts a fresh nonce in its place with every answer (internal/api/ui.go).
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2022',
    // The policy takes no data: addresses for fonts and none for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/api': backend } },
  test: {
    include: ['src/**/*.test.{ts,tsx}'],
    environment: 'happy-dom',
    restoreMocks: true,
    unstubGlobals: true,
  },
});
