import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  check,
  fineTuned,
  firstTexts,
  NODES,
  REPORT_TEXTS,
  RegisterRequest,
  type ReportTexts,
  TrainerSpec,
  TrainingConfig,
  trainerConfig,
} from '../index.js'

const minimal = {
  data: { train_csv: 'train.csv' },
  model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
  training: { epochs: 1, batch_size: 2 },
}
const issuesOf = (report: object) => {
  const checked = check(TrainingConfig, { ...minimal, report })
  return checked.ok ? [] : checked.issues.map(({ path, hint }) => ({ path, hint }))
}

describe('the section report', () => {
  it('may be absent, and holds any of its keys as plain text of several lines', () => {
    expect(TrainingConfig.parse(minimal)).not.toHaveProperty('report')
    const report = { ethics: 'Approved by the board,\nNo. 12/34 <b>', study_title: 'Moles' }
    expect(TrainingConfig.parse({ ...minimal, report }).report).toEqual(report)
  })

  it.each([
    ['an unknown key, with the nearest one', { ethic: 'x' }, 'report.ethic', /ethics/],
    ['control characters', { ethics: 'a\u0000b' }, 'report.ethics', undefined],
    ['another type', { ethics: ['a'] }, 'report.ethics', undefined],
    ['a text that is too long', { study_title: 'x'.repeat(201) }, 'report.study_title', undefined],
    ['a text that is far too long', { funding: 'x'.repeat(4001) }, 'report.funding', undefined],
  ])('refuses %s', (_, report, path, hint) => {
    const [issue] = issuesOf(report)
    expect(issue?.path).toBe(path)
    if (hint) expect(issue?.hint).toMatch(hint)
  })

  it('has the same keys in a dataset and in the node GenerateReport', () => {
    const all = Object.fromEntries(Object.keys(REPORT_TEXTS).map((key) => [key, key]))
    expect(RegisterRequest.parse({ path: 'a.csv', report: all }).report).toEqual(all)
    expect(NODES.GenerateReport.config.parse({ report: all }).report).toEqual(all)
    expect(TrainingConfig.parse({ ...minimal, report: all }).report).toEqual(all)
  })

  it('never reaches the trainer: what it makes of a configuration cannot depend on texts', () => {
    const config = TrainingConfig.parse({ ...minimal, report: { ethics: 'approved' } })
    expect(trainerConfig(config)).toEqual(trainerConfig(TrainingConfig.parse(minimal)))
    expect(Object.keys(TrainerSpec.shape.config.shape)).toEqual(['data', 'model', 'training'])
    expect(JSON.stringify(z.toJSONSchema(TrainerSpec))).not.toContain('ReportTexts')
  })
})

it('texts stay when a configuration is completed for a fine-tuning', () => {
  const config = TrainingConfig.parse({ ...minimal, report: { ethics: 'approved' } })
  expect(fineTuned(config, TrainingConfig.parse(minimal)).config.report).toEqual({ ethics: 'approved' })
})

describe('several sources of texts', () => {
  it('give each text from the first that has it; a blank text counts as missing', () => {
    const node: ReportTexts = { ethics: ' of the node ', funding: '  \n ' }
    const configuration: ReportTexts = { ethics: 'of the configuration', funding: 'of the configuration' }
    const dataset: ReportTexts = { ethics: 'of the dataset', data_source: 'of the dataset', interests: '' }
    expect(firstTexts(node, null, configuration, undefined, dataset)).toEqual({
      ethics: 'of the node',
      funding: 'of the configuration',
      data_source: 'of the dataset',
    })
  })
})
