import type { Format, Messages } from '../define'

/** Reliability of an evaluation: results per patient, calibration, prediction sets, input importance and shift. */
export const en = {
  more: ({ count }: { count: number }, f: Format) => `Show ${f.number(count)} more`,
  older: 'This result was made by an older version. Evaluate the model again.',
  'only.evaluation': 'Only an evaluation on a table measures this. Choose an evaluation above, or start one.',
  none: ({ reason }: { reason: string }) => `Not available: ${reason}.`,
  measure: 'Measure',
  class: 'Class',
  cases: 'Cases',
  input: 'Input',
  interval: '95% CI',

  'patients.title': 'Results per patient',
  'patients.lead': ({ several, patients }: { several: number; patients: number }, f: Format) =>
    `${f.plural(several, {
      one: `1 of ${f.number(patients)} patients has more than one row.`,
      other: `${f.number(several)} of ${f.number(patients)} patients have more than one row.`,
    })} Mean: the predictions for a patient’s rows are averaged.`,
  'patients.max': 'Max: the largest probability of the positive class is used.',
  'patients.label.any': 'A patient is positive if any row is positive.',
  'patients.label.majority':
    'A patient’s label is the most frequent class of the rows; ties are resolved in favor of the class that is rarer among all rows.',
  'patients.label.mean': 'A patient’s value is the mean of the rows.',
  'patients.label.older':
    'Mean excludes patients whose rows have different labels. With max, a patient is positive if any row is positive.',
  'patients.disagreeing': ({ count }: { count: string }) =>
    `Patients whose rows have different labels: ${count}.`,
  'patients.rows': ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: '1 row', other: `${f.number(count)} rows` }),
  'patients.mean': ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: '1 patient, mean', other: `${f.number(count)} patients, mean` }),
  'patients.largest': ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: '1 patient, max', other: `${f.number(count)} patients, max` }),

  'temperature.title': 'Temperature scaling',
  'temperature.certain': ({ value, cases }: { value: string; cases: string }) =>
    `A temperature of ${value} fits best on ${cases} validation cases: the model was overconfident on them.`,
  'temperature.uncertain': ({ value, cases }: { value: string; cases: string }) =>
    `A temperature of ${value} fits best on ${cases} validation cases: the model was underconfident on them.`,
  'temperature.interval': ({ low, high }: { low: string; high: string }) => `95% CI: ${low} to ${high}.`,
  'temperature.applied': 'It is applied to the probabilities, threshold and metrics above.',
  'temperature.notApplied':
    'It is not applied to the probabilities, threshold and metrics above. To apply it, evaluate with “Apply the temperature fitted on validation data”.',
  'temperature.fitted': 'It was fitted on these cases, so the improvement is larger here than on new cases.',
  'temperature.before': 'Without',
  'temperature.after': 'With',

  'sets.title': 'Prediction sets',
  'intervals.title': 'Prediction intervals',
  'sets.lac': 'Prediction sets (LAC)',
  'sets.aps': 'Prediction sets (APS)',
  'sets.absolute_error': 'Prediction intervals of constant width (absolute error)',
  'sets.promise': ({ share }: { share: string }) =>
    `calibrated on validation data to contain the true label in ${share} of new, similar cases. Each patient counts once.`,
  'sets.missed': 'Coverage is significantly below target.',
  'sets.fitted': 'These are the cases used for calibration, so the coverage is reached by construction.',
  'sets.all': 'All cases',
  'sets.coverage': 'Coverage',
  'sets.size': 'Mean set size',
  'sets.single': 'Sets with one class',
  'sets.empty': 'Empty sets',
  'sets.width': 'Interval width, in units of the label',
  'sets.perClass': 'The target applies to all classes together; the coverage of a single class can be lower.',

  'importance.title': 'Input importance',
  'importance.absent':
    'Input importance was not measured. Evaluate again with “Input importance”: each input is permuted between patients, and images and table are removed in turn.',
  'importance.drop': ({ metric }: { metric: string }) => `Decrease in ${metric}`,
  'importance.rise': ({ metric }: { metric: string }) => `Increase in ${metric}`,
  'importance.lead': (
    { worse, repeats, cases }: { worse: string; repeats: number; cases: number },
    f: Format,
  ) =>
    `${worse} when one input is permuted between patients (${f.plural(repeats, { one: 'one repeat', other: `${f.number(repeats)} repeats` })}, ${f.plural(cases, { one: 'one case', other: `${f.number(cases)} cases` })}). It shows what this model uses, not what causes the outcome. If columns are correlated, permuting one of them underestimates their joint importance.`,
  'importance.images': 'Images',
  'importance.table': 'Table',
  'importance.plot': 'An interval that includes 0 means that the effect is not significant.',
  'ablation.title': 'Without images, and without the table',
  'ablation.without': 'Removed',
  'ablation.moves': 'Mean change of the probability',
  'ablation.changes': 'Mean change of the prediction',
  'ablation.changed': 'Cases with another predicted class',
  'ablation.note':
    'Removed inputs are read as missing. A model that was never trained with missing inputs reads their average instead. Before you drop the images or the table, compare with models that were trained on only one of them.',

  'shift.title': 'Shift between training cases and these cases',
  'shift.unknown': 'The checkpoint does not describe its training cases.',
  'shift.lead': ({ cases, trained }: { cases: number; trained: number }, f: Format) =>
    `Inputs of ${f.plural(cases, { one: 'the evaluated case', other: `the ${f.number(cases)} evaluated cases` })} compared with those of the ${f.number(trained)} training cases. The standardized mean difference (SMD) has no unit; values below 0.1 are small. The mark shows the value that about 5% of samples of this size exceed by chance.`,
  'shift.large': ({ names }: { names: string }) =>
    `Large shift (SMD above 0.25 and above chance, or no category in common): ${names}. The model extrapolates on cases that are unlike its training cases.`,
  'shift.smd': 'SMD',
  'shift.chance': 'Chance level',
  'shift.intensity': 'Image intensity',
  'shift.drawn': 'SMD (plot up to 1)',
  'shift.trained': 'Training',
  'shift.evaluated': 'These cases',
  'shift.missing': 'Missing: training → these cases',
  'shift.note': 'Note',
  'shift.moments': ({ mean, sd }: { mean: string; sd: string }) => `${mean} (SD ${sd})`,
  'shift.noValue': 'all values are missing in the evaluated table',
  'shift.unseen': ({ count }: { count: number }, f: Format) =>
    f.plural(count, {
      one: '1 case with a category not seen in training',
      other: `${f.number(count)} cases with a category not seen in training`,
    }),
  'shift.outcome': 'Outcome',
  'shift.outcomeNote': ({ smd }: { smd: string }) =>
    `Standardized mean difference ${smd}. PPV, NPV, AUPRC and calibration depend on the prevalence of the classes; AUROC, sensitivity and specificity depend on it less.`,
  'shift.mean': 'Mean',

  'update.title': 'Model updating with local data',
  'update.absent': 'Model updating is available only for models that predict two classes or one number.',
  'update.note':
    'Optimistic: the update was fitted on these cases. It shows the largest gain that refitting could achieve and is not a result of this model. A real update requires separate local cases, and a test on others.',
  'update.model': 'Model',
  'update.original': 'Original',
  'update.intercept': 'Intercept updated',
  'update.intercept_and_slope': 'Intercept and slope updated',
  'update.column.intercept': 'Intercept',
  'update.column.slope': 'Slope',
} satisfies Messages
