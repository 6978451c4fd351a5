import { defineConfig } from 'vitest/config'

// Packages resolve to their sources, so tests need no build; the service that end-to-end tests start is the built one.
export default defineConfig({
  resolve: { conditions: ['medloom-source', 'node'] },
  ssr: { resolve: { conditions: ['medloom-source', 'node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/{specification,e2e}/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
