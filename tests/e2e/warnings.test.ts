import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Inspection, Job, Warning, WorkflowStatus } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { tableModel, Workflows, workflow } from '../testing/workflow.js'

const caller = new Caller(shared.url)
const workflows = new Workflows(caller)
const folder = temporaryFolder('warnings')
const medloom = new MedloomCommand(folder, { MEDLOOM_URL: shared.url }).run

/** Number of occurrences of each warning in a text, as its message followed by its code. */
const shown = (text: string, warnings: readonly Warning[]) =>
  warnings.map(({ code, message }) => text.split(`${message} [${code}]`).length - 1)
const once = (warnings: readonly Warning[]) => warnings.map(() => 1)
const distinct = (warnings: readonly Warning[]) => new Set(warnings.map((one) => JSON.stringify(one))).size

//  one ─┐
//       ├─► merged      the same cases twice
//  two ─┘
it('what a node warned of is read with its state, also when its result is cached', async () => {
  const path = join(shared.dataset, 'train.csv')
  const { id, nodes } = await workflows.succeed(
    workflow(
      {
        one: ['LoadTabular', { path }],
        two: ['LoadTabular', { path }],
        merged: ['MergeDatasets'],
      },
      ['one.dataframe > merged.dataset1', 'two.dataframe > merged.dataset2'],
    ),
  )
  expect(nodes.merged?.warnings).toContainEqual(
    expect.objectContaining({
      code: 'DUPLICATE_CASES',
      message: expect.stringContaining('cases of several sources were included once'),
    }),
  )
  expect(nodes.one).not.toHaveProperty('warnings')
  const again = await workflows.run(id)
  expect(again.nodes.merged).toMatchObject({ status: 'cached', warnings: nodes.merged?.warnings })
  const [snapshot] = await workflows.listen(id, ({ type }) => type === 'snapshot')
  expect(snapshot).toMatchObject({ state: { nodes: { merged: { warnings: nodes.merged?.warnings } } } })
  const first = nodes.merged?.warnings?.[0]
  const report = (name: string) =>
    readFileSync(join(shared.dataDir, 'workflows', id, 'reports', name), 'utf8')
  expect(report('report.md')).toContain(`merged: ${first?.message} [${first?.code}]`)
  expect(JSON.parse(report('summary.json')).nodes.merged.warnings).toEqual(nodes.merged?.warnings)
})

describe('a table without a patient column and with a constant one', () => {
  const table = join(dirname(shared.dataset), 'no-patients.csv')
  let job: Job
  let watched: string

  beforeAll(async () => {
    const rows = Array.from({ length: 60 }, (_, i) => `${20 + ((i * 7) % 50)},here,${i % 2 ? 'ill' : 'well'}`)
    writeFileSync(table, ['age,site,label', ...rows, ''].join('\n'))
    const config = {
      data: { train_csv: table },
      model: { vision_backbone: 'none', fusion_type: 'concatenate', hidden_dim: 8 },
      training: { epochs: 1, batch_size: 16, device: 'cpu', num_workers: 1 },
    }
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
    const { code, stdout } = await medloom('train', '-f', 'config.json', '--watch')
    expect(code, stdout).toBe(0)
    watched = stdout
    job = await caller.status(String(/^job (\S+)$/m.exec(stdout)?.[1]))
  })
  const warnings = () => job.prepared?.warnings ?? []

  it('is warned of by an inspection and by a training alike', async () => {
    const { body } = await caller.post<Inspection>('/api/datasets/inspect', { path: table })
    const [check] = body.readiness.checks.filter(({ key }) => key === 'patients')
    expect(check).toMatchObject({ status: 'warning', message: expect.stringContaining('no patient column') })
    expect(warnings().map(({ code }) => code)).toEqual(
      expect.arrayContaining(['NO_PATIENT_COLUMN', 'CONSTANT_COLUMN']),
    )
  })

  it('has each warning once in the status, while it is watched, on the page of the job, and in its report', async () => {
    expect(distinct(warnings())).toBe(warnings().length)
    expect(shown(watched, warnings())).toEqual(once(warnings()))
    const page = await medloom('jobs', 'status', job.job_id)
    expect(shown(page.stdout, warnings())).toEqual(once(warnings()))
    const again = await medloom('jobs', 'watch', job.job_id)
    expect(shown(again.stdout, warnings())).toEqual(once(warnings()))
    // The report is written after the end.
    const file = join(job.run_dir, 'reports/report.md')
    await expect.poll(() => existsSync(file)).toBe(true)
    const report = readFileSync(file, 'utf8').replaceAll('\\_', '_')
    for (const { code } of warnings()) expect(report.split(`(${code})`).length - 1, code).toBe(1)
  })

  // load ─► train
  it('has each warning once in the run of a workflow, at its end on the command line and in its status', async () => {
    const { nodes, wires } = tableModel(1)
    const document = workflow({ load: ['LoadTabular', { path: table }], ...nodes }, [
      ...wires,
      'load.dataframe > train.train_dataset',
    ])
    writeFileSync(join(folder, 'study.json'), JSON.stringify(document))
    const run = await medloom('workflow', 'run', 'study.json')
    expect(run.code, run.stderr).toBe(0)
    const id = String(/^workflow (\S+)$/m.exec(run.stdout)?.[1])
    const { body: status } = await caller.get<WorkflowStatus>(`/api/workflow/${id}/status`)
    const all = Object.entries(status.nodes).map(([node, { warnings: given = [] }]) => ({ node, given }))
    expect(all.find(({ node }) => node === 'train')?.given.map(({ code }) => code)).toContain(
      'NO_PATIENT_COLUMN',
    )
    const page = await medloom('workflow', 'status', id)
    for (const { node, given } of all) {
      expect(distinct(given), node).toBe(given.length)
      const named = given.map(({ code, message }) => ({ code, message: `${node}: ${message}` }))
      expect(shown(run.stdout, named), node).toEqual(once(given))
      expect(shown(page.stdout, named), node).toEqual(once(given))
    }
  })
})
