import { z } from 'zod'
import {
  JobMessage,
  NODE_TRANSITIONS,
  RUN_TRANSITIONS,
  ServiceMessage,
  STUDY_TRANSITIONS,
  StudyMessage,
  WorkflowMessage,
} from '../../src/index.js'
import { HEAD } from '../generated.js'
import { cell, resolved, type Schema } from './schema-text.js'

/** Reference pages of the WebSocket messages. */

export function eventsPage(): string {
  return `${HEAD}# Messages of a training job

WebSocket: \`/ws/training/{job_id}\`. \`seq\` increases by 1 per message of a job. \`?since=N\` replays the messages after N. Exactly one
terminal message (\`completed\` or \`error\`) ends the stream. Then the server closes the connection with 1000.

${table(JobMessage)}`
}

export function workflowEventsPage(): string {
  return `${HEAD}# Messages of a workflow

WebSocket: \`/ws/workflow/{workflow_id}\`. The first message is a \`snapshot\` of the latest run; the other messages report changes.
\`seq\` increases while the service runs. A snapshot contains the current \`seq\`, so a client that reconnects needs no earlier
messages. Progress of a node is sent at most ten times a second. The socket stays open after a run and also reports the next run.

${table(WorkflowMessage)}
## Run status

${transitions(RUN_TRANSITIONS)}
## Node status

${transitions(NODE_TRANSITIONS)}`
}

export function studyEventsPage(): string {
  return `${HEAD}# Messages of a study

WebSocket: \`/ws/studies/{study_id}\`. The first message is a \`snapshot\`; the other messages report changes. \`seq\` increases while the
service runs. A snapshot contains the current \`seq\`. Exactly one terminal message (\`completed\` or \`error\`) ends the stream. Then the
server closes the connection with 1000. For a study that has ended, the terminal message follows the snapshot immediately.

${table(StudyMessage)}
## Study status

${transitions(STUDY_TRANSITIONS)}`
}

export function serviceEventsPage(): string {
  return `${HEAD}# Messages of the service

WebSocket: \`/ws/service\`, for lists that update automatically. The first message is a \`snapshot\` with the newest items of each kind.
The other messages report changes, also of older items: the item as in its list, at most a few times a second, or its removal. \`seq\`
increases by 1 per message. A client that reconnects after a short interruption sends \`?stream=S&since=N\` with the \`stream\` of the
snapshot and the last \`seq\`, and receives the messages after it. If they are no longer available or the service was restarted, it
receives a new snapshot. A client that is too slow is disconnected with 1013. \`GET /api/system/state\` returns the same state without
a WebSocket.

${table(ServiceMessage)}`
}

function table(messages: z.ZodType): string {
  const document = z.toJSONSchema(messages) as Schema
  const lines = (resolved(document).oneOf ?? []).map((entry) => {
    const { properties = {}, required = [], description = '' } = resolved(document, entry)
    const { type, ...fields } = properties
    const names = Object.keys(fields).map(
      (field) => `\`${field}\`${required.includes(field) ? '' : ' (optional)'}`,
    )
    return `| \`${type?.const}\` | ${cell(description)} | ${names.join(', ')} |`
  })
  return `| type | meaning | fields |\n|---|---|---|\n${lines.join('\n')}\n`
}

function transitions(table: Readonly<Record<string, readonly string[]>>): string {
  const lines = Object.entries(table).map(([from, to]) => `| ${from} | ${to.join(', ') || '– (final)'} |`)
  return `| from | to |\n|---|---|\n${lines.join('\n')}\n`
}
