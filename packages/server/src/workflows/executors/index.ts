import { createHash } from 'node:crypto'
import { NODES, type NodeConfig, type NodeType, type OutputPort } from '@medloom/contracts'
import { canonical, type Executor, type Hash, type Outputs, type Task } from '@medloom/workflow'
import type { TrainingGateway } from '../../training/training-gateway.js'
import type { DatasetSource } from '../sources/dataset-source.js'
import type { ModelSource } from '../sources/model-source.js'
import { evaluateModel } from './evaluate-model.js'
import type { ExecutionContext, NodeExecutor, NodeResult } from './executor.js'
import { asNodeFailure } from './node-failure.js'
import { predictCases } from './predict-cases.js'
import { generateReport } from './reports/generate-report.js'
import { visualizeResults } from './reports/visualize-results.js'
import { saveWorkflow } from './save-workflow.js'
import { configureTraining, selectAggregator, selectBackbone, selectFusion } from './settings-nodes.js'
import { resumeTraining, trainModel } from './training/training-nodes.js'
import { fileInWorker, inWorker, loadDataset } from './worker-node.js'

export interface ExecutorParts {
  readonly datasets: DatasetSource
  readonly models: ModelSource
  readonly trainings: TrainingGateway
}

/**
 * The executor of every node of the catalog, for one run. Nodes that a worker computes need no executor here unless they use other
 * services; any other node without one is a compile error.
 */
export function createExecutors({ datasets, models, trainings }: ExecutorParts, context: ExecutionContext) {
  const executor = <T extends NodeType>(type: T, execute: NodeExecutor<T>) => valued(type, execute, context)
  return {
    ...workerNodes(context),
    LoadDataset: executor('LoadDataset', loadDataset(datasets)),
    SelectBackbone: executor('SelectBackbone', selectBackbone),
    SelectFusion: executor('SelectFusion', selectFusion),
    SelectAggregator: executor('SelectAggregator', selectAggregator),
    ConfigureTraining: executor('ConfigureTraining', configureTraining),
    TrainModel: executor('TrainModel', trainModel(trainings)),
    ResumeTraining: executor('ResumeTraining', resumeTraining(trainings)),
    EvaluateModel: executor('EvaluateModel', evaluateModel),
    PredictCases: executor('PredictCases', predictCases(models)),
    VisualizeResults: executor('VisualizeResults', visualizeResults),
    GenerateReport: executor('GenerateReport', generateReport),
    SaveModel: executor('SaveModel', fileInWorker()),
    ExportPredictions: executor('ExportPredictions', fileInWorker()),
    SaveWorkflow: executor('SaveWorkflow', saveWorkflow),
  } satisfies Readonly<Record<NodeType, Executor>>
}

type WorkerNode = {
  [T in NodeType]: (typeof NODES)[T]['runs'] extends 'worker' ? T : never
}[NodeType]

function workerNodes(context: ExecutionContext): Readonly<Record<WorkerNode, Executor>> {
  const types = (Object.keys(NODES) as NodeType[]).filter((type) => NODES[type].runs === 'worker')
  const executors = types.map((type) => [type, valued(type, inWorker(), context)])
  return Object.fromEntries(executors)
}

/**
 * The function that the engine calls: it parses the config, and adds to each result the digest of its canonical content, wherever it was
 * computed.
 */
function valued<T extends NodeType>(type: T, execute: NodeExecutor<T>, context: ExecutionContext): Executor {
  return async (task) => {
    let results: Readonly<Record<string, NodeResult>>
    try {
      results = await execute(typed(type, task), context)
    } catch (thrown) {
      throw asNodeFailure(thrown)
    }
    return asValues(results, NODES[type].outputs)
  }
}

/** Results with the digests of their canonical content. */
export function asValues(
  results: Readonly<Record<string, NodeResult>>,
  ports: readonly Pick<OutputPort, 'name' | 'type'>[],
): Outputs {
  return Object.fromEntries(
    Object.entries(results).map(([port, { content, summary, summary_phrases }]) => [
      port,
      {
        type: ports.find(({ name }) => name === port)?.type ?? 'any',
        digest: digestOf(content),
        summary,
        ...(summary_phrases ? { summary_phrases } : {}),
        content,
      },
    ]),
  )
}

/** The engine does not know the types of configs; the schema of the node does. */
function typed<T extends NodeType>(type: T, task: Task): Task<NodeConfig<T>> {
  return { ...task, config: NODES[type].config.parse(task.config) as NodeConfig<T> }
}

export function digestOf(content: unknown): string {
  return nativeHash(canonical(content))
}

/** The platform's own SHA-256. */
export const nativeHash: Hash = (bytes) => createHash('sha256').update(bytes).digest('hex')
