import type { NodeType } from '@medloom/contracts'
import { SPECIFICATION_ROWS } from '../../../packages/contracts/testing/specification-nodes.js'
import type { Sections } from './declaration.js'

type NodeRows = Record<`2.12/${NodeType}`, string>

/** Rows of the catalog, transcribed next to the declaration of the nodes. */
const NODE_ROWS = Object.fromEntries(
  SPECIFICATION_ROWS.map(({ group, node, inputs, outputs, configuration }) => [
    `2.12/${node}`,
    [group, node, inputs, outputs, configuration].join(' | '),
  ]),
) as NodeRows

export const WORKFLOWS = {
  '2.10 Workflow (saved format, format version field `version`)': {
    '2.10/version': 'version | string | format version',
    '2.10/metadata': {
      text: 'metadata | object | name, description (strings), author (string), created_at (ISO 8601 UTC), tags (array of strings)',
      parts: {
        '2.10/metadata.name': 'metadata: name, description (strings)',
        '2.10/metadata.author': 'metadata: author (string)',
        '2.10/metadata.created_at': 'metadata: created_at (ISO 8601 UTC)',
        '2.10/metadata.tags': 'metadata: tags (array of strings)',
      },
    },
    '2.10/nodes': {
      text: "nodes | array | each: id (string), type (node type name), position {x, y} (numbers), config (object of that node's configuration fields)",
      parts: {
        '2.10/nodes.id': 'nodes: id (string)',
        '2.10/nodes.type': 'nodes: type (node type name)',
        '2.10/nodes.position': 'nodes: position {x, y} (numbers)',
        '2.10/nodes.config': "nodes: config (object of that node's configuration fields)",
      },
    },
    '2.10/connections':
      'connections | array | each: id, source (node id), source_port, target (node id), target_port',
    '2.10/execution_history':
      'execution_history | array | each: timestamp (ISO 8601 UTC), status (string), duration (number, seconds), metrics (object of numbers)',
    '2.10/layout': {
      text: 'Project directory layout: `workflow.json` (definition), `config.yaml` (global configuration), `checkpoints/`, `logs/` (training.log), `metrics/` (metrics.json, validation.json), `reports/` (summary.json, report.md), `artifacts/` (visualizations), `cache/` (per-node cache files).',
      parts: {
        '2.10/workflow.json': 'Project directory: `workflow.json` (definition)',
        '2.10/config.yaml': 'Project directory: `config.yaml` (global configuration)',
        '2.10/checkpoints': 'Project directory: `checkpoints/`',
        '2.10/logs': 'Project directory: `logs/` (training.log)',
        '2.10/metrics': 'Project directory: `metrics/` (metrics.json, validation.json)',
        '2.10/reports': 'Project directory: `reports/` (summary.json, report.md)',
        '2.10/artifacts': 'Project directory: `artifacts/` (visualizations)',
        '2.10/cache': 'Project directory: `cache/` (per-node cache files)',
      },
    },
  },
  '2.11 Data types on ports': {
    '2.11/list': {
      text: 'image (tensor batch, channels, height, width), tabular (data frame), dataset, model, config, metrics, path, tensor, any.',
      parts: {
        '2.11/types': 'image, tabular (data frame), dataset, model, config, metrics, path, tensor, any.',
        '2.11/image': 'image is a tensor of batch, channels, height, width.',
      },
    },
    '2.11/composite': {
      text: 'Composite: multimodal = image + tabular; training data = dataset + config.',
      parts: {
        '2.11/multimodal': 'Composite: multimodal = image + tabular;',
        '2.11/training-data': 'training data = dataset + config.',
      },
    },
  },
  '2.12 Node catalog (design)': {
    '2.12/format': 'Format: node; inputs; outputs; configuration fields.',
    '2.12/optional': 'Fields marked (opt) are optional inputs.',
    ...NODE_ROWS,
    '2.12/library': {
      text: 'Notes: the library is stated to offer 29 backbones and 5 fusion strategies.',
      parts: {
        '2.12/backbones': 'The library offers 29 backbones',
        '2.12/fusions': 'and 5 fusion strategies.',
      },
    },
    '2.12/ranges': 'Value ranges and defaults of node configuration fields: not shown.',
  },
} as const satisfies Sections
