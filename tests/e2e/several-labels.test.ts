import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Dataset, Evaluation, Job, Model } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { shared } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'

const caller = new Caller(shared.url)
const LABELS = ['nodule', 'effusion', 'oedema']
const table = join(shared.dataset, 'several-labels.csv')

/** 150 patients with three informative numbers for three labels, some of which are missing. */
function writeTable() {
  const rows = Array.from({ length: 150 }, (_, row) => {
    const numbers = [3, 5, 7].map((prime) => ((row * prime * 13) % 101) / 50 - 1)
    const labels = numbers.map((number, index) =>
      (row + index) % 17 === 0 ? '' : number + ((row % 7) - 3) / 8 > 0.1 * index ? 'yes' : 'no',
    )
    return [`p${row}`, ...numbers, row % 2 ? 'f' : 'm', ...labels, row < 110 ? 'train' : 'test'].join(',')
  })
  writeFileSync(table, [`patient_id,a,b,c,sex,${LABELS.join(',')},split`, ...rows, ''].join('\n'))
}

const config = () => ({
  ...trainingConfig(shared.dataset, {
    model: { vision_backbone: 'none' },
    training: { epochs: 4, learning_rate: 0.01 },
  }),
  data: { train_csv: table, label_columns: LABELS },
})

let job: Job
beforeAll(async () => {
  writeTable()
  job = await caller.ended(await caller.start(config(), 'several labels'))
})

describe('several labels of a case', () => {
  it('are trained, and the model names them', async () => {
    expect(job.error).toBeNull()
    expect(job.prepared).toMatchObject({ task: 'multilabel', label_column: null, label_columns: LABELS })
    expect(job.prepared?.warnings.map(({ code }) => code)).toContain('LABELS_MISSING')
    const { body } = await caller.get<Model>(`/api/models/${job.model_id}`)
    expect(body).toMatchObject({ task: 'multilabel', classes: LABELS })
  })

  it('are evaluated with a threshold of each, and reported label by label', async () => {
    const { status, body } = await caller.post<Evaluation>(`/api/models/${job.model_id}/evaluate`, {
      test_csv: table,
    })
    expect(status).toBe(200)
    expect(body.num_cases).toBe(40)
    expect(body.metrics).toMatchObject({ auc: expect.any(Number), hamming_loss: expect.any(Number) })
    const report = readFileSync(body.report_path, 'utf8')
    for (const text of ['Hamming loss', 'Labeled cases', 'Predicted probability of', ...LABELS])
      expect(report).toContain(text)
  })

  it('are named to inspect them, at a terminal too', async () => {
    const { body } = await caller.post<Dataset>('/api/datasets/inspect', {
      path: table,
      label_columns: LABELS,
    })
    expect(body).toMatchObject({ task: 'multilabel', classes: LABELS.map((name) => ({ name })) })
    const medloom = new MedloomCommand(shared.dataset, { MEDLOOM_URL: shared.url })
    const options = LABELS.flatMap((name) => ['--label', name])
    const { code, stdout } = await medloom.run('datasets', 'inspect', table, ...options)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/task +multilabel/)])
  })
})
