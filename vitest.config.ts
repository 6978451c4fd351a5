import { defineConfig } from 'vitest/config'
import { PATIENCE } from './tests/page/testing/patience.js'

// Packages resolve to their sources, so their tests need no build; the service that the other tests start is the built one.
const sources = {
  resolve: { conditions: ['medloom-source', 'node'] },
  ssr: { resolve: { conditions: ['medloom-source', 'node'] } },
}

/** Milliseconds for what comes about in another process, on a machine that is busy. */
const POLL = 25_000

export default defineConfig({
  test: {
    // Left out by "npm run test:quick". A file says so in its first line: @module-tag.
    tags: [
      { name: 'service', description: 'Starts a service, or the processes that it works with.' },
      { name: 'documents', description: 'Renders whole reports as PDF and Word.' },
    ],
    projects: [
      {
        ...sources,
        test: {
          name: 'packages',
          globalSetup: 'packages/server/testing/postgres-server.ts',
          include: ['packages/*/src/**/*.test.{ts,tsx}', 'scripts/**/*.test.{mjs,ts}', 'bench/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.cluster.test.ts'],
          // Many files wait for processes that they start; vitest would leave one core of two idle.
          maxWorkers: 2,
          // Modules are loaded once per worker, not once per file: no test leaves anything in one.
          isolate: false,
          expect: { poll: { timeout: POLL } },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...sources,
        test: {
          name: 'service',
          include: ['tests/{specification,e2e}/**/*.test.ts'],
          globalSetup: 'tests/testing/shared-services.ts',
          // Much of the time of one file is waiting for a training that uses one core. Each worker has a service of its own.
          maxWorkers: 2,
          isolate: false,
          expect: { poll: { timeout: POLL } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        ...sources,
        test: {
          // With a real cluster, which needs the whole machine: one file at a time.
          name: 'cluster',
          include: ['packages/*/src/**/*.cluster.test.ts', 'tests/cluster/**/*.test.ts'],
          maxWorkers: 1,
          isolate: false,
          expect: { poll: { timeout: 60_000 } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        ...sources,
        test: {
          name: 'page',
          include: ['tests/page/**/*.test.ts'],
          globalSetup: 'tests/page/testing/one-browser.ts',
          // Each worker has a service of its own; the browser is one.
          maxWorkers: 2,
          isolate: false,
          expect: { poll: { timeout: PATIENCE } },
          testTimeout: 4 * PATIENCE,
          hookTimeout: 4 * PATIENCE,
        },
      },
    ],
  },
})
