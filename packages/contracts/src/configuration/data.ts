import { z } from 'zod'
import { AugmentationPlan } from './augmentation.js'
import {
  AUGMENTATIONS,
  ENCODINGS,
  MEMBER_VALIDATIONS,
  MISSING_STRATEGIES,
  NORMALIZATIONS,
  SCALINGS,
} from './choices.js'
import { FeatureSelection } from './feature-selection.js'
import { Fold } from './fold.js'
import { Recipe } from './recipe/index.js'
import { Slices } from './slices.js'

const path = z.string().min(1).max(4096)
const optionalPath = path.nullable().default(null)
const columns = (title: string) =>
  z.array(z.string().min(1)).max(10_000).nullable().default(null).meta({ title, kept_by_fine_tuning: true })
const column = (title: string, facts = {}) =>
  z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .meta({ title, ...facts })
const KEPT = { kept_by_fine_tuning: true }

/** Tables and images, and their preparation for the model. */
export const DataConfig = z
  .strictObject({
    train_csv: path.meta({ title: 'Training table (CSV)', names_path: 'table' }),
    val_csv: optionalPath.meta({
      title: 'Validation table (CSV). Default: split from the training table, by patient',
      names_path: 'table',
    }),
    test_csv: optionalPath.meta({ title: 'Test table (CSV), used for evaluation only', names_path: 'table' }),
    recipe: Recipe.nullable().default(null).meta({
      title:
        'Recipe: how the files, as they are, become the table of the training. With a recipe, train_csv may be a folder. Default: the table is read as it is',
      written_as: 'document',
    }),
    val_fraction: z
      .number()
      .min(0.05)
      .max(0.5)
      .default(0.2)
      .meta({ title: 'Share of the patients in the validation split if there is no val_csv' }),
    fold: Fold.nullable().default(null).meta({
      title:
        'One fold of a cross-validation: {k, index, repeat, seed}, or {column, value} to leave one site out. Training and validation rows are pooled, the fold is held out, and val_fraction of the remaining patients form the validation split',
    }),
    validation: z.enum(MEMBER_VALIDATIONS).nullable().default(null).meta({
      title:
        'Cases on which each of several networks (model.members) chooses its epoch. folds: each network holds out one fold of the training and validation cases and trains on the others. split: the validation cases, which no network trains on. Default: folds; for fine-tuning, split',
    }),
    image_root: optionalPath.meta({
      title: 'Folder that image paths are relative to. Default: the folder of the CSV',
      names_path: 'folder',
    }),
    image_columns: columns('Image columns, one per view. Default: columns whose values are image files'),
    label_column: column('Label column. Default: inferred from the name', KEPT),
    label_columns: z
      .array(z.string().min(1))
      .min(2)
      .max(1000)
      .nullable()
      .default(null)
      .meta({
        title:
          'Several label columns instead of one, each with yes or no (1 or 0, true or false). A case can have any number of these labels, and cells can be empty',
        ...KEPT,
      }),
    time_column: column('Survival: follow-up time until the event or censoring; greater than 0', KEPT),
    event_column: column('Survival: whether the event occurred at that time (yes or no, 1 or 0)', KEPT),
    positive_class: column(
      'Positive class of two classes, to which sensitivity and PPV refer. Default: the class whose name is not a negation',
      KEPT,
    ),
    patient_column: column('Patient column. Default: inferred from the name'),
    split_column: column(
      'Split column with the values train, val and test. Default: the column named "split"',
    ),
    numeric_columns: columns('Numeric columns. Default: inferred'),
    categorical_columns: columns('Categorical columns. Default: inferred'),
    ignore_columns: z
      .array(z.string().min(1))
      .max(10_000)
      .default([])
      .meta({ title: 'Columns that the model does not use' }),
    subgroup_columns: z
      .array(z.string().min(1))
      .max(20)
      .default([])
      .meta({ title: 'Columns for subgroup analyses in the report, in addition to sex, age band and site' }),
    image_size: z
      .tuple([z.int().min(16).max(2048), z.int().min(16).max(2048)])
      .default([224, 224])
      .meta({ kept_by_fine_tuning: true, title: 'Image size [width, height] in pixels' }),
    normalize: z
      .enum(NORMALIZATIONS)
      .default('imagenet')
      .meta({ kept_by_fine_tuning: true, title: 'Intensity normalization' }),
    window: z
      .strictObject({ center: z.number(), width: z.number().positive() })
      .nullable()
      .default(null)
      .meta({
        kept_by_fine_tuning: true,
        title: 'Intensity window in stored units, for images of one channel (CT: Hounsfield units)',
      }),
    slices: Slices.prefault({}).meta({
      kept_by_fine_tuning: true,
      before_it_existed: { count: 1, axis: 'axial', spread: 'volume' },
      title: 'Slices that represent a volume (NIfTI, multi-frame DICOM, DICOM series); each slice is a view',
    }),
    augmentation: z
      .union([z.enum(AUGMENTATIONS), AugmentationPlan])
      .default('light')
      .meta({
        title:
          'Augmentation of training images: none, light, medium, strong, or {methods, probability, intensity}',
      }),
    horizontal_flip: z.boolean().default(false).meta({
      title: 'Flip training images left to right (off by default, because laterality matters in medicine)',
    }),
    missing_strategy: z.enum(MISSING_STRATEGIES).default('token').meta({
      kept_by_fine_tuning: true,
      title: 'Handling of missing table values: a learned token, removal of the row, or a fitted statistic',
    }),
    missing_indicator: z.boolean().default(true).meta({
      title:
        'With mean, median or mode: add an indicator of missing values for each column with gaps in the training split',
      before_it_existed: false,
      kept_by_fine_tuning: true,
    }),
    scaling: z.enum(SCALINGS).default('standard').meta({
      kept_by_fine_tuning: true,
      title: 'Scaling of numeric columns (quantile: by rank to a normal distribution)',
    }),
    categorical_encoding: z
      .enum(ENCODINGS)
      .default('onehot')
      .meta({ kept_by_fine_tuning: true, title: 'Encoding of categorical columns' }),
    feature_selection: FeatureSelection.meta({
      kept_by_fine_tuning: true,
      title:
        'Table columns that the model reads: all, those that vary, or those most associated with the label (for survival, with its martingale residual)',
    }),
    unreadable_images: z.enum(['refuse', 'missing']).default('refuse').meta({
      title:
        'Handling of missing or unreadable image files: stop with an error, or treat them as missing views',
    }),
    allow_leakage: z
      .boolean()
      .default(false)
      .meta({ title: 'Allow a patient or an image to be in two splits; the report states it' }),
  })
  .meta({ id: 'DataConfig' })
