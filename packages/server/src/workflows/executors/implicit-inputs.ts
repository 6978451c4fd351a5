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

/** Values of the implicit inputs. JSON, without fields that can change although the output does not. */
interface ImplicitValues {
  readonly warnings_above: readonly NodeWarning[]
  /** The training of the evaluated checkpoint; null: unknown. */
  readonly training_record: WorkflowReportInput['training']
  /** Counts of the evaluated model; null: unknown. */
  readonly evaluation_counts: WorkflowReportInput['evaluationCounts']
  readonly workflow_name: string
  /**
   * Texts of the datasets that nodes above load, and of the dataset on which the model was trained; the first one that has texts is used.
   */
  readonly dataset_texts: ReportTexts
}

type Parts = Pick<ExecutionContext, 'store'> & {
  readonly service: Pick<ExecutionContext['service'], 'folder' | 'database' | 'roots'>
}

/** Supplies the implicit inputs of nodes to the engine, both for their keys and for their executors. */
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

/** The same value with paths inside `folder` made relative, so that moving the data folder changes nothing. */
export function relativeTo<Value>(folder: string, value: Value): Value {
  const prefix = JSON.stringify(`${folder}/`).slice(1, -1)
  return JSON.parse(JSON.stringify(value).replaceAll(`"${prefix}`, '"')) as Value
}

/** Ids or paths of possibly registered datasets that nodes load, as their configs name them. */
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
