import {
  type Blob,
  firstTexts,
  type ImplicitInput,
  type NodeContent,
  type ReportTexts,
} from '@medloom/contracts'
import type { WorkflowReportInput } from '@medloom/reports'
import type { ImplicitRequest, NodeWarning, SupplyImplicit, Task } from '@medloom/workflow'
import { DatasetsRepository } from '../../datasets/datasets.repository.js'
import type { ExecutionContext } from './executor.js'
import { evaluationCountsOf, readEvaluation, trainingOf } from './reports/report-sources.js'

/** What each implicit input is. JSON, without what changes while nothing that is shown does. */
interface ImplicitValues {
  readonly warnings_above: readonly NodeWarning[]
  /** Of the training of the evaluated checkpoint; null: unknown. */
  readonly training_record: WorkflowReportInput['training']
  /** Of the evaluated model; null: unknown. */
  readonly evaluation_counts: WorkflowReportInput['evaluationCounts']
  readonly workflow_name: string
  /** Of the data sets that nodes above load, and of the one that the model was trained on; the first that says something counts. */
  readonly dataset_texts: ReportTexts
}

type Parts = Pick<ExecutionContext, 'store'> & {
  readonly service: Pick<ExecutionContext['service'], 'folder' | 'database' | 'roots'>
}

/** Gives the engine the implicit inputs of nodes, for their keys and their executors alike. */
export function supplyImplicit({ service, store }: Parts): SupplyImplicit {
  const evaluated = async (request: ImplicitRequest) => {
    const document = evaluationAmong(request)
    const evaluation = document && (await readEvaluation(store, document))
    return evaluation && { evaluation, training: await trainingOf(evaluation, service) }
  }
  const suppliers: {
    readonly [N in ImplicitInput]: (
      request: ImplicitRequest,
    ) => ImplicitValues[N] | Promise<ImplicitValues[N]>
  } = {
    warnings_above: ({ warningsAbove }) => warningsAbove,
    training_record: async (request) =>
      relativeTo(service.folder.path, (await evaluated(request))?.training ?? null),
    evaluation_counts: async (request) => {
      const found = await evaluated(request)
      return found ? evaluationCountsOf(found.evaluation, found.training?.job.model_id, service) : null
    },
    workflow_name: ({ workflowName }) => workflowName,
    dataset_texts: async (request) => {
      const texts: (ReportTexts | undefined)[] = []
      for (const named of loadedAbove(request)) texts.push(await textsOfLoaded(named, service))
      const training = (await evaluated(request))?.training
      if (training)
        texts.push(await new DatasetsRepository(service.database).textsOf(training.job.config.data.train_csv))
      return firstTexts(...texts)
    },
  }
  return (name, request) => suppliers[name](request)
}

/** The value of an implicit input that the definition of the node names. */
export function implicitOf<N extends ImplicitInput>(task: Task<never> | Task, name: N): ImplicitValues[N] {
  return task.implicit[name] as ImplicitValues[N]
}

/** The same value; paths inside `folder` lose its name, so that moving the data folder changes nothing. */
export function relativeTo<Value>(folder: string, value: Value): Value {
  const prefix = JSON.stringify(`${folder}/`).slice(1, -1)
  return JSON.parse(JSON.stringify(value).replaceAll(`"${prefix}`, '"')) as Value
}

/** What nodes load that may be registered, as their configs name it: an id or a path. */
function loadedAbove({ nodesAbove }: ImplicitRequest): string[] {
  return nodesAbove.flatMap(({ type, config }) => {
    const named =
      type === 'LoadDataset' ? config.dataset_id : type === 'LoadTabular' ? config.path : undefined
    return typeof named === 'string' ? [named] : []
  })
}

async function textsOfLoaded(
  named: string,
  { database, roots }: Parts['service'],
): Promise<ReportTexts | undefined> {
  const datasets = new DatasetsRepository(database)
  const registered = await datasets.find(named)
  if (registered) return registered.report
  const path = await roots.resolve(named, 'path').catch(() => null)
  return path === null ? undefined : datasets.textsOf(path)
}

function evaluationAmong({ inputs }: ImplicitRequest): Blob | undefined {
  for (const { value } of Object.values(inputs).flat()) {
    const content = value.content as NodeContent
    if (content.content === 'evaluation') return content.document
  }
  return undefined
}
