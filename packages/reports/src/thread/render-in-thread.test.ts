/** @module-tag documents */
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EvaluationResult, Job, Model, NODES } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { renderReport } from '../compose/run-report.js'
import { renderInThread } from './render-in-thread.js'
import { RENDERINGS } from './renderings.js'

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../testing/${name}.json`, import.meta.url), 'utf8'))
const job = Job.parse(fixture('job'))
const model = Model.parse(fixture('model'))
const evaluation = EvaluationResult.parse(fixture('binary'))

describe('the thread', () => {
  const built = new URL('../../dist/thread/render.worker.js', import.meta.url)
  const input = {
    job,
    model,
    history: [],
    checkpoints: [],
    moreCheckpoints: 0,
    validation: evaluation,
    heldOut: null,
    subject: null,
    evaluations: [],
    unreadable: [],
    texts: {},
    failureImages: null,
  }

  it.runIf(existsSync(built))('renders what the function renders', async () => {
    const rendered = await renderInThread('run', input, built)
    expect(rendered.summary.validation).toEqual(renderReport(input).summary.validation)
    expect(rendered.html).toMatch(/^<!doctype html>/)
  })

  it.runIf(existsSync(built))('renders plots and every format, as the function does', async () => {
    const { classes, confusion_matrix: matrix } = evaluation
    const plots = { types: ['roc_curve'] as const, evaluation, matrix: { classes, matrix }, history: null }
    const rendered = await renderInThread('plots', plots, built)
    expect(rendered).toEqual(RENDERINGS.plots(plots))
    const training = { job, history: [], validation: null, unreadable: [] }
    const { notDrawn } = rendered
    const study = { workflowName: 'Skin lesions', texts: {}, failureImages: null }
    const rest = { modelFacts: {}, evaluationCounts: null, nodeWarnings: [], ...study }
    const report = { evaluation, headline: {}, training, plots: rendered.plots, notDrawn, ...rest }
    for (const format of ['PDF', 'Word', 'HTML'] as const) {
      const given = { ...NODES.GenerateReport.config.parse({ format, template: 'short' }), ...report }
      expect((await renderInThread('workflow', given, built)).bytes).toEqual(
        (await RENDERINGS.workflow(given)).bytes,
      )
    }
  })

  it('renders the next report too, without loading its libraries again', async () => {
    const counting = join(await mkdtemp(join(tmpdir(), 'medloom-thread-')), 'counting.mjs')
    await writeFile(
      counting,
      `import { parentPort } from 'node:worker_threads'
       let reports = 0
       parentPort.on('message', () => parentPort.postMessage(++reports))`,
    )
    const url = new URL(`file://${counting}`)
    expect(await renderInThread('run', input, url)).toBe(1)
    expect(await renderInThread('run', input, url)).toBe(2)
    expect(new Set(await Promise.all([1, 2].map(() => renderInThread('run', input, url))))).toEqual(
      new Set([3, 1]),
    )
  })

  it('that fails makes the report fail, not the service', async () => {
    const broken = join(await mkdtemp(join(tmpdir(), 'medloom-thread-')), 'broken.mjs')
    await writeFile(broken, 'throw new Error("no memory")')
    await expect(renderInThread('run', input, new URL(`file://${broken}`))).rejects.toThrow('no memory')
    await writeFile(broken, 'process.exit(3)')
    await expect(renderInThread('run', input, new URL(`file://${broken}`))).rejects.toThrow(
      /exited with code 3/,
    )
  })
})
