#!/usr/bin/env node
// Small versions of the trainer's two programs, for tests of studies: `prewarmed` is trainer.mjs, `worker` splits no table and computes no
// statistics: it returns the requested folds, and the same results for every variant. The settings of a search depend on all data of
// earlier trials, so that another history gives other settings. A word in the table requests a failure: impossible (the folds cannot be
// created), leaking (a patient is in two splits); a number of training cases is returned.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Every combination of choices, the last key changing first. */
const settingsOf = (space) =>
  Object.entries(space).reduce(
    (all, [key, values]) =>
      all.flatMap((one) => choicesOf(values).map((value) => ({ ...one, [key]: value }))),
    [{}],
  )
const choicesOf = (values) =>
  Array.isArray(values)
    ? values
    : Array.from(
        { length: (values.high - values.low) / values.step + 1 },
        (_, index) => values.low + index * values.step,
      )
const hash = (value) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

const TASKS = {
  study_suggest({ space, sampler, seed, history }) {
    const tried = new Set(history.map(({ settings }) => JSON.stringify(settings)))
    const untried = settingsOf(space).filter((one) => !tried.has(JSON.stringify(one)))
    if (sampler !== 'grid')
      untried.sort((a, b) => (hash([seed, history, a]) < hash([seed, history, b]) ? -1 : 1))
    return { settings: untried[0] }
  },
  study_prune({ history, steps }) {
    const known = history.filter(({ state }) => state === 'complete')
    const worst = (epoch) =>
      Math.max(...known.map((trial) => trial.steps.find((one) => one.epoch === epoch).value))
    return { epoch: steps.find(({ epoch, value }) => value > worst(epoch))?.epoch ?? null }
  },
  software: () => ({}),
  study_folds({ config, folds }) {
    const text = readFileSync(config.data.train_csv, 'utf8')
    if (text.includes('leaking')) throw { code: 'DATASET_LEAK', message: '1 patient stands in train and val' }
    if (text.includes('impossible'))
      throw { code: 'FOLDS_IMPOSSIBLE', message: '3 patients cannot be divided into 5 folds' }
    const counts = { cases: 8, patients: 8, class_counts: { no: 4, yes: 4 } }
    const choices =
      folds === null
        ? []
        : 'column' in folds
          ? ['north', 'south'].map((value) => ({ column: folds.column, value }))
          : Array.from({ length: folds.repeats * folds.k }, (_, index) => ({
              k: folds.k,
              index: index % folds.k,
              repeat: Math.floor(index / folds.k),
              seed: folds.seed,
            }))
    const training_cases = Number(/(\d+) training cases/.exec(text)?.[1] ?? 8)
    const named = choices.map((fold) => ({ fold, name: JSON.stringify(fold), ...counts, training_cases }))
    const whole = folds === null ? training_cases : null
    return { digest: 'sha', ...counts, never_held_out: 0, training_cases: whole, folds: named }
  },
  study_results({ cells, metric, reference, out_file }) {
    const figure = { mean: 0.7, sd: 0.1, estimate: 0.75, low: 0.6, high: 0.9, method: 'drawn', note: null }
    const component = null
    const variants = [...new Set(cells.map(({ variant }) => variant))].map((name) => {
      const num_trainings = cells.filter(({ variant }) => variant === name).length
      return {
        name,
        title: name,
        kind: 'trained',
        carried_by: null,
        num_trainings,
        num_sets: 1,
        num_cases: 8,
        num_patients: 8,
        metrics: { [metric]: { ...figure, trainings: num_trainings } },
        variance: {
          metric,
          seed: component,
          fold: component,
          rest: component,
          trainings: num_trainings,
          note: null,
        },
        figures: null,
        notes: [],
      }
    })
    const results = {
      schema_version: 1,
      metric,
      reference,
      task: 'classification',
      classes: ['no', 'yes'],
      positive_class: 'yes',
      seeds: [...new Set(cells.map(({ seed }) => seed))],
      variants,
      comparisons: [],
      trainings: cells.map(({ evaluation, ...place }) => ({
        ...place,
        num_cases: 8,
        num_patients: 8,
        metrics: { [metric]: 0.7 },
        notes: { evaluation },
      })),
      methods: {
        level: 0.95,
        replicates: 1000,
        resampled: 'patients',
        folds: null,
        repeats: 1,
        seeds: 1,
        test_train_ratio: null,
        main_test: null,
        corrected: 0,
        statements: ['A test drew these figures.'],
      },
      software: {},
    }
    writeFileSync(out_file, JSON.stringify(results))
    return results
  },
}

if (process.argv.includes('prewarmed')) await import('./trainer.mjs')
else {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, task, params } = JSON.parse(line)
    const reply = (message) => process.stdout.write(`${JSON.stringify({ id, ...message })}\n`)
    try {
      reply({ type: 'result', result: TASKS[task](params) })
    } catch ({ code = 'TRAINER_FAILED', message }) {
      reply({ type: 'error', code, message, details: 'Correct it.', trace: null })
    }
  }
}
