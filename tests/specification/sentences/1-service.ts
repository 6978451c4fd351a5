import type { Sections } from './declaration.js'

export const SERVICE = {
  'Training and Workflow Service Specification': {
    '0/scope':
      'This document covers the whole service: the HTTP and WebSocket interface for training jobs, models, system information and health, and the node-based workflow design (node catalog, data types, execution rules, saved-workflow format, planned endpoints).',
    '0/single': 'It is a single document.',
  },
  '1. What the service does': {
    '1/multimodal': 'The service manages the training of multimodal (image plus tabular) medical models.',
    '1/job': {
      text: 'A client starts a training job from a configuration, reads its status, stops it, and follows its progress over a WebSocket.',
      parts: {
        '1/start': 'A client starts a training job from a configuration,',
        '1/status': 'reads its status,',
        '1/stop': 'stops it,',
        '1/follow': 'and follows its progress over a WebSocket.',
      },
    },
    '1/lists': {
      text: 'It lists registered models and checkpoints and evaluates a model on a dataset.',
      parts: {
        '1/models': 'It lists registered models',
        '1/checkpoints': 'and checkpoints',
        '1/evaluates': 'and evaluates a model on a dataset.',
      },
    },
    '1/reports': {
      text: 'It reports system information (GPU, disk, runtime versions) and a liveness check.',
      parts: {
        '1/system': 'It reports system information (GPU, disk, runtime versions)',
        '1/liveness': 'and a liveness check.',
      },
    },
    '1/rest': 'The HTTP interface is REST with JSON bodies.',
    '1/addresses': 'Addresses are written as {base_url} (HTTP) and {ws_base_url} (WebSocket).',
    '1/datasets': 'Dataset listing (`GET /api/datasets`) is declared but not implemented.',
    '1/stage':
      'A node-based workflow layer is in the design stage (document status Beta, design version 0.1.0).',
    '1/workflows': {
      text: 'It lets a user connect nodes (load data, preprocess, build a model, train, evaluate, report, save) into a workflow, save it as JSON, and execute it with a dependency-ordered engine and a cache.',
      parts: {
        '1/connect':
          'It lets a user connect nodes (load data, preprocess, build a model, train, evaluate, report, save) into a workflow,',
        '1/save': 'save it as JSON,',
        '1/execute': 'and execute it with a dependency-ordered engine',
        '1/cache': 'and a cache.',
      },
    },
  },
} as const satisfies Sections
