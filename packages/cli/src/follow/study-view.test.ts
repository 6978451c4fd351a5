import type { StudyJob, StudyMessage } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { StudyView } from './study-view.js'

const training = (status: StudyJob['status'], more: Partial<StudyJob> = {}): StudyJob => ({
  job_id: '00000000-0000-4000-8000-000000000000',
  ...{
    variant: 'gated',
    seed: 1,
    repeat: 0,
    fold: 2,
    trial: null,
    settings: null,
    value: null,
    status,
    error: null,
    attempts: [],
    ...more,
  },
})
const progress = { total: 4, completed: 1, pruned: 0, failed: 0, running: 1, queued: 1, fraction: 0.4 }
const snapshot = (jobs: StudyJob[]) =>
  ({ type: 'snapshot', state: { jobs, progress } }) as unknown as StudyMessage
const changed = (job: StudyJob) =>
  ({ type: 'training', index: 0, training: job, progress }) as unknown as StudyMessage

function view(isTTY: boolean) {
  let text = ''
  let now = 0
  const write = (part: string) => {
    text += part
  }
  const pass = (seconds: number) => {
    now += seconds * 1000
  }
  const stream = { isTTY, columns: 80, write }
  const shown = new StudyView(stream as never, () => now)
  return { shown, text: () => text, pass }
}

it('prints each ended training once, even after a new snapshot', () => {
  const { shown, text } = view(false)
  shown.show(snapshot([training('completed')]))
  shown.show(changed(training('completed')))
  shown.show(snapshot([training('completed')]))
  shown.show(changed(training('failed', { error: { code: 'LOSS_NOT_FINITE', message: 'the loss is NaN' } })))
  expect(text().trimEnd().split('\n')).toEqual([
    'gated  seed 1  fold 0.2  completed',
    'gated  seed 1  fold 0.2  failed: the loss is NaN [LOSS_NOT_FINITE]',
  ])
})

it('prints the settings of each trial, and its value once it is known', () => {
  const { shown, text } = view(false)
  const trial = {
    variant: 'search',
    trial: 3,
    settings: { 'model.dropout': 0.1234567, 'data.scaling': 'quantile' },
  }
  shown.show(changed(training('completed', trial)))
  shown.show(changed(training('completed', { ...trial, value: 0.41 })))
  shown.show(changed(training('pruned', { ...trial, trial: 4 })))
  expect(text().trimEnd().split('\n')).toEqual([
    'search 3  seed 1  fold 0.2  completed  0.410  model.dropout = 0.1235, data.scaling = "quantile"',
    'search 4  seed 1  fold 0.2  pruned  model.dropout = 0.1235, data.scaling = "quantile"',
  ])
})

it('draws a bar over all trainings on a terminal, and prints a line every ten seconds elsewhere', () => {
  const terminal = view(true)
  terminal.shown.show(snapshot([training('running')]))
  expect(terminal.text()).toContain('████████░░░░░░░░░░░░  1 of 4 trainings  40 %  1 running  1 queued')
  const quiet = view(false)
  quiet.shown.show(snapshot([training('running')]))
  expect(quiet.text()).toBe('')
  quiet.pass(11)
  quiet.shown.show(changed(training('running')))
  expect(quiet.text()).toBe('1 of 4 trainings  40 %  1 running  1 queued\n')
})

it('shows how the study ended, and the path of its report', () => {
  const { shown, text, pass } = view(false)
  pass(65)
  shown.end({ status: 'failed', message: '1 of 4 trainings failed', report_path: '/a/report.html' })
  expect(text()).toBe('failed after 1:05: 1 of 4 trainings failed\nreport /a/report.html\n')
})
