import { appendFileSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
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

describe('what goes wrong later is a failed job too', () => {
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
