import { expect, it } from 'vitest'
import { checkFineTuning } from './resume-checks.js'

type Classes = readonly string[] | null

it.each<[what: string, trained: Classes, given: Classes, isRefused: boolean]>([
  ['the same classes in another order', ['no', 'yes'], ['yes', 'no'], false],
  ['another class', ['no', 'yes'], ['no', 'maybe'], true],
  ['one class more', ['no', 'yes'], ['no', 'yes', 'maybe'], true],
  ['a number', ['no', 'yes'], null, true],
])(
  'compares the label of the data of a fine-tuning with that of the model: %s',
  (_, trained, given, isRefused) => {
    const issues = checkFineTuning({
      checkpoint_path: { type: 'model', classes: trained },
      train_dataset: { type: 'dataset', classes: given },
    })
    expect(issues.map(({ code, port }) => [code, port])).toEqual(
      isRefused ? [['CHECKPOINT_MISMATCH', 'train_dataset']] : [],
    )
  },
)
