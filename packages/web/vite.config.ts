import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './build/precompress.ts'

/** The address of the service that "npm run dev -w packages/web" shows. */
const SERVICE = process.env.MEDLOOM_SERVICE ?? 'http://127.0.0.1:8000'

/** What every page needs, in one file: dozens of small ones take a slow machine longer to link than to run. */
const BASE =
  /\/node_modules\/(react|react-dom|scheduler|@tanstack\/(react-)?(router|router-core|history|store|query|query-core))\/|\/packages\/web\/src\/(app|main)|\/src\/pages\/[^/]+\/(asked|search|prefetch)\.ts$/

export default defineConfig({
  plugins: [react(), precompress()],
  // Packages of this repository are read from their sources: no build between a change and the page.
  resolve: { conditions: ['medloom-source', 'browser', 'module', 'import', 'default'] },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    // The content security policy allows no inline script, and every browser that runs the page preloads modules itself.
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
