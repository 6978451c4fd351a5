import { z } from 'zod'
import type { ErrorCode } from './errors.js'
import { openCode } from './open-code.js'
import type { CodeDeclaration } from './warnings.js'

/**
 * Issue codes: problems at one place of a request, a configuration or a workflow. An issue may also have an error code.
 * docs/reference/issues.md is generated from them.
 */
const declare = (meaning: string, remedy: string): CodeDeclaration => ({ meaning, remedy })

export const ISSUES = {
  // Requests and configurations
  MISSING_FIELD: declare('A required field is missing.', 'Add the field.'),
  INVALID_VALUE: declare(
    'The value has the wrong type or is outside the allowed range.',
    'Use a value that the message or the hint names.',
  ),
  MORE_ISSUES: declare(
    'There are more problems than the response lists.',
    'Correct those that are listed, then send the request again.',
  ),
  NO_EFFECT: declare(
    'The key has no effect beside the other keys.',
    'Remove it, or change the key that the message names.',
  ),
  // Saved workflows
  WORKFLOW_TOO_LARGE: declare(
    'The workflow has too many nodes or connections.',
    'Divide it into several workflows.',
  ),
  WORKFLOW_TOO_DEEP: declare(
    'The workflow is nested too deeply.',
    'Write the config that the message names with fewer levels.',
  ),
  EARLIER_DEFAULTS: declare(
    'An earlier release saved the workflow. It runs with the defaults of that release, which are written into its nodes.',
    'Take the defaults of today or keep the values: medloom workflow upgrade, or the buttons under Problems.',
  ),
  UNKNOWN_VERSION: declare('A newer version of the software wrote the file.', 'Open it with that version.'),
  DUPLICATE_ID: declare('Several nodes or connections have the same id.', 'Give each its own id.'),
  // Nodes
  UNKNOWN_NODE_TYPE: declare(
    'The catalog has no node of this type.',
    'Correct the type; GET /api/nodes lists the types.',
  ),
  UNKNOWN_NODE: declare('The workflow has no node with this id.', 'Correct the id.'),
  MISSING_INPUT: declare('A required input has no connection.', 'Connect an output of the type named.'),
  CONFLICTING_SETTINGS: declare(
    'Two nodes set the same training key differently.',
    'Give both the same value; training fits it once and applies it everywhere.',
  ),
  FACET_MISSING: declare(
    'An input lacks the images or the table that the node reads.',
    'Connect data that have both, or change the model.',
  ),
  FITTED_ABOVE_SPLIT: declare(
    'A node fits statistics before the data are split.',
    'Split first, then preprocess.',
  ),
  NODE_DISABLED: declare(
    'A target is muted or bypassed, or depends on a muted node alone, so it does not run.',
    'Unmute the node that the message names, or choose another target.',
  ),
  BYPASS_IMPOSSIBLE: declare(
    'A bypassed node has no single value of the right type to pass on.',
    'Mute the node instead, or connect an input of the type of its output.',
  ),
  // Connections
  CYCLE: declare('The nodes depend on each other in a cycle.', 'Remove one connection of the cycle.'),
  SELF_LOOP: declare('A connection leads from a node to itself.', 'Remove the connection.'),
  UNKNOWN_PORT: declare('The node has no port of this name.', 'Use a port that the hint names.'),
  TYPE_MISMATCH: declare(
    'The type of the output does not fit the input.',
    'Connect an output of the right type, or put a converting node between them.',
  ),
  PORT_OCCUPIED: declare(
    'The input already has a connection.',
    'Remove one of the connections that the message names.',
  ),
} as const satisfies Record<string, CodeDeclaration>

export type IssueCode = keyof typeof ISSUES | ErrorCode

/** One problem of a request, a configuration or a workflow, with its location. */
export const ErrorIssue = z
  .object({
    path: z.string().meta({ description: 'Place, dotted: model.vision_backbone' }),
    code: openCode<IssueCode>('A code of docs/reference/issues.md or docs/reference/errors.md'),
    message: z.string(),
    hint: z.string().optional(),
    severity: z.enum(['error', 'warning']).optional().meta({ description: 'Absent: error' }),
    node: z.string().optional().meta({ description: 'Identifier of the node of a workflow' }),
    connection: z.string().optional().meta({ description: 'Identifier of the connection' }),
    port: z.string().optional(),
    field: z.string().optional().meta({ description: 'Field of the config' }),
    cycle: z
      .array(z.string())
      .optional()
      .meta({ description: 'Nodes along the cycle; the first stands last again' }),
  })
  .meta({ id: 'ErrorIssue' })
export type ErrorIssue = z.infer<typeof ErrorIssue>
