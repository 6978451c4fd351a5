import type { Format, Messages } from '../define'

/** What an evaluation says beside its metrics: by patient, of its probabilities, of its inputs, and of these cases. */
export const en = {
  more: ({ count }: { count: number }, f: Format) => `Show ${f.number(count)} more`,
  older: 'This result is of an older version. Evaluate the model again.',
  'only.evaluation': 'Only an evaluation on a table measures this; choose or start one above.',
  none: ({ reason }: { reason: string }) => `None: ${reason}.`,
  measure: 'Measure',
  class: 'Class',
  cases: 'Cases',
  input: 'Input',
  interval: '95 % interval',

  'patients.title': 'By patient',
  'patients.lead': ({ several, patients }: { several: string; patients: string }) =>
    `${several} of ${patients} patients have several rows. Mean: the predictions of a patient's rows are averaged.`,
  'patients.max': 'Max: the largest probability of the positive class counts.',
  'patients.label.any': 'A patient is positive when any row is.',
  'patients.label.majority':
    'The label of a patient is the most frequent class of its rows; of equally frequent classes it is the one that is rarer among all rows.',
  'patients.label.mean': 'The value of a patient is the mean of its rows.',
  'patients.label.older':
    'Mean leaves out patients whose rows have different labels; with max, a patient is positive when any row is.',
  'patients.disagreeing': ({ count }: { count: string }) =>
    `Patients whose rows have different labels: ${count}.`,
  'patients.rows': ({ count }: { count: string }) => `${count} rows`,
  'patients.mean': ({ count }: { count: string }) => `${count} patients, mean`,
  'patients.largest': ({ count }: { count: string }) => `${count} patients, max`,

  'temperature.title': 'Temperature',
  'temperature.certain': ({ value, cases }: { value: string; cases: string }) =>
    `${value} fits best on ${cases} validation cases: the model was too certain there.`,
  'temperature.uncertain': ({ value, cases }: { value: string; cases: string }) =>
    `${value} fits best on ${cases} validation cases: the model was not certain enough there.`,
  'temperature.interval': ({ low, high }: { low: string; high: string }) =>
    `Its 95 % interval is ${low} to ${high}.`,
  'temperature.applied': 'Probabilities, threshold and metrics above are with it.',
  'temperature.notApplied':
    'Probabilities, threshold and metrics above are without it; evaluate "with the temperature that validation fitted" for the others.',
  'temperature.fitted': 'It was fitted on these cases: the gain is larger here than on new ones.',
  'temperature.before': 'Without',
  'temperature.after': 'With',

  'sets.title': 'Prediction sets',
  'intervals.title': 'Prediction intervals',
  'sets.lac': 'Sets of all classes that are probable enough (LAC)',
  'sets.aps': 'Sets of the most probable classes that together are probable enough (APS)',
  'sets.absolute_error': 'Intervals of one width around the prediction',
  'sets.promise': ({ share }: { share: string }) =>
    `calibrated on validation so that ${share} of new cases like those have the truth inside. Each patient counts once.`,
  'sets.missed': 'On these cases the promise is not kept, beyond chance.',
  'sets.fitted': 'They were calibrated on these cases: the coverage here is reached by construction.',
  'sets.all': 'All cases',
  'sets.coverage': 'Coverage',
  'sets.size': 'Mean size of a set',
  'sets.single': 'Sets of one class',
  'sets.empty': 'Empty sets',
  'sets.width': 'Width of an interval, in units of the label',
  'sets.perClass': 'Coverage is promised over all classes together; that of one class can be lower.',

  'importance.title': 'What the predictions rest on',
  'importance.absent':
    'It was not measured. Evaluate again and choose "What the predictions rest on": inputs are exchanged between patients, and images and table left out in turn.',
  'importance.drop': ({ metric }: { metric: string }) => `Drop of ${metric}`,
  'importance.rise': ({ metric }: { metric: string }) => `Increase of ${metric}`,
  'importance.lead': (
    { worse, repeats, cases }: { worse: string; repeats: number; cases: string },
    f: Format,
  ) =>
    `${worse} when one input is exchanged between patients, ${f.plural(repeats, { one: 'once', other: `${f.number(repeats)} times` })}, on ${cases} cases. It says what this model uses, not what causes the outcome; where columns say the same, exchanging one alone hides how much they matter together.`,
  'importance.images': 'Images',
  'importance.table': 'Table',
  'importance.plot': 'Around 0: no difference that could be told from chance',
  'ablation.title': 'Without images, and without the table',
  'ablation.without': 'Left out',
  'ablation.moves': 'Probability that moves, mean',
  'ablation.changes': 'Change of the prediction, mean',
  'ablation.changed': 'Cases that change class',
  'ablation.note':
    'What is left out reads as missing. A model that never missed it in training reads its average instead: compare with models of the image alone and of the table alone before you drop either.',

  'shift.title': 'These cases and those of the training',
  'shift.unknown': 'The checkpoint does not know its training cases.',
  'shift.lead': ({ cases, trained }: { cases: string; trained: string }) =>
    `Inputs of the ${cases} evaluated cases beside those of the ${trained} training cases. The standardized difference (SMD) has no unit; below 0.1 it is small. The mark shows what about 5 % of samples of this size exceed by chance alone.`,
  'shift.large': ({ names }: { names: string }) =>
    `Clearly different from the training (above 0.25 and beyond chance, or with no category in common): ${names}. Where cases are unlike all that the model learned from, it extrapolates.`,
  'shift.smd': 'SMD',
  'shift.chance': 'By chance',
  'shift.drawn': 'SMD, drawn up to 1',
  'shift.trained': 'Training',
  'shift.evaluated': 'These cases',
  'shift.missing': 'Missing: there → here',
  'shift.note': 'Note',
  'shift.moments': ({ mean, sd }: { mean: string; sd: string }) => `${mean} (SD ${sd})`,
  'shift.noValue': 'the evaluated table has no value',
  'shift.unseen': ({ count }: { count: number }, f: Format) =>
    f.plural(count, {
      one: '1 case with a category that training does not have',
      other: `${f.number(count)} cases with a category that training does not have`,
    }),
  'shift.outcome': 'The outcome',
  'shift.outcomeNote': ({ smd }: { smd: string }) =>
    `Standardized difference ${smd}. PPV, NPV, AUPRC and calibration depend on the shares of the classes; AUROC, sensitivity and specificity less.`,
  'shift.mean': 'Mean',

  'update.title': 'After an update with local data',
  'update.absent': 'Only models of two classes or of one number are updated.',
  'update.note':
    'Optimistic: fitted to these very cases. It says what refitting could gain at best and is no result of this model. An update needs local cases of its own and a test on others.',
  'update.model': 'Model',
  'update.original': 'As it is',
  'update.intercept': 'Intercept updated',
  'update.intercept_and_slope': 'Intercept and slope updated',
  'update.column.intercept': 'Intercept',
  'update.column.slope': 'Slope',
} satisfies Messages
