import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { SLURM_DEFAULTS } from './ports/slurm-settings.js'
import { REPOSITORY } from './repository.js'
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
    databaseUrl: null,
    outputRoot: null,
    tokenFile: null,
    launcher: 'local',
    slurm: SLURM_DEFAULTS,
    auditDays: 365,
    predictionDays: 365,
    maxJobs: null,
    maxQueued: 1000,
    prewarm: true,
    idleSeconds: 900,
    stopGraceSeconds: 30,
    cacheSeconds: 2_592_000,
    workerMemory: null,
    imageCache: { share: 0.2 },
    logLevel: 'info',
  })
  expect(read([]).python).toMatch(/[/\\]\.venv[/\\].*python/)
})

test('every flag has an equivalent environment variable, over which the flag takes precedence', () => {
  const env = {
    MEDLOOM_HOST: '::1',
    MEDLOOM_PORT: '1',
    MEDLOOM_DATA_DIR: 'elsewhere',
    MEDLOOM_DATABASE_URL: 'postgres://medloom:secret@db.example.org/medloom',
    MEDLOOM_ROOTS: [cwd, other].join(delimiter),
    MEDLOOM_OUTPUT_ROOT: 'results',
    MEDLOOM_TOKEN_FILE: 'token',
    MEDLOOM_PYTHON: 'python3',
    MEDLOOM_RAY_ADDRESS: '10.0.0.1:8265',
    MEDLOOM_RAY_TOKEN_FILE: 'ray-token',
    MEDLOOM_CLUSTER_PYTHON: '/opt/medloom/bin/python',
    MEDLOOM_LAUNCHER: 'slurm',
    MEDLOOM_SLURM_PARTITION: 'gpu',
    MEDLOOM_SLURM_ACCOUNT: 'lab',
    MEDLOOM_SLURM_QOS: 'normal',
    MEDLOOM_SLURM_TIME: '4:00:00',
    MEDLOOM_SLURM_GRACE: '90',
    MEDLOOM_SLURM_MEMORY: '16G',
    MEDLOOM_SLURM_OPTIONS: '--constraint=a100',
    MEDLOOM_SLURM_POLL: '10',
    MEDLOOM_MAX_JOBS: '3',
    MEDLOOM_IDLE_SECONDS: '60',
    MEDLOOM_MAX_QUEUED: '20000',
    MEDLOOM_MAX_SOCKETS: '500',
    MEDLOOM_PREWARM: 'off',
    MEDLOOM_STOP_GRACE: '5',
    MEDLOOM_CACHE_SECONDS: '60',
    MEDLOOM_WORKER_MEMORY: '4000000000',
    MEDLOOM_IMAGE_CACHE: '1.5GB',
    MEDLOOM_LOG_LEVEL: 'warn',
    MEDLOOM_WORKER_DEADLINE: '300',
    MEDLOOM_OPEN: 'on',
    MEDLOOM_NODES: 'my-nodes',
    MEDLOOM_AUDIT_DAYS: '90',
    MEDLOOM_PREDICTION_DAYS: '0',
    MEDLOOM_NODES_ON: 'ray',
    MEDLOOM_NODE_WORKERS: '40',
    MEDLOOM_RAY_HEAD: 'head:6379',
    MEDLOOM_RAY_PYTHON: 'env/bin/python',
    MEDLOOM_SITE_ROOTS: 'study=/mnt/study',
    MEDLOOM_EXCHANGE: 'http',
    MEDLOOM_EXCHANGE_URL: 'https://nodes.example.org:8443/',
    MEDLOOM_NODE_CACHE_SIZE: '50%',
    MEDLOOM_ALLOWED_HOSTS: 'Medloom.example.org, other',
    MEDLOOM_ROLE: 'controller',
    MEDLOOM_INTERNAL_ADDRESS: 'node-1.example.org',
    MEDLOOM_LOST_MACHINE: 'node-2',
    MEDLOOM_TRUSTED_PROXIES: '10.0.0.7,2001:db8::/32',
  }
  expect(read([], env)).toEqual({
    host: '::1',
    port: 1,
    auditDays: 90,
    predictionDays: 0,
    dataDir: join(cwd, 'elsewhere'),
    databaseUrl: 'postgres://medloom:secret@db.example.org/medloom',
    roots: [cwd, other],
    outputRoot: join(cwd, 'results'),
    tokenFile: join(cwd, 'token'),
    python: 'python3',
    rayAddress: 'http://10.0.0.1:8265',
    rayTokenFile: join(cwd, 'ray-token'),
    clusterPython: '/opt/medloom/bin/python',
    launcher: 'slurm',
    slurm: {
      ...{ partition: 'gpu', account: 'lab', qos: 'normal', time: '4:00:00', memory: '16G' },
      ...{ graceSeconds: 90, options: ['--constraint=a100'], pollSeconds: 10 },
    },
    maxJobs: 3,
    maxQueued: 20_000,
    maxSockets: 500,
    prewarm: false,
    idleSeconds: 60,
    stopGraceSeconds: 5,
    workerDeadlineSeconds: 300,
    open: true,
    cacheSeconds: 60,
    workerMemory: 4_000_000_000,
    imageCache: { bytes: 1_500_000_000 },
    logLevel: 'warn',
    nodes: join(cwd, 'my-nodes'),
    nodesOn: {
      address: 'head:6379',
      python: join(cwd, 'env/bin/python'),
      workers: 40,
      tokenFile: join(cwd, 'ray-token'),
      nodePython: '/opt/medloom/bin/python',
    },
    siteRoots: { study: '/mnt/study' },
    exchange: 'http',
    exchangeUrl: 'https://nodes.example.org:8443',
    nodeCache: { share: 0.5 },
    allowedHosts: ['medloom.example.org', 'other', 'nodes.example.org'],
    trustedProxies: ['10.0.0.7', '2001:db8::/32'],
    role: 'controller',
    internalAddress: 'node-1.example.org',
    lostMachine: 'node-2',
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

test('--root may be repeated, and can be a list like PATH', () => {
  expect(read(['--root', cwd, '--root', `${other}${delimiter}${cwd}`]).roots).toEqual([cwd, other])
})

test('a root may be named; an existing folder with such a name is used as a path', () => {
  expect(read(['--root', `study=${other}${delimiter}${cwd}`])).toMatchObject({
    roots: [other, cwd],
    rootNames: { [other]: 'study' },
  })
  mkdirSync(join(cwd, 'a=b'))
  expect(read(['--root', 'a=b'])).toMatchObject({ roots: [join(cwd, 'a=b')] })
  expect(read(['--root', 'a=b'])).not.toHaveProperty('rootNames')
})

test('--site-root names the paths of roots on the machines of a cluster, which may train and compute nodes', () => {
  const argv = ['--site-root', `study=/mnt/study${delimiter}data=/scratch/medloom`]
  const siteRoots = { study: '/mnt/study', data: '/scratch/medloom' }
  expect(read(argv).siteRoots).toEqual(siteRoots)
  expect(read([...argv, '--launcher', 'ray', '--nodes-on', 'ray'])).toMatchObject({
    siteRoots,
    launcher: 'ray',
    nodesOn: { address: 'auto' },
  })
  expect(read([])).not.toHaveProperty('siteRoots')
})

test.each([
  [['--prot', '8000'], 'unknown flag --prot', 'Did you mean --port?'],
  [['--port', '65536'], '--port is "65536"', 'from 0 to 65535'],
  [['--port', '8e3'], '--port is "8e3"', 'integer'],
  [['--max-jobs', '0'], '--max-jobs is "0"', 'from 1'],
  [['--max-queued', '100001'], '--max-queued is "100001"', 'from 1 to 100000'],
  [['--prewarm', 'no'], '--prewarm is "no"', 'on or off'],
  [['--worker-memory', '4G'], '--worker-memory is "4G"', 'integer'],
  [['--worker-memory', '1000'], '--worker-memory is "1000"', 'from 134217728'],
  [['--cache-seconds', '1h'], '--cache-seconds is "1h"', 'integer'],
  [['--image-cache', '20 apples'], '--image-cache is "20 apples"', '20GB'],
  [['--image-cache', '101%'], '--image-cache is "101%"', 'such as 20%'],
  [['--nodes-on', 'cluster'], '--nodes-on is "cluster"', 'ray'],
  [['--nodes-on', 'ray', '--ray-head', 'head'], '--ray-head is "head"', 'host:port'],
  [['--log-level', 'loud'], '--log-level is "loud"', 'info'],
  [['--launcher', 'k8s'], '--launcher is "k8s"', 'local, ray'],
  [['--ray-address', 'http://a:1/b'], '--ray-address is "http://a:1/b"', '8265'],
  [
    ['--database-url', 'mysql://db/medloom'],
    '--database-url does not start with postgres://',
    'postgres://medloom@',
  ],
  [
    ['--database-url', 'postgres://db.example.org'],
    '--database-url does not contain the name of a database',
    'percent-encoded',
  ],
  [['--host', 'a b'], '--host is "a b"', 'host name'],
  [['--root', 'nowhere'], 'not a folder', 'existing folder'],
  [['--root', 'study=nowhere'], 'not a folder', 'existing folder'],
  [['--root', `a=${cwd}`, '--root', `a=${other}`], 'twice', 'unique name'],
  [['--exchange', 'ftp'], '--exchange is "ftp"', 'folder, http'],
  [['--exchange-url', 'nodes:8000'], '--exchange-url is "nodes:8000"', 'https://'],
  [['--site-root', 'study'], '--site-root is "study"', 'absolute path'],
  [['--site-root', 'a=/x', '--site-root', 'a=/y'], '--site-root is "a=/y"', 'once'],
  [['--allowed-host', 'https://a.example'], '--allowed-host contains "https://a.example"', 'host names'],
  [['--role', 'worker'], '--role is "worker"', 'all, api, controller'],
  [['--internal-address', 'http://a'], '--internal-address is "http://a"', 'host name'],
  [['--trusted-proxy', 'proxy'], '--trusted-proxy contains "proxy"', '10.0.0.7'],
  [['--trusted-proxy', '10.0.0.0/33'], '--trusted-proxy contains "10.0.0.0/33"', '10.0.0.0/24'],
  [['--port'], '--port', '--port 8123'],
  [['serve'], 'serve', 'requires a value'],
])('%j is refused with its flag and a remedy', (argv, message, remedy) => {
  expect(() => read(argv)).toThrow(
    expect.objectContaining({
      name: 'StartError',
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
    }),
  )
})

test('no part of a database address is printed: it may contain a password', () => {
  for (const url of ['mysql://medloom:secret@db/medloom', 'postgres://medloom:sec%ret@db:none/medloom'])
    expect(() => read(['--database-url', url])).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/sec|db/) }),
    )
})

const UNITS = join(REPOSITORY, 'examples/deploy')

test.each([
  ['medloom.service', 'all', 8000],
  ['medloom-controller.service', 'controller', 8100],
  ['medloom-api@.service', 'api', 8001],
])('%s starts a service of this version, wherever npm has installed it', (name, role, port) => {
  const [, line = ''] = /^ExecStart=medloom serve (.*)$/m.exec(readFileSync(join(UNITS, name), 'utf8')) ?? []
  const flags = line
    .replace('%i', '8001')
    .replaceAll(/\/(srv|var|etc)\/\S+/g, other)
    .split(' ')
  const database = { MEDLOOM_DATABASE_URL: 'postgres://medloom@127.0.0.1/medloom' }
  expect(read(flags, role === 'all' ? {} : database)).toMatchObject({ role, port, dataDir: other })
})

test.each(readdirSync(UNITS).filter((name) => name.endsWith('.service')))(
  '%s gives Node.js options that it knows',
  (name) => {
    const [, options = ''] =
      /^Environment="NODE_OPTIONS=(.*)"$/m.exec(readFileSync(join(UNITS, name), 'utf8')) ?? []
    expect(options).toContain('--v8-pool-size')
    const { status, stderr } = spawnSync(process.execPath, ['-e', '0'], { env: { NODE_OPTIONS: options } })
    expect([status, String(stderr)]).toEqual([0, ''])
  },
)

test('these tests cover every unit', () => {
  expect(readdirSync(UNITS).filter((name) => name.endsWith('.service'))).toHaveLength(3)
})
