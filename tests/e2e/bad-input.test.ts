import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Job, TrainingConfigInput } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../packages/server/testing/eventually.js'
import { readRows } from '../testing/dataset.js'
import { patient } from '../testing/deadline.js'
import { Caller } from '../testing/http.js'
import { startService, temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { canMount, SmallDisk } from '../testing/small-disk.js'
import { longTrainingConfig, trainingConfig } from '../testing/training.js'

const caller = new Caller(shared.url)
const dataset = shared.dataset
const root = dirname(dataset)

/** Two epochs on a table only, which are fast. */
const tableOnly = (changes: Parameters<typeof trainingConfig>[1] = {}) =>
  trainingConfig(dataset, {
    ...changes,
    model: { vision_backbone: 'none', fusion_type: 'concatenate', ...changes.model },
  })

beforeAll(() => caller.ended(shared.referenceJob))

describe('a request that cannot be right is refused and changes nothing', () => {
  const send = async (config: unknown) => {
    const before = (await caller.get<{ jobs: object[] }>('/api/training?page_size=1000')).body.jobs.length
    const runs = readdirSync(join(shared.dataDir, 'runs')).length
    const answer = await caller.post<{
      code: string
      details: string
      issues?: { path: string; hint?: string }[]
    }>('/api/training/start', typeof config === 'string' ? config : { config, job_name: 'bad' })
    expect((await caller.get<{ jobs: object[] }>('/api/training?page_size=1000')).body.jobs.length).toBe(
      before,
    )
    expect(readdirSync(join(shared.dataDir, 'runs')).length).toBe(runs)
    expect(answer.status).toBe(400)
    expect(answer.body.details.length).toBeGreaterThan(10)
    return answer.body
  }

  const cases: [string, Parameters<typeof trainingConfig>[1], string, string][] = [
    ['an unknown key', { model: { hiden_dim: 8 } as object }, 'UNKNOWN_FIELD', 'config.model.hiden_dim'],
    [
      'a wrong type',
      { training: { epochs: '3' as unknown as number } },
      'INVALID_CONFIG',
      'config.training.epochs',
    ],
    ['no epochs', { training: { epochs: 0 } }, 'INVALID_CONFIG', 'config.training.epochs'],
    ['a billion epochs', { training: { epochs: 1e9 } }, 'INVALID_CONFIG', 'config.training.epochs'],
    [
      'an unknown backbone',
      { model: { vision_backbone: 'resnet81' } },
      'UNKNOWN_BACKBONE',
      'config.model.vision_backbone',
    ],
    [
      'a hidden_dim that the heads do not divide',
      { model: { fusion_type: 'cross_attention', hidden_dim: 18 } },
      'INVALID_CONFIG',
      'config.model.hidden_dim',
    ],
    [
      'a CSV that is not there',
      { data: { train_csv: join(dataset, 'nothing.csv') } },
      'FILE_NOT_FOUND',
      'config.data.train_csv',
    ],
    [
      'a path outside the roots',
      { data: { train_csv: '/etc/passwd' } },
      'PATH_NOT_ALLOWED',
      'config.data.train_csv',
    ],
    [
      'a path that climbs out',
      { data: { val_csv: `${dataset}/../../../../etc/passwd` } },
      'PATH_NOT_ALLOWED',
      'config.data.val_csv',
    ],
  ]
  it.each(cases)('%s', async (_, changes, code, path) => {
    const body = await send(trainingConfig(dataset, changes))
    expect(body.code).toBe(code)
    expect(body.issues?.map((issue) => issue.path)).toContain(path)
  })

  it('a link inside the roots that leads out of them', async () => {
    const link = join(root, 'link.csv')
    symlinkSync('/etc/passwd', link)
    expect((await send(trainingConfig(dataset, { data: { train_csv: link } }))).code).toBe('PATH_NOT_ALLOWED')
    rmSync(link)
  })

  it('broken JSON', async () => expect((await send('{"config":')).code).toBe('INVALID_JSON'))
  it('a body over the limit', async () =>
    expect((await send(JSON.stringify({ job_name: 'x'.repeat(1 << 20) }))).code).toBe('PAYLOAD_TOO_LARGE'))
  it.each(['__proto__', 'constructor'])('%s as a key', async (key) => {
    const text = JSON.stringify({ config: tableOnly(), job_name: 'x' }).replace(
      '"job_name"',
      `"${key}":{"admin":true},"job_name"`,
    )
    await send(text)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })
  it('every problem at once', async () => {
    const body = await send({
      data: { train_csv: 3 },
      model: { vision_backbone: 'x', fusion_type: 'y' },
      training: {},
    })
    expect(body.issues?.length).toBeGreaterThanOrEqual(5)
  })
})

describe('data that cannot be trained on ends the job as failed, before its first epoch', () => {
  let folder: string
  beforeAll(() => {
    folder = join(root, 'broken')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const failed = async (
    config: TrainingConfigInput,
  ): Promise<Job & { error: { code: string; message: string } }> => {
    const job = await caller.ended(await caller.start(config, 'broken data'))
    expect(job.status).toBe('failed')
    expect(job.epoch).toBe(0)
    if (!job.error) throw new Error('a failed job says why')
    return { ...job, error: job.error }
  }
  /** train.csv of the synthetic dataset with changed cells. */
  const variant = (name: string, change: (rows: string[][]) => string[][]): string => {
    cpSync(dataset, join(folder, name), { recursive: true })
    const csv = join(folder, name, 'train.csv')
    writeFileSync(
      csv,
      `${change(readRows(csv))
        .map((row) => row.join(','))
        .join('\n')}\n`,
    )
    return join(folder, name)
  }
  const column = (rows: string[][], name: string): number => {
    const index = rows[0]?.indexOf(name) ?? -1
    if (index < 0) throw new Error(`no column ${name} in ${rows[0]}`)
    return index
  }
  const setColumn = (name: string, value: (old: string, row: number) => string) => (rows: string[][]) =>
    rows.map((row, i) =>
      i === 0 ? row : row.map((cell, j) => (j === column(rows, name) ? value(cell, i) : cell)),
    )

  it('a ragged row: CSV_MALFORMED with the row number', async () => {
    const data = variant('ragged', (rows) => rows.map((row, i) => (i === 5 ? [...row, 'surplus'] : row)))
    const { error } = await failed(trainingConfig(data))
    expect(error).toMatchObject({ code: 'CSV_MALFORMED', message: expect.stringMatching(/\b6\b/) })
  })
  it('no label column: LABEL_NOT_FOUND', async () => {
    const data = variant('unlabeled', (rows) => {
      const index = column(rows, 'label')
      return rows.map((row) => row.filter((_, j) => j !== index))
    })
    expect((await failed(trainingConfig(data, { data: { val_csv: null } }))).error.code).toBe(
      'LABEL_NOT_FOUND',
    )
  })
  it('one class only: LABEL_INVALID', async () => {
    const data = variant(
      'one-class',
      setColumn('label', () => '1'),
    )
    expect((await failed(trainingConfig(data))).error.code).toBe('LABEL_INVALID')
  })
  it('a regression on words: LABEL_INVALID with the rows', async () => {
    const data = variant(
      'words',
      setColumn('label', (old, row) => (row === 3 ? 'high' : `${old}.5`)),
    )
    const { error } = await failed(trainingConfig(data, { model: { task: 'regression' } }))
    expect(error).toMatchObject({ code: 'LABEL_INVALID', message: expect.stringMatching(/\b4\b/) })
  })
  it('missing and corrupt images: IMAGES_UNREADABLE with their number and rows, and none is dropped', async () => {
    const data = variant('images', (rows) => rows)
    const rows = readRows(join(data, 'train.csv'))
    const image = column(rows, 'image')
    rmSync(join(data, rows[1]?.[image] ?? ''))
    const corrupt = join(data, rows[2]?.[image] ?? '')
    writeFileSync(corrupt, readFileSync(corrupt).subarray(0, 60))
    const { error } = await failed(trainingConfig(data))
    expect(error.code).toBe('IMAGES_UNREADABLE')
    expect(error.message).toMatch(/\b2\b/)
    expect(error.message).toMatch(/\b3\b/)
    const lenient = await caller.ended(
      await caller.start(
        trainingConfig(data, { data: { unreadable_images: 'missing' }, training: { epochs: 1 } }),
      ),
    )
    expect(lenient.status, JSON.stringify(lenient.error)).toBe('completed')
    expect(lenient.prepared?.splits.train?.cases).toBe(rows.length - 1)
  })
  it('a patient in both tables: DATASET_LEAK; an explicit key overrides it and is written into the report', async () => {
    const data = variant('leak', (rows) => {
      const [header, first] = readRows(join(dataset, 'val.csv'))
      return header && first ? [...rows, first] : rows
    })
    expect((await failed(trainingConfig(data))).error.code).toBe('DATASET_LEAK')
    const job = await caller.ended(
      await caller.start(trainingConfig(data, { data: { allow_leakage: true }, training: { epochs: 1 } })),
    )
    expect(job.status, JSON.stringify(job.error)).toBe('completed')
    expect(job.prepared?.warnings.map(({ code }) => code)).toContain('DATASET_LEAK')
    const report = await waitForFile(join(job.run_dir, 'reports/report.md'))
    expect(report).toMatch(/leak/i)
  })
  it('a batch larger than the data: BATCH_TOO_LARGE', async () => {
    expect((await failed(tableOnly({ training: { batch_size: 5000 } }))).error.code).toBe('BATCH_TOO_LARGE')
  })
  it('pretrained weights out of reach: WEIGHTS_UNAVAILABLE at once', async () => {
    const began = Date.now()
    expect((await failed(trainingConfig(dataset, { model: { pretrained: true } }))).error.code).toBe(
      'WEIGHTS_UNAVAILABLE',
    )
    expect(Date.now() - began).toBeLessThan(30_000)
  })
  it('a device that is not there: DEVICE_UNAVAILABLE', async () => {
    const { body } = await caller.get<{ gpu: { count: number } }>('/api/system/info')
    const config = tableOnly({ training: { device: `cuda:${body.gpu.count + 7}` } })
    expect((await failed(config)).error.code).toBe('DEVICE_UNAVAILABLE')
  })
  it('no value of a patient is in the message', async () => {
    const data = variant(
      'private',
      setColumn('patient_id', () => 'SECRET-PERSON'),
    )
    const job = await caller.ended(
      await caller.start(trainingConfig(data, { data: { label_column: 'age' } })),
    )
    expect(JSON.stringify(job)).not.toContain('SECRET-PERSON')
  })
})

describe('what goes wrong later is a failed job too', () => {
  it('a loss that is not a number: LOSS_NOT_FINITE with the epoch and batch', async () => {
    const data = join(root, 'diverging')
    cpSync(dataset, data, { recursive: true })
    for (const file of ['train.csv', 'val.csv']) {
      const rows = readRows(join(data, file))
      const label = rows[0]?.indexOf('label') ?? 0
      const lines = rows.map((row, i) =>
        row.map((cell, j) => (i > 0 && j === label ? String(i * 1.37) : cell)).join(','),
      )
      writeFileSync(join(data, file), `${lines.join('\n')}\n`)
    }
    const job = await caller.ended(
      await caller.start({
        ...tableOnly(),
        data: { train_csv: join(data, 'train.csv'), val_csv: join(data, 'val.csv') },
        model: { vision_backbone: 'none', fusion_type: 'concatenate', task: 'regression' },
        training: {
          epochs: 200,
          batch_size: 4,
          learning_rate: 10,
          optimizer: 'sgd',
          scheduler: 'none',
          gradient_clip: null,
          device: 'cpu',
        },
      }),
    )
    expect(job).toMatchObject({
      status: 'failed',
      error: { code: 'LOSS_NOT_FINITE', message: expect.stringMatching(/epoch/) },
    })
    rmSync(data, { recursive: true, force: true })
  })

  it.skipIf(!canMount)(
    'a full disk while saving a checkpoint: DISK_FULL (needs the right to mount a tmpfs)',
    { tags: ['full'] },
    async () => {
      // Less space than the checkpoints of a ResNet-18 with its optimizer need.
      const disk = new SmallDisk(temporaryFolder('disk'), 90)
      const service = await startService({ roots: [root], dataDir: join(disk.folder, 'data') })
      try {
        const other = new Caller(service.url)
        const job = await other.ended(
          await other.start(
            trainingConfig(dataset, {
              model: { vision_backbone: 'resnet18' },
              training: { epochs: 5, optimizer: 'adamw' },
            }),
          ),
        )
        expect(job).toMatchObject({ status: 'failed', error: { code: 'DISK_FULL' } })
        expect((await other.get('/api/system/health')).status).toBe(200)
      } finally {
        await service.stop()
        disk.remove()
      }
    },
  )

  it.skipIf(!canMount)(
    'a disk that others fill while a training runs: DISK_FULL, with the space that was left (needs the right to mount a tmpfs)',
    { tags: ['full'] },
    async () => {
      const disk = new SmallDisk(temporaryFolder('disk'), 96)
      const service = await startService({ roots: [root], dataDir: join(disk.folder, 'data') })
      try {
        const other = new Caller(service.url)
        const jobId = await other.start(longTrainingConfig(dataset))
        const { run_dir } = await other.until(jobId, ({ epoch }) => epoch >= 2)
        const filler = join(disk.folder, 'filler')
        fillUp(filler)
        const job = await other.until(jobId, ({ status }) => status === 'failed', 30)
        expect(job.error).toMatchObject({
          code: 'DISK_FULL',
          message: expect.stringMatching(/^no space left /),
        })
        expect(JSON.parse(readFileSync(join(run_dir, 'result.json'), 'utf8'))).toMatchObject({
          ...job.error,
          details: expect.stringContaining('Free disk space'),
        })
        expect(readdirSync(run_dir).filter((name) => name.startsWith('reserve'))).toEqual([])
        rmSync(filler)
        const { messages } = await other.listen(jobId)
        expect(messages.at(-1)).toMatchObject({ type: 'error', code: 'DISK_FULL' })
      } finally {
        await service.stop()
        disk.remove()
      }
    },
  )
})

/** Writes until the disk is full, whatever the training writes and removes in the meantime. */
function fillUp(file: string): void {
  const block = Buffer.alloc(1 << 20)
  expect(() => {
    for (;;) appendFileSync(file, block)
  }).toThrow('ENOSPC')
}

/** Reports are written one at a time, after those of earlier jobs. */
function waitForFile(path: string): Promise<string> {
  return eventually(() => readFileSync(path, 'utf8'), undefined, { within: patient(60), every: 100 })
}
