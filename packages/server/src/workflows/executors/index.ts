import { createHash } from 'node:crypto'
import { NODES, type NodeConfig, type NodeOutputs, type NodeType } from '@medloom/contracts'
import { type CatalogExecutors, canonical, type Hash, type Task, type Value } from '@medloom/workflow'
import type { TrainingGateway } from '../../training/training-gateway.js'
import type { DatasetSource } from '../sources/dataset-source.js'
import { evaluateModel } from './evaluate-model.js'
import type { NodeExecutor, NodeResult, Workplace } from './executor.js'
import { asNodeFailure } from './node-failure.js'
import { generateReport } from './reports/generate-report.js'
import { visualizeResults } from './reports/visualize-results.js'
import { saveWorkflow } from './save-workflow.js'
import { configureTraining, selectAggregator, selectBackbone, selectFusion } from './settings-nodes.js'
import { resumeTraining, trainModel } from './training/training-nodes.js'
import { inWorker, loadDataset } from './worker-node.js'

export interface ExecutorParts {
  readonly datasets: DatasetSource
  readonly trainings: TrainingGateway
}

/** The executor of every node of the catalog, working for one run. A node without one is a compile error. */
export function createExecutors(
  { datasets, trainings }: ExecutorParts,
  workplace: Workplace,
): CatalogExecutors {
  const at = <T extends NodeType>(type: T, execute: NodeExecutor<T>) => valued(type, execute, workplace)
  return {
    LoadDataset: at('LoadDataset', loadDataset(datasets)),
    LoadImage: at('LoadImage', inWorker()),
    LoadTabular: at('LoadTabular', inWorker()),
    ImagePreprocess: at('ImagePreprocess', inWorker()),
    TabularPreprocess: at('TabularPreprocess', inWorker()),
    DataAugmentation: at('DataAugmentation', inWorker()),
    SelectBackbone: at('SelectBackbone', selectBackbone),
    SelectFusion: at('SelectFusion', selectFusion),
    SelectAggregator: at('SelectAggregator', selectAggregator),
    BuildModel: at('BuildModel', inWorker()),
    ConfigureTraining: at('ConfigureTraining', configureTraining),
    TrainModel: at('TrainModel', trainModel(trainings)),
    ResumeTraining: at('ResumeTraining', resumeTraining(trainings)),
    EvaluateModel: at('EvaluateModel', evaluateModel),
    VisualizeResults: at('VisualizeResults', visualizeResults),
    GenerateReport: at('GenerateReport', generateReport),
    SaveModel: at('SaveModel', inWorker()),
    ExportPredictions: at('ExportPredictions', inWorker()),
    SaveWorkflow: at('SaveWorkflow', saveWorkflow),
    DataSplit: at('DataSplit', inWorker()),
    MergeDatasets: at('MergeDatasets', inWorker()),
    FilterData: at('FilterData', inWorker()),
  } satisfies CatalogExecutors
}

/** A value's digest is that of its canonical content, whoever computed it. */
function valued<T extends NodeType>(type: T, execute: NodeExecutor<T>, workplace: Workplace) {
  const typeOf = new Map<string, Value['type']>(NODES[type].outputs.map((port) => [port.name, port.type]))
  return async (task: Task<NodeConfig<T>>): Promise<Readonly<Record<NodeOutputs<T>, Value>>> => {
    let results: Readonly<Record<string, NodeResult>>
    try {
      results = await execute(task, workplace)
    } catch (thrown) {
      throw asNodeFailure(thrown)
    }
    return Object.fromEntries(
      Object.entries(results).map(([port, { content, summary }]) => [
        port,
        { type: typeOf.get(port) ?? 'any', digest: digestOf(content), summary, content },
      ]),
    ) as Readonly<Record<NodeOutputs<T>, Value>>
  }
}

export function digestOf(content: unknown): string {
  return nativeHash(canonical(content))
}

/** The platform's own SHA-256. */
export const nativeHash: Hash = (bytes) => createHash('sha256').update(bytes).digest('hex')
