import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Checkpoint, ErrorIssue, Job, JobSummary, Model, TrainingConfigInput } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { shared, training } from '../testing/shared.js'
import type { trainingConfig } from '../testing/training.js'
import { explain, type Nodes, tableModel, Workflows, workflow } from '../testing/workflow.js'

const caller = new Caller(training.url)
/** For trainings of which only the start matters. */
const replaying = new Caller(shared.url)
const workflows = new Workflows(caller)
const root = dirname(training.dataset)
const old = (name: string) => join(training.dataset, `${name}.csv`)
const further = (name: string) => join(root, 'further', `${name}.csv`)

let trained: Job
let best: Checkpoint
beforeAll(async () => {
  // Other patients, with the same columns.
  makeDataset(join(root, 'further'), { cases: 60, seed: 5, prefix: 'Q' })
  trained = await caller.ended(training.referenceJob)
  const { body } = await caller.get<{ checkpoints: Checkpoint[] }>(
    `/api/training/${trained.job_id}/checkpoints`,
  )
  best = body.checkpoints[0] as Checkpoint
})

/** As short as a user writes it: keys on which the weights depend come from the trained model. */
function tuning(
  from: unknown,
  changes: Parameters<typeof trainingConfig>[1] = {},
  folder = join(root, 'further'),
): TrainingConfigInput {
  return {
    data: { train_csv: join(folder, 'train.csv'), val_csv: join(folder, 'val.csv'), ...changes.data },
    model: {
      vision_backbone: 'mobilenetv3_small',
      fusion_type: 'concatenate',
      fine_tune_from: from as string,
      ...changes.model,
    },
    training: { epochs: 1, batch_size: 8, device: 'cpu', num_workers: 1, ...changes.training },
    baselines: [],
  }
}

interface Refused {
  code: string
  error: string
  details: string
  issues: ErrorIssue[]
}
const refused = async (config: TrainingConfigInput, by = caller) => {
  const { status, body } = await by.post<Refused>('/api/training/start', { config })
  return { status, ...body }
}

describe('fine-tuning', () => {
  const { run } = new MedloomCommand(root, { MEDLOOM_URL: training.url })
  const file = join(root, 'tune.json')
  let tuned: Job
  beforeAll(async () => {
    writeFileSync(file, JSON.stringify(tuning(null)))
    const started = await run('train', '-f', file, '--fine-tune-from', String(trained.model_id), '--json')
    expect(started.code, started.stderr).toBe(0)
    tuned = await caller.ended(JSON.parse(started.stdout).job_id)
  })

  it('is a new training from epoch 1 whose record, list and status name the trained model', async () => {
    expect(tuned).toMatchObject({ status: 'completed', epoch: 1, resumed_from: null })
    expect(tuned.fine_tuned_from).toEqual({
      job_id: trained.job_id,
      model_id: trained.model_id,
      epoch: best.epoch,
      checkpoint_digest: best.digest,
    })
    const { body } = await caller.get<{ jobs: JobSummary[] }>('/api/training?page_size=1000')
    const listed = body.jobs.find(({ job_id }) => job_id === tuned.job_id)
    expect(listed?.fine_tuned_from).toEqual(tuned.fine_tuned_from)
    expect(trained.fine_tuned_from).toBeNull()
  })

  it('takes from it what its weights depend on, which the record shows', () => {
    expect(tuned.config.model).toMatchObject({ hidden_dim: 16, fine_tune_from: best.path, dropout: 0.1 })
    expect(tuned.config.data.image_size).toEqual([32, 32])
    expect(tuned.config.data.numeric_columns).toEqual(trained.prepared?.numeric_columns)
    expect(tuned.prepared?.classes).toEqual(trained.prepared?.classes)
    expect(tuned.prepared?.positive_class).toBe(trained.prepared?.positive_class)
  })

  it('its model, checkpoints and report name it too', async () => {
    const { body: model } = await caller.get<Model>(`/api/models/${tuned.model_id}`)
    expect(model.fine_tuned_from).toEqual(tuned.fine_tuned_from)
    const { body: before } = await caller.get<Model>(`/api/models/${trained.model_id}`)
    expect(before.fine_tuned_from).toBeNull()
    for (const name of ['best', 'last']) {
      const manifest = JSON.parse(
        readFileSync(join(tuned.run_dir, 'checkpoints', name, 'checkpoint.json'), 'utf8'),
      )
      expect(manifest).toMatchObject({ job_id: tuned.job_id, fine_tuned_from: tuned.fine_tuned_from })
    }
    const { report_path } = await caller.until(tuned.job_id, (job) => job.report_path !== null)
    // Without the tags that mark possible breaks of a long name.
    const report = readFileSync(String(report_path), 'utf8').replaceAll(/<[^>]*>/g, '')
    expect(report).toContain(`model ${trained.model_id}, job ${trained.job_id}`)
  })

  it('knows the patients of the trained model in an evaluation', async () => {
    const evaluate = (csv: string) =>
      caller.post<{ warnings: { code: string }[] }>(`/api/models/${tuned.model_id}/evaluate`, {
        test_csv: csv,
      })
    const codes = async (csv: string) => (await evaluate(csv)).body.warnings.map(({ code }) => code)
    expect(await codes(old('train'))).toContain('EVALUATED_ON_TRAINING_DATA')
    expect(await codes(further('test'))).not.toContain('EVALUATED_ON_TRAINING_DATA')
  })

  it('while it runs, keeps the trained model from being removed; another is not started from it, or from nothing', async () => {
    const { model_id, job_id } = await replaying.ended(shared.referenceJob)
    const running = await replaying.start(
      tuning(job_id, { training: { epochs: 50_000 } }, shared.dataset),
      'long pause=1',
    )
    const { status, body } = await replaying.delete(`/api/models/${model_id}?dry_run=true`)
    const answers = await Promise.all(
      ['no_such_model_001', '11111111-1111-4111-8111-111111111111', running, './nowhere', '/etc/'].map(
        async (from) => refused(tuning(from, {}, shared.dataset), replaying),
      ),
    )
    await replaying.post(`/api/training/${running}/stop`)
    expect([status, body.code]).toEqual([400, 'MODEL_IN_USE'])
    expect(body.error).toContain(running)
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [404, 'MODEL_NOT_FOUND'],
      [404, 'JOB_NOT_FOUND'],
      [400, 'JOB_RUNNING'],
      [400, 'CHECKPOINT_NOT_FOUND'],
      [400, 'PATH_NOT_ALLOWED'],
    ])
    for (const { error } of answers) expect(error).toContain('config.model.fine_tune_from')
  })

  it('is refused before it is a job where its architecture or preprocessing is another one', async () => {
    const answer = await refused(
      tuning(trained.model_id, {
        data: { image_size: [64, 64], label_column: 'site' },
        model: { hidden_dim: 32, fusion_type: 'gated' },
      }),
    )
    expect([answer.status, answer.code]).toEqual([400, 'CHECKPOINT_MISMATCH'])
    expect(answer.issues.map(({ path }) => path)).toEqual([
      'config.data.label_column',
      'config.data.image_size',
      'config.model.fusion_type',
      'config.model.hidden_dim',
    ])
    expect(answer.issues.at(-1)?.hint).toContain('set it to 16')
  })

  it('takes the folder of a checkpoint inside the roots, and no damaged one', async () => {
    const copy = join(dirname(shared.dataset), 'copied', 'run', 'checkpoints', 'best')
    cpSync(best.path, copy, { recursive: true })
    const config = tuning('copied/run/checkpoints/best', {}, shared.dataset)
    const jobId = await replaying.start(config, 'folder pause=1')
    const { fine_tuned_from } = await replaying.status(jobId)
    await replaying.post(`/api/training/${jobId}/stop`)
    expect(fine_tuned_from).toMatchObject({ checkpoint_digest: best.digest })

    const weights = join(copy, readdirSync(copy).find((name) => name.startsWith('model.')) ?? '')
    const bytes = readFileSync(weights)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 0xff
    writeFileSync(weights, bytes)
    const answer = await refused(config, replaying)
    expect([answer.status, answer.code]).toEqual([400, 'CHECKPOINT_CORRUPT'])
  })

  it('is shown with its origin by jobs status and models show', async () => {
    const { job_id, model_id } = tuned
    const origin = `${trained.model_id} (job ${trained.job_id.slice(0, 8)}, epoch ${best.epoch})`
    expect((await run('jobs', 'status', job_id)).stdout).toContain(`fine-tunes ${origin}`)
    expect((await run('models', 'show', String(model_id))).stdout).toContain(`fine-tunes  ${origin}`)
    const unknown = await run('train', '-f', file, '--fine-tune-from', 'nothing_001')
    expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('MODEL_NOT_FOUND')])
  })
})

// load ─► split ─► train ─► tune ◄─ other data; tune ─► test
describe('ResumeTraining', () => {
  const model = tableModel(3)
  const drawn = (tune: Record<string, unknown>, wires: string[], nodes: Nodes = {}) =>
    workflow(
      {
        ...model.nodes,
        load: ['LoadTabular', { path: old('train') }],
        split: ['DataSplit', { train_ratio: 0.7, val_ratio: 0.3, test_ratio: 0, seed: 2 }],
        more: ['LoadTabular', { path: further('train') }],
        checks: ['LoadTabular', { path: further('val') }],
        tune: ['ResumeTraining', tune],
        ...nodes,
      },
      [
        ...model.wires,
        'load.dataframe > split.dataset',
        'split.train_dataset > train.train_dataset',
        'split.val_dataset > train.val_dataset',
        'train.best_checkpoint > tune.checkpoint_path',
        ...wires,
      ],
    )
  const CONFIG = { mode: 'fine_tune', epochs: 1, learning_rate: 0.0005 }
  const FURTHER = ['more.dataframe > tune.train_dataset', 'checks.dataframe > tune.val_dataset']
  const SAME = ['split.train_dataset > tune.train_dataset', 'split.val_dataset > tune.val_dataset']
  const jobOf = async (nodes: Record<string, { job_id?: string | null | undefined }>, node: string) =>
    caller.status(String(nodes[node]?.job_id))

  it('fine-tunes the model that arrives with other data, and evaluates it on third ones', async () => {
    const test: Nodes = {
      held: ['LoadTabular', { path: further('test') }],
      test: ['EvaluateModel'],
    }
    const wires = ['held.dataframe > test.test_dataset', 'tune.trained_model > test.model']
    const document = drawn(CONFIG, [...FURTHER, ...wires], test)
    const { id, nodes } = await workflows.succeed(document)
    const [parent, job] = [await jobOf(nodes, 'train'), await jobOf(nodes, 'tune')]
    expect(job).toMatchObject({ status: 'completed', epoch: 1, total_epochs: 1, resumed_from: null })
    expect(job.config.training.learning_rate).toBe(0.0005)
    expect(job.config.model.hidden_dim).toBe(16)
    expect(job.fine_tuned_from).toMatchObject({
      job_id: parent.job_id,
      model_id: parent.model_id,
      epoch: parent.best?.epoch,
    })
    expect(job.prepared?.warnings.map(({ code }) => code)).not.toContain('LEAK_CHECK_INCOMPLETE')

    // A changed setting of the node causes another training; everything upstream stays the same.
    await workflows.change(id, ({ nodes: all }) => {
      const tune = all.find((node) => node.id === 'tune')
      if (tune) tune.config = { ...tune.config, learning_rate: 0.001 }
    })
    const steps = await workflows.plan(id)
    expect([steps.train?.action, steps.tune?.action]).toEqual(['reuse', 'run'])
  })

  it('refuses to test it on patients of the first training, which the graph does not show', async () => {
    // A different file: only the tables show that these are the same patients.
    const copied = join(root, 'renamed.csv')
    const text = readFileSync(old('train'), 'utf8').replaceAll('images/', 'synthetic/images/')
    writeFileSync(copied, text)
    // The fine-tuned model of the first workflow is reused.
    const id = await workflows.create(
      drawn(CONFIG, [...FURTHER, 'held.dataframe > test.test_dataset', 'tune.trained_model > test.model'], {
        held: ['LoadTabular', { path: copied }],
        test: ['EvaluateModel'],
      }),
    )
    const { status, nodes } = await workflows.run(id)
    expect([status, nodes.tune?.status]).toEqual(['error', 'cached'])
    expect(nodes.test?.error).toMatchObject({ type: 'DATASET_LEAK' })
    expect(nodes.test?.error?.message).toMatch(/\d+ patients of the test data/)
  })

  it('continues from the epoch of the arriving checkpoint, for the given number of epochs', async () => {
    const { nodes } = await workflows.succeed(drawn({ epochs: 2 }, SAME))
    const [before, job] = [await jobOf(nodes, 'train'), await jobOf(nodes, 'tune')]
    const from = before.best?.epoch ?? 0
    expect(job).toMatchObject({ resumed_from: before.job_id, total_epochs: from + 2, fine_tuned_from: null })
    const { messages } = await caller.listen(job.job_id)
    expect(messages.filter(({ type }) => type === 'epoch_end').map(({ epoch }) => epoch)).toEqual([
      from + 1,
      from + 2,
    ])
  })

  it('with other data cannot be continued: an issue of the check, whose remedy is the other mode', async () => {
    const issues = await workflows.issues(drawn({}, FURTHER))
    expect(issues.map(({ code, node, severity }) => [code, node, severity])).toEqual([
      ['CHECKPOINT_MISMATCH', 'tune', 'error'],
    ])
    expect(issues[0]?.hint).toContain('set mode of "tune" to "fine_tune"')
    expect(await workflows.issues(drawn({ mode: 'fine_tune' }, FURTHER))).toEqual([])
  })

  it('is reported if only the data shows it', async () => {
    // A filter may keep everything; this one does not.
    const id = await workflows.create(
      drawn({}, ['keep.filtered_dataset > tune.train_dataset', 'split.val_dataset > tune.val_dataset'], {
        keep: ['FilterData', { filter_condition: 'age > 40' }],
      }),
    )
    await workflows.change(id, ({ connections }) => {
      const [first] = connections
      if (first)
        connections.push({
          ...first,
          id: 'kept',
          source: 'split',
          source_port: 'train_dataset',
          target: 'keep',
          target_port: 'dataset',
        })
    })
    const { nodes } = await workflows.run(id)
    expect(nodes.tune?.error, explain(nodes)).toMatchObject({ type: 'CHECKPOINT_MISMATCH' })
    expect(nodes.tune?.error?.message).toContain('train split')
  })

  it('refuses data that lack a column which the model reads, before there is a job', async () => {
    const short = join(root, 'short.csv')
    const [header = '', ...rows] = readFileSync(further('train'), 'utf8').trim().split('\n')
    const names = header.split(',')
    const age = names.indexOf('age')
    const without = (line: string) =>
      line
        .split(',')
        .filter((_, index) => index !== age)
        .join(',')
    writeFileSync(short, [header, ...rows].map(without).join('\n').replaceAll('images/', 'further/images/'))
    const id = await workflows.create(
      drawn({ mode: 'fine_tune' }, FURTHER, { more: ['LoadTabular', { path: short }] }),
    )
    const { nodes } = await workflows.run(id)
    expect(nodes.tune?.status).toBe('error')
    expect(`${nodes.tune?.error?.type} ${nodes.tune?.error?.message}`).toMatch(/COLUMN_NOT_FOUND.*age/)
    expect(basename(short)).toBe('short.csv')
  })
})
