import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { readSettings } from './settings.js'

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-settings-')))
const other = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-settings-')))
const read = (argv: string[], env: Record<string, string> = {}) => readSettings(argv, env, cwd)

test('without flags it listens on loopback, port 8000, and requests may name the current folder', () => {
  expect(read([])).toMatchObject({
    host: '127.0.0.1',
    port: 8000,
    dataDir: join(cwd, 'medloom-data'),
    roots: [cwd],
    outputRoot: null,
    tokenFile: null,
    maxJobs: null,
    prewarm: true,
    stopGraceSeconds: 30,
    cacheSeconds: 2_592_000,
    workerMemory: null,
    imageCache: { share: 0.2 },
    logLevel: 'info',
  })
  expect(read([]).python).toMatch(/[/\\]\.venv[/\\].*python/)
})

test('every flag has an environment variable of the same meaning, and the flag wins', () => {
  const env = {
    MEDLOOM_HOST: '::1',
    MEDLOOM_PORT: '1',
    MEDLOOM_DATA_DIR: 'elsewhere',
    MEDLOOM_ROOTS: [cwd, other].join(delimiter),
    MEDLOOM_OUTPUT_ROOT: 'results',
    MEDLOOM_TOKEN_FILE: 'token',
    MEDLOOM_PYTHON: 'python3',
    MEDLOOM_MAX_JOBS: '3',
    MEDLOOM_PREWARM: 'off',
    MEDLOOM_STOP_GRACE: '5',
    MEDLOOM_CACHE_SECONDS: '60',
    MEDLOOM_WORKER_MEMORY: '4000000000',
    MEDLOOM_IMAGE_CACHE: '1.5GB',
    MEDLOOM_LOG_LEVEL: 'warn',
    MEDLOOM_WORKER_DEADLINE: '300',
    MEDLOOM_OPEN: 'on',
    MEDLOOM_NODES: 'my-nodes',
  }
  expect(read([], env)).toEqual({
    host: '::1',
    port: 1,
    dataDir: join(cwd, 'elsewhere'),
    roots: [cwd, other],
    outputRoot: join(cwd, 'results'),
    tokenFile: join(cwd, 'token'),
    python: 'python3',
    maxJobs: 3,
    prewarm: false,
    stopGraceSeconds: 5,
    workerDeadlineSeconds: 300,
    open: true,
    cacheSeconds: 60,
    workerMemory: 4_000_000_000,
    imageCache: { bytes: 1_500_000_000 },
    logLevel: 'warn',
    nodes: join(cwd, 'my-nodes'),
  })
  expect(read(['--port', '2', '--root', other, '--python=./bin/python'], env)).toMatchObject({
    port: 2,
    roots: [other],
    python: join(cwd, 'bin/python'),
  })
})

test.each([
  ['0', { bytes: 0 }],
  ['1048576', { bytes: 1_048_576 }],
  ['500mb', { bytes: 500_000_000 }],
  ['2 TB', { bytes: 2e12 }],
  ['12.5%', { share: 0.125 }],
])('--image-cache %s', (text, size) => expect(read(['--image-cache', text]).imageCache).toEqual(size))

test('--root may be repeated, and be a list like PATH', () => {
  expect(read(['--root', cwd, '--root', `${other}${delimiter}${cwd}`]).roots).toEqual([cwd, other])
})

test('a root may be named; a folder that is called like that is meant as it is', () => {
  expect(read(['--root', `study=${other}${delimiter}${cwd}`])).toMatchObject({
    roots: [other, cwd],
    rootNames: { [other]: 'study' },
  })
  mkdirSync(join(cwd, 'a=b'))
  expect(read(['--root', 'a=b'])).toMatchObject({ roots: [join(cwd, 'a=b')] })
  expect(read(['--root', 'a=b'])).not.toHaveProperty('rootNames')
})

test.each([
  [['--prot', '8000'], 'unknown flag --prot', 'Did you mean --port?'],
  [['--port', '65536'], '--port is "65536"', 'from 0 to 65535'],
  [['--port', '8e3'], '--port is "8e3"', 'whole number'],
  [['--max-jobs', '0'], '--max-jobs is "0"', 'from 1'],
  [['--prewarm', 'no'], '--prewarm is "no"', 'on or off'],
  [['--worker-memory', '4G'], '--worker-memory is "4G"', 'whole number'],
  [['--worker-memory', '1000'], '--worker-memory is "1000"', 'from 134217728'],
  [['--cache-seconds', '1h'], '--cache-seconds is "1h"', 'whole number'],
  [['--image-cache', '20 apples'], '--image-cache is "20 apples"', '20GB'],
  [['--image-cache', '101%'], '--image-cache is "101%"', 'such as 20%'],
  [['--log-level', 'loud'], '--log-level is "loud"', 'info'],
  [['--host', 'a b'], '--host is "a b"', 'host name'],
  [['--root', 'nowhere'], 'not a folder', 'exists'],
  [['--root', 'study=nowhere'], 'not a folder', 'exists'],
  [['--root', `a=${cwd}`, '--root', `a=${other}`], 'twice', 'name of its own'],
  [['--port'], '--port', '--port 8123'],
  [['serve'], 'serve', 'takes a value'],
])('%j is refused with its place and a remedy', (argv, message, remedy) => {
  expect(() => read(argv)).toThrow(
    expect.objectContaining({
      name: 'StartError',
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
    }),
  )
})
