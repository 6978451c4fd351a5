import { z } from 'zod'
import { Warning } from './codes/index.js'
import { Recipe, TASKS } from './configuration/index.js'
import { Interval } from './interval.js'
import { owner } from './people/users.js'
import { phrasesOf } from './phrases/phrase.js'
import { Timestamp } from './timestamp.js'
import { SMALL_CELL } from './trainer/evaluation/small-cells.js'

/** Predictions of a model for cases without labels. */

/** Number of cases that a request may contain, and that one response may return; more cases are a task with a file. */
export const PREDICT_AT_ONCE = 100

export const PREDICTION_FORMATS = ['csv', 'parquet', 'json'] as const

/** A value of a case: of a column, or the path of an image (or `upload:ID`). */
export const CaseValue = z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()])

const path = z.string().min(1).max(4096)

export const PredictRequest = z
  .strictObject({
    rows: z
      .array(z.record(z.string().min(1).max(500), CaseValue))
      .min(1)
      .max(PREDICT_AT_ONCE)
      .optional()
      .meta({
        title: `Cases, each as column → value; an image column contains the path of the image or upload:ID. At most ${PREDICT_AT_ONCE}`,
      }),
    path: path.optional().meta({ title: 'Table or folder of cases' }),
    dataset_id: z.string().min(1).max(200).optional().meta({ title: 'Registered dataset' }),
    recipe: Recipe.optional().meta({
      title:
        'Recipe to read the table or folder with; its label and split are not read. Default: that of the training',
    }),
    image_root: path.optional().meta({
      title:
        "Folder that image paths are relative to. Default: the folder of the table; for rows, the training's image_root",
    }),
    checkpoint_path: path.optional().meta({ title: 'Checkpoint folder. Default: the best checkpoint' }),
    id_column: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .meta({ title: 'Column with the id of each case. Default: the patient column of the training' }),
    calibrated: z.boolean().default(true).meta({
      title: 'Apply the temperature of the training, if it fitted one',
    }),
    operating_point: z.string().min(1).max(64).optional().meta({
      title:
        'Operating point of the training: youden, sensitivity:0.9, specificity:0.9 or cost:5:1 (false negative, false positive). Default: its decision threshold',
    }),
    format: z.enum(PREDICTION_FORMATS).default('csv').meta({ title: 'Format of the file of a task' }),
    allow_missing_columns: z.boolean().default(false).meta({
      title:
        'Predict a table that has fewer than half of the columns of the model; the others are read as missing',
    }),
    trace: z.boolean().default(true).meta({ title: 'Record the request, without values of cases' }),
  })
  .refine(
    ({ rows, path, dataset_id }) => [rows, path, dataset_id].filter((one) => one !== undefined).length === 1,
    {
      path: ['rows'],
      error: 'give rows, path or dataset_id, one of them',
    },
  )
  .refine(({ rows, recipe }) => rows === undefined || recipe === undefined, {
    path: ['recipe'],
    error: 'rows are read without a recipe',
  })
  .meta({ id: 'PredictRequest' })
export type PredictRequest = z.output<typeof PredictRequest>

/** A finding about one case: what to know before its prediction is used. */
const CaseWarning = z
  .object({
    code: z.string(),
    message: z.string(),
    message_phrases: phrasesOf('message'),
    column: z.string().nullable().meta({ description: 'Column or image column of the finding' }),
  })
  .meta({ id: 'CaseWarning' })

export const Prediction = z
  .object({
    row: z.int().meta({ description: 'Number of the case in the request from 1, or its line in the table' }),
    file: z.string().nullable().meta({ description: 'File of the row; null for a row of the request' }),
    id: z.string().nullable().meta({ description: 'Value of the id column' }),
    predicted: z
      .union([z.string(), z.number(), z.array(z.string())])
      .nullable()
      .meta({
        description:
          'Class; number; present findings of several labels; null for survival and for a case with an error',
      }),
    probabilities: z
      .record(z.string(), z.number())
      .nullable()
      .meta({ description: 'Class or finding → probability; null for numbers and survival' }),
    set: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Classes of the prediction set; null: the training calibrated none' }),
    interval: z
      .object({ low: z.number(), high: z.number() })
      .nullable()
      .meta({ description: 'Prediction interval of a number' }),
    risk: z
      .number()
      .nullable()
      .meta({ description: 'Survival: time lost up to the last interval of the model, as in an evaluation' }),
    survival: z
      .array(z.object({ time: z.number(), survival: z.number(), risk: z.number() }))
      .nullable()
      .meta({
        description: 'Survival: probability to be free of the event, and to have had it, at named times',
      }),
    disagreement: z
      .number()
      .nullable()
      .meta({ description: 'Disagreement of the members of an ensemble, as in an evaluation' }),
    warnings: z.array(CaseWarning),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        message_phrases: phrasesOf('message'),
        column: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'Why this case has no prediction' }),
  })
  .meta({ id: 'Prediction' })
export type Prediction = z.infer<typeof Prediction>

/** Facts about the model, to be read beside each prediction. */
export const PredictionBasis = z
  .object({
    task: z.enum(TASKS),
    classes: z.array(z.string()).nullable(),
    checkpoint_digest: z.string(),
    epoch: z.int().nullable(),
    temperature: z.number().nullable().meta({ description: 'Applied temperature; null: none' }),
    operating_point: z.string().nullable().meta({
      description:
        'Operating point of the threshold, such as sensitivity:0.9; default: decision threshold of the training; null: no decision by a threshold',
    }),
    threshold: z.number().nullable(),
    coverage: z
      .number()
      .nullable()
      .meta({ description: 'Coverage for which sets and intervals were calibrated; null: none' }),
    training_cases: z.int().nullable(),
    training_patients: z.int().nullable(),
    image_distance: z
      .object({
        threshold: z.number(),
        false_alarms: z.number().meta({
          description: 'Expected share of new cases like the validation cases beyond the threshold',
        }),
        cases: z.int().meta({ description: 'Validation cases that determined the threshold' }),
      })
      .nullable()
      .meta({ description: 'Null: the model reads no images, or its training stored no reference' }),
  })
  .meta({ id: 'PredictionBasis' })

/** The facts about the model, and what its authors wrote. */
const CasePredictionBasis = PredictionBasis.extend({
  intended_use: z.string().nullable().meta({
    description: 'Intended use from the texts of the model card; null: not written',
  }),
}).meta({ id: 'CasePredictionBasis' })

export const PredictParams = z.strictObject({
  checkpoint: z.string().meta({ description: 'Absolute path of the checkpoint folder' }),
  rows: z
    .array(z.record(z.string(), CaseValue))
    .nullable()
    .meta({ description: 'Cases; image columns contain absolute paths or paths relative to image_root' }),
  refused_rows: z
    .array(
      z.strictObject({
        row: z.int().meta({ description: 'Index in rows, from 0' }),
        code: z.string(),
        message: z.string(),
        message_phrases: phrasesOf('message'),
        column: z.string(),
      }),
    )
    .meta({ description: 'Rows that are not predicted, because their image may not be read' }),
  path: z.string().nullable().meta({ description: 'Absolute path of a table or folder; null: rows' }),
  recipe: Recipe.nullable().meta({
    description:
      'null: the recipe of the training; without one, the table as it is. Labels and splits of a recipe are not read',
  }),
  image_root: z.string().nullable(),
  id_column: z.string().nullable(),
  calibrated: z.boolean(),
  operating_point: z.string().nullable(),
  out_dir: z
    .string()
    .nullable()
    .meta({ description: 'Absolute path of a folder for the file of predictions; null: no file' }),
  format: z.enum(PREDICTION_FORMATS),
  allow_missing_columns: z.boolean().meta({
    description: 'Predict a table that has fewer than half of the columns of the model',
  }),
  returned: z.int().meta({ description: 'Number of predictions that the result returns, the first ones' }),
  prediction_id: z.string().meta({ description: 'Id of the request, for follow-ups' }),
  requested_at: Timestamp,
  follow_ups: z
    .array(
      z.strictObject({
        folder: z.string().meta({ description: 'Absolute path of the folder of the follow-up' }),
        id_column: z.string().nullable().meta({ description: 'Null: the id column of the request' }),
      }),
    )
    .meta({ description: 'Open follow-ups of the model, which collect the cases' }),
  data_dir: z
    .string()
    .meta({ description: 'Absolute path; a checkpoint must be in this folder or in the roots' }),
  cache_dir: z.string(),
  roots: z.array(z.string()),
  device: z.string(),
})

export const PredictResult = z.object({
  basis: PredictionBasis,
  num_cases: z.int(),
  num_failed: z.int().meta({ description: 'Cases without a prediction; each has an error' }),
  predictions: z.array(Prediction),
  file: z.string().nullable().meta({ description: 'Name of the file in out_dir' }),
  input_digests: z
    .array(z.string())
    .meta({ description: 'sha256 of the values and images of each returned case, for the trace' }),
  warnings: z.array(Warning).meta({ description: 'Findings about all cases' }),
  software: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Package → version, for the record of the request' }),
})
export type PredictResult = z.infer<typeof PredictResult>

/** Test performance of the model, from its latest evaluation on a test split. */
const TestPerformance = z.object({
  evaluation_id: z.string(),
  metric: z.string(),
  value: z.number().nullable(),
  interval: Interval.nullable(),
  num_cases: z.int(),
  num_patients: z.int().nullable(),
})

export const CasePredictions = z
  .object({
    model_id: z.string(),
    alias: z
      .string()
      .nullable()
      .meta({ description: 'Alias that the request named; null: it named the model id' }),
    basis: CasePredictionBasis,
    performance: TestPerformance.nullable().meta({
      description: 'Primary metric of the latest evaluation on a test split; null: never tested',
    }),
    num_cases: z.int(),
    num_failed: z.int(),
    predictions: z.array(Prediction).meta({ description: `The first ${PREDICT_AT_ONCE}; the file has all` }),
    file: z.string().nullable().meta({ description: 'Path of the file with all predictions; null for rows' }),
    prediction_id: z.uuid().meta({ description: 'Id for the download of the file and for the record' }),
    recorded: z.boolean().meta({
      description: 'Whether GET /api/predictions contains this request; the values of cases are never stored',
    }),
    hidden: z.boolean().meta({
      description:
        'Whether a silent follow-up of the model is open: the cases are predicted, but the response has no values and no file',
    }),
    warnings: z.array(Warning),
  })
  .meta({ id: 'CasePredictions' })

/** How the model reads a missing value: the case is refused, the model has learned to read a gap, or a statistic replaces it. */
export const MISSING_READINGS = ['refused', 'gap', 'mean', 'median', 'mode'] as const

const InputColumn = z.object({
  name: z.string(),
  kind: z.enum(['numeric', 'categorical']),
  unit: z.string().nullable().meta({
    description: 'Unit or symbol that all numbers of the training have, such as % or years; null: none',
  }),
  marks: z
    .object({ decimal: z.enum(['.', ',']), thousands: z.enum(['', '.', ',']) })
    .nullable()
    .meta({
      description:
        'Marks with which the numbers of the training are written; null: categorical, whole numbers, or an older version trained the model',
    }),
  range: z.object({ low: z.number(), high: z.number() }).nullable().meta({
    description:
      'Smallest and largest training value; null: categorical, or an older version trained the model',
  }),
  missing: z.object({
    read_as: z.enum(MISSING_READINGS).meta({
      description: 'refused: the case has an error; mode: the most frequent value or category',
    }),
    value: z.union([z.number(), z.string()]).nullable().meta({
      description: 'Value of the statistic; null: none, or a category that is not listed',
    }),
    seen: z.boolean().meta({ description: 'Whether training cases lacked the value' }),
  }),
})

const InputImages = z.object({
  columns: z.array(z.string()),
  required: z.boolean().meta({ description: 'Whether a case without any image is refused' }),
})

/** Inputs of a model as the trainer reads them from the checkpoint; not for others, because categories may be rare. */
export const ModelInputsResult = z.object({
  images: InputImages,
  columns: z.array(
    InputColumn.extend({
      categories: z
        .array(z.object({ name: z.string(), patients: z.int() }))
        .nullable()
        .meta({ description: 'At least this many training patients have the category' }),
    }),
  ),
})
export type ModelInputsResult = z.infer<typeof ModelInputsResult>

/** Inputs of a model for a form in which a case is entered. */
export const ModelInputs = z
  .object({
    model_id: z.string(),
    images: InputImages,
    columns: z.array(
      InputColumn.extend({
        categories: z
          .array(z.string())
          .nullable()
          .meta({
            description: `Categories of at least ${SMALL_CELL} training patients; null: numeric`,
          }),
        more_categories: z.boolean().meta({
          description: 'Whether the training had further categories, which are not listed',
        }),
      }),
    ),
  })
  .meta({ id: 'ModelInputs' })
export type ModelInputs = z.infer<typeof ModelInputs>

export const PREDICTION_KINDS = ['rows', 'table', 'dataset'] as const

/** Record of a request for predictions. */
export const PredictionRecord = z
  .object({
    prediction_id: z.uuid(),
    created_at: Timestamp,
    owner,
    model_id: z.string(),
    alias: z
      .string()
      .nullable()
      .meta({ description: 'Alias that the request named; null: it named the model id' }),
    checkpoint_digest: z.string(),
    software_digest: z.string().nullable().meta({
      description: 'SHA-256 of the versions of Python and its packages; null: unknown',
    }),
    kind: z.enum(PREDICTION_KINDS),
    num_cases: z.int(),
    num_failed: z.int(),
    input_digests: z.array(z.string()).meta({
      description: `SHA-256 of the values and images of the first ${PREDICT_AT_ONCE} cases; the values are not stored`,
    }),
    outputs: z
      .array(
        Prediction.pick({ predicted: true, probabilities: true, risk: true }).extend({
          error: z
            .string()
            .nullable()
            .meta({ description: 'Code of the error of a case without a prediction' }),
        }),
      )
      .meta({ description: `Predictions of the first ${PREDICT_AT_ONCE} cases, without ids` }),
    warnings: z.array(z.string()).meta({ description: 'Codes of all warnings, each once' }),
  })
  .meta({ id: 'PredictionRecord' })
export type PredictionRecord = z.infer<typeof PredictionRecord>

/** Query of a request for predictions. */
export const predictQuery = z.object({
  wait: z
    .enum(['auto', 'true', 'false'])
    .default('auto')
    .meta({
      description: `auto: more than ${PREDICT_AT_ONCE} cases of a table, folder or dataset are a task (202). false: always a task; rows are always answered at once`,
    }),
  identifiers: z.enum(['true', 'false']).default('false').meta({
    description:
      'true: return ids and file names of a table, folder or dataset. Ids of rows are always returned; those of a task are only in its file',
  }),
})

export const predictionsQuery = {
  model_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Only predictions of this model, by its id or alias' }),
}

export type CasePredictions = z.infer<typeof CasePredictions>

export const PREDICTION_TASKS = {
  predict: { params: PredictParams, result: PredictResult },
  model_inputs: {
    params: PredictParams.pick({ checkpoint: true, data_dir: true, roots: true }),
    result: ModelInputsResult,
  },
} as const
