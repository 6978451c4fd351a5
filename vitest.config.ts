import { defineConfig } from 'vitest/config'

// Packages resolve to their sources, so their tests need no build; the service that the other tests start is the built one.
const sources = {
  resolve: { conditions: ['medloom-source', 'node'] },
  ssr: { resolve: { conditions: ['medloom-source', 'node'] } },
}

export default defineConfig({
  test: {
    projects: [
      {
        ...sources,
        test: {
          name: 'packages',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.mjs'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...sources,
        test: {
          name: 'service',
          include: ['tests/{specification,e2e}/**/*.test.ts'],
          globalSetup: 'tests/testing/shared-service.ts',
          // Trainings queue one after the other; files in parallel would only wait for each other.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
