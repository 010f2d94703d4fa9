import { defineConfig } from 'vitest/config';

/** The browser tests: one Pawl and one browser for all files, so they run one after the other. */
export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    globalSetup: ['e2e/start.ts'],
    fileParallelism: false,
    // A first start makes a database; a slow machine may take its time, a hang must end.
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
