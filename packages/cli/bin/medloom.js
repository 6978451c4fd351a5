#!/usr/bin/env node
// Starts the bundled program; the only file of this package that is not compiled.
import { existsSync } from 'node:fs'

const main = new URL('../bundle/main.js', import.meta.url)
if (existsSync(main)) await import(main.href)
else {
  console.error('Medloom is not built yet. Run "npm run setup" in the repository first.')
  process.exitCode = 1
}
