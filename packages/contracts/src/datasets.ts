import { z } from 'zod'
import { Recipe, ReportTexts, ROW_ANSWERS, Slices, TASKS, VolumesRead } from './configuration/index.js'
import { owner } from './people/users.js'
import { Phrase, phrasesOf } from './phrases/phrase.js'
import { Timestamp } from './timestamp.js'

/** A registered folder or CSV file: its columns with inferred roles, its counts, and its readiness for training. */

export const COLUMN_ROLES = [
  'image',
  'mask',
  'label',
  'patient',
  'split',
  'numeric',
  'categorical',
  'id',
  'constant',
  'ignored',
] as const
/** Roles that a user can set. */
export const CHOSEN_ROLES = [
  'image',
  'label',
  'patient',
  'split',
  'numeric',
  'categorical',
  'ignored',
] as const satisfies readonly (typeof COLUMN_ROLES)[number][]
export const DATASET_KINDS = ['image', 'tabular', 'multimodal'] as const
export const READINESS = ['ready', 'warning', 'blocked'] as const

export const DatasetColumn = z
  .object({
    name: z.string(),
    role: z.enum(COLUMN_ROLES),
    missing: z.int(),
    distinct: z.int(),
    reason: z.string().meta({ description: 'Reason why this role was inferred' }),
    reason_phrases: phrasesOf('reason'),
  })
  .meta({ id: 'DatasetColumn' })

export const ReadinessCheck = z
  .object({
    key: z.string(),
    status: z.enum(READINESS),
    message: z.string(),
    message_phrases: phrasesOf('message'),
    hint: z.string().nullable(),
    hint_phrases: phrasesOf('hint'),
  })
  .meta({ id: 'ReadinessCheck' })

const roles = z
  .record(z.string().min(1).max(1000), z.enum(CHOSEN_ROLES))
  .refine((chosen) => Object.keys(chosen).length <= 10_000)

const path = z.string().min(1).max(4096)

/** Result of an inspection. It contains counts only: no patient value is ever included, except class names. */
export const Inspection = z
  .object({
    path: z.string(),
    kind: z.enum(DATASET_KINDS),
    columns: z.array(DatasetColumn),
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    task: z.enum(TASKS).nullable(),
    classes: z.array(z.object({ name: z.string(), count: z.int() })).nullable(),
    positive_class: z.string().nullable().optional().meta({
      description: 'Positive class of two classes; absent in records of older versions',
    }),
    time_column: z.string().nullable().optional().meta({
      description: 'Time column of survival data; null for other data, absent in records of older versions',
    }),
    event_column: z.string().nullable().optional().meta({
      description: 'Event column of survival data; null for other data, absent in records of older versions',
    }),
    missing: z.record(z.string(), z.int()),
    splits: z.record(z.string(), z.int()),
    volumes: VolumesRead.nullable().optional().meta({
      description:
        'Volumes among the inspected images, and the slices that a training reads from each; null without volumes, absent in records of older versions',
    }),
    digest: z.string(),
    readiness: z.object({ status: z.enum(READINESS), checks: z.array(ReadinessCheck) }),
  })
  .meta({ id: 'Inspection' })
export type Inspection = z.infer<typeof Inspection>

export const Dataset = Inspection.extend({
  dataset_id: z.string(),
  name: z.string(),
  owner,
  created_at: Timestamp,
  note: z.string().optional().meta({ description: 'Absent: none' }),
  roles: roles.optional().meta({
    description:
      'Column → chosen role, including the label, patient and ignored columns of the registration; all other roles are inferred. Absent in records of older versions',
  }),
  image_root: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'Folder that image paths are relative to; null: the folder of the table' }),
  ignore_columns: z
    .array(z.string())
    .optional()
    .meta({ description: 'Columns that were excluded at registration; LoadDataset does not load them' }),
  positive_class_named: z
    .boolean()
    .optional()
    .meta({ description: 'Whether positive_class was set at registration; LoadDataset passes it on' }),
  slices: Slices.nullable()
    .optional()
    .meta({ description: 'Volume slices that were set at registration; LoadDataset passes them on' }),
  recipe: Recipe.nullable().optional().meta({
    description:
      'Recipe that was set at registration: it makes the table of the dataset, also for LoadDataset',
  }),
  files_mark: z.string().optional().meta({
    description:
      'Digest of the names, sizes and modification times of the tables at inspection, used by the readiness check. Absent in records of older versions',
  }),
  report: ReportTexts.optional().meta({
    description: 'Report texts for trainings on this dataset, used if the configuration has no text',
  }),
}).meta({ id: 'Dataset' })
export type Dataset = z.infer<typeof Dataset>

/** Limits of a dataset in lists: characters of a text, and items of each array and object. */
export const LISTED_DATASET = { text: 500, items: 20 } as const

/** A dataset in lists, without the columns, because tables have thousands of them. */
export const DatasetSummary = Dataset.omit({
  columns: true,
  missing: true,
  report: true,
  roles: true,
  recipe: true,
})
  .extend({
    num_classes: z
      .int()
      .optional()
      .meta({ description: 'Number of classes, if `classes` has only the first of them' }),
  })
  .meta({
    id: 'DatasetSummary',
    description: `A dataset in lists; the full record has columns and report texts. Texts are shortened to ${LISTED_DATASET.text} characters; classes, splits, ignored columns and checks to the first ${LISTED_DATASET.items}.`,
  })
export type DatasetSummary = z.infer<typeof DatasetSummary>

export const ExampleDataset = z
  .object({
    dataset: Dataset,
    config: z.record(z.string(), z.record(z.string(), z.unknown())).meta({
      description:
        'Configuration of a training on this dataset that takes one or two minutes; can be sent to startTraining as config',
    }),
  })
  .meta({ id: 'ExampleDataset' })
export type ExampleDataset = z.infer<typeof ExampleDataset>

export const InspectRequest = z
  .strictObject({
    path: path.meta({
      title:
        'CSV file; a folder with train.csv, val.csv and test.csv, or with one CSV; or a folder with one subfolder of images per class',
    }),
    image_root: path.optional(),
    label_column: z.string().min(1).optional(),
    label_columns: z.array(z.string().min(1)).min(2).max(1000).optional().meta({
      title: 'Several label columns instead of one, each with yes or no, as data.label_columns of a training',
    }),
    time_column: z.string().min(1).optional().meta({
      title: 'Survival: follow-up time, as data.time_column of a training; requires event_column',
    }),
    event_column: z.string().min(1).optional().meta({
      title: 'Survival: whether the event occurred at that time, as data.event_column of a training',
    }),
    patient_column: z.string().min(1).optional(),
    roles: roles.optional().meta({
      title:
        'Column → role, as an alternative to the fields above; all other roles are inferred. Each of several labels is yes or no',
    }),
    positive_class: z.string().min(1).optional().meta({
      title: 'Positive class of two classes. Default: the class whose name is not a negation',
    }),
    slices: Slices.optional().meta({
      title:
        'Slices that represent a volume, for workflows with LoadDataset. A training from a CSV uses data.slices. Default: that of data.slices',
    }),
    ignore_columns: z.array(z.string().min(1)).max(10_000).optional().meta({
      title:
        'Columns that LoadDataset excludes, such as information that is known only after the diagnosis. A training from a CSV excludes them with data.ignore_columns',
    }),
    recipe: Recipe.optional().meta({
      title:
        'Recipe that makes the table of the file or folder, as data.recipe of a training. Its label, patient and split are used where the fields above are absent',
      written_as: 'document',
    }),
  })
  .meta({ id: 'InspectRequest' })

export const ProposalRequest = z
  .strictObject({
    path: path.meta({ title: 'Folder or table as it is' }),
    label_column: z.string().min(1).optional().meta({
      title: 'Label column. Default: recognized by its name, or asked for',
    }),
    patient_column: z.string().min(1).nullable().optional().meta({
      title:
        'Patient column; null: there is none, and each row is a different patient. Default: recognized by its name and values, or asked for',
    }),
    rows_rule: z.enum(ROW_ANSWERS).optional().meta({
      title:
        'Rule for cases with several rows, as recipe.rows.rule; baseline: the rows of the first visit; each: every row is a case. Default: asked for',
    }),
    decisions: z.record(z.string().min(1).max(200), z.string().min(1).max(1000)).optional().meta({
      title:
        'Question of a published layout or about a code, by its key → one of its choices. Default: the first',
    }),
  })
  .meta({ id: 'ProposalRequest' })

export const RecipeProposal = z
  .object({
    path: z.string(),
    template: z
      .object({ name: z.string(), title: z.string(), source: z.string() })
      .nullable()
      .meta({ description: 'Published layout that the files have; null: none that is known' }),
    recipe: Recipe,
    settings: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Other keys of `data` that the layout needs' }),
    model: z.record(z.string(), z.unknown()).meta({
      description:
        'Keys of `model` that the layout needs, such as the task, and a network that fits the inputs',
    }),
    reasons: z
      .array(
        z.object({
          key: z.string().meta({ description: 'Part of the recipe, such as images[0]; empty: the whole' }),
          message: z.string(),
          message_phrases: phrasesOf('message'),
        }),
      )
      .meta({ description: 'Evidence for each part, and what the recipe does to the rows' }),
    questions: z
      .array(
        z.object({
          key: z.string().meta({ description: 'label, patient, rows, or a part of the recipe' }),
          message: z.string(),
          message_phrases: phrasesOf('message'),
          choices: z.array(z.string()).meta({ description: 'Possible answers, the likely ones first' }),
          choices_phrases: z.array(Phrase).optional().meta({
            description: 'One phrase for each choice, for other languages; absent: they are names',
          }),
        }),
      )
      .meta({ description: 'What the files do not say' }),
    rows: z.int().meta({ description: 'Rows of the table that the recipe makes' }),
    columns: z.array(z.string()),
  })
  .meta({ id: 'RecipeProposal' })
export type RecipeProposal = z.infer<typeof RecipeProposal>

/** Maximum length of a dataset note, in characters. */
export const DATASET_NOTE = 10_000

export const EditDatasetRequest = z
  .strictObject({
    name: z.string().min(1).max(200).optional(),
    path: path.optional().meta({
      title: 'Current path of the table or folder. The files are inspected again',
    }),
    image_root: path.nullable().optional().meta({
      title:
        'Folder that image paths are relative to; null: folder of the table. The files are inspected again',
    }),
    note: z.string().max(DATASET_NOTE).optional().meta({ title: 'Free text; empty: none' }),
    roles: roles.optional().meta({
      title:
        'All chosen roles, replacing the previous ones; the role of any other column is inferred. The files are inspected again',
    }),
    recipe: Recipe.nullable().optional().meta({
      title: 'Recipe that makes the table; null: the table is read as it is. The files are inspected again',
      written_as: 'document',
    }),
    positive_class: z.string().min(1).nullable().optional().meta({
      title:
        'Positive class of two classes; null: the class whose name is not a negation. The files are inspected again',
    }),
    inspect: z.literal(true).optional().meta({
      title: 'Inspect the files again with the chosen roles, for example after they have changed',
    }),
  })
  .meta({
    id: 'EditDatasetRequest',
    description:
      'Absent fields do not change. Existing trainings are not affected, because their configuration contains the column roles. Workflows with LoadDataset use the new settings and run the affected nodes again',
  })
export type EditDatasetRequest = z.infer<typeof EditDatasetRequest>

export const RegisterRequest = InspectRequest.extend({
  name: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ title: 'Name. Default: the name of the file or folder' }),
  report: ReportTexts.optional().meta({
    title: 'Report texts. Default: those of an earlier registration of the path',
  }),
  inspection: z.uuid().optional().meta({
    title:
      'Task that inspected the same request (inspectDataset with wait=false). Its result is registered unless the table has changed since. Default: the data are inspected now',
  }),
}).meta({ id: 'RegisterRequest' })
