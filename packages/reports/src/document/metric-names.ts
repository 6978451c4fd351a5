import { DASH, formatNumber, formatUnit } from './numbers.js'

/** Printed name and scale of each metric. A metric that is not listed is shown under its key. */

interface MetricName {
  readonly label: string
  /** unit: 0 to 1 · correlation: -1 to 1 · free: any number, in the units of the label if it has units */
  readonly scale: 'unit' | 'correlation' | 'free'
  readonly meaning: string
}

const OF_HORIZON =
  'events up to a horizon against those who outlived it; the horizons are the times by which 25, 50 and 75 % of the training events had happened'

const METRIC_NAMES: Readonly<Record<string, MetricName>> = {
  accuracy: { label: 'Accuracy', scale: 'unit', meaning: 'share of cases that are classified correctly' },
  auc: {
    label: 'AUROC',
    scale: 'unit',
    meaning: 'area under the ROC curve; with several classes or labels the mean over them',
  },
  c_index: {
    label: "Harrell's C",
    scale: 'unit',
    meaning: 'share of comparable pairs in which the one with the earlier event had the higher risk',
  },
  uno_c: {
    label: "Uno's C",
    scale: 'unit',
    meaning: 'the same up to tau, weighed against censoring',
  },
  integrated_brier: {
    label: 'Integrated Brier score',
    scale: 'free',
    meaning: 'mean squared error of the survival curve up to tau, weighed against censoring; 0 is best',
  },
  auc_25: { label: 'AUROC, early', scale: 'unit', meaning: OF_HORIZON },
  auc_50: { label: 'AUROC, middle', scale: 'unit', meaning: OF_HORIZON },
  auc_75: { label: 'AUROC, late', scale: 'unit', meaning: OF_HORIZON },
  auc_micro: {
    label: 'Micro AUROC',
    scale: 'unit',
    meaning: 'area under the ROC curve of all labels of all cases ranked together',
  },
  auprc_micro: {
    label: 'Micro AUPRC',
    scale: 'unit',
    meaning: 'average precision of all labels of all cases ranked together',
  },
  f1_micro: {
    label: 'Micro F1 score',
    scale: 'unit',
    meaning: 'F1 score over all labels of all cases together',
  },
  subset_accuracy: {
    label: 'Subset accuracy',
    scale: 'unit',
    meaning: 'share of the fully labelled cases of which every label is right',
  },
  hamming_loss: {
    label: 'Hamming loss',
    scale: 'unit',
    meaning: 'share of the labels that are wrong; 0 is best',
  },
  f1_score: {
    label: 'F1 score',
    scale: 'unit',
    meaning: 'harmonic mean of PPV and sensitivity; with several classes or labels the unweighted mean',
  },
  auprc: {
    label: 'AUPRC',
    scale: 'unit',
    meaning: 'average precision; its chance level is the prevalence',
  },
  prevalence: { label: 'Prevalence', scale: 'unit', meaning: 'share of the positive class' },
  balanced_accuracy: { label: 'Balanced accuracy', scale: 'unit', meaning: 'mean sensitivity over classes' },
  sensitivity: { label: 'Sensitivity', scale: 'unit', meaning: 'share of positive cases that are detected' },
  specificity: {
    label: 'Specificity',
    scale: 'unit',
    meaning: 'share of negative cases that are classified as negative',
  },
  precision: {
    label: 'PPV (precision)',
    scale: 'unit',
    meaning: 'share of positive predictions that are correct',
  },
  recall: {
    label: 'Sensitivity (recall)',
    scale: 'unit',
    meaning: 'share of positive cases that are detected',
  },
  ppv: { label: 'PPV', scale: 'unit', meaning: 'share of positive predictions that are correct' },
  npv: { label: 'NPV', scale: 'unit', meaning: 'share of negative predictions that are correct' },
  brier: {
    label: 'Brier score',
    scale: 'free',
    meaning:
      'mean squared error of the probabilities, summed over the classes if there are more than two; 0 is best, and the worst is 1 with two classes, 2 with more',
  },
  log_loss: {
    label: 'Log loss',
    scale: 'free',
    meaning: 'negative log-likelihood per case; 0 is best',
  },
  ece: {
    label: 'Expected calibration error',
    scale: 'unit',
    meaning: 'mean gap between predicted and observed frequency; 0 is best',
  },
  calibration_slope: {
    label: 'Calibration slope',
    scale: 'free',
    meaning: '1 is ideal; below 1 the predictions are too extreme',
  },
  calibration_intercept: {
    label: 'Calibration intercept',
    scale: 'free',
    meaning: '0 is ideal; below 0 the predictions are too high',
  },
  kappa: { label: "Cohen's kappa", scale: 'correlation', meaning: 'agreement beyond chance' },
  f1: { label: 'F1 score', scale: 'unit', meaning: 'harmonic mean of PPV and sensitivity' },
  loss: { label: 'Loss', scale: 'free', meaning: 'the training loss, per case' },
  learning_rate: { label: 'Learning rate', scale: 'free', meaning: '' },
  mae: { label: 'MAE', scale: 'free', meaning: 'mean absolute error, in units of the label' },
  rmse: { label: 'RMSE', scale: 'free', meaning: 'root mean squared error, in units of the label' },
  r2: { label: 'R²', scale: 'correlation', meaning: 'explained share of the variance; can be below 0' },
  pearson: { label: "Pearson's r", scale: 'correlation', meaning: 'linear correlation' },
  spearman: { label: "Spearman's ρ", scale: 'correlation', meaning: 'rank correlation' },
  bias: { label: 'Bias', scale: 'free', meaning: 'mean of predicted minus true, in units of the label' },
  loa_low: { label: 'Lower limit of agreement', scale: 'free', meaning: 'Bland–Altman, 95 %' },
  loa_high: { label: 'Upper limit of agreement', scale: 'free', meaning: 'Bland–Altman, 95 %' },
}

/** Also finds `macro_auc`, `val_loss` and `train_loss`: the prefix precedes the name. */
export function metricName(key: string): MetricName {
  const known = METRIC_NAMES[key]
  if (known) return known
  for (const [prefix, word] of Object.entries(PREFIXES)) {
    const base = key.startsWith(prefix) ? METRIC_NAMES[key.slice(prefix.length)] : undefined
    if (base) return { ...base, label: `${word} ${inSentence(base.label)}` }
  }
  return { label: key.replaceAll('_', ' '), scale: 'free', meaning: '' }
}

const PREFIXES = {
  val_: 'Validation',
  train_: 'Training',
  macro_: 'Macro',
  micro_: 'Micro',
  weighted_: 'Weighted',
}

/** `Accuracy` → `accuracy`, but `AUROC` and `F1 score` are unchanged. */
export function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label
}

export function formatMetric(key: string, value: number | null | undefined): string {
  return metricName(key).scale === 'unit' ? formatUnit(value) : formatNumber(value)
}

/** Metrics in the unit of the label, whose magnitude is unknown. */
const IN_UNITS = ['mae', 'rmse', 'bias', 'loa_low', 'loa_high']

/** Change of a metric: three decimals, so that it matches the ends of its interval; in units of the label like any number. */
export function formatChange(key: string, value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH
  const text = IN_UNITS.includes(key) ? formatNumber(value) : value.toFixed(3)
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '\u2212')
}

/** The same with an explicit sign for positive values. */
export function formatDifference(key: string, value: number | null | undefined): string {
  const text = formatChange(key, value)
  return typeof value === 'number' && Number(text) > 0 ? `+${text}` : text
}

/** `+0.012 to +0.034` */
export function differenceInterval(
  key: string,
  { low, high }: { readonly low: number | null; readonly high: number | null },
): string {
  if (low === null || high === null) return DASH
  return `${formatDifference(key, low)} to ${formatDifference(key, high)}`
}
