/** Values of the keys of a training configuration. */
export const FUSION_TYPES = [
  'concatenate',
  'gated',
  'attention',
  'cross_attention',
  'bilinear',
  'late',
  'none',
] as const
/** Data on which the networks of an ensemble select their epoch. */
export const MEMBER_VALIDATIONS = ['folds', 'split'] as const
export const AGGREGATORS = ['mean', 'max', 'attention', 'cross_view', 'learned_weight'] as const
export const TASKS = ['classification', 'regression', 'multilabel', 'survival'] as const
export type Task = (typeof TASKS)[number]
export const MISSING_STRATEGIES = ['token', 'drop', 'mean', 'median', 'mode'] as const
/** Strategies that replace a missing value by a statistic of the training cases. */
export const IMPUTATIONS: readonly (typeof MISSING_STRATEGIES)[number][] = ['mean', 'median', 'mode']
export const SCALINGS = ['standard', 'quantile', 'minmax', 'robust', 'none'] as const
export const ENCODINGS = ['onehot', 'label', 'target'] as const
export const NORMALIZATIONS = ['imagenet', 'zscore', 'minmax'] as const
export const AUGMENTATIONS = ['none', 'light', 'medium', 'strong'] as const
export const AUGMENTATION_METHODS = [
  'horizontal_flip',
  'vertical_flip',
  'rotation',
  'crop',
  'brightness',
  'contrast',
  'gamma',
  'noise',
  'blur',
  'erasing',
] as const
export const SELECTION_METHODS = ['none', 'variance', 'univariate', 'mutual_information'] as const
export const OPTIMIZERS = ['adam', 'adamw', 'sgd'] as const
export const SCHEDULERS = ['none', 'cosine', 'step', 'plateau', 'onecycle'] as const
export const LOSSES = ['auto', 'cross_entropy', 'focal', 'mse', 'mae', 'huber'] as const
/** Baselines that are fitted on the model's table. */
export const TABLE_BASELINES = [
  'logistic_regression',
  'cox_regression',
  'random_forest',
  'hist_gradient_boosting',
] as const
/** The model itself without one of its two modalities. */
export const ABLATIONS = ['image_only', 'table_only'] as const
/** Encodings of text files, by their names in Python. */
export const TEXT_ENCODINGS = [
  'utf-8',
  'utf-16',
  'cp1252',
  'iso-8859-1',
  'iso-8859-15',
  'gb18030',
  'shift_jis',
  'euc-kr',
] as const
