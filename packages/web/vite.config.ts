import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './build/precompress.ts'

/** The address of the service that "npm run dev -w packages/web" shows. */
const SERVICE = process.env.MEDLOOM_SERVICE ?? 'http://127.0.0.1:8000'

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
