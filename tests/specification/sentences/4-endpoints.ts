import type { Sections } from './declaration.js'

export const ENDPOINTS = {
  '4. Endpoints': {
    '4/json': 'All bodies are JSON.',
    '4/placeholders': 'Placeholders: <job_id>, <model_id>, <workflow_id>.',
    '4/start':
      'POST | /api/training/start | object: config (object, 2.1), job_name (string) | job_id (string), status (string), message (string)',
    '4/status':
      'GET | /api/training/{job_id}/status | none | job_id, status, epoch, total_epochs, metrics (2.2)',
    '4/stop': 'POST | /api/training/{job_id}/stop | none | job_id, status, message',
    '4/models': {
      text: 'GET | /api/models | none | models: array of model records (2.3); lists all registered models and checkpoints',
      parts: {
        '4/models-array': 'GET | /api/models | none | models: array of model records (2.3);',
        '4/models-all': 'GET | /api/models | lists all registered models',
        '4/models-checkpoints': 'GET | /api/models | and checkpoints',
      },
    },
    '4/evaluate':
      'POST | /api/models/{model_id}/evaluate | checkpoint_path, test_csv, split (2.4) | model_id, metrics, report_path',
    '4/datasets': 'GET | /api/datasets | none | declared; not implemented',
    '4/info': 'GET | /api/system/info | none | system information (2.5)',
    '4/health': 'GET | /api/system/health | none | health (2.6); confirms the server runs',
    '4/socket':
      'WebSocket | {ws_base_url}/ws/training/{job_id} | connect only | stream of progress messages (section 6)',
    '4/planned': 'Planned workflow endpoints (design stage):',
    '4/workflow-create': 'POST | /api/workflow/create | create a workflow',
    '4/workflow-get': 'GET | /api/workflow/{workflow_id} | get a workflow',
    '4/workflow-update': 'PUT | /api/workflow/{workflow_id} | update a workflow',
    '4/workflow-execute': 'POST | /api/workflow/{workflow_id}/execute | execute a workflow',
    '4/workflow-status': 'GET | /api/workflow/{workflow_id}/status | get execution status',
    '4/workflow-cancel': 'POST | /api/workflow/{workflow_id}/cancel | cancel execution',
    '4/workflow-templates': 'GET | /api/workflow/templates | list templates',
    '4/workflow-import': 'POST | /api/workflow/import | import a workflow',
    '4/workflow-export': 'GET | /api/workflow/{workflow_id}/export | export a workflow',
    '4/payloads': 'Payload shapes of the workflow endpoints: not shown.',
    '4/pagination': 'Query parameters and pagination for list endpoints: not shown.',
  },
  '4.1 Workflow rules (design)': {
    '4.1/1': {
      text: 'Connect rule: the output type must be compatible with the input type of the target port; compatible types are converted automatically.',
      parts: {
        '4.1/1-compatible':
          '1. Connect rule: the output type must be compatible with the input type of the target port;',
        '4.1/1-converted': '1. compatible types are converted automatically.',
      },
    },
    '4.1/1-ports': {
      text: 'A node may have several input and several output ports; some input ports may be left empty (optional).',
      parts: {
        '4.1/1-several': '1. A node may have several input and several output ports;',
        '4.1/1-optional': '1. some input ports may be left empty (optional).',
      },
    },
    '4.1/2': {
      text: 'Execution order follows a topological sort of node dependencies; independent nodes may run in parallel; a dependency cycle is reported as an error.',
      parts: {
        '4.1/2-order': '2. Execution order follows a topological sort of node dependencies;',
        '4.1/2-parallel': '2. independent nodes may run in parallel;',
        '4.1/2-cycle': '2. a dependency cycle is reported as an error.',
      },
    },
    '4.1/3': {
      text: 'Incremental execution: only changed nodes and their downstream nodes run; unchanged nodes reuse cached outputs; a node can be marked for re-execution by hand.',
      parts: {
        '4.1/3-changed': '3. Incremental execution: only changed nodes and their downstream nodes run;',
        '4.1/3-reuse': '3. unchanged nodes reuse cached outputs;',
        '4.1/3-by-hand': '3. a node can be marked for re-execution by hand.',
      },
    },
    '4.1/4': {
      text: 'When a node fails, the workflow stops and shows the error with its trace; execution can resume from the failed node.',
      parts: {
        '4.1/4-fails': '4. When a node fails, the workflow stops and shows the error with its trace;',
        '4.1/4-resume': '4. execution can resume from the failed node.',
      },
    },
    '4.1/5': {
      text: 'Per-node status and overall progress are reported live; a running workflow can be cancelled.',
      parts: {
        '4.1/5-live': '5. Per-node status and overall progress are reported live;',
        '4.1/5-cancel': '5. a running workflow can be cancelled.',
      },
    },
    '4.1/6': {
      text: 'Cache key is derived from the node id, the node configuration and the hashes of its inputs.',
      parts: {
        '4.1/6-id': '6. Cache key is derived from the node id,',
        '4.1/6-config': '6. the node configuration',
        '4.1/6-inputs': '6. and the hashes of its inputs.',
      },
    },
    '4.1/6-places': {
      text: 'Small data is cached in memory, large data on disk; entries expire by time or by manual clearing.',
      parts: {
        '4.1/6-memory': '6. Small data is cached in memory,',
        '4.1/6-disk': '6. large data on disk;',
        '4.1/6-time': '6. entries expire by time',
        '4.1/6-clearing': '6. or by manual clearing.',
      },
    },
  },
} as const satisfies Sections
