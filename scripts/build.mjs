#!/usr/bin/env node
// npm run build: compiles the packages, joins the command line and the service into one program, packages/cli/bundle, and builds
// the page that the service shows, packages/web/dist. The description of the interface, openapi.json, is written on the way.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as buildPage } from 'vite'
import { bundle } from './bundle.mjs'
import { ONE_CHECKER } from './compile.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = (path) => join(root, 'packages', path)

const tsc = join(root, 'node_modules/typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [tsc, '-b', ...ONE_CHECKER], { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

const tsx = join(root, 'node_modules/tsx/dist/cli.mjs')
const generate = [tsx, '--conditions=medloom-source', join(root, 'scripts/generate.ts'), '--built']
const written = spawnSync(process.execPath, generate, { cwd: root, stdio: 'inherit' })
if (written.status !== 0) process.exit(written.status ?? 1)

const program = built('cli/bundle')
rmSync(program, { recursive: true, force: true })
await bundle({ packages: join(root, 'packages'), main: ['cli', 'main'], outdir: program })

// For every caller, such as a set-up that a test started: a development build of the page would be half as large again and slower.
process.env.NODE_ENV = 'production'
await buildPage({ root: built('web'), logLevel: 'warn' })
