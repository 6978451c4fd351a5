import type { Format, Messages } from '../define'

/** Trainings side by side, and two models on the same cases. */
export const en = {
  title: 'Compare',
  lead: ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: '1 training', other: `${f.number(count)} trainings side by side` }),
  'empty.title': 'No trainings selected. Select trainings in the list of runs and press “Compare”.',
  'empty.runs': 'Go to runs',
  'jobs.title': 'Trainings',
  'jobs.remove': ({ name }: { name: string }) => `Remove ${name}`,
  'config.title': 'Configuration',
  'config.all': 'Show identical settings',
  'config.same': 'The configurations are identical.',
  'config.key': 'Key',
  'config.default': 'not set',
  'metrics.title': 'Metrics at the best epoch',
  'metrics.name': 'Metric',
  'metrics.none': 'No epoch has finished yet.',
  'curves.title': 'Curves',
  'curves.none': 'No steps have been reported yet.',
  'cases.title': 'Two models on the same cases',
  'cases.need': 'Two of these trainings must be completed, because only completed trainings have a model.',
  'cases.first': 'First model',
  'cases.second': 'Second model',
  'cases.split': 'Split',
  'cases.start': 'Compare models',
  'cases.counts':
    'Both models predict the test table of the first model, or the table that you specify. On test data this counts as one evaluation of each model.',
  'cases.csv': 'Table (leave empty for the test table of the first model)',
  'cases.same': 'Choose two different models.',
  'cases.measured': (
    { count, patients, split }: { count: number; patients: number | null; split: string },
    f: Format,
  ) => {
    const cases = f.plural(count, { one: '1 case', other: `${f.number(count)} cases` })
    if (patients === null) return `${cases}, split “${split}”`
    return `${cases} of ${f.plural(patients, { one: '1 patient', other: `${f.number(patients)} patients` })}, split “${split}”`
  },
  'cases.uses': ({ name, count }: { name: string; count: number }, f: Format) =>
    f.plural(count, {
      one: `${name}: evaluated once on this split`,
      other: `${name}: evaluated ${f.number(count)} times on this split`,
    }),
  'cases.report': 'Report',
  'pair.metric': 'Metric',
  'pair.difference': 'Difference',
  'pair.interval': '95% CI',
  'pair.p': 'p (Holm)',
  'pair.words': 'Result',
  'pair.test': 'Test',
  'pair.apart': 'Significant',
  'pair.not': 'Not significant',
  'pair.none': 'Not tested',
  'pair.secondary': 'Secondary metric, not tested',
  'agreement.title': 'Correct predictions',
  'agreement.both_right': 'Both correct',
  'agreement.only_first': ({ name }: { name: string }) => `Only ${name} correct`,
  'agreement.only_second': ({ name }: { name: string }) => `Only ${name} correct`,
  'agreement.both_wrong': 'Both incorrect',
  'agreement.none': 'The models predict a number, so predictions are not correct or incorrect.',
  'agreement.all': 'All cases',
  'gallery.title': 'Cases',
  'gallery.row': ({ row }: { row: number }, f: Format) => `Line ${f.number(row)}`,
  'gallery.truth': 'Truth',
  'gallery.says': ({ name }: { name: string }) => `Prediction of ${name}`,
  'gallery.right': 'correct',
  'gallery.wrong': 'incorrect',
  'gallery.order': 'Sort by',
  'gallery.order.row': 'Table order',
  'gallery.order.asc': 'Largest advantage of the first model',
  'gallery.order.desc': 'Largest advantage of the second model',
  'gallery.more': 'Show more',
  'gallery.total': ({ shown, total }: { shown: number; total: number }, f: Format) =>
    `${f.number(shown)} of ${f.plural(total, { one: '1 case', other: `${f.number(total)} cases` })}`,
  'gallery.none': 'No matching cases.',
} satisfies Messages
