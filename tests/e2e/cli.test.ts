import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import type { Job, JobMessage, TrainingConfigInput } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../packages/server/testing/eventually.js'
import { freePort } from '../../packages/server/testing/free-ports.js'
import { Caller } from '../testing/http.js'
import { ended, MedloomCommand } from '../testing/medloom-command.js'
import { PYTHON, type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { shared, training } from '../testing/shared.js'
import { longTrainingConfig, trainingConfig } from '../testing/training.js'

const url = shared.url
const dataset = shared.dataset
const caller = new Caller(url)
const folder = temporaryFolder('cli')

const tableOnly = { vision_backbone: 'none', fusion_type: 'concatenate' } as const
const long = longTrainingConfig(dataset, { model: tableOnly, training: { epochs: 50_000 } })

const command = new MedloomCommand(folder, { MEDLOOM_URL: url })
const medloom = command.run
const lines = (text: string) => text.trim().split('\n')
const jsonLines = <T = JobMessage>(text: string) => lines(text).map((line) => JSON.parse(line) as T)

function configFile(config: TrainingConfigInput, name = 'config.json'): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(config, null, 2))
  return file
}

let reference: Job
beforeAll(async () => {
  reference = await caller.ended(shared.referenceJob)
})

describe('train', () => {
  it('--watch trains, shows a line per epoch and exits 0', async () => {
    const file = configFile(trainingConfig(dataset, { model: tableOnly }), 'table only.json')
    const { code, stdout, stderr } = await medloom(
      'train',
      '-f',
      file,
      '--watch',
      '--set',
      'training.epochs=3',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^job [0-9a-f-]{36}$/m)
    for (const epoch of [1, 2, 3])
      expect(stdout).toMatch(new RegExp(`^epoch ${epoch}/3  train_loss \\d.*val_auc`, 'm'))
    expect(stdout).toMatch(/^completed after .*, model \S+$/m)
    expect(stdout).not.toContain('\x1b')
  })

  it('--watch --json gives the answer and then every message, one JSON document per line', async () => {
    const file = configFile(trainingConfig(dataset, { model: tableOnly }))
    const { code, stdout } = await medloom('train', '-f', file, '--name', 'json', '--watch', '--json')
    expect(code).toBe(0)
    const [answer, ...messages] = jsonLines(stdout)
    expect(answer).toMatchObject({ job_id: expect.any(String), status: 'started' })
    expect(messages.at(-1)).toMatchObject({ type: 'completed', status: 'completed' })
    const seqs = messages.map((message) => message.seq)
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
    expect((await caller.status(String(answer?.job_id))).job_name).toBe('json')
  })

  it('of a wrong configuration exits 2 and names place, line, hint and remedy', async () => {
    const file = configFile(
      trainingConfig(dataset, { training: { epochs: 0 }, model: { vision_backbone: 'resnet81' } }),
    )
    const { code, stdout, stderr } = await medloom('train', '-f', file)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/error: .*\[INVALID_CONFIG\]/)
    expect(stderr).toMatch(/config\.json:\d+ {2}config\.training\.epochs: /)
    expect(stderr).toContain('Did you mean "resnet18"?')

    const asJson = await medloom('train', '-f', file, '--json')
    expect(JSON.parse(asJson.stderr)).toMatchObject({
      code: 'INVALID_CONFIG',
      exit_code: 2,
      issues: expect.arrayContaining([expect.objectContaining({ path: 'config.training.epochs' })]),
    })
  })

  it('--check describes the training, or the reason why it would fail (2), and starts nothing', async () => {
    const right = configFile(trainingConfig(dataset, { model: tableOnly }), 'only checked.json')
    const { code, stdout, stderr } = await medloom('train', '-f', right, '--check')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Predicts +classification: .+\n(.*\n)*Cases +\d+ train, \d+ val, \d+ test\n/m)
    expect(lines(stdout).at(-1)).toBe('The training can be started.')
    const wrong = configFile(trainingConfig(dataset, { training: { batch_size: 5000 } }), 'not to start.json')
    const refused = await medloom('train', '-f', wrong, '--check')
    expect(refused.code).toBe(2)
    expect(refused.stdout).toMatch(/not to start\.json:\d+ {2}config\.training\.batch_size: /)
    expect(lines(refused.stdout).at(-1)).toBe('The training cannot be started.')
    const asJson = JSON.parse((await medloom('train', '-f', wrong, '--check', '--json')).stdout)
    expect(asJson).toMatchObject({ ok: false, trainer: { state: 'answered' } })
    expect((await medloom('jobs', 'ls')).stdout).not.toMatch(/only checked|not to start/)
  })

  it('whose job fails exits 1 with the code and the remedy', async () => {
    const file = configFile(trainingConfig(dataset, { model: tableOnly }))
    const { code, stdout } = await medloom('train', '-f', file, '--name', 'fail=1', '--watch')
    expect(code).toBe(1)
    expect(stdout).toMatch(/failed: .*\[LOSS_NOT_FINITE\]\nWhat to do: .+/)
  })
})

describe('a running job', () => {
  it('keeps running when its watcher is interrupted (130); stop, watch (6), resume, finish (0)', async () => {
    const watcher = command.start(['train', '-f', configFile(long), '--name', 'long pause=1', '--watch'])
    const output = ended(watcher)
    await new Promise<void>((seen) =>
      watcher.stdout?.on('data', (text) => /epoch +1\//.test(String(text)) && seen()),
    )
    watcher.kill('SIGINT')
    const { code, stdout, stderr } = await output
    const jobId = String(/^job (\S+)$/m.exec(stdout)?.[1])
    expect(code).toBe(130)
    expect(stderr).toContain(`medloom jobs stop ${jobId.slice(0, 8)}`)
    expect((await caller.status(jobId)).status).toBe('running')

    const stopped = await medloom('jobs', 'stop', jobId.slice(0, 8), '--json')
    expect(stopped.code).toBe(0)
    expect(JSON.parse(stopped.stdout)).toMatchObject({ job_id: jobId, status: 'stopped' })
    expect((await medloom('jobs', 'watch', jobId)).code).toBe(6)
    expect((await medloom('jobs', 'stop', jobId)).code).toBe(2)

    const resumed = await medloom('jobs', 'resume', jobId, '--json')
    const next = JSON.parse(resumed.stdout).job_id
    // Not based on the phase: on a slow disk, epochs of milliseconds show hardly any phase other than "checkpointing".
    const { epoch } = await caller.status(jobId)
    await caller.until(next, (job) => job.status === 'running' && job.epoch > epoch)
    expect((await medloom('jobs', 'finish', next)).code).toBe(0)
    expect((await medloom('jobs', 'watch', 'latest')).code).toBe(0)
  })

  it(
    'is followed through a kill and a restart of the service: no message lost, none twice',
    { tags: ['full'] },
    () => expectFollowedThrough('kill'),
  )

  it(
    'is followed through a stop and a restart of the service: no message lost, none twice',
    { tags: ['full'] },
    () => expectFollowedThrough('stop'),
  )

  async function expectFollowedThrough(way: 'kill' | 'stop'): Promise<void> {
    const [root, dataDir] = [dirname(dataset), temporaryFolder('restart')]
    const port = await freePort()
    const start = () =>
      startService({ roots: [root], dataDir, trainer: 'recorded', arguments: ['--port', String(port)] })
    let service: RunningService = await start()
    try {
      const jobId = await new Caller(service.url).start(long, 'restart delay=20')
      const { begin } = new MedloomCommand(folder, { MEDLOOM_URL: service.url })
      const watcher = begin('jobs', 'watch', jobId, '--json')
      await eventually(watcher.output)
      await service[way]()
      service = await start()
      const other = new Caller(service.url)
      const { epoch } = await other.status(jobId)
      await other.until(jobId, (job) => job.epoch > epoch + 2)
      await other.post(`/api/training/${jobId}/finish`)
      const { code, stdout } = await watcher.ended
      expect(code).toBe(0)
      const messages = jsonLines(stdout)
      const seqs = messages.map((message) => message.seq)
      expect(new Set(seqs).size).toBe(seqs.length)
      const epochs = messages
        .filter((message) => message.type === 'epoch_end')
        .map((message) => message.epoch)
      expect(epochs).toEqual(epochs.map((_, index) => index + 1))
      expect(messages.at(-1)?.type).toBe('completed')
      await service.stop()
      expect(service.process.exitCode, 'on SIGTERM').toBe(0)
    } finally {
      await service.stop()
    }
  }
})

describe('lists and status', () => {
  it('jobs ls shows the jobs in a table, and as one JSON document', async () => {
    const table = await medloom('jobs', 'ls')
    expect(lines(table.stdout)[0]).toMatch(/^job +name +status +epoch +best +model +created$/)
    expect(table.stdout).toContain(reference.job_id.slice(0, 8))
    const { jobs } = JSON.parse((await medloom('--json', 'jobs', 'ls', '--status', 'completed')).stdout)
    expect(jobs.every((job: Job) => job.status === 'completed')).toBe(true)
  })

  it('jobs status takes a unique prefix of an id', async () => {
    const { code, stdout } = await medloom('jobs', 'status', reference.job_id.slice(0, 8))
    expect(code).toBe(0)
    expect(stdout).toContain(reference.job_id)
    expect(stdout).toMatch(/^report +\/.*report\.html$/m)
    expect(JSON.parse((await medloom('jobs', 'status', reference.job_id, '--json')).stdout).job_id).toBe(
      reference.job_id,
    )
  })

  /** The log and the prepared images of a training are not recorded. */
  const withTrainer = new MedloomCommand(folder, { MEDLOOM_URL: training.url }).run

  it('system cache shows the prepared images, with sizes that add up; clear keeps those in use', async () => {
    const { code, stdout } = await withTrainer('system', 'cache')
    expect(code).toBe(0)
    expect(lines(stdout)[0]).toMatch(/^prepared images: [\d.]+ (B|kB|MB), of [\d.]+ (GB|TB)$/)
    const { stores, size_bytes } = JSON.parse((await withTrainer('system', 'cache', '--json')).stdout)
    expect(stores.length).toBeGreaterThan(0)
    expect(stores.reduce((sum: number, store: { size_bytes: number }) => sum + store.size_bytes, 0)).toBe(
      size_bytes,
    )
    expect((await withTrainer('system', 'cache', 'clear')).stdout).toMatch(/^\d+ stores removed, .* freed/)
  })

  it('what does not exist exits 4', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const args of [
      ['jobs', 'status', unknown],
      ['jobs', 'watch', unknown],
      ['jobs', 'status', 'ffffffffff'],
      ['models', 'show', 'none'],
      ['models', 'evaluate', 'none'],
      ['datasets', 'show', 'none'],
    ]) {
      const { code, stderr } = await medloom(...args)
      expect(code, `${args.join(' ')}: ${stderr}`).toBe(4)
      expect(stderr).toContain('What to do:')
    }
  })

  it('jobs logs prints the log of the trainer', async () => {
    const { code, stdout } = await withTrainer('jobs', 'logs', training.referenceJob, '--follow')
    expect(code).toBe(0)
    expect(stdout.length).toBeGreaterThan(0)
  })

  it('jobs files lists what a job left, and jobs download saves one of them, never over another', async () => {
    const id = reference.job_id
    const { files } = JSON.parse((await medloom('jobs', 'files', id, '--json')).stdout)
    const paths: string[] = files.map(({ path }: { path: string }) => path)
    const path = String(paths.find((one) => one.endsWith('report.html')))
    const listed = await medloom('jobs', 'files', id, '--under', dirname(path))
    expect(lines(listed.stdout)[0]).toMatch(/^file +size +changed$/)
    expect(listed.stdout).toContain(path)
    expect(paths.filter((one) => one.endsWith('.safetensors'))).toEqual([])
    expect((await medloom('jobs', 'files', id, '--checkpoints')).stdout).toContain('.safetensors')

    const saved = await medloom('jobs', 'download', id, path, '--output', 'saved.html')
    expect(saved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^saved\.html, [\d.]+ [kM]?B\n$/) })
    const original = readFileSync(join(reference.run_dir, path))
    expect(readFileSync(join(folder, 'saved.html')).equals(original)).toBe(true)
    writeFileSync(join(folder, 'saved.html'), 'mine')
    expect((await medloom('jobs', 'download', id, path, '--output', 'saved.html')).code).not.toBe(0)
    expect(readFileSync(join(folder, 'saved.html'), 'utf8')).toBe('mine')
    expect((await medloom('jobs', 'download', id, 'reports/none.html')).code).toBe(4)
    expect(existsSync(join(folder, 'none.html'))).toBe(false)
  })

  it('system and models backbones', async () => {
    expect((await medloom('system')).stdout).toMatch(/^pytorch +2\./m)
    expect(JSON.parse((await medloom('models', 'backbones', '--json')).stdout).backbones).toHaveLength(29)
    expect((await medloom('models', 'backbones')).stdout).toMatch(/^resnet50 +resnet +.*ResNet50/m)
  })
})

describe('models and datasets', () => {
  it('models evaluate prints the metrics with intervals and the path of the report', async () => {
    const modelId = String(reference.model_id)
    expect((await medloom('models')).stdout).toContain(modelId)
    expect((await medloom('models', 'show', modelId)).stdout).toMatch(/^best +\d+ /m)
    const { code, stdout } = await medloom(
      'models',
      'evaluate',
      modelId,
      '--csv',
      join(dataset, 'train.csv'),
      '--split',
      'train',
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^auc +[01]\.\d{3} +[01]\.\d{3} to [01]\.\d{3} +\S/m)
    expect(stdout).toMatch(/^report: \/.*report\.html$/m)
    const validation = await medloom(
      'models',
      'evaluate',
      modelId,
      '--csv',
      join(dataset, 'val.csv'),
      '--split',
      'val',
      '--json',
    )
    const { evaluation_id, ...evaluated } = JSON.parse(validation.stdout)
    expect(evaluated).toMatchObject({ model_id: modelId, split: 'val' })

    const listed = lines((await medloom('models', 'evaluations', modelId)).stdout)
    expect(listed[0]).toMatch(/^evaluation +model +split +cases +metrics +uses +measured$/)
    expect(listed[1]).toMatch(new RegExp(`^${evaluation_id} +${modelId} +val +\\d+ +auc [01]\\.\\d{3} `))
    const all = JSON.parse((await medloom('models', 'evaluations', '--json')).stdout)
    expect(all.evaluations[0]).toMatchObject({ evaluation_id, split: 'val' })
    const report = await medloom('models', 'report', evaluation_id, '--format', 'markdown')
    const [, file = ''] = /^markdown +(\/.+\.md)\n$/.exec(report.stdout) ?? []
    expect(readFileSync(file, 'utf8')).toMatch(/^# .+: evaluation on the val split/)
  })

  it('datasets: inspect, add, show, ls', async () => {
    const csv = join(dataset, 'train.csv')
    const inspected = await medloom('datasets', 'inspect', csv)
    expect(inspected.stdout).toMatch(/^label +label +0 +2/m)
    const added = await medloom('datasets', 'add', csv, '--name', 'cli test', '--json')
    expect(JSON.parse(added.stdout)).toMatchObject({ name: 'cli test', dataset_id: expect.any(String) })
    expect((await medloom('datasets', 'show', 'cli test')).stdout).toContain('readiness')
    const [first, second] = JSON.parse(added.stdout).columns.flatMap(
      ({ name, role }: { name: string; role: string }) => (role === 'numeric' ? [name] : []),
    )
    const less = await medloom('datasets', 'inspect', csv, '--ignore', first, '--ignore', second)
    for (const name of [first, second]) expect(less.stdout).toMatch(new RegExp(`^${name} +ignored `, 'm'))
    expect((await medloom('datasets')).stdout).toContain('cli test')
  })
})

describe('usage', () => {
  it('that is wrong exits 2, also with --json', async () => {
    for (const [words, suggestion] of [
      [['lss'], 'jobs ls'],
      [['jbos'], 'jobs'],
      [['jobs', 'lss'], 'ls'],
      [['models', 'list'], 'ls'],
      [['jobs', 'delete'], 'rm'],
      [['workflow', 'cahce'], 'cache'],
      [['jobs', 'ls', '--limt', '3'], '--limit'],
    ] as const)
      expect(await medloom(...words)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`Did you mean ${suggestion}?`),
      })
    expect((await medloom('train')).code).toBe(2)
    expect((await medloom('jobs', 'ls', '--limit', 'many')).code).toBe(2)
    const { code, stderr } = await medloom('lss', '--json')
    expect(JSON.parse(stderr)).toMatchObject({ code: 'USAGE', exit_code: code })
    expect((await medloom('jobs', 'ls', '--url', 'nonsense')).code).toBe(2)
  })

  it('without a group works as with one', async () => {
    const id = reference.job_id
    const short = await medloom('status', id, '--json')
    expect(short).toEqual(await medloom('jobs', 'status', id, '--json'))
    expect((await medloom('ls', '--limit', '1')).stdout).toMatch(/\n1 of \d+; use --limit\.\n$/)
    expect((await medloom('start')).stderr).toContain('--config')
    expect((await medloom('eval', 'none')).code).toBe(4)
  })

  it('--help documents every exit status', async () => {
    const { code, stdout } = await medloom('--help')
    expect(code).toBe(0)
    for (const status of [0, 1, 2, 3, 4, 5, 6, 70, 130])
      expect(stdout).toMatch(new RegExp(`^ +${status}  `, 'm'))
  })

  it('a service that is not there exits 3', async () => {
    const { code, stderr } = await medloom('jobs', 'ls', '--url', `http://127.0.0.1:${await freePort()}`)
    expect(code).toBe(3)
    expect(stderr).toContain('[UNREACHABLE]')
  })
})

describe('serve', () => {
  it('refuses a data folder that another service uses', async () => {
    // The real program: only a separate process can exit.
    const { code, stderr } = await ended(
      command.start(['serve', '--port', '0', '--data-dir', shared.dataDir]),
    )
    expect(code).toBe(2)
    expect(stderr).toContain('What to do:')
  })
})

describe('doctor', () => {
  const doctor = (...args: string[]) => ['doctor', '--data-dir', join(folder, 'doctor'), ...args]
  const noPython = ['--python', join(folder, 'no-python')]

  it('finds no failure here', async () => {
    const { code, stdout } = await medloom(...doctor('--python', PYTHON, '--json'))
    const { checks, status } = JSON.parse(stdout)
    expect(checks.filter((check: { status: string }) => check.status === 'fail')).toEqual([])
    expect(status).not.toBe('fail')
    expect(code).toBe(0)
    const keys = checks.map((check: { key: string }) => check.key)
    expect(keys).toEqual(['node', 'python', 'packages', 'trainer', 'gpu', 'data_dir', 'disk', 'service'])
  })

  it('names what fails and how to fix it, and exits 1', async () => {
    const { code, stdout } = await medloom(...doctor(...noPython))
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {2}Python .*no such interpreter\n +Run "npm run setup"/m)
    expect(stdout).toMatch(/^ok {4}Service/m)
  })

  it('sees a port that something else holds', async () => {
    const server = createServer((socket) => socket.end('nothing of Medloom\n')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { code, stdout } = await medloom(...doctor(...noPython, '--url', `http://127.0.0.1:${port}`))
    server.close()
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {2}Service/m)
  })
})
