import { defineConfig } from 'vitest/config'
import { workersPerSuite } from './scripts/testing/machine.mjs'
import { PATIENCE } from './scripts/testing/patience.mjs'

// Packages resolve to their sources, so their tests need no build; the service that the other tests start is the built one.
const sources = {
  resolve: { conditions: ['medloom-source', 'node'] },
  ssr: { resolve: { conditions: ['medloom-source', 'node'] } },
}

/** Two on two cores: many files wait for processes that they start, and one worker would leave a core idle. */
const WORKERS = workersPerSuite()

export default defineConfig({
  test: {
    // Transformed modules are kept in node_modules, so that a later run does not transform them again.
    experimental: { fsModuleCache: true },
    // "npm run test:quick" leaves all of them out, "npm test" those marked "full". The first line of a file names its tag: @module-tag.
    tags: [
      { name: 'full', description: 'Takes long; only "npm run test:full" runs it.' },
      {
        name: 'service',
        description: 'Starts a service or other processes, or works with a database for seconds.',
      },
      { name: 'documents', description: 'Renders whole reports as PDF and Word.' },
    ],
    projects: [
      {
        ...sources,
        test: {
          name: 'packages',
          globalSetup: [
            'packages/server/testing/postgres-server.ts',
            'packages/server/testing/service-program.ts',
          ],
          include: [
            'packages/*/{src,testing}/**/*.test.{ts,tsx}',
            'scripts/**/*.test.{mjs,ts}',
            'bench/**/*.test.ts',
            'tests/recordings/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/*.cluster.test.ts'],
          maxWorkers: WORKERS,
          // Modules are loaded once per worker, not once per file: no test leaves anything in one.
          isolate: false,
          expect: { poll: { timeout: PATIENCE.poll } },
          testTimeout: PATIENCE.test,
          hookTimeout: PATIENCE.hook,
        },
      },
      {
        ...sources,
        test: {
          name: 'service',
          include: ['tests/{specification,e2e}/**/*.test.ts'],
          globalSetup: 'tests/testing/shared-services.ts',
          // Much of the time of one file is waiting for a training that uses one core. Each worker has a service of its own.
          maxWorkers: WORKERS,
          isolate: false,
          expect: { poll: { timeout: PATIENCE.poll } },
          testTimeout: PATIENCE.serviceTest,
          hookTimeout: PATIENCE.serviceTest,
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
          expect: { poll: { timeout: PATIENCE.clusterPoll } },
          testTimeout: PATIENCE.serviceTest,
          hookTimeout: PATIENCE.serviceTest,
        },
      },
      {
        ...sources,
        test: {
          name: 'page',
          include: ['tests/page/**/*.test.ts'],
          globalSetup: 'tests/page/testing/shared-pages.ts',
          // Each worker has a service and a browser of its own.
          maxWorkers: WORKERS,
          isolate: false,
          expect: { poll: { timeout: PATIENCE.page } },
          testTimeout: PATIENCE.pageTest,
          hookTimeout: PATIENCE.pageTest,
        },
      },
    ],
  },
})
