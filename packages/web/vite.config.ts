import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './build/precompress.ts'

/** Address of the service for "npm run dev -w packages/web". */
const SERVICE = process.env.MEDLOOM_SERVICE ?? 'http://127.0.0.1:8000'

/** Modules that every page needs form one chunk: on a slow machine, dozens of small files take longer to link than to run. */
const BASE =
  /\/node_modules\/(react|react-dom|scheduler|@tanstack\/(react-)?(router|router-core|history|store|query|query-core))\/|\/packages\/web\/src\/(app|main)|\/src\/pages\/[^/]+\/(queries|search|prefetch)\.ts$/

export default defineConfig({
  plugins: [react(), precompress()],
  // Packages of this repository are read from their sources, so that changes appear without a build.
  resolve: { conditions: ['medloom-source', 'browser', 'module', 'import', 'default'] },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    // The content security policy permits no inline script, and every supported browser preloads modules itself.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'base', test: BASE }] } },
    },
    chunkSizeWarningLimit: 1000,
  },
  server: {
    proxy: {
      '/api': SERVICE,
      '/docs': SERVICE,
      '/ws': { target: SERVICE, ws: true },
    },
  },
})
