import { z } from 'zod'
import { phrasesOf } from '../phrases/phrase.js'
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
    'Use a value that the message or the hint allows.',
  ),
  MORE_ISSUES: declare(
    'There are more problems than the response lists.',
    'Correct the listed problems, then send the request again.',
  ),
  NO_EFFECT: declare(
    'The key has no effect in combination with the other keys.',
    'Remove the key, or change the key that the message names.',
  ),
  // Saved workflows
  WORKFLOW_TOO_LARGE: declare(
    'The workflow has too many nodes or connections.',
    'Divide it into several workflows.',
  ),
  WORKFLOW_TOO_DEEP: declare(
    'The workflow is nested too deeply.',
    'Reduce the nesting of the node settings that the message names.',
  ),
  EARLIER_DEFAULTS: declare(
    'The workflow was saved by an earlier version and uses the defaults of that version, which are stored in its nodes.',
    'Use the current defaults or keep the stored values, with medloom workflow upgrade or the buttons under Problems.',
  ),
  UNKNOWN_VERSION: declare(
    'The file was written by a newer version of Medloom.',
    'Open it with that version.',
  ),
  DUPLICATE_ID: declare('Several nodes or connections have the same id.', 'Give each of them a unique id.'),
  // Nodes
  UNKNOWN_NODE_TYPE: declare(
    'The catalog has no node of this type.',
    'Correct the type; GET /api/nodes lists the types.',
  ),
  UNKNOWN_NODE: declare('The workflow has no node with this id.', 'Correct the id.'),
  MISSING_INPUT: declare(
    'A required input has no connection.',
    'Connect an output of the type that the message names.',
  ),
  CONFLICTING_SETTINGS: declare(
    'Two nodes set the same training key differently.',
    'Give both nodes the same value. A training has one value for each key.',
  ),
  FACET_MISSING: declare(
    'An input does not contain the images or the table that the node reads.',
    'Connect data that contain both, or change the model.',
  ),
  FITTED_ABOVE_SPLIT: declare(
    'A node fits statistics before the data is split.',
    'Place the split before the preprocessing.',
  ),
  NODE_DISABLED: declare(
    'A target does not run because it is muted, bypassed or depends on a muted node.',
    'Unmute the node that the message names, or choose another target.',
  ),
  BYPASS_IMPOSSIBLE: declare(
    'A bypassed node does not have exactly one input of the type of its output.',
    'Mute the node, or connect exactly one input of the type of its output.',
  ),
  // Connections
  CYCLE: declare('The nodes depend on each other in a cycle.', 'Remove one connection of the cycle.'),
  SELF_LOOP: declare('A connection links a node to itself.', 'Remove the connection.'),
  UNKNOWN_PORT: declare('The node has no port with this name.', 'Use a port that the hint names.'),
  TYPE_MISMATCH: declare(
    'The type of the output does not match the type of the input.',
    'Connect an output of the required type, or insert a node that converts the value.',
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
    path: z.string().meta({ description: 'Location as a dotted path, such as model.vision_backbone' }),
    code: openCode<IssueCode>('A code of docs/reference/issues.md or docs/reference/errors.md'),
    message: z.string(),
    message_phrases: phrasesOf('message'),
    hint: z.string().optional(),
    hint_phrases: phrasesOf('hint'),
    suggestion: z
      .string()
      .optional()
      .meta({ description: 'The known name that was probably intended; the hint contains it' }),
    severity: z.enum(['error', 'warning']).optional().meta({ description: 'Absent: error' }),
    node: z.string().optional().meta({ description: 'Identifier of the node of a workflow' }),
    connection: z.string().optional().meta({ description: 'Identifier of the connection' }),
    port: z.string().optional(),
    field: z.string().optional().meta({ description: 'Field of the config' }),
    cycle: z
      .array(z.string())
      .optional()
      .meta({ description: 'Nodes along the cycle; the last is the first node again' }),
  })
  .meta({ id: 'ErrorIssue' })
export type ErrorIssue = z.infer<typeof ErrorIssue>
