import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  assembled,
  checkAssembled,
  declaredSettings,
  isNodeType,
  joinTexts,
  NODES,
  type NodeContent,
  ORIGIN_COLUMNS,
  phrase,
  type TrainingConfig,
} from '@medloom/contracts'
import type { Task } from '@medloom/workflow'
import { AppError, hintOfIssue, placedMessage } from '../../../errors.js'
import { makeFolder } from '../../../storage/own-folder.js'
import type { NewTraining } from '../../../training/training-gateway.js'
import { linkOrCopy } from '../../cache/artifact-store.js'
import { contentAt, type ExecutionContext } from '../executor.js'
import { joinCases } from '../join-cases.js'
import { columnsOfCases } from './case-columns.js'

export type CaseSet = Extract<NodeContent, { content: 'cases' }>

/** A training that can start. */
export interface PlannedTraining {
  readonly train: CaseSet
  readonly val: CaseSet | null
  /** Settings made by the nodes above. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Put the tables into the run directory of a new job. */
  place(): Promise<Omit<NewTraining, 'owner'>>
}

/** Starting point of a training, for a new model or an existing checkpoint. */
export interface TrainingStart {
  /** Everything that determines the training, except its data. */
  settings(train: CaseSet): Record<string, unknown>
  /** Complete the configuration, and put the starting point into the run directory of the new job. */
  begin(
    config: TrainingConfig,
    jobId: string,
    train: CaseSet,
  ): Promise<Omit<NewTraining, 'job_id' | 'job_name' | 'owner'>>
}

/**
 * The inputs of a training node as a training configuration: the settings of the nodes above override the defaults, and the tables become
 * files of the job, so that its run directory is complete.
 */
export async function planTraining(
  task: Task,
  context: ExecutionContext,
  start: TrainingStart = fromScratch(task),
): Promise<PlannedTraining> {
  const joined = await joinCases(task, context, ['train_dataset', 'val_dataset'])
  const train = contentAt(joined, 'train_dataset', 'cases')
  const val = contentAt(joined, 'val_dataset', 'cases')
  if (!train) throw new AppError('NODE_FAILED', phrase('train_dataset_empty'))
  const settings = start.settings(train)
  refuseOtherClasses(task, train)
  return {
    train,
    val,
    settings,
    place: async () => {
      const job_id = randomUUID()
      const folder = join(context.service.folder.run(job_id).path, 'data')
      await makeFolder(folder)
      const laid = async (name: string, { table }: CaseSet) => {
        await linkOrCopy(await context.store.open(table), join(folder, name))
        return join(folder, name)
      }
      const data = {
        train_csv: await laid('train.csv', train),
        val_csv: val && (await laid('val.csv', val)),
        test_csv: null,
        image_root: null,
        split_column: null,
        ...(await columnsOf(train, context)),
      }
      const config = await configOf(settings, data, context)
      return {
        job_id,
        job_name: `${context.workflow.metadata.name || 'workflow'}: ${task.node}`.slice(0, 200),
        ...(await start.begin(config, job_id, train)),
      }
    },
  }
}

/** Starts with a new model. */
function fromScratch(task: Task): TrainingStart {
  return {
    settings: (train) => mergedSettings(task, train),
    begin: async (config) => ({ config, epoch: 0, resumed_from: null, fine_tuned_from: null }),
  }
}

function mergedSettings(task: Task, train: CaseSet): Record<string, unknown> {
  const model = contentAt(task, 'model', 'model_plan')
  const configured = contentAt(task, 'training_config', 'config')
  const own = isNodeType(task.type) ? declaredSettings(NODES[task.type], task.config) : {}
  return {
    ...train.settings,
    ...model?.settings,
    ...configured?.settings,
    ...Object.fromEntries(Object.entries(own).map(([key, { value }]) => [key, value])),
  }
}

/**
 * Lists the columns that the model must not read, so that the trainer uses the same features as the workflow. In data that no node has
 * split, the column "split" stays, because the trainer must leave out its test rows.
 */
async function columnsOf({ table, ...cases }: CaseSet, { store }: ExecutionContext) {
  const { label_column, patient_column, image_columns, feature_columns } = cases
  const origin = Object.values(ORIGIN_COLUMNS)
  const { label_columns, time_column, event_column } = labelsOf(cases.settings)
  const labels = [label_column, ...(label_columns ?? []), time_column, event_column]
  const known = [...labels, patient_column, ...image_columns, ...feature_columns, ...origin]
  const header = await columnsOfCases(store.path(table))
  return {
    image_columns: image_columns.length > 0 ? image_columns : null,
    label_column,
    patient_column,
    ...kindsOf(cases.settings, feature_columns),
    ignore_columns: header.filter(
      (name) => !known.includes(name) && !(cases.split === 'all' && name.toLowerCase() === 'split'),
    ),
  }
}

/** Chosen numeric and categorical columns, restricted to the remaining features. */
function kindsOf(settings: CaseSet['settings'], features: readonly string[]) {
  const selected = (key: string) =>
    (settings[key] as readonly string[]).filter((name) => features.includes(name))
  if (!settings['data.numeric_columns'] || !settings['data.categorical_columns']) return {}
  return {
    numeric_columns: selected('data.numeric_columns'),
    categorical_columns: selected('data.categorical_columns'),
  }
}

/** Several labels, or a time and an event, are settings of the cases; the configuration gets them from there. */
function labelsOf(settings: CaseSet['settings']) {
  const { 'data.label_columns': several, 'data.time_column': time, 'data.event_column': event } = settings
  return {
    label_columns: several as readonly string[] | null | undefined,
    time_column: time,
    event_column: event,
  }
}

async function configOf(
  settings: Readonly<Record<string, unknown>>,
  data: Record<string, unknown>,
  { service }: ExecutionContext,
): Promise<TrainingConfig> {
  const document = assembled(settings)
  document.data = { ...document.data, ...data }
  const { pretrained } = (document.model ?? {}) as Record<string, unknown>
  if (typeof pretrained === 'string')
    document.model = {
      ...document.model,
      pretrained: await service.roots.resolve(pretrained, 'model.pretrained', 'file'),
    }
  const checked = checkAssembled(document)
  if (checked.ok) return checked.value
  const [first] = checked.issues
  throw new AppError(
    'INVALID_CONFIG',
    joinTexts(checked.issues.map(placedMessage), 'semicolon'),
    first && hintOfIssue(first),
    checked.issues,
  )
}

function refuseOtherClasses(task: Task, train: CaseSet): void {
  const model = contentAt(task, 'model', 'model_plan')
  const wanted = model?.num_classes ?? null
  if (wanted === null || train.classes === null || train.classes.length === wanted) return
  throw new AppError(
    'INVALID_CONFIG',
    phrase('classes_of_model_differ', { classes: wanted, found: train.classes.length }),
    phrase('clear_num_classes'),
  )
}
