#!/usr/bin/env node
// Runs the project's Python with the arguments given: node scripts/python.mjs -m medloom_trainer --help
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { pythonIn, trainerEnvironment } from './setup/environment.mjs'
import { root } from './setup.mjs'

const python = pythonIn(trainerEnvironment(root))
if (!existsSync(python)) {
  console.error('There is no Python environment yet. Run "npm run setup" first.')
  process.exit(1)
}
const child = spawn(python, process.argv.slice(2), { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
