import { z } from 'zod'
import { ReportTexts, Slices, TASKS, VolumesRead } from './configuration/index.js'
import { owner } from './people/users.js'
import { Timestamp } from './timestamp.js'

/** A registered folder or CSV file: its columns with inferred roles, its counts, and its readiness for training. */

export const COLUMN_ROLES = [
  'image',
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
    reason: z.string().meta({ description: 'Why this role was inferred' }),
  })
  .meta({ id: 'DatasetColumn' })

export const ReadinessCheck = z
  .object({ key: z.string(), status: z.enum(READINESS), message: z.string(), hint: z.string().nullable() })
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
      description: 'Of two classes the one that sensitivity speaks of; absent in records of older versions',
    }),
    time_column: z.string().nullable().optional().meta({
      description: 'Of survival, as it was named; null elsewhere, absent in records of older versions',
    }),
    event_column: z.string().nullable().optional().meta({ description: 'As time_column' }),
    missing: z.record(z.string(), z.int()),
    splits: z.record(z.string(), z.int()),
    volumes: VolumesRead.nullable().optional().meta({
      description:
        'Volumes among the images that were opened, and the slices that a training reads of each; null where there are none, absent in records of older versions',
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
      'Column → role, as chosen: also the label, patient and ignored columns that were named; every other role is inferred. Absent in records of older versions',
  }),
  image_root: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'Folder that image paths are relative to; null: the folder of the table' }),
  ignore_columns: z
    .array(z.string())
    .optional()
    .meta({ description: 'Columns that were left out at registration; LoadDataset does not pass them on' }),
  positive_class_named: z
    .boolean()
    .optional()
    .meta({ description: 'positive_class was named at registration: LoadDataset passes it on' }),
  slices: Slices.nullable()
    .optional()
    .meta({ description: 'Slices of volumes that were named at registration: LoadDataset passes them on' }),
  files_mark: z.string().optional().meta({
    description:
      'Names, sizes and times of its tables when they were inspected, as a digest; readiness compares them. Absent in records of older versions',
  }),
  report: ReportTexts.optional().meta({
    description: 'What reports print of a training on this data set where its configuration says nothing',
  }),
}).meta({ id: 'Dataset' })
export type Dataset = z.infer<typeof Dataset>

/** A dataset in lists, without the columns, because tables have thousands of them. */
export const DatasetSummary = Dataset.omit({ columns: true, missing: true, report: true, roles: true }).meta({
  id: 'DatasetSummary',
  description: 'A data set as lists give it; the record has its columns and texts',
})
export type DatasetSummary = z.infer<typeof DatasetSummary>

export const ExampleDataset = z
  .object({
    dataset: Dataset,
    config: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .meta({ description: 'A training on it that takes a minute or two: what a start takes as its config' }),
  })
  .meta({ id: 'ExampleDataset' })
export type ExampleDataset = z.infer<typeof ExampleDataset>

export const InspectRequest = z
  .strictObject({
    path: path.meta({
      title:
        'CSV file; a folder with train.csv, val.csv and test.csv, or with one CSV; or a folder with one sub-folder of images per class',
    }),
    image_root: path.optional(),
    label_column: z.string().min(1).optional(),
    label_columns: z.array(z.string().min(1)).min(2).max(1000).optional().meta({
      title: 'Several label columns, each yes or no, instead of one, as data.label_columns of a training',
    }),
    time_column: z.string().min(1).optional().meta({
      title: 'Survival: how long a case was followed, as data.time_column of a training; with event_column',
    }),
    event_column: z.string().min(1).optional().meta({
      title: 'Survival: whether the event happened then, as data.event_column of a training',
    }),
    patient_column: z.string().min(1).optional(),
    roles: roles.optional().meta({
      title:
        'Column → what it is for, instead of naming it above; every other role is inferred. Several labels are yes or no each',
    }),
    positive_class: z.string().min(1).optional().meta({
      title: 'Of two classes the positive one; absent: the one whose name is no negation',
    }),
    slices: Slices.optional().meta({
      title:
        'Slices that stand for a volume, as LoadDataset passes them on; a training that names the CSV itself has data.slices. Absent: the default of data.slices',
    }),
    ignore_columns: z.array(z.string().min(1)).max(10_000).optional().meta({
      title:
        'Columns that LoadDataset does not pass on, such as what is known only after the diagnosis; a training that names the CSV itself leaves them out by data.ignore_columns',
    }),
  })
  .meta({ id: 'InspectRequest' })

/** Maximum length of a dataset note, in characters. */
export const DATASET_NOTE = 10_000

export const EditDatasetRequest = z
  .strictObject({
    name: z.string().min(1).max(200).optional(),
    path: path.optional().meta({
      title: 'Where the table or folder is now. The files are inspected there',
    }),
    image_root: path.nullable().optional().meta({
      title:
        'Folder that image paths are relative to; null: the folder of the table. The files are inspected again',
    }),
    note: z.string().max(DATASET_NOTE).optional().meta({ title: 'Free text; empty: none' }),
    roles: roles.optional().meta({
      title:
        'All roles that are chosen, in the place of those before: a column that is left out has its role inferred. The files are inspected again',
    }),
    positive_class: z.string().min(1).nullable().optional().meta({
      title:
        'Of two classes the positive one; null: the one whose name is no negation. The files are inspected again',
    }),
    inspect: z.literal(true).optional().meta({
      title: 'Inspect the files again with the roles that are chosen, such as after they have changed',
    }),
  })
  .meta({
    id: 'EditDatasetRequest',
    description:
      'What is left out stays. A training keeps what it has read: its configuration, not the data set, says what its columns were for. LoadDataset follows: a workflow computes again what has changed',
  })
export type EditDatasetRequest = z.infer<typeof EditDatasetRequest>

export const RegisterRequest = InspectRequest.extend({
  name: z.string().min(1).max(200).optional().meta({ title: 'Name; absent: the name of the file or folder' }),
  report: ReportTexts.optional().meta({
    title: 'Texts that reports print; absent: those of an earlier registration of the path stay',
  }),
  inspection: z.uuid().optional().meta({
    title:
      'Task that has inspected the same request (inspectDataset with wait=false): what it found is registered, unless the table has changed since. Absent: the data are inspected now',
  }),
}).meta({ id: 'RegisterRequest' })
