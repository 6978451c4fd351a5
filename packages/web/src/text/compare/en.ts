import type { Format, Messages } from '../define'

/** Several trainings beside each other, and two models on the same cases. */
export const en = {
  title: 'Compare',
  lead: ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: '1 training', other: `${f.number(count)} trainings beside each other` }),
  'empty.title':
    'Nothing is chosen. Select trainings in the list of runs, and "Compare" there puts them beside each other.',
  'empty.runs': 'To the runs',
  'jobs.title': 'Trainings',
  'jobs.remove': ({ name }: { name: string }) => `Take ${name} out`,
  'config.title': 'Configuration',
  'config.all': 'Show equal keys too',
  'config.same': 'These trainings have the same configuration.',
  'config.key': 'Key',
  'config.default': 'not there',
  'metrics.title': 'Metrics at the best epoch',
  'metrics.name': 'Metric',
  'metrics.none': 'No epoch is done yet.',
  'curves.title': 'Curves',
  'curves.none': 'No step was reported yet.',
  'cases.title': 'Two models on the same cases',
  'cases.need': 'Two of these trainings have to be complete: only those have a model.',
  'cases.first': 'First model',
  'cases.second': 'Second model',
  'cases.split': 'Split',
  'cases.start': 'Measure both',
  'cases.counts':
    'Both models predict the test table of the first, or the table that you name. On test data this counts as one evaluation of each.',
  'cases.csv': 'Table (absent: the test table of the first)',
  'cases.same': 'Choose two different models.',
  'cases.measured': (
    { count, patients, split }: { count: number; patients: number | null; split: string },
    f: Format,
  ) =>
    patients === null
      ? `${f.number(count)} cases of "${split}"`
      : `${f.number(count)} cases of ${f.number(patients)} patients, "${split}"`,
  'cases.uses': ({ name, count }: { name: string; count: number }, f: Format) =>
    f.plural(count, {
      one: `${name}: evaluated once on this split`,
      other: `${name}: evaluated ${f.number(count)} times on this split`,
    }),
  'cases.report': 'Report',
  'pair.metric': 'Metric',
  'pair.difference': 'Difference',
  'pair.interval': '95 % interval',
  'pair.p': 'p (Holm)',
  'pair.words': 'In words',
  'pair.test': 'Test',
  'pair.apart': 'Significant',
  'pair.not': 'Not significant',
  'pair.none': 'No test',
  'pair.secondary': 'Secondary metric, not tested',
  'agreement.title': 'Which of both is right',
  'agreement.both_right': 'Both right',
  'agreement.only_first': ({ name }: { name: string }) => `${name} alone right`,
  'agreement.only_second': ({ name }: { name: string }) => `${name} alone right`,
  'agreement.both_wrong': 'Both wrong',
  'agreement.none': 'A number is predicted: near or far, not right or wrong.',
  'agreement.all': 'All cases',
  'gallery.title': 'Cases',
  'gallery.row': ({ row }: { row: number }, f: Format) => `Line ${f.number(row)}`,
  'gallery.truth': 'Truth',
  'gallery.says': ({ name }: { name: string }) => `${name} says`,
  'gallery.right': 'right',
  'gallery.wrong': 'wrong',
  'gallery.order': 'Order',
  'gallery.order.row': 'As in the table',
  'gallery.order.asc': 'First better by most',
  'gallery.order.desc': 'Second better by most',
  'gallery.more': 'Show more',
  'gallery.total': ({ shown, total }: { shown: number; total: number }, f: Format) =>
    `${f.number(shown)} of ${f.number(total)} cases`,
  'gallery.none': 'No case is here.',
} satisfies Messages
