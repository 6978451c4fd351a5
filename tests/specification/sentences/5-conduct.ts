import type { Sections } from './declaration.js'

export const CONDUCT = {
  '5. Authentication': {
    '5/none': 'The API requires no authentication at present.',
    '5/future': 'The statement is that this may change in future versions.',
    '5/production': {
      text: 'Production guidance lists authorization, HTTPS and encryption of sensitive data as items to enable in a deployment; their mechanism is not part of the interface.',
      parts: {
        '5/authorization': 'Production guidance: authorization as an item to enable in a deployment.',
        '5/https': 'Production guidance: HTTPS as an item to enable in a deployment.',
        '5/encryption':
          'Production guidance: encryption of sensitive data as an item to enable in a deployment.',
        '5/mechanism': 'Their mechanism is not part of the interface.',
      },
    },
  },
  '6. Events': {
    '6/stream': 'Events are delivered on the WebSocket stream for one job (path in section 4).',
    '6/types': 'Each message is a JSON object whose `type` is one of:',
    '6/progress': 'progress | training progress update; fields in 2.7',
    '6/epoch_end': 'epoch_end | an epoch is completed',
    '6/validation': 'validation | validation metrics',
    '6/completed': 'completed | training is completed',
    '6/error': 'error | an error occurred',
    '6/payloads': 'Payload of epoch_end, validation, completed and error messages: not shown.',
    '6/client': 'Messages sent by the client over the socket: not shown.',
    '6/delivery': 'Delivery, ordering and reconnection guarantees: not shown.',
  },
  '7. Errors': {
    '7/body': 'Every endpoint returns an error body with `error`, `code` and `details` (2.8).',
    '7/status': {
      text: 'HTTP status codes in use: 200 success, 400 bad request, 404 not found, 500 internal server error.',
      parts: {
        '7/200': '200 success',
        '7/400': '400 bad request',
        '7/404': '404 not found',
        '7/500': '500 internal server error',
      },
    },
    '7/workflow': {
      text: 'Workflow design errors: a dependency cycle is reported as an error; a failed node sets node status `error` and stops the workflow.',
      parts: {
        '7/cycle': 'Workflow design errors: a dependency cycle is reported as an error;',
        '7/failed-node': 'a failed node sets node status `error` and stops the workflow.',
      },
    },
    '7/codes': 'Values of `code`: not shown.',
    '7/conditions': 'Which condition yields which status code for each endpoint: not shown.',
  },
  '8. Limits': {
    '8/rate': 'Rate limiting: none is enforced; it may change in production deployments.',
    '8/other': {
      text: 'Other limits (payload size, number of concurrent jobs, time-outs): not shown.',
      parts: {
        '8/payload': 'Other limits: payload size: not shown.',
        '8/jobs': 'Other limits: number of concurrent jobs: not shown.',
        '8/time-outs': 'Other limits: time-outs: not shown.',
      },
    },
  },
  '9. Versioning': {
    '9/paths': 'The paths carry no version segment.',
    '9/workflow': 'The saved workflow format has a `version` field.',
    '9/policy': 'Version policy of the HTTP interface and of the event format: not shown.',
  },
} as const satisfies Sections
