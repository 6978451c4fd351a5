import type { Sections } from './declaration.js'

export const STATES = {
  '3. States and transitions': {},
  '3.1 Training job': {
    '3.1/values': 'Status values seen: `started`, `running`, `stopped`.',
    '3.1/start': {
      text: '(none) | POST /api/training/start | request accepted | started | response carries job_id and a message',
      parts: {
        '3.1/started': '(none) → started: POST /api/training/start, request accepted',
        '3.1/start-answer': '(none) → started: response carries job_id and a message',
      },
    },
    '3.1/stop': {
      text: 'running | POST /api/training/{job_id}/stop | job is running | stopped | response carries job_id and a message',
      parts: {
        '3.1/stopped': 'running → stopped: POST /api/training/{job_id}/stop, job is running',
        '3.1/stop-answer': 'running → stopped: response carries job_id and a message',
      },
    },
    '3.1/other':
      'Transitions between `started` and `running`, and to a completed or failed state: not shown.',
    '3.1/list': 'Complete list of job status values: not shown.',
  },
  '3.2 Workflow node status (design)': {
    '3.2/values': 'Values: `pending` (waiting), `running`, `success`, `error`, `skipped`, `cached`.',
    '3.2/cached':
      'pending | workflow execution reaches the node | cache holds a result for the node | cached | node is not run',
    '3.2/running': 'pending | workflow execution reaches the node | no cached result | running |',
    '3.2/returns': {
      text: 'running | node execution returns | no exception | success | outputs are stored in the cache',
      parts: {
        '3.2/success': 'running → success: node execution returns, no exception',
        '3.2/stored': 'running → success: outputs are stored in the cache',
      },
    },
    '3.2/raises': {
      text: 'running | node execution raises | any failure | error | error text is kept on the node; the workflow stops',
      parts: {
        '3.2/error': 'running → error: node execution raises, any failure',
        '3.2/error-text': 'running → error: error text is kept on the node;',
        '3.2/stops': 'running → error: the workflow stops',
      },
    },
  },
} as const satisfies Sections
