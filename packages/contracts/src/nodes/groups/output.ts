import { z } from 'zod'
import { EXPORT_FORMATS, QUANTIZATIONS } from '../../export-formats.js'
import { field, type NodeDefinition } from '../definition.js'
import { inferNothing } from '../inference.js'
import { NO_CASES } from '../lineage.js'

/** File of a SaveWorkflow without a path: the same for each node, so two of them in one workflow are rejected. */
export const WORKFLOW_FILE = 'workflow.json'

const target = (what: string, unnamed?: string) =>
  field(z.string().min(1).max(4096).nullable().default(null), {
    title: 'Path',
    description: `Path of ${what}, relative to the output folder of the service. Default: among the artifacts of the workflow.`,
    writes: 'path',
    ...(unnamed === undefined ? {} : { writes_unnamed: unnamed }),
  })

export const OUTPUT_NODES = {
  SaveModel: {
    group: 'Output',
    title: 'Save model',
    summary: 'Writes a model to a file for use in other software.',
    runs: 'worker',
    resource: 'cpu',
    version: 2,
    software: 'export',
    inputs: [{ name: 'model', type: 'model', kind: 'trained', title: 'Trained model' }],
    outputs: [{ name: 'model_path', type: 'path', kind: 'model_file', title: 'Model file' }],
    config: z.strictObject({
      path: target('the model'),
      format: field(z.enum(EXPORT_FORMATS).default('PyTorch'), {
        title: 'Format',
        description: 'PyTorch weights with a manifest, ONNX or TorchScript.',
      }),
      quantization: field(z.enum(QUANTIZATIONS).default('none'), {
        title: 'Quantization',
        description:
          'Stores the weights with fewer bits. The quantized model is compared with the original before it is saved.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  ExportPredictions: {
    group: 'Output',
    title: 'Export predictions',
    summary: 'Writes the prediction of every case, or the preprocessed cases of a dataset, to a table file.',
    runs: 'worker',
    resource: 'io',
    version: 4,
    software: 'data',
    inputs: [
      {
        name: 'predictions',
        type: 'tabular',
        title: 'Predictions, or a table of cases',
        passes_kinds: ['predictions'],
      },
    ],
    outputs: [{ name: 'export_path', type: 'path', kind: 'export', title: 'Table file' }],
    config: z.strictObject({
      path: target('the table'),
      format: field(z.enum(['CSV', 'JSON', 'Excel']).default('CSV'), {
        title: 'Format',
        description: 'The format of the file.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  SaveWorkflow: {
    group: 'Output',
    title: 'Save workflow',
    summary: 'Writes the workflow to a file after the connected nodes have run.',
    runs: 'service',
    resource: 'io',
    version: 2,
    inputs: [{ name: 'workflow', type: 'any', title: 'Workflow', implicit: true }],
    outputs: [{ name: 'workflow_path', type: 'path', kind: 'workflow_file', title: 'Workflow file' }],
    config: z.strictObject({
      path: target('the workflow', WORKFLOW_FILE),
      name: field(z.string().max(200).default(''), {
        title: 'Name',
        description: 'Name in the saved file. Default: the name of the workflow.',
      }),
      description: field(z.string().max(10_000).default(''), {
        title: 'Description',
        description: 'Description in the saved file. Default: the description of the workflow.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
} as const satisfies Record<string, NodeDefinition>
